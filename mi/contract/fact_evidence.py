"""Evidence for facts: four kinds, each checked now, with what was seen kept to check it again later."""

import os
from typing import Literal

from msgspec import Struct

from mi.contract.programs import ProgramResult, run_allowed
from mi.kernel import clock, git, text
from mi.kernel.config.types import ContractEvidence
from mi.kernel.errors import MiError, UsageError
from mi.kernel.named_tuple import NamedTuple
from mi.kernel.secrets import redact_start

Kind = Literal["file_exists", "grep_hit", "cmd_exit0", "test_pass"]
KINDS: tuple[Kind, ...] = ("file_exists", "grep_hit", "cmd_exit0", "test_pass")
_MAX_BYTES = 32 << 20  # of a file that is read whole; of a larger one the beginning, and that is less certain
_LINE_SHOWN = 300
_PLAIN = frozenset(" _-/,;:'\"=<>!@#%&~`")


class FactEvidence(Struct, frozen=True, kw_only=True):
    """What is given as evidence: `file_exists` path, `grep_hit` pattern::file, `cmd_exit0` or `test_pass` command."""

    kind: Kind
    value: str


class CheckedEvidence(Struct, frozen=True, kw_only=True):
    """One piece of evidence as it was checked."""

    kind: Kind
    value: str
    holds: bool = False
    certain: bool = True
    why: str = ""
    sha256: str = ""
    commit: str = ""
    line: int | None = None
    line_text: str = ""
    exit_code: int | None = None
    ts: str = ""


class Checker(NamedTuple):
    """Where evidence is looked for, and what may be run for it."""

    root: str
    allowed: ContractEvidence

    def meant(self, one: FactEvidence) -> FactEvidence:
        """Return the evidence with its path relative to the project, as it is kept.

        UsageError when it leads out of it.
        """
        if is_command(one.kind):
            return one
        pattern, named = _grep_parts(one.value) if one.kind == "grep_hit" else ("", one.value)
        named = _relative(self.root, named)
        inside(self.root, named)
        return FactEvidence(kind=one.kind, value=f"{pattern}::{named}" if pattern else named)

    def check_all(self, evidence: list[FactEvidence]) -> list[CheckedEvidence]:
        """Return every piece of evidence, checked now; UsageError for one that cannot be meant."""
        commit, known = self.commit()
        return [self.check(one, commit, known) for one in evidence]

    def check_again(self, evidence: list[FactEvidence], commit: tuple[str, bool]) -> list[CheckedEvidence]:
        """Check evidence that was accepted once; what cannot be checked any more no longer holds."""
        return [self._again(one, *commit) for one in evidence]

    def _again(self, one: FactEvidence, commit: str, known: bool) -> CheckedEvidence:
        try:
            return self.check(one, commit, known)
        except MiError as error:  # commands are no longer allowed, the path leads out of the project by now
            return CheckedEvidence(
                kind=one.kind, value=one.value, certain=False, why=error.code, commit=commit, ts=clock.now()
            )

    def check(self, one: FactEvidence, commit: str, commit_known: bool = True) -> CheckedEvidence:
        """Check one piece of evidence now."""
        if one.kind == "file_exists":
            found = self._file(one.value)
        elif one.kind == "grep_hit":
            found = self._grep(one.value)
        else:
            found = self._command(one.value)
        certain = found.certain and commit_known
        return CheckedEvidence(
            kind=one.kind,
            value=one.value,
            holds=found.holds,
            certain=certain,
            why=found.why if found.certain else found.why or "cut",
            sha256=found.sha256,
            commit=commit,
            line=found.line,
            line_text=found.line_text,
            exit_code=found.exit_code,
            ts=clock.now(),
        )

    def commit(self) -> tuple[str, bool]:
        """Return the commit the work tree stands on, "" outside a repository or before the first.

        Known unless git failed.
        """
        if git.find_toplevel(self.root) is None:
            return "", True
        answer = git.run(self.root, "rev-parse", "--verify", "-q", "HEAD")
        return answer.output.strip(), answer.code in (0, 1)

    def _file(self, value: str) -> "_EvidenceLookup":
        path = inside(self.root, value)
        if not os.path.exists(path):
            return _EvidenceLookup(False, why="missing")
        if not os.path.isfile(path):
            return _EvidenceLookup(True)
        content = _read(path)
        return _EvidenceLookup(True, content.certain, content.why, content.sha256)

    def _grep(self, value: str) -> "_EvidenceLookup":
        pattern, named = _grep_parts(value)
        path = inside(self.root, named)
        if not os.path.isfile(path):
            return _EvidenceLookup(False, why="missing")
        content = _read(path)
        hit = _find(pattern, text.decode(content.data).split("\n"), path)
        if hit.line is None:
            return _EvidenceLookup(False, content.certain, hit.why, content.sha256)
        return _EvidenceLookup(True, content.certain, content.why, content.sha256, hit.line, hit.text)

    def _command(self, value: str) -> "_EvidenceLookup":
        ran: ProgramResult = run_allowed(value, self.root, self.allowed)
        return _EvidenceLookup(ran.exit_code == 0, why=ran.why, exit_code=ran.exit_code)


class _EvidenceLookup(NamedTuple):
    holds: bool
    certain: bool = True
    why: str = ""
    sha256: str = ""
    line: int | None = None
    line_text: str = ""
    exit_code: int | None = None


class _Content(NamedTuple):
    data: bytes
    sha256: str
    certain: bool
    why: str


def _read(path: str) -> _Content:
    """Return a file's beginning and, where it is read whole, its hash."""
    from hashlib import sha256

    try:
        with open(path, "rb") as file:
            data = file.read(_MAX_BYTES + 1)
    except OSError as error:
        return _Content(b"", "", False, error.strerror or str(error))
    if len(data) > _MAX_BYTES:
        return _Content(data[:_MAX_BYTES], "", False, "too-large")
    return _Content(data, sha256(data).hexdigest(), True, "")


def _find(pattern: str, lines: list[str], path: str) -> "_Hit":
    """Return the first line that holds a text, else the first that it hits as an expression.

    As with grep, `add(a, b)` means these signs. Expressions are sought in a process that can be ended.
    """
    for number, line in enumerate(lines, 1):
        if pattern in line:
            return _Hit(number, _shown(line))
    if is_plain(pattern):
        return _Hit()
    from mi.contract.programs import search_expression

    found = search_expression(pattern, path)
    if not found.line:
        return _Hit(why=found.why)
    return _Hit(found.line, _shown(lines[found.line - 1])) if found.line <= len(lines) else _Hit()


def is_plain(pattern: str) -> bool:
    """Return whether a pattern means the same as a text and as an expression."""
    return all(char.isalnum() or char in _PLAIN for char in pattern)


class _Hit(NamedTuple):
    line: int | None = None
    text: str = ""
    why: str = "no-match"


def _shown(line: str) -> str:
    return text.fit_one_line(redact_start(line, _LINE_SHOWN * 4), _LINE_SHOWN)


def _relative(root: str, named: str) -> str:
    """Return a whole path inside the project as one from its root.

    Of a project that moves, only such a path stays true.
    """
    if not os.path.isabs(named) or "\0" in named:
        return named
    folder, name = os.path.split(os.path.normpath(named))
    short = os.path.relpath(os.path.join(os.path.realpath(folder), name), os.path.realpath(root))
    return named if short.split(os.sep, 1)[0] == os.pardir else short


def _grep_parts(value: str) -> tuple[str, str]:
    """Pattern and file; the last `::` splits."""
    pattern, _, named = value.rpartition("::")
    if not pattern or not named:
        raise UsageError("bad-grep-hit", value=value)
    return pattern, named


def parse_evidence(given: "FactEvidence | str", field: str) -> FactEvidence:
    """Evidence as an object, or as `kind::value`."""
    if isinstance(given, FactEvidence):
        return given
    kind, split, value = given.partition("::")
    if not split or kind not in KINDS or not value.strip():
        raise UsageError("bad-evidence", field=field, value=redact_start(given, 80), kinds=", ".join(KINDS))
    return FactEvidence(kind=kind, value=value)


def find_failures(proofs: list[CheckedEvidence]) -> list[CheckedEvidence]:
    """Return those that did not hold."""
    return [one for one in proofs if not one.holds]


def is_command(kind: str) -> bool:
    """Return whether evidence of a kind is got by running something."""
    return kind in ("cmd_exit0", "test_pass")


def inside(root: str, named: str) -> str:
    """Return the real path of a file named relative to the project; UsageError when it leaves the project."""
    if not named.strip() or "\0" in named or os.path.isabs(named) or named.startswith("~"):
        raise UsageError("path-outside", value=named, root=root)
    real_root = os.path.realpath(root)
    path = os.path.realpath(os.path.join(real_root, named))
    if path != real_root and not path.startswith(real_root.rstrip(os.sep) + os.sep):
        raise UsageError("path-outside", value=named, root=root)
    return path
