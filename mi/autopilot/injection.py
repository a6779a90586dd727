"""The light injection: the little that an agent is told about the person before the task."""

from collections.abc import Iterable, Sequence
from typing import Protocol

from mi.kernel.config.types import ExternalActions
from mi.kernel.named_tuple import NamedTuple
from mi.kernel.secrets import redact, redact_end

PURPOSE = "You work for one person; go by what they value. Work freely, in whatever steps you like."
EXTERNAL = (
    "If something is not covered by the values and is external or irreversible (push, publish, deploy, delete, "
    "install, spend), stop and ask."
)
REFACTOR = "A refactoring keeps behaviour as it is unless the task asks for a change of behaviour."
CHANGING = "A refactoring may change behaviour from now on."
_INTENT = {True: "refactor:preserving", False: "refactor:changing"}  # how `heard` names what was said of it
_POLICY = "external:"  # and how it names what was said of network and installing
_LONGEST = 8  # times the limit
_FACTS = "Known here:"
_SAID_LAST = 2000  # characters of the agent's own words
_GONE = "This holds no longer:"
_MORE = "(more values are kept than fit here; ask when unsure)"


class Injected(NamedTuple):
    """The text, the ids of what is in it, and of all that whoever hears it need not be told again."""

    text: str
    claim_ids: list[str]
    heard: list[str] = []


class Told(NamedTuple):
    """Something to tell the agent, with the id of the claim that says it."""

    id: str
    text: str
    is_answer: bool = False  # to a question of an agent, which heard it then


class Telling(Protocol):
    """Whoever knows what an agent is told."""

    def told(self, task: str) -> tuple[list[Told], list[Told], list[Told]]:
        """Values, preferences and facts to tell the agent."""

    def behaviour_preserving(self) -> bool:
        """Return what a refactoring means."""

    def withdrawn(self, claim_ids: Iterable[str]) -> list[Told]:
        """Return those claims that hold no longer."""


def injection_for(
    thoughts: Telling,
    task: str,
    max_chars: int,
    external: ExternalActions = ExternalActions(),  # noqa: B008
) -> Injected:
    """Return the exact text an agent gets before a task."""
    values, preferences, facts = thoughts.told(task)
    keeps = thoughts.behaviour_preserving()
    injected = build(values, preferences, facts, keeps, max_chars, external_rule(external))
    ids = (one.id for one in (*values, *preferences, *facts))
    return injected._replace(heard=[_INTENT[keeps], name_policy(external), *ids])


def name_policy(external: ExternalActions) -> str:
    """Return how `heard` names what the person's configuration says about network and installing."""
    return f"{_POLICY}{external.network_policy}/{external.install_policy}"


def news_for(
    thoughts: Telling,
    task: str,
    heard: Sequence[str],
    max_chars: int,
    external: ExternalActions = ExternalActions(),  # noqa: B008
) -> Injected:
    """Return what is new or holds no longer since a thread was told; no text where nothing is."""
    told = thoughts.told(task)
    gone = thoughts.withdrawn(heard)
    dropped = {one.id for one in gone}
    said_again = {one.text for one in gone} & {one.text for part in told for one in part}
    new = [
        [one for one in part if not one.is_answer and one.id not in heard and one.text not in said_again]
        for part in told
    ]
    titles = ("New since you were told what the person values:", "New, and to be followed, too:", _FACTS)
    parts = [*zip(titles, new, strict=True), (_GONE, [one for one in gone if one.text not in said_again])]
    keeps = thoughts.behaviour_preserving()
    intent = [] if not heard or _INTENT[keeps] in heard else [REFACTOR if keeps else CHANGING]
    policy, before = name_policy(external), [one for one in heard if one.startswith(_POLICY)]
    intent += [f"From now on: {external_rule(external)}"] if before and policy not in before else []
    filled = _fill(parts, max_chars - len(_MORE) - 1 - sum(len(line) + 1 for line in intent))
    lines = [*filled.lines, *([_MORE] if filled.left_out and filled.room >= 0 else []), *intent]
    still = [one for one in heard if one not in dropped and one not in before and one != _INTENT[not keeps]]
    now = [_INTENT[keeps], policy, *(one.id for part in told for one in part)]
    return Injected("\n".join(lines), filled.claim_ids, list(dict.fromkeys([*still, *now])))


def external_rule(external: ExternalActions) -> str:
    """Return the rule for what is external, with what the person's configuration says about network and installing."""
    rule = EXTERNAL.replace(" install,", "") if external.install_policy == "allow" else EXTERNAL
    more = {
        ("network", "ask"): "Ask before anything goes over the network.",
        ("network", "allow"): "The network may be used.",
        ("install", "ask"): "Ask before you install anything.",
        ("install", "allow"): "Installing what the work needs is allowed.",
    }
    said = [more.get(("network", external.network_policy)), more.get(("install", external.install_policy))]
    return " ".join([rule, *filter(None, said)])


def build(
    values: list[Told],
    preferences: list[Told],
    facts: list[Told],
    behaviour_preserving: bool,
    max_chars: int,
    external: str = EXTERNAL,
) -> Injected:
    """Purpose, values, preferences, facts, the rule for what is external, the refactoring intent; never over the limit.

    What does not fit is left out from the end of the list: facts first, values last. Where not even what is always
    said fits, the rule for what is external is the last to go.
    """
    opening, closing, room = _framed(external, behaviour_preserving, max_chars)
    filled = _fill([("Values:", values), ("Also:", preferences), (_FACTS, facts)], room)
    lines = [*opening, *filled.lines, *([_MORE] if filled.left_out and filled.room >= 0 else [])]
    return Injected("\n".join([*lines, *closing]), filled.claim_ids)


class _Filled(NamedTuple):
    """The lines that had room, and whether more than facts was left out."""

    lines: list[str]
    claim_ids: list[str]
    left_out: bool
    room: int


def _fill(parts: Sequence[tuple[str, list[Told]]], room: int) -> _Filled:
    """Return as much of each part as there is room for, under its title."""
    lines: list[str] = []
    ids: list[str] = []
    left_out, longest = False, _LONGEST * max(room, 1)  # what is longer does not fit, however much of it is space
    for title, items in parts:
        for number, item in enumerate(items):
            line = f"- {redact(' '.join(item.text[:longest].split()))}"
            cost = len(line) + 1 + (len(title) + 1 if number == 0 else 0)
            if cost > room:
                left_out = left_out or title != _FACTS
                break
            room -= cost
            lines += [title, line] if number == 0 else [line]
            ids.append(item.id)
    return _Filled(lines, ids, left_out, room)


def _framed(external: str, behaviour_preserving: bool, max_chars: int) -> tuple[list[str], list[str], int]:
    """Return what stands first and last in every injection, as far as it fits, and the room between."""
    said: list[str] = []
    room = max_chars
    for line in (external, PURPOSE, *([REFACTOR] if behaviour_preserving else [])):
        if len(line) + bool(said) > room:
            break
        room -= len(line) + bool(said)
        said.append(line)
    closing = [line for line in said if line != PURPOSE]
    return [line for line in said if line == PURPOSE], closing, room - len(_MORE) - 1


def compose(injection: str, batch_input: str, task: str | None, said: str = "") -> str:
    """Return the whole text of a batch: the injection, what no thread remembers, and what is asked now.

    Without a thread the agent is told the task and the end of what it `said` last: an answer alone would tell nothing.
    """
    parts = [injection] if injection else []
    if task is not None and task != batch_input:
        parts.append(f"The task: {task}")
        parts += [f"You wrote last:\n{redact_end(said, _SAID_LAST)}"] if said else []
    parts.append(batch_input)
    return "\n\n".join(parts)
