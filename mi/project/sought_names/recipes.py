"""Names in makefiles, scripts of manifests and shell files: whether a recipe does more than to say that it did."""

import json
import re

from mi.project.sought_names.sought_name import EMPTY, UNREACHED, Fault, SoughtName

_SAYS = re.compile(
    r"[@+-]*\s*(?:echo|printf|true|sleep|pwd|date|:|\$\((?:info|warning)\b.*|#.*|exit 0)(?=[\s;]|$)[^|>&;]*;?\s*\Z"
)
_ONLY_SAYS = "only prints something"


def find_target_fault(text: str, sought: SoughtName) -> Fault:
    """Return what is wrong with a target of a makefile."""
    lines = text.splitlines()
    rule = re.compile(
        rf"^(?:[^\s#:=][^#:=]*\s)?{re.escape(sought.name)}(?:\s[^:=#]*)?::?(?!=)\s*(?P<needs>[^#;]*)(?:;(?P<own>.*))?"
    )
    found = [(at, match) for at, line in enumerate(lines) if (match := rule.match(line))]
    if not found:
        return None
    recipe = [match["own"].strip() for _, match in found if match["own"]]
    for at, _ in found:
        recipe += _recipe_after(lines, at)
    needs = any(match["needs"].strip() for _, match in found)
    return "" if needs or sought.may_be_idle else _judge(recipe)


def _recipe_after(lines: list[str], at: int) -> list[str]:
    recipe: list[str] = []
    for line in lines[at + 1 :]:
        if not line.startswith("\t") and line.strip() and not line.lstrip().startswith("#"):
            break
        recipe += [line.strip()] if line.strip() else []
    return recipe


def _judge(recipe: list[str]) -> str:
    if not recipe:
        return EMPTY
    return _ONLY_SAYS if all(map(_SAYS.match, recipe)) else ""


def find_script_fault(text: str, sought: SoughtName) -> Fault:
    """Return what is wrong with a script of package.json."""
    try:
        scripts = json.loads(text).get("scripts", {})
        command = scripts.get(sought.name)
    except (ValueError, AttributeError):
        return None
    if not isinstance(command, str):
        return None
    return "" if sought.may_be_idle else _judge([command] if command.strip() else [])


def find_shell_fault(text: str, sought: SoughtName) -> Fault:
    """Return what is wrong with a function of a shell file: behind an exit, or without a body."""
    found = re.search(rf"^[ \t]*(?:function\s+)?{re.escape(sought.name)}\s*+(?:\(\)\s*+)?\{{", text, re.MULTILINE)
    if found is None or not re.match(r"\s*function\b|[^{]*\(\)", found[0]):
        return None
    if re.search(r"^(?:exit|return)\b[^\n]*\n", text[: found.start()], re.MULTILINE):
        return UNREACHED
    body = re.match(r"(?:\s|#[^\n]*\n|(?::|true)[^\S\n]*+[;\n])*+\}", text[found.end() :])
    return EMPTY if body and not sought.may_be_idle else ""
