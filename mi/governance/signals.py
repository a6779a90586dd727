"""What a message signals: the triggers T1 to T9, the mode to meet it in, the speed it asks for, secrets in it."""

from collections.abc import Callable, Collection, Sequence
from functools import cache

from mi.governance.command_tables import may_deploy
from mi.governance.impact import find_flags, find_impact
from mi.governance.modes import Mode, find_mode, is_obey
from mi.governance.review_gate import BATCH
from mi.governance.speed import choose_speed, describe_action
from mi.governance.words import find_code_spans, is_said, list_items, own_words
from mi.kernel.language import compiled, patterns
from mi.kernel.named_tuple import NamedTuple
from mi.kernel.secrets import Secret, find_secrets

Tokens = Callable[[str], Collection[str]]  # the words of a text, as a search would take them


class TeamDecision(NamedTuple):
    """Something the team decided: a card, a decision of a session log, a principle."""

    id: str
    text: str


class Size(NamedTuple):
    """How large a request is, where the caller knows it."""

    change_units: int | None = None
    files: int | None = None
    lines: int | None = None


UNKNOWN = Size()


class Signals(NamedTuple):
    """What was found in a message."""

    mode: Mode
    triggers: tuple[str, ...]
    speed: tuple[int, ...]
    secrets: tuple[Secret, ...]
    contradicts: tuple[str, ...] = ()  # ids of decisions
    full: bool = False  # the person asks for the whole challenge, however small the risk

    @property
    def urgent(self) -> bool:
        return "T6" in self.triggers

    @property
    def answered_at(self) -> tuple[int, ...]:
        """The speed of the answer: what cannot be undone leaves speed mode."""
        return describe_action(self.speed, "T3" in self.triggers)


def find_signals(
    message: str,
    size: Size = UNKNOWN,
    *,
    urgency: Sequence[str] = (),
    preferred_speed: Sequence[int] = (),
    decisions: Sequence[TeamDecision] = (),
    tokens: Tokens | None = None,
    obeying: bool = False,
) -> Signals:
    """Return everything a message signals. `obeying`: an override given before still holds for it."""
    own, known = own_words(message), patterns()
    secrets = tuple(one for one in find_secrets(message) if one.kind != "public-ip")
    against = find_contradicted(message, decisions, tokens) if tokens else ()
    is_urgent = bool(is_said(own, urgency or known.urgency, known.urgency_stops))
    found = {
        "T1": _units(message, size) > BATCH,
        "T2": bool(against),
        **{name: _triggers(own, name) for name in known.triggers},
        "T6": is_urgent,
        "T7": _belittles(message, own, size),
        "T8": bool(secrets),
    }
    found["T7"] = found["T7"] or (found["T5"] and bool(is_said(own, known.just_change)))  # a schema is never trivial
    found["T9"] = found["T9"] or _deploys(message)
    triggers = tuple(name for name in sorted(found) if found[name])
    obeys = obeying or is_obey(message)
    full = bool(is_said(own, known.full_challenge))
    levels = choose_speed(message, is_urgent, preferred_speed)
    return Signals(find_mode(obeys, full or bool(triggers)), triggers, levels, secrets, against, full)


def _triggers(own: str, name: str) -> bool:
    """Return whether the words of a trigger are said, alone or as a verb with what it is done to."""
    known = patterns()
    if is_said(own, known.triggers[name], known.trigger_stops.get(name, ())):
        return True
    if name == "T5" and compiled(known.chooses).search(own):
        return len(is_said(own, known.technologies)) > 1
    return compiled(known.trigger_orders.get(name, "")).search(own) is not None


def _units(message: str, size: Size) -> int:
    return len(list_items(own_words(message))) if size.change_units is None else size.change_units


def _belittles(message: str, own: str, size: Size) -> bool:
    """Return whether "just change …" is said about something that is more than trivial."""
    if not is_said(own, patterns().just_change):
        return False
    listed = len(list_items(own))
    files = size.files if size.files is not None else size.change_units or listed
    wide = {"public_api", "migration"} & {*find_flags(message)}
    return find_impact(files, size.lines or 0, bool(wide)) != "trivial"


def _deploys(message: str) -> bool:
    """Return whether a command in the message deploys: in code, or a line that is one."""
    if not may_deploy(message):
        return False
    from mi.governance.commands import classify

    lines = [line for line in message.splitlines() if not line.lower().startswith(("deploy", "release"))]
    order = compiled(rf"^\s*(?:{patterns().order_to_run})\s*")
    commands = (order.sub("", code.removeprefix("$ ")) for code in [*find_code_spans(message), *lines])
    return any(act.operation == "deploy" for command in commands for act in classify(command))


def find_contradicted(message: str, decisions: Sequence[TeamDecision], tokens: Tokens) -> tuple[str, ...]:
    """Decisions that the message goes against: about the same thing, one for it and the other against it."""
    read_topic = _read_topics(tokens)
    asked = read_topic(message)
    found, known = [], patterns()
    refuses, named = bool(is_said(message, known.against)), {*is_said(message, known.technologies)}
    for decision in decisions:
        about = read_topic(decision.text)
        shared = asked & about
        alike = len(shared) >= 2 and len(shared) >= len(about) / 4
        forbids = bool(is_said(decision.text, known.against))
        chosen = {*is_said(decision.text, known.technologies)} if named and shared else set[str]()
        alike = alike or bool(chosen & named and (forbids or named - chosen))
        swaps = bool(chosen) and not chosen & named and not forbids and compiled(known.chooses).search(message)
        if swaps or (alike and refuses != forbids):
            found.append(decision.id)
    return tuple(dict.fromkeys(found))


def _read_topics(tokens: Tokens) -> Callable[[str], set[str]]:
    """Return what tells the words that a text is about: without those for and against, of which ASCII has its own."""

    @cache
    def sides(is_ascii: bool) -> set[str]:
        words = (word for word in patterns().against if word.isascii() or not is_ascii)
        return {token for word in words for token in tokens(word)}

    return lambda text: {*tokens(text)} - sides(text.isascii())
