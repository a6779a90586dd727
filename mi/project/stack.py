"""What a project is made with, told by the files in its root."""

import os

_BY_NAME = {
    "pyproject.toml": "python",
    "setup.py": "python",
    "requirements.txt": "python",
    "package.json": "node",
    "tsconfig.json": "typescript",
    "deno.json": "deno",
    "go.mod": "go",
    "Cargo.toml": "rust",
    "pom.xml": "java",
    "build.gradle": "java",
    "build.gradle.kts": "kotlin",
    "build.sbt": "scala",
    "Gemfile": "ruby",
    "composer.json": "php",
    "mix.exs": "elixir",
    "Package.swift": "swift",
    "pubspec.yaml": "dart",
    "CMakeLists.txt": "cmake",
    "Makefile": "make",
    "Dockerfile": "docker",
}
_BY_SUFFIX = {
    ".py": "python",
    ".js": "node",
    ".ts": "typescript",
    ".csproj": "dotnet",
    ".sln": "dotnet",
    ".sh": "shell",
}
_MOST = 2000  # names that are looked at


def find_stack(root: str) -> list[str]:
    """Return the languages and tools of a project, each once, in the order of their names."""
    found: set[str] = set()
    try:
        with os.scandir(root) as entries:
            for entry, _ in zip(entries, range(_MOST), strict=False):
                found.add(_BY_NAME.get(entry.name) or _BY_SUFFIX.get(os.path.splitext(entry.name)[1], ""))
    except OSError:
        return []
    return sorted(found - {""})
