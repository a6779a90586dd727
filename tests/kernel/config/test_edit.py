import json
import os
import time
from pathlib import Path

import pytest

from mi.kernel.config import edit
from mi.kernel.config.load import load
from mi.kernel.config.types import Config
from mi.kernel.errors import BadConfig, MiError, NotFound, StorageError


@pytest.fixture
def config(home, tmp_path) -> Path:
    (tmp_path / "home").mkdir()
    return tmp_path / "home/config.json"


@pytest.mark.req("v1.storage.config-json")
def test_init_writes_every_default(home):
    assert edit.init(home, force=False) == ""
    stored = json.loads(Path(home.config).read_text("utf-8"))
    assert {"hands", "mind", "runtime"} <= set(stored)
    assert "preflight" not in stored["governance"]  # what the profile sets is the profile's
    assert stored["runtime"]["interrupt"]["escalation_ms"] == [2000, 5000]
    assert load(home.config) == (Config(), [])
    assert Path(home.config).stat().st_mode & 0o777 == 0o600


def test_init_replaces_only_by_force_and_keeps_what_it_replaces(home, config):
    config.write_text("{ broken", "utf-8")
    with pytest.raises(MiError) as caught:
        edit.init(home, force=False)
    assert caught.value.code == "config-exists"
    kept_in = edit.init(home, force=True)
    assert Path(kept_in).read_text("utf-8") == "{ broken"
    assert load(home.config).problems == []


@pytest.mark.req("v1.storage.config-backup", "v1.storage.config-last-backup")
def test_a_template_is_merged_and_rolled_back(home, config):
    before = '{"hands": {"provider": "claude", "codex": {"args": ["--x"]}}, "mine": {"kept": 1}}'
    config.write_text(before, "utf-8")
    kept_in = edit.apply_template(home, "codex")
    merged = json.loads(config.read_text("utf-8"))
    assert merged["hands"] == {"provider": "codex", "codex": {"args": ["--x"]}}
    assert merged["mine"] == {"kept": 1}
    assert Path(kept_in).parent == Path(home.backups)
    assert Path(home.last_backup).read_text("utf-8").strip() == os.path.basename(kept_in)
    assert edit.roll_back(home) == kept_in
    assert config.read_text("utf-8") == before
    assert not Path(home.last_backup).exists()
    with pytest.raises(MiError) as caught:
        edit.roll_back(home)
    assert caught.value.code == "nothing-to-roll-back"


def test_a_rollback_keeps_what_was_edited_since(home, config):
    config.write_text('{"language": "en"}', "utf-8")
    edit.apply_template(home, "rules")
    config.write_text('{"language": "zh", "notify": "edited since"}', "utf-8")
    edit.roll_back(home)
    assert json.loads(config.read_text("utf-8")) == {"language": "en"}
    kept = [path.read_text("utf-8") for path in Path(home.backups).glob("*.bak")]
    assert '{"language": "zh", "notify": "edited since"}' in kept


def test_without_a_file_a_template_starts_one(home):
    edit.apply_template(home, "rules")
    assert load(home.config).config.mind.provider == "rules"
    edit.roll_back(home)
    assert load(home.config) == (Config(), [])


def test_backups_of_the_same_moment_are_all_kept(home, config, monkeypatch):
    monkeypatch.setattr(time, "time_ns", lambda: 1_800_000_000_000_000_000)
    for number in range(20):
        config.write_text(f'{{"notify": "{number}"}}', "utf-8")
        edit.init(home, force=True)
    kept = {path.read_text("utf-8") for path in Path(home.backups).glob("config.json.*.bak")}
    assert kept == {f'{{"notify": "{number}"}}' for number in range(20)}


def test_a_malformed_file_is_not_merged_into(home, config):
    config.write_text("{ broken", "utf-8")
    with pytest.raises(BadConfig):
        edit.apply_template(home, "rules")
    assert config.read_text("utf-8") == "{ broken"


def test_an_unknown_template_names_those_there_are(home):
    with pytest.raises(NotFound) as caught:
        edit.apply_template(home, "gemini")
    assert "deepseek" in caught.value.line()
    assert not home.exists()


@pytest.mark.parametrize("marker", [b"config.json.gone.bak\n", b"\xff\xfe", b"../../outside"])
def test_a_backup_that_is_gone_changes_nothing(home, config, marker):
    config.write_text("{}", "utf-8")
    (config.parent.parent / "outside").write_text("not ours", "utf-8")
    edit.apply_template(home, "rules")
    before = config.read_bytes()
    Path(home.last_backup).write_bytes(marker)
    with pytest.raises(StorageError) as caught:
        edit.roll_back(home)
    assert caught.value.code == "backup-missing"
    assert config.read_bytes() == before


@pytest.mark.parametrize(
    ("base", "part", "merged"),
    [
        ({}, {"a": 1}, {"a": 1}),
        ({"a": {"b": 1, "c": 2}}, {"a": {"b": 3}}, {"a": {"b": 3, "c": 2}}),
        ({"a": "text"}, {"a": {"b": 1}}, {"a": {"b": 1}}),
        ({"a": {"b": 1}}, {"a": []}, {"a": []}),
        ({"a": [1, 2]}, {"a": [3]}, {"a": [3]}),
    ],
)
def test_merging_goes_object_by_object(base, part, merged):
    before = json.dumps(base)
    assert edit.merge(base, part) == merged
    assert json.dumps(base) == before
