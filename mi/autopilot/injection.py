"""The light injection: the little that an agent is told about the person before the task."""

from typing import NamedTuple

from mi.kernel.secrets import redact

PURPOSE = "You work for one person; go by what they value. Work freely, in whatever steps you like."
EXTERNAL = (
    "If something is not covered by the values and is external or irreversible (push, publish, deploy, delete, "
    "install, spend), stop and ask."
)
REFACTOR = "A refactoring keeps behaviour as it is unless the task asks for a change of behaviour."
_MORE = "(more values are kept than fit here; ask when unsure)"


class Injected(NamedTuple):
    """The text and the ids of what is in it."""

    text: str
    claim_ids: list[str]


class Told(NamedTuple):
    """Something to tell the agent, with the id of the claim that says it."""

    id: str
    text: str


def build(
    values: list[Told], preferences: list[Told], facts: list[Told], behaviour_preserving: bool, max_chars: int
) -> Injected:
    """Purpose, values, preferences, facts, the rule for what is external, the refactoring intent; never over the limit.

    What does not fit is left out from the end of the list: facts first, values last.
    """
    closing = [EXTERNAL, REFACTOR] if behaviour_preserving else [EXTERNAL]
    room = max_chars - len(PURPOSE) - sum(len(line) + 1 for line in closing) - len(_MORE) - 2
    lines, ids, left_out = [PURPOSE], [], False
    for title, items in (("Values:", values), ("Also:", preferences), ("Known here:", facts)):
        for number, item in enumerate(items):
            line = f"- {redact(' '.join(item.text.split()))}"
            cost = len(line) + 1 + (len(title) + 1 if number == 0 else 0)
            if cost > room:
                left_out = True
                break
            room -= cost
            lines += [title, line] if number == 0 else [line]
            ids.append(item.id)
    lines += [_MORE] if left_out else []
    return Injected("\n".join([*lines, *closing]), ids)


def compose(injection: str, batch_input: str, task: str | None) -> str:
    """The whole text of a batch: the injection, the task where no thread remembers it, and what is asked now."""
    parts = [injection] if injection else []
    if task is not None and task != batch_input:
        parts.append(f"The task: {task}")
    parts.append(batch_input)
    return "\n\n".join(parts)
