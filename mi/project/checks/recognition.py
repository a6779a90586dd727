"""The checks a project has, and which commands are one of them."""

import os
import re

from mi.kernel.shell import simple_commands
from mi.kernel.shell.outcome import Decisive, decisive_commands
from mi.kernel.shell.wrappers import inner_texts
from mi.project.checks.calls import bends_by_environment, runs_it
from mi.project.checks.detect import detect
from mi.project.checks.files import promises, runners
from mi.project.checks.folder import text_of
from mi.project.checks.forms import plain_forms
from mi.project.checks.places import is_itself, leaves_alone, logs_of, place_of, works_here
from mi.project.checks.runner import Check, Form, Kind
from mi.project.checks.runners import BY_NAME, RUNNERS

__all__ = ["Check", "CheckRun", "Kind", "detect", "is_check", "newly_found", "planned", "ran_check", "ran_checks"]
_COUNTS_WHEN_NEW = frozenset(("npx", "bundle", *(runner.name for runner in RUNNERS if runner.counts_when_new)))
_PROVES_NOTHING = frozenset("echo true : printf cat ls exit test [ sleep pwd cd which git false head tail".split())


class CheckRun:
    """A check that a shell text surely ran to its end and with success, when it ended with exit code 0."""

    def __init__(self, check: Check, call: Decisive, form: Form, folder: str) -> None:
        self.check = check
        self.folder = folder  # in which it was told to run; '' is the project's root, or wherever the shell was
        self.words = form.words  # in its plain form
        self.settings = call.settings
        self.selection = tuple(word for word in form.words[len(_key(check)) :] if not word.startswith("-"))
        self.logs = logs_of(call)
        self.leaves_alone = leaves_alone(call)


def newly_found(known: list[Check], root: str) -> list[Check]:
    """Return the checks a project has got since: test runners, and recipes that run one.

    A recipe of the agent's own making that runs nothing known proves nothing, nor does a lint it set up itself.
    """
    there = {(check.argv, check.folder) for check in known}
    found = [one for one in detect(root) if (one.argv, one.folder) not in there]
    return [one for one in found if one.kind != "lint" and _is_runner(one, root)]


def _is_runner(check: Check, root: str) -> bool:
    if check.argv[0] in _COUNTS_WHEN_NEW or check.argv[:2] == ("python", "-m"):
        return True
    name = f"script {check.argv[-1]}" if check.source.endswith("package.json") else check.text
    return bool(runners(promises(check.source, text_of(root, check.source)).get(name, "")))


def planned(hints: list[str]) -> list[Check]:
    """Return the commands that a plan names, as checks; a command that cannot fail for the right reason is none."""
    alone = [(hint, found[-1]) for hint in hints if (found := decisive_commands(hint))]
    return [
        Check("test", call.argv, "planned", place_of(call.folder, "") or "")
        for _, call in alone
        if plain_forms(call.argv) and plain_forms(call.argv)[0].words[0] not in _PROVES_NOTHING
    ]


def is_check(command: str, checks: list[Check], root: str = "") -> Check | None:
    """Return the check that surely ran, to its end and with success, when this shell text ends with exit code 0."""
    found = ran_check(command, checks, root)
    return found.check if found else None


def ran_check(
    command: str, checks: list[Check], root: str = "", changed: frozenset[str] = frozenset()
) -> CheckRun | None:
    """Return the first check that a shell text ran; see `ran_checks`."""
    return next(iter(ran_checks(command, checks, root, changed)), None)


def ran_checks(
    command: str, checks: list[Check], root: str = "", changed: frozenset[str] = frozenset()
) -> list[CheckRun]:
    """Return what a shell text that ends with exit code 0 shows; `changed` are files that the agent wrote."""
    calls = decisive_commands(command)
    whole = [check for check in checks if len(check.argv) == 1 and _is_whole(command, check)]
    if whole and calls:
        return [CheckRun(whole[0], calls[-1], Form(whole[0].argv), whole[0].folder)]
    return [found for one in calls for found in _matching(one, checks, root, changed)]


def _is_whole(command: str, check: Check) -> bool:
    """Return whether a shell text is the very line that a check is, also as the text of a shell."""
    if " " not in check.text:
        return False
    said = [command, *(text for one in simple_commands(command) for text, _ in inner_texts(one.argv, one.documents))]
    return any(" ".join(text.split()) in (check.text, check.command) for text in said)


def _matching(call: Decisive, checks: list[Check], root: str, changed: frozenset[str]) -> list[CheckRun]:
    """Return the check that a call is by the first of its forms that is one; of `make lint test` both."""
    if bends_by_environment(call.settings):
        return []
    found: list[CheckRun] = []
    began = place_of(call.folder, root)
    for form in plain_forms(call.argv):
        folder = place_of(_joined(began, form.folder), root)
        if found and (form.words[0] != found[0].words[0] or form.words[:2] == found[-1].words[:2]):
            continue  # another way to say the same
        check = next((one for one in checks if form.words[: len(_key(one))] == _key(one)), None)
        if check is None or folder is None or not runs_it(_without_own_root(form.words, folder, root)):
            continue
        runner = BY_NAME.get(form.words[0])
        if runner and runner.by_recipe and (call.folder or form.folder):
            check = next(
                (one for one in checks if _key(one) == form.words[: len(_key(one))] and one.folder == folder), None
            )
        if check and works_here(call, folder, root) and is_itself(call, form.words[0], began or "", root, changed):
            found.append(CheckRun(check, call, form, folder))
    return found


def _without_own_root(words: tuple[str, ...], folder: str, root: str) -> tuple[str, ...]:
    """Return the words of a call of pytest without the option that names the project's own folder as its root."""
    said = re.search(r"(?:^|\0)--rootdir[=\0]([^\0]+)", "\0".join(words))
    if said is None or place_of(os.path.join(folder, said[1]) or ".", root) != "":
        return words
    return tuple(filter(None, "\0".join(words).replace(said[0], "", 1).split("\0")))


def _joined(began: str | None, told: str) -> str | None:
    return None if began is None else os.path.join(began, told) if told else began


def _key(check: Check) -> tuple[str, ...]:
    forms = plain_forms(check.argv)
    return forms[0].words if forms else check.argv
