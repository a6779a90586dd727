"""The names that a task is about: those that it gives, and what uses them; only their tests are its own to change."""

import re
from collections import defaultdict

from mi.kernel.language import compiled, patterns
from mi.project.checks.judge_places import extension, is_test_code
from mi.project.trees import Tree

_READ = 400  # files that are looked at
_LANGUAGES = frozenset("py js jsx mjs cjs ts tsx go rs java kt rb php cs sh bash swift scala".split())
_DEFINES = re.compile(
    r"(?m)^[ \t]*(?:(?:export|default|pub(?:\(\w+\))?|public|private|protected|internal|static|async|final|abstract"
    r"|unsafe|override|suspend)\s+)*(?:(?:def|class|fn|fun|function\*?|struct|enum|trait|interface|type|object|module"
    r"|func(?:\s*\([^)]*\))?)\s+(?:self\.)?|(?:(?<=\n)|\A)(?:export\s+)?(?:const|let|var)\s+)(\w+)"
    r"|^(?:module\.)?exports\.(\w+)|^(\w+)\s*\(\)\s*\{"
    r"|^[ \t]*(?:(?:public|private|protected|static|final)\s+)+[\w<>\[\], ]+?\s(\w+)\s*\("
)
_MARKED = re.compile(r"`[^`\n]+`|(?<![\w.])[\w.]+(?=\()|\b(?:\w*[a-z\d][A-Z]\w*|\w+_\w+)")
_WORD = re.compile(r"[A-Za-z_]\w{2,}")
Definitions = dict[str, str]


def find_reach(task: str, base: Tree, final: Tree) -> frozenset[str]:
    """Return the names a task is about, in small letters; none when it names nothing that the work changed."""
    had, has = _definitions(base), _definitions(final)
    told = {name for found in _MARKED.findall(task) for name in _WORD.findall(found)}
    said = {word for word in _WORD.findall(task) if not compiled(patterns().adjust).fullmatch(word)}
    for names in (told, said):
        named = {name for name in names if name in had or name in has}
        if any(had.get(name) != has.get(name) for name in named):
            return frozenset(map(str.lower, {*_users(named & had.keys(), had), *_users(named - had.keys(), has)}))
    return frozenset()


def uses_any(text: str, names: frozenset[str]) -> bool:
    """Return whether a test uses one of some names: as a word, or as a part of one."""
    words = re.sub(r"(?<=[a-z\d])(?=[A-Z])", "_", text)
    return bool(names & {part.lower() for part in (*_WORD.findall(text), *re.findall(r"[^\W_]+", words))})


def _definitions(tree: Tree) -> Definitions:
    """Return what the code defines, each name with its text up to the next one; tests are none."""
    found: dict[str, list[str]] = defaultdict(list)
    for path in sorted(path for path in tree.paths() if extension(path) in _LANGUAGES)[:_READ]:
        text = (tree.read(path) or b"").decode("utf-8", "replace")
        starts = list(_DEFINES.finditer(text))
        for match, end in zip(starts, [*(one.start() for one in starts[1:]), len(text)], strict=False):
            name = next(one for one in match.groups() if one)
            if not (is_test_code(path) and name.lower().startswith("test")):
                found[name].append(text[match.end() : end])
    return {name: "\n".join(texts) for name, texts in found.items()}


def _users(names: set[str], definitions: Definitions) -> set[str]:
    """Return names with all that uses them, directly or by another."""
    words = {name: set(_WORD.findall(text)) for name, text in definitions.items()}
    found, more = set(names), set(names)
    while more:
        more = {name for name, used in words.items() if used & more} - found
        found |= more
    return found
