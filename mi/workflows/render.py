"""A workflow for people: Markdown, a Mermaid flowchart, and the lines an agent gets."""

from mi.evidence.records.workflow_ir import Workflow, WorkflowStep
from mi.kernel.messages import text

_SHAPES = {"hands": ("[", "]"), "check": ("([", "])"), "gate": ("{", "}")}


def draw_mermaid(steps: list[WorkflowStep]) -> str:
    """Return the steps as a flowchart: work in boxes, checks rounded, gates as diamonds."""
    if not steps:
        return ""
    lines = ["flowchart TD"]
    for number, step in enumerate(steps, 1):
        opening, closing = _SHAPES[step.kind]
        lines.append(f'  s{number}{opening}"{_label(step)}"{closing}')
    lines += [f"  s{number} --> s{number + 1}" for number in range(1, len(steps))]
    return "\n".join(lines)


def draw(workflow: Workflow) -> str:
    """Return the flowchart that is stored with the workflow, else one of its steps."""
    return workflow.mermaid.strip() or draw_mermaid(workflow.steps)


def render_markdown(workflow: Workflow, language: str = "en") -> str:
    """Return the workflow as a page."""
    lines = [f"# {workflow.name}", ""]
    state = text("workflow.on" if workflow.enabled else "workflow.off", language)
    lines.append(f"`{workflow.id}`, {state}; {describe_trigger(workflow, language)}.")
    if workflow.source.reason:
        lines += ["", workflow.source.reason]
    lines += ["", f"## {text('workflow.steps', language)}", "", *step_lines(workflow.steps, language)]
    if drawing := draw(workflow):
        lines += ["", "```mermaid", drawing, "```"]
    return "\n".join(lines) + "\n"


def describe_trigger(workflow: Workflow, language: str) -> str:
    """Return when it is followed, in words."""
    key = "workflow.when-said" if workflow.trigger.mode == "task_contains" else "workflow.when-asked"
    return text(key, language, pattern=workflow.trigger.pattern)


def step_lines(steps: list[WorkflowStep], language: str = "en") -> list[str]:
    """Return the steps as a numbered list; a step's further lines stand below its first."""
    lines: list[str] = []
    for number, step in enumerate(steps, 1):
        lead = f"{number}. "
        first, *more = step_text(step, language).split("\n")
        lines += [lead + first, *((" " * len(lead) + line).rstrip() for line in more)]
    return lines or [text("workflow.no-steps", language)]


def step_text(step: WorkflowStep, language: str = "en") -> str:
    """Return what kind a step is, its title, what to do; on one line unless it was written on several."""
    does = "\n".join(line.rstrip() for line in step.text.strip().splitlines())
    title, apart = " ".join(step.title.split()), "\n" if "\n" in does else " "
    does = does if apart == "\n" else " ".join(does.split())
    told = title and not does.lower().startswith(title.lower().rstrip("."))
    said = f"{title}:{apart}{does}" if told else does
    notes = f"{apart}({' '.join(step.notes.split())})" if step.notes.strip() else ""
    match step.kind:
        case "check":
            said = text("workflow.step-check", language, step=said)
        case "gate":
            said = text(f"workflow.step-{step.policy}", language, step=said, risk=step.risk_category)
    return said + notes


def _label(step: WorkflowStep) -> str:
    said = step.title.strip() or step.text.strip() or step.id
    return " ".join(said.split())[:80].replace('"', "'").replace("`", "'")
