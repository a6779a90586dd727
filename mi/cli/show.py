"""`mi show`: one thing, by its id or by a name such as `last`."""

from typing import Any

from mi.app.home_context import HomeContext
from mi.app.run_names import find_run_id, is_short_name
from mi.app.thoughts import build_thoughts
from mi.cli.arguments import Args, Parser, add_cd, add_count, add_json, add_redact, command
from mi.cli.output import Output, Progress, redact_value
from mi.kernel.errors import NotFound, UsageError
from mi.kernel.safe_text import make_safe, shorten_gist
from mi.kernel.secrets import LOOK_AHEAD
from mi.kernel.text import pad

_PREVIEW = 600  # characters of a folded text


def build_parser(name: str) -> Parser:
    """Build the parser of the command."""
    built = command(
        "mi show",
        "Show one thing: a run (run_…), event (ev_…), claim (cl_…), node (nd_…), edge (ed_…), workflow (wf_…), "
        "question (qu_…) or suggestion (ls_…), a transcript file, or last, hands, mind, project.",
        "mi show last",
    )
    built.set_defaults(run=_run)
    built.add_argument("ref", help="an id, a transcript's path, or last, hands, mind, project")
    built.add_argument(
        "run_id", nargs="?", metavar="run", default="", help="with last, hands, mind: the run that is meant"
    )
    built.add_argument("--global", dest="only_global", action="store_true", help="look in the global evidence only")
    add_count(built, "lines of a transcript (default 200)")
    built.add_argument("--jsonl", action="store_true", help="print the stored transcript lines")
    add_cd(built)
    add_json(built)
    add_redact(built)
    built.add_argument("--full", action="store_true", help="do not fold long texts")
    return built


def _run(context: HomeContext, args: Args) -> int:
    out = Output(context.language)
    if is_short_name(args.ref):
        args.ref = find_run_id(context, args.ref)
        if is_short_name(args.ref):
            raise NotFound("not-a-run", run_id=args.ref, path=context.home.projects)
    ref: str = args.ref
    prefix = ref.partition("_")[0] if "_" in ref else ""
    if args.jsonl and not (ref in ("hands", "mind") or ref.endswith((".jsonl", ".jsonl.gz"))):
        raise UsageError("only-transcripts")
    if args.run_id and ref not in ("last", "hands", "mind"):
        raise UsageError("only-with-last", value=args.run_id)
    if ref == "last":
        _show_last(context, out, args)
    elif ref in ("hands", "mind"):
        from mi.cli.transcripts import show_latest

        show_latest(context, out, args, ref, args.run_id)
    elif ref == "project":
        from mi.cli import project

        project.show(context, args)
    elif ref.endswith((".jsonl", ".jsonl.gz")):
        from mi.cli import transcripts

        transcripts.show(out, args, ref)
    elif prefix in _BY_ID and ref.isprintable():
        _BY_ID[prefix](context, out, args)
        if not args.only_global:
            context.note_last()
    else:
        raise UsageError("unknown-ref", ref=ref)
    return 0


def _show_event(context: HomeContext, out: Output, args: Args) -> None:
    logs = [context.home.evidence] if args.only_global else [context.project_home.evidence, context.home.evidence]
    progress = Progress(out, "progress.indexing")
    for log in logs:
        event = context.evidence_index.find(log, args.ref, progress)
        if event is not None:
            break
    else:
        raise NotFound("unknown-id", ref=args.ref, where=" , ".join(logs))
    fields = event.fields()
    if any(mark in event.raw for mark in (b'"cl_', b'"nd_', b'"wf_')):
        from mi.app.reach import mark_event

        fields = mark_event(context, log, fields)
    _show_object(out, args, fields)


def _show_thought(context: HomeContext, out: Output, args: Args) -> None:
    from mi.knowledge.thoughts.description import described

    thoughts = build_thoughts(context).read("global" if args.only_global else "effective")
    found = thoughts.get(args.ref)
    if found is None:
        stores = build_thoughts(context)
        roots = f"{stores.own.files.root} , {stores.shared.files.root}"
        raise NotFound("unknown-id", ref=args.ref, where=roots)
    _show_object(out, args, described(found, thoughts))


def _show_workflow(context: HomeContext, out: Output, args: Args) -> None:
    import os

    from mi.kernel.files import read_bytes

    folders = [context.home.workflows] if args.only_global else [context.project_home.workflows, context.home.workflows]
    for folder in folders:
        data = read_bytes(os.path.join(folder, os.path.basename(args.ref) + ".json"))
        if data is not None:
            _show_object(out, args, _decoded(data))
            return
    raise NotFound("unknown-id", ref=args.ref, where=" , ".join(folders))


def _decoded(data: bytes) -> dict[str, Any]:
    from mi.kernel.errors import StorageError
    from mi.kernel.jsontext import BadJson, decode

    try:
        return decode(data, dict[str, Any])
    except BadJson as error:
        raise StorageError("unreadable-record", reason=str(error)) from None


def _show_run(context: HomeContext, out: Output, args: Args) -> None:
    from mi.evidence.latest import whole_run

    progress = Progress(out, "progress.indexing")
    for log in _all_logs(context, args):
        found = whole_run(log, args.ref, context.evidence_index, progress)
        if found is not None:
            from mi.app.reach import mark_run

            _show_object(out, args, mark_run(context, log, found, progress))
            return
    raise NotFound("not-a-run", run_id=args.ref, path=context.home.projects)


def _show_open(context: HomeContext, out: Output, args: Args) -> None:
    """Print a question or suggestion, with its answer once there is one."""
    from mi.evidence.reader import read_at, read_whole
    from mi.evidence.records.table import PAIRS

    asked = "question" if args.ref.startswith("qu_") else "learn_suggested"
    progress = Progress(out, "progress.indexing")
    for log in _all_logs(context, args):
        offsets = [context.evidence_index.referring(log, kind, args.ref, progress) for kind in (asked, PAIRS[asked])]
        events = [read_at(log, offset) if offset is not None else None for offset in offsets]
        if events[0] is not None:
            answer = read_whole(log, events[1]).fields() if events[1] is not None else None
            _show_object(out, args, read_whole(log, events[0]).fields() | {"answered_by": answer})
            return
    raise NotFound("unknown-id", ref=args.ref, where=context.home.projects)


def _all_logs(context: HomeContext, args: Args) -> list[str]:
    """Return the project's log, the global one, and, as the inbox is of all projects, those of the others."""
    import os

    others = context.home.project_ids()
    own = [] if args.only_global else [context.project_home.evidence]
    logs = [
        *own,
        context.home.evidence,
        *([] if args.only_global else (context.home.project(one).evidence for one in others)),
    ]
    return [log for log in dict.fromkeys(logs) if os.path.exists(log)]


_BY_ID = {
    "ev": _show_event,
    "cl": _show_thought,
    "nd": _show_thought,
    "ed": _show_thought,
    "wf": _show_workflow,
    "run": _show_run,
    "qu": _show_open,
    "ls": _show_open,
}


def _show_object(out: Output, args: Args, value: dict[str, Any]) -> None:
    if args.json:
        out.json(value)
    else:
        print_fields(out, redact_value(value), args.full)


def print_fields(out: Output, value: dict[str, Any], full: bool) -> None:
    """Fields one below the other; nested ones as compact JSON, long ones folded."""
    import msgspec

    for name, field in value.items():
        if field in ("", None, [], {}):
            continue
        text = field if isinstance(field, str) else msgspec.json.encode(field).decode()
        _print_text(out, name, text, full)


def _print_text(out: Output, name: str, text: str, full: bool) -> None:
    """Print a text below its name; made safe as a whole, because a secret may go over several lines."""
    shown = make_safe(text) if full or len(text) <= _PREVIEW else make_safe(text[: _PREVIEW + LOOK_AHEAD])[:_PREVIEW]
    out.beside(f"{pad(shorten_gist(name, 40), 22)} ", shown)
    if not full and len(text) > _PREVIEW:
        out.line(" " * 23 + out.text("show.folded", more=len(text) - _PREVIEW))


def _show_last(context: HomeContext, out: Output, args: Args) -> None:
    from mi.app.tree_run import find_tree_run
    from mi.cli.run_story import print_story
    from mi.evidence.bundle import find_latest_batch, list_judgements
    from mi.evidence.run_story import read_story

    log = context.project_home.evidence
    progress = Progress(out, "progress.indexing")
    run_id = find_run_id(context, args.run_id) or find_tree_run(context)
    bundle = find_latest_batch(log, context.evidence_index, context.notices, progress, run_id)
    if bundle is None:
        raise NotFound("not-a-run", run_id=args.run_id, path=log) if args.run_id else NotFound("no-batch", path=log)
    bundle["state_corrupt_recent"] = bundle["state_corrupt_recent"] or _find_corrupt(context, log, progress)
    context.note_last()
    story = read_story(log, str(bundle["run_id"]), context.evidence_index, progress)
    if args.json:
        out.json(bundle | {"run": story.show()})
        return
    print_story(out, story)
    out.line()
    bundle = redact_value(bundle)
    full = args.full or not context.config.runtime.transparency.ui_expandable_transcript
    out.say("last.head", run=bundle["run_id"], batch=bundle["batch_id"], ts=bundle["ts"])
    sent = bundle["hands_input"]
    _print_text(out, "mi->hands", f"{sent.get('light_injection', '')}\n{sent.get('input', '')}".strip(), full)
    _print_text(out, "hands", bundle["hands_last_message"] or "-", full)
    for raw in list_judgements(bundle):
        _print_text(out, out.word(raw["kind"]), _headline(out, raw), full)
    if bundle["state_corrupt_recent"]:
        _print_text(out, out.word("state_corrupt"), _headline(out, bundle["state_corrupt_recent"]), full)
    for ref in [bundle["hands_transcript_ref"], *bundle["mind_transcript_refs"]]:
        if ref:
            out.line(f"{pad(out.text('show.transcript'), 22)} {ref}")
    out.beside(f"{pad(out.text('show.events'), 22)} ", shorten_gist(" ".join(bundle["event_ids"]), 400))


def _find_corrupt(context: HomeContext, log: str, progress: Progress) -> dict[str, Any] | None:
    """Return what was last set aside of the project's state, else of the home's."""
    from mi.evidence.reader import read_at

    for one in (log, context.home.evidence):
        offset = context.evidence_index.latest(one, "state_corrupt", progress)
        event = read_at(one, offset) if offset is not None else None
        if event is not None:
            return event.fields()
    return None


def _headline(out: Output, raw: dict[str, Any]) -> str:
    """Return the record's own headline, with its id to look further."""
    import msgspec

    from mi.evidence.reader import Event, Head

    data = msgspec.json.encode(raw)
    record = Event(0, len(data), msgspec.convert(raw, Head), data, False).record()
    return f"{record.headline(out.word) if record else ''}  ({raw.get('event_id', '')})"
