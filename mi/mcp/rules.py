"""The team's rules as tools' functions: what a task needs, what a message signals, what is permitted."""

from typing import Annotated, Literal

from msgspec import Meta, Struct, convert, field

from mi.app.team import build_persona, build_worker
from mi.mcp.session import ToolSession

Count = Annotated[int, Meta(ge=0)]


class AssessInput(Struct, frozen=True, kw_only=True):
    task: Annotated[str, Meta(description="The task in words; they set flags, too.")] = ""
    clarity: Annotated[Literal["clear", "vague", "unclear", ""], Meta(description="'': by the words of the task.")] = ""
    sensitive: bool = False
    integration: bool = False
    fresh: bool = False
    lines: Count = 0
    dirs: Count = 0
    public_api: bool = False
    change_units: Count | None = None
    irreversible: bool = False
    production: bool = False


class ReviewNeeded(Struct, frozen=True, kw_only=True):
    level: Literal["none", "offer", "required"]
    confirm: bool
    approval: bool
    split: Literal["none", "suggest", "required"]


class FirstBatch(Struct, frozen=True, kw_only=True, omit_defaults=True):
    item: str = ""
    units: int


class AssessResult(Struct, frozen=True, kw_only=True):
    """`free`: the work may begin without anyone else's word; without a score the task is blocked."""

    free: bool
    spec_gate: Literal["clear", "vague", "blocked"]
    questions: list[str]
    raw: int | None
    score: int | None
    high_risk: bool | None
    needs_ack: bool
    orchestration: Literal["self", "offer_review", "review_and_confirm"] | None
    review: ReviewNeeded | None
    tier: Literal["low", "medium", "high"] | None
    triggers: list[str]
    warnings: list[str]
    first_batch: list[FirstBatch]


def assess_call(session: ToolSession, given: AssessInput) -> AssessResult:
    """Answer the tool `assess`."""
    from mi.governance.assess import assess, assess_task
    from mi.governance.impact import Facts
    from mi.governance.review_gate import warn_of_size
    from mi.governance.spec_gate import SpecGate

    facts = Facts(**{name: getattr(given, name) for name in Facts._fields})
    clarity = given.clarity or None
    found = (
        assess_task(given.task, facts, clarity, given.change_units)
        if given.task
        else assess(facts, clarity or "clear", given.change_units)
    )
    language = session.context.language_for(given.task)
    return AssessResult(
        free=found.is_free,
        spec_gate=found.spec_gate,
        questions=SpecGate(found.spec_gate, found.asks).questions(language),
        raw=found.raw,
        score=found.score,
        high_risk=found.high_risk,
        needs_ack=found.needs_ack,
        orchestration=found.orchestration,
        review=ReviewNeeded(**found.review._asdict()) if found.review else None,
        tier=found.tier,
        triggers=list(found.triggers),
        warnings=warn_of_size(found.change_units, language=language),
        first_batch=convert(found.first_batch(), list[FirstBatch]),
    )


class SignalsInput(Struct, frozen=True, kw_only=True):
    message: str
    change_units: Count | None = None
    files: Count | None = None
    lines: Count | None = None


class SecretSeen(Struct, frozen=True, kw_only=True):
    kind: str
    at: int


class SignalsResult(Struct, frozen=True, kw_only=True):
    """`contradicts`: what was decided before and the message goes against; `guidance`: how to meet it."""

    mode: Literal["mirror", "challenge", "obey"]
    triggers: list[str]
    speed: list[str]
    secrets: list[SecretSeen]
    contradicts: list[str]
    guidance: list[str]


def call_signals(session: ToolSession, given: SignalsInput) -> SignalsResult:
    """Answer the tool `signals`."""
    from mi.governance import challenge, modes, speed
    from mi.governance.signals import Size
    from mi.review.decisions import collect_decisions, find_signals_for

    context = session.context
    size = Size(given.change_units, given.files, given.lines)
    found = find_signals_for(
        given.message, context.config.governance, collect_decisions(build_persona(context), context.project.root), size
    )
    language = context.language_for(given.message)
    guidance = [challenge.give_alert(language)] if found.secrets else []
    guidance += modes.give_guidance(found.mode, language)
    if found.mode == "challenge":
        tier = challenge.find_tier(0, found.triggers, found.full)
        guidance += challenge.give_guidance(tier, found.urgent, found.contradicts, language)
    return SignalsResult(
        mode=found.mode,
        triggers=list(found.triggers),
        speed=[f"S{level}" for level in found.speed],
        secrets=[SecretSeen(kind=one.kind, at=one.start) for one in found.secrets],
        contradicts=list(found.contradicts),
        guidance=guidance + speed.give_guidance(found.answered_at, language),
    )


class PermissionInput(Struct, frozen=True, kw_only=True):
    tool: Annotated[str, Meta(description="The host's tool, e.g. Bash, Edit.")]
    target: Annotated[str, Meta(description="The command line, or the file.")] = ""
    operation: Annotated[str, Meta(description="run, read, edit, create, delete, send …; '': by the tool.")] = ""


class PermissionResult(Struct, frozen=True, kw_only=True):
    decision: Literal["ALLOW", "PROMPT", "DENY"]
    denial: Annotated[Literal["hard", "soft"] | None, Meta(description="Of a denial; hard: never.")] = field(
        name="class"
    )
    operation: str
    effect: str
    reason: str
    alternative: str


def call_permission(session: ToolSession, given: PermissionInput) -> PermissionResult:
    """Answer the tool `permission`."""
    from mi.project.permissions import permit_here

    context = session.context
    verdict = permit_here(
        context.home,
        build_worker(context, context.project.root),
        given.tool,
        given.operation,
        given.target,
        context.notices,
        profile=context.config.governance.profile,
    )
    language = context.quiet_language
    return PermissionResult(
        decision=verdict.decision,
        denial=verdict.denial if verdict.decision == "DENY" else None,
        operation=verdict.operation,
        effect=verdict.effect(language),
        reason=verdict.reason(language),
        alternative=verdict.alternative(language),
    )
