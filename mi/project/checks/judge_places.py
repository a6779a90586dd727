"""Which files judge the work, by their path: tests and what they need, what sets them up, and what runs them."""

import re
import sys
from functools import lru_cache
from typing import Literal

from mi.project.checks.file_kinds import is_test
from mi.project.checks.files import RUNNER_MODULES, configures_runner

Kind = Literal["", "code", "data", "inline", "examples", "settings", "recipe", "manifest", "git"]

CODE = frozenset(
    "py pyi js jsx ts tsx mjs cjs mts cts vue svelte go rs java kt kts groovy scala rb php cs swift dart ex exs c cc"
    " cpp cxx h hpp lua bats sh bash".split()
)
_GIT = frozenset({".gitignore", ".gitattributes", ".gitmodules"})
_MANIFEST = re.compile(
    r"(?:^|/)(?:pyproject\.toml|setup\.cfg|setup\.py|tox\.ini|package\.json|deno\.jsonc?|bunfig\.toml|nx\.json|project\.json"
    r"|turbo\.json|tsconfig\.json|jsconfig\.json|vite\.config\.\w+|\.npmrc|\.yarnrc(?:\.yml)?|Cargo\.toml"
    r"|\.cargo/config(?:\.toml)?|pom\.xml|composer\.json|CMakeLists\.txt|(?:build|settings)\.gradle(?:\.kts)?"
    r"|gradle\.properties|mix\.exs|go\.(?:work|mod)|Gemfile|requirements[\w-]*\.txt|[^/]+\.(?:cs|fs|vb)proj|\.gitlab-ci\.yml|\.travis\.yml"
    r"|\.github/workflows/[^/]+\.ya?ml|\.circleci/config\.yml)$"
)
_RECIPE = re.compile(
    r"(?:^|/)(?:GNUmakefile|[Mm]akefile|[^/]+\.mk|\.?[Jj]ustfile|Taskfile\.ya?ml|Rakefile|noxfile\.py"
    r"|(?:run[-_]?)?tests?(?:\.(?:sh|bash|py|js|mjs|ts|rb|ps1|bat|cmd))?|(?:run[-_]?|do[-_]?)?checks?\.(?:sh|py|js))$"
)
_SETTINGS = re.compile(
    r"(?:^|/)(?:\.?pytest\.(?:ini|toml)|\.coveragerc|(?:ava|web-test-runner)\.config(?:\.\w+)+"
    r"|vitest\.workspace\.\w+|jest[.-]setup\.\w+|(?:setup[-_]?tests?|test[-_]?setup)\.\w+|\.mocharc|karma\.conf\.\w+"
    r"|\.taprc|\.nycrc(?:\.\w+)?|\.c8rc(?:\.\w+)?|jasmine\.json|wdio\.conf\.\w+|babel\.config\.\w+|\.babelrc(?:\.\w+)?|\.swcrc"
    r"|tsconfig\.(?:test|tests|spec|jest|vitest)\.json|\.env\.(?:test|testing|ci)(?:\.\w+)*|(?:test|tests)\.env"
    r"|\.config/nextest\.toml|phpunit\.xml(?:\.dist)?|\.rspec(?:-local)?|behave\.ini|\.mvn/(?:maven|jvm)\.config"
    r"|CTestCustom\.cmake|CTestConfig\.cmake|[^/]+\.runsettings|xunit\.runner\.json|dart_test\.yaml|junit-platform\.properties|META-INF/services/org\.junit[^/]*|mockito-extensions/[^/]+|testng\.xml"
    r"|mocha\.opts|node\.config\.json)$"
)
_MORE_TESTS = re.compile(
    r"(?:^|/)(?:tests\.py|__tests__/.*|(?:e2e|cypress|features|Tests)/.*|[^/]+\.Tests?/.*|[^/]+_SUITE\.erl"
    r"|[^/]+(?:Test|Tests|IT|Spec|TestCase)\.(?:java|kt|groovy|scala|cs|php|swift)|[^/]+\.bats|[^/]+\.feature"
    r"|[^/]+_(?:test|spec)\.\w+)$"
)
_DATA_FOLDER = re.compile(
    r"(?:^|/)(?:__?fixtures__?|fixtures|testdata|test[-_]data|__snapshots__|snapshots?|goldens?|cassettes|__mocks__)/"
)
_DATA_NAME = re.compile(
    r"(?:\.(?:snap|ambr|golden|approved\.\w+|verified\.\w+))$|(?:^|[._-])golden\.\w+$"
    r"|(?:^|/)(?:expected|baselines?|goldens?)(?:[_.-][^/]*)?/|(?:^|/)(?:expected|baseline)(?:[_.-][^/]*)?\.\w+$"
)
_SPEC_FOLDER = re.compile(r"(?:^|/)(?:specs?|features|e2e)/")
_READ_ONLY = re.compile(r"(?:^|/)(?:README|NOTES|CHANGELOG|LICENSE)(?:\.\w+)*$|(?:^|/)docs?/", re.IGNORECASE)
# Modules that runners import by these names, beside those that each runner's entry has.
_THEIR_MODULES = frozenset("py pluggy iniconfig nose hypothesis coverage behave doctest tox nox xdist mock".split())
_OWN_NAMES = frozenset({"test", "this", "antigravity", "idlelib", "turtledemo", "lib2to3", "__main__"})


def extension(path: str) -> str:
    """Return how the name of a file ends, without the dot; '' when it does not say."""
    return path.rpartition("/")[2].rpartition(".")[2].lower() if "." in path.rpartition("/")[2] else ""


@lru_cache(maxsize=1 << 16)
def judge_kind(path: str) -> Kind:
    """Return in which way a file may judge the work; '' when it is none of its judges."""
    name = path.rpartition("/")[2]
    if name in _GIT or path == ".git/info/exclude":
        return "git"
    if configures_runner(path):
        return "settings"
    for pattern, kind in _BY_NAME:
        if pattern.search(path):
            return kind
    if _DATA_NAME.search(path):
        return "data"
    is_code = extension(path) in CODE
    if _DATA_FOLDER.search(path):
        return "code" if is_code and "__mocks__/" in path else "data"
    if _READ_ONLY.search(path):
        return ""
    if is_test(path) or _MORE_TESTS.search(path):
        return (
            "code" if is_code else "" if _SPEC_FOLDER.search(path) and extension(path) in ("md", "rst", "") else "data"
        )
    return "inline" if extension(path) == "rs" else ""


_BY_NAME: tuple[tuple[re.Pattern[str], Kind], ...] = (
    (_SETTINGS, "settings"),
    (_MANIFEST, "manifest"),
    (_RECIPE, "recipe"),
)


def is_test_code(path: str) -> bool:
    """Return whether a file holds tests that a runner collects, or what stands beside them."""
    return judge_kind(path) == "code"


def is_set_up(path: str) -> bool:
    """Return whether a runner loads a file before or beside the tests, without their asking for it."""
    name = path.rpartition("/")[2]
    return name in ("conftest.py", "__init__.py", "spec_helper.rb", "rails_helper.rb", "test_helper.rb") or (
        name in ("test_helper.exs", "bootstrap.php", "hooks.rb", "env.rb")
    )


def shadows_module(path: str, test_folders: frozenset[str]) -> str:
    """Return the module that a file would be imported in place of: of Python itself or of a test runner; '' if none."""
    folder, _, name = path.rpartition("/")
    if not name.endswith(".py"):
        return ""
    module = name.removesuffix(".py")
    if module in ("sitecustomize", "usercustomize"):
        return module
    if module in ("__init__", "__main__"):
        folder, _, module = folder.rpartition("/")
    if module in RUNNER_MODULES | _THEIR_MODULES:
        return module
    is_importable = folder in ("", "src", "lib", "tests", "test") or folder in test_folders
    known = module in sys.stdlib_module_names and module not in _OWN_NAMES
    return module if is_importable and known else ""


def stands_before_all(path: str) -> bool:
    """Return whether a file takes part in every run by its mere place: a `.pth`, a tracked dependency's program."""
    if re.search(r"\.(?:dist|egg)-info/entry_points\.txt$", path):
        return True
    return path.endswith(".pth") or bool(re.search(r"(?:^|/)(?:node_modules|\.venv|venv|site-packages)/", path))
