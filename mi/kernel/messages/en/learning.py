"""English texts of the learning area."""

TEXT: dict[str, str] = {
    # values and why
    "values.summary": "Understood as:",
    "values.usual-procedure": "Go by the values above; where they are silent and a step is external or irreversible, ask.",
    "values.usual-chart": "flowchart TD\n  Q[a choice] --> V{{covered by the values?}}\n  V -->|yes| G[go by them]\n  V -->|no| X{{external or irreversible?}}\n  X -->|yes| A[ask]\n  X -->|no| S[safest reasonable choice]",
    "values.summary-title": "values, and how they decide",
    "values.procedure": "How they decide: {summary}",
    "values.left-out": "Left out of what the model proposed: {note}",
    "values.unchanged": "The text is as it was; nothing was stored.",
    "values.template": "Write how you want things done, in your own words, one thought per sentence or line.\nWhat stands below the line is not read. To give up, leave the text as it was.",
    "notice.values-by-rules": "{mind} could not judge your values: each sentence of them is kept as it is ({path} says why)",
    "notice.mind-unusable": "the Mind cannot be used, the fixed rules judge: {reason}",
    "notice.draft-kept": "your draft is kept in {path}",
    "why.chosen": "rests on {ids} (confidence {confidence})",
    "why.recorded-model": "As of {time}. Recorded as {event_id}; {edges} edge{edges:s} written.",
    "why.recorded-failed": "As of {time}. Recorded as {event_id}; the model failed, this is from the recorded ids.",
    "error.no-editor": "no editor: $VISUAL and $EDITOR name none ({value!r}). Set one, or say it on the command line (see --help)",
    "error.editor-failed": "the editor {editor!r} failed: {reason}; nothing was stored",
    # checkpoints and mining
    "suggestion.applied": "Learned from {id}: {claims} ({event_id})",
    "suggestion.dismissed": "Dismissed {id}; it is not suggested again ({event_id})",
    "suggestion.would-apply": "Would learn ({scope}): {text}",
    "suggestion.would-merge": "Stands already as {claims}: {text}",
    "mining.done": "Claims written: {count} ({event_id})",
    "mining.nothing": "Nothing worth keeping was found ({event_id})",
    "mining.by-rules": "The fixed rules mine no claims: that takes a model (mind.provider, see mi config show) ({event_id})",
    "mining.left-out": "Left out: {note}",
    "error.unknown-suggestion": "no suggestion {id} in this project (mi inbox lists what waits, in all projects)",
    "error.suggestion-settled": "the suggestion {id} is settled already (claims: {claims}); mi claim list --tag mi:learned shows what was learned",
    "error.yes-or-no": "{id} is a suggestion: answer yes or no, not {value!r}",
}
