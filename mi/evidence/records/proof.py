"""MI's own runs of a project's checks: whom the person trusts, and what the runs showed."""

from msgspec import Struct

from mi.evidence.records.base import Json, Record, Say


class TrustSet(Record, frozen=True, kw_only=True, tag="trust_set"):
    """The person trusts the commands of a repository, or takes that back."""

    said_by = "person"

    project_root: str = ""
    commands: list[str] = []
    removed: bool = False
    team: bool = False  # it is about the team's files, not about commands

    def headline(self, say: Say = str) -> str:
        return ("- " if self.removed else "+ ") + ", ".join(["team"] if self.team else self.commands)


class ProvedCheck(Struct, frozen=True, kw_only=True):
    """One check at the base and at the end, test by test; of those that pass as before only the number."""

    command: str = ""
    proved: bool | None = None
    source: str = ""
    failed_to_passed: list[str] = []
    passed_still: int = 0
    passed_to_failed: list[str] = []
    vanished: list[str] = []
    new: list[str] = []
    flaky: list[str] = []
    red_before: list[str] = []
    reasons: list[Json] = []


class Proof(Record, frozen=True, kw_only=True, tag="proof"):
    """What MI's own run showed; `proved` is null where none could be had, and `why` says why."""

    shown_in = ("batch", "run")

    proved: bool | None = None
    why: str = ""
    base_tree: str = ""
    final_tree: str = ""
    checks: list[ProvedCheck] = []
    changed_judges: list[str] = []
    notices_tests: list[str] = []  # places of the change that behave differently under test
    dependencies: list[str] = []  # what changed in folders of dependencies
    seconds: float = 0.0

    def headline(self, say: Say = str) -> str:
        said = "proved" if self.proved else "not proved" if self.proved is False else "no proof"
        return f"{say(said)} {self.why}".strip()
