"""The question about a call of a host's agent, in the inbox: it waits there for the person's word."""

from typing import TYPE_CHECKING

from mi.evidence.records.questions import HookCall, Question, QuestionOption
from mi.hooks.answer import REACHES, HookAnswer, Reach
from mi.hooks.event import HookEvent
from mi.hooks.rules_state import AskedCall
from mi.kernel import ids, jsonl
from mi.kernel.messages import choose_language, text
from mi.kernel.secrets import redact
from mi.kernel.text import fit_one_line

if TYPE_CHECKING:
    from mi.app.home_context import HomeContext

_LONGEST = 500
_PATIENCE_S = 20.0  # before a person is told of a question that the host shows to them


def file_question(
    event: HookEvent, context: "HomeContext", answer: HookAnswer, key: str, prompt: str, shown: bool
) -> AskedCall:
    """File the question whether a call may be made, and tell a person who is away.

    `prompt` is what they asked the agent for; `shown`: the host shows them the question, too.
    """
    language = choose_language(context.config.language, prompt)
    operation = ", ".join(one.operation for one in answer.asked)
    target = fit_one_line(redact(_name_target(event, answer)), _LONGEST)
    call = HookCall(host=event.host, session_id=event.session_id, operation=operation, target=target, key=key)
    question = Question(
        id=ids.make_id("qu"),
        text=text("hook.question", language, tool=event.tool_name, target=target, reason=answer.reason),
        blocks=False,
        about="risk",
        project_root=context.project.root,
        task=prompt[:_LONGEST],
        said=fit_one_line(redact(str(event.tool_input.get("description") or "")), _LONGEST),
        options=[QuestionOption(key=one, text=text("hook.option-" + one, language)) for one in list_options(answer)],
        default=text("hook.default", language),
        call=call,
    )
    log = context.open_agent_log()
    size = jsonl.measure_size(log.path)
    filed = log.append(question, sync=True)
    if context.config.notify:
        from mi.app.notify import Notifier

        Notifier(context).tell(filed, _PATIENCE_S if shown else 0.0)
    reaches: list[str] = [*find_reaches(answer)]
    lifted = any(one.lifted for one in answer.asked)
    return AskedCall(
        question_id=question.id, operation=operation, target=target, reaches=reaches, size=size, lifted=lifted
    )


def list_options(answer: HookAnswer) -> list[str]:
    """Return what the person can say: how far a yes may reach by all that is asked, and no."""
    return [*find_reaches(answer), "no"]


def find_reaches(answer: HookAnswer) -> list[Reach]:
    """Return how far a yes may reach."""
    return [reach for reach in REACHES if all(reach in one.reaches for one in answer.asked)]


def name_waiting(context: "HomeContext", question_id: str, answer: HookAnswer, language: str) -> str:
    """Return where the question waits and how it is answered."""
    from mi.evidence.inbox_numbers import number_one

    number = number_one(context.home, question_id, context.notices)
    return text("hook.nobody-to-ask", language, number=number, id=question_id, options="|".join(list_options(answer)))


def _name_target(event: HookEvent, answer: HookAnswer) -> str:
    """Return what the call is about: the command or the file."""
    known = ("command", "cmd", "file_path", "notebook_path", "path", "url")
    found = next((event.tool_input[name] for name in known if event.tool_input.get(name)), "")
    return str(found) or ", ".join(one.target for one in answer.asked)
