"""The items of a test file in a language of blocks: calls, functions, methods and groups of them."""

import re
from collections.abc import Iterator

from mi.project.checks.judge_items import JudgeItem, shorten, whole
from mi.project.checks.judge_tokens import SCRIPTED, CodeStatement, Token, body_of, statements_of, tokens_of

_CONTAINER = re.compile(
    r"(?:^|[ ])(?:describe|context|suite|fdescribe|xdescribe|class|interface|object|namespace|mod|impl|trait|module"
    r"|feature|record|struct|enum|extension|protocol)\b"
)
_TEST_CALL = re.compile(r"(?:it|test|specify|fit|xit|xtest|scenario|example|TEST\w*|SCENARIO|BOOST_\w*TEST\w*)\b")
_TEST_FUNCTION = re.compile(r"\b(?:func|fn|fun|function|def|void|Task)\s+((?:[Tt]est|Benchmark|Example|Fuzz)\w*)")
_TEST_MARK = re.compile(
    r"(?:@|\[ ?|\# \[ (?:\w+ :: )*)(?:\w*Test\w*|test\w*|Fact|Theory|TestCase|rstest|case|wasm_bindgen_test)\b"
)
_DECLARES = re.compile(
    r"(?:(?:export|default|async|pub|public|private|protected|internal|static|final|override|open|abstract|readonly|suspend"
    r"|unsafe|\( crate \)|declare) )*"
    r"(?:func|fn|fun|function|def|class|struct|enum|trait|type|interface|record|object|module|const|let|var|val|static"
    r"|import|use|using|require|require_relative|package|namespace|mod|data class|impl|from|alias|defp|defmodule)\b"
)
_HOOKED = re.compile(
    r"\b(?:func (?:TestMain|init) \(|fn main \(|def (?:setup|teardown|self \.|before_setup)\b)"
    r"|@(?:Before|After)\w*|@Rule\b"
)
_BOUND = re.compile(
    r"\b(?:func|fn|fun|function|def|class|struct|enum|type|interface|record|object|const|let|var|val|import)"
    r" (?:\( [^)]* \) )?(\w+)"
)
_CALLS = re.compile(r"[\w\])] \(")


def block_items(text: str, language: str) -> list[JudgeItem]:
    """Return the items of a test file by the blocks of its language; one that cannot be read is one item."""
    found = list(_blocks(tokens_of(text, language), "", language, text.splitlines()))
    return found or ([whole(text)] if text.strip() else [])


def shell_items(text: str) -> list[JudgeItem]:
    """Return the lines of a test in the shell's language, each an item; one more assertion takes nothing away."""
    lines = [line.strip() for line in text.replace("\\\n", " ").splitlines()]
    said = [line for line in lines if line and not re.match(r"#(?!!)", line)]
    return [JudgeItem(line, line, line, bool(_SHELL_ASSERTION.match(line)), is_test=True) for line in said]


_SHELL_ASSERTION = re.compile(r"(?:\[\[? |test |assert\w* |expect\w* |check\w* )(?!.*\b(?:exit 0|return 0|true)\b)")


def _blocks(tokens: "list[Token]", owner: str, language: str, lines: list[str]) -> Iterator[JudgeItem]:
    for statement in statements_of(tokens, language):
        body = body_of(statement, language)
        shown = _lines_of(statement, lines)
        head = " ".join(token.text for token in body.before) if body else statement.text
        if body and _is_container(head, language):
            name = f"{owner}{_block_name(head)}"
            behind = " ".join(token.text for token in body.behind)
            yield JudgeItem(name, f"{head} {behind}", shown.partition("\n")[0], True, _bound(head))
            yield from _blocks(list(body.inside), f"{name} > ", language, lines)
        elif imported := _imported(statement.text):
            acts = bool(re.match(r"import (?:\"|_ \")", statement.text)) and (
                language in SCRIPTED or "_ " in statement.text
            )
            for name, text in imported:
                yield JudgeItem(f"{owner}import {name}", text, shown, name != "*" and not acts, name, acts=acts)
        else:
            yield _block(_without_ends(statement, language), head, owner, shown)


def _without_ends(statement: CodeStatement, language: str) -> CodeStatement:
    """Return a statement without the semicolons that a language does not need."""
    if language not in SCRIPTED:
        return statement
    return CodeStatement(tuple(token for token in statement.tokens if token.text != ";"))


def _is_container(head: str, language: str) -> bool:
    if language == "go" or _TEST_CALL.match(head):
        return False
    before_call = head.partition("(")[0] if not head.startswith(("@", "#", "[")) else head
    return bool(_CONTAINER.search(before_call))


_IMPORT = re.compile(
    r"(?:import (?:type )?(?P<names>.+?) from|(?:const|let|var) (?P<taken>\{.*\}|\w+) = (?:await import|require) \()"
    r" (?P<from>\"[^\"]*\")|import (?P<go>\(.*\)|(?:\w+ )?\"[^\"]*\")|(?:pub )?use (?P<rust>.+)"
    r"|(?:import|using|require|require_relative) (?P<other>.+)"
)


def _imported(text: str) -> list[tuple[str, str]]:
    """Return the names that an import binds, each with where it comes from; [] for anything else."""
    found = _IMPORT.fullmatch(text) or _IMPORT.fullmatch(text.rstrip(" )"))
    if not found:
        return []
    if names := found["names"] or found["taken"]:
        pieces = [piece.strip() for piece in re.sub(r"[{}]", ",", names).split(",")]
        return [(_alias(piece), f"{piece} from {found['from']}") for piece in pieces if piece]
    if packages := found["go"]:
        return [(one.rpartition("/")[2].strip('"'), one) for one in re.findall(r"(?:\b\w+ )?\"[^\"]*\"", packages)]
    if (paths := found["rust"]) and "{" in paths:
        start, _, inner = paths.partition("{")
        return [(_alias(one.strip()), f"{start}{one.strip()}") for one in inner.strip(" }").split(",") if one.strip()]
    named = found["rust"] or found["other"]
    return [(re.split(r" :: | \. |/", named)[-1].strip('"'), named)]


def _alias(piece: str) -> str:
    return re.split(r" as | : ", piece)[-1].strip()


def _block(statement: CodeStatement, head: str, owner: str, shown: str) -> JudgeItem:
    text = statement.text
    is_test = bool(_TEST_CALL.match(text) or _TEST_FUNCTION.search(head) or _TEST_MARK.search(head.partition("{")[0]))
    is_test = is_test and not _HOOKED.search(head)
    declared = _DECLARES.match(_without_marks(text))
    adds = is_test or (bool(declared) and not _HOOKED.search(text) and _is_still(text))
    acts = not adds and not declared and not _GROUP_HOOK.match(text)
    return JudgeItem(
        owner + _block_name(head if is_test and " . each " not in head else text),
        text,
        shown,
        adds,
        _bound(head),
        is_test,
        acts,
    )


_GROUP_HOOK = re.compile(r"(?:before|after|around|let|subject|setup|teardown|use)\w*!? ?[\({:]|@|\[|\#")


def _without_marks(text: str) -> str:
    """Return a declaration without the annotations before it."""
    return re.sub(r"^(?:@[\w.]+ (?:\( [^)]*\) )?|\# \[ [^]]*\] |\[ [^]]*\] )+", "", text)


def _is_still(text: str) -> bool:
    """Return whether a declaration calls nothing as it is loaded: a function, a type, an import, a plain value."""
    is_value = re.match(r"(?:export )?(?:const|let|var|val|static)\b", text)
    if not is_value or re.search(r"= (?:async )?(?:function\b|\( [^=]*\) (?:: [^=]+)?=>|\w+ =>)", text):
        return True
    called = re.sub(r"\b(?:require|new (?:\w+ \. )*[A-Z]\w*|(?<!\w \. )(?:\w+ \. )*[A-Z]\w*|await import) \(", "", text)
    return not _CALLS.search(called)


def _bound(head: str) -> str:
    found = _BOUND.search(head)
    return found[1] if found else ""


def _block_name(head: str) -> str:
    """Return a name for people: what a call is about, or what a declaration declares."""
    each = re.match(r"\w+ \. each\b.*?\) \( (\"[^\"]*\")", head)
    if each:
        return f"each {each[1][1:-1]}"
    called = re.match(r"((?:\w+ ?\. ?)*\w+) (?:\( )?(\"[^\"]*\"|`[^`]*`|'[^']*')", head)
    if called:
        return f"{called[1].replace(' ', '')} {called[2].strip(chr(34) + chr(96) + chr(39))}"
    declared = re.search(
        r"\b(?:func|fn|fun|function|def|class|struct|mod|module|namespace|interface|void|Task) (?:\( [^)]* \) )?(\w+)",
        head,
    )
    method = re.search(r"\b(\w+) \(", _without_marks(head))
    return declared[1] if declared else method[1] if method else shorten(head)


def _lines_of(statement: CodeStatement, lines: list[str]) -> str:
    first, last = statement.lines
    return "\n".join(lines[first : last + 1])


_RUST_TEST = re.compile(r"(?:\# \[ [^]]*\] )*\# \[ (?:cfg \( (?:all \( )?test\b|(?:\w+ :: )*test\b|rstest)")


def inline_items(text: str) -> list[JudgeItem]:
    """Return the tests of a Rust source file: `#[cfg(test)]` modules, `#[test]` functions, examples in its comments."""
    if "#[" not in text and "```" not in text:
        return []
    return [*_rust_tests(text), *_rust_examples(text)]


def _rust_tests(text: str) -> Iterator[JudgeItem]:
    lines = text.splitlines()
    for statement in statements_of(tokens_of(text, "rs"), "rs"):
        if _RUST_TEST.match(statement.text):
            yield from _blocks(list(statement.tokens), "", "rs", lines)


def _rust_examples(text: str) -> Iterator[JudgeItem]:
    said = re.sub(r"(?m)^[ \t]*//[/!] ?", "\0", text)
    for block in re.finditer(r"(?m)^\0```(?:rust|should_panic|edition\d+|,|[ \t])*\n((?:\0.*\n)*?)\0```", said):
        code = "\n".join(line.strip() for line in block[1].replace("\0", "").splitlines() if line.strip())
        yield JudgeItem(f"example `{shorten(code)}`", code, code, True, is_test=True)


def spans_of_inline(text: str) -> list[tuple[int, int]]:
    """Return the first and last lines of the tests inside a Rust source file."""
    found = []
    for statement in statements_of(tokens_of(text, "rs"), "rs"):
        if _RUST_TEST.match(statement.text):
            found.append(statement.lines)
    return found
