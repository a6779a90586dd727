"""Reading `config.json`: what is right is used, what is wrong is named and replaced by its default."""

from typing import Any, TypeVar

import msgspec

from mi.kernel import files
from mi.kernel.config import profiles
from mi.kernel.config.types import Config
from mi.kernel.errors import BadConfig
from mi.kernel.jsontext import BadJson, decode
from mi.kernel.named_tuple import NamedTuple
from mi.kernel.secrets import find_secrets, redact
from mi.kernel.text import shorten

T = TypeVar("T", bound=msgspec.Struct)
HIDDEN = "[redacted]"
ALWAYS_STORED = ("runtime.transparency.store_raw_transcript", "runtime.transparency.store_evidence_log")


class ConfigProblem(NamedTuple):
    """One mistake in the configuration; `code` names its text in the catalogue (`config.<code>`)."""

    code: str
    path: str
    value: str
    hint: str


class LoadedConfig(NamedTuple):
    """The configuration to work with, and every mistake found in the file."""

    config: Config
    problems: list[ConfigProblem]


def read_raw(path: str) -> dict[str, Any]:
    """Return the file as it stands, `{}` when there is none; BadConfig with line and column when it is not JSON."""
    data = files.read_bytes(path)
    if data is None:
        return {}
    try:
        return decode(data, dict[str, Any])
    except BadJson as error:
        if error.line:
            raise BadConfig(
                "config-syntax", path=path, line=error.line, column=error.column, reason=error.reason
            ) from None
        raise BadConfig("config-not-object", path=path, reason=error.reason) from None


def load(path: str) -> LoadedConfig:
    """Return the configuration in a file; BadConfig only when it is no JSON object at all."""
    return check(read_raw(path))


def check(raw: dict[str, Any], profile: str = "") -> LoadedConfig:
    """Return a raw configuration as types: each wrong or unknown key is a problem, and its default is used.

    `profile` is that of the place where it is asked, instead of the file's own.
    """
    problems: list[ConfigProblem] = []
    chosen = profile or raw.get("profile", profiles.DEFAULT)
    if isinstance(chosen, str) and chosen in profiles.PROFILES:
        raw = profiles.lay_under(raw, chosen)
    config = _section(raw, Config, "", problems)
    return LoadedConfig(config, problems)


def _section(raw: dict[str, Any], shape: type[T], prefix: str, problems: list[ConfigProblem]) -> T:
    fields = {field.name: field for field in msgspec.structs.fields(shape)}
    values: dict[str, Any] = {}
    for name, value in raw.items():
        path = prefix + name
        if name not in fields:
            problems.append(ConfigProblem("unknown-key", path, show_value(path, value), _nearest(name, prefix, fields)))
        elif _is_section(fields[name].type):
            if isinstance(value, dict):
                values[name] = _section(value, fields[name].type, path + ".", problems)
            else:
                problems.append(ConfigProblem("wrong-type", path, show_value(path, value), "object"))
        elif (typed := _value(value, fields[name].type, path, problems)) is not msgspec.UNSET:
            values[name] = typed
    return shape(**values)


def _is_section(shape: object) -> bool:
    return isinstance(shape, type) and issubclass(shape, msgspec.Struct)


def _value(value: object, shape: Any, path: str, problems: list[ConfigProblem]) -> Any:
    try:
        typed = msgspec.convert(value, shape)
    except msgspec.ValidationError:
        problems.append(ConfigProblem("wrong-type", path, show_value(path, value), describe(shape)))
        return msgspec.UNSET
    if path in ALWAYS_STORED and not typed:
        problems.append(ConfigProblem("always-stored", path, "false", "true"))
        return msgspec.UNSET
    if path.endswith(".api_key") and typed:
        problems.append(ConfigProblem("api-key-in-file", path, HIDDEN, path + "_env"))
    return typed


def show_value(path: str, value: object) -> str:
    """Return a setting's value as it may be shown: short, without secrets."""
    name, text = path.rpartition(".")[2], msgspec.json.encode(value).decode()
    if path.endswith("key") or (isinstance(value, str) and find_secrets(f'"{name}": {text}')):
        return HIDDEN
    return shorten(redact(text), 80)


def _nearest(name: str, prefix: str, fields: dict[str, Any]) -> str:
    """Return the known key that was probably meant; else the keys there are."""
    from difflib import get_close_matches

    close = get_close_matches(name, fields, n=1, cutoff=0.5)
    return prefix + close[0] if close else ", ".join(prefix + known for known in fields)


def describe(shape: Any) -> str:
    """Return a setting's type as people write it, e.g. `ask|proceed` or `integer or null`."""
    info = msgspec.inspect.type_info(shape)
    return _describe(info)


def _describe(info: Any) -> str:
    match info:
        case msgspec.inspect.LiteralType():
            return "|".join(str(value) for value in info.values)
        case msgspec.inspect.VarTupleType():
            return f"list of {_describe(info.item_type)}"
        case msgspec.inspect.DictType(value_type=msgspec.inspect.VarTupleType() as values):
            return f"object, each value a {_describe(values)}"
        case msgspec.inspect.DictType():
            return "object"
        case msgspec.inspect.StructType():
            fields = (f"{field.name}: {_describe(field.type)}" for field in info.fields)
            return f"objects ({', '.join(fields)})"
        case msgspec.inspect.UnionType():
            return " or ".join(_describe(kind) for kind in info.types)
        case msgspec.inspect.NoneType():
            return "null"
        case msgspec.inspect.StrType():
            return "text"
        case msgspec.inspect.IntType():
            return "integer"
        case msgspec.inspect.FloatType():
            return "number"
        case msgspec.inspect.BoolType():
            return "true|false"
    raise TypeError(f"no description for {info}")
