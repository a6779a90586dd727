"""Which files a task will change: as declared, else as its own text names them."""

import os
import re
from collections.abc import Iterable

from mi.nexus.state import Fields, Task, is_given

# As texts, compiled at their first use: most events of a session ask for no target.
_BACKTICKED = r"`([^`\n]{1,200})`"
_IN_A_FOLDER = r"(?:[\w.@+-]+/)+[\w.@+-]*"
_WITH_AN_ENDING = r"[\w@+.-]*[\w@+-]\.(\w+)"
# A name without a folder is a file by its ending: `json.loads` and `self.name` are none.
_ENDINGS = frozenset(
    "astro bash bat bzl c cc cfg clj cmake conf cpp cs css csv cu dart env erl ex exs fs go gradle graphql h hpp hs"
    " htm html ini ipynb java jl js json json5 jsonl jsx kt kts less lock lua m md mdx mjs ml mod nix php pl plist"
    " prisma properties proto ps1 py pyi r rb rs rst sass scala scss sh sql svelte svg swift tex tf toml ts tsv tsx"
    " txt vue xml yaml yml zig".split()
)
_NAMES = frozenset("Makefile Dockerfile Justfile Rakefile Gemfile".split())


def find_targets(task: Task, extensions: dict[str, Fields]) -> list[str]:
    """Return the files a task will change, generated ones left out."""
    own = extensions.get(str(task.id), {})
    generated = {_normal(path) for path in _texts(own.get("generated_files"))}
    declared = _texts(own.get("target_files"))
    found = declared or find_paths(task.approach if is_given(task.approach) else "", task.context)  # type: ignore[arg-type]
    return [path for path in dict.fromkeys(_normal(path) for path in found) if path not in generated]


def find_paths(*texts: str) -> list[str]:
    """Return the paths that texts name between backticks."""
    named = [found for text in texts for found in re.findall(_BACKTICKED, text)]
    return [name for name in named if _is_path(name.removeprefix("./"))]


def _is_path(name: str) -> bool:
    ending = re.fullmatch(_WITH_AN_ENDING, name)
    known = name in _NAMES or (ending is not None and ending[1].lower() in _ENDINGS)
    return known or re.fullmatch(_IN_A_FOLDER, name) is not None


def find_common(some: Iterable[str], others: Iterable[str]) -> list[str]:
    """Return the files that two lists have in common; what lies in a folder of the other list is in it."""
    ours, theirs = ({_normal(path) for path in paths} for paths in (some, others))
    return sorted({max(one, other, key=len) for one in ours for other in theirs if _within(one, other)})


def _within(one: str, other: str) -> bool:
    return one == other or one.startswith(other + os.sep) or other.startswith(one + os.sep)


def relate_to_root(root: str, path: str) -> str:
    """Return a path as targets name it: from the project's root, when it lies below it; else as it is."""
    top = os.path.realpath(root)
    whole = os.path.normpath(os.path.join(top, path))
    return os.path.relpath(whole, top) if whole.startswith(top + os.sep) else path


def _texts(value: object) -> list[str]:
    return [one for one in value if isinstance(one, str)] if isinstance(value, list) else []


def _normal(path: str) -> str:
    return os.path.normpath(path)
