"""The message catalogue: every fixed text a person reads, in English and Chinese."""

from mi.kernel.messages.en import base

LANGUAGES = ("en", "zh")
# Their modules are read only when a text is not in base.py: most commands never need them.
AREAS = ("run", "learning", "workflows", "contract", "nexus", "governance", "persona", "everyday")

_WORDS = (
    "scope",
    "outcome",
    "category",
    "severity",
)  # details that are a word of ours and no text: they are said in the language, too


class NestedText:
    """A text of the catalogue inside another one, such as the reason in an error: said in the language of the whole."""

    def __init__(self, key: str, /, **details: object) -> None:
        self.key = key
        self.details = details

    def __str__(self) -> str:
        return text(self.key, "en", **self.details)


def text(key: str, /, language: str = "en", **details: object) -> str:
    """The text of a key with its details filled in; an unknown key is a programming error."""
    said = {
        name: text(value.key, language, **value.details)
        if isinstance(value, NestedText)
        else word(str(value), language)
        if name in _WORDS
        else value
        for name, value in details.items()
    }
    return template(key, language).format(**said)


def template(key: str, language: str) -> str:
    """The text of a key as it is written in the catalogue."""
    if language != "zh" and key in base.TEXT:
        return base.TEXT[key]
    for name in ("base", *AREAS):
        table = _table(language, name, "TEXT")
        if key in table:
            return table[key]
    raise KeyError(key)


def help_text(english: str, language: str) -> str:
    """A text of a command's help, which stands in English beside the argument that it explains."""
    if language != "zh":
        return english
    key = english.removesuffix(".")
    for name in ("help", *AREAS):
        table = _table("zh", name, "HELP")
        known = table.get(key) or table.get(key[:1].lower() + key[1:])
        if known:
            return known + ("。" if english.endswith(".") else "")
    return english


def word(english: str, language: str) -> str:
    """A word that records hold (a kind, a scope, how something ended), to be read; in --json it stays as it is."""
    return _table("zh", "words", "WORDS").get(english, english) if language == "zh" else english


def _table(language: str, area: str, name: str) -> dict[str, str]:
    from importlib import import_module

    found: dict[str, str] = getattr(
        import_module(f"mi.kernel.messages.{'zh' if language == 'zh' else 'en'}.{area}"), name
    )
    return found


def choose_language(setting: str, message: str = "") -> str:
    """The language to answer in: the setting, else $MI_LANG, else Chinese when the message holds Chinese."""
    import os

    for wish in (setting, os.environ.get("MI_LANG", "")):
        if wish in LANGUAGES:
            return wish
    from mi.kernel.text import has_cjk

    return "zh" if has_cjk(message) else "en"
