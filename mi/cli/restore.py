"""`mi restore` and `mi diff`: put files back as a run found them, and show what a run did."""

from typing import TYPE_CHECKING

from mi.app.home_context import HomeContext
from mi.cli.arguments import Args, Parser, add_cd, add_json, command
from mi.cli.output import Output, flush
from mi.kernel.errors import Blocked
from mi.kernel.text import show_path

if TYPE_CHECKING:
    from mi.app.snapshots import ChosenSnapshots
    from mi.project.restore_plan import Difference

_MOST_SHOWN = 60


def build_parser(name: str) -> Parser:
    """Build the parser of the command."""
    if name == "diff":
        built = command("mi diff", "Show what a run or a batch did to the files.", "mi diff last --stat", _diff)
        built.add_argument("--stat", action="store_true", help="only which files, and how much in each")
        built.add_argument("--now", action="store_true", help="what differs from the files as they are now")
    else:
        summary = "Put the files back as they were before a run or a batch; the present state is kept first."
        built = command("mi restore", summary, "mi restore last src/", _restore, person_only=True)
        built.add_argument("--yes", "--apply", dest="apply", action="store_true", help="do not ask")
    what = "a run, run/batch, a batch of the latest run, or last"
    built.add_argument("ref", metavar="run|batch", nargs="?" if name == "restore" else None, help=what)
    built.add_argument("paths", metavar="path", nargs="*", help="only these files and folders")
    add_cd(built)
    add_json(built)
    return built


def _restore(context: HomeContext, args: Args) -> int:
    out = Output(context.language)
    if args.ref is None:
        return _list(context, args, out)
    from mi.app.restore import find_difference, restore
    from mi.app.snapshots import choose_snapshots, find_scope

    chosen = choose_snapshots(context, args.ref)
    within = find_scope(context, chosen.top, args.paths)
    shown = find_difference(context, chosen, within)
    if not args.json:
        _show(out, chosen, shown)
    if not shown:
        return _nothing(out, args, chosen, shown)
    _confirm(context, out, args, chosen, shown)
    kept: list[str] = []

    def tell(name: str) -> None:
        kept.append(name)
        if not args.json:
            out.say("restore.kept", ref=name)
            flush()

    done = restore(context, chosen, within, shown, tell)
    left = [*shown.left, *done.left]
    if args.json:
        out.json(
            _as_json(chosen, shown)
            | {"applied": True, "kept": kept[0], "put_back": done.put_back, "removed": done.removed}
            | {"left": [one._asdict() for one in left]}
        )
    else:
        for one in done.left:
            out.say("restore.left", path=one.path, why=out.text(f"restore.why-{one.why}", detail=one.detail))
        out.say("restore.done", put_back=len(done.put_back), removed=len(done.removed), ref=kept[0])
    return 1 if done.left else 0


def _list(context: HomeContext, args: Args, out: Output) -> int:
    from mi.app.snapshots import list_kept

    found = list_kept(context)
    if args.json:
        out.json([{"run_id": one.run_id, "batch_id": one.batch_id, "ref": one.ref, "time": one.time} for one in found])
        return 0
    for one in found:
        out.line(f"{_moment(one.time)}  {one.run_id}/{one.batch_id}")
    out.say("restore.list" if found else "restore.none", path=context.project.root)
    return 0


def _moment(seconds: float) -> str:
    import time

    return time.strftime("%Y-%m-%d %H:%M:%S", time.localtime(seconds))


def _show(out: Output, chosen: "ChosenSnapshots", shown: "Difference") -> None:
    first = chosen.first
    out.say("restore.head", ref=f"{first.run_id}/{first.batch_id}", time=_moment(first.time), top=chosen.top)
    lines = [("restore.put-back", path) for path in shown.put_back]
    lines += [("restore.remove", path) for path in shown.removed]
    for key, path in lines[:_MOST_SHOWN]:
        out.line(f"  {out.text(key)}  {show_path(path)}")
    if len(lines) > _MOST_SHOWN:
        out.say("restore.more", count=len(lines) - _MOST_SHOWN, ref=f"{first.run_id}/{first.batch_id}")
    for one in shown.left[:_MOST_SHOWN]:
        out.say("restore.left", path=one.path, why=out.text(f"restore.why-{one.why}", detail=one.detail))
    if len(shown.left) > _MOST_SHOWN:
        out.say("restore.more-left", count=len(shown.left) - _MOST_SHOWN)
    if shown.elsewhere:
        out.say("restore.elsewhere", count=shown.elsewhere, top=chosen.top)


def _nothing(out: Output, args: Args, chosen: "ChosenSnapshots", shown: "Difference") -> int:
    if args.json:
        out.json(_as_json(chosen, shown) | {"applied": False, "kept": None})
    else:
        out.say("restore.nothing")
    return 0


def _as_json(chosen: "ChosenSnapshots", shown: "Difference") -> dict[str, object]:
    return {
        "ref": chosen.first.ref,
        "commit": chosen.first.commit,
        "put_back": list(shown.put_back),
        "removed": list(shown.removed),
        "left": [one._asdict() for one in shown.left],
        "elsewhere": shown.elsewhere,
    }


def _confirm(context: HomeContext, out: Output, args: Args, chosen: "ChosenSnapshots", shown: "Difference") -> None:
    """Go on when the person says yes, or said --yes; Blocked otherwise."""
    from mi.cli.prompts import ask_person, is_yes

    if args.apply:
        return
    flush()
    question = out.text("restore.ask", put_back=len(shown.put_back), removed=len(shown.removed))
    if args.json or not is_yes(ask_person(context, question)):
        if args.json:
            out.json(_as_json(chosen, shown) | {"applied": False, "kept": None})
        raise Blocked("restore-unconfirmed", ref=args.ref)


def _diff(context: HomeContext, args: Args) -> int:
    from mi.app.run_diff import open_diff
    from mi.app.snapshots import choose_snapshots, find_scope, split_reference
    from mi.app.tree_run import open_tree_of
    from mi.project.tree_diff import list_changes, write_patch

    out = Output(context.language)
    context = open_tree_of(context, split_reference(context, args.ref)[0])
    chosen = choose_snapshots(context, args.ref)
    within = find_scope(context, chosen.top, args.paths) if args.paths else [""]
    with open_diff(context, chosen, within, args.now) as found:
        if args.json:
            changes = [one._asdict() for one in list_changes(found, within)]
            unseen = [{"path": path, "why": why} for path, why in found.unseen.items()]
            out.json({"ref": chosen.first.ref, "until": _until(chosen, args), "changes": changes, "unseen": unseen})
        else:
            out.line(write_patch(found, within, args.stat) or out.text("diff.nothing"))
            for path, why in list(found.unseen.items())[:_MOST_SHOWN]:
                context.notices.add("diff-unseen", chosen.top, file=path, why=out.text(f"restore.why-{why}"))
            if len(found.unseen) > _MOST_SHOWN:
                context.notices.add("diff-unseen-more", chosen.top, count=len(found.unseen) - _MOST_SHOWN)
    return 0


def _until(chosen: "ChosenSnapshots", args: Args) -> str | None:
    return None if args.now or chosen.last is None else chosen.last.ref
