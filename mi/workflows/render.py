"""A workflow for people: Markdown, a Mermaid flowchart, and the lines an agent gets."""

from mi.evidence.records.workflow_ir import Step, Workflow

_SHAPES = {"hands": ("[", "]"), "check": ("([", "])"), "gate": ("{", "}")}


def mermaid(steps: list[Step]) -> str:
    """The steps as a flowchart: work in boxes, checks rounded, gates as diamonds."""
    if not steps:
        return ""
    lines = ["flowchart TD"]
    for number, step in enumerate(steps, 1):
        opening, closing = _SHAPES[step.kind]
        lines.append(f'  s{number}{opening}"{_label(step)}"{closing}')
    lines += [f"  s{number} --> s{number + 1}" for number in range(1, len(steps))]
    return "\n".join(lines)


def drawn(workflow: Workflow) -> str:
    """The flowchart that is stored with the workflow, else one of its steps."""
    return workflow.mermaid.strip() or mermaid(workflow.steps)


def markdown(workflow: Workflow) -> str:
    """The workflow as a page."""
    lines = [f"# {workflow.name}", ""]
    state = "enabled" if workflow.enabled else "disabled"
    lines.append(f"`{workflow.id}`, {state}; {said_trigger(workflow)}.")
    if workflow.source.reason:
        lines += ["", workflow.source.reason]
    lines += ["", "## Steps", "", *step_lines(workflow.steps)]
    if drawing := drawn(workflow):
        lines += ["", "```mermaid", drawing, "```"]
    return "\n".join(lines) + "\n"


def said_trigger(workflow: Workflow) -> str:
    """When it is followed, in words."""
    if workflow.trigger.mode == "task_contains":
        return f'followed when a task says "{workflow.trigger.pattern}"'
    return "followed when it is asked for"


def step_lines(steps: list[Step]) -> list[str]:
    """The steps as a numbered list; a step's further lines stand below its first."""
    lines: list[str] = []
    for number, step in enumerate(steps, 1):
        lead = f"{number}. "
        first, *more = step_text(step).split("\n")
        lines += [lead + first, *((" " * len(lead) + line).rstrip() for line in more)]
    return lines or ["(none yet)"]


def step_text(step: Step) -> str:
    """What kind a step is, its title, what to do; on one line unless it was written on several."""
    does = "\n".join(line.rstrip() for line in step.text.strip().splitlines())
    title, apart = " ".join(step.title.split()), "\n" if "\n" in does else " "
    does = does if apart == "\n" else " ".join(does.split())
    told = title and not does.lower().startswith(title.lower().rstrip("."))
    said = f"{title}:{apart}{does}" if told else does
    notes = f"{apart}({' '.join(step.notes.split())})" if step.notes.strip() else ""
    match step.kind:
        case "check":
            return f"Check: {said}{notes}"
        case "gate":
            return f"{_gate(step)}: {said}{notes}"
    return said + notes


def _gate(step: Step) -> str:
    match step.policy:
        case "ask":
            return f"Gate ({step.risk_category}): stop before this and ask the person"
        case "deny":
            return f"Gate ({step.risk_category}): do not do this unless the person says otherwise"
        case "allow":
            return f"Gate ({step.risk_category}): allowed"
    return f"Gate ({step.risk_category}): only if the person's values allow it"


def _label(step: Step) -> str:
    text = step.title.strip() or step.text.strip() or step.id
    return " ".join(text.split())[:80].replace('"', "'").replace("`", "'")
