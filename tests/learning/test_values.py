import json
import os
import stat
from pathlib import Path

import pytest

from mi.evidence.log import EvidenceWriter
from mi.kernel.errors import MiError
from mi.kernel.notices import Notices
from mi.knowledge.thoughts.store import ThoughtStore
from mi.learning.values import BASE, RAW, ValuesChange, plan, set_values
from tests.disks import fill, small_disk


@pytest.fixture
def store(home, notices) -> ThoughtStore:
    return ThoughtStore(home.thoughts, "global", "", notices)


@pytest.fixture
def say(home, store, notices):
    """Sets the values as one command would."""

    def say(text: str, raw_only: bool = False) -> ValuesChange:
        return set_values(store, EvidenceWriter.for_command(home.evidence, notices), text, compiles=not raw_only)

    return say


def texts(store: ThoughtStore, tag: str = BASE) -> list[str]:
    return [claim.text for claim in store.active(tag)]


def stored(path: str) -> list[dict]:
    return [json.loads(line) for line in Path(path).read_bytes().splitlines()]


@pytest.mark.req(
    *["v1.tdb.values-set", "v1.cfg.values-set-payload", "v1.cfg.values-raw-claim", "v1.cli.values-claims-cite"],
    *["v1.storage.global-evidence", "v1.storage.global-evidence-provenance", "v1.storage.global-claims"],
)
def test_values_become_an_event_a_raw_claim_and_a_claim_per_sentence(home, store, say):
    text = "Keep changes small. 不要直接推送到 main。\n- Run the tests"
    change = say(text)
    (event,) = stored(home.path("global/evidence.jsonl"))
    assert (event["kind"], event["event_id"], event["values_text"]) == ("values_set", change.event_id, text)
    claims = stored(home.path("thoughtdb/global/claims.jsonl"))
    assert [(claim["tags"], claim["text"]) for claim in claims] == [
        ([RAW], text),
        ([BASE], "Keep changes small."),
        ([BASE], "不要直接推送到 main。"),
        ([BASE], "Run the tests"),
    ]
    for claim in claims:
        assert claim["source_refs"] == [{"kind": "evidence_event", "event_id": change.event_id}]
        assert (claim["claim_type"], claim["origin"], claim["scope"], claim["project_id"]) == (
            "preference",
            "user",
            "global",
            "",
        )
    assert [claim.text for claim in change.added] == texts(store)
    assert (change.kept, change.gone) == ([], [])


def test_values_set_anew_keep_what_is_said_again_and_take_back_the_rest(store, say):
    first = say("A stays. B goes.")
    second = say("C comes. A stays.")
    assert texts(store) == ["A stays.", "C comes."]
    assert [claim.claim_id for claim in second.kept] == [first.added[0].claim_id]
    assert [claim.text for claim in second.gone] == ["B goes."]
    assert texts(store, RAW) == ["C comes. A stays."]


def test_values_set_anew_erase_nothing(home, store, say):
    files = [home.evidence, store.files.claims]
    say("A one. B two.")
    before = [Path(path).read_bytes() for path in files]
    say("C three.")
    assert all(Path(path).read_bytes().startswith(old) for path, old in zip(files, before, strict=True))
    assert "A one." in [line.get("text") for line in stored(store.files.claims)]


def test_a_value_taken_back_can_be_said_again(store, say):
    first = say("A one. B two.")
    say("A one.")
    third = say("A one. B two.")
    assert texts(store) == ["A one.", "B two."]
    assert third.added[0].claim_id != first.added[1].claim_id
    say("B two.")
    assert texts(store) == ["B two."]


def test_saying_the_same_twice_changes_nothing_in_force(store, say):
    say("A one. B two.")
    again = say("A one. B two.")
    assert (len(again.kept), again.added, again.gone) == (2, [], [])
    assert texts(store) == ["A one.", "B two."]


def test_a_value_said_by_two_commands_at_once_stands_once_after_the_next(store, say):
    say("A one.")
    store.add_claims([store.new_claim("A one.", [BASE], "ev_other", "user")])
    assert texts(store) == ["A one.", "A one."]
    change = say("A one.")
    assert texts(store) == ["A one."]
    assert len(change.kept) == len(change.gone) == 1


def test_raw_only_keeps_the_text_and_the_values_in_force(store, say):
    say("A one.")
    change = say("B two. C three.", raw_only=True)
    assert texts(store) == ["A one."]
    assert texts(store, RAW) == ["B two. C three."]
    assert ([claim.text for claim in change.kept], change.added, change.gone) == (["A one."], [], [])


def test_planning_stores_nothing(home, store, say):
    patch = plan(store, "A one.")
    assert (patch.kept, [claim.text for claim in patch.new], patch.retracted) == ([], ["A one."], [])
    assert not home.exists()


@pytest.mark.parametrize("text", ["", "  \n\n", "---\n***", "…"])
def test_a_text_without_a_sentence_is_refused(home, say, text):
    with pytest.raises(MiError) as caught:
        say(text)
    assert caught.value.code == "empty-values"
    assert not home.exists()


SECRET = "ghp_" + "aB3dE5gH7jK9" * 3


@pytest.mark.parametrize("text", [f"Use {SECRET} to push.", f"Be kind.\npassword = hunter2-{SECRET[4:20]}"])
def test_values_with_a_secret_are_refused_before_anything_is_stored(home, say, text):
    with pytest.raises(MiError) as caught:
        say(text)
    assert caught.value.code == "secret-refused"
    assert SECRET[4:16] not in caught.value.line()
    assert not home.exists()


@pytest.mark.req("mi.log.fsync-before-stored")
def test_everything_is_on_the_disk_before_the_answer(home, store, say, monkeypatch):
    say("A one.")
    synced = []
    fsync = os.fsync

    def spy(fd: int) -> None:
        fsync(fd)
        synced.append((os.readlink(f"/proc/self/fd/{fd}"), os.fstat(fd).st_size))

    monkeypatch.setattr(os, "fsync", spy)
    say("B two.")
    last = dict(synced)
    for path in (home.evidence, store.files.claims, store.files.edges):
        assert last[path] == os.path.getsize(path)
    assert synced[0][0] == home.evidence


@pytest.mark.req("mi.fail.modes-0600", "mi.fail.modes-0700")
def test_everything_that_is_written_is_for_the_owner_alone(home, say):
    old = os.umask(0)
    try:
        say("A one.")
        say("B two.")
    finally:
        os.umask(old)
    modes = {
        (path.is_dir(), stat.S_IMODE(path.stat().st_mode)) for path in [Path(home.root), *Path(home.root).rglob("*")]
    }
    assert modes == {(True, 0o700), (False, 0o600)}


def test_a_full_disk_stores_no_half_of_the_values(tmp_path):
    """The event may stand without its claims: it says what was wished. A claim never stands without its event."""
    with small_disk(tmp_path / "disk", "256k") as disk:
        store = ThoughtStore(str(disk / "thoughtdb/global"), "global", "", Notices())
        log = str(disk / "global/evidence.jsonl")
        set_values(store, EvidenceWriter.for_command(log, Notices()), "A one.")
        fill(disk)
        with pytest.raises(OSError, match="space"):
            set_values(store, EvidenceWriter.for_command(log, Notices()), "B two. " + "C three. " * 3000)
        assert texts(store) == ["A one."]
        (disk / "ballast").unlink()
        set_values(store, EvidenceWriter.for_command(log, Notices()), "B two.")
        assert texts(store) == ["B two."]
        events = {event["event_id"] for event in stored(log)}
        assert {claim["source_refs"][0]["event_id"] for claim in stored(store.files.claims)} <= events


def test_bytes_that_are_no_text_do_not_stop_the_values(store, say):
    say("Caf\udce9 first.")
    assert texts(store) == ["Caf\ufffd first."]
    assert texts(store, RAW) == ["Caf\ufffd first."]


@pytest.mark.parametrize(
    ("text", "expected"), [("Be kind.", "Go by the values above"), ("先写测试。", "按以上价值观行事")]
)
def test_the_summary_is_in_the_persons_language(store, say, text, expected):
    say(text)
    (node,) = store.read().find("node")
    assert expected in node.raw["text"]
    assert "flowchart TD" in node.raw["text"]
    assert "{{" not in node.raw["text"]
