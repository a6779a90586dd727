"""What bodies ask of a host, `{{primitive key=value …}}`, written out as instructions that any host can follow."""

import re
from collections.abc import Callable, Sequence

from mi.kernel.errors import UsageError
from mi.kernel.messages import NestedText
from mi.kernel.named_tuple import NamedTuple
from mi.nexus.vocabulary_types import Invocation

Value = str | list[str]
_OPENING = re.compile(r"\{\{\s*(?=[A-Za-z_])")
_NAME = re.compile(r"[A-Za-z_][\w-]*")
_HEREDOC = re.compile(r">>(\w+)[ \t]*\n(.*?)(?:\n)?<<\1(?!\w)", re.DOTALL)
_QUOTED = re.compile(r'"((?:[^"\\]|\\.)*)"', re.DOTALL)
_BARE = re.compile(r"[^\s,\]}\"]+")
_SPACE = re.compile(r"\s*")


class Macro(NamedTuple):
    """One macro of a body."""

    primitive: str
    params: dict[str, Value]


def parse(text: str, start: int) -> tuple[Macro, int]:
    """Return the macro that begins at an opening `{{`, and where it ends; UsageError when it is broken."""
    at = _skip(text, start + 2)
    name = _NAME.match(text, at)
    if name is None:
        raise UsageError("macro-broken", place=_line(text, start), reason=NestedText("reason.macro-name"))
    at, params = name.end(), dict[str, Value]()
    while True:
        at = _skip(text, at)
        if text.startswith("}}", at):
            return Macro(name[0], params), at + 2
        key = _NAME.match(text, at)
        if key is None or not text.startswith("=", key.end()):
            raise UsageError("macro-broken", place=_line(text, start), reason=NestedText("reason.macro-key"))
        params[key[0]], at = _value(text, key.end() + 1, start)


def _value(text: str, at: int, start: int) -> tuple[Value, int]:
    if found := _HEREDOC.match(text, at):
        return found[2], found.end()
    if text.startswith("[", at):
        items: list[str] = []
        at = _skip(text, at + 1)
        while not text.startswith("]", at):
            item, at = _scalar(text, at, start)
            items.append(item)
            at = _skip(text, at)
            at = _skip(text, at + 1) if text.startswith(",", at) else at
        return items, at + 1
    return _scalar(text, at, start)


def _scalar(text: str, at: int, start: int) -> tuple[str, int]:
    if found := _QUOTED.match(text, at):
        return re.sub(r"\\(.)", r"\1", found[1]), found.end()
    found = _BARE.match(text, at)
    if found is None:
        raise UsageError("macro-broken", place=_line(text, start), reason=NestedText("reason.macro-value"))
    return found[0], found.end()


def _skip(text: str, at: int) -> int:
    found = _SPACE.match(text, at)
    return found.end() if found else at


def _line(text: str, at: int) -> int:
    return text.count("\n", 0, at) + 1


def find_macros(text: str) -> list[Macro]:
    """Return every macro of a text."""
    found: list[Macro] = []

    def noted(macro: Macro) -> str:
        found.append(macro)
        return ""

    _replaced(text, noted)
    return found


def expand(text: str, known: Sequence[Invocation]) -> str:
    """Return the text with its macros written out; an unknown primitive, or one without what it needs, is an error."""

    def written(macro: Macro) -> str:
        check(macro, known)
        return render(macro)

    return _replaced(text, written)


def _replaced(text: str, write: Callable[[Macro], str]) -> str:
    parts, at = [], 0
    while opening := _OPENING.search(text, at):
        macro, end = parse(text, opening.start())
        parts += [text[at : opening.start()], write(macro)]
        at = end
    return "".join([*parts, text[at:]])


def check(macro: Macro, known: Sequence[Invocation]) -> None:
    """UsageError when a macro asks for something that no vocabulary knows."""
    wanted = {one.id: one for one in known}
    if macro.primitive not in wanted:
        raise UsageError("macro-unknown", name=macro.primitive, known=", ".join(wanted))
    params = {one.name: one.required for one in wanted[macro.primitive].semantic_params}
    for name in macro.params:
        if name not in params:
            raise UsageError("macro-param", name=name, primitive=macro.primitive, known=", ".join(params))
    for name, required in params.items():
        if required and not macro.params.get(name):
            raise UsageError("macro-missing", name=name, primitive=macro.primitive)


def render(macro: Macro) -> str:
    """Return a macro as an instruction in words that need no host's own tools."""
    said = {name: value if isinstance(value, str) else _numbered(value) for name, value in macro.params.items()}
    match macro.primitive:
        case "skill_activation":
            mode = f" in its mode `{said['mode']}`" if "mode" in said else ""
            return f"> Follow the skill `{said['skill']}`{mode}."
        case "subagent_spawn":
            name = f", as `{said['name']}`" if "name" in said else ""
            tier = f" (reuse: {said['resume_tier_hint']})" if "resume_tier_hint" in said else ""
            return f"> Hand this to the agent `{said['target_role']}`{name}{tier}:\n{_quoted(said['prompt'])}"
        case "task_register":
            return f"> Show the person: {said['label']} — {said['state']}."
        case "user_question":
            return f"> Ask the person, and wait: {said['question']}\n{_quoted(said['options'])}"
    return f"> {macro.primitive}: " + ", ".join(f"{name} = {value}" for name, value in said.items())


def _numbered(values: list[str]) -> str:
    return "\n".join(f"{number}. {value}" for number, value in enumerate(values, 1))


def _quoted(text: str) -> str:
    return "\n".join(f"> {line}".rstrip() for line in text.strip().splitlines())
