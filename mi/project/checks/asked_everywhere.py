"""Values that a task wants changed everywhere: whether a place still has the old one."""

import re
from collections.abc import Iterator

from mi.kernel.language import compiled, each_language, patterns
from mi.kernel.text import split_sentences
from mi.project.checks.asked_sources import is_generated
from mi.project.checks.file_kinds import is_lock, is_output, is_prose, is_test
from mi.project.checks.judge_places import extension, judge_kind
from mi.project.checks.judge_tokens import without_comments
from mi.project.checks.product_functions import SEARCHED, is_product, text_of
from mi.project.trees import Tree

_SETTINGS = frozenset("yml yaml toml ini cfg env properties".split())
_KEY = r"(?P<key>[A-Za-z_][\w.-]*)[\"'`\]]*\s*(?::\s*[\w<>\[\]&'. ]{1,30}=|:=|=>|[:=])\s*"
_DECLARES = r"^\s*(?:(?:export|pub|public|private|static|final|const|let|var|val|readonly|String|string) +)*[\"']?"
_OF_THE_PROJECT = frozenset("app package project program product module release current".split())


def find_old_values(task: str, base: Tree, final: Tree) -> Iterator[str]:
    """Yield the lines that still give a thing the value that it was to lose everywhere, with their file."""
    known, ways = patterns(), [compiled(one.from_to) for one in each_language()]
    for found in (
        match for one in filter(_is_for_all, split_sentences(task)) for way in ways for match in way.finditer(one)
    ):
        is_version = compiled(known.about_version).search(found["noun"])
        words = frozenset({"version"}) if is_version else _words(found["noun"])
        for path in sorted(filter(_is_meant, final.paths()))[:SEARCHED] if words else ():
            yield from (f"{path}: {line}" for line in _left(path, words, found["old"], base, final))


def _is_for_all(sentence: str) -> bool:
    known = patterns()
    limits = (known.about_tests, known.leaves_some)
    return bool(compiled(known.everywhere).search(sentence)) and not any(
        compiled(one).search(sentence) for one in limits
    )


def _is_meant(path: str) -> bool:
    if is_test(path) or is_lock(path) or is_prose(path) or is_output(path) or f"/{path}".find("/.") >= 0:
        return False
    return is_product(path) or judge_kind(path) in ("manifest", "recipe") or extension(path) in _SETTINGS


def _left(path: str, words: frozenset[str], old: str, base: Tree, final: Tree) -> Iterator[str]:
    """Yield the lines of a file that were there before and give what has these words in its name the old value."""
    text = text_of(final, path)
    if old not in text or is_generated(text):
        return
    begins = _DECLARES if words == {"version"} else r"(?<![\w.-])"
    given = re.compile(rf"{begins}{_KEY}[\"'`]?v?{re.escape(old)}(?!\w|\.\w)")
    had, section = set(text_of(base, path).splitlines()), ""
    plain = without_comments(text, extension(path) if is_product(path) else "sh")
    for line, code in zip(text.splitlines(), plain.splitlines(), strict=False):
        section = line if extension(path) == "toml" and line.startswith("[") else section
        found = given.search(code)
        if found and line in had and "depend" not in section and _is_named(found["key"], words):
            yield line.strip()


def _is_named(key: str, words: frozenset[str]) -> bool:
    named = _words(key)
    return named - _OF_THE_PROJECT == words if words == {"version"} else words <= named


def _words(name: str) -> frozenset[str]:
    """Return the words that a name is made of, in the singular."""
    return frozenset(one.lower().rstrip("s") for one in re.findall(r"[A-Z]?[a-z]+|[A-Z]+(?![a-z])", name))
