"""What was sent to the agent and what was seen of its work."""

from msgspec import Struct, field

from mi.evidence.records.base import Record, Say


class HandsInput(Record, frozen=True, kw_only=True, tag="hands_input"):
    """The exact text sent for a batch, written before the agent starts."""

    shown_in = ("batch", "segment")
    is_landmark = True

    transcript_path: str = ""
    input: str = ""
    light_injection: str = ""
    prompt_sha256: str = ""
    heard: list[str] = []  # claims that the agent's thread need not be told again
    words: list[str] = []  # what the person said to the run, that it carries

    def headline(self, say: Say = str) -> str:
        return self.input


class HandsResumeFailed(Record, frozen=True, kw_only=True, tag="hands_resume_failed"):
    said_by = "agent"

    provider: str = ""
    error: str = ""

    def headline(self, say: Say = str) -> str:
        return f"{self.provider} {self.error}".strip()


class HandsRetry(Record, frozen=True, kw_only=True, tag="hands_retry"):
    """The vendor or the network failed; after a wait the agent is started again in the same thread."""

    said_by = "agent"
    shown_in = ("run", "batch")

    provider: str = ""
    error: str = ""
    attempt: int = 0
    attempts: int = 0
    wait_s: float = 0.0

    def headline(self, say: Say = str) -> str:
        return f"{self.attempt}/{self.attempts} · {self.wait_s:g} s · {self.error}"


class HandsLeftovers(Record, frozen=True, kw_only=True, tag="hands_leftovers"):
    """Processes that the agent left running when its batch ended, and whether MI ended them."""

    shown_in = ("run", "batch")

    provider: str = ""
    processes: list[str] = []
    ended: bool = False

    def headline(self, say: Say = str) -> str:
        return " · ".join([say("ended" if self.ended else "running"), *self.processes])


class Action(Struct, frozen=True, kw_only=True):
    kind: str = "other"
    detail: str = ""


class TranscriptObservation(Struct, frozen=True, kw_only=True):
    event_type_counts: dict[str, int] = {}
    item_type_counts: dict[str, int] = {}
    file_paths: list[str] = []
    non_command_actions: list[str] = []
    errors: list[str] = []


class RepoObservation(Struct, frozen=True, kw_only=True):
    project_root: str = ""
    stack_hints: list[str] = []
    has_tests: bool = False
    test_hints: list[str] = []
    git_is_repo: bool = False
    git_root: str = ""
    git_head: str = ""
    git_status_porcelain: str = ""
    git_diff_stat: str = ""
    git_diff_cached_stat: str = ""
    change_units: list[str] = []  # files that the run changed, from the difference of two trees


class Evidence(Record, frozen=True, kw_only=True, tag="evidence"):
    """What one batch showed."""

    said_by = "agent"
    shown_in = ("batch", "segment", "recent")

    hands_transcript_ref: str = ""
    mind_transcript_ref: str = ""
    mi_input: str = ""
    transcript_observation: TranscriptObservation = field(default_factory=TranscriptObservation)
    repo_observation: RepoObservation = field(default_factory=RepoObservation)
    facts: list[str] = []
    actions: list[Action] = []
    results: list[str] = []
    unknowns: list[str] = []
    risk_signals: list[str] = []

    def headline(self, say: Say = str) -> str:
        return " · ".join([*self.results, *self.facts, *self.risk_signals])
