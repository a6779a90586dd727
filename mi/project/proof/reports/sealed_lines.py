"""The lines that MI's own reporters write: believed only when they are whole and carry the seal."""

import hashlib
import hmac

import msgspec

from mi.project.proof.reports.junit import NoReport
from mi.project.proof.results import Outcome, ReportProblem


class SealedReport(msgspec.Struct):
    """What one process of a runner wrote."""

    runner: str = ""
    outcomes: dict[str, Outcome] = {}
    exit_code: int | None = None
    problem: ReportProblem | None = None


class _Row(msgspec.Struct):
    id: str = ""
    outcome: Outcome = "failed"
    runner: str = ""
    end: str = ""
    tests: int = -1
    exit: int | None = None
    not_run: int = 0
    failed: int = 0


def read_sealed(data: bytes, key: str) -> SealedReport:
    """Return what a process reported, or raise NoReport where these are no lines of a reporter."""
    decoder = msgspec.json.Decoder(_Row)
    try:
        rows = [decoder.decode(line) for line in data.splitlines() if line.strip()]
    except (msgspec.DecodeError, UnicodeDecodeError) as error:
        raise NoReport(f"no lines of a reporter: {error}") from None
    if not rows or not rows[0].runner:
        raise NoReport("no lines of a reporter")
    found = SealedReport(rows[0].runner)
    found.outcomes = {row.id: row.outcome for row in rows if row.id}
    facts = next((row for row in rows if row.tests >= 0), None)
    if facts is None or not rows[-1].end:
        found.problem = ReportProblem("unfinished", found.runner)
    elif not _is_sealed(data, key, rows[-1].end) or facts.tests != len(found.outcomes):
        found.problem = ReportProblem("changed", found.runner)
    elif facts.not_run and facts.exit == 0:
        found.problem = ReportProblem("not_all_run", found.runner)
    elif facts.failed and "failed" not in found.outcomes.values():
        found.problem = ReportProblem("changed", found.runner)
    found.exit_code = facts.exit if facts else None
    return found


def _is_sealed(data: bytes, key: str, seal: str) -> bool:
    body = data[: data.rstrip(b"\n").rfind(b"\n") + 1]
    return hmac.compare_digest(hashlib.sha256(f"{key}\n".encode() + body).hexdigest(), seal)
