"""`mi uninstall --purge` deletes what MI made in its home and nothing else, wherever that home is."""

import json
import os
import pty
import subprocess
from pathlib import Path

import pytest

from tests.conftest import MI

ID = "0123456789abcdef"
MARKER = ".mi-home.jsonl"
Tree = dict[str, bytes | str]


def tree(root: Path) -> Tree:
    """Every path below a folder: the bytes of a file, where a link leads, nothing of a folder."""
    found: Tree = {}
    for path in root.rglob("*"):
        name = str(path.relative_to(root))
        found[name] = os.readlink(path) if path.is_symlink() else path.read_bytes() if path.is_file() else ""
    return found


def put(root: Path, **texts: str) -> Tree:
    """Somebody's own files, given with `__` for `/`."""
    for name, text in texts.items():
        path = root / name.replace("__", "/").replace("_json", ".json")
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(text, "utf-8")
    return tree(root)


def marked(root: Path, *made: str) -> Path:
    root.mkdir(parents=True, exist_ok=True)
    lines = [{"mi_home": "v1", "id": "hm_1", "ts": "2026-01-01T00:00:00.000Z"}, *({"made": one} for one in made)]
    (root / MARKER).write_text("".join(json.dumps(one) + "\n" for one in lines), "utf-8")
    return root


def purge(mi, home: Path, *more: str):
    return mi("--home", str(home), "uninstall", "--purge", "--yes", *more)


@pytest.fixture
def theirs(tmp_path) -> Path:
    """A person's folder with names that MI has, too."""
    root = tmp_path / "theirs"
    put(root, projects__site__index="x", backups__old="x", demo__project__talk="x", workflows__global__ci="x")
    put(root, config_json='{"a": 1}', global__notes="x", persona__cards__me="x", thoughtdb__x="x", Documents__cv="x")
    return root


@pytest.mark.req("mi.cli.uninstall")
@pytest.mark.parametrize("flags", [["--yes"], ["--dry-run"], ["--yes", "--json"], []])
def test_a_folder_that_is_no_home_is_refused(mi, theirs, flags):
    before = tree(theirs)
    done = mi("--home", ".", "uninstall", "--purge", *flags, cwd=theirs)
    assert done.returncode == 2
    assert str(theirs) in done.stderr
    assert "mi --home <folder> uninstall --purge" in done.stderr
    assert len(done.stderr.splitlines()) == 1
    assert tree(theirs) == before


def test_the_file_system_itself_is_refused(mi):
    assert mi("uninstall", "--purge", "--yes", env={"MI_HOME": "/"}).returncode == 2


@pytest.mark.parametrize("where", ["theirs", "user", "repository"])
def test_a_home_among_other_things_leaves_them(mi, theirs, tmp_path, repository, where):
    """Also the user's own folder, and a project's repository that is its own home."""
    home = {"theirs": theirs, "user": tmp_path / "user"}.get(where) or repository("app")
    put(home, projects__site__index="x", global__notes="x", backups__old="x", config_json="{}")
    before = tree(home)
    for words in (
        ["init", "--values", "Keep it small."],
        ["config", "apply-template", "rules"],
        ["workflow", "create", "--name", "Ship", "--step", "Write the changelog"],
        ["search", "small"],
    ):
        done = mi("--home", str(home), "-C", str(home), *words)
        assert done.returncode == 0, done.stderr
    made = set(tree(home)) - set(before)
    assert "global/evidence.jsonl" in made
    config = (home / "config.json").read_bytes()
    would = json.loads(purge(mi, home, "--dry-run", "--json").stdout)
    assert {os.path.relpath(one, home) for one in would["deleted"]} == made
    done = purge(mi, home)
    assert done.returncode == 0, done.stderr
    assert tree(home) == before | {"config.json": config}


def test_only_what_a_project_made_goes_from_a_folder_of_projects(mi, tmp_path, monkeypatch):
    home = tmp_path / "theirs"
    before = put(home, projects__site__index="x")
    monkeypatch.setenv("MI_HOME", str(home))
    mi("workflow", "create", "--name", "Ship", "--step", "Write the changelog")
    made = [json.loads(line).get("made", "") for line in (home / MARKER).read_text("utf-8").splitlines()]
    assert "projects" not in made
    assert any(one.startswith("projects/") for one in made)
    assert purge(mi, home).returncode == 0
    assert tree(home) == before


def test_what_a_person_put_into_mis_folders_stays_and_is_named(mi, tmp_path):
    home = tmp_path / "home"
    mi("init", "--values", "Keep it small.")
    mi("workflow", "create", "--name", "Ship", "--step", "Write the changelog")
    project = next((home / "projects").iterdir())
    (home / "notes.txt").write_text("mine", "utf-8")
    (project / "my-notes.md").write_text("mine", "utf-8")
    (home / "global/sub").mkdir()
    (home / "global/sub/config.json").write_text("mine", "utf-8")
    would = purge(mi, home, "--dry-run")
    assert "my-notes.md" not in would.stdout
    done = purge(mi, home)
    assert done.returncode == 0
    for shown in (would.stderr, done.stderr):
        assert all(one in shown for one in (f"{home}/notes.txt", f"{project}/my-notes.md", f"{home}/global/sub"))
    assert {name for name, data in tree(home).items() if data} == {
        "notes.txt",
        f"projects/{project.name}/my-notes.md",
        "global/sub/config.json",
    }


def test_nobody_is_asked_where_nobody_is(mi, tmp_path):
    mi("init", "--values", "Keep it small.")
    before = tree(tmp_path / "home")
    for flags in ([], ["--json"]):
        done = mi("uninstall", "--purge", *flags)
        assert done.returncode == 3
        assert "--yes" in done.stderr
        assert "--dry-run" in done.stderr
    assert tree(tmp_path / "home") == before


@pytest.mark.parametrize(("word", "code"), [("y", 0), ("n", 3), ("", 3), ("yes, but later", 3)])
def test_a_person_sees_the_paths_and_is_asked(mi, tmp_path, word, code):
    mi("init", "--values", "Keep it small.")
    home = tmp_path / "home"
    terminal, end = pty.openpty()
    process = subprocess.Popen([str(MI), "uninstall", "--purge"], stdin=end, stdout=end, stderr=end)
    os.close(end)
    shown = b""
    with os.fdopen(terminal, "r+b", buffering=0) as screen:
        while b"[y/N]" not in shown:
            shown += screen.read(65536)
        assert (home / "global/evidence.jsonl").is_file()
        screen.write(word.encode() + b"\n")
        try:
            while screen.read(65536):
                pass
        except OSError:
            pass  # the other end is closed: the command is over
    assert process.wait(60) == code
    assert str(home / "global/evidence.jsonl") in shown.decode()
    assert home.exists() == (code != 0)


def test_an_agent_does_not_say_yes_for_the_person(mi, tmp_path):
    mi("init", "--values", "Keep it small.")
    done = mi("uninstall", "--purge", "--yes", env={"CLAUDECODE": "1"})
    assert done.returncode == 3
    assert (tmp_path / "home/global").is_dir()


def test_the_dry_run_lists_what_goes_and_changes_nothing(mi, tmp_path):
    mi("init", "--values", "Keep it small.")
    home = tmp_path / "home"
    before = tree(home)
    shown = mi("uninstall", "--purge", "--dry-run").stdout.splitlines()
    assert set(shown[:-1]) == {str(home), *(str(home / name) for name in before)}
    assert tree(home) == before
    assert json.loads(purge(mi, home, "--json").stdout)["deleted"] == shown[:-1]
    assert not home.exists()


def test_a_link_to_the_home_goes_with_it(mi, tmp_path, monkeypatch):
    link, real = tmp_path / "link", tmp_path / "real"
    real.mkdir()
    link.symlink_to("real")
    monkeypatch.setenv("MI_HOME", str(link))
    mi("init", "--values", "Keep it small.")
    (real / "mine.txt").write_text("mine", "utf-8")
    assert purge(mi, link).returncode == 0
    assert tree(real) == {"mine.txt": b"mine"}
    assert link.is_symlink()
    (real / "mine.txt").unlink()
    mi("init", "--values", "Keep it small.")
    assert str(link) in purge(mi, link, "--dry-run").stdout.splitlines()
    assert purge(mi, link).returncode == 0
    assert not real.exists()
    assert not link.is_symlink()


def test_links_in_the_home_are_never_followed(mi, theirs, tmp_path):
    before, home = tree(theirs), tmp_path / "home"
    mi("init", "--values", "Keep it small.")
    (theirs / "evidence.jsonl").write_text("theirs", "utf-8")
    before["evidence.jsonl"] = b"theirs"
    (home / "global/evidence.jsonl").unlink()
    (home / "global/evidence.jsonl").symlink_to(theirs / "evidence.jsonl")
    (home / "thoughtdb/global").rename(tmp_path / "moved")
    (home / "thoughtdb/global").symlink_to(tmp_path / "moved")
    moved = tree(tmp_path / "moved")
    (home / "global/mine").symlink_to(theirs)
    done = purge(mi, home)
    assert done.returncode == 0, done.stderr
    assert tree(theirs) == before
    assert tree(tmp_path / "moved") == moved
    assert tree(home) == {"global": "", "global/mine": str(theirs)}


@pytest.mark.parametrize(
    "listed",
    [
        "../theirs/config.json",
        "projects/../../theirs/config.json",
        "{theirs}/config.json",
        "",
        ".",
        "..",
        "/",
        "projects//../../theirs",
        "projects\0",
        "Documents",
        "projects/site",
        "demo",
        "demo/project",
        "linked/config.json",
        "projects/" + ID + "/overlay.json",
        "thoughtdb/global/claims.jsonl",
    ],
)
def test_a_forged_marker_leads_nowhere(mi, theirs, tmp_path, listed):
    outside = tmp_path / "outside"
    put(outside, config_json="{}", overlay_json="{}", claims="x")
    (outside / "claims").rename(outside / "claims.jsonl")
    (theirs / "linked").symlink_to(outside)
    (theirs / "projects" / ID).symlink_to(outside)
    (theirs / "thoughtdb/global").symlink_to(outside)
    before = tree(theirs), tree(outside)
    marked(theirs, listed.replace("{theirs}", str(theirs)))
    done = purge(mi, theirs)
    assert done.returncode == 0, done.stderr
    assert (tree(theirs), tree(outside)) == before


def test_a_marker_that_is_a_link_or_nonsense_is_none(mi, theirs, tmp_path):
    real = marked(tmp_path / "real", "config.json") / MARKER
    (theirs / MARKER).symlink_to(real)
    before = tree(theirs)
    assert purge(mi, theirs).returncode == 2
    (theirs / MARKER).unlink()
    for text in ("", "[]\n", '{"made": "config.json"}\n', "\xff\x00", '{"mi_home": 1, "id": 2}\n'):
        (theirs / MARKER).write_text(text, "latin-1")
        assert purge(mi, theirs).returncode == 2
        (theirs / MARKER).unlink()
        before.pop(MARKER, None)
        assert tree(theirs) == before


def test_a_demo_of_the_persons_is_left_alone(mi, tmp_path, monkeypatch):
    home = tmp_path / "theirs"
    before = put(home, demo__project__talk="x")
    monkeypatch.setenv("MI_HOME", str(home))
    for flags in ([], ["--clean"]):
        done = mi("demo", *flags)
        assert done.returncode == 1
        assert str(home / "demo") in done.stderr
    assert tree(home) == before


def test_a_demo_goes_and_what_takes_its_place_stays(mi, tmp_path):
    home = tmp_path / "home"
    for _ in range(2):
        assert mi("demo").returncode == 0
    assert mi("demo", "--clean").returncode == 0
    assert not (home / "demo").exists()
    put(home, demo__project__talk="x")
    assert purge(mi, home).returncode == 0
    assert (home / "demo/project/talk").read_text("utf-8") == "x"


def test_a_whole_demo_goes_with_the_home(mi, tmp_path):
    assert mi("demo").returncode == 0
    assert purge(mi, tmp_path / "home").returncode == 0
    assert not (tmp_path / "home").exists()


@pytest.fixture
def old(mi, tmp_path) -> Path:
    """A home as 0.1 left it: everything but the marker."""
    mi("config", "init")
    mi("init", "--values", "Keep it small.")
    mi("workflow", "create", "--name", "Ship", "--step", "Write the changelog")
    home = tmp_path / "home"
    (home / MARKER).unlink()
    return home


def test_a_home_of_the_last_version_is_adopted_at_the_first_write(mi, old):
    assert mi("values", "show").stderr == ""
    assert not (old / MARKER).exists()
    done = mi("init", "--values", "Keep it simple.")
    assert done.stderr.count(MARKER) == 1
    assert mi("init", "--values", "Keep it smaller.").stderr == ""
    made = {json.loads(line).get("made") for line in (old / MARKER).read_text("utf-8").splitlines()}
    assert made >= {"config.json", "global", "projects", "thoughtdb", "indexes"}
    assert purge(mi, old).returncode == 0
    assert not old.exists()


def test_a_configuration_written_by_hand_begins_a_home_quietly(mi, tmp_path):
    home = tmp_path / "home"
    put(home, config_json='{"mind": {"provider": "rules"}}')
    done = mi("init", "--values", "Keep it small.")
    assert (done.returncode, done.stderr) == (0, "")
    assert purge(mi, home).returncode == 0
    assert not home.exists()


def test_a_home_of_the_last_version_among_other_things(mi, old):
    mine = put(old / "projects/site", index="x", overlay_json='{"project_id": "site"}')
    put(old / "projects" / ID, index="x", overlay_json='{"name": "a project of mine"}')
    put(old, demo__project__talk="x", backups__photos="x", persona__cards__me="x", workflows__global__ci_json="{}")
    put(old, indexes__agents_json="no JSON", notes="x")
    shown = purge(mi, old, "--dry-run")
    assert not (old / MARKER).exists()
    assert "site" not in shown.stdout
    assert purge(mi, old).returncode == 0
    assert tree(old / "projects/site") == mine
    assert {name for name, data in tree(old).items() if data} == {
        *("projects/site/index", "projects/site/overlay.json", "demo/project/talk", "backups/photos"),
        *("persona/cards/me", "workflows/global/ci.json", "indexes/agents.json", "notes"),
        *(f"projects/{ID}/index", f"projects/{ID}/overlay.json"),
    }
