"""loop_break: a way out when the same exchange repeats."""

from msgspec import Struct

from mi.evidence.records.mind import LoopBreakOutput
from mi.kernel.messages import text
from mi.kernel.secrets import redact_start
from mi.mind.prompt import Prompt, Section
from mi.mind.sections import case_sections
from mi.mind.views import Case

_INSTRUCTION = """\
MI was about to send the next input, but the exchange repeats itself. Break the loop: rewrite the next
instruction so that it leads elsewhere, or force a minimal check (check_intent: what it must show, or one of the CHECK
COMMANDS as it is); stop only when it is done or cannot go on; ask the person last, and only if WHEN UNSURE says so.
thought_db_context is canonical: where any other text says otherwise, it holds."""


class LoopCase(Struct, frozen=True, kw_only=True):
    """A repetition that was noticed before the next input goes out."""

    case: Case
    pattern: str
    reason: str
    next_input: str


def _sections(given: LoopCase) -> list[Section]:
    loop = [Section("PATTERN", f"{given.pattern}: {given.reason}", 0.2), Section("NEXT INPUT", given.next_input, 1)]
    return [*case_sections(given.case), *loop]


def _rules(given: LoopCase) -> LoopBreakOutput:
    case = given.case
    if case.moved and not case.verified and case.may_ask_for_check and not case.batch.failed_checks:
        return LoopBreakOutput(
            action="run_checks_then_continue", confidence=0.6, check_intent=case.project.check_commands[0]
        )
    if case.person.ask_when_uncertain:
        question = text("ask.loop", case.language, reason=given.reason, said=redact_start(case.batch.last_message, 300))
        return LoopBreakOutput(action="ask_user", confidence=0.5, ask_user_question=question)
    return LoopBreakOutput(action="stop_blocked", confidence=0.5, notes=given.reason)


loop_break = Prompt("loop_break", LoopBreakOutput, _INSTRUCTION, _sections, _rules)
