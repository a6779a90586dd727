"""Markdown files with YAML in front: read with the place of a mistake, written the same way each time."""

import datetime
from collections.abc import Hashable
from typing import Any

from mi.kernel.errors import MiError
from mi.kernel.messages import NestedText
from mi.kernel.yamltext import parse_yaml

Fields = dict[str, Any]
_FENCE = "---"


class BadFrontMatter(MiError):
    """The YAML in front of a file cannot be used."""


def split(text: str, path: str) -> tuple[Fields, str]:
    """Return the fields and the body of a file; BadFrontMatter names file, line and reason."""
    lines = text.removeprefix("\ufeff").splitlines(keepends=True)
    if not lines or lines[0].strip() != _FENCE:
        raise BadFrontMatter("no-front-matter", path=path)
    end = next((at for at in range(1, len(lines)) if lines[at].strip() == _FENCE), None)
    if end is None:
        raise BadFrontMatter("front-matter-open", path=path)
    return load("".join(lines[1:end]), path, first_line=2), "".join(lines[end + 1 :]).strip("\n") + "\n"


def load(text: str, path: str, first_line: int = 1) -> Fields:
    """Return a YAML mapping; dates become text as they were written, a key given twice is a mistake."""
    import yaml

    class Loader(yaml.SafeLoader):
        def construct_mapping(self, node: yaml.MappingNode, deep: bool = False) -> dict[Hashable, Any]:
            twice = _find_twice([self.construct_object(key, deep=True) for key, _ in node.value])
            if twice is not None:
                problem = f"{twice!r} stands twice"
                raise yaml.constructor.ConstructorError(None, None, problem, node.start_mark)
            return super().construct_mapping(node, deep)

    try:
        found = parse_yaml(text, Loader)  # a SafeLoader that also refuses keys given twice
    except yaml.YAMLError as error:
        mark = getattr(error, "problem_mark", None)
        line = first_line + (mark.line if mark else 0)
        reason = getattr(error, "problem", None) or str(error).splitlines()[0]
        raise BadFrontMatter("front-matter-broken", path=path, line=line, reason=reason) from None
    if found is None:
        return {}
    if not isinstance(found, dict):
        raise BadFrontMatter("front-matter-broken", path=path, line=first_line, reason=NestedText("reason.no-fields"))
    return {str(key): _plain(value) for key, value in found.items()}


def join(fields: Fields, body: str) -> str:
    """Return a file with the fields in front, in the given order."""
    return f"{_FENCE}\n{dump_fields(fields)}{_FENCE}\n\n{body.strip()}\n"


def dump_fields(fields: Fields) -> str:
    """Fields as YAML, in the given order, without line breaks inside values."""
    import yaml

    return yaml.safe_dump(fields, sort_keys=False, allow_unicode=True, width=10_000)


def _find_twice(keys: list[Any]) -> object:
    seen: set[Hashable] = set()
    for key in keys:
        if isinstance(key, Hashable):
            if key in seen:
                return key
            seen.add(key)
    return None


def _plain(value: Any) -> Any:
    if isinstance(value, datetime.datetime | datetime.date):
        return value.isoformat()
    if isinstance(value, list):
        return [_plain(one) for one in value]
    if isinstance(value, dict):
        return {str(key): _plain(one) for key, one in value.items()}
    return value
