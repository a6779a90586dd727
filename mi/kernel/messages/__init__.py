"""The message catalogue: every fixed text a person reads, in each language of MI.

The texts of a language are the tables TEXT (by key), HELP and WORDS (by the English) of `messages/<code>.py`; or of the
modules of `messages/<code>/`, which its TABLES names, so that only those are read in which a text may be.
"""

import os
import re
from collections.abc import Iterable, Iterator
from functools import cache
from importlib import import_module

from mi.kernel import language as languages
from mi.kernel.language import DEFAULT
from mi.kernel.messages.en import base
from mi.kernel.text import show_path

_WORDS = (
    "scope",
    "outcome",
    "category",
    "severity",
)  # details that are a word of ours and no text: they are said in the language, too


_PATHS = ("path", "file", "root", "top", "place", "where", "folder")  # details that are a path, said on one line


class NestedText:
    """A text of the catalogue inside another one, such as the reason in an error: said in the language of the whole."""

    def __init__(self, key: str, /, **details: object) -> None:
        self.key = key
        self.details = details

    def __str__(self) -> str:
        return text(self.key, DEFAULT, **self.details)


class _Number(str):
    """A number in a text, which also chooses words: `{count} file{count:s}`, `{count:is|are}`."""

    def __format__(self, spec: str) -> str:
        if spec in ("s", "es"):
            return "" if self == "1" else spec
        one, _, many = spec.partition("|")
        return (one if self == "1" else many) if spec else str(self)


def text(key: str, /, language: str = DEFAULT, **details: object) -> str:
    """Return the text of a key with its details filled in; an unknown key is a programming error."""
    wanted = template(key, language)
    said = {name: _say(name, value, language) for name, value in details.items()}
    chosen_by = {name: _Number(value) for name, value in said.items() if f"{{{name}:" in wanted}
    return wanted.format(**said | chosen_by)


def _say(name: str, value: object, language: str) -> object:
    """Return a detail as it stands in a text."""
    if isinstance(value, NestedText):
        return text(value.key, language, **value.details)
    if name in _WORDS:
        return word(str(value), language)
    return show_path(value) if name in _PATHS and isinstance(value, str) else value


@cache
def template(key: str, language: str) -> str:
    """Return the text of a key as it is written in the catalogue; in English where a language does not have it."""
    if language == DEFAULT and key in base.TEXT:
        return base.TEXT[key]
    for code in dict.fromkeys((language, DEFAULT)):
        for table in tables(code, "TEXT"):
            if key in table:
                return table[key]
    raise KeyError(key)


def say_again(said: str, keys: Iterable[str], language: str) -> str:
    """Return the text of one of the keys, stored in whatever language, in this one; what is none of them as it is."""
    found = find_text(said, keys, language)
    return text(found[0], language, **found[1]) if found else said


def find_text(said: str, keys: Iterable[str], language: str) -> tuple[str, dict[str, str]] | None:
    """Return which of the keys a stored text is of, and its details; `language` is the likeliest that it is in."""
    for code in dict.fromkeys((language, *languages.LANGUAGES)):
        for key in keys:
            if match := languages.compiled(_read_template(template(key, code))).fullmatch(said):
                return key, match.groupdict()
    return None


@cache
def _read_template(wanted: str) -> str:
    """Return the expression that finds the details of a text; what a number chooses is any word."""
    from string import Formatter

    found, known = "", set[str | None]()
    for literal, name, spec, conversion in Formatter().parse(wanted):
        again = r"\w*" if spec or conversion else f"(?P={name})" if name in known else rf"(?P<{name}>[\s\S]*?)"
        found += re.escape(literal) + (again if name else "")
        known.add(name)
    return found


def help_text(english: str, language: str) -> str:
    """Return a text of a command's help, which stands in English beside the argument that it explains."""
    key = english.removesuffix(".")
    for table in tables(language, "HELP"):
        known = table.get(key) or table.get(key[:1].lower() + key[1:])
        if known:
            return known + (languages.patterns(language).full_stops[0] if english.endswith(".") else "")
    return english


def word(english: str, language: str) -> str:
    """Return a word that records hold (a kind, a scope, how something ended) to be read; in --json it stays as it is."""
    return next((table[english] for table in tables(language, "WORDS") if english in table), english)


def tables(language: str, name: str) -> Iterator[dict[str, str]]:
    """Yield the tables of a language that hold texts, help or words, each read only when the ones before are used up."""
    catalogue = import_module(f"{__name__}.{language}")
    if hasattr(catalogue, name):
        yield getattr(catalogue, name)
    for module in getattr(catalogue, "TABLES", {}).get(name, ()):
        yield getattr(import_module(f"{__name__}.{language}.{module}"), name, {})


def choose_language(setting: str, message: str = "") -> str:
    """Return the language to answer in: the setting, else $MI_LANG, else that of the message."""
    for wish in (setting, os.environ.get("MI_LANG", "")):
        if wish in languages.LANGUAGES:
            return wish
    return languages.detect(message)
