"""English texts: the queue of tasks and its workers."""

TEXT: dict[str, str] = {
    "error.queue-newer": "the queue {path} was made by a newer MI (version {version}, this one knows {known}); update this mi, or use the newer one",
    "error.queue-unusable": "the queue {path} cannot be used: {reason} (no work is in it: mi runs lists every run from its log; move the file away and queue again)",
    "error.same-task-open": "the same task is queued already: {run_id} (mi queue list; mi queue cancel {run_id})",
}
