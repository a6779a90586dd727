"""`mi init` and `mi values`: the person's values, written down once."""

import argparse
import os
from typing import TYPE_CHECKING

from mi.app.home_context import HomeContext
from mi.app.thoughts import build_thoughts
from mi.app.values import open_values
from mi.cli.arguments import Args, Group, Parser, add_cd, add_json, command
from mi.cli.output import Output, show_waiting
from mi.cli.what_if import add_what_if
from mi.kernel.errors import UsageError
from mi.kernel.safe_text import shorten_gist
from mi.kernel.text import decode

if TYPE_CHECKING:
    from mi.knowledge.thoughts.records import Claim
    from mi.learning.values import ValuesChange
    from mi.mind.mind import Mind
    from mi.mind.prompts.compile_values import CompiledValues

_LONGEST_S = 90.0  # that a person waits for a model to read their values


def build_parser(name: str) -> Parser:
    """Build the parser of the command."""
    if name == "init":
        built = command(
            "mi init",
            "Set up MI: write down your values in your own words.",
            'mi init --values "Keep changes small. Run the tests before you say done."',
            _set,
            person_only=True,
        )
        built.add_argument("--values", metavar="TEXT", dest="text", help="your values; - reads standard input")
        built.add_argument(
            "--prove", choices=["yes", "no"], help="whether MI runs the checks itself before it calls a run done"
        )
        built.set_defaults(flag="--values")
        _add_set_flags(built)
        return built
    group = Group("mi values", "Your values: what MI acts by.", "mi values show")
    set_ = group.add(
        "set",
        "write your values",
        'mi values set "Never push. Prefer small diffs."',
        _set,
        person_only=True,
    )
    set_.add_argument("words", metavar="TEXT", nargs="*", help="what you value; - reads standard input")
    set_.add_argument("--text", metavar="TEXT", help="the same as TEXT")
    set_.set_defaults(flag="--text")
    _add_set_flags(set_)
    _add_scope(set_)
    add = group.add(
        "add",
        "add to your values",
        'mi values add "Dates are stored in UTC." --scope project',
        _add,
        person_only=True,
    )
    add.add_argument("text", nargs="+", metavar="TEXT", help="what you value; - reads standard input")
    _add_scope(add)
    add_json(add)
    edit = group.add(
        "edit", "write your values in your editor ($VISUAL or $EDITOR)", "mi values edit", _edit, person_only=True
    )
    _add_compile_flags(edit)
    _add_scope(edit)
    show = group.add("show", "show the values MI acts by", "mi values show --injection", _show)
    show.add_argument("--injection", action="store_true", help="show the exact text that agents get")
    show.add_argument("--task", metavar="TEXT", default="", help="with --injection: as for this task")
    show.add_argument(
        "--scope", choices=["global", "project"], default="", help="only these (default: both, as agents get them)"
    )
    add_cd(show)
    add_json(show)
    add_what_if(group)
    return group.parser


def _add_scope(parser: argparse.ArgumentParser) -> None:
    parser.add_argument(
        "--scope", choices=["global", "project"], default="global", help="where they hold (default: global)"
    )
    add_cd(parser)


def _add_set_flags(parser: argparse.ArgumentParser) -> None:
    parser.add_argument("--file", metavar="FILE", help="read your values from a file")
    _add_compile_flags(parser)


def _add_compile_flags(parser: argparse.ArgumentParser) -> None:
    parser.add_argument("--show", action="store_true", help="print what was understood")
    parser.add_argument("--dry-run", action="store_true", help="print what would be stored, store nothing")
    parser.add_argument("--no-compile", action="store_true", help="keep the text only, derive no values from it")
    parser.add_argument("--no-values-claims", action="store_true", help="do not turn the values into claims")
    add_json(parser)


def _set(context: HomeContext, args: Args) -> int:
    from mi.cli.prompts import at_terminal

    proves = {"yes": True, "no": False}.get(getattr(args, "prove", None) or "")
    if args.flag == "--values" and args.text is None and args.file is None and at_terminal(context):
        from mi.cli.first_questions import ask_first

        answers = ask_first(context, Output(context.language))
        text, proves = answers.values, answers.proves if proves is None else proves
        if answers.judge and not args.dry_run:
            from mi.kernel.config.edit import set_value

            set_value(context.home, "mind.provider", answers.judge)
            context.forget_config()
    else:
        text = _text_of(args)
    if proves is not None and not args.dry_run:
        from mi.app.proof import store_decision

        store_decision(context, proves)
    return _store(context, args, text)


def _store(context: HomeContext, args: Args, text: str) -> int:
    from mi.agents.signals import stop_after
    from mi.app.learning import build_mind

    with stop_after(_LONGEST_S) as stop:
        mind = None if args.no_compile else build_mind(context, context.home.mind_transcripts, stop)
        return (_rehearse if args.dry_run else _keep)(context, Output(context.language_for(text)), args, text, mind)


def _keep(context: HomeContext, out: Output, args: Args, text: str, mind: "Mind | None") -> int:
    from mi.learning import values

    place = open_values(context, getattr(args, "scope", "global"))
    with show_waiting(out, mind.name if mind else ""):
        change = values.set_values(
            place.store,
            context.evidence_writer(place.log),
            text,
            mind,
            compiles=not args.no_compile,
            claims=not args.no_values_claims,
        )
    if mind is not None and mind.name != "rules" and change.by in ("", "rules") and not args.no_values_claims:
        context.notices.add("values-by-rules", place.log, mind=mind.name, reason=_reason(change.error))
    return _report(out, args, change)


def _reason(error: str) -> str:
    return f" ({shorten_gist(error, 200)})" if error else ""


def _add(context: HomeContext, args: Args) -> int:
    from mi.learning.values import add_values

    text = read_text(" ".join(args.text))
    out, place = Output(context.language_for(text)), open_values(context, getattr(args, "scope", "global"))
    change = add_values(place.store, context.evidence_writer(place.log), text)
    if args.json:
        _report_json(out, change, [claim.text for claim in [*change.kept, *change.added]])
    elif not change.added:
        out.say("values.known")
    else:
        for claim in change.added:
            out.beside(f"{claim.claim_id}  ", claim.text)
        count = len(change.kept) + len(change.added)
        out.say("values.stored", count=count, retracted=len(change.gone), event_id=change.event_id)
    return 0


def _rehearse(context: HomeContext, out: Output, args: Args, text: str, mind: "Mind | None") -> int:
    """Compile and print; nothing is stored. What a model would make of the claims is only asked when they are."""
    from mi.learning import values
    from mi.mind.prompts.compile_values import compile_values

    patch = values.plan(open_values(context, getattr(args, "scope", "global")).store, text)
    with show_waiting(out, mind.name if mind else ""):
        judged = mind.ask(compile_values, text) if mind is not None else None
    compiled = judged.value if judged is not None else None
    if mind is not None and judged is not None and mind.name != "rules" and (compiled is None or judged.by == "rules"):
        path = os.path.join(context.home.root, judged.transcript_ref)
        context.notices.add("values-by-rules", path, mind=mind.name, reason=_reason(judged.error))
    if args.no_compile or args.no_values_claims:
        change = values.ValuesChange("", [*patch.kept, *patch.retracted], [], [], compiled)
    else:
        change = values.ValuesChange("", patch.kept, patch.new, patch.retracted, compiled, "rules")
    return _report(out, args, change)


def _report(out: Output, args: Args, change: "ValuesChange") -> int:
    standing = [claim.text for claim in [*change.kept, *change.added]]
    if args.json:
        _report_json(out, change, standing)
        return 0
    key = "values.stored" if change.event_id else "values.dry-run"
    out.say(key, count=len(standing), retracted=len(change.gone), event_id=change.event_id)
    if args.show or args.dry_run:
        for value in standing:
            out.line(f"  · {value}")
        if change.compiled is not None:
            _print_compiled(out, change.compiled)
    for note in change.notes:
        out.say("values.left-out", note=note)
    if change.event_id:
        out.say("values.next")
    return 0


def _report_json(out: Output, change: "ValuesChange", standing: list[str]) -> None:
    import msgspec

    fields = {"stored": bool(change.event_id), "event_id": change.event_id, "values": standing}
    fields |= {"retracted": len(change.gone), "by": change.by, "notes": list(change.notes)}
    out.json(fields | {"compiled_values": msgspec.to_builtins(change.compiled)})


def _print_compiled(out: Output, compiled: "CompiledValues") -> None:
    out.say("values.summary")
    for one in compiled.values_summary:
        out.line(f"  - {one}")
    out.say("values.procedure", summary=compiled.decision_procedure.summary)
    for line in compiled.decision_procedure.mermaid.splitlines():
        out.line(f"  {line}")


def _text_of(args: Args) -> str:
    """Return the values as they were given; what is not UTF-8 in them becomes a replacement mark."""
    words = " ".join(getattr(args, "words", [])) or None
    given = [source for source in (words, args.text, args.file) if source is not None]
    if len(given) != 1:
        raise UsageError("values-source", flag=args.flag)
    return read_text(words or args.text, args.file)


def read_text(text: str, file: str | None = None) -> str:
    """Return a text of the command line, of standard input (`-`) or of a file."""
    from mi.cli.input_files import read_given_text

    if file is not None:
        return read_given_text(file)
    return read_given_text("-") if text == "-" else decode(os.fsencode(text))


def _edit(context: HomeContext, args: Args) -> int:
    from mi.cli.editor import edit_text
    from mi.knowledge.thoughts.kinds import RAW, VALUES

    store = open_values(context, getattr(args, "scope", "global")).store
    raw = store.active(RAW)
    former = raw[-1].text if raw else "\n".join(claim.text for claim in store.active(VALUES))
    out = Output(context.language_for(former))
    with edit_text(former, out.text("values.template"), "values.md", context.notices) as text:
        if text.strip() == former.strip():
            if args.json:
                out.json({"stored": False, "event_id": ""})
            else:
                out.say("values.unchanged")
            return 0
        return _store(context, args, text)


def _show(context: HomeContext, args: Args) -> int:
    from mi.knowledge.thoughts.kinds import RAW, VALUES

    out = Output(context.language)
    if args.injection:
        return _show_injection(context, out, args)
    thoughts = build_thoughts(context)
    stores = {"global": [thoughts.shared], "project": [thoughts.own]}.get(args.scope) or [thoughts.shared, thoughts.own]
    claims = [claim for store in stores for claim in store.active(VALUES)]
    raw = stores[0].active(RAW)
    if args.json:
        out.json(
            {"values": [_shown(claim) for claim in claims], "raw": raw[-1].text if raw else "", "ready": bool(claims)}
        )
        return 0
    if not claims and not raw:
        out.say("values.none")
    for claim in claims:
        scope = f"({out.word('project')}) " if claim.scope == "project" and not args.scope else ""
        out.beside(f"{claim.claim_id}  {scope}", claim.text)
    if raw and not claims:
        out.say("values.raw-only")
        out.line(raw[-1].text)
    return 0


def _show_injection(context: HomeContext, out: Output, args: Args) -> int:
    from mi.app.learning import build_known_person
    from mi.autopilot.injection import injection_for

    runtime = context.config.runtime
    told = injection_for(build_known_person(context), args.task, runtime.injection.max_chars, runtime.external_actions)
    if args.json:
        out.json({"injection": told.text, "claim_ids": told.claim_ids, "characters": len(told.text)})
    else:
        out.line(told.text)
    return 0


def _shown(claim: "Claim") -> dict[str, str]:
    event_id = claim.source_refs[0].event_id if claim.source_refs else ""
    shown = {"claim_id": claim.claim_id, "text": claim.text, "ts": claim.asserted_ts, "event_id": event_id}
    return shown | {"scope": claim.scope}
