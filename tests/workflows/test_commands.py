"""`mi workflow`, `mi host` and `mi uninstall` as a person calls them."""

import io
import json
import shutil
import sys
from collections.abc import Callable, Iterator
from pathlib import Path
from subprocess import DEVNULL, CompletedProcess, Popen
from typing import Any

import msgspec
import pytest

from mi.cli import main
from mi.evidence.records.workflow_ir import Source, Trigger, WorkflowStep
from mi.hosts.adapters import list_artefacts
from mi.hosts.apply import place
from mi.hosts.artefacts import HookEntry, McpEntry
from mi.hosts.workspaces import Workspace
from mi.kernel.home import Home
from tests.conftest import MI, Mi
from tests.hosts.trees import tree
from tests.learning.models import answering, settings
from tests.workflows.made import CHECK, WORK, workflow

Answer = Callable[..., Any]


@pytest.fixture
def root(repository: Callable[..., Path]) -> Path:
    return repository("app")


@pytest.fixture
def mi(monkeypatch: pytest.MonkeyPatch, capsysbinary: pytest.CaptureFixture[bytes]) -> Mi:
    """The command without a process of its own: what is proved here is behind the door."""

    def run(*args: str, stdin: str = "", env: dict[str, str] | None = None, cwd: Path) -> CompletedProcess[str]:
        with monkeypatch.context() as patch:
            patch.chdir(cwd)
            patch.setattr(sys, "stdin", io.TextIOWrapper(io.BytesIO(stdin.encode())))
            for name, value in (env or {}).items():
                patch.setenv(name, value)
            code = main.run(list(args))
        said = capsysbinary.readouterr()
        return CompletedProcess(args, code, said.out.decode(), said.err.decode())

    return run


@pytest.fixture
def call(mi: Mi, root: Path) -> Answer:
    """Runs a command in the project; the JSON it prints, or with `code` the line it fails with."""

    def run(*args: str, code: int = 0, stdin: str = "", env: dict[str, str] | None = None) -> Any:
        done = mi(*args, "--json", cwd=root, stdin=stdin, env=env)
        assert done.returncode == code, (done.stdout, done.stderr)
        return json.loads(done.stdout) if code == 0 or done.stdout else done.stderr

    return run


def create(call: Answer, *more: str) -> str:
    steps = ["--step", "Update the changelog", "--step", "check: run `make test`", "--step", "gate: push the tag"]
    made = call("workflow", "create", "--name", "Release", *steps, *more)
    return str(made["id"])


@pytest.mark.req(
    "v1.cli.workflow-create",
    "v1.cli.workflow-create-name",
    "v1.cli.workflow-create-scope",
    "mi.cli.workflow-trigger-mode",
    "mi.cli.workflow-pattern",
    "v1.cli.workflow-list",
    "v1.cli.workflow-list-scope",
    "v1.cli.workflow-show",
    "v1.cli.workflow-show-scope",
    "v1.cli.workflow-show-json",
    "v1.cli.workflow-show-markdown",
    "v1.cli.show-wf",
)
def test_making_and_looking(mi: Mi, root: Path, call: Answer) -> None:
    own = create(call, "--trigger-mode", "task_contains", "--pattern", "cut a release")
    shared = create(call, "--scope", "global", "--trigger-mode", "manual")
    assert [one["id"] for one in call("workflow", "list", "--scope", "project")] == [own]
    assert [one["id"] for one in call("workflow", "list", "--scope", "global")] == [shared]
    listed = call("workflow", "list", "--cd", str(root))
    assert [(one["id"], one["scope"]) for one in listed] == [(own, "project"), (shared, "global")]
    assert listed[0] == call("workflow", "show", own)
    shown = call("workflow", "show", own)
    assert shown["trigger"] == {"mode": "task_contains", "pattern": "cut a release"}
    assert [step["kind"] for step in shown["steps"]] == ["hands", "check", "gate"]
    assert call("workflow", "show", shared, "--scope", "global")["trigger"]["mode"] == "manual"
    page = mi("workflow", "show", own, "--scope", "effective", "--markdown", cwd=root).stdout
    assert page.startswith("# Release\n")
    assert "```mermaid\nflowchart TD" in page
    assert mi("workflow", "show", own, "--mermaid", cwd=root).stdout.startswith("flowchart TD")
    assert "push the tag" in mi("workflow", "show", own, cwd=root).stdout
    chinese = mi("workflow", "show", own, "--markdown", cwd=root, env={"MI_LANG": "zh"}).stdout
    assert "## 步骤" in chinese
    assert "2. 检查：run `make test`" in chinese
    assert "--scope global" in call("workflow", "show", shared, "--scope", "project", code=1)
    assert call("show", own)["name"] == "Release"
    assert "Release" in mi("show", shared, cwd=root).stdout


@pytest.mark.req(
    "v1.cli.workflow-enable",
    "v1.cli.workflow-enable-scope",
    "v1.cli.workflow-disable",
    "v1.cli.workflow-disable-scope",
    "v1.cli.workflow-disable-override",
    "v1.cli.workflow-delete",
    "v1.cli.workflow-delete-scope",
    "v1.cli.workflow-delete-override",
)
def test_switching_and_deleting(call: Answer, home: Home) -> None:
    own, shared = create(call), create(call, "--scope", "global")
    assert call("workflow", "disable", own, "--scope", "project")["enabled"] is False
    assert call("workflow", "show", own)["enabled"] is False
    assert call("workflow", "enable", own, "--scope", "effective")["enabled"] is True
    before = Path(home.workflows, f"{shared}.json").read_bytes()
    call("workflow", "disable", shared, "--scope", "global", "--project-override")
    assert call("workflow", "show", shared)["enabled"] is False
    assert call("workflow", "show", shared, "--scope", "global")["enabled"] is True
    call("workflow", "delete", shared, "--scope", "global", "--project-override")
    assert call("workflow", "show", shared)["enabled"] is True
    assert Path(home.workflows, f"{shared}.json").read_bytes() == before
    call("workflow", "delete", own, "--scope", "project")
    call("workflow", "delete", shared, "--scope", "global")
    assert call("workflow", "list") == []
    assert "no workflow" in call("workflow", "delete", own, code=1)
    shared = create(call, "--scope", "global")
    assert "--scope global" in call("workflow", "delete", shared, code=1)
    Path(home.workflows, f"{shared}.json").write_text("{")
    call("workflow", "delete", shared, "--scope", "global")
    assert not Path(home.workflows, f"{shared}.json").exists()


def test_a_name_is_one_plain_line(call: Answer) -> None:
    made = call("workflow", "create", "--name", " a\n\x1b[31mred\x07 ", "--step", "gate：推送", "--step", "先写：说明")
    assert made["name"] == "a red\ufffd"
    assert [(one["kind"], one["hands_input"]) for one in made["steps"]] == [("gate", "推送"), ("hands", "先写：说明")]


@pytest.mark.parametrize(
    ("args", "code", "told"),
    [
        (["create", "--name", " "], 2, "--name is empty"),
        (["create", "--name", "x", "--pattern", " "], 2, "--pattern"),
        (["create", "--name", "x", "--trigger-mode", "task_contains"], 2, "--pattern"),
        (["create"], 2, "--name"),
        (["create", "--name", "x", "--trigger-mode", "always"], 2, "always"),
        (["show", "wf_none"], 1, "wf_none"),
        (["show", "../../config"], 1, "../../config"),
        (["edit", "wf_none", "--request", "x"], 1, "wf_none"),
        (["edit", "wf_none", "--request", "x", "--loop"], 2, "--loop"),
        (["delete", "wf_none", "--project-override"], 2, "--scope global"),
        (["import", "none.json"], 1, "none.json"),
    ],
)
def test_mistakes_are_one_line(mi: Mi, root: Path, args: list[str], code: int, told: str) -> None:
    done = mi("workflow", *args, cwd=root)
    assert (done.returncode, done.stdout) == (code, "")
    assert told in done.stderr
    assert done.stderr.count("\n") == 1


def test_giving_out_and_taking_in(mi: Mi, root: Path, call: Answer, tmp_path: Path) -> None:
    own = create(call)
    exported = tmp_path / "release.json"
    exported.write_text(mi("workflow", "export", own, cwd=root).stdout)
    assert "there already" in call("workflow", "import", str(exported), code=1)
    call("workflow", "delete", own)
    assert call("workflow", "import", str(exported), "--scope", "global")["ids"] == [own]
    assert call("workflow", "import", "-", stdin=exported.read_text())["count"] == 1
    assert call("workflow", "import", str(exported), "--replace")["ids"] == [own]


# editing


def answer(*changes: str, **more: Any) -> dict[str, Any]:
    """What a model makes of the workflow."""
    made = msgspec.to_builtins(workflow(**more))
    return {"workflow": made, "change_summary": list(changes), "conflicts": ["none really"], "notes": ""}


@pytest.fixture
def model(home: Home) -> Iterator[list[Any]]:
    """A Mind that gives these answers to edit_workflow, one after the other."""
    answers: list[Any] = []
    with answering(edit_workflow=lambda request: answers.pop(0)) as server:
        Path(home.root).mkdir()
        Path(home.config).write_text(json.dumps(settings(server)))
        answers.append(server)
        yield answers


@pytest.mark.req(
    "v1.cli.workflow-edit",
    "v1.cli.workflow-edit-request",
    "v1.cli.workflow-edit-scope",
    "v1.prompt.edit-wf-in",
    "v1.prompt.edit-wf-out",
    "mi.prompt.edit-workflow",
)
def test_a_request_is_carried_out_and_the_rest_stays(call: Answer, model: list[Any], mi: Mi, root: Path) -> None:
    server = model.pop()
    own = create(call)
    before = call("workflow", "show", own)
    model.append(answer("the gate went", id="wf_evil", name="Release", steps=[WORK, CHECK], source=Source(reason="x")))
    done = call("workflow", "edit", own, "--scope", "effective", "--request", "Drop the gate")
    assert (done["change_summary"], done["conflicts"], done["changed"]) == (["the gate went"], ["none really"], True)
    after = call("workflow", "show", own)
    assert [step["id"] for step in after["steps"]] == ["s1", "s2"]
    assert [after[name] for name in ("id", "created_ts", "source")] == [
        before[name] for name in ("id", "created_ts", "source")
    ]
    asked = server.requests[-1].body["messages"][-1]["content"]
    for part in ("<<<REQUEST\nDrop the gate", "<<<WORKFLOW\n{", '"min_occurrences":2', '"project_id"'):
        assert part in asked
    model.append(answer("nothing", steps=[WORK]))
    assert call("workflow", "edit", own, "--request", "x", "--dry-run")["changed"] is False
    assert call("workflow", "show", own) == after


@pytest.mark.req("v1.cli.workflow-edit-loop")
def test_request_after_request(mi: Mi, root: Path, call: Answer, model: list[Any]) -> None:
    model.pop()
    own = create(call)
    model += [answer("a", steps=[WORK, CHECK]), answer("b", steps=[CHECK])]
    done = mi("workflow", "edit", own, "--loop", cwd=root, stdin="drop the gate\ndrop the changelog\n\nnot read\n")
    assert done.returncode == 0
    assert "· a" in done.stdout
    assert "· b" in done.stdout
    assert [step["id"] for step in call("workflow", "show", own)["steps"]] == ["s2"]


def test_a_request_that_fails_does_not_end_the_others(mi: Mi, root: Path, call: Answer, model: list[Any]) -> None:
    model.pop()
    own = create(call)
    model += [answer("a", steps=[WORK, WORK]), answer("b", steps=[CHECK])]
    done = mi("workflow", "edit", own, "--loop", cwd=root, stdin="double it\nonly the check\n")
    assert done.returncode == 0
    assert '"double it" was not carried out' in done.stderr
    assert [step["id"] for step in call("workflow", "show", own)["steps"]] == ["s2"]


@pytest.mark.req("v1.cli.workflow-edit-override")
def test_a_request_for_this_project_alone(call: Answer, model: list[Any], home: Home) -> None:
    model.pop()
    shared = create(call, "--scope", "global")
    before = Path(home.workflows, f"{shared}.json").read_bytes()
    steps = [WorkflowStep(**one) for one in call("workflow", "show", shared)["steps"]]
    model.append(
        answer("s2", name="Release", steps=[steps[0], msgspec.structs.replace(steps[1], notes="twice"), steps[2]])
    )
    flags = ["--scope", "global", "--project-override", "--request", "Patch step s2"]
    assert call("workflow", "edit", shared, *flags)["scope"] == "project-override"
    assert call("workflow", "show", shared)["steps"][1]["notes"] == "twice"
    assert Path(home.workflows, f"{shared}.json").read_bytes() == before


@pytest.mark.req("v1.cli.workflow-edit-scope", "v1.cli.workflow-enable-scope")
def test_what_a_project_overrides_is_changed_there_and_never_for_everybody(
    call: Answer, model: list[Any], home: Home
) -> None:
    model.pop()
    shared = create(call, "--scope", "global")
    stored = Path(home.workflows, f"{shared}.json")
    before = stored.read_bytes()
    call("workflow", "disable", shared, "--project-override")
    assert call("workflow", "enable", shared)["scope"] == "project-override"
    assert call("workflow", "list")[0]["enabled"] is True
    assert call("workflow", "disable", shared, "--scope", "effective")["enabled"] is False
    assert call("workflow", "list")[0]["enabled"] is False
    steps = [WorkflowStep(**one) for one in call("workflow", "show", shared)["steps"]]
    model.append(answer("s1", name="Release", steps=[msgspec.structs.replace(steps[0], notes="here"), *steps[1:]]))
    assert call("workflow", "edit", shared, "--request", "note it")["scope"] == "project-override"
    assert call("workflow", "show", shared)["steps"][0]["notes"] == "here"
    assert stored.read_bytes() == before


@pytest.mark.parametrize("bad", [{"steps": [WORK, WORK]}, {"name": ""}, {"trigger": Trigger(mode="task_contains")}])
def test_what_a_model_returns_is_checked_before_it_is_believed(call: Answer, model: list[Any], bad: Any) -> None:
    model.pop()
    own = create(call)
    before = call("workflow", "show", own)
    model.append(answer("x", **bad))
    assert "is no workflow" in call("workflow", "edit", own, "--request", "x", code=1)
    assert call("workflow", "show", own) == before


def test_without_a_model_a_request_changes_nothing_and_says_so(call: Answer, home: Home) -> None:
    own = create(call)
    Path(home.config).write_text('{"mind": {"provider": "rules"}}')
    assert "no model understood" in call("workflow", "edit", own, "--request", "x", code=1)


def test_in_the_editor(call: Answer, tmp_path: Path) -> None:
    own = create(call)
    editor = tmp_path / "editor"

    def edits(script: str) -> dict[str, str]:
        editor.write_text(f"#!/bin/sh\n{script}\n")
        editor.chmod(0o755)
        return {"VISUAL": str(editor)}

    done = call("workflow", "edit", own, env=edits("sed -i 's/push the tag/publish it/' \"$1\""))
    assert done["changed"] is True
    assert call("workflow", "show", own)["steps"][2]["hands_input"] == "publish it"
    assert call("workflow", "edit", own, env=edits(":"))["changed"] is False
    assert "is no workflow" in call("workflow", "edit", own, env=edits("echo '{' > \"$1\""), code=1)
    told = call("workflow", "edit", own, env=edits('sed -i s/check_input/chek_input/ "$1"'), code=1)
    assert "steps[1].chek_input is unknown" in told
    told = call("workflow", "edit", own, env={"VISUAL": "", "EDITOR": ""}, code=2)
    assert "$EDITOR" in told
    assert told.count("\n") == 1
    assert call("workflow", "edit", own, env=edits(': > "$1"'))["changed"] is False
    spaced = edits('sed -i "s/publish it/pub\u2028lish/" "$1"')
    assert call("workflow", "edit", own, env=spaced)["workflow"]["steps"][2]["hands_input"] == "pub\u2028lish"


# hosts

FOLDERS = {"openclaw": "skills", "claude-code": ".claude/skills", "codex": ".agents/skills"}


@pytest.mark.req(
    "v1.cli.host-list",
    "v1.cli.host-bind",
    "v1.cli.host-bind-workspace",
    "v1.cli.host-unbind",
    "v1.cli.host-sync",
    "v1.cli.host-sync-effective",
    "v1.wf.generated-dir",
    "v1.wf.regenerate",
    "v1.wf.adapter-registry",
    "v1.wf.openclaw-skills",
    "v1.wf.openclaw-path",
    "v1.wf.openclaw-workflow-json",
    "v1.wf.openclaw-symlink",
    "v1.wf.openclaw-manifest",
    "v1.cli.openclaw-generated",
    "v1.cli.openclaw-symlinks",
    "v1.cli.openclaw-reversible",
    "v1.overlay.host-bindings",
    "v1.hard.derived-in-own-dir",
    "v1.hard.derived-reversible",
    "v1.root.host-decoupled",
    "v1.wfir.source-of-truth",
)
@pytest.mark.parametrize("host", FOLDERS)
def test_bind_sync_unbind(call: Answer, root: Path, tmp_path: Path, home: Home, host: str) -> None:
    space = tmp_path / "space"
    (space / FOLDERS[host] / "mine").mkdir(parents=True)
    (space / FOLDERS[host] / "mine/SKILL.md").write_text("mine\n")
    before = tree(space)
    create(call, "--pattern", "cut a release")
    shared = create(call, "--scope", "global")
    hidden = create(call, "--scope", "global")
    call("workflow", "disable", hidden, "--scope", "global", "--project-override")
    bound = call("host", "bind", host, "--workspace", str(space))["synced"][0]
    assert (bound["ok"], len(bound["workflows"])) == (True, 2)
    generated = space / f".mi/generated/{host}/skills/mi-release"
    link = space / FOLDERS[host] / "mi-release"
    assert link.is_symlink()
    assert link.resolve() == generated
    skill = (link / "SKILL.md").read_text()
    assert skill.startswith('---\nname: "mi-release"\ndescription: "Release, the way this user does it')
    assert "Check: run `make test`" in skill
    assert json.loads((link / "workflow.json").read_bytes())["name"] == "Release"
    names = sorted(path.name for path in (space / FOLDERS[host]).iterdir())
    assert names == ["mi-release", f"mi-release-{shared[-8:]}", "mine"]
    listed = call("host", "list")["bindings"]
    assert [(one["host"], one["workspace_root"], one["enabled"], one["there"]) for one in listed] == [
        (host, str(space), True, True)
    ]
    assert listed[0]["generated_rel_dir"] == f".mi/generated/{host}"
    assert listed[0]["register"]["symlink_dirs"][0] == {
        "src": f".mi/generated/{host}/skills/mi-release",
        "dst": f"{FOLDERS[host]}/mi-release",
    }
    tracked = json.loads((space / f".mi/generated/{host}/manifest.json").read_bytes())
    assert list(tracked["symlink_dirs"].values()) == [listed[0]["register"]["symlink_dirs"]]
    placed = tree(space)
    shutil.rmtree(space / ".mi/generated")
    call("host", "sync")
    assert tree(space) == placed
    assert call("host", "sync")["synced"][0]["changed"] == []
    call("host", "unbind", host)
    assert tree(space) == before
    assert call("host", "list")["bindings"] == []


@pytest.mark.req("v1.wf.auto-sync", "v1.cli.workflow-auto-sync")
def test_every_change_reaches_the_bound_workspace(call: Answer, root: Path) -> None:
    """Also that of a global workflow, from another project."""
    call("host", "bind", "codex")
    skills = root / ".agents/skills"
    own = create(call)
    assert (skills / "mi-release").exists()
    call("workflow", "disable", own)
    assert not skills.exists()
    call("workflow", "enable", own)
    call("workflow", "delete", own)
    assert not (root / ".agents").exists()
    other = root.parent / "other"
    other.mkdir()
    made = call("workflow", "create", "--name", "Review it", "--scope", "global", "--cd", str(other))
    assert [one["workspace_root"] for one in made["synced"]] == [str(root)]
    assert (skills / "mi-review-it/SKILL.md").exists()
    kinds = [(one["kind"], one["reason"]) for one in call("tail", "-n", "9")]
    assert kinds[-1] == ("host_sync", "workflow.created")


@pytest.mark.req("v1.cli.workflow-auto-sync-off")
def test_changes_stay_at_home_when_that_is_configured(call: Answer, root: Path, home: Home) -> None:
    call("host", "bind", "codex")
    Path(home.config).write_text('{"runtime": {"workflows": {"auto_sync_on_change": false}}}')
    assert create(call)
    assert not (root / ".agents").exists()
    call("host", "sync")
    assert (root / ".agents/skills/mi-release").exists()


def test_a_users_own_skill_is_never_overwritten(mi: Mi, call: Answer, root: Path) -> None:
    create(call)
    mine = root / ".claude/skills/mi-release/SKILL.md"
    mine.parent.mkdir(parents=True)
    mine.write_text("mine\n")
    before = tree(root)
    told = call("host", "bind", "claude-code", code=1)
    assert ".claude/skills/mi-release is there already" in told
    assert tree(root) == before
    assert call("host", "list")["bindings"] == []
    call("workflow", "disable", call("workflow", "list")[0]["id"])
    call("host", "bind", "claude-code")
    done = mi("workflow", "enable", call("workflow", "list")[0]["id"], cwd=root)
    assert done.returncode == 0
    assert "was not brought up to date" in done.stderr
    assert mine.read_text() == "mine\n"
    assert call("host", "sync", code=1)["synced"][0]["ok"] is False


def test_two_projects_in_one_workspace(
    call: Answer, root: Path, repository: Callable[..., Path], tmp_path: Path
) -> None:
    other, space = repository("other"), tmp_path / "space"
    space.mkdir()
    before = tree(space)
    shared = create(call, "--scope", "global")
    for name, project in (("Ours", root), ("Theirs", other)):
        call("host", "bind", "openclaw", "--workspace", str(space), "--cd", str(project))
        made = call("workflow", "create", "--name", "Deploy", "--step", name, "--cd", str(project))
        assert [one["ok"] for one in made["synced"]] == [True]
    assert len(list((space / "skills").iterdir())) == 3  # the shared one is one, the two of one name are two
    path = tmp_path / "changed.json"
    path.write_text(
        json.dumps(call("workflow", "show", shared) | {"name": "Release", "steps": [{"id": "s1", "title": "New"}]})
    )
    done = call("workflow", "import", str(path), "--scope", "global", "--replace")
    assert [one["ok"] for one in done["synced"]] == [True, True]
    assert "New" in (space / "skills/mi-release/SKILL.md").read_text()
    assert all(not one["changed"] for one in call("host", "sync")["synced"])
    call("host", "unbind", "openclaw")
    assert (space / "skills/mi-release/SKILL.md").is_file()
    assert len(list((space / "skills").iterdir())) == 2
    link = tmp_path / "link"
    link.symlink_to(space)
    call("host", "unbind", "openclaw", "--workspace", str(link), "--cd", str(other))
    assert tree(space) == before


def damage(root: Path, home: Home) -> None:
    """A manifest that cannot be read."""
    Path(Workspace.at(str(root), home).manifest_path).write_text("{")


def test_one_workspace_that_cannot_be_cleared_keeps_no_other(
    call: Answer, root: Path, tmp_path: Path, home: Home
) -> None:
    create(call)
    space = tmp_path / "space"
    space.mkdir()
    call("host", "bind", "codex")
    call("host", "bind", "codex", "--workspace", str(space))
    damage(root, home)
    done = call("host", "unbind", "codex", code=1)["synced"]
    assert [one["ok"] for one in done] == [False, True]
    assert tree(space) == {}
    assert [one["workspace_root"] for one in call("host", "list")["bindings"]] == [str(root)]


def test_changes_at_the_same_time_all_arrive(call: Answer, root: Path) -> None:
    call("host", "bind", "codex")
    making = [Popen([MI, "workflow", "create", "--name", one], cwd=root, stdout=DEVNULL) for one in "abcdefgh"]
    assert [one.wait() for one in making] == [0] * 8
    assert sorted(one.name for one in (root / ".agents/skills").iterdir()) == [f"mi-{one}" for one in "abcdefgh"]
    assert len(call("host", "list")["bindings"][0]["register"]["symlink_dirs"]) == 8


def test_what_was_generated_is_made_anew_when_it_is_damaged(call: Answer, root: Path) -> None:
    create(call)
    before = tree(root)
    call("host", "bind", "claude-code")
    whole = tree(root)
    (root / ".mi/generated/claude-code/manifest.json").write_text("{")
    (root / ".mi/generated/claude-code/skills/mi-release/SKILL.md").unlink()
    call("host", "sync")
    assert tree(root) == whole
    (root / ".mi/generated/claude-code/manifest.json").write_text("[")
    call("host", "unbind", "claude-code")
    assert tree(root) == before


def test_a_workspace_that_is_gone_or_moved(mi: Mi, call: Answer, root: Path, tmp_path: Path) -> None:
    create(call)
    space = tmp_path / "space"
    space.mkdir()
    call("host", "bind", "openclaw", "--workspace", str(space))
    moved = space.rename(tmp_path / "moved")
    assert "moved or removed" in call("host", "bind", "codex", "--workspace", str(space), code=1)
    failed = call("host", "sync", code=1)["synced"][0]
    assert "moved or removed" in failed["error"]
    assert call("host", "list")["bindings"][0]["there"] is False
    assert (moved / "skills/mi-release/SKILL.md").exists()
    call("host", "bind", "openclaw", "--workspace", str(moved))
    assert [one["workspace_root"] for one in call("host", "list")["bindings"]] == [str(moved)]
    moved = moved.rename(tmp_path / "again")
    done = mi("host", "unbind", "openclaw", cwd=root)
    assert done.returncode == 0
    assert "is gone" in done.stderr
    call("uninstall", "--workspace", str(moved))
    assert tree(moved) == {}


@pytest.mark.parametrize(
    ("args", "code", "told"),
    [
        (["bind", "emacs"], 2, "openclaw, claude-code, codex"),
        (["unbind", "emacs"], 2, "openclaw, claude-code, codex"),
        (["unbind", "codex"], 1, "not bound"),
        (["bind", "codex", "--workspace", "nowhere"], 1, "nowhere"),
    ],
)
def test_mistakes_of_hosts_are_one_line(mi: Mi, root: Path, args: list[str], code: int, told: str) -> None:
    done = mi("host", *args, cwd=root)
    assert (done.returncode, done.stdout) == (code, "")
    assert told in done.stderr
    assert done.stderr.count("\n") == 1


@pytest.mark.req("mi.cli.uninstall-manifest")
def test_uninstall_takes_everything_out_of_everywhere(call: Answer, root: Path, tmp_path: Path, home: Home) -> None:
    """Of all projects, all owners and the user's own settings; what is in the home stays."""
    user = tmp_path / "user"
    (user / ".claude").mkdir()
    (user / ".claude/settings.json").write_text("{}")
    space = tmp_path / "space"
    space.mkdir()
    before = tree(root), tree(space), tree(user)
    hook = HookEntry(event="Stop", command="mi hook")
    place(Workspace.of_user(home), "hooks", list_artefacts("claude-code", [hook], "user"))
    server = McpEntry(name="mi", command="mi", args=["mcp", "serve"])
    place(Workspace.at(str(root), home), "mcp", list_artefacts("codex", [server]))
    create(call)
    call("host", "bind", "claude-code")
    call("host", "bind", "openclaw", "--workspace", str(space))
    gone = tmp_path / "gone"
    gone.mkdir()
    call("host", "bind", "codex", "--workspace", str(gone))
    shutil.rmtree(gone)
    would = call("uninstall", "--dry-run")
    assert would["applied"] is False
    assert {one["workspace_root"] for one in would["workspaces"]} == {str(root), str(space), str(user), str(gone)}
    call("uninstall")
    assert (tree(root), tree(space), tree(user)) == before
    assert call("uninstall")["workspaces"] == []
    assert call("host", "list")["bindings"] == []
    assert len(call("workflow", "list")) == 1


def test_a_manifest_that_cannot_be_read_keeps_no_other_workspace(call: Answer, tmp_path: Path, home: Home) -> None:
    create(call)
    spaces = [tmp_path / "one", tmp_path / "two"]
    for space in spaces:
        space.mkdir()
        call("host", "bind", "codex", "--workspace", str(space))
    damage(spaces[0], home)
    done = call("uninstall", code=1)["workspaces"]
    assert [bool(one["error"]) for one in done] == [True, False]
    assert tree(spaces[1]) == {}
    assert (spaces[0] / ".agents/skills/mi-release").exists()
    assert [one["workspace_root"] for one in call("host", "list")["bindings"]] == [str(spaces[0])]
