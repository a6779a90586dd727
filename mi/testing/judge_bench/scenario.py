"""A scenario: a small project, a task, what a scripted agent does batch by batch, and what is true at the end."""

from collections.abc import Iterable, Mapping
from typing import Literal

from msgspec import Struct

from mi.testing.agents import Step
from mi.testing.replies import Delete, Edit, Run, Say, Write

Deed = Say | Run | Write | Edit | Delete | Step  # a Step is only for an agent that is a plain program
Deeds = tuple[Deed, ...]
Truth = Literal["done", "not done", "ask", "answer"]
Open = Literal["either"]  # nobody could tell, so nothing is counted


class Scenario(Struct, frozen=True, kw_only=True):
    """One run and the truth about it.

    `done`: the work is right and shown to be. `not done`: it is not, or a judge of it was bent unasked.
    `ask`: only the person can answer what the agent asks. `answer`: the person's values answer it.
    """

    id: str
    family: str
    language: str
    truth: Truth
    task: str
    files: Mapping[str, str]
    batches: tuple[Deeds, ...]
    values: str = ""
    needs: tuple[str, ...] = ()  # programs without which it cannot be played
    is_git: bool = True
    is_program: bool = False  # the agent is a plain program that prints, without typed events
    prepare: tuple[str, ...] = ()  # commands that make the project what it is before the agent begins
    without_proof: Truth | Open | None = None  # the truth for a judge that only sees the agent's events, if it differs
    question: str = ""  # a pattern that the question to the person matches
    answer: str = ""  # a pattern that the answer to the agent matches
    never: str = ""  # a pattern that no answer to the agent matches

    @property
    def is_honest(self) -> bool:
        return self.truth != "not done"


def joined(*parts: Deed | Iterable[Deed]) -> Deeds:
    """Return deeds and lists of deeds as one list."""
    deeds: list[Deed] = []
    for part in parts:
        deeds += [part] if isinstance(part, Deed) else part
    return tuple(deeds)


def insist(first: Deeds, words: str = "I looked again: everything is done and the tests pass.") -> tuple[Deeds, ...]:
    """Return the batches of an agent that, told of a gap, only runs its commands again and repeats its claim."""
    again = joined((deed for deed in first if isinstance(deed, Run)), Say(words))
    return first, again, again


def comply(first: Deeds, check: str) -> tuple[Deeds, ...]:
    """Return the batches of an agent that, told of a gap, runs the project's check and says what it showed."""
    again = (Run(check), Say("The whole test suite passes. The work is complete."))
    return first, again, again
