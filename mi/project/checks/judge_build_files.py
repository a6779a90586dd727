"""The parts of build files that select, configure or run tests: compiled languages, task files, scripts."""

import re
from collections.abc import Iterator
from typing import Any

from mi.kernel.yamltext import parse_yaml
from mi.project.checks.folder import mapping, read_toml
from mi.project.checks.judge_items import JudgeItem, whole
from mi.project.checks.judge_tables import RUNNERS, plain_lines, read_json, setting, settings_in, test_tasks
from mi.project.checks.judge_tokens import statements_of, tokens_of


def read_cargo(text: str, has_tests: bool) -> Iterator[JudgeItem]:
    """Yield the targets and profiles of Cargo.toml that are tests."""
    data = read_toml(text)
    if not data and text.strip():
        yield whole(text)
    for kind in ("test", "bench", "example", "bin"):
        for target in data.get(kind, []) if isinstance(data.get(kind), list) else []:
            own = mapping(target)
            judged = own if kind == "test" else {key: own[key] for key in ("test", "harness", "doctest") if key in own}
            for key, value in judged.items():
                yield setting(f"{kind} {own.get('name', '')}.{key}", value, adds=key in ("name", "path"))
    library = mapping(data.get("lib"))
    yield from settings_in("lib", {key: library[key] for key in ("test", "doctest", "harness") if key in library})
    package = mapping(data.get("package"))
    yield from settings_in("package", {key: package[key] for key in ("autotests", "autobenches") if key in package})
    workspace = mapping(data.get("workspace"))
    yield from settings_in(
        "workspace", {key: workspace[key] for key in ("members", "exclude", "default-members") if key in workspace}
    )
    yield from settings_in("profile.test", mapping(data.get("profile")).get("test", {}))


def read_cargo_config(text: str, has_tests: bool) -> Iterator[JudgeItem]:
    """Yield what runs the tests of a crate, and with which variables."""
    data = read_toml(text)
    for name in ("env", "alias"):
        yield from settings_in(name, data.get(name, {}))
    for name, target in mapping(data.get("target")).items():
        yield from settings_in(
            f"target.{name}", {key: value for key, value in mapping(target).items() if key == "runner"}
        )


def read_pom(text: str, has_tests: bool) -> Iterator[JudgeItem]:
    """Yield the plugins, properties and modules of pom.xml that concern tests."""
    from xml.etree import ElementTree

    try:
        root = ElementTree.fromstring(text)
    except (ElementTree.ParseError, ValueError):
        yield from [whole(text)] if text.strip() else []
        return
    for element in root.iter():
        element.tag = str(element.tag).rpartition("}")[2]
    yield from _pom_parts(root)


def _pom_parts(root: Any) -> Iterator[JudgeItem]:
    for plugin in root.iter("plugin"):
        name = plugin.findtext("artifactId") or ""
        if re.search(r"surefire|failsafe|pitest|jacoco|test", name):
            yield from _xml_leaves(f"plugin {name}", [one for one in plugin if one.tag != "version"])
    for properties in root.iter("properties"):
        named = [one for one in properties if re.search(r"(?i)skip|test|surefire|argLine", str(one.tag))]
        versions = [one for one in named if str(one.tag).endswith("version")]
        yield from _xml_leaves("properties", [one for one in named if one not in versions])
    for tag in ("testSourceDirectory", "testResources"):
        yield from _xml_leaves("build", list(root.iter(tag)))
    for modules in root.iter("modules"):
        yield from (setting(f"module {one.text}", one.text or "", True) for one in modules)


def _xml_leaves(prefix: str, elements: list[Any]) -> Iterator[JudgeItem]:
    for element in elements:
        if len(element):
            yield from _xml_leaves(f"{prefix}.{element.tag}", list(element))
        elif element.tag not in ("groupId", "artifactId"):
            yield setting(f"{prefix}.{element.tag}", (element.text or "").strip())


def read_phpunit(text: str, has_tests: bool) -> Iterator[JudgeItem]:
    """Yield the settings of phpunit."""
    bare = re.sub(r"<!--.*?(?:-->|\Z)", "", text, flags=re.DOTALL)
    if bare.strip():
        yield whole(" ".join(bare.split()))._replace(shown=text)


def read_csproj(text: str, has_tests: bool) -> Iterator[JudgeItem]:
    """Yield what of a project of .NET is a test, and what it leaves out."""
    for found in re.finditer(
        r"<(IsTestProject|VSTest\w*|RunSettings\w*)>[^<]*|<(?:Compile|None|Content) Remove=[^>]*>", text
    ):
        yield setting(found[1] or "left out", found[0])


def read_composer(text: str, has_tests: bool) -> Iterator[JudgeItem]:
    """Yield the scripts of composer.json that run tests."""
    yield from test_tasks("script", read_json(text).get("scripts"))


def read_go_work(text: str, has_tests: bool) -> Iterator[JudgeItem]:
    """Yield the modules of a workspace of Go."""
    for path in re.findall(r"(?m)^[ \t]*(?:use[ \t]+)?(\.[\w./-]*)", text):
        yield setting(f"use {path}", path, adds=True)


def read_go_mod(text: str, has_tests: bool) -> Iterator[JudgeItem]:
    """Yield the libraries of tests that do not come from where they come from."""
    for found in re.finditer(
        r"(?m)^[ \t]*(?:replace\s+)?(?=\S*(?:test|gomega|ginkgo|go-cmp|assert))(\S++)(?:\s+v\S+)?\s+=>\s+(\S+)", text
    ):
        yield setting(f"replace {found[1]}", found[2])


def read_gemfile(text: str, has_tests: bool) -> Iterator[JudgeItem]:
    """Yield the runners that do not come from where runners come from."""
    for found in re.finditer(r"(?m)^[ \t]*gem ['\"](\w++)[\w-]*+['\"].*(?:path|git|github):.*$", text):
        if found[1] in RUNNERS:
            yield setting(f"gem {found[1]}", found[0].strip())


def read_requirements(text: str, has_tests: bool) -> Iterator[JudgeItem]:
    """Yield the runners that do not come from where runners come from."""
    for line in plain_lines(text):
        named = {re.split(r"[^\w-]", line)[0], line.rstrip("/").rpartition("/")[2]} & RUNNERS
        if re.search(r"@|/|file:", line):
            yield from (setting(name, line) for name in named)


def read_gradle_properties(text: str, has_tests: bool) -> Iterator[JudgeItem]:
    """Yield the properties of Gradle that concern tests."""
    for line in plain_lines(text):
        if re.search(r"(?i)\btest|skip|check", line.partition("=")[0]) and "ersion" not in line.partition("=")[0]:
            yield setting(line.partition("=")[0].strip(), line)


def read_bunfig(text: str, has_tests: bool) -> Iterator[JudgeItem]:
    """Yield the settings of bun's tests."""
    data = read_toml(text)
    yield from settings_in("", {key: data[key] for key in ("test", "preload") if key in data})


def read_mix(text: str, has_tests: bool) -> Iterator[JudgeItem]:
    """Yield the settings of mix.exs that concern tests."""
    for found in re.finditer(
        r"(?m)^[ \t]*(\"?test[\w.]*\"?|test_\w+|elixirc_paths)\s*:.*$|^.*elixirc_paths\(:test\).*$", text
    ):
        yield setting((found[1] or "elixirc_paths").strip('"'), " ".join(found[0].split()).rstrip(","))


def read_rakefile(text: str, has_tests: bool) -> Iterator[JudgeItem]:
    """Yield the tasks of a Rakefile that run tests."""
    for statement in statements_of(tokens_of(text, "rb"), "rb"):
        if re.search(r"(?i)\b(?:test|spec|default|rspec)", statement.text):
            yield JudgeItem(statement.text[:40], statement.text, statement.text, adds=False)


def read_yaml_tasks(text: str, has_tests: bool) -> Iterator[JudgeItem]:
    """Yield the tasks of a Taskfile that run tests."""
    import yaml

    try:
        data = parse_yaml(text)
    except yaml.YAMLError:
        yield whole(text)
        return
    yield from test_tasks("task", mapping(data).get("tasks"))


def read_script(text: str, has_tests: bool) -> Iterator[JudgeItem]:
    """Yield a script as one item, without its comments."""
    lines = [line.rstrip() for line in text.splitlines() if line.strip() and not re.match(r"\s*#(?!!)", line)]
    if lines:
        yield whole("\n".join(lines))._replace(shown=text)
