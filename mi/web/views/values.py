"""Values: what MI acts by, as agents are told it, over time, and how far MI's guesses agree; added and changed here."""

import os
from collections.abc import Iterator

from mi.app.autonomy import count_answers
from mi.app.home_context import HomeContext
from mi.app.learning import build_known_person
from mi.app.thoughts import build_thoughts
from mi.app.values import ValuesPlace, open_values
from mi.autopilot.injection import injection_for
from mi.kernel import clock
from mi.kernel.errors import NotFound, UsageError
from mi.kernel.jsonl import measure_size
from mi.kernel.messages import text
from mi.kernel.named_tuple import NamedTuple
from mi.knowledge.thoughts.kinds import RAW, REDIRECTS, VALUES, Scope
from mi.knowledge.thoughts.line_state import milliseconds
from mi.knowledge.thoughts.settings import SETTINGS, SettingValue, effective, set_settings
from mi.knowledge.thoughts.store_state import Filter, Reading, Thought
from mi.learning.autonomy import TopicAgreement, add_up
from mi.learning.mind_calls import Rules
from mi.learning.values import ValuesChange, add_values, compile_text, replace_value, take_back_value
from mi.web.pictures.over_time import (
    AgreementPicture,
    Lifetime,
    LifetimePicture,
    draw_agreement,
    draw_lifetimes,
)
from mi.web.trials import ABOUT, Trial, TrialWish, begin_trial, find_trial, forget_trial
from mi.web.view import PageRequest, PageView, read_number

_MOMENTS = 100  # that the slider goes over: the latest
_ONE_CHANGE_MS = 200
_counted: dict[str, tuple[dict[str, int], list[TopicAgreement]]] = {}  # by the home, with how large its logs were
_MOST_RUNS = 1000  # of a project that are judged again


class ValueRow(NamedTuple):
    """A value that holds, or held then."""

    id: str
    text: str
    scope: str
    ts: str


class ValuesModel(NamedTuple):
    """The values of all projects, or of one with them, now or as they were."""

    rows: list[ValueRow]
    raw: str
    project: str
    projects: dict[str, str]  # names by id
    told_in: str
    injection: str
    settings: dict[str, SettingValue]
    choices: dict[str, list[str]]
    as_of: str
    moments: list[str]
    at: int
    lives: LifetimePicture | None
    topics: list[TopicAgreement]
    agreement: AgreementPicture | None
    autonomy: str
    trial: Trial | None


def _show(request: PageRequest) -> ValuesModel:
    context, project = request.context, request.query.get("project", "")
    names = {one.project_id: os.path.basename(root) for root, one in context.known_projects.roots.items()}
    here = _at_project(request, project) if project else context
    thoughts = build_thoughts(here)
    stores = [thoughts.shared, *([thoughts.own] if project else [])]
    lives = [life for store in stores for life in _list_lives(store.read())]
    moments = _list_moments(lives)[-_MOMENTS:]
    as_of, at = _read_moment(request, moments)
    then = milliseconds(as_of, None) if as_of else None
    raw = stores[-1].active(RAW)
    counts = _count_answers(context)
    return ValuesModel(
        [row for store in stores for row in _list_values(store.read(then))],
        raw[-1].text if raw else "",
        project,
        names,
        names.get(here.project.project_id, ""),
        "" if as_of else _tell(here),
        effective([thoughts.own, thoughts.shared] if project else [thoughts.shared]),
        {name: list(setting.sentences) for name, setting in SETTINGS.items()},
        as_of,
        moments,
        at,
        draw_lifetimes(lives, clock.now(), as_of),
        add_up(counts),
        draw_agreement(counts),
        context.config.runtime.autonomy,
        find_trial(request),
    )


def _list_moments(lives: list[Lifetime]) -> list[str]:
    """Return when something changed; what one command wrote, a moment apart, is one change."""
    found: list[str] = []
    for moment in sorted({moment for life in lives for moment in (life.start, life.end) if moment}):
        if found and (milliseconds(moment, None) or 0) - (milliseconds(found[-1], None) or 0) < _ONE_CHANGE_MS:
            found.pop()
        found.append(moment)
    return found


def _read_moment(request: PageRequest, moments: list[str]) -> tuple[str, int]:
    """Return the time that is looked at, '' for now, and its place on the slider: a date goes before the slider."""
    last, asked = len(moments), request.query.get("at", "")
    said = request.query.get("as_of", "").strip()
    if said:
        if milliseconds(said, None) is None:
            raise UsageError("bad-time", flag="as_of", value=said)
        said = f"{said}T23:59:59Z" if len(said) == len("2026-11-18") else said
        return said, max(sum(moment <= said for moment in moments) - 1, 0)
    if (at := read_number(asked, last)) < last:
        return moments[at], at
    return "", last


def _list_values(reading: Reading) -> list[ValueRow]:
    found = [one for one in reading.find("claim", Filter(tags=(VALUES,))) if one.raw.get("origin") != "hands"]
    return [ValueRow(one.id, str(one.raw.get("text") or ""), one.scope, _find_start(one)) for one in reversed(found)]


def _list_lives(reading: Reading) -> Iterator[Lifetime]:
    for one in reading.find("claim", Filter(None, tags=(VALUES,))):
        if one.raw.get("origin") != "hands":
            text_ = str(one.raw.get("text") or "")
            yield Lifetime(one.id, text_, one.scope, _find_start(one), _find_end(reading, one))


def _find_start(thought: Thought) -> str:
    return str(thought.raw.get("asserted_ts") or "")


def _find_end(reading: Reading, thought: Thought) -> str:
    """Return when a value was taken back or replaced."""
    if thought.status == "retracted":
        return str((reading.retraction(thought) or {}).get("ts") or "")
    edges = reading.edges(thought.id, "out", REDIRECTS) if thought.status == "superseded" else ()
    return max((_find_start(edge) for edge in edges), default="")


def _count_answers(context: HomeContext) -> list[TopicAgreement]:
    """Return what every answered question adds to the agreement; counted anew once a log has grown."""
    logs = (context.home.project(one).evidence for one in context.home.project_ids())
    sizes = {log: measure_size(log) for log in logs}
    known = _counted.get(context.home.root)
    if known is None or known[0] != sizes:
        known = _counted[context.home.root] = sizes, list(count_answers(context, _index_quietly))
    return known[1]


def _tell(context: HomeContext) -> str:
    """Return the exact text that agents get."""
    runtime = context.config.runtime
    person = build_known_person(context)
    return str(injection_for(person, "", runtime.injection.max_chars, runtime.external_actions).text)


def _add(request: PageRequest) -> Iterator[str]:
    place = _open_place(request)
    change = add_values(place.store, request.context.evidence_writer(place.log), request.read("text"))
    yield _report(request, change)


def _change(request: PageRequest) -> Iterator[str]:
    place = _open_place(request)
    writer = request.context.evidence_writer(place.log)
    yield _report(request, replace_value(place.store, writer, request.read("choice"), request.read("text")))


def _try(request: PageRequest) -> Iterator[str]:
    """Begin to judge past runs by changed values; nothing is stored."""
    change, _, claim_id = request.read("choice").partition(":")
    wish = _make_wish(request, change, claim_id)
    begin_trial(request, _list_roots(request), wish)
    yield text("web.trial-began", request.language)


def _make_wish(request: PageRequest, change: str, claim_id: str) -> TrialWish:
    said, scope = request.read("text"), _read_scope(request)
    if change == "add":
        compile_text(said, Rules())  # what cannot be said is refused at once
        return TrialWish("add", said, scope)
    here = _at_project(request, request.query["project"]) if scope == "project" else request.context
    rows = _list_values((build_thoughts(here).own if scope == "project" else build_thoughts(here).shared).read())
    old = next((row for row in rows if row.id == claim_id), None)
    if old is None or change not in ("change", "drop"):
        raise NotFound("unknown-value", ref=claim_id)
    others = [said if row is old else row.text for row in rows if row is not old or change == "change"]
    if change == "drop":
        return TrialWish("drop", old.text, scope, claim_id, "\n".join(others))
    compile_text(said, Rules())
    return TrialWish("change", said, scope, claim_id, "\n".join(others))


def _try_again(request: PageRequest) -> Iterator[str]:
    """Judge once more: by more runs, by the configured Mind, or, after its cost was seen, really ask it."""
    wish, choice, runs = _require_trial(request).wish, request.read("choice"), request.read("runs")
    wish = wish._replace(
        runs=min(read_number(runs) or wish.runs, _MOST_RUNS),
        configured=choice in ("configured", "ask"),
        is_agreed=choice == "ask",
    )
    begin_trial(request, _list_roots(request), wish)
    yield text("web.trial-began", request.language)


def _save_trial(request: PageRequest) -> Iterator[str]:
    """Store what was tried."""
    wish = _require_trial(request).wish
    place = _open_scope(request, wish.scope)
    writer = request.context.evidence_writer(place.log)
    match wish.change:
        case "add":
            change = add_values(place.store, writer, wish.text)
        case "change":
            change = replace_value(place.store, writer, wish.claim_id, wish.text)
        case _:
            change = take_back_value(place.store, writer, wish.claim_id, "")
    forget_trial(request)
    yield _report(request, change)


def _forget_trial(request: PageRequest) -> Iterator[str]:
    _require_trial(request)
    forget_trial(request)
    yield text("web.trial-forgotten", request.language)


def _require_trial(request: PageRequest) -> Trial:
    """Return the trial that the form is about; UsageError where another one took its place."""
    found = find_trial(request)
    if found is None or found.id != request.read("trial"):
        raise UsageError("no-trial")
    return found


def _list_roots(request: PageRequest) -> list[str]:
    """Return the folders of the projects whose runs are judged again: of the one that is looked at, else of all."""
    known, project = request.context.known_projects.roots, request.query.get("project", "")
    return [root for root, one in known.items() if project in ("", one.project_id) and os.path.isdir(root)]


def _report(request: PageRequest, change: ValuesChange) -> str:
    if not change.event_id:
        return text("values.known", request.language)
    counts = {"count": len(change.kept) + len(change.added), "retracted": len(change.gone)}
    return text("values.stored", request.language, **counts, event_id=change.event_id)


def _set(request: PageRequest) -> Iterator[str]:
    wanted = {name: said for name in SETTINGS if (said := request.read(name))}
    for name, said in wanted.items():
        known = SETTINGS[name].sentences
        if said not in known:
            raise UsageError("no-such-choice", name=name, value=repr(said), known=", ".join(known), hint="mi settings")
    place = _open_place(request)
    event = set_settings(place.store, request.context.evidence_writer(place.log), wanted)
    told = " ".join(f"{name}={said}" for name, said in wanted.items())
    yield text("settings.stored", request.language, settings=told, scope=place.store.scope, event_id=event.event_id)


def _open_place(request: PageRequest) -> ValuesPlace:
    """Return where the values of a form are kept: of the project that is looked at, else of all."""
    return _open_scope(request, _read_scope(request))


def _open_scope(request: PageRequest, scope: Scope) -> ValuesPlace:
    here = _at_project(request, request.query.get("project", "")) if scope == "project" else request.context
    return open_values(here, scope)


def _read_scope(request: PageRequest) -> Scope:
    return "project" if request.read("scope") == "project" and request.query.get("project") else "global"


def _at_project(request: PageRequest, project_id: str) -> HomeContext:
    for root, known in request.context.known_projects.roots.items():
        if known.project_id == project_id and os.path.isdir(root):
            return request.context.at(root)
    known_ids = ", ".join(one.project_id for one in request.context.known_projects.roots.values())
    raise UsageError("unknown-project", value=project_id, known=known_ids or "-")


def _index_quietly(done: int, total: int) -> None:
    """Say nothing of how far the index is: the page waits for the answer."""


_ACTS = {
    "add": _add,
    "change": _change,
    "set": _set,
    "try": _try,
    "again": _try_again,
    "save": _save_trial,
    "forget": _forget_trial,
}
VIEW = PageView(_show, f"knowledge {ABOUT}", _ACTS)
