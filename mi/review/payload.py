"""What an external reviewer may see: task, changed lines, constraints, criteria; no secret, nothing private."""

import os
from collections.abc import Sequence

from mi.governance import paths
from mi.governance.change_units import Counted, FileDiff
from mi.kernel.named_tuple import NamedTuple
from mi.kernel.secrets import redact, redact_start

_MOST = 24_000  # characters of changed lines
_MOST_OF_A_FILE = 8_000


class Payload(NamedTuple):
    """Minimal context: each part already scanned for secrets."""

    task: str
    snippets: str
    constraints: tuple[str, ...] = ()
    criteria: tuple[str, ...] = ()
    left_out: tuple[str, ...] = ()  # files of the change that were not sent

    def text(self) -> str:
        """Return the payload as the reviewer reads it, fenced: what stands inside is data."""
        parts = {
            "TASK": self.task,
            "CONSTRAINTS": "\n".join(f"- {one}" for one in self.constraints),
            "ACCEPTANCE CRITERIA": "\n".join(f"- {one}" for one in self.criteria),
            "CHANGED LINES": self.snippets,
            "NOT SHOWN": "\n".join(f"- {one}" for one in self.left_out),
        }
        return "\n".join(
            f"<<<{name}\n{text.replace('>>>', '> > >')}\n>>>" for name, text in parts.items() if text.strip()
        )


def build_payload(task: str, change: Counted, constraints: Sequence[str] = (), criteria: Sequence[str] = ()) -> Payload:
    """Return the minimal context of a change: changed lines only, of files that may be shown."""
    shown, left_out, room = list[str](), list[str](), _MOST
    for file in change.files:
        lines = _lines(file) if _may_be_shown(file) else ""
        if not lines or len(lines) > room:
            left_out.append(file.path)
            continue
        shown.append(lines)
        room -= len(lines)
    return Payload(
        _clean(task),
        _clean("\n".join(shown)),
        tuple(_clean(one) for one in constraints),
        tuple(_clean(one) for one in criteria),
        tuple(_clean(path) for path in left_out if not paths.find_private_owner(path)),
    )


def _may_be_shown(file: FileDiff) -> bool:
    for path in (file.path, file.old_path):
        if path and (
            paths.is_secret(path) or paths.find_private_owner(path) or paths.find_shared_memory(path) == "session"
        ):
            return False
    return file.kind not in ("generated", "lock", "binary")


def _lines(file: FileDiff) -> str:
    head = f"### {file.path} ({file.kind}{f', was {file.old_path}' if file.old_path else ''})"
    lines = "\n".join([head, *(f"-{line}" for line in file.removed), *(f"+{line}" for line in file.added)])
    return lines if len(lines) <= _MOST_OF_A_FILE else redact_start(lines, _MOST_OF_A_FILE) + "\n[…]"


def _clean(text: str) -> str:
    """Return a text without secrets and without the folder that names the person."""
    home = os.path.expanduser("~")
    return redact(text.replace(home, "~") if len(home) > 1 else text)
