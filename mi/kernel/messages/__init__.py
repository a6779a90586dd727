"""The message catalogue: every fixed text a person reads, in English and Chinese."""

from mi.kernel.messages import en

LANGUAGES = ("en", "zh")


def text(key: str, /, language: str = "en", **details: object) -> str:
    """The text of a key with its details filled in; an unknown key is a programming error."""
    return _table(language)[key].format(**details)


def help_text(english: str, language: str) -> str:
    """A text of a command's help, which stands in English beside the argument that it explains."""
    if language != "zh":
        return english
    from mi.kernel.messages.help_zh import HELP

    key = english.removesuffix(".")
    known = HELP.get(key) or HELP.get(key[:1].lower() + key[1:], english)
    return known + ("。" if known != english and english.endswith(".") else "")


def _table(language: str) -> dict[str, str]:
    if language != "zh":
        return en.TEXT
    from mi.kernel.messages import zh  # read only by those who need it

    return zh.TEXT


def choose_language(setting: str, message: str = "") -> str:
    """The language to answer in: the setting, else $MI_LANG, else Chinese when the message holds Chinese."""
    import os

    for wish in (setting, os.environ.get("MI_LANG", "")):
        if wish in LANGUAGES:
            return wish
    from mi.kernel.text import has_cjk

    return "zh" if has_cjk(message) else "en"
