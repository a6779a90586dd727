"""Code that a command line hands to an interpreter: whether it writes files, and which it names."""

import re

_INTERPRETER = re.compile(r"(?:python|pypy)[\d.]*|node|nodejs|deno|bun|ruby|perl|php|osascript")
_FLAG = re.compile(r"-\w*[cerp]|-E|--eval|--print|eval")
# What writing looks like in these languages.
_WRITES = re.compile(
    r"""open\s*\([^)]*,\s*(?:mode\s*=\s*)?['"][rbt]*[wax+]
    |\.(?:write_?(?:text|bytes)|(?:write|append|copy)File|unlink|rename|rm|truncate|touch|symlink_to|createWriteStream)
        (?:Sync)?\s*\(
    |\b(?:os|shutil|fs|File|FileUtils|IO|Deno)\.
        (?:remove|replace|move|copy\w*|rmtree|makedirs|mkdir|write\w*|delete|cp|mv|rm\w*|binwrite)\b
    |\b(?:file_put_contents|unlink|rename)\s*\(
    |['"]\s*>{1,2}""",
    re.VERBOSE,
)
_LITERAL = re.compile(r"""(['"])([^'"\n]{1,300})\1""")


def code_files(name: str, words: list[str], bodies: list[str]) -> list[str]:
    """The files that inline code names, when it writes at all; "." when it names none."""
    if not _INTERPRETER.fullmatch(name):
        return []
    found: list[str] = []
    for code in _codes(words, bodies):
        if _WRITES.search(code):
            named = [text.lstrip("> ") for _, text in _LITERAL.findall(code)]
            found += [text for text in named if "." in text or "/" in text] or ["."]
    return found


def _codes(words: list[str], bodies: list[str]) -> list[str]:
    """Code in the words; without a script to run, also what stands in here-documents."""
    given = [words[place + 1] for place, word in enumerate(words[:-1]) if _FLAG.fullmatch(word)]
    scripts = [word for word in words if not word.startswith("-")]
    return given if given or scripts else bodies
