"""Runners of Ruby, PHP and shell projects."""

from collections.abc import Iterator
from functools import partial

from mi.project.checks.folder import ProjectFolder, mapping
from mi.project.checks.runner import Argv, Check, Form, Reading, Runner

_TEST_SCRIPTS = frozenset("test.sh tests.sh run_tests.sh run-tests.sh runtests.sh check.sh".split())
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
        for name in sorted(folder.inside.get(place, set()) & _TEST_SCRIPTS):
            path = f"{place}/{name}" if place else name
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
        marks=("Gemfile",),
        finds=_find_ruby,
        bent_by=r"--failure-exit-code\b.*|--no-fail-on-\w+",
        obeys="SPEC_OPTS",
        in_recipe=r"(?:bundle exec )?rspec\b",
        nothing=r"\b0 examples, 0 failures",
        something=r"\b[1-9]\d* examples?,",
    ),
    Runner("rake", plain=partial(_test_if_bare, "rake"), by_recipe=True, in_recipe=r"(?:bundle exec )?rake test\b"),
    Runner("rails", plain=partial(_test_if_bare, "rails")),
    Runner(
        "minitest",
        in_recipe=r"(?:bundle exec )?minitest\b",
        nothing=r"\b0 runs, 0 assertions",
        something=r"\b[1-9]\d* runs?, ",
    ),
    Runner(
        "phpunit",
        marks=("composer.json",),
        finds=_find_php,
        in_recipe=r"(?:\S*/)?phpunit\b",
        nothing="No tests (?:were )?executed",
        something=r"^OK \([1-9]\d* tests?",
    ),
    Runner("composer", plain=_composer, by_recipe=True),
    Runner("test.sh", finds=_find_scripts),
    Runner("bats", finds=_find_bats, in_recipe=r"bats\b"),
    _shell("bash"),
    _shell("sh"),
    _shell("zsh"),
)
