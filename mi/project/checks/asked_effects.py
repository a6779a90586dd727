"""Lines of new code that change nothing: a result nobody takes, a lock nobody holds, a loop of one round."""

import ast
import re
from collections.abc import Iterator
from keyword import iskeyword

from mi.kernel.language import compiled, patterns
from mi.project.checks.judge_places import extension
from mi.project.checks.judge_tokens import SCRIPTED, without_comments
from mi.project.checks.product_functions import is_product, text_of
from mi.project.trees import Tree

# Methods and functions that leave what they are called with as it is.
_JS = (
    r"(?:trim|trimStart|trimEnd|toUpperCase|toLowerCase|slice|substring|concat|padStart|padEnd|toFixed|toSorted|toReversed)"
    r"\([^()]{0,200}\)|replace(?:All)?\((?:'[^']{0,200}'|\"[^\"]{0,200}\"|/[^()]{1,200}/\w{0,9}),\s{0,9}['\"][^()]{0,200}\)"
)
_PYTHON = "strip|lstrip|rstrip|upper|lower|capitalize|casefold|removeprefix|removesuffix|zfill|splitlines"
_GO = "Trim(?:Space|Left|Right|Prefix|Suffix)?|ToUpper|ToLower|Replace|ReplaceAll|Split|Join|Fields|Title"
_RESULT = {
    **dict.fromkeys(SCRIPTED, re.compile(rf"(?<![\w$.])[\w$.]{{1,120}}\.(?:{_JS});?")),
    "py": re.compile(rf"(?:(?<![\w.])[\w.]{{1,120}}\.(?:{_PYTHON})|sorted|reversed)\([^()]{{0,200}}\)"),
    "go": re.compile(rf"(?:strings|bytes)\.(?:{_GO})\([^()]{{0,200}}\)"),
}
_BEGINS = re.compile(r"(?:^|[{};:)\]\w\"'])\s*\Z")  # how a line ends after which a statement may begin
_SCRIPTED_BEGINS = re.compile(r"(?:^|(?<!\$)\{|[};])\s*\Z")
_LOCK = re.compile(
    r"^\s*(?:var\s+)?(?P<go>\w+)\s+\*?sync\.(?:RW)?Mutex\s*$"
    r"|^\s*(?:self\.)?(?P<py>\w+)\s*=\s*(?:threading|asyncio|multiprocessing)\.(?:R?Lock|Semaphore)\("
    r"|\b(?P<js>[\w$]+)\s*=\s*new\s+(?:Mutex|Semaphore|AsyncLock)\("
)


def find_without_effect(task: str, base: Tree, final: Tree) -> Iterator[tuple[str, str]]:
    """Yield lines that came to the product and change nothing, each with what is wrong with it."""
    if compiled(patterns().unused_on_purpose).search(task):
        return
    for path in final.changed_since(base):
        language = extension(path)
        if not is_product(path) or language not in _RESULT:
            continue
        had = {line.strip() for line in text_of(base, path).splitlines()}
        lines = [line for line in without_comments(text_of(final, path), language).splitlines() if line.strip()]
        for above, line, below in zip(["", *lines], lines, [*lines[1:], ""], strict=False):
            if line.strip() in had:
                continue
            if _RESULT[language].fullmatch(line.strip()) and _is_statement(above, below, language):
                yield line.strip(), "gives a result that nothing takes"
            elif (lock := _LOCK.search(line)) and _is_named_once(next(filter(None, lock.groups())), final):
                yield line.strip(), "is a lock that nothing takes"
        once = _rounds_of_one(text_of(final, path)) if language == "py" else ()
        yield from ((line, "ends in its first round") for line in once if line not in had)


def _is_statement(above: str, below: str, language: str) -> bool:
    """Return whether a line stands by itself, as far as the lines around it tell."""
    begins = _SCRIPTED_BEGINS if language in SCRIPTED else _BEGINS
    goes_on = re.match(r"\s*[.?+&|)\],]", below) is not None
    return begins.search(above) is not None and not iskeyword(above.split()[-1] if above else "") and not goes_on


def _rounds_of_one(text: str) -> Iterator[str]:
    """Yield the heads of loops over numbers that every way through their bodies leaves."""
    try:
        tree = ast.parse(text)
    except (SyntaxError, ValueError, RecursionError, MemoryError):
        return
    for node in ast.walk(tree):
        match node:
            case ast.For(iter=ast.Call(func=ast.Name(id="range")), body=body):
                if _leaves(body) and not any(isinstance(one, ast.Continue) for one in ast.walk(node)):
                    yield text.splitlines()[node.lineno - 1].strip()


def _leaves(body: list[ast.stmt]) -> bool:
    """Return whether a block of a loop always ends the loop."""
    match body[-1]:
        case ast.Return() | ast.Raise() | ast.Break():
            return True
        case ast.If(body=then, orelse=[_, *_] as other):
            return _leaves(then) and _leaves(other)
        case ast.Try(body=tried, handlers=handlers, orelse=other):
            return _leaves(other or tried) and all(_leaves(one.body) for one in handlers)
    return False


def _is_named_once(name: str, tree: Tree) -> bool:
    """Return whether the product names something only where it is made."""
    texts = (without_comments(text_of(tree, path), extension(path)) for path in tree.paths() if is_product(path))
    word = re.compile(rf"(?<![\w$]){re.escape(name)}(?![\w$])")
    return sum(len(word.findall(text)) for text in texts) <= 1
