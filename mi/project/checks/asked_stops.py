"""Failures at which a task wants a script to stop: whether the work only tells of them."""

import re
from collections.abc import Iterator

from mi.kernel.language import compiled, patterns
from mi.kernel.text import split_sentences
from mi.project.checks.file_kinds import is_test
from mi.project.checks.judge_places import extension, judge_kind
from mi.project.checks.judge_tokens import SCRIPTED, without_comments
from mi.project.checks.product_functions import is_product, text_of
from mi.project.trees import Tree

_STRINGS = re.compile(r"\"[^\"\n]*\"|'[^'\n]*'")
_TELLS = r"\|\|\s*(?:\{\s*|\(\s*)?(?:(?:echo|printf|true|logger|log\w*|warn\w*)\b|:(?=\s|$))"
_SHELL = (
    re.compile(rf"{_TELLS}|\bif\s.*?(?:;\s*then\b|$)"),
    re.compile(
        r"\b(?:exit|return|false|die|fail|abort|kill|exec)\b|\bset\s+-\w*e|\berrexit\b|\bpipefail\b|\bERR\b|^[^|]*&&[^|]*$"
    ),
)
_WAYS = {  # how a language takes notice of a failure, and how it hands it on
    "py": (re.compile(r"\bexcept\b.*:"), re.compile(r"\b(?:raise\w*|_?exit|return|abort|check\w*|SystemExit|kill)\b")),
    "go": (re.compile(r"\berr\s*!=\s*nil"), re.compile(r"\b(?:return|Fatal\w*|Exit|panic)\b")),
    **dict.fromkeys(SCRIPTED, (re.compile(r"\bcatch\b"), re.compile(r"\b(?:throw|exit\w*|reject|return|abort)\b"))),
    **dict.fromkeys(("sh", "bash", "mk", ""), _SHELL),
}


def find_only_told(task: str, base: Tree, final: Tree) -> Iterator[str]:
    """Yield the lines that came and go on after a failure at which a task wants to stop, with their file."""
    if not any(map(_wants_stop, split_sentences(task))):
        return
    for path in final.changed_since(base):
        if is_test(path) or extension(path) not in _WAYS or not (is_product(path) or judge_kind(path) == "recipe"):
            continue
        notices, hands_on = _WAYS[extension(path)]
        came = list(_came(path, base, final))
        told = [line for line, code in came if notices.search(code)]
        if told and not any(hands_on.search(code) for _, code in came):
            yield f"{path}: {told[0].strip()}"


def _wants_stop(sentence: str) -> bool:
    known = patterns()
    found = compiled(known.wants_stop).search(sentence)
    refused = found and compiled(known.negation).search(found[0])
    at_failure = compiled(known.at_failure).search(sentence)
    return bool(found and at_failure and not refused and not compiled(known.goes_on).search(sentence))


def _came(path: str, base: Tree, final: Tree) -> Iterator[tuple[str, str]]:
    """Yield the lines of a file that were not there before, as they are and without strings and comments."""
    text, had = text_of(final, path), set(text_of(base, path).splitlines())
    plain = without_comments(text, extension(path) if is_product(path) else "sh")
    for line, code in zip(text.splitlines(), plain.splitlines(), strict=False):
        if line not in had:
            yield line, _STRINGS.sub('""', code)
