"""make and just: what they run stands in a file."""

import re

from mi.project.checks.folder import ProjectFolder
from mi.project.checks.runner import Argv, Check, Form, Kind, Reading, Runner

MAKEFILES = ("GNUmakefile", "makefile", "Makefile")  # in the order in which make looks for them
_TARGETS: dict[str, Kind] = {
    "test": "test",
    "tests": "test",
    "check": "test",
    "verify": "test",
    "ci": "test",
    "test-all": "test",
    "unittest": "test",
    "lint": "lint",
    "build": "build",
    "all": "build",
}
_RULE = re.compile(r"^( *+[\w.%/-]++(?: ++[\w.%/-]++)*+)\s*+::?(?!=)\s*(.*)$")
_SETTING = re.compile(r"^\s*(?:export\s+|override\s+)*([\w.]+)\s*[:?+!]{0,2}=\s*(.*)$")


def _find_make(folder: ProjectFolder) -> list[Check]:
    file = next((name for name in MAKEFILES if name in folder.names), "")
    return _targets("make", file, re.findall(r"^([\w-]+)\s*:(?!=)", folder.text(file), re.M))


def _find_just(folder: ProjectFolder) -> list[Check]:
    return _targets("just", "justfile", re.findall(r"^([\w-]+)(?:\s[^:\n]*)?:(?!=)", folder.text("justfile"), re.M))


def _find_task(folder: ProjectFolder) -> list[Check]:
    file = next((name for name in _TASKFILES if name in folder.names), "")
    return _targets("task", file, list(_tasks(folder.text(file))))


def _tasks(text: str) -> dict[str, str]:
    """Return the tasks of a Taskfile, as far as its usual form goes: what each runs, line by line."""
    found: dict[str, str] = {}
    name = ""
    for line in text.partition("\ntasks:")[2].splitlines():
        if match := re.match(r"  ([\w:-]+):\s*(.*)$", line):
            name = match[1]
            found[name] = match[2] + "\n"
        elif name and (match := re.match(r"\s+(?:- (?:cmd: )?|cmd: )(.+)$", line)):
            found[name] += match[1].strip("\"'") + "\n"
    return found


def _task_promises(file: str, text: str) -> dict[str, str]:
    return {f"task {name}": recipe for name, recipe in _tasks(text).items() if name in _TARGETS}


def _task_forms(words: Argv, read: Reading) -> list[Form]:
    return _asked("task", tuple("-C" if word in ("-d", "--dir") else word for word in words))


def _targets(program: str, file: str, there: list[str]) -> list[Check]:
    return [Check(kind, (program, target), file) for target, kind in _TARGETS.items() if target in there]


def _make_forms(words: Argv, read: Reading) -> list[Form]:
    return _asked("make", words)


def _just_forms(words: Argv, read: Reading) -> list[Form]:
    return _asked("just", words)


def _asked(program: str, words: Argv) -> list[Form]:
    """Return each target that is asked for, with everything else that was said to the program."""
    folder, options, targets = "", list[str](), list[str]()
    rest = list(words)
    while rest:
        word = rest.pop(0)
        if word in ("-C", "--directory") and rest:
            folder = rest.pop(0)
        elif word.startswith("--directory="):
            folder = word.partition("=")[2]
        elif word in ("-j", "--jobs", "-l", "-O") and rest and rest[0].isdigit():
            rest.pop(0)
        else:
            (options if word.startswith("-") or "=" in word else targets).append(word)
    return [Form((program, target, *options), folder) for target in targets or ["all"]]


def _make_promises(file: str, text: str) -> dict[str, str]:
    joined = text.replace("\\\n", " ")
    settings = {m[1]: m[2].strip() for line in joined.splitlines() if (m := _SETTING.match(line))}
    recipes = _recipes(joined)
    found = {
        f"make {name}": _expanded(_closure(name, recipes, set()), settings) for name in _TARGETS if name in recipes
    }
    bending = [f"{name}={settings[name]}" for name in ("SHELL", ".SHELLFLAGS", "MAKEFLAGS") if name in settings]
    bending += [".IGNORE"] if ".IGNORE" in recipes else []
    return found | ({"make's own settings": "\n".join(bending)} if found and bending else {})


def _just_promises(file: str, text: str) -> dict[str, str]:
    return {f"just {name}": recipe for name, recipe in _recipes(text).items() if name in _TARGETS}


def _recipes(text: str) -> dict[str, str]:
    """Return the lines of each target, its prerequisites first, each behind a NUL."""
    found: dict[str, str] = {}
    targets: list[str] = []
    for line in text.splitlines():
        if line[:1] in ("\t", " ") and targets:
            for target in targets:
                found[target] += line.strip() + "\n"
        elif line.strip() and not line.startswith("#") and not _SETTING.match(line) and (match := _RULE.match(line)):
            targets = match[1].split()
            needs, _, first = match[2].partition(";")
            begun = "".join(f"\0{need}\n" for need in needs.split()) + (first.strip() + "\n" if first else "")
            for target in targets:
                found[target] = found.get(target, "") + begun
        elif line.strip() and not line.startswith("#"):
            targets = []
    return found


def _closure(name: str, recipes: dict[str, str], seen: set[str]) -> str:
    """Return a target's lines after those of what it needs."""
    if name in seen:
        return ""
    seen.add(name)
    lines = []
    for line in recipes.get(name, "").splitlines():
        lines.append(_closure(line[1:], recipes, seen) if line.startswith("\0") else line)
    return "\n".join(line for line in lines if line)


def _expanded(recipe: str, settings: dict[str, str], depth: int = 5) -> str:
    if not depth or "$" not in recipe:
        return recipe
    grown = re.sub(r"\$[({]([\w.]+)[)}]", lambda match: settings.get(match[1], match[0]), recipe)
    return grown if grown == recipe else _expanded(grown, settings, depth - 1)


_TASKFILES = ("Taskfile.yml", "Taskfile.yaml", "taskfile.yml")
RUNNERS = (
    Runner(
        "make",
        also=("gmake",),
        looked_for=("Makefile",),
        finds=_find_make,
        plain=_make_forms,
        bent_by=r"-[A-NP-Za-z]*[nqtifCI].*|--(?:just-print|recon|question|touch|ignore-errors|file|makefile"
        r"|directory|eval|include-dir)\b.*"
        r"|(?:SHELL|\.SHELLFLAGS|MAKEFLAGS|MAKE)=.*|\w+=(?:true|:|echo|/bin/true|/usr/bin/true|printf)?(?: .*)?",
        obeys="MAKEFLAGS|GNUMAKEFLAGS|MAKEFILES",
        keeps="-.*",
        by_recipe=True,
        defined_in=MAKEFILES,
        promises=_make_promises,
        nothing=r"^g?make(?:\[\d+\])?: (?:[`'‘][^'’]+['’] is up to date\.?$|Nothing to be done for)",
    ),
    Runner(
        "task",
        also=("go-task",),
        finds=_find_task,
        plain=_task_forms,
        bent_by=r"-l|--list.*|-n|--dry|--status|-t|--taskfile\b.*",
        by_recipe=True,
        defined_in=_TASKFILES,
        promises=_task_promises,
    ),
    Runner(
        "just", finds=_find_just, plain=_just_forms, by_recipe=True, defined_in=("justfile",), promises=_just_promises
    ),
)
