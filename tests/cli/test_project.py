"""`mi project` and the flags that say which project a command means, as a user gives them."""

import json
import os
from contextlib import closing
from pathlib import Path

import pytest

from tests.cli.conftest import Stage, tree
from tests.conftest import MI
from tests.terminals import Terminal


def chosen(mi, *args: str, **kwargs) -> tuple[str, str]:
    """The root and the rule, of `mi <global flags> project status <flags>`; flags of the command follow a `/`."""
    before, _, after = " ".join(args).partition("/ ")
    done = mi(*before.split(), "project", "status", "--json", *after.split(), **kwargs)
    assert done.returncode == 0, done.stderr
    shown = json.loads(done.stdout)
    return shown["root"], shown["chosen_by"]


@pytest.fixture
def places(tmp_path: Path, repository) -> dict[str, Path]:
    repo = repository()
    (repo / "sub").mkdir()
    named = {name: tmp_path / name for name in ("one", "two", "three")}
    for path in named.values():
        path.mkdir()
    return {"repo": repo, "sub": repo / "sub", **named}


@pytest.mark.req(
    "v1.cli.cd-flag",
    "v1.cli.cd-global",
    "v1.cli.cd-precedence",
    "v1.cli.here",
    "v1.cli.here-ignored",
    "v1.cli.env-mi-cd",
    "v1.cli.infer-git-top",
    "v1.cli.project-status-here",
)
def test_priority(mi, places):
    one, two, three, sub, repo = (str(places[name]) for name in ("one", "two", "three", "sub", "repo"))
    env = {"MI_CD": three}
    inside = {"cwd": places["sub"], "env": env}
    assert chosen(mi, f"-C {two} --here / --cd {one}", **inside) == (one, "cd")
    assert chosen(mi, f"-C {two} --here", **inside) == (two, "cd")
    assert chosen(mi, f"--cd {two} --here", **inside) == (two, "cd")
    assert chosen(mi, f"--here --cd={two}", **inside) == (two, "cd")
    assert chosen(mi, "--here", **inside) == (sub, "here")
    assert chosen(mi, **inside) == (three, "MI_CD")
    assert chosen(mi, cwd=places["sub"]) == (repo, "git")


@pytest.mark.req(
    "v1.cli.project-use",
    "v1.cli.project-pin",
    "v1.cli.project-unpin",
    "v1.cli.cd-last",
    "v1.cli.cd-pinned",
    "v1.cli.infer-nongit",
)
def test_use_pin_unpin(mi, places, stage: Stage):
    one, two = str(places["one"]), str(places["two"])
    assert chosen(mi) == (str(stage.root), "cwd")
    assert mi("project", "use", "--cd", one).stdout == f"@last is {one}\n"
    assert chosen(mi) == (one, "last")
    assert chosen(mi, "/ --cd @last", cwd=places["repo"]) == (one, "cd")
    assert mi("project", "pin", "--cd", two).stdout == f"@pinned is {two}\n"
    assert chosen(mi) == (two, "pinned")
    assert chosen(mi, "-C @pinned", cwd=places["repo"]) == (two, "cd")
    assert chosen(mi, env={"MI_CD": "@pinned"}, cwd=places["repo"]) == (two, "MI_CD")
    assert mi("project", "unpin").stdout == "@pinned is cleared\n"
    assert chosen(mi) == (one, "last")
    assert json.loads(mi("project", "use", "--cd", two, "--json").stdout)["root"] == two
    assert json.loads(mi("project", "pin", "--cd", one, "--json").stdout)["root"] == one
    assert json.loads(mi("project", "unpin", "--json").stdout) == {"pinned": None}


@pytest.mark.req("v1.cli.project-alias-add", "v1.cli.project-alias-rm", "v1.cli.project-alias-list", "v1.cli.cd-alias")
def test_aliases(mi, places):
    one, two = str(places["one"]), str(places["two"])
    assert "mi project alias add" in mi("project", "alias", "list").stdout
    assert mi("project", "alias", "add", "app", "--cd", one).stdout == f"@app is {one}\n"
    assert mi("project", "alias", "add", "@应用", "--cd", two).stdout == f"@应用 is {two}\n"
    assert chosen(mi, "/ --cd @app") == (one, "cd")
    assert chosen(mi, "-C @应用") == (two, "cd")
    assert mi("project", "alias", "list").stdout.splitlines() == [f"{'@app':<19} {one}", f"{'@应用':<17} {two}"]
    assert json.loads(mi("project", "alias", "list", "--json").stdout) == {"app": one, "应用": two}
    assert json.loads(mi("project", "alias", "rm", "@app", "--json").stdout) == {"removed": "app"}
    assert mi("project", "alias", "rm", "应用").stdout == "@应用 is forgotten\n"
    for args in (["project", "alias", "rm", "app"], ["status", "--cd", "@app"]):
        done = mi(*args)
        assert (done.returncode, done.stdout) == (1, "")
        assert done.stderr.startswith("mi: no project alias @app")


@pytest.mark.req("v1.cli.infer-subproject", "v1.storage.identity-monorepo")
def test_folder_of_a_monorepo_once_used(mi, places):
    repo, sub = str(places["repo"]), str(places["sub"])
    assert chosen(mi, cwd=places["sub"]) == (repo, "git")
    mi("--here", "settings", "set", "--scope", "project", "--ask-when-uncertain", "ask", cwd=places["sub"])
    assert chosen(mi, cwd=places["sub"]) == (sub, "subproject")
    assert chosen(mi, cwd=places["repo"]) == (repo, "git")
    ids = {
        json.loads(mi("project", "status", "--json", cwd=places[name]).stdout)["project_id"] for name in ("repo", "sub")
    }
    assert len(ids) == 2


@pytest.mark.req("v1.cli.infer-nongit")
def test_selected_folder_that_is_gone(mi, places, stage: Stage):
    mi("project", "pin", "--cd", str(places["one"]))
    places["one"].rmdir()
    done = mi("project", "status", "--json")
    assert json.loads(done.stdout)["root"] == str(stage.root)
    assert done.stderr == f"mi: @pinned points to {places['one']}, which is gone; passed over\n"
    done = mi("status", "--cd", "@pinned")
    assert (done.returncode, done.stdout) == (1, "")
    assert str(places["one"]) in done.stderr


@pytest.mark.parametrize(
    ("args", "env", "code"),
    [
        (["status", "--cd", "/no/such/folder"], {}, 1),
        (["-C", "/no/such/folder", "status"], {}, 1),
        (["status"], {"MI_CD": "/no/such/folder"}, 1),
        (["status", "--cd", "@last"], {}, 1),
        (["status"], {"MI_CD": "@nobody"}, 1),
        (["status", "--cd", ""], {}, 2),
        (["-C", "", "status"], {}, 2),
        (["-C"], {}, 2),
        (["--home", "", "status"], {}, 2),
        (["status", "--home", ""], {}, 2),
        (["project", "alias", "add", "last"], {}, 2),
        (["project", "alias", "add", "a b"], {}, 2),
        (["project"], {}, 2),
        (["project", "alias"], {}, 2),
        (["--hree", "status"], {}, 2),
    ],
)
def test_project_that_cannot_be_meant(mi, home, args, env, code):
    done = mi(*args, env=env)
    assert (done.returncode, done.stdout) == (code, "")
    assert done.stderr.startswith("mi: ")
    assert done.stderr.count("\n") == 1
    assert not os.path.exists(home.root)


def test_current_folder_that_is_gone(mi, tmp_path: Path):
    import subprocess

    from tests.conftest import MI

    script = f"mkdir gone && cd gone && rmdir ../gone && {MI} tail"
    done = subprocess.run(["sh", "-c", script], capture_output=True, encoding="utf-8", check=False, cwd=tmp_path)
    assert done.returncode == 1
    assert done.stderr == "mi: the current folder is gone (cd to another one)\n"


@pytest.mark.req("v1.cli.project-show", "v1.cli.project-show-json", "v1.overlay.file", "v1.storage.project-keyed")
def test_show(mi, stage: Stage, home):
    mi("settings", "set", "--scope", "project", "--ask-when-uncertain", "ask")
    overlay = json.loads(Path(stage.place.overlay).read_text("utf-8"))
    overlay["stack_hints"] = ["python"]
    overlay["hands_state"] = {"provider": "codex", "thread_id": "t-9", "updated_ts": ""}
    Path(stage.place.overlay).write_text(json.dumps(overlay), "utf-8")
    shown = mi("project", "show", "--cd", str(stage.root)).stdout
    for text in (str(stage.root), stage.project_id, f"path:{stage.root}", stage.place.overlay, stage.place.evidence):
        assert text in shown
    assert '["python"]' in shown
    assert "t-9" in shown
    assert "workflow_run" not in shown  # nothing to say of it
    as_json = json.loads(mi("project", "show", "--json").stdout)
    assert as_json["overlay"] == overlay
    assert as_json["paths"]["evidence"] == stage.place.evidence
    assert set(as_json["paths"]) == {
        *("home", "overlay", "evidence", "thoughtdb", "workflows", "hands_transcripts", "mind_transcripts"),
    }
    assert as_json["git"]["is_repo"] is False


def test_show_of_a_repository(mi, places):
    (places["repo"] / "new").write_text("", "utf-8")
    shown = mi("project", "show", cwd=places["repo"])
    assert "1 changed" in shown.stdout
    assert json.loads(mi("project", "show", "--json", cwd=places["repo"]).stdout)["git"]["head"]


@pytest.mark.req("v1.cli.project-status", "v1.cli.project-status-json")
def test_status(mi, places, stage: Stage):
    mi("project", "alias", "add", "app", "--cd", str(places["one"]))
    shown = mi("project", "status").stdout
    assert str(stage.root) in shown
    assert "the current folder" in shown
    assert "@app" in shown
    as_json = json.loads(mi("project", "status", "--json").stdout)
    assert as_json["root"] == str(stage.root)
    assert as_json["identity_key"] == f"path:{stage.root}"
    assert as_json["project_id"] == stage.project_id
    assert as_json["selections"]["aliases"]["app"]["root_path"] == str(places["one"])


@pytest.mark.req("mi.fail.git-processes", "mi.identity.cached")
def test_few_git_processes(mi, places, tmp_path: Path):
    asked = tmp_path / "asked"
    fake = tmp_path / "bin/git"
    fake.parent.mkdir()
    fake.write_text(f'#!/bin/sh\necho "$@" >>{asked}\nPATH={os.environ["PATH"]} exec git "$@"\n', "utf-8")
    fake.chmod(0o755)
    env = {"PATH": f"{fake.parent}:{os.environ['PATH']}"}
    mi("project", "use", cwd=places["repo"], env=env)
    first = len(asked.read_text("utf-8").splitlines())
    assert 0 < first <= 3
    for args in (["status"], ["tail"], ["project", "status"], ["settings", "show"], ["show", "ev_x"]):
        mi(*args, cwd=places["repo"], env=env)
    assert len(asked.read_text("utf-8").splitlines()) == first


def test_without_git_installed(mi, places):
    env = {"PATH": "/nowhere"}
    for args in (["status"], ["project", "show"], ["tail"], ["doctor"]):
        done = mi(*args, cwd=places["sub"], env=env)
        assert (done.returncode, done.stderr) == (0, "")
    assert f"path:{places['repo']}" in mi("project", "status", cwd=places["sub"], env=env).stdout


def test_folder_whose_name_is_not_utf8(mi, tmp_path: Path, home):
    root = Path(os.fsdecode(os.fsencode(tmp_path) + b"/b\xffd"))
    root.mkdir()
    for locale, commands in (("C.UTF-8", ["status", "tail", "doctor", "project show"]), ("C", ["status"])):
        env = {"LC_ALL": locale}
        for command in commands:
            done = mi(*command.split(), cwd=root, env=env)
            assert (done.returncode, done.stderr) == (0, "")
        assert json.loads(mi("status", "--json", cwd=root, env=env).stdout)["project"]["root"] == f"{tmp_path}/b\ufffdd"
    before = tree(home.root)
    for args in (["project", "pin"], ["settings", "set", "--scope", "project", "--ask-when-uncertain", "ask"]):
        done = mi(*args, cwd=root)
        assert (done.returncode, done.stdout) == (1, "")
        assert "not UTF-8" in done.stderr
        assert done.stderr.count("\n") == 1
    assert tree(home.root) == before


@pytest.mark.req("v1.cli.infer-nongit")
def test_no_work_begins_elsewhere_unasked(mi, tmp_path: Path, places):
    one, two = places["one"], places["two"]
    assert mi("project", "use", cwd=one).returncode == 0
    for words in (["run", "fix it"], ["queue", "add", "fix it"], ["race", "fix it"]):
        done = mi(*words, cwd=two)
        assert (done.returncode, done.stdout) == (2, "")
        assert done.stderr == (
            f"mi: the work would be done in {one} (@last), not in the current folder"
            " (name a folder by -C DIR, or take this one by --here)\n"
        )
    for words in (["--here", "run", "fix it"], ["-C", str(one), "run", "fix it"]):
        assert "not in the current folder" not in mi(*words, cwd=two).stderr
    inside = one / "deeper"
    inside.mkdir()
    assert "not in the current folder" not in mi("run", "fix it", cwd=inside).stderr


@pytest.mark.req("v1.cli.infer-nongit")
def test_a_command_that_reads_says_what_it_is_about(mi, places):
    one, two = places["one"], places["two"]
    assert mi("project", "use", cwd=one).returncode == 0
    about = f"mi: about {one} (@last); another project: -C DIR\n"
    assert mi("claim", "list", cwd=two).stderr == about
    assert mi("claim", "list", cwd=one).stderr == ""
    assert mi("claim", "list", "--json", cwd=two).stderr == ""
    assert mi("status", cwd=two).stderr == ""


@pytest.mark.parametrize(("typed", "code"), [("y", 1), ("n", 2)])
def test_a_person_is_asked_before_work_begins_elsewhere(mi, tmp_path: Path, places, typed, code):
    """With yes the run goes as far as finding no agent."""
    one, two = places["one"], places["two"]
    assert mi("project", "use", cwd=one).returncode == 0
    env = {"MI_HOME": str(tmp_path / "home"), "HOME": str(tmp_path / "user"), "PATH": "/usr/bin:/bin"}
    with closing(Terminal([str(MI), "run", "fix it"], two, **env)) as terminal:
        terminal.read_until(f"Work in {one} (@last)? [y/N]")
        terminal.type(typed + "\r")
        shown = terminal.finish(code)
    assert ("not in the current folder" in shown) is (typed == "n")
