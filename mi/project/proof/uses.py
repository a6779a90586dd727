"""Uses of what a task asks for, run in a copy: whether a name can be imported, and what the stated calls give."""

import ast
import json
import os
import re
from collections.abc import Callable, Iterable, Sequence
from shlex import quote
from typing import Protocol

from msgspec import Struct

from mi.kernel.jsontext import BadJson, decode
from mi.kernel.named_tuple import NamedTuple
from mi.project.checks.file_kinds import is_test
from mi.project.checks.judge_places import extension
from mi.project.proof.examples import StatedExample, find_examples
from mi.project.proof.use_commands import find_use_commands
from mi.project.trees import Tree

_MANY = 20  # uses that are tried
_FILES = 2000  # of a language that are looked into
_SCRIPTS = ("js", "mjs", "cjs")
_DEFINED = {
    "py": r"^(?:async\s+)?(?:def|class)\s+{0}\b|^{0}\s*[:=]",
    "js": r"^(?:export\s+)?(?:default\s+)?(?:async\s+)?(?:function\*?|const|let|var|class)\s+{0}\b|\bexports\.{0}\s*=",
}
_LITERALS = re.compile(
    r"(?:\w++\s*+:|'[^'\\]*'|\"[^\"\\]*\"|-?\d++(?:\.\d++)?(?!\w)|(?:true|false|null|undefined)\b|[\[\]{},\s])*+"
)
_PYTHON = """
import ast, importlib, json, math, sys

def same(got, text):
    try:
        wanted = ast.literal_eval(text)
    except (ValueError, SyntaxError):
        return str(got) == text
    if isinstance(wanted, float) and isinstance(got, (int, float)):
        return math.isclose(got, wanted)
    rows = (list, tuple)
    return got == wanted or (isinstance(got, rows) and isinstance(wanted, rows) and list(got) == list(wanted))

def use(one):
    try:
        sys.path.insert(0, one["folder"])
        module = importlib.import_module(one["module"])
    except BaseException as error:
        return {"problem": f"{type(error).__name__}: {error}"}
    if not callable(getattr(module, one["name"], None)):
        return {"is_there": False}
    if not one["call"]:
        return {"is_there": True}
    call = ast.parse(one["call"], mode="eval").body
    args = [ast.literal_eval(arg) for arg in call.args]
    named = {word.arg: ast.literal_eval(word.value) for word in call.keywords}
    try:
        got = getattr(module, one["name"])(*args, **named)
    except BaseException as error:
        return {"is_there": True, "shown": f"raises {type(error).__name__}"}
    return {"is_there": True, "shown": f"gives {got!r}", "holds": same(got, one["value"])}

out, uses = sys.argv.pop(), json.load(sys.stdin)
answers = [use(one) for one in uses]
with open(out, "w") as file:
    json.dump(answers, file)
"""
_NODE = """
const fs = require('node:fs'), path = require('node:path'), url = require('node:url'), util = require('node:util');
const out = process.argv.pop();
const value = (text) => Function(`return (${text})`)();
function same(got, text) {
  let wanted;
  try { wanted = value(text); } catch { return String(got) === text; }
  return util.isDeepStrictEqual(got, wanted);
}
async function use(one) {
  let found;
  try { found = await import(url.pathToFileURL(path.resolve(one.path))); }
  catch (error) { return { problem: String(error) }; }
  const whole = found.default?.name === one.name ? found.default : undefined;
  const thing = found[one.name] ?? found.default?.[one.name] ?? whole;
  if (typeof thing !== 'function') return { is_there: false };
  if (!one.call) return { is_there: true };
  try {
    const got = await thing(...value(`[${one.args}]`));
    return { is_there: true, shown: `gives ${util.inspect(got)}`, holds: same(got, one.value) };
  } catch (error) { return { is_there: true, shown: `throws ${error?.name}` }; }
}
(async () => {
  const answers = [];
  for (const one of JSON.parse(fs.readFileSync(0))) answers.push(await use(one));
  fs.writeFileSync(out, JSON.stringify(answers));
})();
"""


class Use(NamedTuple):
    """A name of a file that is looked up, or called as an example says."""

    path: str
    name: str
    example: StatedExample | None = None


class UseAnswer(Struct, frozen=True, kw_only=True):
    """What came of a use; with a `problem`, or without an answer, nothing can be told."""

    is_there: bool | None = None
    shown: str = ""
    holds: bool | None = None  # the result is the one that was stated
    problem: str = ""


class CommandRuns(Protocol):
    """Whoever runs a command in a copy of a tree."""

    def run_command(self, tree: Tree, command: str, data: bytes = b"", alone: bool = False) -> bytes:
        """Return what a command, given data on its input, wrote to the file that is its last word; b'' without one."""


def find_unmet(task: str, names: Sequence[str], base: Tree, final: Tree, check: str, runs: CommandRuns) -> list[str]:
    """Return which names that a task asks for cannot be imported, and which of its examples do not hold, in words."""
    changed = [path for path in final.changed_since(base) if not is_test(path)]
    examples = [one for one in find_examples(task) if _is_literal(one)]
    files = _product_files(final, changed, bool(examples))
    uses = [Use(path, name) for name in names for path in _giving_out(final, changed, name)]
    uses += [Use(paths[0], one.name, one) for one in examples if len(paths := _defining(final, files, one.name)) == 1]
    unmet: list[str] = []
    for endings, program in PROGRAM_OF.items():
        own = [use for use in uses if extension(use.path) in endings][:_MANY]
        unmet += _judge(own, program(check), base, final, runs) if own else []
    commands = list(find_use_commands(task, names, base, final))[:_MANY]
    return unmet + [one.unmet for one in commands if runs.run_command(final, one.line, alone=True) == b"no\n"]


def _judge(uses: list[Use], program: str, base: Tree, final: Tree, runs: CommandRuns) -> list[str]:
    now = try_uses(uses, program, final, runs)
    doubtful = any(use.example and use.example.told for use in uses)
    before = try_uses(uses, program, base, runs) if doubtful else [UseAnswer()] * len(uses)
    said = [_tell(use, was, answer) for use, was, answer in zip(uses, before, now, strict=True)]
    reached = {use.name for use, answer in zip(uses, now, strict=True) if answer.is_there or answer.problem}
    lost = [use.name for use in uses if use.example is None and use.name not in reached]
    return [*(f"`{name}` cannot be imported" for name in dict.fromkeys(lost)), *filter(None, said)]


def _tell(use: Use, before: UseAnswer, now: UseAnswer) -> str:
    """Return what is wrong with a stated example; '' when it holds, or when nobody can tell."""
    example = use.example
    if example is None or not now.is_there or not now.shown:
        return ""
    if example.wanted:
        return "" if now.holds else f"`{example.call}` {now.shown}, not {example.wanted}"
    if before.holds:  # it tells what was so before
        return f"`{example.call}` still {now.shown}" if now.holds and example.is_complaint else ""
    could_tell = before.shown or before.is_there is False or (before.problem and not now.problem)
    return f"`{example.call}` {now.shown}, not {example.told}" if could_tell and not now.holds else ""


def try_uses(uses: Sequence[Use], program: str, tree: Tree, runs: CommandRuns, alone: bool = False) -> list[UseAnswer]:
    """Return what came of each use in a copy of a tree, by one run of a program; `alone`: without network."""
    paths = tree.paths()
    asked = [_describe(use, paths) for use in uses]
    written = runs.run_command(tree, program, json.dumps(asked).encode(), alone=alone)
    try:
        answers = decode(written, list[UseAnswer]) if written else []
    except BadJson:
        answers = []
    return answers if len(answers) == len(uses) else [UseAnswer(problem="no answer")] * len(uses)


def _describe(use: Use, paths: frozenset[str]) -> dict[str, str]:
    folder, name = os.path.split(use.path)
    modules = [name.removesuffix(".py")] if name != "__init__.py" else []
    while folder and f"{folder}/__init__.py" in paths:
        folder, package = os.path.split(folder)
        modules.insert(0, package)
    example = use.example
    call = (
        {"call": example.call, "args": example.args, "value": example.wanted or example.told}
        if example
        else {"call": ""}
    )
    return {"path": use.path, "folder": folder, "module": ".".join(modules), "name": use.name, **call}


def _is_literal(example: StatedExample) -> bool:
    """Return whether the arguments of an example are values, in Python or in JavaScript."""
    try:
        call = ast.parse(example.call, mode="eval").body
        assert isinstance(call, ast.Call)
        for value in (*call.args, *(word.value for word in call.keywords)):
            ast.literal_eval(value)
    except (SyntaxError, ValueError, AssertionError):
        return bool(_LITERALS.fullmatch(example.args))
    return True


def _product_files(tree: Tree, changed: Sequence[str], is_wanted: bool) -> list[str]:
    if not is_wanted:
        return []
    known = [path for path in sorted(tree.paths()) if extension(path) in ("py", *_SCRIPTS) and not is_test(path)]
    return list(dict.fromkeys([*changed, *known[:_FILES]]))


def _defining(tree: Tree, paths: Iterable[str], name: str) -> list[str]:
    """Return the files that define a name at their top, by their lines."""
    found = []
    for path in paths:
        ending = "js" if extension(path) in _SCRIPTS else extension(path)
        text = tree.read(path) if ending in _DEFINED else None
        pattern = _DEFINED[ending].format(re.escape(name)) if text else ""
        if text and re.search(pattern, text.decode("utf-8", "replace"), re.MULTILINE):
            found.append(path)
    return found


def _giving_out(tree: Tree, paths: Iterable[str], name: str) -> list[str]:
    """Return the files that define a name and mean it for others: a helper of a script needs no export."""
    given = re.compile(rf"\bexports?\b[^;]*?\b{re.escape(name)}\b".encode())
    return [
        path for path in _defining(tree, paths, name) if extension(path) == "py" or given.search(tree.read(path) or b"")
    ]


def _python_call(check: str) -> str:
    """Return how the Python of a check is called with our script."""
    runner = re.match(r"(?:uv|poetry|pdm|pipenv|hatch|rye) run\b", check)
    named = re.search(r"(?<!\S)(\S*python[\d.]*)(?=\s)", check)
    beside = re.match(r"(\S+/)\w", check)
    python = f"{runner[0]} python" if runner else named[1] if named else f"{beside[1]}python" if beside else "python3"
    return f"{python} -c {quote(_PYTHON)}"


# By the endings of files, the call of the program that tries uses of them, made for a check.
PROGRAM_OF: dict[tuple[str, ...], Callable[[str], str]] = {
    ("py",): _python_call,
    _SCRIPTS: lambda check: f"node -e {quote(_NODE)}",
}
