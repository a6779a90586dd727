"""What a recipe promises to run as the tests: targets of make and just, steps of CI, blocks of build scripts."""

import re
from collections.abc import Iterator

from mi.kernel.yamltext import parse_yaml
from mi.project.checks.judge_items import JudgeItem
from mi.project.checks.judge_tokens import Token, body_of, statements_of, tokens_of

_TEST_TARGET = re.compile(r"(?:tests?|check|checks|unit|ci|verify|e2e|spec|coverage|cov|pytest|jest)(?:[-_.:].*)?$")
_BUILD_TARGET = re.compile(r"build|all|compile")
_RULE = re.compile(r"^([\w.%/$(){} -]*[\w.%/$(){}-])\s*::?(?!=)\s*(.*)$")
_SETTING = re.compile(r"^\s*((?:export\s+|override\s+|unexport\s+)*)([\w.]+)\s*[:?+!]{0,3}=\s*(.*)$")
_OBEYED = frozenset({"SHELL", ".SHELLFLAGS", "MAKEFLAGS", "MAKE", "GNUMAKEFLAGS", ".DEFAULT_GOAL", "VPATH"})
_SPECIAL = (".IGNORE", ".SILENT", ".ONESHELL", ".POSIX", ".EXPORT_ALL_VARIABLES", ".SECONDEXPANSION")


_RUNS_TESTS = re.compile(
    r"(?<![\w-])(?:pytest|py\.test|unittest|nose2|tox|nox|behave|jest|vitest|mocha|ava|jasmine|karma|cypress|playwright|c8|nyc"
    r"|node (?:\S+ )*--test|(?:bun|deno|go|cargo|mix|dotnet|swift|dart|flutter|hatch|zig|rake) (?:test|nextest|spec)"
    r"|rspec|phpunit|pest|ctest|bats|manage\.py test|mvnw? (?:\S+ )*(?:test|verify|install)"
    r"|gradlew? (?:\S+ )*(?:test|check|build)"
    r"|(?:npm|yarn|pnpm|make|just|task|poe|rake|composer) (?:run |run-script )?(?:-\S+ )*(?:t|tests?|check|unit|spec))"
    r"(?![\w-])"
)


def runs_tests(recipe: str) -> bool:
    """Return whether a text of commands runs a known test runner, wherever in a line."""
    return bool(_RUNS_TESTS.search(recipe))


class _Makefile:
    """A makefile as rules and settings; conditions around them belong to what they hold."""

    def __init__(self, text: str) -> None:
        self.rules: dict[str, list[str]] = {}
        self.needs: dict[str, list[str]] = {}
        self.settings: dict[str, str] = {}
        self.exports: dict[str, str] = {}
        self.includes: list[str] = []
        conditions: list[str] = []
        targets: list[str] = []
        for line in text.replace("\\\n", " ").splitlines():
            bare = line.strip()
            if line.startswith("\t") and targets:
                self._add(targets, conditions, bare)
            elif not bare or bare.startswith("#"):
                continue
            elif re.match(r"(?:ifeq|ifneq|ifdef|ifndef)\b", bare):
                conditions.append(bare)
            elif bare.startswith("else") and conditions:
                conditions[-1] += " else"
            elif bare.startswith("endif"):
                conditions = conditions[:-1]
            elif re.match(r"-?s?include\b", bare):
                self.includes.append(bare)
            elif found := _SETTING.match(line):
                targets = []
                self._set(found, conditions)
            elif bare.startswith("export"):
                self.exports.setdefault(bare, "")
            elif found := _RULE.match(bare):
                targets = found[1].split()
                self._rule(targets, found[2], conditions)

    def _add(self, targets: list[str], conditions: list[str], line: str) -> None:
        for target in targets:
            self.rules.setdefault(target, []).append(" ".join((*conditions, line)))

    def _set(self, found: re.Match[str], conditions: list[str]) -> None:
        value = " ".join((*conditions, found[3].partition(" #")[0].strip()))
        self.settings[found[2]] = self.settings.get(found[2], "") + value
        if "export" in found[1]:
            self.exports[found[2]] = self.settings[found[2]]

    def _rule(self, targets: list[str], rest: str, conditions: list[str]) -> None:
        needs, _, first = rest.partition(";")
        if "=" in needs:  # a setting of this target alone
            self._add(targets, conditions, f"with {needs}")
            return
        for target in targets:
            self.rules.setdefault(target, [])
            self.needs.setdefault(target, []).extend(needs.partition(" #")[0].split())
        if first.strip():
            self._add(targets, conditions, first.strip())

    @property
    def phony(self) -> frozenset[str]:
        """The targets that are no files."""
        return frozenset(self.needs.get(".PHONY", ()))

    def recipe(self, target: str, seen: set[str] | None = None) -> str:
        """Return a target's lines, with what it needs that runs tests itself."""
        seen = {target} if seen is None else seen | {target}
        lines = [f"needs {need}" for need in sorted(self.needs.get(target, []))]
        lines += [
            self.recipe(need, seen) for need in self.needs.get(target, []) if need in self.rules and need not in seen
        ]
        return self._expanded("\n".join([*lines, *self.rules.get(target, [])]))

    def _expanded(self, recipe: str, depth: int = 5) -> str:
        grown = re.sub(r"\$[({]([\w.]+)[)}]", lambda match: self.settings.get(match[1], match[0]), recipe)
        return grown if grown == recipe or not depth else self._expanded(grown, depth - 1)


def name_like_file(text: str) -> frozenset[str]:
    """Return the targets of a makefile that run tests, and run nothing where a file of their name stands."""
    made = _Makefile(text)
    targets = [one for one in made.rules if _TEST_TARGET.fullmatch(one) or runs_tests(made.recipe(one))]
    return frozenset(targets) - made.phony


def read_makefile(text: str, has_tests: bool) -> Iterator[JudgeItem]:
    """Yield the targets that run tests, and what bends all of them."""
    made = _Makefile(text)
    for target in made.rules:
        recipe = made.recipe(target)
        own = made._expanded("\n".join(made.rules[target]))
        counts = (
            _TEST_TARGET.fullmatch(target) or runs_tests(own) or (not has_tests and _BUILD_TARGET.fullmatch(target))
        )
        if target in _SPECIAL:
            yield JudgeItem(target, recipe, f"{target}: {recipe}")
        elif counts:
            yield JudgeItem(f"make {target}", recipe, "\n".join([f"{target}:", *recipe.splitlines()]), adds=True)
    for target in made.phony:
        if _TEST_TARGET.fullmatch(target) or runs_tests(made.recipe(target)):
            yield JudgeItem(f".PHONY {target}", target, f".PHONY: {target}", adds=True)
    wanted = (
        made.settings.keys() if not made.rules else _OBEYED & made.settings.keys()
    )  # a file of settings is included
    for name in wanted:
        yield JudgeItem(name, made.settings[name], f"{name} = {made.settings[name]}")
    for name, value in made.exports.items():
        yield JudgeItem(f"export {name}", value, f"export {name} = {value}")
    for line in made.includes:
        yield JudgeItem(line, line, line)


def read_just(text: str, has_tests: bool) -> Iterator[JudgeItem]:
    """Yield the recipes of a justfile that run tests, and its settings."""
    blocks = re.split(r"(?m)^(?=[^\s#])", text)
    values = {found[1]: found[2] for block in blocks if (found := re.match(r"(?:export )?(\w+)\s*:=\s*(.*)", block))}
    for block in blocks:
        head, _, body = block.partition("\n")
        if re.match(r"set\s|export\s|mod\s|import\s", head):
            yield JudgeItem(head.partition(":=")[0].strip(), head, head)
        elif (name := re.match(r"@?([\w-]++)[^:=]*+:(?!=)", head)) and (
            _TEST_TARGET.fullmatch(name[1]) or runs_tests(body)
        ):
            lines = [line.strip() for line in block.splitlines() if line.strip() and not line.strip().startswith("#")]
            whole = re.sub(r"\{\{\s*(\w+)\s*\}\}", lambda one: values.get(one[1], one[0]), "\n".join(lines))
            yield JudgeItem(f"just {name[1]}", whole, block.rstrip(), adds=True)


def read_ci(text: str, has_tests: bool) -> Iterator[JudgeItem]:
    """Yield the steps of a CI file that run tests, each with what its job says about all of its steps."""
    import yaml

    try:
        data = parse_yaml(text)
    except yaml.YAMLError:
        yield JudgeItem("", text, text)
        return
    if not isinstance(data, dict):
        return
    jobs = data["jobs"] if isinstance(data.get("jobs"), dict) else data
    for name, job in jobs.items():
        yield from _ci_job(str(name), job)


_MAY_FAIL = ("continue-on-error", "allow_failure")


def _ci_job(name: str, job: object) -> Iterator[JudgeItem]:
    if not isinstance(job, dict):
        return
    steps: list[object] = next((job[key] for key in ("steps", "script") if isinstance(job.get(key), list)), [])
    testing = [step for step in steps if runs_tests(str(step.get("run", "") if isinstance(step, dict) else step))]
    for number, step in enumerate(testing):
        yield JudgeItem(f"{name} step {number + 1}", _written(step), _written(step), adds=True)
    for step in (one for one in (job, *steps) if isinstance(one, dict)):
        for key in _MAY_FAIL:
            if step.get(key) not in (None, False):
                what = str(step.get("run") or step.get("name") or step.get("uses") or "")[:60]
                yield JudgeItem(f"{name} {key}: {what}", _written(step), _written(step))
    if testing:
        around = {key: job[key] for key in ("if", "continue-on-error", "allow_failure", "when", "env") if key in job}
        yield JudgeItem(f"{name} conditions", _written(around), _written(around), adds=True)


def _written(value: object) -> str:
    import json

    return json.dumps(value, sort_keys=True, ensure_ascii=False, default=str)


_CMAKE_TEST = re.compile(
    r"(?i)\b(enable_testing|include\s*\(\s*CTest|\w*add_test\w*|\w+_discover_tests|set_tests_properties"
    r"|set_property\s*\(\s*TEST)\b\s*\(?[^)]*\)"
)


def read_cmake(text: str, has_tests: bool) -> Iterator[JudgeItem]:
    """Yield the calls of CMake that make, find or set up tests."""
    bare = re.sub(r"(?m)#.*$", "", text)
    for found in _CMAKE_TEST.finditer(bare):
        call = " ".join(found[0].split())
        adds = not found[1].lower().startswith("set_")
        yield JudgeItem(call[:60], call, call, adds)
    for found in re.finditer(
        r"(?i)set\s*\(\s*(BUILD_TESTING|CTEST_\w+)[^)]*+(?:\)|\Z)|option\s*\(\s*BUILD_TEST[^)]*+(?:\)|\Z)", bare
    ):
        call = " ".join(found[0].split())
        yield JudgeItem(call.partition(" ")[0] + call[4:40], call, call)


def read_gradle(text: str, has_tests: bool) -> Iterator[JudgeItem]:
    """Yield the parts of a build script that speak of tests, dependencies apart; and the projects it includes."""
    yield from _gradle(list(tokens_of(text, "kt")), "", text.splitlines())


def _gradle(tokens: list[Token], owner: str, lines: list[str]) -> Iterator[JudgeItem]:
    for statement in statements_of(tokens, "kt"):
        body = body_of(statement, "kt")
        head = " ".join(token.text for token in body.before) if body else statement.text
        first, last = statement.lines
        shown = "\n".join(lines[first : last + 1])
        if re.match(r"(?:dependencies|plugins|repositories|buildscript|publishing)\b", head):
            continue
        if found := re.match(r"include ?\(? ?(.*)", statement.text):
            yield from (JudgeItem(f"include {one}", one, shown, True) for one in re.findall(r"\"([^\"]+)\"", found[1]))
        elif (
            body
            and re.match(r"(?:subprojects|allprojects|configure|tasks|project)\b[^=]*\{$", head)
            and not _says_test(head)
        ):
            yield from _gradle(list(body.inside), f"{owner}{head} ", lines)
        elif _says_test(statement.text):
            yield JudgeItem(f"{owner}{head.partition('{')[0].strip()}"[:60], statement.text, shown)


def _says_test(text: str) -> bool:
    return bool(re.search(r"\b(?:[tT]ests?|check|Test\w*|\w+Test)\b", text))
