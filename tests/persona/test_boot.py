"""Booting: the order, what stops it, what is read of whom, and what a run is told of it."""

import os
import re
import time
from pathlib import Path

import pytest

from mi.kernel.errors import MiError, NotFound, UsageError
from mi.persona.boot import CORE, ReviewerHealth, boot, render_context
from mi.persona.members import find_human, is_human, read_roles
from mi.persona.place import PersonaView, check_member_name, find_owner, find_root, read_text
from mi.persona.session_log import LoggedDecision, SessionEntry, add_note, append_entry, read_notes
from mi.persona.windows import log_files, take_slot
from tests.persona.conftest import put, put_card


def entry(*done: str, decided: str = "use X", following: str = "docs") -> SessionEntry:
    return SessionEntry(completed_items=list(done), decisions=[LoggedDecision(text=decided)], next_steps=[following])


@pytest.mark.req(
    *("gov.dir.init", "gov.dir.init-templates", "gov.dir.init-gitignore", "gov.dir.core-files", "mx.conf.read-files"),
    *(
        "mx.boot.read-boot-md",
        "mx.boot.read-principles",
        "mx.boot.read-challenge-core",
        "mx.life.start",
        "mx.def.session",
    ),
)
def test_a_fresh_persona_boots(persona):
    booted = boot(persona)
    assert list(booted.core) == list(CORE)
    assert all(text.startswith("# ") for text in booted.core.values())
    assert (Path(persona.root) / ".gitignore").read_text("utf-8") == ".*/private/\nindexes/card-index.yaml\n"
    assert [one.name for one in booted.members] == ["human", "mi"]


@pytest.mark.req("gov.dir.core-missing")
@pytest.mark.parametrize("name", CORE)
def test_a_missing_core_file_fails_the_boot_and_makes_no_window(persona, name):
    os.unlink(persona.path(name))
    with pytest.raises(MiError) as caught:
        boot(persona)
    assert (caught.value.code, name in str(caught.value)) == ("core-missing", True)
    assert log_files(persona) == []


def test_a_window_that_was_only_opened_hides_no_pending_task(persona):
    append_entry(take_slot(persona), entry("login works", following="write the docs"))
    boot(persona)
    booted = boot(persona)
    assert (booted.pending, booted.last_summary) == (["write the docs"], ["login works", "use X"])
    assert booted.first_boot is False
    assert [one.whole for one in booted.windows if not one.completed] == [""]
    assert "<!--" not in render_context(booted, 2000)


@pytest.mark.req("one.smaller.next-steps")
@pytest.mark.parametrize("heading", ["## Next steps", "# next_steps", "**Next steps:**", "Next steps:", "### 下一步"])
def test_next_steps_written_by_hand_are_told(persona, heading):
    put(persona, "sessions/2026-01/2026-01-02.md", f"## Completed\n- login\n\n{heading}\n- write the docs\n")
    assert boot(persona).pending == ["write the docs"]


@pytest.mark.req("one.smaller.next-steps")
def test_an_entry_saved_by_itself_takes_no_next_steps_away(persona):
    log = take_slot(persona)
    append_entry(log, entry("login works", following="write the docs"))
    append_entry(log, SessionEntry(completed_items=["tests pass"], decisions=[], next_steps=[]))
    booted = boot(persona)
    assert (booted.pending, booted.last_summary) == (["write the docs"], ["tests pass"])
    assert "write the docs" in render_context(booted, 2000)


@pytest.mark.req("one.smaller.next-steps")
def test_in_a_clone_the_logs_themselves_say_which_is_the_last(persona):
    first, second = take_slot(persona), take_slot(persona)
    append_entry(second, entry("b", following="stale"))
    text = Path(second.path).read_text("utf-8")
    Path(second.path).write_text(re.sub(r"ts=\S+", "ts=2026-01-01T00:00:00Z", text), "utf-8")
    append_entry(first, entry("a", following="current"))
    for log in (first, second):  # as git leaves them
        os.utime(log.path, (1e9, 1e9))
    assert boot(persona).pending == ["current"]


def test_a_log_that_leads_into_another_members_space_is_no_log(persona):
    put(persona, ".ada/private/2026-11-01.md", "hers")
    os.makedirs(persona.path("sessions", "2026-11"))
    os.symlink(persona.path(".ada/private/2026-11-01.md"), persona.path("sessions", "2026-11", "2026-11-01.md"))
    assert boot(persona).last_session == ""


def test_a_persona_that_is_not_there(tmp_path):
    with pytest.raises(NotFound, match="mi persona init"):
        boot(PersonaView(str(tmp_path / "none"), "mi"))


@pytest.mark.req("mx.boot.first-boot-skip", "gov.boot.first-boot-said", "mx.boot.private-skip")
def test_the_first_boot_has_no_history(persona):
    booted = boot(persona)
    assert (booted.first_boot, booted.last_session, booted.last_summary, booted.private) == (True, "", [], {})


@pytest.mark.req("mx.boot.latest-log", "gov.boot.not-own-log", "mx.boot.status-output", "mx.conf.persistent-memory")
def test_the_latest_log_is_read_and_never_the_own_new_file(persona):
    put(persona, "sessions/2026-01/2026-01-02.md", "## Completed\n- old\n" + "\n" * 60)
    earlier = take_slot(persona)
    append_entry(earlier, entry("first", following="stale"))
    append_entry(earlier, entry("login works", decided="sessions", following="write docs"))
    booted = boot(persona)
    assert booted.last_session == os.path.relpath(earlier.path, persona.root)
    assert booted.last_summary == ["login works", "sessions"]
    assert booted.pending == ["write docs"]
    assert booted.sid != earlier.sid
    assert not booted.first_boot


@pytest.mark.req("mx.boot.parallel-report", "mx.boot.read-sections", "mx.conf.session-state")
def test_other_windows_of_today_are_seen(persona):
    other = take_slot(persona)
    append_entry(other, SessionEntry(completed_items=["a"], decisions=[], next_steps=["n"], candidate_insights=["low"]))
    (window,) = boot(persona).windows
    assert (window.slot, window.completed, window.decisions) == ("A", ["a"], [])
    assert "low" not in str(window)


@pytest.mark.req("mx.boot.look-back")
def test_a_window_of_yesterday_when_there_is_none_today(persona):
    day = time.strftime("%Y-%m-%d", time.localtime(time.time() - 86400))
    put(persona, f"sessions/{day[:7]}/{day}-slot-A-abcdef.md", "## Done\n- it\n" + "\n" * 60)
    assert [(one.day, one.completed) for one in boot(persona).windows] == [(day, ["it"])]


@pytest.mark.req(
    *("gov.dir.private", "gov.dir.self-name", "mx.boot.private-read", "mx.boot.other-private"),
    *("mx.mem.private-self", "mx.mem.private-others", "mx.conf.identities"),
)
def test_own_private_memory_is_read_and_nobody_elses(persona):
    put(persona, ".mi/private/a.md", "mine")
    put(persona, ".ada/private/b.md", "hers")
    assert boot(persona).private == {"a.md": "mine"}
    assert boot(persona._replace(member="ada")).private == {"b.md": "hers"}
    assert "hers" not in str(boot(persona))


@pytest.mark.req("mx.mem.private-others", "gov.dir.private")
def test_a_link_into_another_members_space_is_refused(persona):
    target = put(persona, ".ada/private/b.md", "hers")
    os.symlink(target, persona.path("core", "link.md"))
    assert find_owner(persona, persona.path("core", "link.md")) == "ada"
    with pytest.raises(MiError, match="private to ada"):
        read_text(persona, persona.path("core", "link.md"))
    assert find_owner(persona, persona.path(".self", "private", "x")) == "mi"
    assert find_owner(persona, persona.path("core", "boot.md")) is None


@pytest.mark.req("gov.boot.salience-nine", "mx.card.load-index", "mx.sal.nine-ten")
def test_the_index_and_the_most_salient_cards_are_loaded(persona):
    from mi.persona.cards import read_cards, write_index

    put_card(persona, "X-001", salience=9, merge_key="a", body="Calm.")
    put_card(persona, "H-001", salience=8, merge_key="b")
    write_index(persona, read_cards(persona)[0])
    booted = boot(persona)
    assert booted.cards == {"X-001": "Calm.\n"}
    assert booted.index["total_active"] == 2


@pytest.mark.req("gov.boot.reviewer-health", "gov.boot.order")
def test_everything_in_its_order(persona):
    """The slot is taken after the core, the history read after that, the reviewers asked last."""
    seen = []
    boot(
        persona, lambda: seen.append(len(log_files(persona))) or [ReviewerHealth(name="codex", ok=False, reason="gone")]
    )
    assert seen == [1]
    names = list(boot(persona).__struct_fields__)
    order = ["core", "slot", "log_path", "last_session", "private", "windows", "index", "cards", "reviewers"]
    assert [name for name in names if name in order] == order


@pytest.mark.req("gov.boot.run-budget")
@pytest.mark.parametrize("budget", [0, 60, 300, 1000, 100_000])
def test_the_context_stays_within_its_budget(persona, budget):
    put_card(persona, "X-001", salience=10, body="Calm. " * 400)
    append_entry(take_slot(persona), entry("done " * 200, following="next " * 200))
    text = render_context(boot(persona), budget)
    assert len(text) <= budget
    if budget >= 300:
        assert text.startswith("## Team principles")


@pytest.mark.req("gov.dir.root-config", "gov.dir.root-project", "gov.dir.root-home", "mi.config.persona-root")
def test_where_the_persona_lives(tmp_path):
    project, home = tmp_path / "p", tmp_path / "h"
    assert find_root("", str(project), str(home)) == str(home / "persona")
    (project / "persona").mkdir(parents=True)
    assert find_root("", str(project), str(home)) == str(project / "persona")
    assert find_root(str(tmp_path / "x"), str(project), str(home)) == str(tmp_path / "x")


@pytest.mark.parametrize("name", ["", "..", "a/b", "self", ".ada", "a b"])
def test_a_member_is_a_plain_name(name):
    with pytest.raises(UsageError):
        check_member_name(name)


TABLE = """# Boot

| Name | Type | Description | Capabilities | Autonomous | Needs approval | Escalation triggers | Model preference |
| --- | --- | --- | --- | --- | --- | --- | --- |
| ada | human | leads | all | all | | | |
| mi | ai | drives | code; docs | routine code | pushes；calls | money | small |
"""


@pytest.mark.req(
    *("gov.human.boot-table", "gov.role.name", "gov.role.type", "gov.role.capabilities", "gov.role.authority"),
    *("gov.role.model-preference",),
)
def test_members_are_the_table_in_boot_md():
    ada, mi = read_roles(TABLE)
    assert (find_human([ada, mi]), ada.type, mi.type, mi.description) == ("ada", "human", "ai", "drives")
    assert mi.capabilities == ["code", "docs"]
    assert mi.authority.autonomous == ["routine code"]
    assert mi.authority.needs_approval == ["pushes", "calls"]
    assert mi.authority.escalation_triggers == ["money"]
    assert mi.model_preference == "small"
    assert is_human([ada, mi], "ada")
    assert not is_human([ada, mi], "mi")
    assert read_roles("no table") == []
    with pytest.raises(MiError, match="robot"):
        read_roles(TABLE.replace("| ai |", "| robot |"))


@pytest.mark.req("gov.note.add", "gov.note.list", "mx.mem.private-self", "mx.end.update-private", "mx.conf.write-files")
def test_notes_are_kept_for_the_member_alone(persona):
    path = add_note(persona, "prefers\nshort answers")
    assert os.stat(path).st_mode & 0o077 == 0
    add_note(persona, "second")
    assert [note.partition(" ")[2] for note in read_notes(persona)] == ["prefers short answers", "second"]
    assert read_notes(persona._replace(member="ada")) == []
    with pytest.raises(MiError, match="secret"):
        add_note(persona, "password: hunter2hunter2X9")
    with pytest.raises(UsageError):
        add_note(persona, "  ")


@pytest.mark.req("mx.mem.private-infer", "mx.mem.private-fragments", "mx.mem.shared-read")
def test_the_template_states_the_memory_rules(persona):
    text = " ".join(boot(persona).core[CORE[0]].split())
    assert "Shared files (core/, cards/) may be read by everyone" in text
    assert "do not guess what it holds" in text
    assert "do not interpret a fragment that you came across" in text
