"""The parts of shared manifests that select, configure or run tests; dependencies and products are none of them."""

import json
import re
from collections.abc import Callable, Iterator
from typing import Any

from mi.project.checks.folder import mapping, read_toml
from mi.project.checks.judge_build_files import (
    read_bunfig,
    read_cargo,
    read_cargo_config,
    read_composer,
    read_csproj,
    read_gemfile,
    read_go_mod,
    read_go_work,
    read_gradle_properties,
    read_mix,
    read_phpunit,
    read_pom,
    read_rakefile,
    read_requirements,
    read_script,
    read_yaml_tasks,
)
from mi.project.checks.judge_items import JudgeItem, whole
from mi.project.checks.judge_recipes import read_ci, read_cmake, read_gradle, read_just, read_makefile
from mi.project.checks.judge_tables import (
    MAY_GROW,
    RUNNERS,
    TEST_TASK,
    plain_lines,
    read_ini_sections,
    read_json,
    setting,
    settings_in,
    test_tasks,
)
from mi.project.checks.judge_tokens import tokens_of

_VERSION = re.compile(r"[\^~<>=! ]*v?\d[\w.*+,<>=!~^ |-]*|latest|\*|workspace:.*|catalog:.*|next")


def _replaced(sources: dict[str, Any], name: str) -> Iterator[JudgeItem]:
    """Yield the runners that do not come from where runners come from."""
    for package, source in sources.items():
        if package in RUNNERS and not (isinstance(source, str) and _VERSION.fullmatch(source)):
            yield setting(f"{name} {package}", source)


# Python


def _read_pyproject(text: str, has_tests: bool) -> Iterator[JudgeItem]:
    data = read_toml(text)
    if not data and text.strip():
        yield whole(text)
    tool, project = mapping(data.get("tool")), mapping(data.get("project"))
    for name in ("pytest", "tox", "nox", "behave", "mutmut"):
        yield from settings_in(f"tool.{name}", tool.get(name, {}))
    yield from _coverage("tool.coverage", tool.get("coverage", {}))
    for place in (("poe", "tasks"), ("taskipy", "tasks"), ("pdm", "scripts"), ("rye", "scripts"), ("pixi", "tasks")):
        yield from test_tasks(".".join(("tool", *place)), mapping(tool.get(place[0])).get(place[1]))
    for name, environment in mapping(mapping(tool.get("hatch")).get("envs")).items():
        yield from test_tasks(f"tool.hatch.envs.{name}.scripts", mapping(environment).get("scripts"))
        yield from settings_in(f"tool.hatch.envs.{name}.env-vars", mapping(environment).get("env-vars", {}))
    plugins = mapping(mapping(tool.get("poetry")).get("plugins")).get("pytest11", {})
    yield from settings_in(
        "entry point pytest11", {**mapping(mapping(project.get("entry-points")).get("pytest11")), **plugins}
    )
    yield from _replaced(mapping(mapping(tool.get("uv")).get("sources")), "tool.uv.sources")
    for scripts in (project.get("scripts"), mapping(tool.get("poetry")).get("scripts")):
        yield from (setting(f"program {key}", value) for key, value in mapping(scripts).items() if key in RUNNERS)


def _coverage(name: str, table: object) -> Iterator[JudgeItem]:
    """Yield what measures coverage: where it can fail nothing, more of it may come."""
    yield from settings_in(name, table, adds="fail_under" not in json.dumps(table, default=str))


def _read_ini(text: str, has_tests: bool) -> Iterator[JudgeItem]:
    for section, settings in read_ini_sections(text).items():
        if re.match(
            r"(?:tool:)?pytest$|nosetests|unittest|behave|aliases$|options\.entry_points$|tox$|testenv", section
        ):
            for key, value in settings.items():
                if section == "options.entry_points":
                    if "pytest11" in key or "pytest11" in value:
                        yield setting(f"[{section}] {key}", value)
                elif (
                    section not in ("tox", "aliases")
                    or TEST_TASK.match(key)
                    or key in ("envlist", "env_list", "skipsdist")
                ):
                    yield from _ini_item(section, key, value)
        elif section.startswith("coverage"):
            yield from _coverage(f"[{section}]", settings)


def _ini_item(section: str, key: str, value: str) -> Iterator[JudgeItem]:
    if section.startswith("testenv") and key not in _TOX_JUDGES:
        return  # what is installed, and how, is the product's
    name = f"[{section}] {key}"
    new_environment = section.startswith("testenv:")
    if MAY_GROW.search(key):
        yield from settings_in(
            name, [line.strip() for line in re.split(r"[\n,]" if key == "markers" else r"\s+", value) if line.strip()]
        )
    else:
        yield setting(name, " ".join(value.split()), adds=new_environment)


_TOX_JUDGES = frozenset(
    "commands commands_pre commands_post setenv set_env passenv pass_env changedir ignore_outcome ignore_errors".split()
)


def _read_setup_py(text: str, has_tests: bool) -> Iterator[JudgeItem]:
    if "pytest11" in text or "test_suite" in text:
        for found in re.finditer(r"[\"']?pytest11[\"']?[^\]]*\]?|test_suite\s*=\s*[^,)]*", text):
            yield setting(found[0].partition("=")[0].strip()[:40], " ".join(found[0].split()))


# JavaScript


def _read_package(text: str, has_tests: bool) -> Iterator[JudgeItem]:
    data = read_json(text)
    if not data and text.strip():
        yield whole(text)
    scripts = mapping(data.get("scripts"))
    yield from test_tasks("script", scripts)
    if not has_tests:
        yield from (setting(f"script {name}", scripts[name], True) for name in scripts if name.startswith("build"))
    for name in ("jest", "mocha", "ava", "c8", "nyc", "vitest", "tap", "jasmine", "playwright", "cypress", "babel"):
        yield from settings_in(name, data.get(name, {}))
    for place in ("dependencies", "devDependencies", "overrides", "resolutions"):
        yield from _replaced(mapping(data.get(place)), place)
    yield from settings_in(
        "workspaces", {"members": data["workspaces"]} if isinstance(data.get("workspaces"), list) else {}
    )


def _read_tasks_json(text: str, has_tests: bool) -> Iterator[JudgeItem]:
    """Yield what nx.json, project.json, turbo.json and deno.json say of tests."""
    data = read_json(text)
    for place in ("tasks", "pipeline", "targets", "targetDefaults", "test"):
        yield from (
            settings_in("test", data["test"])
            if place == "test" and "test" in data
            else test_tasks(place, data.get(place))
        )


def _read_tsconfig(text: str, has_tests: bool) -> Iterator[JudgeItem]:
    data = read_json(text)
    options = mapping(data.get("compilerOptions"))
    yield from settings_in("", {"extends": data["extends"]} if "extends" in data else {})
    for alias, targets in mapping(options.get("paths")).items():
        yield setting(f"paths {alias}", targets, adds=True)._replace(binds=alias.removesuffix("*"))
    yield from settings_in("", {"baseUrl": options["baseUrl"]} if "baseUrl" in options else {})


def _read_vite(text: str, has_tests: bool) -> Iterator[JudgeItem]:
    """Yield the settings of vitest in a bundler's file, and what is imported in another's place."""
    tokens = [token.text for token in tokens_of(text, "js")]
    for name in ("test", "alias", "define", "setupFiles"):
        for at, word in enumerate(tokens[:-2]):
            if word.strip("\"'") == name and tokens[at + 1] == ":":
                yield setting(name, " ".join(_group(tokens, at + 2)))


def _group(tokens: list[str], at: int) -> list[str]:
    depth = 0
    for end in range(at, len(tokens)):
        depth += (tokens[end] in "([{") - (tokens[end] in ")]}")
        if depth < 0 or (not depth and tokens[end] in (")", "]", "}", ",")):
            return tokens[at : end + (depth == 0)]
    return tokens[at:]


def _read_npmrc(text: str, has_tests: bool) -> Iterator[JudgeItem]:
    for line in plain_lines(text):
        if re.match(r"script-?[sS]hell|node-?[oO]ptions|if-present|ignore-scripts|nodeLinker", line):
            yield setting(re.split(r"[=:]", line)[0].strip(), line)


_Reader = Callable[[str, bool], Iterator[JudgeItem]]
READERS: tuple[tuple[re.Pattern[str], _Reader], ...] = tuple(
    (re.compile(rf"(?:^|/){pattern}$"), reader)
    for pattern, reader in (
        (r"pyproject\.toml", _read_pyproject),
        (r"(?:setup\.cfg|tox\.ini|\.?pytest\.ini)", _read_ini),
        (r"setup\.py", _read_setup_py),
        (r"package\.json", _read_package),
        (r"(?:nx|project|turbo|deno)\.jsonc?", _read_tasks_json),
        (r"[tj]sconfig\.json", _read_tsconfig),
        (r"vite\.config\.\w+", _read_vite),
        (r"(?:\.npmrc|\.yarnrc(?:\.yml)?)", _read_npmrc),
        (r"\.cargo/config(?:\.toml)?", read_cargo_config),
        (r"Cargo\.toml", read_cargo),
        (r"pom\.xml", read_pom),
        (r"phpunit\.xml(?:\.dist)?", read_phpunit),
        (r"[^/]+\.(?:cs|fs|vb)proj", read_csproj),
        (r"composer\.json", read_composer),
        (r"CMakeLists\.txt", read_cmake),
        (r"(?:build|settings)\.gradle(?:\.kts)?", read_gradle),
        (r"go\.work", read_go_work),
        (r"go\.mod", read_go_mod),
        (r"Gemfile", read_gemfile),
        (r"requirements[\w-]*\.txt", read_requirements),
        (r"gradle\.properties", read_gradle_properties),
        (r"bunfig\.toml", read_bunfig),
        (r"mix\.exs", read_mix),
        (r"(?:GNUmakefile|[Mm]akefile|[^/]+\.mk)", read_makefile),
        (r"\.?[Jj]ustfile", read_just),
        (r"Rakefile", read_rakefile),
        (r"Taskfile\.ya?ml", read_yaml_tasks),
        (r"(?:\.github/workflows/[^/]+\.ya?ml|\.gitlab-ci\.yml|\.travis\.yml|\.circleci/config\.yml)", read_ci),
        (r"(?:[^/]+\.(?:sh|bash|ps1|bat|cmd)|(?:run[-_]?)?tests?)", read_script),
    )
)
