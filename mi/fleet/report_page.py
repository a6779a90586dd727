"""What a report says, in the person's language: a whole page of a run, or the text of a pull request."""

import os
from collections.abc import Iterator

from mi import __version__
from mi.evidence.records.proof import Proof, ProvedCheck
from mi.evidence.run_story import AskedInRun
from mi.fleet.report import ReportedDiff, ReportedFile, ReportedPart, RunReport
from mi.fleet.report_document import (
    Chapter,
    Figures,
    Paper,
    Paragraph,
    Part,
    PatchText,
    Point,
    Points,
    Quote,
    Spans,
    clean,
    fill,
    list_points,
    quote,
)
from mi.kernel import messages
from mi.kernel.text import fit_one_line

_TITLE = 72  # columns of a pull request's title
_FILES = 200  # of a list
_TESTS = 20  # of one kind that are named
_ROWS = ("moved", "parts", "unbent")  # of `done`; the others are the marks
_MARKS = ("ran", "claimed", "verified", "proved")


class ReportTeller:
    """Says a report in one language."""

    def __init__(self, report: RunReport, language: str) -> None:
        self._report = report
        self._language = language

    def write_page(self) -> Paper:
        """Return everything that is known of the run."""
        chapters = [
            Chapter("", (self._say_status(), self._list_facts(), *self._warn())),
            Chapter(self._text("task"), (Quote(clean(self._report.story.task)),)),
            self._show_parts(),
            self._show_checks(),
            self._show_changes(with_patch=True),
            self._show_questions(),
            self._show_cost(),
            self._show_lessons(),
        ]
        return self._make_paper(chapters)

    def write_request(self) -> Paper:
        """Return the text of a pull request: the platform itself shows the difference."""
        task = clean(self._report.story.task)
        is_long = fit_one_line(task, _TITLE) != task.strip()
        chapters = [
            Chapter(self._text("task"), (Quote(task),)) if is_long else Chapter("", ()),
            self._show_changes(with_patch=False),
            self._show_parts(),
            self._show_checks(),
            self._show_questions(),
            Chapter(self._text("run"), (self._say_status(), self._list_facts(), *self._warn())),
        ]
        return self._make_paper(chapters)

    def _make_paper(self, chapters: list[Chapter]) -> Paper:
        story = self._report.story
        return Paper(
            fit_one_line(clean(story.task.strip().partition("\n")[0] or story.run_id), _TITLE),
            self._language,
            tuple(chapter for chapter in chapters if chapter.parts),
            self._text("foot", run=story.run_id, version=__version__),
        )

    def _text(self, key: str, **details: object) -> str:
        return messages.text(f"report.{key}", self._language, **details)

    def _fill(self, key: str, **details: object) -> Spans:
        return fill(f"report.{key}", self._language, **details)  # type: ignore[arg-type]

    def _say_status(self) -> Paragraph:
        end, marks = self._report.story.end, self._report.marks
        status = messages.text("run." + end.status if end else "story.open", self._language)
        shown = {name: getattr(marks, name) for name in _MARKS}
        told = [
            f"{messages.text('mark.' + name, self._language)} {'✓' if held else '✗'}"
            for name, held in shown.items()
            if held is not None
        ]
        reason = self._fill("because", reason=quote(end.reason)) if end and end.reason else ()
        return Paragraph((f"{status} · {'  '.join(told)}", *reason))

    def _list_facts(self) -> Figures:
        story, start = self._report.story, self._report.start
        facts = [
            ("run", story.run_id),
            ("project", os.path.basename(start.main_root or start.project_root)),  # its place is nobody else's matter
            ("branch", start.branch),
            ("merged-into", self._report.merged_into),
            ("agent", start.hands),
            ("mind", start.mind),
            ("began", story.started),
            ("ended", story.end.ts if story.end else ""),
            ("batches", str(story.batches)),
            ("list-task", start.list_task),
        ]
        rows = tuple(((self._text(name),), (quote(value),)) for name, value in facts if value)
        return Figures((), rows)

    def _warn(self) -> Iterator[Paragraph]:
        if self._report.unreadable:
            yield Paragraph(self._fill("damaged", count=self._report.unreadable))

    def _show_parts(self) -> Chapter:
        task, parts = self._report.story.task.strip(), self._report.parts
        if [part.text.strip() for part in parts] == [task] and parts[0].state == "unclear" and not parts[0].evidence:
            return Chapter("", ())  # the task as a whole, of which nothing more is known
        points = tuple(map(self._show_part, parts))
        return Chapter(self._text("parts"), (Points(points, is_checklist=True),) if points else ())

    def _show_part(self, part: ReportedPart) -> Point:
        missing = [self._fill("missing", what=quote(one)) for one in part.missing]
        names = [self._fill("in-files", names=quote(", ".join(part.seen)))] if part.seen else []
        seen = [self._fill("seen", what=quote(said), id=quote(one)) for one, said in part.evidence.items()]
        unclear = [self._fill("unclear")] if part.state == "unclear" and not seen else []
        is_done = None if part.state == "unclear" else part.state == "done"
        return Point((quote(part.text),), is_done, (*missing, *names, *seen, *unclear))

    def _show_checks(self) -> Chapter:
        report, parts = self._report, list[Part]()
        end = report.story.end
        if end and end.verified_by:
            by = end.verified_by
            covers = quote(", ".join(by.covers)) if by.covers else messages.text("run.whole-project", self._language)
            parts.append(Paragraph(self._fill(f"by-{by.by}", command=quote(by.command), covers=covers)))
        judged = ((name, report.rows[name]) for name in _ROWS if name in report.rows)
        rows = [f"{self._text(f'row-{name}')} {'✓' if holds else '✗'}" for name, holds in judged]
        if rows:
            parts.append(Paragraph((" · ".join(rows),)))
        parts += self._list_seen_checks()
        parts += self._show_proof(report.proof) if report.proof else []
        if end and end.proof and not report.proof:
            parts.append(Paragraph(self._fill("proof", said=quote(end.proof))))
        if report.risks:
            parts.append(list_points(self._fill("risk", what=quote(one)) for one in report.risks))
        return Chapter(self._text("checks"), tuple(parts))

    def _list_seen_checks(self) -> Iterator[Figures]:
        rows = tuple(
            (
                (quote(check.command),),
                ("?" if check.exit_code is None else str(check.exit_code),),
                (quote(check.batch_id),),
                (self._text("yes" if check.after_last_change else "no"),),
            )
            for check in self._report.checks
        )
        if rows:
            yield Figures(tuple(self._text(f"check-{name}") for name in ("command", "exit", "batch", "after")), rows)

    def _show_proof(self, proof: Proof) -> Iterator[Part]:
        name = "proved" if proof.proved else "no-proof" if proof.proved is None else "not-proved"
        why = self._fill("because", reason=quote(proof.why)) if proof.why else ()
        yield Paragraph((*self._fill(name), *why))
        if proof.checks:
            yield Points(tuple(map(self._show_proved_check, proof.checks)))
        if proof.changed_judges:
            yield Paragraph(self._fill("judges", files=quote(", ".join(proof.changed_judges))))

    def _show_proved_check(self, check: ProvedCheck) -> Point:
        kinds = ("failed_to_passed", "passed_to_failed", "vanished", "new", "flaky", "red_before")
        named = [(kind, getattr(check, kind)) for kind in kinds]
        under = [
            self._fill("tests-" + kind.replace("_", "-"), count=len(tests), tests=quote(_name_some(tests)))
            for kind, tests in named
            if tests
        ]
        still = [self._fill("tests-still", count=check.passed_still)] if check.passed_still else []
        return Point((quote(check.command),), check.proved, (*under, *still))

    def _show_changes(self, with_patch: bool) -> Chapter:
        diff = self._report.diff
        if diff.missing:
            return Chapter(self._text("changes"), (Paragraph(self._fill("no-diff", why=quote(diff.missing))),))
        if not diff.files:
            return Chapter(self._text("changes"), (Paragraph(self._fill("no-change")),))
        parts: list[Part] = [Paragraph(self._sum_changes(diff))]
        rows = tuple(map(self._show_file, diff.files[:_FILES]))
        parts.append(Figures(tuple(self._text(f"file-{name}") for name in ("path", "kind", "added", "removed")), rows))
        if len(diff.files) > _FILES:
            parts.append(Paragraph(self._fill("more-files", count=len(diff.files) - _FILES)))
        if diff.unseen:
            parts.append(Paragraph(self._fill("unseen", files=quote(_name_some(diff.unseen)))))
        if with_patch and diff.patch:
            parts.append(PatchText(diff.patch))
        if with_patch and diff.is_cut:
            parts.append(Paragraph(self._fill("cut", command=quote(f"mi diff {self._report.story.run_id}"))))
        return Chapter(self._text("changes"), tuple(parts))

    def _sum_changes(self, diff: ReportedDiff) -> Spans:
        added, removed = (sum(getattr(file, name) or 0 for file in diff.files) for name in ("added", "removed"))
        return self._fill("sum", count=len(diff.files), added=added, removed=removed)

    def _show_file(self, file: ReportedFile) -> tuple[Spans, ...]:
        path = (quote(file.was), " → ", quote(file.path)) if file.was else (quote(file.path),)
        counts = tuple(("–" if number is None else str(number),) for number in (file.added, file.removed))
        return (path, (messages.word(file.kind, self._language),), *counts)

    def _show_questions(self) -> Chapter:
        story = self._report.story
        asked = [Point((quote(one.question),), None, tuple(self._show_answer(one))) for one in story.asked]
        alone = [
            Point(self._fill("alone", answer=quote(one.answer), cited=quote(" ".join(one.cited_ids) or one.event_id)))
            for one in story.answered
        ]
        return Chapter(self._text("questions"), (Points((*asked, *alone)),) if asked or alone else ())

    def _show_answer(self, one: AskedInRun) -> Iterator[Spans]:
        if one.dismissed:
            yield self._fill("dismissed")
        elif one.answer:
            yield self._fill("answered", answer=quote(one.answer))
        else:
            yield self._fill("unanswered", id=quote(one.id))
        if one.would:
            yield self._fill("would", answer=quote(one.would))

    def _show_cost(self) -> Chapter:
        spent, unknown = self._report.spent, messages.text("run.unknown", self._language)
        figures = {
            "tokens-in": None if spent.input_tokens is None else f"{spent.input_tokens:,}",
            "tokens-out": None if spent.output_tokens is None else f"{spent.output_tokens:,}",
            "money": None if spent.cost_usd is None else f"${spent.cost_usd:.4f}",
            "time": None if spent.seconds is None else f"{spent.seconds:,.0f} s",
            "calls": None if spent.calls is None else f"{spent.calls:,}",
        }
        rows = tuple(((self._text(name),), (value or unknown,)) for name, value in figures.items())
        return Chapter(self._text("cost"), (Figures((), rows),))

    def _show_lessons(self) -> Chapter:
        learned = [
            (f"{messages.word(one.kind, self._language)}: ", quote(one.text), " ", quote(one.id))
            for one in self._report.learned
        ]
        return Chapter(self._text("learned"), (list_points(learned),) if learned else ())


def _name_some(names: list[str]) -> str:
    more = ", …" if len(names) > _TESTS else ""
    return ", ".join(names[:_TESTS]) + more
