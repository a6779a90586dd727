"""Settings by their names (`hands.codex.sandbox`): which there are, and what somebody typed as the value of one."""

from collections.abc import Iterator, Sequence
from difflib import get_close_matches
from typing import Any

import msgspec

from mi.kernel.config.load import ALWAYS_STORED, describe, show_value
from mi.kernel.config.types import Config
from mi.kernel.errors import UsageError
from mi.kernel.jsontext import BadJson, decode
from mi.kernel.named_tuple import NamedTuple


class SettingKey(NamedTuple):
    """A setting that `config.json` can hold."""

    path: str
    shape: Any
    default: Any

    @property
    def choices(self) -> tuple[str, ...]:
        """The words it takes; () where it takes others, too."""
        words = describe(self.shape).split("|")
        return tuple(words) if len(words) > 1 and all(word.replace("-", "_").isidentifier() for word in words) else ()


def list_keys(section: Any = Config, prefix: str = "") -> Iterator[SettingKey]:
    """Yield every setting, in the order of the file."""
    for field in msgspec.structs.fields(section):
        if isinstance(field.type, type) and issubclass(field.type, msgspec.Struct):
            yield from list_keys(field.type, f"{prefix}{field.name}.")
        else:
            yield SettingKey(prefix + field.name, field.type, getattr(section(), field.name))


def find_key(path: str) -> SettingKey:
    """Return a setting by its name, which may end within an object (`mind.models.judge`); UsageError without one."""
    known = {key.path: key for key in list_keys()}
    above, _, name = path.rpartition(".")
    if path in known:
        return known[path]
    if above in known and name and isinstance(known[above].default, dict):
        return SettingKey(path, known[above].shape.__args__[1], None)
    near = get_close_matches(path, known, n=1, cutoff=0.5) or [one for one in known if one.endswith("." + path)][:1]
    raise UsageError("setting-unknown", path=path, near=near[0] if near else "mi config show")


def read_typed(key: SettingKey, words: Sequence[str]) -> Any:
    """Return what was typed as the value of a setting: a word, a number, JSON, or several words as a list."""
    for value in _readings(words):
        try:
            msgspec.convert(value, key.shape)
        except msgspec.ValidationError:
            continue
        if key.path in ALWAYS_STORED and not value:
            raise UsageError("setting-always-stored", path=key.path)
        if key.path.endswith(".api_key") and value:
            raise UsageError("setting-is-secret", path=key.path)
        return value
    raise UsageError(
        "setting-value", path=key.path, value=show_value(key.path, " ".join(words)), kind=describe(key.shape)
    )


def _readings(words: Sequence[str]) -> Iterator[Any]:
    typed = " ".join(words)
    parsed = _parse(typed) if len(words) == 1 else None
    if isinstance(parsed, (list, dict)):  # a mistake in it makes it no text
        yield parsed
        return
    if len(words) == 1:
        yield typed
        yield parsed
    yield [*words]


def _parse(typed: str) -> Any:
    try:
        return decode(typed.encode(), Any)
    except BadJson:
        return typed
