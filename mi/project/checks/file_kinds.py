"""What a file of a project is, by its path: a test, or prose that nothing runs."""

import os
import re

_TEST_PATH = re.compile(
    r"(^|/)(tests?|specs?|__tests__|__snapshots__)/|(^|/)test_[^/]*$|_test\.\w+$|\.(test|spec)\.\w+$|_spec\.rb$"
    r"|Tests?\.(java|kt|cs)$|(^|/)conftest\.py$"
)
# Written by package managers, also as a check runs.
_LOCKS = frozenset(
    """Cargo.lock package-lock.json npm-shrinkwrap.json pnpm-lock.yaml yarn.lock bun.lock bun.lockb deno.lock uv.lock
    poetry.lock pdm.lock Pipfile.lock pixi.lock Gemfile.lock composer.lock mix.lock go.sum go.work.sum pubspec.lock
    packages.lock.json gradle.lockfile Podfile.lock Package.resolved flake.lock""".split()
)
_PROSE = re.compile(
    r"\.(?:md|markdown|rst|adoc|png|jpe?g|gif|svg|webp|ico)$|(?:^|/)(?:LICEN[CS]E|COPYING|NOTICE|AUTHORS)(?:\.\w+)?$",
    re.IGNORECASE,
)
_PROSE_TEXT = re.compile(
    r"(?:^|/)docs?(?=/)(?:(?!/docs?/).)*\.txt$|(?:^|/)(?:README|NOTES|CHANGELOG|TODO)(?:\.txt)?$", re.IGNORECASE
)

_OUTPUT = re.compile(
    r"(?:^|/)(?:dist|build|out|target|bin|obj|coverage|htmlcov|logs?|tmp|\.next|\.nuxt|\.cache|\.turbo|\.gradle|node_modules|__pycache__"
    r"|\.\w+_cache|[^/]+\.egg-info)/|\.(?:py[co]|o|a|so|class|log|tmp|swp|tsbuildinfo|map|pid)$|(?:^|/)(?:\.coverage[^/]*|coverage\.(?:xml|json))$"
)


def is_test(path: str) -> bool:
    """Return whether a file holds tests or what they need, by its name."""
    return bool(_TEST_PATH.search(path))


def is_prose(path: str) -> bool:
    """Return whether a file is only read by people; a fixture of the tests never is."""
    if is_test(path) or os.path.basename(path) in ("requirements.txt", "CMakeLists.txt"):
        return False
    return bool(_PROSE.search(path) or _PROSE_TEXT.search(path))


def is_output(path: str) -> bool:
    """Return whether a file looks like what a build, a check or a program that runs writes."""
    return bool(_OUTPUT.search(path))


def is_lock(path: str) -> bool:
    """Return whether a file holds the versions that a package manager chose, which nobody writes by hand."""
    return os.path.basename(path) in _LOCKS
