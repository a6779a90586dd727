"""`mi prove` and `mi proof`: prove a run later, hand its proof to somebody else, run such a proof again."""

import sys

from mi.app.home_context import HomeContext
from mi.cli.arguments import Args, Group, Parser, add_cd, add_json, command
from mi.cli.output import Output


def build_parser(name: str) -> Parser:
    """Build the parser of the command."""
    if name == "prove":
        built = command(
            "mi prove",
            "Run the project's own checks on what a run left, in copies, and say what they show.",
            "mi prove last",
            _prove,
            person_only=True,
        )
        built.add_argument("which", metavar="run", nargs="?", default="last", help="the run (default: the latest)")
        add_cd(built)
        add_json(built)
        return built
    group = Group("mi proof", "Proofs of runs as files.", "mi proof export last")
    group.add(
        "export", "write a run's proof as one file", "mi proof export last --out proof.json", _export, _fill_export
    )
    group.add(
        "verify",
        "run a proof again in a fresh clone of this repository",
        "mi proof verify proof.json",
        _verify,
        _fill_verify,
        person_only=True,
    )
    return group.parser


def _fill_export(parser: Parser) -> None:
    parser.add_argument("which", metavar="run", nargs="?", default="last", help="the run (default: the latest)")
    parser.add_argument("--out", metavar="FILE", default="", help="where to write it (default: <run>.proof.json)")
    parser.add_argument("--key", metavar="FILE", default="", help="sign it with this SSH key")
    add_cd(parser)
    add_json(parser)


def _fill_verify(parser: Parser) -> None:
    parser.add_argument("file", help="a file that `mi proof export` wrote")
    add_cd(parser)
    add_json(parser)


def _prove(context: HomeContext, args: Args) -> int:
    from mi.app.proof import prove_run

    context.use_project()
    out = Output(context.language)
    record = prove_run(context, args.which, _progress(out))
    return _report(out, args, record.proved, record.why, [check.command for check in record.checks])


def _export(context: HomeContext, args: Args) -> int:
    from mi.app.proof import export_proof

    context.use_project()
    written = export_proof(context, args.which, args.out, args.key)
    out = Output(context.language)
    if args.json:
        out.json({"files": written})
    else:
        out.say("proof.exported", files=" ".join(written))
    return 0


def _verify(context: HomeContext, args: Args) -> int:
    from mi.app.proof import verify_proof

    context.use_project()
    out = Output(context.language)
    seen = verify_proof(context, args.file, _progress(out))
    return _report(out, args, seen.proved, seen.why, [seen.command])


def _progress(out: Output):  # type: ignore[no-untyped-def]
    def say(said: str) -> None:
        if sys.stderr.isatty():
            print(said, file=sys.stderr)

    return say


def _report(out: Output, args: Args, proved: bool | None, why: str, commands: list[str]) -> int:
    if args.json:
        out.json({"proved": proved, "why": why, "commands": commands})
    else:
        from mi.app.proof import describe_proof

        out.line(describe_proof(proved, why, commands, out.language))
    return 0 if proved else 3 if proved is None else 1
