"""How much the agents at work have printed: their transcripts grow while the logs are silent."""

import os
import re

from mi.autopilot.run_lock import find_running
from mi.kernel import jsonl
from mi.kernel.home import Home

_TAIL = 1 << 20  # bytes of a log in which the present batch of a run that goes on is looked for
_RUN = re.compile(rb'"run_id": ?"(run_[\w-]{1,100})"')
_PATH = re.compile(rb'"transcript_path": ?"(projects/[^"\\]{1,500})"')
_KIND = re.compile(rb'"kind": ?"(hands_input|batch_end|run_end)"')


class LiveTranscripts:
    """The transcript of the present batch of each run that goes on, by the run; learned from what logs gain."""

    def __init__(self, home: Home) -> None:
        self._home = home
        self._paths: dict[str, str] = {}
        for run in find_running(home):
            log = home.project(run.project_id).evidence
            size = jsonl.measure_size(log)
            if size:
                self.take_in(jsonl.read_range(log, max(size - _TAIL, 0), size))

    def take_in(self, new: bytes) -> None:
        """Note which batches begin and end in what a log gained."""
        for line in new.splitlines():
            kind, run = _KIND.search(line, 0, 4096), _RUN.search(line)
            if not kind or not run:
                continue
            path, name = _PATH.search(line), f"run:{run[1].decode()}"
            if kind[1] == b"hands_input" and path and b".." not in path[1]:
                self._paths[name] = os.path.join(self._home.root, path[1].decode("utf-8", "replace"))
            else:
                self._paths.pop(name, None)

    def measure(self) -> dict[str, int]:
        """Return how long each is now."""
        return {name: jsonl.measure_size(path) for name, path in self._paths.items()}
