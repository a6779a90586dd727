"""`mi inbox` and `mi answer`: what waits for you, in all projects."""

import msgspec

from mi.app import App
from mi.cli.arguments import Args, Parser, add_json, command
from mi.cli.output import Output, Progress
from mi.kernel.text import one_line


def parser(name: str) -> Parser:
    if name == "inbox":
        built = command("mi inbox", "What waits for you, in all projects, newest first.", "mi inbox --json", _list)
    else:
        built = command("mi answer", "Answer a question that waits.", 'mi answer qu_… "Use pytest."', _answer)
        built.add_argument("id", help="the question's id, from `mi inbox`")
        built.add_argument("text", nargs="+", help="your answer")
    add_json(built)
    return built


def _list(app: App, args: Args) -> int:
    from mi.inbox.waiting import waiting

    out = Output(app.language)
    found = waiting(app.home, app.evidence_index, Progress(out, "progress.indexing"))
    if args.json:
        out.json([msgspec.to_builtins(one.item) for one in found])
        return 0
    if not found:
        out.say("inbox.empty")
    for one in found:
        out.line(f"{one.item.id}  {one.item.kind}  {one_line(one.item.question, 200)}")
        out.line(f"  → {one.item.answer_with}")
    return 0


def _answer(app: App, args: Args) -> int:
    from mi.inbox.waiting import answer

    out = Output(app.language)
    text = " ".join(args.text)
    stored = answer(
        app.home, app.evidence_index, args.id, text, app.evidence_writer, Progress(out, "progress.indexing")
    )
    if args.json:
        out.json({"event_id": stored.event_id, "question_id": stored.question_id})
    else:
        out.say("inbox.answered", id=args.id, event_id=stored.event_id)
    return 0
