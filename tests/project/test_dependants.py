"""Packages that depend on others of the same project: what they hold must be checked, too."""

import json
from pathlib import Path

import pytest

from mi.project.checks.coverage import ProjectChecks
from mi.project.checks.dependants import find_dependants
from mi.project.checks.recognition import ran_checks
from tests.project.layouts import Layout, build

NODE = {
    "package.json": json.dumps({"workspaces": ["shop", "till", "site"], "scripts": {"test": "npm test -ws"}}),
    "shop/package.json": json.dumps({"name": "@x/shop", "scripts": {"test": "jest"}}),
    "shop/shop.test.js": "",
    "till/package.json": json.dumps({"name": "till", "devDependencies": {"@x/shop": "*"}, "scripts": {"test": "jest"}}),
    "till/till.test.js": "",
    "site/package.json": json.dumps({"name": "site", "dependencies": {"till": "*"}, "scripts": {"test": "jest"}}),
    "site/site.test.js": "",
}
CARGO = {
    "Cargo.toml": "[workspace]\nmembers = ['shop', 'till', 'site']\n"
    "[workspace.dependencies]\ntill = { path = 'till' }\n",
    "shop/Cargo.toml": '[package]\nname = "shop"\n',
    "till/Cargo.toml": '[package]\nname = "till"\n[target."cfg(unix)".dependencies]\nmoney = { path = "../shop" }\n',
    "site/Cargo.toml": '[package]\nname = "site"\n[dev-dependencies]\ntill.workspace = true\nserde = "1"\n',
}
GO = {
    "go.work": "use (\n\t./shop\n\t./till\n\t./site\n)\n",
    "shop/go.mod": "module example.com/shop\n",
    "till/go.mod": "module example.com/till\n\nrequire example.com/shop v0.0.0\n",
    "site/go.mod": "module example.com/site\n\nrequire (\n\texample.com/till v1.2.3\n\tgolang.org/x/text v0.1.0\n)\n",
}
PYTHON = {
    "pyproject.toml": '[tool.uv.workspace]\nmembers = ["shop", "till", "site"]\n',
    "shop/pyproject.toml": '[project]\nname = "My_Shop"\n',
    "till/pyproject.toml": '[project]\nname = "till"\ndependencies = ["my-shop>=1", "click"]\n',
    "site/pyproject.toml": "[tool.poetry]\nname = 'site'\n[tool.poetry.group.dev.dependencies]\n"
    "till = { path = '../till' }\n",
}
MAVEN = {
    "pom.xml": "<project><artifactId>all</artifactId><modules><module>shop</module></modules></project>",
    "shop/pom.xml": "<project><parent><artifactId>all</artifactId></parent><artifactId>shop</artifactId></project>",
    "till/pom.xml": "<project><artifactId>till</artifactId><dependencies><dependency><artifactId>shop</artifactId>"
    "</dependency></dependencies></project>",
    "site/pom.xml": "<project><artifactId>site</artifactId><dependencies><dependency><artifactId>till</artifactId>"
    "</dependency></dependencies></project>",
}
GRADLE = {
    "settings.gradle": "include 'shop', 'till', 'site'\n",
    "shop/build.gradle": "",
    "till/build.gradle": "dependencies {\n    implementation project(':shop')\n}\n",
    "site/build.gradle.kts": 'dependencies {\n    testImplementation(project(":till"))\n}\n',
}


@pytest.mark.req("judge.scope.each-package")
@pytest.mark.parametrize("files", [NODE, CARGO, GO, PYTHON, MAVEN, GRADLE])
def test_dependants_are_read_from_manifests(tmp_path: Path, files: dict[str, str]) -> None:
    project = ProjectChecks.read(build(Layout(files, [], [], []), tmp_path))
    found = find_dependants(project.packages, lambda path: files.get(path, ""))
    assert found == {"shop": {"till", "site"}, "till": {"site"}}


@pytest.mark.req("judge.scope.each-package")
def test_a_change_needs_the_checks_of_what_depends_on_it(tmp_path: Path) -> None:
    project = ProjectChecks.read(build(Layout(NODE, [], [], []), tmp_path))

    def left(command: str, *changed: str) -> int:
        return len(project.missing(changed, ran_checks(command, project.checks, project.root)))

    assert left("npm test -w shop", "shop/shop.js") > 0
    assert left("npm test -w shop && npm test -w till && npm test -w site", "shop/shop.js") == 0
    assert left("npm test -ws", "shop/shop.js") == 0
    assert left("npm test -w site", "site/site.js") == 0
    assert left("npm test -w shop", "shop/shop.test.js") == 0  # its tests are nobody else's
    assert left("npm test -w till && npm test -w site", "till/till.js") == 0
