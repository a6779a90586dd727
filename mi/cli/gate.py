"""`mi gate`: the team's rules from the shell: what a task needs, what a message signals, what a change costs."""

from typing import TYPE_CHECKING, Any

from mi.app.home_context import HomeContext
from mi.app.team import build_persona
from mi.cli.arguments import Args, Group, Parser, add_cd, add_json, count
from mi.cli.output import Output
from mi.kernel.errors import UsageError
from mi.kernel.text import show_path

if TYPE_CHECKING:
    from mi.governance.assess import Assessment
    from mi.governance.change_units import Counted
    from mi.governance.impact import Facts
    from mi.governance.review_gate import Required

FREE, HUMAN = 0, 3
REVISION = "compare with this revision, or the two of a range A..B, A...B (default: what is not committed)"
_FLAGS = {
    "sensitive": "auth, encryption, migration or deletion of data",
    "integration": "a new dependency, an external service or another project",
    "fresh": "needs facts that are newer than a model's training",
    "public_api": "changes what others call",
    "irreversible": "cannot be undone without loss",
    "production": "touches production data or live users",
}
_NUMBERS = {
    "lines": "lines that change",
    "dirs": "folders that change",
    "change_units": "change units",
}
_CLARITY = ("clear", "vague", "unclear")


def build_parser(name: str) -> Parser:
    """Build the parser of the command."""
    group = Group(
        "mi gate",
        "The team's rules: what a task needs, what a message signals, what a change costs, what is permitted.",
        'mi gate assess --task "encrypt the backups"',
    )
    group.add(
        "assess",
        "assess a task: clear enough, how risky, who must look at it",
        "mi gate assess --sensitive --lines 200 --json",
        _assess,
        _fill_assess,
    )
    group.add(
        "signals",
        "what a message signals: stance, triggers, pace, secrets",
        'mi gate signals "just change the schema, ASAP"',
        _signals,
        _fill_signals,
    )
    group.add(
        "diff",
        "count the change units of what is not committed, or since a revision",
        "mi gate diff main..HEAD",
        _diff,
        _fill_diff,
    )
    from mi.cli.gate_deploy import add_deploy
    from mi.cli.gate_permission import add_permission
    from mi.cli.gate_review import add_review

    add_permission(group)
    add_review(group)
    add_deploy(group)
    return group.parser


# assess


def _fill_assess(parser: Parser) -> None:
    parser.add_argument("given", nargs="*", help="the task in words, or the fields as a JSON object")
    parser.add_argument("--task", metavar="TEXT", help="the task: its words set flags, too")
    parser.add_argument("--file", metavar="FILE", help="read the fields from a JSON object; - reads standard input")
    parser.add_argument("--clarity", choices=_CLARITY, help="how clear the task is (default: by its words)")
    parser.add_argument("--no-criteria", action="store_true", help="nothing says when it is done")
    for field, text in _FLAGS.items():
        parser.add_argument("--" + field.replace("_", "-"), action="store_true", help=text)
    for field, text in _NUMBERS.items():
        parser.add_argument("--" + field.replace("_", "-"), type=count, metavar="N", help=text)
    add_json(parser)


def _assess(context: HomeContext, args: Args) -> int:
    from mi.governance.assess import assess, assess_task

    fields = _fields(args)
    facts = _facts(fields)
    task = fields.get("task", "")
    clarity, units = fields.get("clarity"), fields.get("change_units")
    has_criteria = fields.get("criteria", True)
    if task:
        found = assess_task(task, facts, clarity, units, has_criteria=has_criteria)
    else:
        found = assess(facts, clarity or "clear", units, has_criteria=has_criteria)
    out = Output(context.language_for(task))
    if args.json:
        out.json(encode_assessment(found, out.language))
    else:
        _show_assessment(out, found)
    return FREE if found.is_free else HUMAN


def _fields(args: Args) -> dict[str, Any]:
    """Return the fields of the flags laid over those of the file."""
    words = " ".join(args.given).strip()
    is_object = words.startswith("{")
    if words and (args.file if is_object else args.task):
        raise UsageError("gate-task-twice")
    from_file = _read_fields(args.file) if args.file else {}
    if words:
        from_file |= _checked_fields(words.encode(), words) if is_object else {"task": words}
    flags = {name: True for name in _FLAGS if getattr(args, name)}
    numbers = {name: getattr(args, name) for name in _NUMBERS if getattr(args, name) is not None}
    others = {name: getattr(args, name) for name in ("task", "clarity") if getattr(args, name) is not None}
    return from_file | flags | numbers | others | ({"criteria": False} if args.no_criteria else {})


def _read_fields(file: str) -> dict[str, Any]:
    from mi.cli.input_files import read_given

    return _checked_fields(read_given(file), file)


def _checked_fields(data: bytes, path: str) -> dict[str, Any]:
    from mi.kernel.jsontext import BadJson, decode

    try:
        given = decode(data, dict[str, Any])
    except BadJson as error:
        raise UsageError("gate-fields", path=path, reason=error.reason) from None
    kinds: dict[str, type] = {
        **dict.fromkeys(_FLAGS, bool),
        **dict.fromkeys(_NUMBERS, int),
        "criteria": bool,
        "task": str,
        "clarity": str,
    }
    for name, value in given.items():
        if name not in kinds:
            raise UsageError("gate-unknown-field", name=name, known=", ".join(kinds))
        fits = type(value) is kinds[name] and not (isinstance(value, int) and value < 0)
        if not fits or (name == "clarity" and value not in _CLARITY):
            raise UsageError("gate-bad-field", name=name, value=value, kind=_wanted(name, kinds[name]))
    return given


def _wanted(name: str, kind: type) -> str:
    return "|".join(_CLARITY) if name == "clarity" else {bool: "true|false", int: "0, 1, 2 …"}.get(kind, "text")


def _facts(fields: dict[str, Any]) -> "Facts":
    from mi.governance.impact import Facts

    return Facts(**{name: fields[name] for name in Facts._fields if name in fields})


def encode_assessment(found: "Assessment", language: str) -> dict[str, Any]:
    """Return an assessment as programs read it."""
    from mi.governance.review_gate import warn_of_size
    from mi.governance.spec_gate import SpecGate

    questions = SpecGate(found.spec_gate, found.asks).questions(language)
    shown = {name: value for name, value in found._asdict().items() if name not in ("asks", "items", "change_units")}
    review = found.review._asdict() if found.review else None
    size = {"warnings": warn_of_size(found.change_units, language=language), "first_batch": found.first_batch()}
    shown |= {"questions": questions, "review": review, "triggers": list(found.triggers)}
    return shown | {name: told for name, told in size.items() if told}


def _show_assessment(out: Output, found: "Assessment") -> None:
    from mi.governance.review_gate import warn_of_size
    from mi.governance.spec_gate import SpecGate

    if found.review is None or found.orchestration is None:
        out.line(SpecGate(found.spec_gate, found.asks).says(out.language))
        return
    out.say("gate.risk", raw=found.raw, score=found.score, gate=out.text("gate.spec-" + found.spec_gate))
    out.line(out.text("gate." + found.orchestration.replace("_", "-")))
    show_required(out, found.review)
    show_triggers(out, found.triggers)
    for warning in warn_of_size(found.change_units, language=out.language):
        out.line(warning)
    if found.items and (batch := found.first_batch()):
        out.say("gate.first-batch", files=", ".join(str(one.get("item", one["units"])) for one in batch))
    if found.needs_ack:
        out.say("gate.needs-ack")


def show_required(out: Output, review: "Required") -> None:
    """Print what the review gate asks for, in words."""
    parts = [out.text("gate.review-" + review.level)]
    parts += [out.text("gate.confirm")] if review.confirm else []
    parts += [out.text("gate.approval")] if review.approval else []
    parts += [out.text("gate.split-" + review.split)] if review.split != "none" else []
    out.say("gate.review", parts=", ".join(parts))


def show_triggers(out: Output, triggers: tuple[str, ...]) -> None:
    """Print what speaks against a request."""
    from mi.governance.challenge import argue_against

    for trigger in triggers:
        out.line(f"  {trigger}  {argue_against(trigger, out.language)}")


# signals


def _fill_signals(parser: Parser) -> None:
    parser.add_argument("message", nargs="*", help="the message")
    parser.add_argument("--file", metavar="FILE", help="read the message from a file; - reads standard input")
    parser.add_argument("--change-units", type=count, metavar="N", help="change units asked for")
    parser.add_argument("--files", type=count, metavar="N", help="files it would touch")
    parser.add_argument("--lines", type=count, metavar="N", help="lines it would change")
    add_json(parser)


def _signals(context: HomeContext, args: Args) -> int:
    from mi.governance.signals import Size
    from mi.review.decisions import collect_decisions, find_signals_for

    message = _message(args)
    size = Size(args.change_units, args.files, args.lines)
    found = find_signals_for(
        message, context.config.governance, collect_decisions(build_persona(context), context.project.root), size
    )
    levels = [f"S{level}" for level in found.speed]
    out = Output(context.language_for(message))
    if args.json:
        secrets = [{"kind": one.kind, "at": one.start} for one in found.secrets]
        shown = {"mode": found.mode, "triggers": list(found.triggers), "speed": levels, "secrets": secrets}
        out.json(shown | ({"contradicts": list(found.contradicts)} if found.contradicts else {}))
        return FREE
    from mi.governance.speed import render_marker

    out.say("gate.mode", mode=found.mode, speed=" ".join(levels) or "S0")
    show_triggers(out, found.triggers)
    if found.contradicts:
        out.say("gate.contradicts", decided=", ".join(found.contradicts))
    if found.speed:
        out.line(render_marker(found.speed, out.language))
    return FREE


def _message(args: Args) -> str:
    if bool(args.message) == bool(args.file):
        raise UsageError("gate-message")
    from mi.cli.input_files import read_given_text

    return read_given_text(args.file) if args.file else " ".join(args.message)


# diff


def _fill_diff(parser: Parser) -> None:
    parser.add_argument("revision", nargs="?", help=REVISION)
    parser.add_argument("--task", metavar="TEXT", help="the task: its words set flags, too")
    parser.add_argument("--count-generated", action="store_true", help="count generated and lock files, too")
    add_cd(parser)
    add_json(parser)


def _diff(context: HomeContext, args: Args) -> int:
    from mi.governance.review_gate import warn_of_size
    from mi.project.change import change_here

    here = change_here(context.project.root, args.revision or "", args.task or "", args.count_generated)
    counted, raw, review = here.counted, here.raw, here.review
    out = Output(context.language)
    warnings = [out.text("gate.incomplete")] if here.incomplete else []
    warnings += warn_of_size(counted.units, counted.together, out.language)
    if args.json:
        files = [{"path": file.path, "units": file.units, "kind": file.kind} for file in counted.files]
        shown: dict[str, Any] = {"change_units": counted.units, "files": files, "raw": raw, "flags": list(here.flags)}
        shown |= {"review": review._asdict(), "warnings": warnings}
        if batch := counted.first_batch():
            shown["first_batch"] = [{"path": path, "units": units} for path, units in batch]
        out.json(shown)
    else:
        _show_diff(out, counted, raw, warnings)
        show_required(out, review)
    return HUMAN if review.level == "required" or review.needs_person else FREE


def _show_diff(out: Output, counted: "Counted", raw: int, warnings: list[str]) -> None:
    out.say("gate.units", units=counted.units, files=len(counted.files), lines=counted.lines, raw=raw)
    for file in counted.files:
        out.line(f"  {file.units:>3}  {file.kind:<9} {show_path(file.path)}")
    for warning in warnings:
        out.line(warning)
    if not counted.together and (batch := counted.first_batch()):
        out.say("gate.first-batch", files=", ".join(f"{path} ({units})" for path, units in batch))
