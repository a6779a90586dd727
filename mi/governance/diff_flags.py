"""What a diff touches that makes it risky: by its paths, its lock files, its imports, its exported names."""

import re
import sys
from collections.abc import Collection

from mi.governance.change_units import Counted, FileDiff

_PATHS = {
    "auth": re.compile(r"(?:^|[/._-])(?:auth(?!or(?!i[sz]))|oauth|login|signin|sso(?=[/._-])|jwt|permissions?)", re.I),
    "encryption": re.compile(r"(?:^|[/._-])(?:(?:en|de)?crypt|cipher|(?:tls|ssl|certs?)(?=[/._-]))", re.I),
    "migration": re.compile(r"(?:^|/)(?:migrations?|db/migrate|alembic/versions)/|\.migration\.\w+$", re.I),
}
_TEST = re.compile(r"(?:^|/)(?:tests?|__tests__|spec)/|(?:^|/)test_[^/]*$|[._-](?:test|spec)\.\w+$|_test\.\w+$")
_DOCUMENT = re.compile(r"\.(?:md|rst|txt|adoc)$|(?:^|/)docs?/", re.I)
_DROPS = re.compile(
    r"\b(?:DROP\s+(?:TABLE|DATABASE|SCHEMA|COLUMN|VIEW)|TRUNCATE\s+(?:TABLE\s+)?\w+|DELETE\s+FROM)\b"
    r"|\b(?:drop_table|drop_column|dropTable|dropColumn|removeColumn|deleteMany)\s*\(",
    re.I,
)
_MANIFEST = re.compile(
    r"(?:^|/)(?:requirements[\w.-]*\.txt|Pipfile|Gemfile|go\.mod|composer\.json|build\.gradle(?:\.kts)?|pom\.xml)$"
)
_IMPORTS = (
    re.compile(r"^\s*(?:from\s+([A-Za-z_]\w*+)[\w.]*+\s+import\b|import\s+([A-Za-z_]\w*))"),  # Python, Java, Kotlin
    re.compile(r"^\s*import\b[^'\"]*['\"]([^'\"./@][^'\"/]*|@[^'\"/]+/[^'\"/]+)"),  # JavaScript, Go
    re.compile(r"\brequire\(\s*['\"]([^'\"./@][^'\"/]*|@[^'\"/]+/[^'\"/]+)['\"/]"),
    re.compile(r"^\s*(?:pub\s+)?(?:use|extern\s+crate)\s+([a-z_]\w*)"),  # Rust
)
_OWN_ROOTS = {"crate", "self", "super", "std", "core", "alloc"}
_NODE = {*"assert buffer child_process crypto events fs http https net os path process stream url util zlib".split()}
_EXPORTED = (
    re.compile(r"^(?:async\s+)?(?:def|class)\s+((?!_)\w+)"),  # Python, at the margin
    re.compile(r"^\s*export\b"),
    re.compile(r"^\s*(?:module\.)?exports\b"),
    re.compile(r"^\s*pub\s+(?:fn|struct|enum|trait|const|static|type|mod)\b"),
    re.compile(r"^func\s+(?:\([^)]*\)\s*)?[A-Z]\w*"),  # Go
    re.compile(r"^\s*public\s[\w<>\[\],\s]+\("),  # Java, C#
    re.compile(r"^__all__\b"),
)


def find_diff_flags(diff: Counted, own_modules: Collection[str] = ()) -> tuple[str, ...]:
    """Return the flags that a change sets; `own_modules`: names that an import takes from the project itself."""
    found = {
        flag
        for file in diff.files
        for flag, holds in (
            *((flag, bool(pattern.search(file.path)) and _is_code(file)) for flag, pattern in _PATHS.items()),
            ("delete_data", _is_code(file) and any(_DROPS.search(line) for line in file.added)),
            ("new_dependency", file.kind == "lock" or _adds_dependency(file, own_modules)),
            ("public_api", _changes_exports(file)),
        )
        if holds
    }
    order = ("auth", "encryption", "migration", "delete_data", "new_dependency", "public_api")
    return tuple(flag for flag in order if flag in found)


def _is_code(file: FileDiff) -> bool:
    return not _TEST.search(file.path) and not _DOCUMENT.search(file.path)


def _adds_dependency(file: FileDiff, own_modules: Collection[str]) -> bool:
    if _MANIFEST.search(file.path):
        return bool(file.added)
    if not _is_code(file) or file.kind == "generated":
        return False
    before = {name for line in file.removed for name in _imported(line)}
    added = {name for line in file.added for name in _imported(line)} - before
    known = {*sys.stdlib_module_names, *_NODE, *_OWN_ROOTS, *own_modules, *file.path.split("/")[:-1]}
    return any(name not in known and not name.startswith("node:") for name in added)


def _imported(line: str) -> list[str]:
    return [name for pattern in _IMPORTS for found in pattern.findall(line) for name in _names(found) if name]


def _names(found: "str | tuple[str, ...]") -> tuple[str, ...]:
    return (found,) if isinstance(found, str) else found


def _changes_exports(file: FileDiff) -> bool:
    """Return whether an exported name was changed or taken away; a new one breaks nobody."""
    if not _is_code(file) or file.kind in ("generated", "lock"):
        return False
    still = {*file.added}
    gone = [line for line in file.removed if line not in still]
    listed = any(line.startswith("__all__") for line in file.added)
    return listed or any(pattern.search(line) for line in gone for pattern in _EXPORTED)
