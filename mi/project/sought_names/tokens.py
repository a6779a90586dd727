"""Names in files of other languages, by their tokens: what is exported, built, declared, and has a body."""

import os
import platform
import re
from collections.abc import Iterator, Sequence

from mi.project.checks.judge_tokens import SCRIPTED, Token, tokens_of
from mi.project.sought_names.sought_name import EMPTY, Fault, Read, SoughtName

_DEFINING = {
    **dict.fromkeys(SCRIPTED, frozenset("function const let var class * enum interface type".split())),
    "go": frozenset("func type var const )".split()),
    "rs": frozenset("fn struct enum trait const static type mod macro_rules!".split()),
}
_TODO = re.compile(
    r"(?:throw )?(?:new )?(?:Error|panic|todo!|unimplemented!|unreachable!) \( "
    r"(?:\"[^\"]*(?:not (?:yet )?implemented|todo|unimplemented)[^\"]*\" )?\) ?;?",
    re.IGNORECASE,
)
_EXPORTS = re.compile(r"\bexports?\b")
_OS = {"Linux": "linux", "Darwin": "darwin", "Windows": "windows"}
_MACHINE = {"x86_64": "amd64", "AMD64": "amd64", "aarch64": "arm64", "arm64": "arm64"}
_SYSTEMS = frozenset(
    "aix android darwin dragonfly freebsd illumos ios js linux nacl netbsd openbsd plan9 solaris wasip1 windows zos"
    " 386 amd64 arm arm64 loong64 mips mips64 mips64le mipsle ppc64 ppc64le riscv64 s390x wasm".split()
)


def find_token_fault(path: str, text: str, ending: str, sought: SoughtName, read: Read) -> Fault:
    """Return what is wrong with a name that a file of JavaScript, Go or Rust defines."""
    tokens = tokens_of(text, ending)
    places = [at for at in range(1, len(tokens)) if _is_defined(tokens, at, sought.name, ending)]
    if not places:
        return None
    if ending == "go":
        return _find_unbuilt(path, text, sought.task) or _find_idle(tokens, places, sought)
    fault = _find_undeclared(path, read, sought) if ending == "rs" else ""
    return fault or _find_hidden(tokens, places, ending, sought) or _find_idle(tokens, places, sought)


def _is_defined(tokens: Sequence[Token], at: int, name: str, ending: str) -> bool:
    before = tokens[at - 1].text
    if tokens[at].text != name or before not in _DEFINING[ending] or tokens[at - 2].text == "declare":
        return False
    return before != ")" or tokens[at + 1 : at + 2] == [] or tokens[at + 1].text == "("


def _body(tokens: Sequence[Token], at: int) -> tuple[int, int]:
    """Return where the braces open and close that follow a name, before a statement ends; (at, at) without any."""
    depth = opened = 0
    for here in range(at + 1, len(tokens)):
        word = tokens[here].text
        if word in "([{":
            opened = here if word == "{" and depth == 0 and not opened else opened
            depth += 1
        elif word in ")]}":
            depth -= 1
            if depth < 0 or (depth == 0 and opened and word == "}"):
                return (opened, here) if opened else (at, at)
        elif word == ";" and depth == 0:
            break
    return at, at


def _find_idle(tokens: Sequence[Token], places: Sequence[int], sought: SoughtName) -> str:
    if sought.may_be_idle or not sought.is_called:
        return ""
    bodies = [(opened, closed) for at in places for opened, closed in [_body(tokens, at)] if closed > opened]
    inner = [" ".join(token.text for token in tokens[opened + 1 : closed]) for opened, closed in bodies]
    return EMPTY if inner and all(not text or _TODO.fullmatch(text) for text in inner) else ""


def _find_hidden(tokens: Sequence[Token], places: Sequence[int], ending: str, sought: SoughtName) -> str:
    """Return that a definition is neither given out nor used, '' where it is one of these."""
    if any(_is_given_out(tokens, at) or (ending == "rs" and _is_registered(tokens, at)) for at in places):
        return ""
    spans = [(at, _body(tokens, at)[1]) for at in places]
    used = [
        at
        for at, token in enumerate(tokens)
        if token.text == sought.name and not any(first <= at <= last for first, last in spans)
    ]
    if ending == "rs":
        return (
            "" if used and not sought.is_exported else "is not public" if used else "is not public, and nothing uses it"
        )
    words = " ".join(token.text for token in tokens)
    name = re.escape(sought.name)
    if re.search(rf"\bexport (?:default {name}\b|\{{[^}}]*\b{name}\b)|\bexports\b[^;]*?\b{name}\b", words):
        return ""
    if sought.is_exported:
        return "is not exported"
    if used or (
        not _EXPORTS.search(words) and any(tokens[at].column < 20 and _depth(tokens, at) == 0 for at in places)
    ):
        return ""
    return "is not exported, and nothing uses it"


def _is_given_out(tokens: Sequence[Token], at: int) -> bool:
    """Return whether a word before a definition, on its line, makes it public."""
    line = tokens[at].line
    before = [token.text for token in tokens[max(0, at - 8) : at] if token.line == line]
    return bool({"export", "pub", "exports", "public"} & set(before))


def _is_registered(tokens: Sequence[Token], at: int) -> bool:
    """Return whether a Rust function belongs to a trait, or an attribute hands it to somebody."""
    words = [token.text for token in tokens[:at]]
    depth, here = 0, len(words)
    while here and depth < 1:
        here -= 1
        depth += (words[here] == "{") - (words[here] == "}")
    head = " ".join(words[:here]).rpartition(" }")[2].rpartition(" ;")[2] if depth == 1 else ""
    attribute = re.search(r"\# \[ (\w++)(?:(?!\# \[ )[^\]])*+\] (?:async )?fn\Z", " ".join(words[-40:]))
    plain = ("cfg", "inline", "allow", "must_use", "doc", "deprecated", "cold")
    return bool(re.search(r"\btrait\b|\bimpl\b.* for ", head)) or (attribute is not None and attribute[1] not in plain)


def _depth(tokens: Sequence[Token], at: int) -> int:
    words = [token.text for token in tokens[:at]]
    return words.count("{") - words.count("}")


def _find_unbuilt(path: str, text: str, task: str) -> str:
    """Return that a Go file is not built on this machine, unless the task speaks of what it is built for."""
    own = {_OS.get(platform.system(), ""), _MACHINE.get(platform.machine(), ""), "unix", "cgo", "gc"}
    parts = os.path.basename(path).removesuffix(".go").split("_")[1:]
    tags = [part for part in parts[-2:] if part in _SYSTEMS]
    line = re.search(r"^//go:build (.+)$", text, re.MULTILINE)
    told = re.findall(r"\w[\w.]*", line[1]) if line else []
    if any(re.search(rf"\b{re.escape(tag)}\b", task, re.IGNORECASE) for tag in (*tags, *told)):
        return ""
    wrong = [tag for tag in tags if tag not in own]
    if wrong or (line and not _allows(line[1], own)):
        return f"stands in {path}, which is not built here"
    return "stands in a folder that is never built" if re.search(r"(?:^|/)(?:testdata|[_.][^/]*)/", path) else ""


def _allows(expression: str, own: set[str]) -> bool:
    """Return whether a build constraint holds: `a && (b || !c)`."""
    words = iter(re.findall(r"&&|\|\||[!()]|\w[\w.]*", expression))
    return _any_of(words, own)


def _any_of(words: Iterator[str], own: set[str]) -> bool:
    terms, negated = [[]], False  # type: list[list[bool]], bool
    for word in words:
        if word == ")":
            break
        if word == "||":
            terms.append([])
        elif word == "!":
            negated = not negated
        elif word != "&&":
            holds = _any_of(words, own) if word == "(" else word in own or bool(re.fullmatch(r"go1\.\d+", word))
            terms[-1].append(holds != negated)
            negated = False
    return any(all(term) for term in terms)


def _find_undeclared(path: str, read: Read, sought: SoughtName) -> str:
    """Return that no module of a crate declares a Rust file; '' where one does, or where it needs none."""
    folder, name = os.path.split(path)
    stem = name.removesuffix(".rs")
    if stem in ("lib", "main", "build") or re.search(r"(?:^|/)(?:bin|tests|examples|benches)(?:/|$)", folder):
        return ""
    if stem == "mod":
        folder, stem = os.path.split(folder)
    parents = [f"{folder}/{one}.rs".lstrip("/") for one in ("lib", "main", "mod")] + [f"{folder}.rs"]
    there = [(parent, text) for parent in parents if (text := read(parent))]
    for parent, text in there:
        found = _declaration(" ".join(token.text for token in tokens_of(text, "rs")), stem)
        if found is None:
            continue
        conditions, is_public, is_used = found
        if _is_other_system(conditions, sought.task):
            return f"stands in {path}, which is not built here"
        if not is_public and not is_used:
            return f"stands in {path}, and nothing uses `mod {stem}`"
        return _find_undeclared(parent, read, sought)
    return f"stands in {path}, and no `mod {stem}` declares it" if there else ""


def _declaration(words: str, stem: str) -> tuple[str, bool, bool] | None:
    """Return the attributes of a `mod`, whether it is public, and whether something names it beside."""
    if re.search(rf"\"[^\"]*\b{stem}(?:\.rs|/mod\.rs)\"", words):  # by its path, or included
        return "", True, True
    found = re.search(rf"((?:\# \[ [^\]]*\] )*)(pub (?:\( \w+ \) )?)?\bmod {stem} [;{{]", words)
    if found is None:
        return None
    used = re.search(rf"\b{stem} ::|:: {stem}\b|\buse {stem}\b|[{{,] {stem}\b", words)
    return found[1], bool(found[2]), bool(used)


def _is_other_system(conditions: str, task: str) -> bool:
    own = _OS.get(platform.system(), "")
    off = re.search(r"cfg \( (?:(test)|(windows)|target_os = \"(\w+)\") \)", conditions)
    word = next((group for group in off.groups() if group), "") if off else ""
    return bool(word) and word != own and word not in task.lower()


def find_option_fault(text: str, ending: str, option: str) -> Fault:
    """Return what is wrong with an option: declared, and its value read nowhere in this file."""
    plain = option.removeprefix("--")
    camel = re.sub(r"-(\w)", lambda match: match[1].upper(), plain)
    words = " ".join(token.text for token in tokens_of(text, ending))
    names = rf"(?:{re.escape(camel)}|{re.escape(plain.replace('-', '_'))})"
    match ending:
        case "go":
            kinds = "(?:Bool|String|Int|Int64|Uint|Float64|Duration)P?"
            declared = rf"(?P<to>\S+ (?::=|=|,|\() )?\b\w+(?: \( \))? \. {kinds} \( \"{plain}\""
            used = rf"(?:Lookup|Get\w+) \( \"{plain}\""
        case "rs":
            declared = rf"\[ (?:arg|clap|structopt) [^\]]*\][^;{{}}]*?\b{names} :"
            used = rf"\. {names}\b|[{{,] {names} [,}}]"
        case _:
            calls = r"(?:option|requiredOption|addOption|boolean|string) \( (?:new Option \( )?"
            declared = rf"\. {calls}\"(?:-\w, )?(?:--)?{plain}\b[^\"]*\""
            used = rf"[.{{,] {names}\b(?! :)|\"{names}\"|\.\.\.|\b(?:opts?|options?|argv?) [,)]"
    found = re.search(declared, words)
    if found is None:
        return "" if option in words else None
    rest = words[: found.start()] + " " + words[found.end() :]
    kept = ending == "go" and found["to"] is not None and not found["to"].startswith("_ ")
    return "" if kept or re.search(used, rest) else "is declared, and nothing reads it"
