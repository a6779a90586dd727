"""Code that is another thing in another build: under a tag or feature of its own, or where a build is for debugging."""

import re
from collections.abc import Iterable, Iterator

from mi.project.checks.judge_places import extension
from mi.project.checks.judge_tokens import without_comments
from mi.project.trees import Tree

OWN_BUILD = "is built only with a tag that nobody asked for"

_SEARCHED = 400  # files in which a tag may be known already
_DEBUG = re.compile(
    r"cfg!\s*\(\s*(?:not\s*\(\s*)?debug_assertions|#\s*\[\s*cfg\s*\([^\]]*debug_assertions"
    r"|(?:^|\s)#\s*if(?:n?def)?\b[^\n]*\b(?:N?DEBUG|TESTS?|TESTING|UNIT_TESTS?)\b"
)
_ACTS = re.compile(r"debug_assert\w*!\s*\([^;]*[\w\]]\s*[-+*/]?=(?!=)[^;]*")
# By which tags and features are told, and those that are a machine's, a tool's or of a usual meaning.
_CONDITIONS = {
    "go": re.compile(r"^//\s*(?:go:build|\+build)\s+(.+)$", re.MULTILINE),
    "rs": re.compile(r"\bcfg!?\s*\(([^\]\n]*)\)"),
}
_TAGS = {
    "go": re.compile(r"[A-Za-z_][\w.]*"),
    "rs": re.compile(r"feature\s*=\s*\"([\w-]+)\"|(?<![\w=\"])(\w+)(?!\s*[=(\w\"])"),
}
_USUAL = frozenset(
    """linux darwin windows freebsd netbsd openbsd dragonfly solaris illumos aix plan9 android ios js wasip1 unix wasm
    amd64 386 arm arm64 ppc64 ppc64le mips mipsle mips64 mips64le riscv64 s390x loong64 cgo race gc gccgo msan asan
    ignore tools integration e2e wireinject purego noasm safe appengine generate mage boringcrypto fuzz test
    debug_assertions doc docsrs doctest miri std alloc serde panic true false nightly""".split()
)


def find_own_builds(base: Tree, final: Tree, paths: Iterable[str], task: str) -> Iterator[tuple[str, str]]:
    """Yield the file and line of each condition for a build that neither the task names nor the base knows."""
    for path in paths:
        language = extension(path)
        for line, tags in _conditions(_text(final, path), language):
            own = {tag for tag in tags if not re.search(rf"(?<![\w-]){re.escape(tag)}(?![\w-])", task, re.IGNORECASE)}
            if own == tags and tags.isdisjoint(_known(base, language)):
                yield path, line


def _conditions(text: str, language: str) -> Iterator[tuple[str, set[str]]]:
    """Yield each line that names a tag, with the tags."""
    condition = _CONDITIONS.get(language)
    for found in condition.finditer(text) if condition else ():
        words = {word for one in _TAGS[language].finditer(found[1]) for word in (one.groups() or (one[0],)) if word}
        tags = {word for word in words - _USUAL if not re.fullmatch(r"go1\.\d+", word)}
        if tags:
            start, end = text.rfind("\n", 0, found.start()) + 1, text.find("\n", found.end())
            yield text[start : end if end > 0 else len(text)].strip(), tags


def _known(base: Tree, language: str) -> set[str]:
    paths = [path for path in sorted(base.paths()) if extension(path) == language][:_SEARCHED]
    return {tag for path in paths for _, tags in _conditions(_text(base, path), language) for tag in tags}


def built_otherwise(lines: list[str]) -> Iterator[int]:
    """Yield where another build has another result; what only checks or prints more in one of them is no matter."""
    for number, line in enumerate(lines):
        if re.search(r"\bdebug_assert\w*!", line) and _ACTS.search(" ".join(lines[number : number + 6])):
            yield number
        if not _DEBUG.search(line):
            continue
        inside = " ".join(lines[number : number + 3])
        after = re.sub(r"^.*?(?:debug_assertions|DEBUG|TEST\w*)\W*", "", inside)
        if not re.match(
            r"(?:\{|\]|\))*\s*(?:debug_|e?print|log|trace|debug|assert|warn|info|validate|check)\w*(?:!|::|\()", after
        ):
            yield number


def _text(tree: Tree, path: str) -> str:
    text = (tree.read(path) or b"")[:1_000_000].decode("utf-8", "replace")
    return text if extension(path) == "go" else without_comments(text, extension(path))
