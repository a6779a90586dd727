"""`mi nexus memory`: what the project learned, one file per topic."""

import argparse
from typing import Any

from mi.app.home_context import HomeContext
from mi.app.nexus import build_nexus, record_nexus_event
from mi.cli.arguments import Args, Group
from mi.cli.nexus_calls import add_where, print_answer, print_findings
from mi.cli.output import Output
from mi.kernel.errors import Blocked, MiError

READER = "person"  # of a file that is shown on the command line, unless an agent says who it is


def add_to(group: Group) -> None:
    """Add the subcommands of `mi nexus memory`."""
    memory = group.add_group("memory", "what the project learned, one file per topic", "mi nexus memory list")
    memory.add("list", "list the memory files", "mi nexus memory list", _list, add_where)
    example = 'mi nexus memory add "WAL mode halves the write time here." --name wal-write-time --category empirical'
    memory.add("add", "keep something; a file that says it already is extended", example, _add, _fill_add)
    memory.add(
        "show", "show a memory file; counts as reading it", "mi nexus memory show wal-write-time", _show, _fill_show
    )
    gc = "mi nexus memory gc --apply empirical-wal-write-time"
    memory.add("gc", "show what could be forgotten; --apply does it", gc, _gc, _fill_gc)
    restored = "mi nexus memory restore empirical-wal-write-time"
    memory.add("restore", "bring a deleted memory file back", restored, _restore, _fill_name)
    memory.add("lint", "check names, places and twins", "mi nexus memory lint", _lint, add_where)
    merge = "mi nexus memory merge-access mine.jsonl theirs.jsonl"
    memory.add("merge-access", "add up access logs given by name", merge, _merge_access, _fill_logs)


def _fill_add(parser: argparse.ArgumentParser) -> None:
    parser.add_argument("text", nargs="*", help="what to keep; - reads standard input")
    parser.add_argument("--name", default="", metavar="NAME", help="the topic in 2 to 4 words, e.g. wal-write-time")
    parser.add_argument("--category", default="", metavar="NAME", help="empirical, external or pattern")
    parser.add_argument("--new", action="store_true", help="insist on a new file")
    parser.add_argument("--force", action="store_true", help="keep it although code or the web could give it again")
    add_where(parser)


def _fill_name(parser: argparse.ArgumentParser) -> None:
    parser.add_argument("name", help="the file's name, with or without .md")
    add_where(parser)


def _fill_show(parser: argparse.ArgumentParser) -> None:
    _fill_name(parser)
    parser.add_argument("--reader", default=READER, metavar="ID", help="who reads, as it is counted")


def _fill_gc(parser: argparse.ArgumentParser) -> None:
    parser.add_argument("names", nargs="*", metavar="name", help="these files only")
    parser.add_argument("--apply", action="store_true", help="delete and merge, each as a git commit")
    add_where(parser)


def _fill_logs(parser: argparse.ArgumentParser) -> None:
    parser.add_argument("logs", nargs="+", metavar="file", help="a memory-access.jsonl")
    add_where(parser)


def _list(context: HomeContext, args: Args) -> int:
    from mi.nexus.knowledge import list_files

    found = list_files(build_nexus(context), "memory")
    fields = {"files": [{"name": one.name, "title": one.title, "size": one.size} for one in found]}

    def show(out: Output) -> None:
        for one in found:
            out.line(f"  {one.name}  {one.title}")
        if not found:
            out.say("memory.none")

    code = print_answer(context, args, fields, show)
    context.note_last()
    return code


def _add(context: HomeContext, args: Args) -> int:
    from mi.cli.governed import require_leave
    from mi.cli.input_files import read_given_text
    from mi.nexus.memory import add

    text = read_given_text("-") if args.text in (["-"], []) else " ".join(args.text)
    require_leave(context, args, "mi nexus memory add", text)
    wanted: dict[str, Any] = {"name": args.name, "category": args.category, "new": args.new}
    try:
        added = add(build_nexus(context), text, context.config.nexus, force=args.force, **wanted)
    except Blocked as doubt:
        if not _insists(context, doubt):
            raise
        added = add(build_nexus(context), text, context.config.nexus, force=True, **wanted)
    record_nexus_event(context, "memory_add", {"name": added.name, "merged": added.merged, "changed": added.changed})
    fields = {"name": added.name, "path": added.path, "merged": added.merged, "changed": added.changed}

    def show(out: Output) -> None:
        key = "memory.added" if not added.merged else "memory.extended" if added.changed else "memory.known"
        out.say(key, name=added.name)

    return print_answer(context, args, fields, show)


def _insists(context: HomeContext, doubt: MiError) -> bool:
    """Ask once, where somebody is there to ask."""
    from mi.cli.prompts import ask_person, is_yes

    return is_yes(
        ask_person(context, f"{doubt.line(context.language)}\n{Output(context.language).text('memory.insist')}")
    )


def _show(context: HomeContext, args: Args) -> int:
    from mi.nexus.memory import show

    text = show(build_nexus(context), args.name, args.reader)
    return print_answer(context, args, {"name": args.name, "text": text}, lambda out: out.line(text.rstrip("\n")))


def _gc(context: HomeContext, args: Args) -> int:
    from mi.nexus import memory_gc
    from mi.nexus.memory import find_memory

    settings = context.config.nexus
    wanted = {memory_gc.name_memory_file(name) for name in args.names}
    for name in wanted:
        find_memory(build_nexus(context), name)
    found = memory_gc.find_stale(build_nexus(context), settings.memory_gc)
    pairs = memory_gc.find_merges(build_nexus(context), settings)
    if wanted:
        found = [one for one in found if one.name in wanted]
        pairs = [one for one in pairs if one.source in wanted and one.into not in wanted]
    if args.apply:
        return _apply(context, args, [one.name for one in found], sorted(wanted), pairs)
    proposed = [one._asdict() for one in pairs]
    fields = {"candidates": [one.fields() for one in found], "merges": proposed, "applied": False}
    return print_answer(context, args, fields, lambda out: _propose(out, found, pairs))


def show_candidates(context: HomeContext, args: Args, out: Output) -> None:
    """Print what could be forgotten or merged; delete nothing."""
    from mi.nexus import memory_gc

    found = memory_gc.find_stale(build_nexus(context), context.config.nexus.memory_gc)
    pairs = memory_gc.find_merges(build_nexus(context), context.config.nexus)
    if args.json:
        out.json({"candidates": [one.fields() for one in found], "merges": [one._asdict() for one in pairs]})
    else:
        _propose(out, found, pairs)


def _propose(out: Output, found: list[Any], pairs: list[Any]) -> None:
    for one in found:
        measured = {"days": one.days, "cycles": one.cycles, "accesses": one.accesses}
        marks = sum(one.signals.values())
        out.say("memory.candidate", name=one.name, marks=f"{marks}/3", **measured)
    for pair in pairs:
        out.say("memory.twins", source=pair.source, into=pair.into, percent=round(pair.share * 100))
    out.say("memory.gc-how" if found or pairs else "memory.gc-none")


def _apply(context: HomeContext, args: Args, listed: list[str], wanted: list[str], pairs: list[Any]) -> int:
    from mi.nexus import memory_gc

    settings = context.config.nexus
    names = wanted
    if not wanted:
        forgotten = {
            one.name for one in memory_gc.find_stale(build_nexus(context), settings.memory_gc) if one.forgotten
        }
        pairs = [pair for pair in pairs if not {pair.source, pair.into} <= forgotten]
        needed = {pair.into for pair in pairs}  # what takes another one in is not forgotten
        names = [name for name in listed if name in forgotten - needed]
    merging = {pair.source for pair in pairs}
    names = [name for name in names if name not in merging]
    done = memory_gc.apply(build_nexus(context), settings, names, pairs)
    fields = {"deleted": done.deleted, "merged": [one._asdict() for one in done.merged], "commits": done.commits}
    record_nexus_event(context, "memory_gc", fields)

    def show(out: Output) -> None:
        for name in done.deleted:
            out.say("memory.deleted", name=name)
        for pair in done.merged:
            out.say("memory.merged", source=pair.source, into=pair.into)
        if not done.commits:
            out.say("memory.gc-none")

    return print_answer(context, args, fields | {"applied": True}, show)


def _restore(context: HomeContext, args: Args) -> int:
    from mi.nexus.memory_gc import restore

    path = restore(build_nexus(context), args.name)
    record_nexus_event(context, "memory_restore", {"name": args.name})
    return print_answer(context, args, {"path": path}, lambda out: out.say("memory.restored", path=path))


def _lint(context: HomeContext, args: Args) -> int:
    from mi.nexus.memory_gc import MemoryFault, lint_memory

    def say(out: Output, one: MemoryFault) -> None:
        out.say("memory-lint." + one.rule, name=one.name, detail=one.detail)

    return print_findings(
        context, args, list(lint_memory(build_nexus(context), context.config.nexus)), "lint.none", say
    )


def _merge_access(context: HomeContext, args: Args) -> int:
    import os

    import msgspec

    from mi.kernel.errors import NotFound
    from mi.nexus.access import encode_records, merge_records

    for log in args.logs:
        if not os.path.isfile(log):
            raise NotFound("no-access-log", path=log)
    records = merge_records(args.logs)
    said = encode_records(records).decode().rstrip("\n")
    return print_answer(context, args, {"records": msgspec.to_builtins(records)}, lambda out: out.line(said))
