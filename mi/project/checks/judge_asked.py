"""Whether a task asks for the change of a judge: by its name, for the tests in general, or by what it states."""

import re
from collections.abc import Iterator
from difflib import SequenceMatcher

from mi.kernel.language import compiled, each_language, patterns
from mi.project.checks.judge_differences import SHOWN, JudgeChange
from mi.project.checks.judge_places import extension, judge_kind
from mi.project.checks.judge_reach import find_reach, uses_any
from mi.project.checks.judge_recipes import runs_tests
from mi.project.checks.judge_strength import ASSERTION, asks_for_less, keeps_strength
from mi.project.checks.runners import RUNNERS
from mi.project.trees import Tree

_RUNNER = re.compile("|".join(runner.name for runner in RUNNERS if len(runner.name) > 3 and not runner.by_recipe))
_TEST_PLACE = re.compile(r"(?i)\A(?=.*(?:test|spec|snap|golden|fixture)).*(?:[/_.]\w|(?-i:[a-z][A-Z]))")
_COMMON = frozenset("tests script scripts check checks tasks steps conditions settings".split())


def asks_for(task: str, change: JudgeChange, base: Tree, final: Tree) -> bool:
    """Return whether a task asks for this very change of a judge; the wish that tests stay as they are goes first."""
    path, item, how, before, after, _ = change
    known = patterns()
    if compiled(known.tests_stay).search(task) or how == "for the tests alone":
        return False
    if how in ("removed", "hidden", "moved") or not after:
        return _names_loss(task, path, item, how, before, after)
    if _differs_by_rename(task, before, after):
        return True
    if (
        _is_code(path)
        and asks_for_less(before, after, extension(path))
        and not compiled(known.loosens_tests).search(task)
    ):
        return False
    if _is_named(task, path, item, how, after):
        return True
    if how != "changed" or judge_kind(path) not in ("code", "data", "inline") or not _keeps_strength(before, after):
        return False
    return _follows(task, before, after) or (
        _asks_in_general(task, path, item) and _is_about(task, change, base, final)
    )


def _is_code(path: str) -> bool:
    return judge_kind(path) in ("code", "inline")


def _is_about(task: str, change: JudgeChange, base: Tree, final: Tree) -> bool:
    """Return whether a task that names functions names one that a test uses; a helper is taken by its file."""
    if not _is_code(change.path):
        return True
    names = find_reach(task, base, final)
    is_whole = ASSERTION.search(change.before) and len(change.before) < SHOWN
    text = change.before if is_whole else (base.read(change.path) or b"").decode("utf-8", "replace")
    return not names or uses_any(text, names)


# what is taken away


def _names_loss(task: str, path: str, item: str, how: str, before: str, after: str) -> bool:
    known = patterns()
    names = [name for name in _names(path, item) if name]
    if how == "moved":
        folders = [part for part in path.split("/")[:-1] if part]
        new = after.partition("\n")[0]
        said = any(_after_verb(task, known.move_away, name) for name in (*names, *folders, "tests"))
        return _differs_by_rename(task, path, new) or (said and _is_mentioned(task, new.rpartition("/")[0] or new))
    if any(_after_verb(task, known.take_away, name, known.before_name) for name in names):
        return True
    if how == "hidden":
        return any(_after_verb(part, known.adjust, item.strip("/")) for part in _sentences(task))
    along = compiled(rf"(?:{known.take_away})(.{{0,80}}?)(?:{known.with_tests})").search(task)
    if along is None:
        return False
    taken = re.findall(r"[\w.]{3,}", re.sub(known.before_name, " ", along[1]))
    return any(_is_mentioned(before, name) for name in taken or re.findall(r"`([\w.]+)", task))


def _names(path: str, item: str) -> list[str]:
    file = path.rpartition("/")[2]
    last = re.split(r" > |\.", item)[-1]
    plain = last.partition(" ")[2] or last
    return [path, file, file.partition(".")[0], *({last, plain, item} if item else ())]


def _after_verb(task: str, verb: str, name: str, between: str = "") -> bool:
    """Return whether a name is what a verb is about: no other thing stands between them."""
    stop = patterns().no_object
    words = rf"(?:\W+|{between})*" if between else rf"(?:(?!{stop})[^;\n]){{0,60}}?"
    asked = rf"(?:{verb}){words}(?<![\w-]){re.escape(name)}(?![\w-])"
    return any(not _is_denied(task[: match.start()]) for match in re.finditer(asked, task, re.IGNORECASE))


def _is_denied(before: str) -> bool:
    """Return whether what comes next is what must not be done."""
    return bool(compiled(rf"(?:{patterns().negation})\W*(?:\w+\W+){{0,2}}$").search(before[-40:]))


def _is_mentioned(text: str, name: str) -> bool:
    return bool(name) and re.search(rf"(?<!\w){re.escape(name)}(?!\w)", text, re.IGNORECASE) is not None


# what is changed


def _is_named(task: str, path: str, item: str, how: str, after: str) -> bool:
    """Return whether a verb of change is about this file, test or setting; a recipe must go on running tests."""
    known, kind = patterns(), judge_kind(path)
    if (
        kind in ("recipe", "manifest", "settings")
        and item.startswith(("make ", "script ", "just "))
        and not runs_tests(after)
    ):
        return False
    if kind == "code" and not _keeps_header(after):
        return any(_after_verb(task, known.take_away, name, known.before_name) for name in _names(path, item))
    if kind in ("manifest", "settings") and _leaves_out(item):
        return _leaves_out(task)
    named = _names(path, item)
    if kind not in ("code", "inline"):
        named += [word for word in re.findall(r"[\w-]{5,}", item) if word not in _COMMON]
    if kind == "manifest":  # much else stands in it: its name alone says nothing
        named = [name for name in named if name not in _names(path, "")]
    parts = _sentences(task)
    if any(_after_verb(part, known.adjust, name) for part in parts for name in dict.fromkeys(named) if len(name) > 2):
        return True
    runner = _RUNNER.search(f"{path} {item}")
    if runner is None or kind == "code":
        return False
    return any(_after_verb(part, known.adjust, runner[0]) for part in parts)


def _leaves_out(text: str) -> bool:
    """Return whether the name of a setting, or a task, speaks of what is not to be looked at."""
    known = patterns()
    return compiled(rf"(?i)\b(?:omit|exclu|ignor|skip|deselect|norecurse)|{known.take_away}").search(text) is not None


def _keeps_header(after: str) -> bool:
    """Return whether a test is still run: no mark before it and no other word for it leaves it out."""
    head = after.lstrip().partition("\n")[0]
    return (
        not re.search(
            r"(?i)\bskip|xfail|\btodo\b|^x(?:it|test|describe)\b|ignore|disabled|pending|failing|^\s*//\s*(?:go:build|\+build)"
            r"|^\s*#!\[\s*cfg\b",
            after,
        )
        or not head
    )


def _asks_in_general(task: str, path: str, item: str) -> bool:
    """Return whether tests are to be changed, or are said to be wrong: all, or those of a place that is named with it.

    `add tests` asks for new ones only.
    """
    known = patterns()
    parting = re.escape("".join((*known.commas, *known.semicolons)))
    wanted = rf"(?:{known.adjust})(?:(?!{known.no_object})[^{parting}]){{0,40}}?(?:{known.test_words})"
    adding = rf"(?:{known.brings})(?:[\s`]+[a-z-]+){{0,4}}?[\s`]*(?={known.test_words})"
    return any(
        compiled(known.tests_wrong).search(part) or compiled(wanted).search(compiled(adding).sub(" ", part))
        for part in _sentences(task)
        if _reaches(part, path, item)
    )


def _reaches(sentence: str, path: str, item: str) -> bool:
    """Return whether a sentence names no file, folder or test of tests, or one that a judge stands in."""
    words = (word.strip("./-") for word in re.findall(r"[\w./-]+", sentence))
    places = [word for word in words if _TEST_PLACE.search(word)]
    names = {*_names(path, item), *re.split(r" > |\.", item)}
    return not places or any(place in names or path.startswith(f"{place}/") for place in places)


def _sentences(task: str) -> list[str]:
    ends = compiled(patterns().sentence_break)
    return [part for line in task.splitlines() for part in ends.split(line) if part.strip()]


def _keeps_strength(before: str, after: str) -> bool:
    return (_keeps_header(after) or not _keeps_header(before)) and keeps_strength(before, after)


def _follows(task: str, before: str, after: str) -> bool:
    """Return whether each thing that differs is stated by the task: the new value, or a name that it gives."""
    pairs = list(_replaced(before, after))
    return bool(pairs) and all(_is_stated(task, old, new) for old, new in pairs)


def _replaced(before: str, after: str) -> Iterator[tuple[str, str]]:
    was, now = (_words(text) for text in (before, after))
    for kind, first, last, start, end in SequenceMatcher(None, was, now, autojunk=False).get_opcodes():
        if kind != "equal":
            yield " ".join(was[first:last]), " ".join(now[start:end])


def _words(text: str) -> list[str]:
    """Return words and marks, those inside of strings too."""
    return re.findall(r"-?\d+(?:\.\d+)?%?|\w+|[^\w\s]", text)


def _is_stated(task: str, old: str, new: str) -> bool:
    if not new:
        return False
    shape = r"\W*".join(map(re.escape, re.findall(r"[\w%.-]+", new)) or [re.escape(new)])
    if not re.search(r"\w", new):
        return not re.search(r"\w", old) and new in task
    said = rf"(?:{patterns().states})\W*(?:[\w'`\"-]+\W+){{0,3}}?[`'\"“]*{shape}(?!\w)"
    if re.search(said, task, re.IGNORECASE) is None:
        return False
    return not re.search(rf"(?:{patterns().states})\W*(?:\w+\W+){{0,2}}?{re.escape(old)}(?!\w)", task) or _is_from(
        task, old
    )


def _is_from(task: str, old: str) -> bool:
    """Return whether an old value is spoken of as the one to be left."""
    return bool(compiled(rf"(?:{patterns().leaves_value})\W*(?:\w+\W+){{0,2}}?{re.escape(old)}").search(task))


# what is renamed


def renamed_by(task: str) -> dict[str, str]:
    """Return the names that a task gives, by the old ones; of a file also the module that it is."""
    found: dict[str, str] = {}
    for language in each_language():
        for match in compiled(language.new_names).finditer(task) if language.new_names else ():
            old, new = match["old"], match["new"]
            found[old] = new
            found[_module(old)] = _module(new)
    return {old: new for old, new in found.items() if old and new and old != new}


def _module(name: str) -> str:
    """Return the last part of a path or dotted name, without how a file ends."""
    bare = re.sub(r"\.(?:py|js|ts|go|rs|rb|java|kt|php|cs|jsx|tsx)$", "", name)
    return re.split(r"[/.]", bare)[-1]


def _differs_by_rename(task: str, before: str, after: str) -> bool:
    text = before
    for old, new in renamed_by(task).items():
        text = re.sub(rf"(?<![a-zA-Z0-9]){re.escape(old)}(?![a-zA-Z0-9])", new, text)
    return text != before and "".join(text.split()) == "".join(after.split())
