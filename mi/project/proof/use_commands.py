"""Commands that use what a task asks for: a target of make that makes a file, a name of a Go package or a crate."""

import os
import re
from collections.abc import Iterator, Sequence
from shlex import quote

from mi.kernel.named_tuple import NamedTuple
from mi.kernel.text import split_sentences
from mi.project.checks.file_kinds import is_prose, is_test
from mi.project.trees import Tree

_FILE = re.compile(r"(?<![\w/.-])(?:[\w-]+/)*[\w-][\w.-]*\.[a-z]\w{0,4}\b")
_TARGET = re.compile(r"^([\w.-]+)\s*:(?!=)", re.MULTILINE)


class UseCommand(NamedTuple):
    """A line for the shell that prints yes or no where it could tell, and what a no means."""

    line: str
    unmet: str


def find_use_commands(task: str, names: Sequence[str], base: Tree, final: Tree) -> Iterator[UseCommand]:
    """Yield how what a change added is used without a program of ours."""
    for path in final.changed_since(base):
        folder, file = os.path.split(path)
        if file in ("Makefile", "makefile", "GNUmakefile") and not is_test(path):
            yield from _make_files(task, folder, _text(base, path), _text(final, path), final)
        if file.endswith(".go") and not is_test(path):
            yield from _look_up(folder, names, _text(final, path))
        if file.endswith(".rs") and path.startswith("src/") and "src/lib.rs" in final.paths():
            yield from _compile(path, names, _text(final, path), _text(final, "Cargo.toml"))


def _make_files(task: str, folder: str, before: str, now: str, final: Tree) -> Iterator[UseCommand]:
    """Yield a run of each new target for the files that its sentence names and nobody has written."""
    for target in sorted({*_TARGET.findall(now)} - {*_TARGET.findall(before)}):
        told = [one for one in split_sentences(task) if re.search(rf"(?<![\w.-]){re.escape(target)}(?![\w-])", one)]
        wanted = {file for one in told for file in _FILE.findall(one)} - final.paths()
        for file in sorted(one for one in wanted if not is_prose(one)):
            place, made = quote(folder or "."), quote(os.path.join(folder, file))
            there = f"[ -s {made} ] || [ -s {quote(file)} ]"
            yield UseCommand(_told(f"make -C {place} {quote(target)}", there), f"`make {target}` does not make {file}")


def _look_up(folder: str, names: Sequence[str], text: str) -> Iterator[UseCommand]:
    package = f"./{folder}" if folder else "."
    for name in names:
        if re.search(rf"^(?:func|type|var|const) {re.escape(name)}\b", text, re.MULTILINE):
            line = f"go doc -u -short {quote(package)} {name}"
            yield UseCommand(_told(f"go list {quote(package)}", line), f"`{name}` is not in the package")


def _compile(path: str, names: Sequence[str], text: str, manifest: str) -> Iterator[UseCommand]:
    """Yield the compilation of an example that uses a public name, by its module or from the crate itself."""
    crate = re.search(r'^name\s*=\s*"([\w-]+)"', manifest, re.MULTILINE)
    modules = path.removeprefix("src/").removesuffix(".rs").removesuffix("/mod").replace("/", "::")
    for name in names:
        if crate and re.search(rf"^pub fn {re.escape(name)}\b", text, re.MULTILINE):
            root = crate[1].replace("-", "_")
            uses = [f"{root}::{name}"] + ([] if modules == "lib" else [f"{root}::{modules}::{name}"])
            lines = [f"#[allow(unused_imports)] use {use} as used;" for use in uses]
            tried = " || ".join(_example(line, number) for number, line in enumerate(lines, 1))
            yield UseCommand(_told(_example("", 0), tried), f"`{name}` cannot be used from outside of the crate")


def _example(line: str, number: int) -> str:
    text = quote(f"{line}\nfn main() {{}}\n")
    written = f"mkdir -p examples && printf %s {text} > examples/outside_{number}.rs"
    return f"{{ {written} && cargo check -q --offline --example outside_{number}; }}"


def _told(first: str, second: str) -> str:
    """Return a line that answers with how a command ends, where one that must work at all does."""
    answer = f"if {{ {second}; }} >/dev/null 2>&1; then echo yes; else echo no; fi"
    line = f'if {{ {first}; }} >/dev/null 2>&1; then {answer} > "$0"; fi'
    return f"sh -c {quote(line)}"


def _text(tree: Tree, path: str) -> str:
    return (tree.read(path) or b"").decode("utf-8", "replace")
