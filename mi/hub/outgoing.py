"""What may leave a home: what the person said for the team, and what takes such words back; free of secrets."""

import hashlib
import os
from collections.abc import Callable, Iterator
from functools import partial
from typing import Any, Literal

from mi.kernel import jsonl
from mi.kernel.home import Home, ThoughtFiles
from mi.kernel.jsontext import BadJson, decode_stored, encode
from mi.kernel.named_tuple import NamedTuple
from mi.kernel.notices import Notices
from mi.kernel.secrets import find_hints, find_secrets, redact
from mi.kernel.state import read_state
from mi.knowledge.thoughts.kinds import REDIRECTS, TEAM
from mi.knowledge.thoughts.settings import TAG as SETTING
from mi.knowledge.thoughts.store import ThoughtStore
from mi.project.overlay import Overlay

_LONGEST = 1 << 20  # bytes of a record that a hub takes
RecordReach = Literal["mine", "team", "run"]
_WRITTEN = ("title", "text", "notes", "rationale")  # fields of thoughts that hold words; the others are ours
_OURS = {
    *(
        *_WRITTEN,
        "tags",
        "kind",
        "version",
        "source_refs",
        "origin",
        "visibility",
        "scope",
        "project_id",
        "asserted_ts",
    ),
    *("ts", "valid_from", "valid_to", "status", "confidence", "claim_id", "claim_type", "node_id", "node_type"),
    *("edge_id", "edge_type", "from_id", "to_id"),
}
MINE = "#mine"  # ends the name of a log at the hub that holds all of a file for its member alone
RUN_KINDS = ("run_start", "run_end", "question", "tree_work")  # what of a shared run leaves
_RUN_SIGNS = tuple(f'"{kind}"'.encode() for kind in RUN_KINDS)
_SIGNS = (TEAM.encode(), b"_retract", b'"edge"')  # what a line must hold to be looked at


class Outgoing(NamedTuple):
    """A record as it leaves."""

    reach: RecordReach
    kind: str
    run: str
    written: str
    body: str
    hidden: bool = False  # whether a secret was taken out of it

    @property
    def digest(self) -> str:
        return hashlib.sha256(self.body.encode()).hexdigest()[:32]


class ChosenLine(NamedTuple):
    """A line of a log that may leave, once it was looked at for secrets."""

    reach: RecordReach
    raw: dict[str, Any]
    line: bytes = b""  # as it is stored; empty for what is said anew

    @property
    def texts(self) -> str:
        """What is looked at for secrets: what somebody wrote; all of it where there is more than thoughts have."""
        if self.raw.keys() <= _OURS:
            said = [self.raw.get(name) for name in _WRITTEN]
            return "\n".join(
                [one for one in said if isinstance(one, str) and one] + [*map(str, self.raw.get("tags") or ())]
            )
        return encode(self.raw).decode()


Choose = Callable[[bytes], ChosenLine | None]  # BadJson for a line that is none


class HomeLog(NamedTuple):
    """A log of the home that is looked through for what may leave."""

    path: str  # below the home, which is its name at the hub
    place: str
    project: str  # "" where other homes cannot know the project
    choose: Choose


def list_logs(home: Home, notices: Notices, runs_since: str = "", devices: bool = False) -> Iterator[HomeLog]:
    """Yield the logs that may hold something for others; those of runs where they are shared since a moment.

    With `devices` each log of thoughts once more, as a whole, for the person's other homes.
    """
    yield from _list_store(home, ThoughtStore(home.thoughts, "global", "", notices), "", devices)
    for project_id in home.project_ids():
        place = home.project(project_id)
        project = find_shared_project(home, project_id, notices)
        store = ThoughtStore(place.thoughts, "project", project_id, notices)
        yield from _list_store(home, store, project, devices and bool(project))
        if runs_since and os.path.exists(place.evidence):
            yield HomeLog(home.relative(place.evidence), place.evidence, project, partial(_choose_run, runs_since))


def find_shared_project(home: Home, project_id: str, notices: Notices) -> str:
    """Return the id of a project that is the same in other homes; "" of one that is a folder of this machine."""
    key = read_state(home.project(project_id).overlay, Overlay, notices).identity_key
    return project_id if key.startswith("git:") else ""


def _list_store(home: Home, store: ThoughtStore, project: str, devices: bool) -> Iterator[HomeLog]:
    files: ThoughtFiles = store.files
    choices = _ThoughtChoices(store)
    for path in (files.claims, files.nodes, files.edges):
        if os.path.exists(path):
            yield HomeLog(home.relative(path), path, project, choices.choose)
            if devices:
                yield HomeLog(home.relative(path) + MINE, path, project, _choose_own)


class _ThoughtChoices:
    """Which lines of a thought store are for the team."""

    def __init__(self, store: ThoughtStore) -> None:
        self._store = store

    def choose(self, line: bytes) -> ChosenLine | None:
        if not any(sign in line for sign in _SIGNS):
            return None
        raw = decode_stored(line, dict[str, Any])
        kind = str(raw.get("kind") or "")
        if raw.get("device"):  # the device that said it shares it
            return None
        if kind in ("claim", "node"):
            is_shared = is_for_team(raw)
        elif kind in ("claim_retract", "node_retract"):
            is_shared = self._is_shared(raw.get(kind.replace("_retract", "_id")))
        else:
            return self._choose_edge(raw, line) if kind in ("edge", "edge_retract") else None
        return ChosenLine("team", raw, line) if is_shared else None

    def _choose_edge(self, raw: dict[str, Any], line: bytes) -> ChosenLine | None:
        """Return an edge between words for the team; where a private one takes a shared one's place, only that."""
        edge = self._find(raw.get("edge_id")) if raw["kind"] == "edge_retract" else raw
        if edge is None or not self._is_shared(edge.get("from_id")):
            return None
        if self._is_shared(edge.get("to_id")):
            return ChosenLine("team", raw, line)
        if raw["kind"] == "edge" and raw.get("edge_type") in REDIRECTS:
            return ChosenLine("team", _take_back(str(raw["from_id"]), str(raw.get("asserted_ts") or "")))
        return None

    def _is_shared(self, thought_id: object) -> bool:
        return is_for_team(self._find(thought_id) or {})

    def _find(self, thought_id: object) -> dict[str, Any] | None:
        found = self._store.read(save=False).get(str(thought_id)) if thought_id else None
        return found.raw if found is not None else None


def _choose_own(line: bytes) -> ChosenLine | None:
    """Return what the person's other homes are told: all but what came from there, and the defaults of a new home."""
    raw = decode_stored(line, dict[str, Any])
    is_default = raw.get("origin") != "user" and any(str(tag).startswith(SETTING) for tag in raw.get("tags") or ())
    return None if raw.get("device") or is_default else ChosenLine("mine", raw, line)


def _choose_run(since: str, line: bytes) -> ChosenLine | None:
    """Return what tells how a run stands; what its agent and its judge said, and where it works, stays here."""
    if not any(sign in line for sign in _RUN_SIGNS):
        return None
    raw = decode_stored(line, dict[str, Any])
    is_shared = raw.get("kind") in RUN_KINDS and str(raw.get("run_id") or "").startswith("run_")
    if not is_shared or str(raw.get("ts") or "") < since:
        return None
    places = {name: os.path.basename(str(raw[name])) for name in ("project_root", "main_root") if raw.get(name)}
    return ChosenLine("run", raw | places)


def is_for_team(raw: dict[str, Any]) -> bool:
    """Return whether a person said something for the team; an agent's word never leaves by itself."""
    return raw.get("origin") == "user" and TEAM in (raw.get("tags") or ())


def _take_back(thought_id: str, moment: str) -> dict[str, Any]:
    name = "node" if thought_id.startswith("nd_") else "claim"
    return {"kind": f"{name}_retract", "version": "v1", f"{name}_id": thought_id, "ts": moment, "origin": "user"}


def make_outgoing(chosen: list[ChosenLine]) -> list[Outgoing]:
    """Return lines as they leave, without the secrets that somebody else's writer may have left in them."""
    texts = [one.texts for one in chosen]
    hints = find_hints(texts)
    return [_finish(one, bool(find_secrets(text, hints))) for one, text in zip(chosen, texts, strict=True)]


def _finish(one: ChosenLine, hides: bool) -> Outgoing:
    raw = one.raw
    written = str(raw.get("asserted_ts") or raw.get("ts") or "")
    body = redact(encode(raw).decode()) if hides else _read_text(one)
    return Outgoing(one.reach, str(raw.get("kind") or ""), str(raw.get("run_id") or ""), written, body, hides)


def _read_text(one: ChosenLine) -> str:
    try:
        return one.line.decode() if one.line.startswith(b"{") else encode(one.raw).decode()
    except UnicodeDecodeError:
        return encode(one.raw).decode()


def read_outgoing(log: HomeLog, since: int) -> Iterator[tuple[jsonl.Line, ChosenLine | BadJson | None]]:
    """Yield the whole lines of a log after a byte, each with what of it may leave, or why that cannot be told."""
    for line in jsonl.read_forward(log.place, since, _LONGEST):
        if not line.complete:
            return
        yield line, _choose(log, line)


def _choose(log: HomeLog, line: jsonl.Line) -> ChosenLine | BadJson | None:
    if line.cut:
        whole = jsonl.read_line(log.place, line.offset) or b""
        return BadJson(f"longer than {_LONGEST} bytes") if TEAM.encode() in whole else None
    try:
        return log.choose(line.data)
    except BadJson as error:
        return error
