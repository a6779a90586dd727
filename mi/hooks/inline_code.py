"""Whether code on a command line writes files, and which it names."""

import re

from mi.kernel.inline_code import inline_code

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
    found: list[str] = []
    for code in inline_code(name, words, bodies):
        if _WRITES.search(code):
            named = [text.lstrip("> ") for _, text in _LITERAL.findall(code)]
            found += [text for text in named if "." in text or "/" in text] or ["."]
    return found
