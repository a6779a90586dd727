"""What code that came with a change loads, and a fresh clone of the project would not have.

A module or a file that git ignores stays on this machine; a package that no manifest names is installed only here.
"""

import ast
import os
import re
import sys
from collections.abc import Iterator, Sequence
from functools import cached_property

from mi.kernel import files
from mi.kernel.named_tuple import NamedTuple
from mi.project.checks.file_kinds import is_lock, is_output, is_test
from mi.project.checks.judge_places import CODE, extension, judge_kind
from mi.project.checks.judge_tokens import SCRIPTED, without_comments
from mi.project.trees import Tree

_FILES, _BYTES = 400, 1_000_000  # that are looked at
_OF_HOST = frozenset(  # what a program that loads a script brings along, and what Python had or will have
    "bpy bmesh mathutils gdb lldb sublime sublime_plugin maya hou nuke unreal idaapi idc machine micropython"
    " utime board pcbnew FreeCAD js pyodide __main__ distutils imp asyncore asynchat smtpd cgi pipes compression"
    " setuptools pkg_resources pip _typeshed".split()
)
# Packages that are installed under a name which does not hold that of their module.
_INSTALLED_AS = {
    "attr": "attrs", "bs4": "beautifulsoup", "Crypto": "pycryptodome", "cv2": "opencv", "fitz": "pymupdf",
    "git": "gitpython", "gi": "pygobject", "googleapiclient": "google-api", "MySQLdb": "mysqlclient",
    "PIL": "pillow", "rest_framework": "djangorestframework", "skimage": "scikit",
    "sklearn": "scikit-learn", "win32api": "pywin32", "win32con": "pywin32", "wx": "wxpython",
}  # fmt: skip
_OF_NODE = frozenset(
    "assert async_hooks buffer child_process cluster console constants crypto dgram diagnostics_channel dns domain"
    " events fs http http2 https inspector module net os path perf_hooks process punycode querystring readline repl"
    " stream string_decoder sys timers tls trace_events tty url util v8 vm wasi worker_threads zlib bun vscode"
    " electron".split()
)
_LOADED = re.compile(
    r"(?<![\w.])(?:(?:import(?!\s+type\b)|export)\s*(?:[\w*{}\s,$]{1,400}?\bfrom\s*)?|(?:require|import)\s*\(\s*)"
    r"[\"']([^\"'\n]+)[\"']"
)
_TRIES = re.compile(r"\btry\s*\{[^}]*\Z")
_PLAIN_NAME = re.compile(r"(?:@[\w.-]+/)?[\w][\w.-]*")
_MANIFEST = re.compile(
    r"(?:^|/)(?:Pipfile|environment[\w-]*\.ya?ml|(?:[\w-]{1,30}[-_.])?(?:requirements|constraints)[\w.-]*|requirements/[^/]+"
    r"|Dockerfile[\w.-]*|meta\.ya?ml|BUILD(?:\.bazel)?|[\w-]{1,60}\.(?:nix|d\.ts)|import_?map\.json|[jt]sconfig[\w.-]*\.json"
    r"|[\w-]{1,60}\.config\.\w+)$"
)
_DECLARES = {
    "py": re.compile(r"(?:^|/)(?:setup\.\w+|Pipfile|environment\.yml|requirements(?:[/_-][\w-]+)?\.(?:txt|in))$"),
    "js": re.compile(r"(?:^|/)package\.json$"),
}  # fmt: skip
_PROJECT_TABLE = re.compile(rb"(?m)^\[(?:project|tool\.(?:poetry|pdm|flit|rye|uv)[\w.-]*)\]")
_PRIVATE = re.compile(
    r"(?:^|[/_.-])(?:local|secrets?|credentials?|private|env|config|settings|[a-z]{0,20}cache)(?:[/_.-]|$)", re.I
)
_GENERATED = re.compile(rb"(?i)generated|do not edit")
_READS = re.compile(
    r"\b(?:open|read_text|read_bytes|readFile|readFileSync|ReadFile|read_to_string|read_csv|read_json|loadtxt|load)\("
    r"[^()\n]*?[\"']([\w./-]+\.(?:json|jsonl|csv|tsv|toml|ya?ml|txt|sql|xml|html|tmpl|py|js))[\"']"
)
_MAY_BE_ABSENT = re.compile(
    r"\bwrite|\bdump|[\"']w[bt+]?[\"']|exists|is_file|isfile|FileNotFound|OSError|IOError|\bcatch\b|IsNotExist"
)


class UnfoundImport(NamedTuple):
    """A module, package or file that others will not have, and what is wrong with it."""

    name: str
    missing: str


def find_unfound_imports(base: Tree, final: Tree, root: str) -> list[UnfoundImport]:
    """Return what product code newly loads and only this machine has; what is loaded with a way out is no matter."""
    changed = [path for path in final.changed_since(base) if extension(path) in CODE and _is_product(path, final)]
    if not changed:
        return []
    project = _Project(base, final, root)
    found = [one for path in changed for one in project.look_at(path)]
    return list({one.name: one for one in found}.values())


def _is_product(path: str, tree: Tree) -> bool:
    return judge_kind(path) in ("", "inline") and not is_test(path) and tree.read(path) is not None


class _Project:
    """A project as it was and as it is, beside the folder that it stands in."""

    def __init__(self, base: Tree, final: Tree, root: str) -> None:
        self._base, self._final, self._root = base, final, root
        self._paths = final.paths()

    @cached_property
    def _parts(self) -> frozenset[str]:
        """The names of the project's own folders and files."""
        return frozenset(part.partition(".")[0] for path in self._paths for part in path.split("/"))

    @cached_property
    def _told(self) -> str:
        """What manifests, recipes and settings say."""
        kinds = ("manifest", "settings", "recipe")
        told = [
            path for path in sorted(self._paths) if judge_kind(path) in kinds or is_lock(path) or _MANIFEST.search(path)
        ]
        return "\n".join(_text(self._final, path) for path in told[:_FILES]).lower().replace("_", "-")

    def look_at(self, path: str) -> Iterator[UnfoundImport]:
        text, had = _text(self._final, path), _text(self._base, path)
        if extension(path) == "py":
            for module in sorted(_python_imports(text) - _python_imports(had)):
                yield from self._look_at_module(path, module)
        elif extension(path) in SCRIPTED:
            for name in sorted(_script_imports(text, extension(path)) - _script_imports(had, extension(path))):
                yield from self._look_at_specifier(path, name)
        if not _MAY_BE_ABSENT.search(text):
            for name in sorted({*_READS.findall(text)} - {*_READS.findall(had)}):
                yield from self._ignored(path, [name, _beside(path, name)])

    def _look_at_module(self, path: str, module: "_Module") -> Iterator[UnfoundImport]:
        folders = ["/".join([path, *[".."] * module.level])] if module.level else ["", "src", "lib", *_parents(path)]
        places = [os.path.normpath(os.path.join(folder, one)) for folder in folders for one in module.files]
        held = [place for place in places if place in self._paths]
        packages = {os.path.dirname(place) for place in held if place.endswith("/__init__.py")}
        ignored = [
            one for one in self._ignored(path, places) if not held or os.path.dirname(one.name) in packages
        ]  # a module of a package that is there need not be
        yield from ignored
        top = module.name.partition(".")[0]
        own = module.level or top in self._parts or top in sys.stdlib_module_names or top in _OF_HOST
        if not held and not ignored and not own and not self._is_declared(top, "py"):
            yield UnfoundImport(top, f"`{top}` is imported in {path}, and no manifest names it")

    def _look_at_specifier(self, path: str, name: str) -> Iterator[UnfoundImport]:
        if name.startswith("."):
            place = _beside(path, name)
            stem = re.sub(r"\.[cm]?[jt]sx?$", "", place)
            if not any(one == place or one.startswith((f"{stem}.", f"{place}.", f"{place}/")) for one in self._paths):
                endings = ("", ".js", ".ts", ".mjs", ".cjs", ".jsx", ".tsx", ".json", "/index.js", "/index.ts")
                places = [place + ending for ending in endings]
                yield from (one for one in self._ignored(path, places) if not is_output(place))
            return
        package = _package_of(name)
        own = not package or package.partition("/")[0] in self._parts | _OF_NODE
        if own or self._is_declared(package, "js"):
            return
        yield UnfoundImport(package, f"`{package}` is imported in {path}, and no manifest names it")

    def _ignored(self, path: str, places: Sequence[str]) -> Iterator[UnfoundImport]:
        """Yield the file that is meant and no part of the project; what is made or private may be so."""
        for place in places:
            full, stem = os.path.join(self._root, place), os.path.basename(place).partition(".")[0]
            if place.startswith("..") or place in self._paths or not os.path.isfile(full) or _PRIVATE.search(place):
                continue
            if not _GENERATED.search((files.read_bytes(full) or b"")[:400]) and not self._is_told(stem):
                yield UnfoundImport(place, f"{path} needs `{place}`, which git ignores: it is no part of the project")
            return

    def _is_declared(self, name: str, language: str) -> bool:
        """Return whether a manifest names a package, the base loads it already, or nothing here names packages."""
        if not self._names_packages(language):
            return True
        if self._is_told(_INSTALLED_AS.get(name, name)):
            return True
        product = [one for one in sorted(self._base.paths()) if _is_of(one, language) and not is_test(one)][:_FILES]
        texts = (_text(self._base, one) for one in product)
        return any(name in text and name in _packages_in(text, language) for text in texts)

    def _is_told(self, name: str) -> bool:
        """Return whether a manifest, recipe or setting names something, also with `py` or `python-` before it."""
        plain = re.escape(name.lower().replace("_", "-"))
        return bool(re.search(rf"(?<![a-z0-9])(?:py|python-?|django-?)?{plain}(?![a-z])", self._told))

    def _names_packages(self, language: str) -> bool:
        if any(_DECLARES[language].search(path) for path in self._paths):
            return True
        projects = (one for one in self._paths if language == "py" and one.endswith("pyproject.toml"))
        return any(_PROJECT_TABLE.search(self._final.read(one) or b"") for one in projects)


class _Module(NamedTuple):
    """A module that Python is told to import; `files` are those that may hold it."""

    level: int
    name: str
    files: tuple[str, ...]


def _python_imports(text: str) -> frozenset[_Module]:
    try:
        tree = ast.parse(text)
    except (SyntaxError, ValueError, RecursionError, MemoryError):
        return frozenset()
    return frozenset(_imports_in(tree))


def _imports_in(node: ast.AST) -> Iterator[_Module]:
    """Yield what is imported, but for what may fail or is there for type checkers."""
    match node:
        case ast.Try(handlers=[_, *_]):
            return
        case ast.If(test=test) if "TYPE_CHECKING" in ast.unparse(test):
            return
        case ast.Import(names=names):
            yield from (_module(0, one.name) for one in names)
        case ast.ImportFrom(module=name, level=level, names=names):
            yield from (_module(level, name or "", one.name) for one in names)
    for inner in ast.iter_child_nodes(node):
        yield from _imports_in(inner)


def _module(level: int, name: str, inner: str = "") -> _Module:
    place = name.replace(".", "/")
    whole = [f"{place}.py", f"{place}/__init__.py"] if place else []
    part = [f"{place}/{inner}.py".lstrip("/"), f"{place}/{inner}/__init__.py".lstrip("/")] if inner else []
    return _Module(level, name, (*whole, *part))


def _script_imports(text: str, language: str) -> frozenset[str]:
    plain = without_comments(text, language)
    return frozenset(one[1] for one in _LOADED.finditer(plain) if not _TRIES.search(plain[: one.start()][-200:]))


def _package_of(specifier: str) -> str:
    """Return the package that a script loads something from; '' for what is none, such as `node:fs` or `@/view`."""
    found = _PLAIN_NAME.match(specifier)
    return found[0] if found and ":" not in specifier else ""


def _packages_in(text: str, language: str) -> set[str]:
    if language == "py":
        return {one.name.partition(".")[0] for one in _python_imports(text)}
    return {_package_of(name) for name in _LOADED.findall(text)}


def _is_of(path: str, language: str) -> bool:
    return extension(path) == "py" if language == "py" else extension(path) in SCRIPTED


def _parents(path: str) -> list[str]:
    folders = path.split("/")[:-1]
    return ["/".join(folders[:count]) for count in range(1, len(folders) + 1)]


def _beside(path: str, name: str) -> str:
    return os.path.normpath(os.path.join(os.path.dirname(path), name))


def _text(tree: Tree, path: str) -> str:
    return (tree.read(path) or b"")[:_BYTES].decode("utf-8", "replace")
