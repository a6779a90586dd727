"""`mi show`: one thing, by its id or by a name such as `last`."""

from typing import Any

from mi.app import App
from mi.cli.arguments import Args, Parser, add_cd, add_count, add_json, add_redact, command
from mi.cli.output import Output, Progress
from mi.kernel.errors import NotFound, UsageError
from mi.kernel.text import one_line, printable

_PREVIEW = 600  # characters of a folded text


def parser(name: str) -> Parser:
    built = command(
        "mi show",
        "Show one thing: an event (ev_…), claim (cl_…), node (nd_…), edge (ed_…) or workflow (wf_…), a transcript "
        "file, or last, hands, mind, project.",
        "mi show last",
    )
    built.set_defaults(run=_run)
    built.add_argument("ref", help="an id, a transcript's path, or last, hands, mind, project")
    built.add_argument("--global", dest="only_global", action="store_true", help="look in the global evidence only")
    add_count(built, "lines of a transcript (default 200)")
    add_cd(built)
    add_json(built)
    add_redact(built)
    built.add_argument("--full", action="store_true", help="do not fold long texts")
    return built


def _run(app: App, args: Args) -> int:
    out = Output(app.language)
    ref: str = args.ref
    prefix = ref.partition("_")[0] if "_" in ref else ""
    if ref == "last":
        code = _show_last(app, out, args)
    elif ref in ("hands", "mind"):
        from mi.cli.tail import show_transcript

        code = show_transcript(app, out, args, ref)
    elif ref == "project":
        from mi.cli import project

        code = project.show(app, args)
    elif ref.endswith((".jsonl", ".jsonl.gz")):
        from mi.cli.tail import print_transcript

        return print_transcript(out, ref, args.count, args.json, args.redact)
    elif prefix == "ev":
        code = _show_event(app, out, args)
    elif prefix in ("cl", "nd", "ed"):
        code = _show_thought(app, out, args)
    elif prefix == "wf":
        code = _show_workflow(app, out, args)
    else:
        raise UsageError("unknown-ref", ref=ref)
    app.note_last()
    return code


def _show_event(app: App, out: Output, args: Args) -> int:
    logs = [app.home.evidence] if args.only_global else [app.project_home.evidence, app.home.evidence]
    progress = Progress(out, "progress.indexing")
    for log in logs:
        event = app.evidence_index.find(log, args.ref, progress)
        if event is not None:
            break
    else:
        raise NotFound("unknown-id", ref=args.ref, where=" , ".join(logs))
    _show_object(out, args, event.fields())
    return 0


def _show_thought(app: App, out: Output, args: Args) -> int:
    from mi.thoughtdb.describe import described

    thoughts = app.read_thoughts("global" if args.only_global else "effective")
    found = thoughts.get(args.ref)
    if found is None:
        roots = f"{app.project_thoughts.files.root} , {app.global_thoughts.files.root}"
        raise NotFound("unknown-id", ref=args.ref, where=roots)
    _show_object(out, args, described(found, thoughts))
    return 0


def _show_workflow(app: App, out: Output, args: Args) -> int:
    import os

    from mi.kernel.files import read_bytes

    folders = [app.home.workflows] if args.only_global else [app.project_home.workflows, app.home.workflows]
    for folder in folders:
        data = read_bytes(os.path.join(folder, os.path.basename(args.ref) + ".json"))
        if data is not None:
            _show_object(out, args, _decoded(data))
            return 0
    raise NotFound("unknown-id", ref=args.ref, where=" , ".join(folders))


def _decoded(data: bytes) -> Any:
    from mi.kernel.errors import StorageError
    from mi.kernel.jsontext import BadJson, decode

    try:
        return decode(data, object)
    except BadJson as error:
        raise StorageError("unreadable-record", reason=str(error)) from None


def _show_object(out: Output, args: Args, value: Any) -> None:
    if args.json:
        out.json(value)
    else:
        print_fields(out, value, args.full)


def print_fields(out: Output, value: dict[str, Any], full: bool) -> None:
    """Fields one below the other; nested ones as compact JSON, long ones folded."""
    import msgspec

    for name, field in value.items():
        if field in ("", None, [], {}):
            continue
        text = field if isinstance(field, str) else msgspec.json.encode(field).decode()
        _print_text(out, name, text, full)


def _print_text(out: Output, name: str, text: str, full: bool) -> None:
    shown = text if full or len(text) <= _PREVIEW else text[:_PREVIEW]
    lines = printable(shown).splitlines() or [""]
    out.line(f"{name:<22} {lines[0]}")
    for line in lines[1:]:
        out.line(" " * 23 + line)
    if len(shown) < len(text):
        out.line(" " * 23 + out.text("show.folded", more=len(text) - len(shown)))


def _show_last(app: App, out: Output, args: Args) -> int:
    from mi.evidence.bundle import latest_batch

    log = app.project_home.evidence
    bundle = latest_batch(log, app.evidence_index, app.notices, Progress(out, "progress.indexing"))
    if bundle is None:
        raise NotFound("no-batch", path=log)
    if args.json:
        out.json(bundle)
        return 0
    full = args.full or not app.config.runtime.transparency.ui_expandable_transcript
    out.say("last.head", run=bundle["run_id"], batch=bundle["batch_id"], ts=bundle["ts"])
    sent = bundle["hands_input"]
    _print_text(out, "mi->hands", f"{sent.get('light_injection', '')}\n{sent.get('input', '')}".strip(), full)
    _print_text(out, "hands", bundle["hands_last_message"] or "-", full)
    for kind in (
        "evidence",
        "risk_event",
        "check_plan",
        "auto_answer",
        "decide_next",
        "loop_guard",
        "loop_break",
        "why_trace",
    ):
        if bundle[kind]:
            _print_text(out, kind, _headline(bundle[kind]), full)
    for suggestion in bundle["learn_suggested"]:
        _print_text(out, "learn_suggested", f"{suggestion.get('id', '')} {suggestion.get('text', '')}", full)
    for ref in [bundle["hands_transcript_ref"], *bundle["mind_transcript_refs"]]:
        if ref:
            out.line(f"{'transcript':<22} {ref}")
    out.line(f"{'events':<22} {one_line(' '.join(bundle['event_ids']), 400)}")
    return 0


def _headline(raw: dict[str, Any]) -> str:
    """The record's own headline, with its id to look further."""
    import msgspec

    from mi.evidence.reader import Event, Head

    data = msgspec.json.encode(raw)
    record = Event(0, len(data), msgspec.convert(raw, Head), data, False).record()
    return f"{record.headline() if record else ''}  ({raw.get('event_id', '')})"
