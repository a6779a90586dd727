"""Which packages of a project depend on others of it, by what their manifests say."""

import re
from collections.abc import Callable, Iterable, Iterator

from mi.project.checks.folder import mapping, read_json, read_toml
from mi.project.checks.listing import joined
from mi.project.checks.packages import Package

Read = Callable[[str], str]
_NODE = ("dependencies", "devDependencies", "peerDependencies", "optionalDependencies")
_CARGO = ("dependencies", "dev-dependencies", "build-dependencies")


def find_dependants(packages: Iterable[Package], read: Read) -> dict[str, set[str]]:
    """Return, by the folder of each package, the folders of those that depend on it, be it through others."""
    folders = [package.folder for package in packages]
    owners = {name: folder for folder in folders for name in _names(folder, read)}
    direct: dict[str, set[str]] = {}
    for folder in folders:
        for wanted in _wants(folder, read):
            owner = owners.get(wanted, wanted.removeprefix("/") if wanted.startswith("/") else None)
            if owner is not None and owner != folder:
                direct.setdefault(owner, set()).add(folder)
    return {folder: _all_above(folder, direct) for folder in direct}


def _all_above(folder: str, direct: dict[str, set[str]]) -> set[str]:
    found: set[str] = set()
    waiting = [folder]
    while waiting:
        new = direct.get(waiting.pop(), set()) - found - {folder}
        found |= new
        waiting += new
    return found


def _names(folder: str, read: Read) -> Iterator[str]:
    """Yield what others call a package, each name with its ecosystem before it."""
    if name := read_json(read(joined(folder, "package.json"))).get("name"):
        yield f"node {name}"
    if name := mapping(read_toml(read(joined(folder, "Cargo.toml"))).get("package")).get("name"):
        yield f"cargo {name}"
    if found := re.search(r"(?m)^module\s+(\S+)", read(joined(folder, "go.mod"))):
        yield f"go {found[1]}"
    project = read_toml(read(joined(folder, "pyproject.toml")))
    if name := mapping(project.get("project")).get("name") or _poetry(project).get("name"):
        yield f"python {_plain(str(name))}"
    own = re.sub(
        r"(?s)<(parent|dependencies|build|profiles|modules)>.*?(?:</\1>|\Z)", "", read(joined(folder, "pom.xml"))
    )
    if found := re.search(r"<artifactId>\s*([^<\s]+)", own):
        yield f"maven {found[1]}"


def _wants(folder: str, read: Read) -> Iterator[str]:
    """Yield what a package depends on: names as above, or folders behind a `/`."""
    package = read_json(read(joined(folder, "package.json")))
    yield from (f"node {name}" for kind in _NODE for name in mapping(package.get(kind)))
    yield from _wanted_crates(read_toml(read(joined(folder, "Cargo.toml"))), folder)
    yield from (f"go {name}" for name in re.findall(r"(?m)^(?:require)?[ \t]+(\S+) v", read(joined(folder, "go.mod"))))
    yield from (f"python {name}" for name in _wanted_in_python(read_toml(read(joined(folder, "pyproject.toml")))))
    pom = read(joined(folder, "pom.xml"))
    inside = "".join(re.findall(r"(?s)<dependencies>.*?(?:</dependencies>|\Z)", pom))
    yield from (f"maven {name}" for name in re.findall(r"<artifactId>\s*([^<\s]+)", inside))
    for file in ("build.gradle", "build.gradle.kts"):
        for path in re.findall(r"project\(\s*['\"]:([\w:-]+)['\"]", read(joined(folder, file))):
            yield f"/{path.replace(':', '/')}"


def _wanted_crates(manifest: dict[str, object], folder: str) -> Iterator[str]:
    tables = [manifest, *map(mapping, mapping(manifest.get("target")).values())]
    for name, wanted in (entry for table in tables for kind in _CARGO for entry in mapping(table.get(kind)).items()):
        told = mapping(wanted)
        if isinstance(told.get("path"), str):
            yield f"/{joined(folder, told['path'])}"
        elif told.get("workspace"):
            yield f"cargo {told.get('package', name)}"


def _wanted_in_python(project: dict[str, object]) -> Iterator[str]:
    """Yield the plain names of the distributions a Python project depends on, groups and extras included."""
    own = mapping(project.get("project"))
    groups = [own.get("dependencies"), *mapping(own.get("optional-dependencies")).values()]
    groups += mapping(project.get("dependency-groups")).values()
    for group in groups:
        for line in group if isinstance(group, list) else ():
            if isinstance(line, str) and (found := re.match(r"[\w.-]+", line)):
                yield _plain(found[0])
    poetry = _poetry(project)
    tables = [poetry, *map(mapping, mapping(poetry.get("group")).values())]
    yield from (_plain(name) for table in tables for name in mapping(table.get("dependencies")))


def _poetry(project: dict[str, object]) -> dict[str, object]:
    return mapping(mapping(project.get("tool")).get("poetry"))


def _plain(name: str) -> str:
    return re.sub(r"[-_.]+", "-", name).lower()
