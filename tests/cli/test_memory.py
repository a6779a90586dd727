"""`mi memory` and `mi search`, as installed."""

import json
import re
from collections.abc import Callable
from pathlib import Path

import pytest

from mi.app.home_context import HomeContext
from mi.evidence.log import EvidenceWriter
from mi.evidence.records.questions import UserInput
from mi.evidence.records.run import BatchEnd
from mi.evidence.records.thoughts import Snapshot
from mi.kernel.home import Home
from tests.conftest import Mi

VALUES = "Keep changes small. Run the tests before you say done. 上线之前必须先备份数据库。"


@pytest.fixture
def project(mi: Mi, repository: Callable[..., Path], home: Home) -> Path:
    """A project with values, a snapshot and an answered question."""
    path = repository("app")
    assert mi("init", "--values", VALUES).returncode == 0
    assert mi("project", "use", "--cd", str(path)).returncode == 0
    record(home, path, Snapshot(snapshot_id="sn_1", text="The gateway moved to envoy"))
    record(home, path, UserInput(question="Which port for the gateway?", answer="8443"))
    return path


def record(home: Home, path: Path, one: Snapshot | UserInput | BatchEnd) -> None:
    context = HomeContext(home, str(path))
    EvidenceWriter.for_command(context.project_home.evidence, context.notices).append(one)


@pytest.mark.req("mi.cli.memory-search", "mi.cli.search")
def test_memory_search_leaves_evidence_out_and_search_finds_everything(mi: Mi, project: Path) -> None:
    known = mi("memory", "search", "gateway", "--cd", str(project))
    assert known.returncode == 0
    assert "The gateway moved to envoy  sn_1" in known.stdout
    assert "8443" not in known.stdout
    everything = mi("search", "Which port does the gateway use?", "--cd", str(project)).stdout
    assert "Which port for the gateway? → 8443" in everything
    assert "sn_1" in everything


def test_evidence_is_found_as_a_person_reads_it(mi: Mi, project: Path, home: Home) -> None:
    """When, what kind, and the text that was asked for: no fields, no figures."""
    seen = {"marks": {"verified": True}, "transcript_excerpt": "$ make\nthe linker wants libfoo first\n"}
    record(home, project, BatchEnd(outcome="ended", last_message="Mended the build.", seen=seen))
    shown = mi("search", "Mended build", "--cd", str(project)).stdout
    assert re.search(r"^\d{4}-\d\d-\d\d \d\d:\d\d  batch_end      ended Mended the build\.  ev_\S+$", shown, re.M)
    inside = mi("search", "linker libfoo", "--cd", str(project)).stdout
    assert "  batch_end      ended Mended the build. … $ make the linker wants libfoo first  ev_" in inside
    assert "verified" not in shown + inside
    chinese = mi("search", "linker libfoo", "--cd", str(project), env={"MI_LANG": "zh"}).stdout
    assert "  批次结束       " in chinese
    as_json = json.loads(mi("search", "linker libfoo", "--cd", str(project), "--json", env={"MI_LANG": "zh"}).stdout)
    assert as_json["hits"][0]["kind"] == "evidence"
    assert as_json["hits"][0]["tags"] == ["batch_end"]


def test_a_secret_in_found_evidence_is_hidden_wherever_it_is_cut(mi: Mi, project: Path, home: Home) -> None:
    token = "ghp_" + "a1B2c3D4e5" * 4
    for before in ("x " * 2040, "x " * 20, ""):
        said = f"{before}GITHUB_TOKEN={token} linker {'y ' * 3000}{token}"
        record(home, project, BatchEnd(seen={"transcript_excerpt": said}))
    shown = mi("search", "linker", "--cd", str(project)).stdout
    assert shown.count("batch_end") == 3
    assert "a1B2c3D4" not in shown


@pytest.mark.req("mi.fail.recall-non-ascii")
def test_chinese_words_and_chinese_texts(mi: Mi, project: Path) -> None:
    done = mi("memory", "search", "怎么备份数据库？", "--limit", "1", env={"MI_LANG": "zh"})
    assert "上线之前必须先备份数据库。" in done.stdout
    assert "没有找到" in mi("memory", "search", "不存在", env={"MI_LANG": "zh"}).stdout
    status = mi("memory", "index", "status", env={"MI_LANG": "zh"}).stdout
    assert "后端" in status


@pytest.mark.req("mi.recall.tokens-quoted")
def test_syntax_characters_are_only_characters(mi: Mi, project: Path) -> None:
    for words in ('"', "C++ AND", "a:b", "NEAR(tests", "tests*", "'; --", "-x--", "^tests OR"):
        done = mi("search", "--cd", str(project), "--", words)
        assert done.returncode in (0, 2), words
        assert "a defect" not in done.stderr
    assert "tests" in mi("search", "--", "NOT tests*").stdout


def test_nothing_to_search_for_is_a_usage_error(mi: Mi, project: Path) -> None:
    done = mi("search", "?!")
    assert done.returncode == 2
    assert "nothing to search for in '?!'" in done.stderr
    assert mi("memory", "search").returncode == 2
    assert "--kind evidence" in mi("memory", "search", "x", "--kind", "evidence").stderr


@pytest.mark.parametrize("limit", ["-3", "many"])
def test_a_limit_that_is_none_is_a_usage_error(mi: Mi, project: Path, limit: str) -> None:
    done = mi("search", "x", "--limit", limit)
    assert (done.returncode, done.stdout) == (2, "")
    assert done.stderr == f"mi: --limit {limit!r}: give a number, 0 or more (see mi search --help)\n"
    assert mi("claim", "list", "--limit", limit).returncode == 2


def test_search_as_json(mi: Mi, project: Path) -> None:
    answer = json.loads(mi("search", "gateway envoy", "--json", "--cd", str(project), "--kind", "snapshot").stdout)
    assert answer["tokens"] == ["gateway", "envoy"]
    (hit,) = answer["hits"]
    assert (hit["id"], hit["kind"], hit["text"]) == ("sn_1", "snapshot", "The gateway moved to envoy")
    assert hit["event_ids"][0].startswith("ev_cli_")
    assert hit["corrected_by"] == ""


@pytest.mark.req("mi.recall.project-first")
def test_other_projects_only_when_asked_for(mi: Mi, project: Path, home: Home, repository: Callable[..., Path]) -> None:
    other = repository("other")
    assert mi("project", "use", "--cd", str(other)).returncode == 0
    record(home, other, Snapshot(snapshot_id="sn_2", text="The gateway elsewhere"))
    mine = mi("memory", "search", "gateway", "--cd", str(project))
    assert "sn_1" in mine.stdout
    assert "sn_2" not in mine.stdout
    both = mi("memory", "search", "gateway", "--cd", str(project), "--all-projects")
    assert "sn_1" in both.stdout
    assert "sn_2" in both.stdout


@pytest.mark.req("mi.fail.recall-retracted", "mi.recall.correction-outranks", "v1.tdb.indexed-claims")
def test_values_that_no_longer_stand_are_not_found(mi: Mi, project: Path) -> None:
    assert "Run the tests" in mi("memory", "search", "tests").stdout
    mi("values", "set", "--text", "Keep changes small. Never push.")
    assert "Run the tests" not in mi("memory", "search", "tests").stdout
    taken_back = mi("memory", "search", "tests", "--corrected").stdout
    assert "Run the tests before you say done. (taken back)" in taken_back


@pytest.mark.req("v1.tdb.values-raw-excluded", "mi.inject.raw-never-recalled")
def test_the_raw_text_of_the_values_is_no_memory(mi: Mi, project: Path) -> None:
    hits = json.loads(mi("memory", "search", VALUES, "--json", "--limit", "50").stdout)["hits"]
    assert [hit for hit in hits if "values:raw" in hit["tags"]] == []
    assert {hit["text"] for hit in hits} >= {"Keep changes small.", "Run the tests before you say done."}


@pytest.mark.req(
    "v1.cli.memory-index-status", "v1.cli.memory-index-backend", "v1.cli.memory-backend-default", "v1.recall.index-file"
)
def test_index_status(mi: Mi, project: Path, home: Home) -> None:
    before = mi("memory", "index", "status").stdout
    assert "backend    sqlite_fts" in before
    assert "not made yet" in before
    mi("search", "gateway", "--cd", str(project))
    after = mi("memory", "index", "status").stdout
    assert home.memory_index in after
    assert "3 claim" in after
    assert "1 snapshot" in after
    status = json.loads(mi("memory", "index", "status", "--json").stdout)
    assert (status["backend"], status["behind"], status["exists"]) == ("sqlite_fts", 0, True)
    assert status["documents"]["claim"] == 3


@pytest.mark.req("v1.cli.memory-backend-env", "mi.env.memory-backend")
def test_the_backend_of_the_environment_is_used_and_named(mi: Mi, project: Path, home: Home) -> None:
    env = {"MI_MEMORY_BACKEND": "in_memory"}
    assert "backend    in_memory" in mi("memory", "index", "status", env=env).stdout
    assert "sn_1" in mi("memory", "search", "gateway", "--cd", str(project), env=env).stdout
    assert not Path(home.memory_index).exists()
    wrong = mi("memory", "index", "status", env={"MI_MEMORY_BACKEND": "faiss"})
    assert wrong.returncode == 2
    assert "'faiss': unknown memory backend; there are: sqlite_fts, in_memory" in wrong.stderr


@pytest.mark.req("v1.cli.memory-index-rebuild", "v1.cli.memory-index-no-snapshots", "v1.recall.index-rebuild")
def test_index_rebuild(mi: Mi, project: Path, home: Home) -> None:
    Path(home.indexes).mkdir(exist_ok=True)
    Path(home.memory_index).write_bytes(b"rubbish" * 1000)
    done = mi("memory", "index", "rebuild")
    assert (done.returncode, done.stderr) == (0, "")
    assert "The memory index is built again" in done.stdout
    assert "sn_1" in mi("memory", "search", "gateway", "--cd", str(project)).stdout
    without = json.loads(mi("memory", "index", "rebuild", "--no-snapshots", "--json").stdout)
    assert "snapshot" not in without["documents"]
    assert "sn_1" not in mi("memory", "search", "gateway", "--cd", str(project)).stdout


def test_a_damaged_index_is_said_once_and_mended(mi: Mi, project: Path, home: Home) -> None:
    mi("memory", "search", "gateway", "--cd", str(project))
    Path(home.memory_index).write_bytes(b"rubbish" * 1000)
    mended = mi("memory", "search", "gateway", "--cd", str(project))
    assert "sn_1" in mended.stdout
    assert "was damaged" in mended.stderr
    assert mi("memory", "search", "gateway", "--cd", str(project)).stderr == ""


def test_searching_a_home_that_is_not_there(mi: Mi, home: Home) -> None:
    done = mi("search", "anything")
    assert (done.returncode, done.stderr) == (0, "")
    assert "Nothing found for: anything" in done.stdout
    assert not home.exists()


def test_no_limit_shows_all(mi: Mi, project: Path, home: Home) -> None:
    for number in range(12):
        record(home, project, BatchEnd(outcome="ended", last_message=f"Mended part {number}."))
    shown = [mi("search", "mended", "--limit", limit, "--cd", str(project)).stdout for limit in ("0", "10")]
    assert [one.count("Mended part") for one in shown] == [12, 10]
