"""YAML that others wrote, read within bounds: nesting and aliases cannot exhaust the stack or the memory."""

from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    import yaml

_DEEPEST = 50
_MOST_VALUES = 100_000
_LONGEST_NUMBER = 1000


def parse_yaml(text: str | bytes, loader: "type[yaml.SafeLoader] | None" = None) -> Any:
    """Return the values of a YAML text; yaml.YAMLError says why it cannot be read, whatever the reason is."""
    import yaml

    quick = getattr(yaml, "CSafeLoader", yaml.SafeLoader)
    check_bounds(yaml.parse(text, quick))
    try:
        return yaml.load(text, loader or quick)  # a SafeLoader either way
    except (ValueError, TypeError, AttributeError, LookupError) as error:  # a date, number or tag that is none
        raise _unreadable(f"a value cannot be read: {error}") from None


def check_bounds(events: Any) -> None:
    """Refuse what nests too deep or holds too many values, an alias counted as all that it stands for.

    The events come one by one; a loader would recurse, and the one in C overflow its stack.
    """
    import yaml

    sizes: dict[str, int] = {}
    open_nodes: list[tuple[str | None, int]] = []
    count = 0
    for event in events:
        if isinstance(event, yaml.AliasEvent):
            count += sizes.get(event.anchor or "", _MOST_VALUES + 1)  # unknown: an alias inside of what it names
        elif isinstance(event, yaml.CollectionStartEvent):
            open_nodes.append((event.anchor, count))
            count += 1
        elif isinstance(event, yaml.CollectionEndEvent):
            anchor, before = open_nodes.pop()
            sizes |= {anchor: count - before} if anchor else {}
        elif isinstance(event, yaml.ScalarEvent):
            sizes |= {event.anchor: 1} if event.anchor else {}
            count += _MOST_VALUES + 1 if _is_endless_number(event.value) else 1
        if len(open_nodes) > _DEEPEST or count > _MOST_VALUES:
            raise _unreadable("brackets or aliases go too deep, or there are too many values")


def _is_endless_number(value: str) -> bool:
    """Return whether a value would become a number that cannot be written out again."""
    return len(value) > _LONGEST_NUMBER and not value.strip("0123456789:_.+-")


def _unreadable(reason: str) -> "yaml.MarkedYAMLError":
    import yaml

    return yaml.MarkedYAMLError(problem=reason)
