"""Runners of Ruby, PHP and shell projects."""

from collections.abc import Iterator
from functools import partial

from mi.project.checks.folder import ProjectFolder, mapping
from mi.project.checks.runner import Argv, Check, Form, Reading, Runner

_TEST_SCRIPTS = frozenset(
    "test.sh tests.sh run_tests.sh run-tests.sh runtests.sh check.sh run_tests run-tests runtests".split()
)
_SCRIPT_FOLDERS = ("", "scripts", "script", "bin", "tests", "test")


def _find_ruby(folder: ProjectFolder) -> Iterator[Check]:
    if "Gemfile" in folder.names:
        yield Check("test", ("bundle", "exec", "rspec"), "Gemfile")
        if "Rakefile" in folder.names:
            yield Check("test", ("bundle", "exec", "rake", "test"), "Gemfile")
        if "config.ru" in folder.names:
            yield Check("test", ("bin/rails", "test"), "Gemfile")
        if ".rubocop.yml" in folder.names:
            yield Check("lint", ("bundle", "exec", "rubocop"), "Gemfile")


def _test_if_bare(program: str, words: Argv, read: Reading) -> list[Form]:
    return [Form((program, *(words or ("test",))))]


def _find_php(folder: ProjectFolder) -> Iterator[Check]:
    if "composer.json" in folder.names:
        yield Check("test", ("vendor/bin/phpunit",), "composer.json")
        if "test" in mapping(folder.json("composer.json").get("scripts")):
            yield Check("test", ("composer", "test"), "composer.json")
        if "artisan" in folder.names:
            yield Check("test", ("php", "artisan", "test"), "composer.json")


def _composer(words: Argv, read: Reading) -> list[Form]:
    return [Form(("composer", *(word for word in words if word not in ("run", "run-script"))))]


def _find_scripts(folder: ProjectFolder) -> Iterator[Check]:
    """Yield the root's scripts that are named after what they do, there or where scripts live."""
    for place in _SCRIPT_FOLDERS if not folder.path else ():
        usual = _TEST_SCRIPTS | ({"test"} if place in ("bin", "script", "scripts") else set())
        for name in sorted(folder.inside.get(place, set()) & usual):
            path = f"{place}/{name}" if place else name
            if path not in folder.inside:  # which it is when it is a folder
                yield Check("test", (f"./{path}",), path)


def _find_bats(folder: ProjectFolder) -> Iterator[Check]:
    for place, names in folder.inside.items() if not folder.path else ():
        if any(name.endswith(".bats") for name in names):
            yield Check("test", ("bats",), f"{place}/" if place else "*.bats")
            return


def _script_file(shell: str, words: Argv, read: Reading) -> list[Form]:
    return read(words) if words and words[0].endswith(".sh") else [Form((shell, *words))]


def _shell(name: str) -> Runner:
    return Runner(name, plain=partial(_script_file, name))


RUNNERS = (
    Runner(
        "rspec",
        language="ruby",
        narrowed_by=r"-e.*|-E.*|--example\b.*|--example-matches\b.*|-t.*|--tag\b.*|--only-failures|-n|--next-failure|-P"
        r"|--pattern\b.*|--exclude-pattern\b.*|.*\.rb(?:\[|:\d).*",
        picks_by="files",
        with_value=("-f", "--format", "-o", "--out", "-r", "--require", "--seed", "--order", "-I", "-O", "--options"),
        marks=("Gemfile",),
        finds=_find_ruby,
        bent_by=r"--failure-exit-code\b.*|--no-fail-on-\w+",
        obeys="SPEC_OPTS",
        in_recipe=r"(?:bundle exec )?rspec\b",
        nothing=r"\b0 examples, 0 failures",
        something=r"\b[1-9]\d* examples?,",
    ),
    Runner(
        "rake",
        language="ruby",
        tests=r"(?:test|spec|default)\b",
        narrowed_by=r"(?:TEST|TESTOPTS|SPEC|SPEC_OPTS|N|NAME)=.*|\w+:\w.*",
        plain=partial(_test_if_bare, "rake"),
        by_recipe=True,
        in_recipe=r"(?:bundle exec )?rake test\b",
    ),
    Runner(
        "rails",
        language="ruby",
        tests=r"test\b",
        narrowed_by=r"-n.*|--name\b.*|-e|--exclude\b.*|-i|--include\b.*|.*\.rb:\d+.*",
        picks_by="files",
        plain=partial(_test_if_bare, "rails"),
    ),
    Runner(
        "minitest",
        language="ruby",
        narrowed_by=r"-n.*|--name\b.*|-e|--exclude\b.*",
        picks_by="files",
        in_recipe=r"(?:bundle exec )?minitest\b",
        nothing=r"\b0 runs, 0 assertions",
        something=r"\b[1-9]\d* runs?, ",
    ),
    Runner(
        "phpunit",
        also=("pest",),
        language="php",
        narrowed_by=r"--(?:exclude-)?filter\b.*|--(?:exclude-)?group\b.*|--(?:exclude-)?testsuite\b.*|--covers\b.*"
        r"|--uses\b.*|--dirty|--retry",
        picks_by="files",
        with_value=("-c", "--configuration", "--bootstrap", "--log-junit", "--coverage-html", "--coverage-clover"),
        reaches_below=True,
        marks=("composer.json",),
        finds=_find_php,
        in_recipe=r"(?:\S*/)?phpunit\b",
        nothing="No tests (?:were )?executed",
        something=r"^OK \([1-9]\d* tests?",
    ),
    Runner("composer", language="php", tests=r"test\b", plain=_composer, by_recipe=True),
    Runner("php", language="php", tests=r"artisan test\b", narrowed_by=r"--filter\b.*|--group\b.*|--testsuite\b.*"),
    Runner("test.sh", finds=_find_scripts),
    Runner(
        "bats",
        language="shell",
        narrowed_by=r"-f|--filter\b.*|--filter-\w+\b.*",
        picks_by="files",
        with_value=("-j", "--jobs", "-F", "--formatter", "-o", "--output"),
        finds=_find_bats,
        in_recipe=r"bats\b",
    ),
    _shell("bash"),
    _shell("sh"),
    _shell("zsh"),
)
