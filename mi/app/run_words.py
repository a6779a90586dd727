"""The person's word to a run: it hears it after its present batch, or goes on in the background for it."""

from typing import Literal

from msgspec.structs import replace

from mi.app.home_context import HomeContext
from mi.app.run_again import find_folder, find_run, resume_detached
from mi.evidence.records.questions import UserInput
from mi.evidence.secret_words import hide_secrets
from mi.fleet.stretch import read_run
from mi.kernel.errors import MiError, NotFound, UsageError

Heard = Literal["soon", "resumed", "after-answer", "kept"]


def tell_run(context: HomeContext, run_id: str, word: UserInput) -> Heard:
    """Store a word to a run, and return when its agent hears it; one that ended goes on in the background.

    A run that waits for an answer hears it with that, one that is open in the queue when it goes on.
    NotFound without such a run, before it began, or where its folder is gone.
    """
    if not word.answer.strip():
        raise UsageError("argument-needs-value", name="words", hint="mi tell --help")
    run = find_run(context, run_id)
    if run.status in ("queued", "running") and not run.started:  # it would begin without having heard it
        raise NotFound("run-not-begun", ref=run.run_id)
    find_folder(context, run)
    log = context.home.project(run.project_id).evidence
    context.evidence_writer(log).append(hide_secrets(replace(word, question_id=run.run_id)), sync=True)
    ended = read_run(log, run.run_id, context.notices, is_whole=True)
    if run.status == "running" and ended.find_end() is None:
        return "soon"
    if ended.find_question() is not None:
        return "after-answer"
    try:
        resume_detached(context, run.run_id)
    except MiError as error:
        if error.code not in ("job-not-retried", "run-in-progress"):
            raise
        return "kept"  # it is stored: whoever saw an error would say it twice
    return "resumed"
