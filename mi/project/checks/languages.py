"""The language of a file by its ending, and which files of a language hold tests."""

import os
import re
from collections.abc import Callable

_ENDINGS = {
    "python": "py pyi pyx pxd ipynb",
    "javascript": "js jsx mjs cjs ts tsx mts cts vue svelte css scss less html",
    "go": "go",
    "rust": "rs",
    "java": "java kt kts groovy scala",
    "ruby": "rb erb haml slim rake gemspec",
    "php": "php phtml",
    "c": "c h cc hh cpp hpp cxx hxx m mm",
    "elixir": "ex exs eex heex leex",
    "dotnet": "cs fs vb csproj fsproj vbproj sln razor",
    "swift": "swift",
    "dart": "dart",
    "zig": "zig",
    "shell": "sh bash bats",
}
_BY_ENDING = {ending: language for language, endings in _ENDINGS.items() for ending in endings.split()}
# Files that say what their language depends on or how it is built.
_BY_NAME = {
    name: language
    for language, names in {
        "python": "pyproject.toml setup.cfg setup.py Pipfile Pipfile.lock uv.lock poetry.lock pdm.lock tox.ini",
        "javascript": "package.json package-lock.json pnpm-lock.yaml yarn.lock bun.lock bun.lockb tsconfig.json",
        "go": "go.mod go.sum go.work",
        "rust": "Cargo.toml Cargo.lock",
        "java": "pom.xml build.gradle settings.gradle gradle.properties",
        "ruby": "Gemfile Gemfile.lock Rakefile",
        "php": "composer.json composer.lock phpunit.xml",
        "c": "CMakeLists.txt",
        "elixir": "mix.lock",
    }.items()
    for name in names.split()
}
_REQUIREMENTS = re.compile(r"(?:[\w-]*-)?requirements(?:[-_.][\w.-]*)?\.(?:txt|in)|constraints\.txt")
_TESTS = {
    "python": re.compile(r"(?:^|/)(?:test_[^/]*|[^/]*_test|tests)\.py$"),
    "javascript": re.compile(
        r"\.(?:test|spec|cy|e2e)\.[cm]?[jt]sx?$|(?:^|/)(?:__tests__|tests?|specs?)/.*\.[cm]?[jt]sx?$"
        r"|(?:^|/)test(?:[-_][^/]*)?\.[cm]?[jt]s$"
    ),
    "go": re.compile(r"_test\.go$"),
    "java": re.compile(r"(?:^|/)src/(?:\w*[tT]est\w*)/.*\.(?:java|kt|groovy|scala)$|Tests?\.(?:java|kt|groovy|scala)$"),
    "ruby": re.compile(r"_(?:spec|test)\.rb$|(?:^|/)test_[^/]*\.rb$"),
    "php": re.compile(r"Test\.php$|(?:^|/)tests/.*\.php$"),
    "elixir": re.compile(r"_test\.exs$"),
    "swift": re.compile(r"(?:^|/)Tests(?=/)(?:(?!/Tests/).)*\.swift$"),
    "dart": re.compile(r"_test\.dart$"),
    "shell": re.compile(r"\.bats$"),
}


def language_of(path: str) -> str:
    """Return the language a file belongs to; '' when its name does not tell."""
    name = os.path.basename(path)
    if _REQUIREMENTS.fullmatch(name):
        return "python"
    return _BY_NAME.get(name) or _BY_ENDING.get(name.rpartition(".")[2] if "." in name else "", "")


def holds_tests(path: str, language: str, read: Callable[[str], str] = lambda path: "") -> bool:
    """Return whether a file holds tests of a language; where names do not tell, what `read` returns does."""
    pattern = _TESTS.get(language)
    if pattern is not None:
        return bool(pattern.search(path))
    if language == "rust":
        return path.endswith(".rs") and ("tests/" in path or bool(re.search(r"#\[(?:\w+::)*test\b|```", read(path))))
    if language == "dotnet":
        return path.endswith((".csproj", ".fsproj")) and "test" in (os.path.basename(path) + read(path)).lower()
    if language == "c":
        return os.path.basename(path) == "CMakeLists.txt" and bool(re.search(r"add_test|enable_testing", read(path)))
    return False
