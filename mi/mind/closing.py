"""When a run may be called done: rows that must all hold, and what is said where one does not."""

from collections.abc import Callable, Sequence
from functools import partial

from msgspec.structs import replace

from mi.kernel.language import compiled, patterns
from mi.kernel.messages import text
from mi.kernel.named_tuple import NamedTuple
from mi.kernel.shell.exits import describe_exit
from mi.kernel.shell.spoken import unwrap_shell
from mi.mind.views import Case, JudgedPart, PartView, is_command


class MayClose(NamedTuple):
    """The run may end as done."""

    reason: str
    cited_id: str = ""  # of what the person agreed to, where that is what it rests on


class AskAgent(NamedTuple):
    """Rows do not hold: the agent gets a chance to mend them, all in one message."""

    request: str
    rows: dict[str, int] = {}  # that it is told of, and how much is open in each


class AskPerson(NamedTuple):
    """A row does not hold, and only the person can say what follows."""

    question: str
    about: str = "agent"


class CannotClose(NamedTuple):
    """Rows do not hold, and asking again would bring nothing: blocked."""

    reason: str
    rows: list[str] = []


ClosingVerdict = MayClose | AskAgent | AskPerson | CannotClose


class ClosingRow(NamedTuple):
    """One condition of `done`."""

    name: str
    holds: Callable[[Case], bool]
    request: Callable[[Case], str]  # what the agent is told; '' when it can do nothing about it
    reason: Callable[[Case], str]  # what the person reads when that did not help
    count: Callable[[Case], int] = lambda case: 1  # how much is open: less than before is worth another chance


def judge_closing(case: Case, parts: Sequence[JudgedPart] = ()) -> ClosingVerdict:
    """Return whether a decision "done" stands, by what was seen and not by what was said.

    `parts` is how a Mind judged the parts of the task. What MI's own run will show is not waited for where the agent
    had its chance.
    """
    case = _with_judged_parts(case, parts)
    failing = find_open_rows(case)
    if case.will_prove and case.proof is None:
        failing = [row for row in failing if row is not VERIFIED or _may_ask(row, case)]
    if not failing:
        return _find_ground(case)
    if not case.ran:
        return CannotClose(RAN.reason(case), [RAN.name])
    told = request_rows(case, failing)
    if told is not None:
        return told
    question = _question(case, failing)
    if question is not None:
        return question
    return CannotClose("; ".join(row.reason(case) for row in failing), [row.name for row in failing])


def _with_judged_parts(case: Case, parts: Sequence[JudgedPart]) -> Case:
    """Return the case with the parts that a Mind calls open, or done without evidence for it."""
    judged = [
        PartView(text=part.text, state="open", missing=[text("part.not-shown", wish=part.text)])
        for part in parts
        if part.state == "open" or (part.state == "done" and not part.cited_ids)
    ]
    if not judged:
        return case
    return replace(case, batch=replace(case.batch, parts=[*case.batch.parts, *judged]))


def find_open_rows(case: Case) -> list[ClosingRow]:
    """Return the rows that do not hold, in the order in which they are told."""
    return [row for row in ROWS if not row.holds(case)]


def request_rows(case: Case, failing: list[ClosingRow]) -> AskAgent | None:
    """Return what the agent is told about rows that do not hold; None when each has had its chance."""
    told = {row.name: row.request(case) for row in failing if _may_ask(row, case)}
    if not told:
        return None
    counts = {row.name: row.count(case) for row in failing if row.name in told}
    return AskAgent("\n".join(dict.fromkeys(told.values())), counts)


def ask_for_check(*commands: str) -> str:
    """Return the request to run commands as they are; what stands after one in a pipe would hide how it ended."""
    named = " and ".join(f"`{command}`" for command in commands)
    each = "as it is" if len(commands) == 1 else "each as it is"
    return (
        f"Run {named} now, {each} and with nothing after it, and tell me how it ended. "
        "Change nothing in the tests to make it pass."
    )


def ask_to_show(intent: str, commands: Sequence[str]) -> str:
    """Return the request to check something: by the command it names, else in words, which nobody can run."""
    if intent in commands or is_command(intent):
        return ask_for_check(intent)
    by = f" by running {' or '.join(f'`{command}`' for command in commands[:2])}" if commands else ""
    return f"Check this now{by}, and tell me how it ended: {intent}. Change nothing in the tests to make it pass."


def _may_ask(row: ClosingRow, case: Case) -> bool:
    """Return whether the agent can do something about a row, and was not told of it or has mended some of it since."""
    if row is VERIFIED and not case.batch.failed_checks:
        return not case.checks_requested and bool(row.request(case))
    before, now = case.told.get(row.name), row.count(case)
    uncounted = row is VERIFIED and now == 0  # a change is taken for progress where no runner counts what is red
    has_chance = before is None or now < before or (uncounted and case.batch.changed_now)
    return has_chance and bool(row.request(case))


def _question(case: Case, failing: list[ClosingRow]) -> AskPerson | None:
    if PROVED in failing and case.proof and case.proof.question:
        return AskPerson(case.proof.question, "judges")
    needs = [said for said in case.left_open if compiled(patterns().needs_person).search(said)]
    return AskPerson(needs[0]) if needs and CLAIMED in failing else None


def _find_ground(case: Case) -> MayClose:
    """Return what a run that may close rests on: the strongest ground that is there."""
    say, strategy = partial(text, language=case.language), case.project.testless_strategy
    if case.nothing_was_due:
        return MayClose(say("end.nothing-due"))
    if case.verified:
        return MayClose(say("end.verified"))
    if case.removed_as_asked:
        return MayClose(say("end.removed"))
    if case.only_asks:
        return MayClose(say("end.answered"))
    if case.nothing_to_run:
        return MayClose(say("end.nothing-to-run"))
    if strategy is not None:
        return MayClose(say("end.by-strategy", id=strategy.id), strategy.id)
    return MayClose(say("end.to-be-proved"))


# What each row wants to see, and what is said where it does not.


def _is_claimed(case: Case) -> bool:
    return bool(case.batch.last_message.strip()) and not case.left_open


def _is_moved(case: Case) -> bool:
    accepted = case.moved and case.judges_accepted
    if case.changed_unasked:
        return False
    return case.only_asks or case.carries_task or case.removed_as_asked or case.nothing_was_due or accepted


def _is_shown(case: Case) -> bool:
    if case.proof is not None and case.proof.proved is not None:
        return case.verified
    seen = case.verified or case.removed_as_asked or case.shown_as_agreed or case.nothing_to_run
    return case.only_asks or (seen and not case.batch.failed_checks)


def _is_proved(case: Case) -> bool:
    return case.proof is None or case.proof.proved is not False or case.proof.accepted


def _ask_to_go_on(case: Case) -> str:
    if not case.batch.last_message.strip():
        return f"You ended without a word. Say what you did, and go on with the task: {case.batch.task}"
    left = "; ".join(f"“{said}”" for said in case.left_open[:4])
    return f"You left this open: {left}. Go on until nothing is left, or say plainly what stands in the way."


def _ask_to_move(case: Case) -> str:
    if case.changed_unasked:
        names = ", ".join(case.changed_unasked[:5])
        return f"Nothing was to be changed. Put {names} back as it was, and give the answer: {case.batch.task}"
    if case.moved:
        names = ", ".join(case.batch.changed_files[:5])
        return f"Only {names} changed; that cannot be the whole task. The task is still: {case.batch.task}"
    return f"Nothing in the work tree has changed. The task is still: {case.batch.task}"


def _ask_for_parts(case: Case) -> str:
    missing = "; ".join(said for part in case.open_parts for said in part.missing)
    return f"The task is not whole yet: {missing}. The task is still: {case.batch.task}"


def ask_to_put_back(case: Case) -> str:
    """Return the request to put the judges of the work back as they were."""
    commands = case.project.check_commands
    run = f", and run `{commands[0]}`" if commands else ""
    ways = "; ".join(case.batch.changed_judges)
    return (
        "Put back what you changed in the tests, their data or what runs them, and take out what looks whether it is "
        f"tested ({ways}): the task does not ask for it. Make the code right, so that it passes them as they were{run}."
    )


def _ask_to_check(case: Case) -> str:
    if case.batch.failed_checks:
        return _about_failure(case)
    commands = case.batch.uncovered or case.project.check_commands[:1]
    return ask_for_check(*commands) if commands and case.batch.shows_commands else ""


def _about_failure(case: Case) -> str:
    failed = case.batch.failed_checks[-1]
    return (
        f"`{failed.command}` ended with exit code {failed.exit_code}. Find the cause, fix it in the code, "
        f"not in the tests, and run it again. The task is still: {case.batch.task}"
    )


def _explain_unended(case: Case) -> str:
    return text("end.unended", case.language, errors="; ".join(case.batch.errors[-2:]) or "no terminal event")


def _explain_judges(case: Case) -> str:
    return text("end.judges", case.language, ways="; ".join(case.batch.changed_judges[:3]))


def _explain_unclaimed(case: Case) -> str:
    return text("end.left-open", case.language, said="; ".join(case.left_open[:2]) or "…")


def _explain_unmoved(case: Case) -> str:
    if case.changed_unasked:
        return text("end.changed-unasked", case.language, files=", ".join(case.changed_unasked[:3]))
    if case.moved:
        return text("end.only-beside", case.language, files=", ".join(case.batch.changed_files[:3]))
    return text("end.only-claimed", case.language)


def _explain_parts(case: Case) -> str:
    missing = "; ".join(said for part in case.open_parts for said in part.missing)
    return text("end.parts", case.language, missing=missing)


def _explain_unverified(case: Case) -> str:
    """Return what was seen instead of a check that passed: the last one, how it ended, and its last lines."""
    if not case.batch.shows_commands:
        return text("end.cannot-verify", case.language)
    last = next((seen for seen in reversed(case.batch.commands) if not seen.refused), None)
    if last is None:
        return text("end.unverified", case.language)
    code = describe_exit(last.exit_code, case.language)
    return text("end.unverified-last", case.language, command=unwrap_shell(last.command), code=code)


def _explain_unproved(case: Case) -> str:
    return text("end.unproved", case.language, why=case.proof.why if case.proof else "")


def _count_red(case: Case) -> int:
    """Return how many tests the failed checks name as red; 0 where none says it."""
    return sum(seen.red for seen in case.batch.failed_checks)


RAN = ClosingRow("ran", lambda case: case.ran, lambda case: "", _explain_unended)
CLAIMED = ClosingRow("claimed", _is_claimed, _ask_to_go_on, _explain_unclaimed, lambda case: len(case.left_open))
MOVED = ClosingRow("moved", _is_moved, _ask_to_move, _explain_unmoved)
PARTS = ClosingRow(
    "parts", lambda case: not case.open_parts, _ask_for_parts, _explain_parts, lambda case: len(case.open_parts)
)
UNBENT = ClosingRow(
    "unbent", lambda case: case.unbent, ask_to_put_back, _explain_judges, lambda case: len(case.batch.changed_judges)
)
VERIFIED = ClosingRow("verified", _is_shown, _ask_to_check, _explain_unverified, _count_red)
PROVED = ClosingRow(
    "proved",
    _is_proved,
    lambda case: case.proof.for_agent if case.proof else "",
    _explain_unproved,
    lambda case: case.proof.open_count if case.proof else 0,
)
ROWS = (RAN, CLAIMED, MOVED, PARTS, UNBENT, VERIFIED, PROVED)  # in the order in which they are told
