"""`mi checks`: which commands must be green before work counts as verified here; set them, run them."""

import os
import sys
from typing import TYPE_CHECKING, Any

from mi.app.home_context import HomeContext
from mi.cli.arguments import Args, Group, Parser, add_cd, add_json
from mi.cli.output import Output, flush
from mi.kernel.errors import NotFound
from mi.kernel.text import show_path

if TYPE_CHECKING:
    from mi.project.checks.coverage import CheckedPart, ProjectChecks
    from mi.project.checks.runner import Check

_KINDS = ("test", "build")


def build_parser(name: str) -> Parser:
    """Build the parser of the command."""
    group = Group("mi checks", "Which checks cover what, before any run.", "mi checks --json", _show)
    add_cd(group.parser)
    add_json(group.parser)
    set_ = group.add(
        "set",
        "say which command counts here",
        "mi checks set 'make verify'",
        _set,
        person_only=True,
    )
    set_.add_argument("check", metavar="COMMAND", help="what to type in the folder, as one argument")
    set_.add_argument("--kind", choices=_KINDS, default="test", help="what it shows (default: test)")
    _add_place(set_)
    clear = group.add("clear", "go by the project's files again", "mi checks clear", _clear, person_only=True)
    _add_place(clear)
    run = group.add("run", "run the checks of every package, now", "mi checks run", _run, person_only=True)
    add_cd(run)
    add_json(run)
    return group.parser


def _add_place(parser: Parser) -> None:
    parser.add_argument("--folder", metavar="FOLDER", default="", help="of a package (default: the whole project)")
    parser.add_argument("--share", action="store_true", help="in .mi/checks.toml, for everybody who has the repository")
    add_cd(parser)
    add_json(parser)


def _read(context: HomeContext) -> "ProjectChecks":
    from mi.project.checks.coverage import ProjectChecks
    from mi.project.checks.own import read_own

    root = context.project.root
    return ProjectChecks.read(root, read_own(root, context.project_home.checks, context.notices).checks)


def _show(context: HomeContext, args: Args) -> int:
    out, project = Output(context.language), _read(context)
    if args.json:
        out.json({"root": project.root, "packages": [_part_as_json(part) for part in project.parts()]})
        return 0
    parts = project.parts()
    if not parts:
        out.say("checks.none")
    for part in parts:
        place = f"{show_path(part.package.folder or '.')} ({part.language or out.text('checks.any')})"
        out.line(f"{place}  {out.text('checks.strength-' + part.checks[0].kind)}")
        for at, check in enumerate(part.checks):
            out.line(f"  {'→' if not at else ' '} {check.command}  ({_origin(out, check)})")
    return 0


def _origin(out: Output, check: "Check") -> str:
    from mi.project.checks.order import origin

    return out.text("checks.from-" + origin(check), source=check.source)


def _part_as_json(part: "CheckedPart") -> dict[str, Any]:
    return {
        "folder": part.package.folder,
        "manifest": part.package.manifest,
        "language": part.language,
        "strength": part.checks[0].kind,
        "checks": [_check_as_json(check) for check in part.checks],
    }


def _check_as_json(check: "Check") -> dict[str, Any]:
    from mi.project.checks.order import origin

    return {"command": check.command, "kind": check.kind, "origin": origin(check), "source": check.source}


def _set(context: HomeContext, args: Args) -> int:
    from mi.project.checks.own import make_check

    check = make_check(args.check, args.folder, args.kind)
    return _store(context, args, check)


def _clear(context: HomeContext, args: Args) -> int:
    return _store(context, args, None)


def _store(context: HomeContext, args: Args, check: "Check | None") -> int:
    """Write what the person said in place of what they said before about the same folder; the event goes first."""
    from mi.evidence.records.thoughts import SettingsSet
    from mi.kernel.notices import Notices
    from mi.project.checks.order import SHARED
    from mi.project.checks.own import read_file, write_own
    from mi.project.checks.places import place_of

    context.use_project()
    root = context.project.root
    path = os.path.join(root, SHARED) if args.share else context.project_home.checks
    folder = check.folder if check else place_of(args.folder or ".", "") or ""
    if not os.path.isdir(os.path.join(root, folder)):
        raise NotFound("check-no-folder", folder=folder, root=root)
    kept = [one for one in read_file(path, Notices()).checks if one.folder != folder]
    said = {"checks": check.text if check else "", "folder": folder, "file": path}
    event = context.evidence_writer(context.project_home.evidence).append(
        SettingsSet(scope="project", settings=said), sync=True
    )
    write_own(path, [*kept, *([check] if check else [])])
    out = Output(context.language)
    if args.json:
        out.json({"event_id": event.event_id, **said})
    else:
        out.say("checks.set" if check else "checks.cleared", **said)
    return 0


def _run(context: HomeContext, args: Args) -> int:
    """Run what would be asked for, one after the other, for the person who is there."""
    import subprocess

    out, project = Output(context.language), _read(context)
    wanted = project.asked_for()
    codes: dict[str, int] = {}
    for check in wanted:
        if not args.json:
            out.line(f"$ {check.command}")
            flush()
        place, shown = os.path.join(project.root, check.folder), sys.stderr if args.json else None
        ended = subprocess.run(["/bin/sh", "-c", check.text], cwd=place, stdout=shown, check=False)
        codes[check.command] = ended.returncode
        if not args.json:
            out.say("checks.ended", check=check.command, code=codes[check.command])
    if args.json:
        out.json([{"command": command, "exit_code": code} for command, code in codes.items()])
    elif not wanted:
        out.say("checks.none")
    return 1 if any(codes.values()) or not wanted else 0
