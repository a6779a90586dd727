"""The script of a replay: batches of steps, each one thing an agent would do."""

from msgspec import Struct

from mi.kernel.errors import BadConfig
from mi.kernel.files import read_bytes
from mi.kernel.jsontext import BadJson, decode
from mi.kernel.messages import NestedText


class ReplayWrite(Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    path: str
    content: str


class ReplayEdit(Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    path: str
    old: str
    new: str


class ReplaySpent(Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    input_tokens: int = 0
    output_tokens: int = 0


class ReplayStep(Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """Exactly one of these."""

    say: str | None = None
    think: str | None = None
    run: str | None = None
    write: ReplayWrite | None = None
    edit: ReplayEdit | None = None
    delete: str | None = None
    fail: str | None = None

    @property
    def given(self) -> int:
        return sum(getattr(self, name) is not None for name in self.__struct_fields__)


class BatchScript(Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    steps: tuple[ReplayStep, ...] = ()
    usage: ReplaySpent = ReplaySpent()


class Script(Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    version: str = "v1"
    batches: tuple[BatchScript, ...]


def read_script(path: str) -> Script:
    """The script in a file, or of a recorded transcript (`.jsonl`); BadConfig names file and place of a mistake."""
    data = read_bytes(path)
    if data is None:
        raise BadConfig("replay-missing", path=path)
    if path.endswith(".jsonl"):
        from mi.agents.adapters.recording import script_of

        return script_of(path)
    try:
        script = decode(data, Script)
    except BadJson as error:
        raise BadConfig("replay-broken", path=path, reason=str(error)) from None
    for number, batch in enumerate(script.batches):
        for place, step in enumerate(batch.steps):
            if step.given != 1:
                at, known = f"batches[{number}].steps[{place}]", ", ".join(ReplayStep.__struct_fields__)
                raise BadConfig("replay-broken", path=path, reason=NestedText("reason.one-of", at=at, known=known))
    return script
