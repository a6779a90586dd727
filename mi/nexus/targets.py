"""Which files a task will change: as declared, else as its own text names them."""

import os
import re

from mi.nexus.state import Fields, Task, given

_BACKTICKED = re.compile(r"`([^`\n]{1,200})`")
_PATH = re.compile(r"(?:[\w.@+-]+/)+[\w.@+-]+|[\w@+-]+\.[A-Za-z][A-Za-z0-9]{0,7}")


def targets_of(task: Task, extensions: dict[str, Fields]) -> list[str]:
    """The files a task will change, generated ones left out."""
    own = extensions.get(str(task.id), {})
    generated = {_normal(path) for path in _texts(own.get("generated_files"))}
    declared = _texts(own.get("target_files"))
    found = declared or paths_in(task.approach if given(task.approach) else "", task.context)  # type: ignore[arg-type]
    return [path for path in dict.fromkeys(_normal(path) for path in found) if path not in generated]


def paths_in(*texts: str) -> list[str]:
    """The paths that texts name between backticks."""
    named = [found for text in texts for found in _BACKTICKED.findall(text)]
    return [name for name in named if _PATH.fullmatch(name.removeprefix("./"))]


def _texts(value: object) -> list[str]:
    return [one for one in value if isinstance(one, str)] if isinstance(value, list) else []


def _normal(path: str) -> str:
    return os.path.normpath(path)
