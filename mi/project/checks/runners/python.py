"""Runners of Python projects."""

import configparser
import re
from collections.abc import Iterator
from functools import partial
from itertools import pairwise

from mi.project.checks.folder import ProjectFolder, mapping, read_toml
from mi.project.checks.runner import Argv, Check, Form, Reading, Runner

_CALLED = r"(?:\S*python[\d.]* -m )?"
_PROGRAM = r"(?:pytest|py\.test|python[\d.]*|tox|nox|coverage|ruff|mypy|flake8|pylint|pyright)$|.*[/.]"
_LOCKS = {"uv.lock": "uv", "poetry.lock": "poetry", "pdm.lock": "pdm", "Pipfile.lock": "pipenv"}
_ENVIRONMENTS = (".venv/bin/python", "venv/bin/python", "env/bin/python")
_PYTEST_VALUES = tuple(
    "-n --numprocesses --maxfail --tb -p -W --junitxml --junit-xml --cov --cov-report --cov-config --durations"
    " --rootdir --basetemp --log-level --log-cli-level --timeout --color --dist --reruns --import-mode --capture --ds"
    " --html -r --cov-fail-under --durations-min --benchmark-json --report-log".split()
)
_TEST_FILE = re.compile(r"test_\w+\.py|\w+_test\.py|tests\.py")
_SECTIONS = {"pytest.ini": "pytest", ".pytest.ini": "pytest", "tox.ini": "pytest", "setup.cfg": "tool:pytest"}
_KEYS = ("addopts", "testpaths", "python_files", "python_classes", "python_functions", "norecursedirs")


def _find_tests(folder: ProjectFolder) -> Iterator[Check]:
    """Yield pytest and unittest, first as the project's own environment runs what its tests are written for."""
    found = list(_plain_tests(folder))
    manager = folder.nearest(_LOCKS)
    own = next((path for path in _ENVIRONMENTS if folder.has(path)), "")
    for check in found[:1]:
        module = check.argv[2:] if check.argv[:2] == ("python", "-m") else check.argv
        if manager:
            call = module if module == ("pytest",) else check.argv
            yield check._replace(argv=(manager, "run", *call))
        if own:
            yield check._replace(argv=(own, "-m", *module))
    yield from found


def _plain_tests(folder: ProjectFolder) -> Iterator[Check]:
    """Yield pytest and unittest; first what the tests themselves are written for: pytest may not be installed."""
    if "manage.py" in folder.names and not _is_pytest(folder):
        yield Check("test", ("python", "manage.py", "test"), "manage.py")
    tests = _tests(folder) if folder.is_project else ""
    plain = Check("test", ("python", "-m", "unittest"), tests)
    if _is_pytest(folder):
        source = (
            "pytest.ini" if "pytest.ini" in folder.names else "pyproject.toml" if folder.pyproject else "conftest.py"
        )
        yield from _both("test", ("pytest",), source)
        yield from [plain] if tests else []
    elif tests:
        found = _both("test", ("pytest",), tests)
        if _is_unittest(folder, tests):
            told = [plain._replace(argv=(*plain.argv, *where))] if (where := _where(folder, tests)) else []
            yield from [*told, plain, *found]
        else:
            yield from [*found, plain]


def _is_pytest(folder: ProjectFolder) -> bool:
    """Return whether the project says that it uses pytest."""
    asked = ("setup.cfg", "pyproject.toml", "requirements-dev.txt", "requirements.txt")
    told = "pytest" in mapping(folder.pyproject.get("tool")) or folder.names & {"pytest.ini", "conftest.py"}
    return bool(told) or any("pytest" in folder.text(name) for name in asked)


def _both(kind: str, argv: Argv, source: str) -> list[Check]:
    return [Check(kind, argv, source), Check(kind, ("python", "-m", *argv), source)]  # type: ignore[arg-type]


def _tests(folder: ProjectFolder) -> str:
    """Return a test file or a folder of them, as seen from the folder; or empty."""
    for path, names in folder.inside.items():
        below = path.removeprefix(folder.path).lstrip("/")
        if not below and (own := sorted(name for name in names if _TEST_FILE.fullmatch(name) and name != "tests.py")):
            return own[0]
        in_tests = below.partition("/")[0] in ("tests", "test")
        if below and any(_TEST_FILE.fullmatch(name) or (in_tests and _looks_tested(name)) for name in names):
            return below + "/"
    return ""


def _where(folder: ProjectFolder, tests: str) -> Argv:
    """Return what tells unittest where to look: it goes by itself only into packages."""
    place, _, below = tests.rstrip("/").partition("/")
    inside = folder.inside.get(f"{folder.path}/{place}" if folder.path else place, set())
    is_found = not tests.endswith("/") or below or "__init__.py" in inside
    return () if is_found else ("discover", "-s", place)


def _looks_tested(name: str) -> bool:
    return name.endswith(".py") and "test" in name


def _is_unittest(folder: ProjectFolder, tests: str) -> bool:
    """Return whether the tests, or the first file of a folder of them, use unittest and not pytest."""
    if tests.endswith("/"):
        tests += next(filter(_looks_tested, folder.list(tests)), "")
    text = folder.text(tests)
    return "import unittest" in text and "pytest" not in text


def _has(folder: ProjectFolder, tool: str) -> bool:
    return tool in mapping(folder.pyproject.get("tool"))


def _find_tox(folder: ProjectFolder) -> Iterator[Check]:
    if "tox.ini" in folder.names or _has(folder, "tox"):
        yield Check("test", ("tox",), "tox.ini")


def _find_lint(name: str, file: str, argv: Argv, folder: ProjectFolder) -> list[Check]:
    if not (_has(folder, name) or file in folder.names or f"[{name}" in folder.text("setup.cfg")):
        return []
    found = _both("lint", argv, file if file in folder.names else "pyproject.toml")
    return found[:1] if name == "pyright" else found


def _lint(name: str, file: str, *words: str, bent_by: str = "") -> Runner:
    finds = partial(_find_lint, name, file, (name, *words))
    in_recipe = rf"{name}\b"
    return Runner(
        name, language="python", kind="lint", is_module=True, finds=finds, bent_by=bent_by, in_recipe=in_recipe
    )


def _takes_plugin(words: Argv) -> bool:
    """Return whether pytest is told to load a plugin, which may change every result."""
    apart = any(flag == "-p" and name[:3] != "no:" for flag, name in pairwise(words))
    return apart or any(re.fullmatch(r"-p(?!no:).+", word) for word in words)


def _pytest_settings(file: str, text: str) -> dict[str, str]:
    if file == "pyproject.toml":
        tool = mapping(read_toml(text).get("tool"))
        own = {key: _flat(value) for key, value in mapping(mapping(tool.get("pytest")).get("ini_options")).items()}
    else:
        own = _section(text).get(_SECTIONS[file], {})
    return {f"pytest {key}": own[key] for key in _KEYS if key in own}


def _tox_commands(file: str, text: str) -> dict[str, str]:
    sections = _section(text).items()
    return {
        f"tox {name}": own["commands"].strip()
        for name, own in sections
        if name.startswith("testenv") and "commands" in own
    }


def _section(text: str) -> dict[str, dict[str, str]]:
    """Return the settings of an INI file by section."""
    parser = configparser.RawConfigParser(strict=False, allow_no_value=True)
    try:
        parser.read_string(text)
    except configparser.Error:
        return {}
    return {name: {key: value or "" for key, value in parser.items(name)} for name in parser.sections()}


def _flat(value: object) -> str:
    return " ".join(map(str, value)) if isinstance(value, list) else str(value)


def _tox_recipe(words: Argv, promised: dict[str, str]) -> str:
    """Return what tox runs: the environments that are named, else all."""
    flags = dict(pairwise((*words, "")))
    named = flags.get("-e", "") or next((word.partition("=")[2] for word in words if word.startswith("-e")), "")
    if not named:
        return "\n".join(promised.values())
    usual = promised.get("tox testenv", "")
    return "\n".join(promised.get(f"tox testenv:{one}", usual) for one in named.split(","))


def _nox_sessions(file: str, text: str) -> dict[str, str]:
    """Return what the sessions of a noxfile run, as shell lines."""
    found: dict[str, str] = {}
    for match in re.finditer(
        r"^def (\w+)\(session.*?\):[^\n]*\n((?:[ \t]+[^\n]*\n|\s*\n)*)", text + "\n", re.MULTILINE
    ):
        calls = re.findall(r"session\.run\(([^)]*)(?:\)|\Z)", match[2])
        lines = [" ".join(re.findall(r"[\"']([^\"']*)[\"']", call)) for call in calls]
        found[f"nox {match[1]}"] = "\n".join(lines)
    return found


def _nox_recipe(words: Argv, promised: dict[str, str]) -> str:
    named = [value for flag, value in pairwise((*words, "")) if flag in ("-s", "--session", "-e")]
    named += [word.partition("=")[2] for word in words if word.startswith(("--session=", "--sessions="))]
    wanted = [f"nox {name.partition('-')[0].partition('(')[0]}" for name in named] or list(promised)
    return "\n".join(promised.get(name, "") for name in wanted)


_SCRIPT_TABLES = {
    "hatch": ("hatch", "envs"),
    "pdm": ("pdm", "scripts"),
    "poe": ("poe", "tasks"),
    "rye": ("rye", "scripts"),
}


def _find_scripts(folder: ProjectFolder) -> Iterator[Check]:
    """Yield the scripts of pyproject.toml that are named after tests."""
    for program in _SCRIPT_TABLES:
        for name in _named_scripts(program, folder.text("pyproject.toml")):
            if re.fullmatch(r"tests?|check|unit|test-all", name.rpartition(":")[2]):
                words = (program, name) if program == "poe" else (program, "run", name)
                yield Check("test", words, "pyproject.toml")


def _named_scripts(program: str, text: str) -> dict[str, str]:
    tool, table = _SCRIPT_TABLES[program]
    known = mapping(mapping(mapping(read_toml(text).get("tool")).get(tool)).get(table))
    if program != "hatch":
        return {name: _script_text(value) for name, value in known.items()}
    found: dict[str, str] = {}
    for env, settings in known.items():
        for name, value in mapping(mapping(settings).get("scripts")).items():
            found[name if env == "default" else f"{env}:{name}"] = _script_text(value)
    return found


def _script_text(value: object) -> str:
    if isinstance(value, dict):
        value = value.get("cmd") or value.get("shell") or value.get("composite") or value.get("chain") or ""
    return "\n".join(map(str, value)) if isinstance(value, list) else str(value)


def _script_promises(program: str, file: str, text: str) -> dict[str, str]:
    return {f"pyscript {name}": script for name, script in _named_scripts(program, text).items()}


def _all_scripts(file: str, text: str) -> dict[str, str]:
    found: dict[str, str] = {}
    for program in _SCRIPT_TABLES:
        found |= _script_promises(program, file, text)
    return found


def _hatch(words: Argv, read: Reading) -> list[Form]:
    if words[:1] == ("test",):
        return [Form(("pytest", *words[1:]))]
    return _script_form("hatch", words[1:], read) if words[:1] == ("run",) else [Form(("hatch", *words))]


def _script_form(program: str, words: Argv, read: Reading) -> list[Form]:
    """Return a script of pyproject.toml, unless the words are the name of a program."""
    while words and words[0].startswith("-"):
        words = words[1:]
    if not words:
        return []
    return read(words) if re.match(_PROGRAM, words[0]) else [Form(("pyscript", *words)), *read(words)]


def _poe(words: Argv, read: Reading) -> list[Form]:
    return [Form(("pyscript", *words))]


def _run_forms(program: str, words: Argv, read: Reading) -> list[Form]:
    return _script_form(program, words[1:], read) if words[:1] == ("run",) else [Form((program, *words))]


RUNNERS = (
    Runner(
        "pytest",
        also=("py.test", "pytest-3"),
        language="python",
        is_module=True,
        marks=("pytest.ini",),
        finds=_find_tests,
        bent_by=r"-c|-c\S+|--config-file\b.*|-o|--override-ini\b.*|--confcutdir\b.*|--rootdir\b.*|--noconftest",
        bends=_takes_plugin,
        obeys="PYTEST_ADDOPTS|PYTEST_PLUGINS",
        narrowed_by=r"-[qvsxl]*[km].*|--deselect\b.*|--ignore\b.*|--ignore-glob\b.*|--lf|--last-failed|--sw|--stepwise"
        r"|--pyargs|--picked\b.*|--testmon\b.*|.*::.*|--sw-skip|--stepwise-skip",
        picks_by="files",
        with_value=_PYTEST_VALUES,
        reaches_below=True,
        counts_when_new=True,
        in_recipe=rf"{_CALLED}(?:pytest|py\.test)\b",
        defined_in=("pyproject.toml", *_SECTIONS),
        promises=_pytest_settings,
        shadowed_by=("pytest", "_pytest"),
        nothing=r"no tests ran|^=+ \d+ (?:skipped|deselected)(?:, \d+ \w+)* in [\d.]+s",
        something=r"\b[1-9]\d* passed\b",
    ),
    Runner(
        "unittest",  # found together with pytest
        language="python",
        is_module=True,
        marks=("pyproject.toml", "setup.py", "setup.cfg"),
        narrowed_by="-k.*",
        picks_by="modules",
        with_value=("-p", "--pattern", "-s", "--start-directory", "-t", "--top-level-directory"),
        in_recipe=rf"{_CALLED}unittest\b",
        shadowed_by=("unittest",),
        nothing="Ran 0 tests|NO TESTS RAN",
        something=r"Ran [1-9]\d* tests?",
    ),
    Runner(
        "tox",
        language="python",
        is_module=True,
        marks=("tox.ini",),
        finds=_find_tox,
        bent_by=r"--notest|-n|-l|-a|-c|--conf\b.*|devenv|list|config",
        obeys="TOX_CONFIG_FILE",
        by_recipe=True,
        in_recipe=rf"{_CALLED}tox\b",
        defined_in=("tox.ini",),
        promises=_tox_commands,
        recipe=_tox_recipe,
    ),
    Runner(
        "nox",
        language="python",
        is_module=True,
        brings={"noxfile.py": ("test nox",)},
        bent_by=r"-l|-f|--noxfile\b.*|--install-only",
        narrowed_by=r"-k.*|--keywords\b.*|-t|--tags\b.*",
        by_recipe=True,
        in_recipe=rf"{_CALLED}nox\b",
        defined_in=("noxfile.py",),
        promises=_nox_sessions,
        recipe=_nox_recipe,
    ),
    Runner(
        "pyscript",  # of pyproject.toml, whichever program runs it
        language="python",
        finds=_find_scripts,
        by_recipe=True,
        defined_in=("pyproject.toml",),
        promises=_all_scripts,
    ),
    Runner("poe", is_module=True, plain=_poe, in_recipe=r"poe test\b"),
    Runner("pdm", plain=partial(_run_forms, "pdm")),
    Runner("rye", plain=partial(_run_forms, "rye")),
    Runner(
        "manage.py",
        language="python",
        marks=("manage.py",),
        brings={"manage.py": ("test python manage.py test",)},
        tests=r"test\b",
        narrowed_by=r"-k.*|--tag\b.*|--exclude-tag\b.*|-p|--pattern\b.*",
        picks_by="modules",
        with_value=("--settings", "-v", "--verbosity", "--parallel", "--testrunner"),
    ),
    _lint("ruff", "ruff.toml", "check", bent_by=r"-e|--config\b.*|--isolated"),
    _lint("mypy", "mypy.ini"),
    _lint("flake8", ".flake8"),
    _lint("pylint", ".pylintrc"),
    _lint("pyright", "pyrightconfig.json"),
    Runner("coverage", is_module=True),
    Runner(
        "nose2",
        language="python",
        is_module=True,
        picks_by="modules",
        in_recipe=rf"{_CALLED}nose2\b",
        shadowed_by=("nose2",),
    ),
    Runner(
        "behave",
        language="python",
        is_module=True,
        narrowed_by=r"-t|--tags\b.*|-n|--name\b.*|-[ie]|--include\b.*|--exclude\b.*",
        picks_by="files",
        in_recipe=rf"{_CALLED}behave\b",
    ),
    Runner("doctest", in_recipe=rf"{_CALLED}doctest\b"),
    Runner("hatch", plain=_hatch),
)
