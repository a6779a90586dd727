"""Writes the parts of the documentation that are derived from the code; `--check` only compares.

Run with `make docs`. The parts stand between `<!-- generated:NAME -->` and `<!-- /generated -->`.
"""

import re
import sys
from pathlib import Path
from typing import Any

import msgspec

from mi.kernel.config.load import describe
from mi.kernel.config.templates import TEMPLATES
from mi.kernel.config.types import Config
from mi.kernel.messages import text

DOCS = Path(__file__).resolve().parent


def settings_table() -> str:
    """Every setting with its type and default."""
    rows = [f"| `{path}` | {kind} | `{default}` |" for path, kind, default in _settings(Config, "")]
    return "\n".join(["| setting | value | default |", "| --- | --- | --- |", *rows])


def _settings(section: Any, prefix: str) -> list[tuple[str, str, str]]:
    rows = []
    for field in msgspec.structs.fields(section):
        if isinstance(field.type, type) and issubclass(field.type, msgspec.Struct):
            rows += _settings(field.type, f"{prefix}{field.name}.")
        else:
            default = field.default_factory() if field.default is msgspec.NODEFAULT else field.default
            shown = msgspec.json.encode(default).decode().replace("|", "\\|")
            rows.append((prefix + field.name, describe(field.type).replace("|", "\\|"), shown))
    return rows


def templates_table() -> str:
    """Every template with what it is for."""
    rows = [f"| `{name}` | {text('template.' + name)} |" for name in TEMPLATES]
    return "\n".join(["| template | for |", "| --- | --- |", *rows])


PARTS = {"settings": settings_table, "templates": templates_table}


def rendered(page: str) -> str:
    """A page with its generated parts as they should be."""
    pattern = re.compile(r"(<!-- generated:(\w+) -->\n).*?(\n<!-- /generated -->)", re.DOTALL)
    return pattern.sub(lambda found: found[1] + PARTS[found[2]]() + found[3], page)


def main() -> int:
    stale = []
    for path in sorted(DOCS.rglob("*.md")):
        page = path.read_text("utf-8")
        if rendered(page) != page:
            stale.append(str(path.relative_to(DOCS)))
            if "--check" not in sys.argv:
                path.write_text(rendered(page), "utf-8")
    print("\n".join(stale) or "up to date")
    return 1 if stale and "--check" in sys.argv else 0


if __name__ == "__main__":
    sys.exit(main())
