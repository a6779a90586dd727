"""Workflows as texts from outside: read, checked, refused with the field that is wrong."""

import re
from typing import Any

import msgspec

from mi.evidence.records.workflow_ir import Trigger, Workflow, WorkflowStep
from mi.kernel.errors import MiError
from mi.kernel.jsontext import BadJson, decode
from mi.kernel.language import compiled, one_of, patterns
from mi.kernel.messages import NestedText
from mi.kernel.text import has_cjk

_ID = re.compile(r"wf_[A-Za-z0-9][A-Za-z0-9_-]{0,99}")
_STEP_ID = re.compile(r"[A-Za-z0-9][A-Za-z0-9_.-]{0,63}")


class BadWorkflow(MiError):
    """What was given is no workflow; nothing was stored."""


def is_id(text: str) -> bool:
    """Return whether a text can name a workflow, and so a file."""
    return _ID.fullmatch(text) is not None


def parse(data: bytes, where: str) -> dict[str, Any]:
    """Return a JSON object with a workflow in it, checked; its unknown keys are kept."""
    try:
        raw = decode(data, dict[str, Any])
    except BadJson as error:
        raise BadWorkflow("bad-workflow", where=where, reason=str(error)) from None
    convert(raw, where)
    return raw


def convert(raw: dict[str, Any], where: str) -> Workflow:
    """Return the workflow in a JSON object; BadWorkflow names the field that is wrong."""
    try:
        workflow = msgspec.convert(raw, Workflow)
    except msgspec.ValidationError as error:
        raise BadWorkflow("bad-workflow", where=where, reason=str(error)) from None
    check(workflow, where)
    return workflow


def refuse_unknown_keys(raw: dict[str, Any], where: str) -> None:
    """Raise when a text that a person wrote holds a key that says nothing: it is misspelt."""
    parts: list[tuple[str, Any, type[msgspec.Struct]]] = [
        ("", raw, Workflow),
        ("trigger.", raw.get("trigger"), Trigger),
    ]
    parts += [(f"steps[{number}].", step, WorkflowStep) for number, step in enumerate(raw.get("steps", []), 1)]
    for prefix, part, known in parts:
        for key in part or ():
            if key not in known.__struct_fields__:
                reason = f"{prefix}{key} is unknown; there are: {', '.join(known.__struct_fields__)}"
                raise BadWorkflow("bad-workflow", where=where, reason=reason)


def check(workflow: Workflow, where: str) -> None:
    """Raise unless the workflow can be followed."""
    if not is_id(workflow.id):
        raise BadWorkflow("bad-workflow", where=where, reason=NestedText("reason.workflow-id", value=workflow.id))
    if not workflow.name.strip():
        raise BadWorkflow("bad-workflow", where=where, reason=NestedText("reason.empty", field="name"))
    check_steps(workflow.steps, where)
    if workflow.trigger.mode == "task_contains" and not workflow.trigger.pattern.strip():
        raise BadWorkflow("bad-workflow", where=where, reason=NestedText("reason.empty-pattern"))


def check_new(workflow: Workflow, where: str) -> None:
    """Raise unless the workflow can be stored and followed, and holds no secret."""
    check(workflow, where)
    _refuse_secrets(workflow)


def check_steps(steps: list[WorkflowStep], where: str) -> None:
    """Raise unless each step has an id of its own."""
    seen: set[str] = set()
    for number, step in enumerate(steps, 1):
        if not _STEP_ID.fullmatch(step.id):
            reason = NestedText("reason.step-id", number=number, value=step.id)
            raise BadWorkflow("bad-workflow", where=where, reason=reason)
        if step.id in seen:
            raise BadWorkflow("bad-workflow", where=where, reason=NestedText("reason.two-steps", value=step.id))
        seen.add(step.id)


def _refuse_secrets(workflow: Workflow) -> None:
    from mi.knowledge.thoughts.store import refuse_secret

    refuse_secret("name", workflow.name)
    refuse_secret("trigger.pattern", workflow.trigger.pattern)
    refuse_secret("source.reason", workflow.source.reason)
    for step in workflow.steps:
        for name in ("title", "hands_input", "check_input", "notes"):
            refuse_secret(f"steps.{step.id}.{name}", getattr(step, name))


def parse_steps(texts: list[str]) -> list[WorkflowStep]:
    """Return steps as said on a command line: the text alone, or behind `check:` or `gate:`."""
    return [_step(number, text) for number, text in enumerate(texts, 1)]


def _step(number: int, text: str) -> WorkflowStep:
    word, colon, rest = compiled(one_of(*patterns().colons)).sub(":", text, count=1).partition(":")
    kind, said = (word.strip().lower(), rest.strip()) if colon else ("", text.strip())
    title = said.splitlines()[0][:80] if said else ""
    if kind == "check":
        return WorkflowStep(id=f"s{number}", kind="check", title=title, check_input=said)
    if kind == "gate":
        return WorkflowStep(id=f"s{number}", kind="gate", title=title, hands_input=said, policy="ask")
    said = text.strip()
    return WorkflowStep(id=f"s{number}", title=said.splitlines()[0][:80] if said else "", hands_input=said)


def matches(trigger: Trigger, task: str) -> bool:
    """Return whether a task asks for the workflow.

    Its text holds the pattern, in any case, as words or a form of them.
    """
    if trigger.mode != "task_contains" or not trigger.pattern.strip():
        return False
    words = r"\s+".join(re.escape(word) for word in trigger.pattern.split())
    left = r"(?<!\w)" if _is_latin(trigger.pattern.strip()[0]) else ""
    right = r"(?:s|es|d|ed|ing)?(?!\w)" if _is_latin(trigger.pattern.strip()[-1]) else ""
    return re.search(left + words + right, task, re.IGNORECASE) is not None


def _is_latin(char: str) -> bool:
    """Chinese and Japanese have no spaces between words: there a pattern may stand anywhere."""
    return (char.isalnum() or char == "_") and not has_cjk(char)
