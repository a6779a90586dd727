"""How much a listener takes from whoever connects, known or not."""

import resource

from mi.kernel.named_tuple import NamedTuple


class Limits(NamedTuple):
    """What one listener holds at a time, and how long it waits."""

    connections: int = 512
    head_bytes: int = 32_768
    body_bytes: int = 64_000_000
    head_s: float = 10.0
    body_s: float = 60.0
    idle_s: float = 120.0

    def fit_process(self) -> "Limits":
        """Return the limits with at most half of the files that this process may open as connections."""
        files, _ = resource.getrlimit(resource.RLIMIT_NOFILE)
        return self if files == resource.RLIM_INFINITY else self._replace(connections=min(self.connections, files // 2))
