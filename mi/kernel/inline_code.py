"""Code that a command line hands to an interpreter: in its words, or in a here-document."""

import re

_INTERPRETER = r"(?:python|pypy)[\d.]*|node|nodejs|deno|bun|ruby|perl|php|osascript|lua[\d.]*"
_FLAG = r"-\w*[cerp]|-E|--eval|--print|eval"


def inline_code(name: str, words: list[str], bodies: list[str]) -> list[str]:
    """Code in the words after an interpreter's name; without a script to run, what stands in here-documents."""
    if not re.fullmatch(_INTERPRETER, name):
        return []
    given = [words[place + 1] for place, word in enumerate(words[:-1]) if re.fullmatch(_FLAG, word)]
    scripts = [word for word in words if not word.startswith("-")]
    return given if given or scripts else bodies
