"""`mi init` and `mi values`: the person's values, written down once."""

import argparse
import os
import sys

from mi.app import App
from mi.cli.arguments import Args, Group, Parser, add_json, command
from mi.cli.output import Output
from mi.kernel.errors import UsageError
from mi.kernel.text import decode


def parser(name: str) -> Parser:
    if name == "init":
        built = command(
            "mi init",
            "Set up MI: write down your values in your own words.",
            'mi init --values "Keep changes small. Run the tests before you say done."',
            _set,
        )
        built.add_argument("--values", metavar="TEXT", dest="text", help="your values; - reads standard input")
        built.set_defaults(flag="--values")
        _add_set_flags(built)
        return built
    group = Group("mi values", "Your values: what MI acts by.", "mi values show")
    set_ = group.add("set", "write your values", 'mi values set --text "Never push. Prefer small diffs."', _set)
    set_.add_argument("--text", metavar="TEXT", help="your values; - reads standard input")
    set_.set_defaults(flag="--text")
    _add_set_flags(set_)
    show = group.add("show", "show the values MI acts by", "mi values show --json", _show)
    add_json(show)
    return group.parser


def _add_set_flags(parser: argparse.ArgumentParser) -> None:
    parser.add_argument("--file", metavar="FILE", help="read your values from a file")
    parser.add_argument("--show", action="store_true", help="print what was understood")
    parser.add_argument("--dry-run", action="store_true", help="print what would be stored, store nothing")
    parser.add_argument("--no-compile", action="store_true", help="keep the text only, derive no values from it")
    parser.add_argument("--no-values-claims", action="store_true", help="do not turn the values into claims")
    add_json(parser)


def _set(app: App, args: Args) -> int:
    from mi.learning import values

    text = _text_of(args)
    out = Output(app.language_for(text))
    raw_only = args.no_compile or args.no_values_claims
    kept, new, gone = values.plan(app.global_thoughts, text)
    if args.dry_run:
        standing = [claim.text for claim in ([*kept, *gone] if raw_only else kept)]
        return _report(out, args, "", standing if raw_only else standing + new, 0 if raw_only else len(gone))
    writer = app.evidence_writer(app.home.evidence)
    change = values.set_values(app.global_thoughts, writer, text, raw_only=raw_only)
    standing = [claim.text for claim in [*change.kept, *change.added]]
    return _report(out, args, change.event_id, standing, len(change.retracted))


def _report(out: Output, args: Args, event_id: str, standing: list[str], retracted: int) -> int:
    if args.json:
        out.json({"stored": bool(event_id), "event_id": event_id, "values": standing, "retracted": retracted})
        return 0
    out.say(
        "values.stored" if event_id else "values.dry-run", count=len(standing), retracted=retracted, event_id=event_id
    )
    if args.show or args.dry_run:
        for value in standing:
            out.line(f"  · {value}")
    if event_id:
        out.say("values.next")
    return 0


def _text_of(args: Args) -> str:
    """The values as they were given; what is not UTF-8 in them becomes a replacement mark."""
    given = [source for source in (args.text, args.file) if source is not None]
    if len(given) != 1:
        raise UsageError("values-source", flag=args.flag)
    if args.file is not None:
        with open(args.file, "rb") as file:
            return decode(file.read())
    return decode(sys.stdin.buffer.read() if args.text == "-" else os.fsencode(args.text))


def _show(app: App, args: Args) -> int:
    from mi.learning.values import BASE, RAW

    out = Output(app.language)
    claims = app.global_thoughts.active(BASE)
    raw = app.global_thoughts.active(RAW)
    if args.json:
        shown = [{"claim_id": c.claim_id, "text": c.text, "ts": c.asserted_ts, "event_id": _event(c)} for c in claims]
        out.json({"values": shown, "raw": raw[-1].text if raw else "", "ready": bool(claims)})
        return 0
    if not claims and not raw:
        out.say("values.none")
    for claim in claims:
        out.line(f"{claim.claim_id}  {claim.text}")
    if raw and not claims:
        out.say("values.raw-only")
        out.line(raw[-1].text)
    return 0


def _event(claim) -> str:  # type: ignore[no-untyped-def]
    return claim.source_refs[0].event_id if claim.source_refs else ""
