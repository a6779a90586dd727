"""Members of a team: the table in core/boot.md says who there is, and who of them is human."""

from typing import Literal

import msgspec

from mi.kernel.errors import MiError
from mi.kernel.language import compiled, one_of, patterns


class Authority(msgspec.Struct, frozen=True, kw_only=True):
    """What a member does alone, what needs approval, what must be brought to the human."""

    autonomous: list[str] = []
    needs_approval: list[str] = []
    escalation_triggers: list[str] = []


class Role(msgspec.Struct, frozen=True, kw_only=True):
    """A member, as the table describes them."""

    name: str
    type: Literal["human", "ai"]
    description: str = ""
    capabilities: list[str] = []
    authority: Authority = msgspec.field(default_factory=Authority)
    model_preference: str = ""


def read_roles(boot_text: str) -> list[Role]:
    """Return the members in the first table with the columns name and type; MiError when a row is no member."""
    for header, rows in _tables(boot_text):
        if "name" in header and "type" in header:
            return [_role(dict(zip(header, row, strict=False))) for row in rows]
    return []


def find_human(members: list[Role]) -> str:
    """Return the name of the human; "human" where the table names none."""
    return next((member.name for member in members if member.type == "human"), "human")


def is_human(members: list[Role], name: str) -> bool:
    """Return whether a name is the human's."""
    return name == find_human(members) or any(member.name == name and member.type == "human" for member in members)


def _role(row: dict[str, str]) -> Role:
    kind = row.get("type", "").lower()
    if kind not in ("human", "ai"):
        raise MiError("member-type", name=row.get("name", ""), value=row.get("type", ""))
    authority = Authority(**{name: _list(row.get(name, "")) for name in Authority.__struct_fields__})
    return Role(
        name=row["name"],
        type="human" if kind == "human" else "ai",
        description=row.get("description", ""),
        capabilities=_list(row.get("capabilities", "")),
        authority=authority,
        model_preference=row.get("model_preference", ""),
    )


def _list(cell: str) -> list[str]:
    return [part.strip() for part in compiled(one_of(*patterns().semicolons)).split(cell) if part.strip()]


def _tables(text: str) -> list[tuple[list[str], list[list[str]]]]:
    """Header and rows of each Markdown table."""
    found: list[tuple[list[str], list[list[str]]]] = []
    block: list[list[str]] = []
    for line in [*text.splitlines(), ""]:
        stripped = line.strip()
        if stripped.startswith("|"):
            block.append([cell.strip().strip("`") for cell in stripped.strip("|").split("|")])
            continue
        if len(block) >= 2 and all(set(cell) <= set(":- ") for cell in block[1]):
            header = [cell.lower().replace(" ", "_") for cell in block[0]]
            found.append((header, [row for row in block[2:] if row and row[0]]))
        block = []
    return found
