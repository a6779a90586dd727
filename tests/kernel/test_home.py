"""The storage layout. The list below is the seed's; `view.snapshot.json` is our `view.sqlite`."""

import os
from pathlib import Path

import pytest

from mi.kernel.home import Home, ProjectHome, ThoughtFiles, find_default_root, make_dirs

ID = "0123456789abcdef"


@pytest.mark.req("v1.storage.home-default")
def test_the_home_is_in_the_users_folder(monkeypatch, tmp_path):
    monkeypatch.delenv("MI_HOME")
    assert find_default_root() == str(tmp_path / "user/.mind-incarnation")
    monkeypatch.setenv("MI_HOME", "")
    assert find_default_root() == str(tmp_path / "user/.mind-incarnation")


@pytest.mark.req("v1.storage.home-env")
def test_the_environment_names_another_home(monkeypatch):
    monkeypatch.setenv("MI_HOME", "/elsewhere/mi")
    assert find_default_root() == "/elsewhere/mi"


def test_a_home_is_an_absolute_path_whatever_was_said(tmp_path):
    assert Home("~/mine").root == str(tmp_path / "user/mine")
    assert Home("mine").root == str(tmp_path / "work/mine")


def layout(home: Home, project: ProjectHome) -> dict[str, str]:
    """Each path of the seed's list with the name the code has for it; `<ts>` and `*` stand for one of their kind."""
    whole, own = ThoughtFiles(home.thoughts), ThoughtFiles(project.thoughts)
    return {
        "config.json": home.config,
        "backups/config.json.<ts>.bak": os.path.join(home.backups, "config.json.<ts>.bak"),
        "backups/config.last_backup": home.last_backup,
        "global/evidence.jsonl": home.evidence,
        "global/project_selection.json": home.selection,
        "global/transcripts/mind/*.jsonl": os.path.join(home.mind_transcripts, "*.jsonl"),
        "thoughtdb/global/claims.jsonl": whole.claims,
        "thoughtdb/global/edges.jsonl": whole.edges,
        "thoughtdb/global/nodes.jsonl": whole.nodes,
        "thoughtdb/global/view.sqlite": whole.view,
        "thoughtdb/global/archive/<ts>/*.jsonl.gz": os.path.join(whole.archive, "<ts>/*.jsonl.gz"),
        "thoughtdb/global/archive/<ts>/manifest.json": os.path.join(whole.archive, "<ts>/manifest.json"),
        "workflows/global/wf_*.json": os.path.join(home.workflows, "wf_*.json"),
        "indexes/memory.sqlite": home.memory_index,
        "indexes/evidence.sqlite": home.evidence_index,
        f"projects/{ID}/overlay.json": project.overlay,
        f"projects/{ID}/evidence.jsonl": project.evidence,
        f"projects/{ID}/segment_state.json": project.segment_state,
        f"projects/{ID}/thoughtdb/claims.jsonl": own.claims,
        f"projects/{ID}/thoughtdb/edges.jsonl": own.edges,
        f"projects/{ID}/thoughtdb/nodes.jsonl": own.nodes,
        f"projects/{ID}/thoughtdb/view.sqlite": own.view,
        f"projects/{ID}/thoughtdb/archive/<ts>/*.jsonl.gz": os.path.join(own.archive, "<ts>/*.jsonl.gz"),
        f"projects/{ID}/thoughtdb/archive/<ts>/manifest.json": os.path.join(own.archive, "<ts>/manifest.json"),
        f"projects/{ID}/workflows/*.json": os.path.join(project.workflows, "*.json"),
        f"projects/{ID}/workflow_candidates.json": project.workflow_candidates,
        f"projects/{ID}/preference_candidates.json": project.preference_candidates,
        f"projects/{ID}/transcripts/hands/*.jsonl": os.path.join(project.hands_transcripts, "*.jsonl"),
        f"projects/{ID}/transcripts/mind/*.jsonl": os.path.join(project.mind_transcripts, "*.jsonl"),
        f"projects/{ID}/run.lock": project.run_lock,
    }


@pytest.mark.req("mi.log.paths-walked", "v1.storage.project-keyed")
def test_every_path_of_the_storage_layout_has_that_name(home):
    paths = layout(home, home.project(ID))
    assert len(paths) == 30
    assert paths == {name: os.path.join(home.root, name) for name in paths}


@pytest.mark.req("mi.pre.later-seed-stands")
def test_the_layout_knows_no_file_of_the_earlier_seed(home):
    paths = " ".join(layout(home, home.project(ID)).values())
    assert "mindspec" not in paths
    assert "learned" not in paths


def test_asking_for_names_creates_nothing(home):
    layout(home, home.project(ID))
    assert not home.exists()


def test_references_are_relative_to_the_home(home):
    assert home.relative(home.evidence) == "global/evidence.jsonl"
    assert home.relative(os.path.join(home.root, "..kept", "file")) == "..kept/file"
    assert home.relative(os.path.dirname(home.root)) == os.path.dirname(home.root)
    assert home.relative("/elsewhere/file.jsonl") == "/elsewhere/file.jsonl"


@pytest.mark.req("mi.fail.modes-0700")
@pytest.mark.parametrize("umask", [0o000, 0o022, 0o077])
def test_folders_are_for_the_owner_alone(tmp_path, umask):
    old = os.umask(umask)
    try:
        make_dirs(str(tmp_path / "home/a/b"))
    finally:
        os.umask(old)
    modes = [path.stat().st_mode & 0o777 for path in (tmp_path / "home", tmp_path / "home/a", tmp_path / "home/a/b")]
    assert modes == [0o700] * 3


def test_a_folder_that_is_there_is_left_as_it_is(tmp_path):
    (tmp_path / "shared").mkdir(mode=0o755)
    make_dirs(str(tmp_path / "shared"))
    assert (tmp_path / "shared").stat().st_mode & 0o777 == 0o755


def test_a_file_in_the_way_of_a_folder_is_an_error(tmp_path: Path):
    (tmp_path / "home").write_text("not a folder", "utf-8")
    with pytest.raises(FileExistsError):
        make_dirs(str(tmp_path / "home"))
    with pytest.raises(FileExistsError):
        make_dirs(str(tmp_path / "home/global"))
