"""Runners of projects that are compiled."""

import os
from collections.abc import Iterator
from functools import partial
from itertools import pairwise

from mi.project.checks.folder import ProjectFolder
from mi.project.checks.runner import Argv, Check, Form, ReadFile, Reading, Runner

_SUBCOMMAND = r" (?:test|vet|clippy|nextest)\b"
_TESTING = r"\b.*\b(?:test|verify|check)\b"
_SKIPPED = r"-D(?:skip\w*|maven\.test\.skip|maven\.test\.failure\.ignore|surefire\.skip\w*|testFailureIgnore)\b.*"


def _go(words: Argv, read: Reading) -> list[Form]:
    if words[:1] == ("-C",):
        return [Form(("go", *words[2:]), "".join(words[1:2]))]
    return [Form(("go", *words))]


def _gotestsum(words: Argv, read: Reading) -> list[Form]:
    return [Form(("go", "test", *words))]


def _cargo(words: Argv, read: Reading) -> list[Form]:
    rest = tuple(word for word in words if not word.startswith("+"))
    rest = rest[1:] if rest[:1] in (("-q",), ("--quiet",), ("-v",), ("--locked",), ("--offline",)) else rest
    manifest = next((value for flag, value in pairwise(rest) if flag == "--manifest-path"), "")
    if manifest:
        inner = _cargo(tuple(word for word in rest if word not in ("--manifest-path", manifest)), read)
        return [form._replace(folder=os.path.dirname(manifest)) for form in inner]
    if rest[:2] == ("nextest", "run"):
        return [Form(("cargo", "test", *rest[2:]))]
    short = {"t": "test", "c": "check", "b": "build"}
    return [Form(("cargo", *(short.get(word, word) for word in rest[:1]), *rest[1:]))]


def _is_workspace(words: Argv, read: ReadFile) -> bool:
    """Return whether cargo runs the members of a workspace, too; without a package of its own it does unasked."""
    manifest = read("Cargo.toml")
    asked = bool({"--workspace", "--all"}.intersection(words))
    return asked or ("[workspace]" in manifest and "[package]" not in manifest and "default-members" not in manifest)


def _phases(program: str, phases: Argv, words: Argv, read: Reading) -> list[Form]:
    """Return a build of which the tests are a part as a run of the tests."""
    rest = [word for word in words if word.rpartition(":")[2] not in phases]
    if len(rest) == len(words):
        return [Form((program, *words))]
    places = {word.rpartition(":")[0].strip(":") for word in words if word.rpartition(":")[2] in phases}
    place = places.pop().replace(":", "/") if len(places) == 1 and program == "gradle" else ""
    return [Form((program, "test", *rest), place)]


def _find_wrapped(wrapper: str, program: str, checks: dict[str, Argv], folder: ProjectFolder) -> Iterator[Check]:
    """Yield the checks of a build tool, by the script that a project may bring to call it."""
    called = f"./{wrapper}" if wrapper in folder.names else program
    for file, phases in checks.items():
        if file in folder.names and not any(map(folder.is_within, checks)):
            yield from (Check("test", (called, phase), file) for phase in phases)


def _find_cmake(folder: ProjectFolder) -> Iterator[Check]:
    """Yield ctest, at the top of a tree of CMake files alone: what is below is a part of it."""
    if "CMakeLists.txt" in folder.names and not folder.is_within("CMakeLists.txt"):
        yield Check("test", ("ctest",), "CMakeLists.txt")
        yield Check("test", ("ctest", "--test-dir", "build"), "CMakeLists.txt")
        yield Check("build", ("cmake", "--build"), "CMakeLists.txt")


def _find_dotnet(folder: ProjectFolder) -> Iterator[Check]:
    if any(name.endswith((".sln", ".slnx", ".csproj", ".fsproj")) for name in folder.names):
        yield Check("test", ("dotnet", "test"), "*.csproj")
        yield Check("build", ("dotnet", "build"), "*.csproj")


_GRADLE = ("test", "build")
_DART_NARROWED = r"-n|--name\b.*|-N|--plain-name\b.*|-t|--tags\b.*|-x|--exclude-tags\b.*"
_BAZEL = ("test bazel test", "build bazel build")
RUNNERS = (
    Runner(
        "cargo",
        language="rust",
        tests=r"test\b",
        narrowed_by=r"-p.*|--package\b.*|--exclude\b.*|--lib|--bins?\b.*|--tests?\b.*|--doc|--examples?\b.*|--bench\w*"
        r"|-E.*|--filter-expr\b.*|--partition\b.*|--skip\b.*|--exact|--ignored|--changed",
        picks_by="names",
        with_value=(
            *(
                "--features",
                "-F",
                "--profile",
                "--target",
                "--target-dir",
                "--manifest-path",
                "-j",
                "--jobs",
                "--color",
            ),
            *("--test-threads", "--format", "-Z", "--cargo-profile", "-P"),
        ),
        reaches_below=_is_workspace,
        marks=("Cargo.toml",),
        brings={"Cargo.toml": ("test cargo test", "build cargo build", "build cargo check", "lint cargo clippy")},
        plain=_cargo,
        bent_by=r"--config\b.*",
        obeys=r"CARGO_TARGET_\w+_RUNNER|CARGO_BUILD_\w+",
        counts_when_new=True,
        in_recipe="cargo" + _SUBCOMMAND,
        nothing="running 0 tests",
        something=r"running [1-9]\d* tests?",
    ),
    Runner(
        "go",
        language="go",
        tests=r"test\b",
        narrowed_by=r"--?(?:test\.)?(?:run|skip|fuzz)\b.*",
        picks_by="folders",
        with_value=(
            *(
                "-count",
                "-timeout",
                "-parallel",
                "-p",
                "-cpu",
                "-tags",
                "-coverprofile",
                "-covermode",
                "-coverpkg",
                "-o",
            ),
            *("-bench", "-benchtime", "-vet", "-mod", "-ldflags", "-gcflags", "-outputdir", "--format", "--junitfile"),
        ),
        marks=("go.mod",),
        brings={
            "go.mod": ("test go test ./...", "test go test", "build go build ./...", "build go build", "lint go vet")
        },
        plain=_go,
        bent_by=r"-c|-n|-list\b.*|-exec\b.*|-toolexec\b.*|-overlay\b.*",
        obeys="GOFLAGS",
        counts_when_new=True,
        in_recipe="go" + _SUBCOMMAND,
        nothing=r"no tests to run|\[no test files\]",
        something=r"^ok\s+\S+\s+(?:[\d.]+s|\(cached\))\s*(?:coverage.*)?$",
    ),
    Runner("gotestsum", plain=_gotestsum),
    Runner(
        "mvn",
        also=("mvnw",),
        language="java",
        tests=r"test\b",
        narrowed_by=r"-D(?:test|it\.test|groups|excludedGroups)\b.*|-pl.*|--projects\b.*|-rf.*|--resume-from\b.*",
        reaches_below=True,
        marks=("pom.xml",),
        finds=partial(_find_wrapped, "mvnw", "mvn", {"pom.xml": ("test", "verify")}),
        plain=partial(_phases, "mvn", ("test", "verify", "package", "install", "integration-test")),
        bent_by=rf"{_SKIPPED}|-fn|--fail-never|-f|--file\b.*|-v",
        obeys="MAVEN_ARGS|MAVEN_OPTS",
        counts_when_new=True,
        in_recipe=rf"(?:mvn|\./mvnw){_TESTING}",
        nothing=r"Tests are skipped|Tests run: 0\b",
        something="Tests run: [1-9]",
    ),
    Runner(
        "gradle",
        also=("gradlew",),
        language="java",
        tests=r"test\b",
        narrowed_by=r"--tests\b.*|-Dtest\.single\b.*",
        reaches_below=True,
        marks=("build.gradle", "build.gradle.kts", "settings.gradle", "settings.gradle.kts"),
        finds=partial(_find_wrapped, "gradlew", "gradle", {"build.gradle": _GRADLE, "build.gradle.kts": _GRADLE}),
        plain=partial(_phases, "gradle", ("test", "check", "build")),
        bent_by=r"-m|-x|--exclude-task\b.*|-b|--build-file\b.*|-I|--init-script\b.*|-D?P?skipTests\b.*",
        obeys="GRADLE_OPTS",
        counts_when_new=True,
        in_recipe=rf"(?:gradle|\./gradlew){_TESTING}",
        nothing=":test NO-SOURCE",
    ),
    Runner(
        "mix",
        language="elixir",
        tests=r"test\b",
        narrowed_by=r"--only\b.*|--exclude\b.*|--include\b.*|--failed|--stale|--partitions\b.*|.*\.exs:\d+",
        picks_by="files",
        with_value=("--seed", "--max-failures", "--formatter", "--timeout"),
        reaches_below=True,
        marks=("mix.exs",),
        brings={"mix.exs": ("test mix test",)},
        counts_when_new=True,
        in_recipe="mix" + _SUBCOMMAND,
    ),
    Runner(
        "swift",
        language="swift",
        tests=r"test\b",
        narrowed_by=r"--filter\b.*|--skip\b.*|-s|--specifier\b.*",
        marks=("Package.swift",),
        brings={"Package.swift": ("test swift test", "build swift build")},
        counts_when_new=True,
        in_recipe="swift" + _SUBCOMMAND,
        nothing="Executed 0 tests",
        something=r"Executed [1-9]\d* tests?",
    ),
    Runner(
        "deno",
        language="javascript",
        tests=r"(?:task )?test\b",
        narrowed_by=r"--filter\b.*|--ignore\b.*",
        picks_by="files",
        reaches_below=True,
        marks=("deno.json",),
        brings={"deno.json": ("test deno test", "lint deno lint", "test deno task test")},
        counts_when_new=True,
        in_recipe="deno" + _SUBCOMMAND,
        nothing=r"\b0 passed \| 0 failed",
    ),
    Runner(
        "sbt",
        language="java",
        tests=r"test\b",
        reaches_below=True,
        marks=("build.sbt",),
        brings={"build.sbt": ("test sbt test",)},
        in_recipe="sbt" + _TESTING,
    ),
    Runner(
        "ctest",
        language="c",
        narrowed_by=r"-R.*|-E.*|-L.*|-I.*|-F[ASC].*|--(?:tests|exclude|label|label-exclude)-regex\b.*|--rerun-failed"
        r"|--tests-information\b.*",
        reaches_below=True,
        marks=("CMakeLists.txt",),
        finds=_find_cmake,
        bent_by="-N|--no-tests=ignore",
        in_recipe=r"ctest\b",
        nothing="No tests (?:were )?found",
    ),
    Runner(
        "bazel",
        also=("bazelisk",),
        marks=("MODULE.bazel", "WORKSPACE"),
        brings={"MODULE.bazel": _BAZEL, "WORKSPACE": _BAZEL},
        tests=r"test\b",
        narrowed_by=r"--test_filter\b.*|--test_tag_filters\b.*|-?(?!//\.\.\.)(?://|:)\S*",
        reaches_below=True,
    ),
    Runner(
        "dart",
        language="dart",
        tests=r"test\b",
        narrowed_by=_DART_NARROWED,
        picks_by="files",
        brings={"pubspec.yaml": ("test dart test", "test flutter test", "lint dart analyze")},
        in_recipe="dart" + _SUBCOMMAND,
    ),
    Runner(
        "flutter",
        language="dart",
        tests=r"test\b",
        narrowed_by=_DART_NARROWED,
        picks_by="files",
        in_recipe="flutter" + _SUBCOMMAND,
    ),
    Runner("zig", language="zig", tests=r"(?:build )?test\b", in_recipe="zig" + _SUBCOMMAND),
    Runner(
        "dotnet",
        language="dotnet",
        tests=r"test\b",
        narrowed_by=r"--filter\b.*|--treenode-filter\b.*",
        picks_by="files",
        with_value=("-c", "--configuration", "-f", "--framework", "-l", "--logger", "-v", "--verbosity", "-s", "-r"),
        reaches_below=True,
        finds=_find_dotnet,
        bent_by="-t",
        counts_when_new=True,
        in_recipe="dotnet" + _SUBCOMMAND,
        nothing="No test matches",
    ),
)
