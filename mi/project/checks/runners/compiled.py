"""Runners of projects that are compiled."""

from collections.abc import Iterator
from functools import partial

from mi.project.checks.folder import ProjectFolder
from mi.project.checks.runner import Argv, Check, Form, Reading, Runner

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
    if rest[:2] == ("nextest", "run"):
        return [Form(("cargo", "test", *rest[2:]))]
    short = {"t": "test", "c": "check", "b": "build"}
    return [Form(("cargo", *(short.get(word, word) for word in rest[:1]), *rest[1:]))]


def _phases(program: str, phases: Argv, words: Argv, read: Reading) -> list[Form]:
    """Return a build of which the tests are a part as a run of the tests."""
    rest = [word for word in words if word.rpartition(":")[2] not in phases]
    return [Form((program, "test", *rest) if len(rest) < len(words) else (program, *words))]


def _find_wrapped(wrapper: str, program: str, checks: dict[str, Argv], folder: ProjectFolder) -> Iterator[Check]:
    """Yield the checks of a build tool, by the script that a project may bring to call it."""
    called = f"./{wrapper}" if wrapper in folder.names else program
    for file, phases in checks.items():
        if file in folder.names:
            yield from (Check("test", (called, phase), file) for phase in phases)


def _find_dotnet(folder: ProjectFolder) -> Iterator[Check]:
    if any(name.endswith((".sln", ".csproj")) for name in folder.names):
        yield Check("test", ("dotnet", "test"), "*.csproj")
        yield Check("build", ("dotnet", "build"), "*.csproj")


_GRADLE = ("test", "build")
_BAZEL = ("test bazel test", "build bazel build")
RUNNERS = (
    Runner(
        "cargo",
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
        marks=("go.mod",),
        brings={"go.mod": ("test go test", "build go build", "lint go vet")},
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
        marks=("build.gradle", "build.gradle.kts"),
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
        marks=("mix.exs",),
        brings={"mix.exs": ("test mix test",)},
        counts_when_new=True,
        in_recipe="mix" + _SUBCOMMAND,
    ),
    Runner(
        "swift",
        marks=("Package.swift",),
        brings={"Package.swift": ("test swift test", "build swift build")},
        counts_when_new=True,
        in_recipe="swift" + _SUBCOMMAND,
        nothing="Executed 0 tests",
        something=r"Executed [1-9]\d* tests?",
    ),
    Runner(
        "deno",
        marks=("deno.json",),
        brings={"deno.json": ("test deno test", "lint deno lint", "test deno task test")},
        counts_when_new=True,
        in_recipe="deno" + _SUBCOMMAND,
        nothing=r"\b0 passed \| 0 failed",
    ),
    Runner("sbt", marks=("build.sbt",), brings={"build.sbt": ("test sbt test",)}, in_recipe="sbt" + _TESTING),
    Runner(
        "ctest",
        marks=("CMakeLists.txt",),
        brings={"CMakeLists.txt": ("test ctest", "build cmake --build")},
        bent_by="-N|--no-tests=ignore",
        in_recipe=r"ctest\b",
        nothing="No tests (?:were )?found",
    ),
    Runner("bazel", brings={"MODULE.bazel": _BAZEL, "WORKSPACE": _BAZEL}),
    Runner(
        "dart",
        brings={"pubspec.yaml": ("test dart test", "test flutter test", "lint dart analyze")},
        in_recipe="dart" + _SUBCOMMAND,
    ),
    Runner("flutter", in_recipe="flutter" + _SUBCOMMAND),
    Runner("zig", in_recipe="zig" + _SUBCOMMAND),
    Runner(
        "dotnet",
        finds=_find_dotnet,
        bent_by="-t",
        counts_when_new=True,
        in_recipe="dotnet" + _SUBCOMMAND,
        nothing="No test matches",
    ),
)
