"""A run as a person looks back at it: task, how it ended and by what, what was asked and answered."""

from mi.cli.output import Output
from mi.evidence.records.run import RunEnd
from mi.evidence.run_story import AskedInRun, RunStory
from mi.kernel.safe_text import shorten_gist
from mi.kernel.shell.exits import NOT_INSTALLED, describe_exit
from mi.kernel.shell.spoken import unwrap_shell

_SHOWN = 2  # questions, and answers: the latest ones
_PROVED_BY = ("verified", "proved")  # rows of `done` that a check closes


def print_story(out: Output, story: RunStory, with_reasons: bool = False) -> int:
    """Print it, a line for each thing; return how many lines that were."""
    end = story.end
    lines = [out.text("story.task", task=shorten_gist(story.task, 200), batches=story.batches)]
    lines += list_grounds(out, end) if end else []
    for asked in story.asked[-_SHOWN:]:
        lines.append(_tell_question(out, asked))
        if with_reasons and (asked.why or asked.would):
            would = out.text("story.would", answer=shorten_gist(asked.would, 60)) if asked.would else ""
            lines.append(out.text("story.why-asked", why=shorten_gist(asked.why, 120), would=would))
    for given in story.answered[-_SHOWN:]:
        cited = " ".join(given.cited_ids) or given.event_id
        lines.append(out.text("story.answered", answer=shorten_gist(given.answer, 120), cited=cited))
    status = out.text("run." + end.status if end else "story.open")
    reason = f": {shorten_gist(end.reason, 300)}" if end and end.reason else ""
    for line in (f"{story.run_id}  {status}{reason}", *lines):
        out.line(line)
    return 1 + len(lines)


def _tell_question(out: Output, asked: AskedInRun) -> str:
    key = "dismissed" if asked.dismissed else "asked" if asked.answer else "asked-open"
    details = {"question": shorten_gist(asked.question, 120), "answer": shorten_gist(asked.answer, 80)}
    return out.text("story." + key, id=asked.id, **details)


def list_grounds(out: Output, end: RunEnd) -> list[str]:
    """Return what a verdict rests on: which check and who ran it, or what was seen last and what to do about it."""
    by, last = end.verified_by, end.last_seen
    lines: list[str] = []
    if end.status == "done" and by is not None:
        covers = ", ".join(by.covers) or out.text("run.whole-project")
        key = "run.by-mi" if by.by == "mi" else "run.by-agent"
        lines.append(out.text(key, command=unwrap_shell(by.command), covers=covers))
    if end.status == "blocked" and last is not None:
        code = describe_exit(last.exit_code, out.language)
        lines.append(out.text("run.last-seen", command=unwrap_shell(last.command), code=code))
        lines += [f"             {line}" for line in last.tail.splitlines()]
        lines += [out.text("run.not-installed")] if last.exit_code == NOT_INSTALLED else []
    no_command = end.status == "blocked" and last is None and "verified" in end.open_rows
    if end.proof:
        lines.append(out.text("run.proof", said=end.proof))
    if no_command and end.marks.proved is None:
        lines.append(out.text("run.not-seen"))
    if end.status == "blocked" and not {*_PROVED_BY}.isdisjoint(end.open_rows):
        lines.append(out.text("run.check"))
    return lines
