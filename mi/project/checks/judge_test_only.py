"""Parts of the product that stand in test files now: the tests find them there, and no build of the product does."""

import re
from collections.abc import Iterable

from mi.project.checks.judge_places import extension, is_test_code
from mi.project.checks.judge_tokens import without_comments
from mi.project.trees import Tree

_GO = re.compile(
    r"(?m)^func\s+(?:\(\s*+(?:\w++\s++\*?|\w*+\*)?(\w++)[^)\n]*+\)\s*+)?(\w+)|^(?:type|var|const)\s+()(\w+)"
)
_GO_TEST = re.compile(r"(?:Test|Benchmark|Example|Fuzz)(?:[A-Z_\d]|\Z)|init\Z|main\Z|_\Z")
_CLASS = re.compile(
    r"(?m)^[ \t]*(?:(?:public|final|abstract|open|data|sealed|internal)\s+)*"
    r"(?:class|object|interface|enum|record|module)\s+()(\w+)"
)
_PACKAGE = re.compile(r"(?m)^[ \t]*package\s+([\w.]+)")
_JVM = frozenset({"java", "kt", "scala", "groovy"})


def find_test_only(path: str, base: Tree, final: Tree, task: str) -> str:
    """Return a name of the product, or one that the task asks for, that only a test file defines; '' without one."""
    language = extension(path)
    if not is_test_code(path) or language not in (*_JVM, "go"):
        return ""
    defined = _names(_read(final, path), language)
    if not defined:
        return ""
    had, has = (_product(tree, path, language) for tree in (base, final))
    moved = defined & had if language in _JVM else defined & had - has
    asked = {name for name in defined - had - has if re.search(rf"`{re.escape(name.rpartition('.')[2])}\b", task)}
    return min(moved | asked, default="")


def _names(text: str, language: str) -> frozenset[str]:
    """Return what a file defines at its top, with the type that a method belongs to."""
    plain = without_comments(text, language)
    package = _PACKAGE.search(plain)
    before = f"{package[1]}." if package and language in _JVM else ""
    pattern = _GO if language == "go" else _CLASS
    found = [[part for part in match.groups() if part] for match in pattern.finditer(plain)]
    return frozenset(before + ".".join(parts) for parts in found if parts and not _GO_TEST.match(parts[-1]))


def _product(tree: Tree, path: str, language: str) -> frozenset[str]:
    """Return what the product defines in the package of a test file."""
    folder = path.rpartition("/")[0]
    files: Iterable[str] = (one for one in tree.paths() if extension(one) == language and not is_test_code(one))
    if language == "go":
        files = (one for one in files if one.rpartition("/")[0] == folder)
    return frozenset(name for one in files for name in _names(_read(tree, one), language))


def _read(tree: Tree, path: str) -> str:
    return (tree.read(path) or b"").decode("utf-8", "replace")
