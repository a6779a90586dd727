"""Adding MI's reporter to a command, by its environment where a runner allows that, so that `make test` works, too."""

import os
import re
import secrets
import shlex
import shutil
import subprocess
import sys
from collections.abc import Mapping, Sequence
from functools import cache
from pathlib import Path

import msgspec

from mi.kernel.named_tuple import NamedTuple
from mi.kernel.shell import simple_commands
from mi.project.checks.folder import text_of
from mi.project.checks.forms import plain_forms

_REPORTERS = Path(__file__).parent / "reporters"
_TOOLS = (
    "report_writer.py",
    "run_binary.py",
    "collect_kept.py",
    "hook.cjs",
    "lines.cjs",
    "jest.cjs",
    "vitest.cjs",
    "mocha.cjs",
    "node_test.mjs",
)
_RUST_HOSTS = tuple(
    f"{machine}_{system}"
    for machine in ("X86_64", "AARCH64")
    for system in ("UNKNOWN_LINUX_GNU", "UNKNOWN_LINUX_MUSL", "APPLE_DARWIN")
)
# Where the command sees itself begin, which may be another path than where its folder is kept.
_TELL_ROOT = 'export MI_REPORT_ROOT="$(pwd -P)"; printf %s "$MI_REPORT_ROOT" > "$MI_REPORT_TO/root"'
# Build tools that write reports into folders of their own.
_KEEPS_REPORTS = ("pom.xml", "build.gradle", "build.gradle.kts", "settings.gradle", "settings.gradle.kts", "build.sbt")
# Where no variable makes a runner report, words after its own do: by the runner's name, with the file's name.
_BY_WORDS = {
    "ctest": ("ctest.xml", "--output-junit {file}"),
    "phpunit": ("phpunit.xml", "--log-junit {file}"),
    "bun": ("bun.xml", "--reporter=junit --reporter-outfile={file}"),
}


class Instrumented(NamedTuple):
    """A command with MI's reporter, and what is needed to read the report."""

    command: str  # to be run by a shell, in `folder`
    env: dict[str, str]  # beside the environment that was given
    folder: str
    reports: str  # the folder of the reports; the command must be able to write there
    key: str  # with which a report is sealed
    told: str  # the command as it was given
    only: frozenset[str] | None  # the tests that were asked for


def instrument(
    command: str,
    folder: str,
    scratch: str,
    only: Sequence[str] | None = None,
    environ: Mapping[str, str] | None = None,
    goes_on: bool = False,
) -> Instrumented:
    """Return the command with MI's reporter added to whatever runner it reaches.

    `folder` holds the project's files, by whatever path the command will see them; `scratch` is a folder of MI's own
    that the command may write, and sees by the same path. `only` are the tests to run; where a runner cannot be told,
    it runs all, and the results are those of these tests all the same. With `goes_on`, a test program that fails stops
    none after it.
    """
    given = os.environ if environ is None else environ
    mine, reports = (os.path.join(scratch, secrets.token_hex(8)) for _ in range(2))
    os.makedirs(reports)
    _place_reporters(mine)
    key = secrets.token_hex(16)
    env = {"MI_REPORT_FROM": mine, "MI_REPORT_TO": reports, "MI_REPORT_KEY": key}
    if goes_on:
        env["MI_REPORT_GOES_ON"] = "1"
    if only is not None:
        env["MI_REPORT_ONLY"] = os.path.join(mine, "only.json")
        Path(env["MI_REPORT_ONLY"]).write_bytes(msgspec.json.encode(list(only)))
    env |= _python(given, mine, reports)
    if not re.search(r"\s", scratch):  # most variables part words by blanks, without a way to write one
        env |= _node(given, mine, reports, command, folder) | _binaries(given, mine, folder)
        env["SPEC_OPTS"] = _add(given, "SPEC_OPTS", f"--format json --out {reports}/rspec.json --format progress")
    text = _with_words(command, reports)
    if any(os.path.exists(os.path.join(folder, name)) for name in _KEEPS_REPORTS):
        collect = shlex.join([sys.executable, "-I", f"{mine}/tools/collect_kept.py"])
        text = f'(\n{text}\n)\nmi_ended=$?; {collect} "$MI_REPORT_ROOT" "$MI_REPORT_TO"; exit $mi_ended'
    wanted = None if only is None else frozenset(only)
    return Instrumented(f"{_TELL_ROOT}\n{text}", env, folder, reports, key, command, wanted)


def _place_reporters(mine: str) -> None:
    """Copy the reporters; those in Python under a name that no project has, for they stand on its path."""
    name = f"mi_report_{secrets.token_hex(4)}"
    tools, path = Path(mine, "tools"), Path(mine, "python")
    entry = path / f"{name}-1.dist-info"
    for made in (tools, path / "unittest", entry):
        made.mkdir(parents=True)
    for file in _TOOLS:
        shutil.copyfile(_REPORTERS / file, tools / file)
    shutil.copyfile(_REPORTERS / "report_writer.py", path / f"{name}.py")
    shutil.copyfile(_REPORTERS / "pytest_plugin.py", path / f"{name}_pytest.py")
    shutil.copyfile(_REPORTERS / "unittest_watcher.py", path / f"{name}_unittest.py")
    in_place = (_REPORTERS / "unittest_in_place.py").read_text("utf-8").replace("REPORTER", name)
    (path / "unittest" / "__init__.py").write_text(in_place, "utf-8")
    # Where a recipe sets PYTHONPATH itself, an entry point is not found, and nothing breaks.
    (entry / "METADATA").write_text(f"Metadata-Version: 2.1\nName: {name}\nVersion: 1\n", "utf-8")
    (entry / "entry_points.txt").write_text(f"[pytest11]\n{name} = {name}_pytest\n", "utf-8")
    for kind in ("go", "rust"):
        script = tools / f"run_{kind}"
        words = shlex.join([sys.executable, "-I", str(tools / "run_binary.py"), kind])
        script.write_text(f'#!/bin/sh\nexec {words} "$@"\n', "utf-8")
        script.chmod(0o755)


def _python(given: Mapping[str, str], mine: str, reports: str) -> dict[str, str]:
    """Return what makes pytest and unittest report; pytest's own report serves where our plugin is not found."""
    path = [os.path.join(mine, "python"), *filter(None, [given.get("PYTHONPATH", "")])]
    passed_on = "testenv.pass_env+=MI_REPORT_*,PYTHONPATH,PYTEST_ADDOPTS"
    found = {
        "TOX_OVERRIDE": ";".join(
            filter(None, [given.get("TOX_OVERRIDE", ""), passed_on])
        ),  # tox clears the environment
        "PYTHONPATH": os.pathsep.join(path),
    }
    words = f"--junitxml={reports}/pytest.xml -o junit_family=xunit1 --continue-on-collection-errors"
    return found | ({} if re.search(r"\s", reports) else {"PYTEST_ADDOPTS": _add(given, "PYTEST_ADDOPTS", words)})


def _node(given: Mapping[str, str], mine: str, reports: str, command: str, folder: str) -> dict[str, str]:
    """Return what makes runners on Node report: where a script sets NODE_OPTIONS itself, a `node` of ours does."""
    path = given.get("PATH", os.defpath)
    node = shutil.which("node", path=path)
    if node is None:
        return {}
    hook = f"--require={mine}/tools/hook.cjs"
    shim = Path(mine, "bin", "node")
    shim.parent.mkdir()
    real = shlex.quote(node)
    shim.write_text(
        f'#!/bin/sh\ncase "$NODE_OPTIONS" in\n*{hook}*) exec {real} "$@" ;;\nesac\nexec {real} {hook} "$@"\n', "utf-8"
    )
    shim.chmod(0o755)
    words = hook
    chosen = "--test-reporter" in command or "--test-reporter" in text_of(folder, "package.json")
    if not chosen and _takes_reporters(node):
        words += (
            " --test-reporter=spec --test-reporter-destination=stdout"
            f" --test-reporter=file://{mine}/tools/node_test.mjs --test-reporter-destination={reports}/node.out"
        )
    return {"NODE_OPTIONS": _add(given, "NODE_OPTIONS", words), "PATH": f"{shim.parent}{os.pathsep}{path}"}


@cache
def _takes_reporters(node: str) -> bool:
    """Return whether this Node may be told of a reporter by its environment; older ones would not start."""
    asked = "process.exit(process.allowedNodeEnvironmentFlags.has('--test-reporter') ? 0 : 1)"
    try:
        done = subprocess.run([node, "-e", asked], check=False, capture_output=True, timeout=20, env={})
    except (OSError, subprocess.TimeoutExpired):
        return False
    return done.returncode == 0


def _binaries(given: Mapping[str, str], mine: str, folder: str) -> dict[str, str]:
    """Return what has Go and cargo run their test binaries through us, unless a project has its own way."""
    found = {"GOFLAGS": _add(given, "GOFLAGS", f"-exec={mine}/tools/run_go")}
    settings = text_of(folder, ".cargo/config.toml") + text_of(folder, ".cargo/config")
    if not re.search(r"^[ \t]*runner\s*=", settings, re.MULTILINE):
        found |= {f"CARGO_TARGET_{host}_RUNNER": f"{mine}/tools/run_rust" for host in _RUST_HOSTS}
    return found


def _add(given: Mapping[str, str], name: str, words: str) -> str:
    return f"{given[name]} {words}" if given.get(name) else words


def _with_words(command: str, reports: str) -> str:
    """Return the command with words for a runner that stands at its very end."""
    commands = simple_commands(command)
    if not commands or not commands.readable or commands[-1].writes:
        return command
    form = next(iter(plain_forms(commands[-1].argv)), None)
    name = os.path.basename(form.words[0]) if form else ""
    if name not in _BY_WORDS or (name == "bun" and form and form.words[1:2] != ("test",)):
        return command
    file, words = _BY_WORDS[name]
    return f"{command} {words.format(file=shlex.quote(os.path.join(reports, file)))}"
