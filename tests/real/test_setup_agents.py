"""Real agents with each profile of `mi setup`: what they may do, are refused and recover from."""

import json
import os
from collections.abc import Iterator
from pathlib import Path

import pytest

from mi.app.home_context import HomeContext
from mi.app.work_trees import begin_tree
from mi.hooks.codex_trust import list_hooks
from mi.kernel.home import Home
from mi.testing import call_tool, edit, read, run, say, turn
from tests.conftest import git
from tests.real.hosts import AgentHost, agent_host
from tests.speaking import INSTALLED

MEND = edit("calc.py", "    return a", "    return a + b")


def tool(name: str, **arguments: object):  # type: ignore[no-untyped-def]
    return turn(call_tool(name, arguments, server="mi"))


@pytest.fixture(params=["codex", "claude-code"])
def host(request: pytest.FixtureRequest, tmp_path: Path) -> Iterator[AgentHost]:
    program = request.getfixturevalue("codex" if request.param == "codex" else "claude")
    yield from agent_host(request.param, program, tmp_path)


def set_up(host: AgentHost, profile: str) -> str:
    """A person with the usual home and `mi` on the PATH, who sets this project up; returns what they were told."""
    person = Path(host.home.root).parent / "person"
    person.mkdir()
    del host.env["MI_HOME"]
    host.env |= {"HOME": str(person), "PATH": f"{INSTALLED.parent}:{host.env['PATH']}"}
    host.home = Home(str(person / ".mind-incarnation"))
    said = host.mi("setup", host.name, "--profile", profile, "--yes")
    host.let_in("local" if profile == "light" else "project")
    return said


def looks_first(host: AgentHost) -> list[object]:
    return [turn(read("calc.py"))] if host.name == "claude-code" else []


@pytest.mark.req("one.setup.light", "one.setup.walks")
def test_light_lets_work_go_on_and_denies_what_is_never_done(host: AgentHost) -> None:
    first = looks_first(host)
    script = [*first, turn(MEND), turn(run("git push --force origin main")), tool("memory_query", query="add")]
    host.prepare([*script, say("Mended.")])
    set_up(host, "light")
    host.run()
    outputs = host.outputs()[len(first) :]
    assert host.repository.read("calc.py").endswith("return a + b\n")
    assert "pull request" in outputs[1]
    assert "left_out" in outputs[2]
    assert not os.path.exists(os.path.join(host.repository.path, "AGENTS.md"))
    assert "setup" not in {one["area"] for one in _warnings(host)}
    host.mi("setup", host.name, "--remove", "--yes")
    assert sorted(os.listdir(host.repository.path)) == sorted(
        one for one in os.listdir(host.repository.path) if not one.startswith((".claude", ".codex", ".mi"))
    )


@pytest.mark.req("one.setup.team", "one.setup.portable", "one.setup.walks")
def test_team_holds_an_edit_until_the_contract_is_met(host: AgentHost) -> None:
    first = looks_first(host)
    host.prepare(
        [
            *first,
            turn(MEND),
            tool("memory_query", query="add"),
            tool("memory_set_mode", mode="GUARDED"),
            turn(MEND),
            tool("nx_task_list"),
            say("Mended."),
            say("Recall: nothing found. Mode GUARDED. One step, no tasks. No memory needed."),
        ]
    )
    set_up(host, "team")
    host.run()
    outputs = host.outputs()[len(first) :]
    assert "RECALL_REQUIRED" in outputs[0]
    assert "exists" in outputs[4]
    assert host.repository.read("calc.py").endswith("return a + b\n")
    assert "setup" not in {one["area"] for one in _warnings(host)}


@pytest.mark.req("one.setup.least-mode", "one.setup.walks")
def test_strict_counts_no_mode_below_strict(host: AgentHost) -> None:
    first = looks_first(host)
    host.prepare(
        [
            *first,
            tool("memory_query", query="add"),
            tool("memory_set_mode", mode="GUARDED"),
            turn(MEND),
            tool("memory_set_mode", mode="STRICT"),
            tool("memory_query", query="add"),
            turn(MEND),
            say("I may not change it yet."),
        ]
    )
    set_up(host, "strict")
    host.run()
    outputs = host.outputs()[len(first) :]
    assert "MODE_TOO_LOW" in outputs[2]
    assert "STRICT" in outputs[2]
    assert "TASKS_REQUIRED" in outputs[5]
    assert not host.repository.read("calc.py").endswith("return a + b\n")


def files_of(host: AgentHost, person: Path) -> dict[str, bytes]:
    """Every file of the project and the person, git's objects, MI's home and what Codex makes for itself apart."""
    found = [Path(host.env["CODEX_HOME"], name) for name in ("config.toml", "hooks.json")]
    for place in (host.repository.path, str(person)):
        for folder, names, files in os.walk(place):
            names[:] = [name for name in names if name not in (".mind-incarnation", "objects")]
            found += [Path(folder, name) for name in files]
    return {str(path): path.read_bytes() for path in found if path.exists()}


@pytest.mark.req("one.setup.remove", "one.setup.walks")
@pytest.mark.parametrize("profile", ["light", "team", "strict"])
def test_out_of_both_real_hosts_at_once_every_byte_is_as_before(codex: str, claude: str, tmp_path: Path, profile: str):
    """Codex itself is asked about the trust of its hooks, Claude Code lists its servers."""
    for host in agent_host("codex", codex, tmp_path):
        host.prepare([])
        person = tmp_path / "person"
        person.mkdir()
        programs = ":".join(os.path.dirname(path) for path in (str(INSTALLED), codex, claude))
        host.env |= {"HOME": str(person), "PATH": f"{programs}:{host.env['PATH']}"}
        host.env.pop("CLAUDE_CONFIG_DIR", None)
        before = files_of(host, person)
        told = json.loads(host.mi("setup", "--profile", profile, "--yes", "--json"))
        assert set(told["hosts"]) == {"claude-code", "codex"}
        assert files_of(host, person) != before
        assert "setup" not in {one["area"] for one in _warnings(host)}
        host.mi("setup", "--remove", "--yes")
        after = files_of(host, person)
        assert {path for path in {*before, *after} if before.get(path) != after.get(path)} == set()


@pytest.mark.req("one.setup.one-voice", "one.setup.walks")
def test_a_real_codex_with_both_entries_hears_one(codex: str, tmp_path: Path) -> None:
    """The person's own entries, made for another project, hold in all of them; this one's team committed its own."""
    for host in agent_host("codex", codex, tmp_path):
        host.prepare([say("I looked.")])
        rules = Path(host.repository.path, ".nexus/rules")
        rules.mkdir(parents=True)
        (rules / "walrus.md").write_text("Never feed the walrus by hand.\n", "utf-8")
        git(Path(host.repository.path), "add", "-A")
        git(Path(host.repository.path), "commit", "-q", "-m", "rules")
        set_up(host, "team")
        (other := tmp_path / "other").mkdir()
        host.mi("-C", str(other), "setup", "codex", "--profile", "light", "--yes")
        assert "mi" in Path(host.env["CODEX_HOME"], "hooks.json").read_text("utf-8")
        host.run("feed the walrus by hand")
        assert host.server is not None
        told = json.dumps(host.server.requests[0].body, ensure_ascii=False)
        assert (told.count("it binds nothing here"), told.count("Challenge the request")) == (1, 1)


def _warnings(host: AgentHost) -> list[dict[str, str]]:
    findings = json.loads(host.mi("doctor", "--json"))["findings"]
    return [one for one in findings if one["level"] != "ok"]


@pytest.mark.req("fleet.trees.hosts")
def test_codex_runs_the_hooks_of_a_team_in_a_work_tree_too(
    codex: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    opened = agent_host("codex", codex, tmp_path)
    host = next(opened)
    host.prepare([say("Nothing to do.")])
    set_up(host, "team")
    git(Path(host.repository.path), "add", "-A")
    git(Path(host.repository.path), "commit", "-qm", "set up")
    for name, value in host.env.items():
        monkeypatch.setenv(name, value)
    context = HomeContext(host.home, host.repository.path)
    tree = begin_tree(context, "run_20261118T100000Z_aaaaaaaa", "fix it", with_changes=False)
    hooks = [hook for hook in list_hooks(codex, tree.root) if " hook " in hook.command]
    opened.close()  # type: ignore[attr-defined]  # a generator
    assert hooks
    assert {hook.trust_status for hook in hooks} == {"trusted"}
