"""Runners of JavaScript and TypeScript projects, and the scripts of package.json."""

import re
from collections.abc import Iterator
from functools import partial
from typing import Any

from mi.project.checks.folder import ProjectFolder, mapping, read_json
from mi.project.checks.runner import Argv, Check, Form, Kind, Reading, Runner

_LANGUAGE = "javascript"
_CALLED = r"(?:npx |yarn |pnpm |bunx )?"
_SCRIPT = re.compile(r"^(?:test|tests|check|build|lint|typecheck|type-check|tsc|unit)(?:[:._-].*)?$")
_LOCKS = {"pnpm-lock.yaml": "pnpm", "yarn.lock": "yarn", "bun.lockb": "bun", "bun.lock": "bun"}
_SHORT = {"t": "test", "tst": "test"}
_WORKSPACE = ("-w", "--workspace", "--filter", "-F")  # of which only the names of workspaces count
_SCRIPT_BENT = r"-C|--dir\b.*|--cwd\b.*|--passWithNoTests|--if-present|--script-shell\b.*"
_NONE_FOUND = "No tests? (?:files? )?found"


def _manager(folder: ProjectFolder) -> str:
    asked = str(folder.package.get("packageManager", "")).partition("@")[0]
    return asked if asked in _LOCKS.values() else folder.nearest(_LOCKS) or "npm"


def _find_scripts(folder: ProjectFolder) -> Iterator[Check]:
    manager = _manager(folder)
    scripts = mapping(folder.package.get("scripts"))
    for name in (name for name in filter(_SCRIPT.match, scripts) if "no test specified" not in str(scripts[name])):
        is_test = name.startswith(("test", "unit", "check"))
        kind: Kind = "test" if is_test else "build" if name.startswith("build") else "lint"
        if (name == "test" and manager != "bun") or manager in ("pnpm", "yarn"):
            yield Check(kind, (manager, name), "package.json")
        yield Check(kind, (manager, "run", name), "package.json")


def _find_package(package: str, check: Check, folder: ProjectFolder) -> list[Check]:
    wanted = (mapping(folder.package.get(name)) for name in ("devDependencies", "dependencies"))
    is_called = bool(re.search(rf"(?:^|[\s/]){check.argv[1]}\b", _test_script(folder)))
    return [check] if is_called or any(package in one for one in wanted) else []


def _find_bun(folder: ProjectFolder) -> list[Check]:
    is_used = "package.json" in folder.names and _manager(folder) == "bun"
    return [Check("test", ("bun", "test"), "package.json")] if is_used or "bun test" in _test_script(folder) else []


def _find_node(folder: ProjectFolder) -> list[Check]:
    return [Check("test", ("node", "--test"), "package.json")] if "node --test" in _test_script(folder) else []


def _test_script(folder: ProjectFolder) -> str:
    return str(mapping(folder.package.get("scripts")).get("test", ""))


def _script_forms(manager: str, words: Argv, read: Reading) -> list[Form]:
    """Return a script of package.json, whichever program runs it; or a program that the packages bring."""
    folder, kept = "", list[str]()
    rest = list(words)
    while rest:
        word = rest.pop(0)
        if word == "--":
            kept += [word, *rest]
            break
        if word in ("--prefix", "--cwd", "--dir", "-C") and rest:
            folder = rest.pop(0)
        elif word in _WORKSPACE and rest:
            kept.append(f"--workspace={rest.pop(0)}")
        elif word.partition("=")[0] in _WORKSPACE and "=" in word:
            kept.append(f"--workspace={word.partition('=')[2]}")
        elif word.startswith(("--prefix=", "--cwd=", "--dir=")):
            folder = word.partition("=")[2]
        else:
            kept.append(word)
    at = next((number for number, word in enumerate(kept) if not word.startswith("-")), len(kept))
    options, kept = kept[:at], kept[at:]
    if not kept:
        return []
    if manager == "yarn" and kept[0] == "workspace" and len(kept) > 2:  # `yarn workspace NAME test`
        options, kept = [*options, f"--workspace={kept[1]}"], kept[2:]
    if manager == "yarn" and kept[0] == "workspaces":  # `yarn workspaces run test`, `… foreach -A run test`
        words = tuple(kept[kept.index("run") + 1 :]) if "run" in kept else ()
        return [Form(("script", *words, "--workspaces"), folder)] if words else []
    first = _SHORT.get(kept[0], kept[0])
    if first in ("run", "run-script"):
        named = next((number for number, word in enumerate(kept[1:], 1) if not word.startswith("-")), 0)
        return [Form(("script", kept[named], *options, *kept[1:named], *kept[named + 1 :]), folder)] if named else []
    script = Form(("script", first, *options, *kept[1:]), folder)
    if manager == "npm":
        return [script] if first == "test" else []
    own = [Form(("bun", "test", *kept[1:]), folder)] if (manager, first) == ("bun", "test") else []
    return [*own, script, *(form._replace(folder=folder) for form in read((first, *kept[1:])))]


def _find_monorepo(file: str, check: Check, folder: ProjectFolder) -> list[Check]:
    return [check] if file in folder.names else []


def _task_forms(program: str, words: Argv, read: Reading) -> list[Form]:
    """Return `turbo test`, `turbo run test`, `nx run-many -t test` and the like as one form."""
    rest = [word for word in words if word not in ("run", "run-many", "--")]
    for at, word in enumerate(rest):
        if word in ("-t", "--target", "--targets") and at + 1 < len(rest):
            rest = [rest[at + 1], *rest[:at], *rest[at + 2 :]]
            break
        if word.startswith(("--target=", "--targets=")):
            rest = [word.partition("=")[2], *rest[:at], *rest[at + 1 :]]
            break
    return [Form((program, *rest))]


def _monorepo(name: str, file: str, words: str, narrowed_by: str) -> Runner:
    return Runner(
        name,
        language=_LANGUAGE,
        tests=r"test\b",
        narrowed_by=narrowed_by,
        reaches_below=True,
        finds=partial(_find_monorepo, file, Check("test", ("npx", name, *words.split()), file)),
        plain=partial(_task_forms, name),
        in_recipe=rf"{_CALLED}{name} (?:run |run-many )?.*\btest\b",
    )


def _vitest_forms(words: Argv, read: Reading) -> list[Form]:
    return [Form(("vitest", *(word for word in words if word not in ("run", "--run"))))]


def _scripts(file: str, text: str) -> dict[str, str]:
    scripts = mapping(read_json(text).get("scripts"))
    return {f"script {name}": str(script) for name, script in scripts.items() if _SCRIPT.match(name)}


def _own_settings(name: str, file: str, text: str) -> dict[str, str]:
    """Return what a runner is told in package.json: it bends the runner like a file of its own."""
    package = read_json(text)
    return {f"{name} settings": str(package[name])} if name in package else {}


def _manager_runner(name: str) -> Runner:
    in_recipe = rf"{name} (?:run )?test\b"
    return Runner(name, language=_LANGUAGE, plain=partial(_script_forms, name), in_recipe=in_recipe)


def _tool(
    name: str, kind: Kind = "test", package: str = "", *words: str, in_package: bool = False, **more: Any
) -> Runner:
    """Return a program that a package brings; `in_package`: package.json may hold settings of it."""
    check = Check(kind, ("npx", name, *words), "package.json")
    more |= {"finds": partial(_find_package, package, check)} if package else {}
    more |= {"defined_in": ("package.json",), "promises": partial(_own_settings, name)} if in_package else {}
    return Runner(name, language=_LANGUAGE, kind=kind, in_recipe=rf"{_CALLED}{name}\b", **more)


RUNNERS = (
    Runner(
        "script",  # of package.json, as every manager's calls are read
        language=_LANGUAGE,
        marks=("package.json",),
        finds=_find_scripts,
        bent_by=_SCRIPT_BENT,
        obeys=r"npm_config_\w+",
        by_recipe=True,
        defined_in=("package.json",),
        promises=_scripts,
    ),
    _manager_runner("npm"),
    _manager_runner("pnpm"),
    _manager_runner("yarn"),
    _tool("eslint", "lint", "eslint", bent_by=r"-c|--config\b.*|--no-eslintrc|--no-config-lookup"),
    _tool("tsc", "lint", "typescript", bent_by="--noCheck|--listFilesOnly"),
    _tool(
        "vitest",
        "test",
        "vitest",
        "run",
        plain=_vitest_forms,
        bent_by=r"-r|--root\b.*|--dir\b.*|--passWithNoTests|list|bench|init",
        narrowed_by=r"-t.*|--testNamePattern\b.*|--changed\b.*|--exclude\b.*|--project\b.*|--shard\b.*|related"
        r"|--tags-filter\b.*",
        picks_by="patterns",
        with_value=("--reporter", "--config", "-c", "--environment", "--pool", "--outputFile", "--mode"),
        reaches_below=True,
        configured_by=r"vitest\.config\.\w+",
        nothing=_NONE_FOUND,
    ),
    _tool(
        "jest",
        "test",
        "jest",
        in_package=True,
        bent_by=r"--rootDir\b.*|--passWithNoTests|--testRunner\b.*",
        narrowed_by=r"-t.*|--testNamePattern\b.*|--testPathPatterns?\b.*|--testPathIgnorePatterns\b.*|-o|--onlyChanged"
        r"\b.*|-f|--onlyFailures|--changedSince\b.*|--changedFilesWithAncestor|--lastCommit|--findRelatedTests"
        r"|--shard\b.*|--selectProjects|--ignoreProjects|--testMatch\b.*|--testRegex\b.*|--filter\b.*",
        picks_by="patterns",
        with_value=("-c", "--config", "-w", "--maxWorkers", "--reporters", "--coverageDirectory", "--testTimeout"),
        reaches_below=True,
        configured_by=r"jest\.config\.\w+",
        nothing=_NONE_FOUND,
        something=r"Tests:\s.*\b[1-9]\d* passed",
    ),
    _tool(
        "mocha",
        "test",
        "mocha",
        in_package=True,
        narrowed_by=r"-g.*|--grep\b.*|-f.*|--fgrep\b.*|-i|--invert|--ignore\b.*|--exclude\b.*|--only",
        picks_by="files",
        with_value=("-r", "--require", "-R", "--reporter", "-t", "--timeout", "-u", "--ui", "--config", "-n"),
        configured_by=r"\.mocharc\.\w+",
        nothing=r"^\s*0 passing",
        something=r"\b[1-9]\d* passing\b",
    ),
    _tool(
        "ava", "test", "ava", in_package=True, narrowed_by=r"-m|--match\b.*", picks_by="files", with_value=("--config",)
    ),
    _tool(
        "playwright",
        "test",
        "@playwright/test",
        "test",
        narrowed_by=r"-g.*|--grep\b.*|--grep-invert\b.*|--project\b.*|--only-changed\b.*|--shard\b.*|--last-failed",
        picks_by="patterns",
        configured_by=r"playwright\.config\.\w+",
        nothing=_NONE_FOUND,
    ),
    _tool("tap", narrowed_by=r"-g|--grep\b.*|--only|-O|--changed", picks_by="files"),
    _tool("cypress", narrowed_by=r"--spec\b.*", configured_by=r"cypress\.config\.\w+"),
    _tool("karma", configured_by=r"karma\.config\.\w+"),
    _tool("c8", in_package=True),
    _tool("nyc", in_package=True),
    _monorepo("turbo", "turbo.json", "run test", r"--filter\b.*|-F.*|--affected|--only|--scope\b.*|--since\b.*"),
    _monorepo(
        "nx", "nx.json", "run-many -t test", r"affected|--projects\b.*|-p|--exclude\b.*|--files\b.*|--base\b.*|\w+:\w+"
    ),
    _monorepo("lerna", "lerna.json", "run test", r"--scope\b.*|--since\b.*|--ignore\b.*"),
    Runner(
        "bun",
        language=_LANGUAGE,
        tests=r"test\b",
        narrowed_by=r"-t.*|--test-name-pattern\b.*|--only",
        picks_by="patterns",
        reaches_below=True,
        finds=_find_bun,
        plain=partial(_script_forms, "bun"),
        bent_by=_SCRIPT_BENT,
        by_recipe=True,
        in_recipe=r"bun (?:(?:run )?test|vet|clippy|nextest)\b",
    ),
    Runner(
        "node",
        language=_LANGUAGE,
        tests=r"(?:.* )?--test\b",
        narrowed_by=r"--test-name-pattern\b.*|--test-skip-pattern\b.*|--test-only|--test-shard\b.*",
        picks_by="files",
        with_value=("--import", "--require", "-r", "--loader", "--test-reporter", "--test-reporter-destination"),
        finds=_find_node,
        in_recipe=r"node (?:.* )?--test\b",
        nothing=r"^[#ℹ] tests 0\s*$",
        something="^[#ℹ] tests [1-9]",
    ),
)
