"""The end of a run, as its terminal tells it."""

import msgspec

from mi.app.home_context import HomeContext
from mi.cli.output import Output
from mi.cli.run_story import list_grounds
from mi.evidence.records.run import RunEnd
from mi.kernel.errors import MiError


def print_summary(context: HomeContext, out: Output, end: RunEnd, elapsed_s: float) -> None:
    """Print how a run ended, what that rests on, what it changed and spent, and what to do next."""
    marks = msgspec.to_builtins(end.marks)
    shown = "  ".join(
        f"{out.text('mark.' + name)} {'✓' if held else '✗'}" for name, held in marks.items() if held is not None
    )
    spent = end.spent
    unknown = out.text("run.unknown")
    out.say("run.end", status=out.text("run." + end.status), reason=end.reason)
    out.say("run.marks", marks=shown)
    for line in list_grounds(out, end):
        out.line(line)
    _print_changes(context, out, end.run_id)
    out.say(
        "run.spent",
        elapsed=f"{elapsed_s:.1f}",
        seconds=unknown if spent.seconds is None else f"{spent.seconds:.1f}",
        tokens=unknown
        if spent.input_tokens is None or spent.output_tokens is None
        else spent.input_tokens + spent.output_tokens,
        cost=unknown if spent.cost_usd is None else f"{spent.cost_usd:.4f}",
        calls=spent.calls,
    )
    for kept in end.kept:
        from mi.cli.answer import say_kept

        say_kept(out, kept)
    if end.evidence_ids:
        out.say("run.rests-on", evidence=" ".join(end.evidence_ids[-3:]))
    if context.project.linked_to:
        from mi.cli.run_tree import print_tree

        print_tree(context, out, end)
    out.say("run.look", run_id=end.run_id)
    if end.status in ("blocked", "interrupted"):
        _print_question(context, out, end.run_id)
        out.say("run.resume", run_id=end.run_id)


def _print_changes(context: HomeContext, out: Output, run_id: str) -> None:
    """Print how much a run changed, where its snapshots tell."""
    from mi.app.run_diff import open_diff
    from mi.app.snapshots import choose_snapshots
    from mi.project.tree_diff import list_changes

    try:
        with open_diff(context, choose_snapshots(context, run_id), [""], until_now=False) as found:
            changes = list_changes(found, [""])
    except MiError:
        return
    if changes:
        added, removed = (sum(getattr(one, name) or 0 for one in changes) for name in ("added", "removed"))
        out.say("run.changes", count=len(changes), added=added, removed=removed)


def _print_question(context: HomeContext, out: Output, run_id: str) -> None:
    """Print the question that a run stopped at, and how to answer it."""
    from mi.cli.inbox import name_answer
    from mi.evidence.inbox import read_item
    from mi.evidence.inbox_numbers import number_one
    from mi.evidence.open_items import open_items
    from mi.kernel.safe_text import shorten_gist

    events = open_items(context.project_home.evidence, context.evidence_index, context.notices).events
    own = (event.record() for event in reversed(events) if event.head.run_id == run_id)
    found = (read_item(record, context.project.project_id, context.project.root) for record in own)
    item = next((one for one in found if one and one.blocks), None)
    if item is None:
        return
    number = number_one(context.home, item.id, context.notices)
    out.say("run.waits", question=shorten_gist(item.question, 300))
    for option in item.options:
        if option.text:
            out.say("run.option", key=option.key, text=shorten_gist(option.text, 300))
    out.say("run.answer", command=name_answer(item, number))
