"""Finding an agent's program, the real one behind its npm wrapper, and what it can do."""

import glob
import os
import re

from msgspec import Struct

from mi.agents.process import AgentProcess, ProcessLimits
from mi.agents.registry import AGENTS
from mi.kernel.errors import NotFound
from mi.kernel.home import Home
from mi.kernel.notices import Notices
from mi.kernel.programs import find_on_path
from mi.kernel.state import read_state, update_state
from mi.kernel.text import decode

_FLAG = re.compile(r"(?<![\w-])--[a-z][a-z0-9-]+")
_VERSION = re.compile(r"(?<!\d)\d+\.\d+(?:\.[\w.+-]+)?")
_PROBE_S = 30.0
_MOST_SAID = 1 << 18
_REMEMBERED = 20


class Probe(Struct, frozen=True, kw_only=True):
    """What an agent's program said about itself."""

    path: str
    mtime_ns: int = 0
    size: int = 0
    version: str = ""
    flags: tuple[str, ...] = ()


class _Probes(Struct, frozen=True, kw_only=True):
    """The cache `indexes/agents.json`; can be deleted at any time."""

    version: str = "v1"
    probes: tuple[Probe, ...] = ()


def find(name: str, configured: str = "") -> str:
    """Return the program of an agent: the configured path, else $PATH; NotFound with the ways on."""
    if configured:
        path = os.path.expanduser(configured)
        found = path if os.path.isfile(path) and os.access(path, os.X_OK) else find_on_path(configured)
        if found is None:
            raise NotFound("agent-path", field=f"hands.{name}.path", value=configured)
        return found
    found = find_on_path(name)
    if found is None:
        raise NotFound("agent-missing", name=name, package=AGENTS[name].package if name in AGENTS else name)
    return found


def find_native(name: str, configured: str = "") -> str:
    """Return the program of an agent behind its npm wrapper; whoever kills the wrapper would leave it running."""
    path, agent = find(name, configured), AGENTS[name]
    real = os.path.realpath(path)
    if not real.endswith(".js"):
        return real
    package = os.path.dirname(os.path.dirname(real))  # …/node_modules/@openai/codex
    scope = agent.package.partition("/")[0]
    for folder in (os.path.join(package, "node_modules", scope), os.path.dirname(package), package):
        for pattern in agent.native:
            for found in sorted(glob.glob(os.path.join(glob.escape(folder), pattern))):
                if os.access(found, os.X_OK):
                    return found
    return path


def probe(name: str, path: str, home: Home, notices: Notices) -> Probe:
    """Version and flags of a program, asked once per file and remembered."""
    stat = os.stat(path)
    cache = home.path("indexes", "agents.json")
    for known in read_state(cache, _Probes, notices).probes:
        if (known.path, known.mtime_ns, known.size) == (path, stat.st_mtime_ns, stat.st_size):
            return known
    version = _VERSION.search(_ask(path, "--version"))
    fresh = Probe(
        path=path,
        mtime_ns=stat.st_mtime_ns,
        size=stat.st_size,
        version=version[0] if version else "",
        flags=tuple(sorted(set(_FLAG.findall(_ask(path, *AGENTS[name].help_words))))),
    )
    if fresh.flags:  # a program that could not answer is asked again next time
        update_state(cache, _Probes, lambda old: _remembering(old, fresh), notices)
    return fresh


def _remembering(old: _Probes, fresh: Probe) -> _Probes:
    others = tuple(known for known in old.probes if known.path != fresh.path)
    return _Probes(probes=(*others, fresh)[-_REMEMBERED:])


def _ask(path: str, *args: str) -> str:
    """Return what a program prints when asked; bounded in time and size."""
    said = bytearray()

    def keep(stream: str, data: bytes) -> None:
        said.extend(data[: _MOST_SAID - len(said)])  # however small the pieces in which it comes

    with AgentProcess([path, *args], os.getcwd(), limits=ProcessLimits(wall_s=_PROBE_S)) as process:
        process.pump(keep)
    return decode(bytes(said))
