"""Writes the parts of the documentation that are derived from the code; `--check` only compares.

Run with `make docs`. The parts stand between `<!-- generated:NAME -->` and `<!-- /generated -->`.
"""

import argparse
import re
import sys
from collections.abc import Iterator
from importlib import import_module
from itertools import groupby
from pathlib import Path
from typing import Any, get_args

import msgspec

from mi.cli.commands import COMMANDS
from mi.cli.main import build_parser
from mi.evidence import records
from mi.evidence.records.base import Place, Record
from mi.kernel.config.keys import list_keys
from mi.kernel.config.load import describe
from mi.kernel.config.templates import TEMPLATES
from mi.kernel.messages import tables, text
from mi.mcp import toolsets
from mi.mcp.registry import FOLDER, load_toolset
from mi.mcp.schema import render_definitions as definitions
from mi.mind.prompts import all_prompts
from mi.nexus import schemas

DOCS = Path(__file__).resolve().parent


def settings_table() -> str:
    """Every setting with its type and default."""
    rows = [
        f"| `{key.path}` | {_in_cell(describe(key.shape))} | `{_in_cell(msgspec.json.encode(key.default).decode())}` |"
        for key in list_keys()
    ]
    return "\n".join(["| setting | value | default |", "| --- | --- | --- |", *rows])


def _in_cell(text: str) -> str:
    return text.replace("|", "\\|")


def templates_table() -> str:
    """Every template with what it is for."""
    rows = [f"| `{name}` | {text('template.' + name)} |" for name in TEMPLATES]
    return "\n".join(["| template | for |", "| --- | --- |", *rows])


def commands_list() -> str:
    """Every command with what it does, its arguments and an example."""
    parts = []
    for group, names in groupby(COMMANDS, lambda name: COMMANDS[name].group):
        parts.append(f"## {text('overview.group-' + group).strip().capitalize()}")
        for name in names:
            parts += _command(build_parser(name))
    return "\n\n".join(parts)


def _command(one: argparse.ArgumentParser) -> list[str]:
    help_text = one.format_help()  # adds the arguments that are added late
    inner = [action for action in one._actions if isinstance(action, argparse._SubParsersAction)]
    inside = [part for group in inner for built in group.choices.values() for part in _command(built)]
    if inner and inner[0].required:
        return inside
    rows = [_argument(action) for action in one._actions if action.dest not in ("help", "home", "command")]
    table = ["| argument | meaning |", "| --- | --- |", *rows] if rows else []
    example = help_text.partition("example:\n")[2].strip()
    return [f"### `{one.prog}`", one.description or "", "\n".join(table), f"```text\n{example}\n```", *inside]


def _argument(action: argparse.Action) -> str:
    name = ", ".join(action.option_strings) or str(action.metavar or action.dest)
    if action.option_strings and action.nargs != 0:
        name += f" {action.metavar or '|'.join(map(str, action.choices or [action.dest.upper()]))}"
    return _row(f"`{name}`", action.help or "")


def _row(*cells: str) -> str:
    """A row of a table; bars in a cell are no bars of the table."""
    return "| " + " | ".join(cell.replace("|", "\\|").replace("\n", " ") for cell in cells) + " |"


def errors_table() -> str:
    """Every error with its code and what it says."""
    rows = []
    for texts in tables("en", "TEXT"):
        errors = [key for key in texts if key.startswith("error.")]
        rows += [_row(f"`{key.removeprefix('error.')}`", texts[key]) for key in errors]
    return "\n".join(["| code | what it says |", "| --- | --- |", *rows])


def tools_list() -> str:
    """Every tool that agents get, by toolset."""
    parts = []
    for source in sorted(Path(toolsets.__path__[0]).glob("[a-z]*.py")):
        rows = [_row(f"`{tool.name}`", tool.description) for tool in load_toolset(source.stem).TOOLS]
        parts.append("\n".join([f"## {source.stem}", "", "| tool | what it does |", "| --- | --- |", *rows]))
    return "\n\n".join(parts)


def kinds_table() -> str:
    """Every kind of record in the event log with whose word it is and its own fields."""
    rows = []
    for kind, shape in sorted(_record_types().items()):
        own = [field for field in shape.__struct_fields__ if field not in Record.__struct_fields__]
        rows.append(f"| `{kind}` | {shape.said_by} | {', '.join(f'`{field}`' for field in own)} |")
    return "\n".join(["| kind | said by | fields of its own |", "| --- | --- | --- |", *rows])


def _record_types() -> dict[str, type[Record]]:
    """Every kind with the class that declares it."""
    found = {}
    for source in sorted(Path(records.__path__[0]).glob("[a-z]*.py")):
        for shape in vars(import_module(f"mi.evidence.records.{source.stem}")).values():
            if isinstance(shape, type) and issubclass(shape, Record) and source.stem != "base":
                found[str(shape.__struct_config__.tag)] = shape
    return {kind: shape for kind, shape in found.items() if shape.__module__ != Record.__module__}


def declared_kinds() -> str:
    """The module that tells what the kinds' classes declare, so that reading one kind does not import all."""
    types = dict(sorted(_record_types().items()))
    said = {
        kind: shape.trust or {"person": "user", "agent": "hands"}.get(shape.said_by) for kind, shape in types.items()
    }
    tables = {
        "MODULES: dict[str, str]": {kind: shape.__module__.rpartition(".")[2] for kind, shape in types.items()},
        'TRUST: dict[str, Literal["user", "hands", "mind"]]': {kind: trust for kind, trust in said.items() if trust},
        "SHOWN_IN: dict[str, tuple[str, ...]]": {
            place: tuple(kind for kind, shape in types.items() if place in shape.shown_in) for place in get_args(Place)
        },
        "PAIRS: dict[str, str]": {kind: shape.pairs_with for kind, shape in types.items() if shape.pairs_with},
        "LANDMARKS: dict[str, str]": {
            kind: shape.paired_by for kind, shape in types.items() if shape.is_landmark or shape.paired_by
        },
        "AFTER_END: tuple[str, ...]": tuple(kind for kind, shape in types.items() if shape.follows_end),
    }
    head = '"""What the classes of the records declare; written by `make docs`, never by hand."""'
    body = [f"{name} = {_literal(table)}" for name, table in tables.items()]
    return "\n".join([head, "", "from typing import Literal", "", *body, ""])


def _literal(value: object, indent: str = "") -> str:
    """A value as the formatter leaves it, one item a line."""
    inner = indent + "    "
    if isinstance(value, dict):
        rows = [f'{inner}"{name}": {_literal(one, inner)},' for name, one in value.items()]
        return "\n".join(["{", *rows, indent + "}"])
    if isinstance(value, tuple):
        return "\n".join(["(", *(f'{inner}"{one}",' for one in value), indent + ")"])
    return f'"{value}"'


def prompts_table() -> str:
    """Every question that a Mind is asked, with the fields of its answer."""
    rows = [
        f"| `{name}` | {', '.join(f'`{field}`' for field in _answer(one))} |" for name, one in all_prompts().items()
    ]
    return "\n".join(["| prompt | fields of the answer |", "| --- | --- |", *rows])


def _answer(prompt: Any) -> tuple[str, ...]:
    fields: tuple[str, ...] = prompt.output.__struct_fields__
    return fields


PARTS = {
    "settings": settings_table,
    "templates": templates_table,
    "commands": commands_list,
    "errors": errors_table,
    "tools": tools_list,
    "kinds": kinds_table,
    "prompts": prompts_table,
}


def rendered(page: str) -> str:
    """A page with its generated parts as they should be."""
    pattern = re.compile(r"(<!-- generated:(\w+) -->\n).*?(\n<!-- /generated -->)", re.DOTALL)
    return pattern.sub(lambda found: found[1] + PARTS[found[2]]() + found[3], page)


def wanted_files() -> Iterator[tuple[Path, str]]:
    """Every file with generated parts, and its content as it should be; the toolsets' definitions are all generated."""
    for path in sorted(DOCS.rglob("*.md")):
        yield path, rendered(path.read_text("utf-8"))
    for source in sorted(Path(toolsets.__path__[0]).glob("[a-z]*.py")):
        yield Path(FOLDER, f"{source.stem}.json"), definitions(load_toolset(source.stem)).decode()
    yield Path(records.__path__[0], "table.py"), declared_kinds()
    for name, content in schemas.render_schemas().items():
        yield Path(schemas.FOLDER, name), content.decode()


def main() -> int:
    stale = []
    for path, wanted in wanted_files():
        if not path.exists() or path.read_text("utf-8") != wanted:
            stale.append(path.name)
            if "--check" not in sys.argv:
                path.write_text(wanted, "utf-8")
    print("\n".join(stale) or "up to date")
    return 1 if stale and "--check" in sys.argv else 0


if __name__ == "__main__":
    sys.exit(main())
