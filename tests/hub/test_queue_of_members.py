"""The queue of a hub between members, homes and workers: who may do what, and what a broken way leaves behind."""

import json
import re
import sys
import time
from contextlib import closing
from typing import Any

import psycopg
import pytest
from psycopg.errors import InsufficientPrivilege

from mi.fleet.queue import AgentPause, ClaimRules, Spending, StretchEnd
from mi.hub import membership, schema
from mi.hub.procrastinate_queue import ProcrastinateQueue
from mi.hub.state import read_hub
from mi.kernel import jsonl
from mi.kernel.errors import MiError
from mi.kernel.home import Home
from mi.kernel.jsontext import encode
from mi.kernel.notices import Notices
from tests.fleet.conformance import ANY, DONE, task
from tests.hub.postgres import PASSWORD
from tests.hub.team import Team, TeamHome, know_steps
from tests.hub.wire import Wire

TABLES = ("job", "dependency", "pause", "spending", "lane", "turn", "procrastinate")
PARTS = """take_turn() name_lane('ana','',false) begin_stretches('ana','{run_1}') withdraw_stretch('ana','run_1')
    end_stretch(1) settle_dependants('ana','run_1') release_job(NULL,'',0,false)
    count_spending(NULL,'ana','2026-11-18','codex',1,1) wake_job('ana','run_1','{queued}')""".split("\n")


def queue_of(home: TeamHome, for_others: bool = False) -> closing[ProcrastinateQueue]:
    place = Home(str(home.root))
    return closing(ProcrastinateQueue(place, read_hub(place, Notices()), for_others))


def read_queue(team: Team) -> str:
    """What the queue holds, as the server's owner sees it."""
    with team.server.connect(team.database, "postgres") as connection:
        tables = [f"mi_hub.{name}" for name in TABLES] + ["mi_procrastinate.procrastinate_jobs"]
        return repr(
            [connection.execute(f"SELECT * FROM {name} AS one ORDER BY one::text").fetchall() for name in tables]
        )


@pytest.mark.req("hub.queue.roles")
def test_a_member_reads_and_takes_no_run_of_another(team: Team) -> None:
    ana, bo = team.join("ana"), team.join("bo")
    with queue_of(ana) as anas, queue_of(bo) as bos:
        anas.put([task("run_1"), task("run_2", after=("run_1",))])
        anas.pause(AgentPause("claude", time.time() + 3600))
        claim = anas.claim("w", ANY)
        assert claim is not None
        anas.spend(claim.token, "codex", Spending(1.0, 10))
        assert bos.jobs() == bos.pauses() == bos.blockers() == []
        assert bos.find("run_1") is None
        assert bos.claim("w", ANY) is None
        assert bos.claim("w", ClaimRules(only="run_1")) is None
        assert bos.spent_on(time.strftime("%Y-%m-%d")) == {}
        before = read_queue(team)
        assert not bos.wake("run_1")
        assert not bos.set_priority("run_2", 9)
        assert bos.cancel("run_1") is None
        bos.settle("run_1", "done")
        assert bos.sweep(-1, lambda worker: True) == []
        assert bos.heartbeat(claim.token) == "lost"
        assert not bos.finish(claim.token, DONE)
        assert not bos.release(claim.token)
        bos.spend(claim.token, "codex", Spending(5.0, 5))
        assert read_queue(team) == before
        bos.put([task("run_1", task="of bo")])  # ids are each member's own
        assert [job.task.task for job in anas.jobs(["running"])] == ["task of run_1"]
        assert anas.finish(claim.token, DONE)


@pytest.mark.req("hub.queue.roles")
def test_no_member_changes_the_queue_but_by_its_functions(team: Team) -> None:
    ana, bo = team.join("ana"), team.join("bo")
    with queue_of(ana) as anas:
        anas.put([task("run_1")])
        assert anas.claim("w", ANY) is not None
    before = read_queue(team)
    with team.connect_as(bo) as connection, team.connect_as(ana) as own:
        refused = [f"SELECT mi_hub.{part.strip()}" for line in PARTS for part in line.split(" ") if part]
        for table in TABLES:
            refused += [f"DELETE FROM mi_hub.{table}", f"TRUNCATE mi_hub.{table}"]
        refused += [
            "INSERT INTO mi_hub.job (member, run) VALUES ('ana', 'run_9')",
            "UPDATE mi_hub.job SET state = 'done'",
        ]
        refused += ["UPDATE mi_hub.job SET claimer = 'bo'", "SELECT token FROM mi_hub.job", "SELECT * FROM mi_hub.job"]
        refused += ["SELECT ended FROM mi_hub.job", "SELECT * FROM mi_hub.lane", "SELECT nextval('mi_hub.job_seq')"]
        refused += ["SELECT * FROM mi_procrastinate.procrastinate_jobs", "TRUNCATE mi_procrastinate.procrastinate_jobs"]
        refused += ["SELECT mi_procrastinate.procrastinate_fetch_job_v2(NULL, NULL)"]
        refused += ["SELECT mi_procrastinate.procrastinate_cancel_job_v1(1, true, true)"]
        refused += ["CREATE TABLE mi_procrastinate.mine (x int)"]
        for statement in refused:
            for one in (connection, own):
                with pytest.raises(InsufficientPrivilege):
                    one.execute(statement)
        home_id = ana.state()["home_id"]
        with pytest.raises(InsufficientPrivilege, match="is no home of"):
            connection.execute("SELECT mi_hub.claim('t', %s, 'w', NULL, '{}', '{}', '', '')", (home_id,))
    assert read_queue(team) == before


@pytest.mark.req("hub.queue.roles")
def test_who_has_not_joined_or_was_removed_changes_nothing(team: Team) -> None:
    given = team.invite("eve")
    calls = [
        "put('[]', false)",
        "claim('t', 'home_12345678', 'w', NULL, '{}', '{}', '', '')",
        "finish('t', 'done', '', 0, '', '', 0, 0, '2026-11-18', false)",
        "release('t', '', 0, false, false)",
        "wake('run_1', '{waiting}', false)",
        "cancel('run_1')",
        "sweep('home_12345678', '{}', -1, true)",
        "set_pause('codex', 9e9, '')",
        "settle('run_1', 'done')",
        "spend('t', 'codex', 1, 1, '2026-11-18', 'x')",
        "set_priority('run_1', 1)",
    ]
    with psycopg.connect(given.dsn, password=given.secret, autocommit=True) as connection:
        for call in calls:
            with pytest.raises(InsufficientPrivilege):
                connection.execute(f"SELECT mi_hub.{call}")
        assert connection.execute("SELECT run FROM mi_hub.job").fetchall() == []
        assert connection.execute("SELECT mi_hub.heartbeat('t')").fetchone() == ("lost",)


@pytest.mark.req("hub.queue.others")
def test_others_take_a_run_only_where_both_sides_want_it(team: Team) -> None:
    ana, bo = team.join("ana"), team.join("bo")
    with queue_of(ana) as own, queue_of(ana, for_others=True) as shared, queue_of(bo) as bos:
        own.put([task("run_own")])
        shared.put([task("run_shared", agent="codex", options='{"values": "sent"}')])
        assert bos.claim("w", ANY) is None
        with team.connect_as(bo) as connection:
            connection.execute("UPDATE mi_hub.member SET offers = true")
        assert [job.run_id for job in bos.jobs()] == ["run_shared"]
        bos.put([task("run_of_bo", priority=-1)])
        first = bos.claim("w", ANY)  # one's own, whatever priority others give theirs
        assert first is not None
        assert first.job.run_id == "run_of_bo"
        claim = bos.claim("w", ANY)
        assert claim is not None
        assert (claim.job.run_id, claim.job.task.options) == ("run_shared", '{"values": "sent"}')
        assert bos.claim("w", ANY) is None
        assert own.find("run_shared").state == "running"
        assert own.cancel("run_shared") == "running"
        assert bos.heartbeat(claim.token) == "cancelled"
        assert bos.finish(claim.token, StretchEnd("stopped", agent="codex", spent=Spending(2.0, 20)))
        assert own.find("run_shared").state == "cancelled"
        today = time.strftime("%Y-%m-%d")  # whoever's agent it was pays for it
        assert (own.spent_on(today), bos.spent_on(today)) == ({}, {"codex": Spending(2.0, 20)})
        shared.put([task("run_left")])
        assert bos.claim("w", ANY) is not None
        assert own.sweep(-1, lambda worker: False) == ["run_left"]  # the other's workers may all be gone


@pytest.mark.req("hub.queue.fenced")
def test_a_worker_whose_run_was_taken_over_can_note_and_push_nothing(team: Team) -> None:
    ana, laptop = team.join("ana"), team.join("ana", "laptop")
    ana.mi("remember", "A thing.")  # makes the project known
    (project,) = (ana.root / "projects").iterdir()
    log = Home(str(ana.root)).project(project.name).evidence
    (ana.root / "config.json").write_text(json.dumps({"hub": {"share": "runs"}}), "utf-8")
    ana.mi("sync")

    def record(kind: str, run: str, **fields: Any) -> None:
        line = {"kind": kind, "v": 1, "event_id": f"ev_{run}_{kind}", "run_id": run, "ts": "2999-01-01T00:00:00.000Z"}
        jsonl.append(log, encode(line | fields), sealed=True)

    with queue_of(ana) as first, queue_of(laptop) as second:
        first.put([task("run_1"), task("run_2")])
        lost = first.claim("w", ANY)
        assert lost is not None
        record("run_start", "run_1", task="begun here")
        assert ana.json("sync")["records"] == 1
        assert second.sweep(-1, lambda worker: False) == ["run_1"]
        taken = second.claim("v", ANY)
        assert taken is not None
        assert (taken.job.run_id, taken.job.cuts) == ("run_1", 1)
        assert first.heartbeat(lost.token) == "lost"
        assert not first.finish(lost.token, DONE)
        record("run_end", "run_1", status="done", reason="too late")
        record("run_start", "run_other", task="goes on as ever")
        done = ana.mi("sync")
        assert "1 went to the hub" in done.stdout
        assert "1 could not be sent and stay here" in done.stdout
        assert second.finish(taken.token, DONE)
        record("tree_work", "run_1", act="committed")
        assert ana.json("sync")["aside"] == 1
    kept = [json.loads(line) for line in (ana.root / "hub" / "aside.jsonl").read_text("utf-8").splitlines()]
    assert [one["reason"] for one in kept] == ["another home has taken run_1 over"] * 2
    held = team.read_everything()
    assert "begun here" in held
    assert "goes on as ever" in held
    assert "too late" not in held
    assert ana.json("hub", "status")["aside"] == 2
    assert "2 could not be sent and stay here" in ana.mi("hub", "status").stdout


@pytest.mark.req("hub.queue.cut")
@pytest.mark.parametrize("answer", [False, True])
def test_a_cut_connection_loses_no_claim_and_no_end(team: Team, answer: bool) -> None:
    """Cut on the way there, and on the way back, when the hub has done what this side does not know of."""
    ana, wire = team.join("ana"), Wire(team.server.port)
    state = ana.state()
    state["dsn"] = state["dsn"].replace(f"port={team.server.port}", f"port={wire.port}")
    (ana.root / "hub.json").write_text(json.dumps(state), "utf-8")
    try:
        with queue_of(ana) as queue:
            queue.put([task("run_1"), task("run_2")])
            wire.cut_after(1, answer=answer)
            claim = queue.claim("w", ANY)
            assert claim is not None
            assert claim.job.run_id == "run_1"
            assert queue.counts() == {"running": 1, "queued": 1}
            wire.cut_after(1, answer=answer)
            queue.spend(claim.token, "codex", Spending(1.0, 10))
            wire.cut_after(1, answer=answer)
            assert queue.heartbeat(claim.token) == "held"
            wire.cut_after(1, answer=answer)
            assert queue.finish(
                claim.token, StretchEnd("waiting", "a question", agent="codex", spent=Spending(1.0, 10))
            )
            assert not queue.finish(claim.token, DONE)
            wire.cut_after(1, answer=answer)
            assert queue.wake("run_1")
            assert queue.find("run_1").stretch == 2
            assert queue.spent_on(time.strftime("%Y-%m-%d")) == {"codex": Spending(1.0, 10)}
    finally:
        wire.close()
    (ana.root / "hub.json").write_text(
        json.dumps(state | {"dsn": state["dsn"].replace(f"={wire.port}", "=1")}), "utf-8"
    )
    with queue_of(ana) as queue, pytest.raises(MiError, match="cannot be reached"):
        queue.claim("w", ANY)


@pytest.mark.req("hub.queue.told")
def test_a_worker_is_told_of_what_may_begin(team: Team) -> None:
    ana, laptop = team.join("ana"), team.join("ana", "laptop")
    with queue_of(ana) as queue, queue_of(laptop) as listening:
        assert listening.claim("w", ANY) is None
        queue.put([task("run_1", lock="tree"), task("run_2", lock="tree"), task("run_3", after=("run_2",))])
        assert listening.wait(20)
        for _ in range(2):
            claim = queue.claim("w", ANY)
            assert claim is not None
            assert listening.claim("w", ANY) is None
            queue.finish(claim.token, DONE)
            assert listening.wait(20)
        claim = listening.claim("w", ANY)
        assert claim is not None
        assert claim.job.run_id == "run_3"
        while listening.wait(0):
            pass
        listening.finish(claim.token, StretchEnd("waiting"))
        queue.wake("run_3")
        assert listening.wait(20)


@pytest.mark.req("hub.queue.ids")
def test_procrastinates_tables_hold_ids_alone(team: Team) -> None:
    ana = team.join("ana")
    secret = "ghp_" + "a1B2" * 9
    with queue_of(ana) as queue:
        queue.put([task("run_1", task=f"the zephyr task with {secret}\0", root="/home/of/ana", lock="tree")])
    with team.server.connect(team.database) as connection:
        rows = connection.execute(
            "SELECT queue_name, lock, queueing_lock, args, status::text FROM mi_procrastinate.procrastinate_jobs"
        ).fetchall()
        assert rows == [("ana/", "ana/tree", "ana/run_1", {"run": "run_1"}, "todo")]
        assert connection.execute("SELECT version LIKE '3.%%' FROM mi_hub.procrastinate").fetchone() == (True,)
    held = team.read_everything()
    assert "the zephyr task" in held
    assert secret not in held


@pytest.mark.req("hub.queue.mended")
def test_what_somebody_did_with_procrastinates_own_tools_is_mended(team: Team) -> None:
    ana = team.join("ana")
    with queue_of(ana) as queue, team.server.connect(team.database) as connection:
        queue.put([task("run_1"), task("run_2")])
        connection.execute("SET search_path = mi_procrastinate")
        connection.execute("SELECT procrastinate_fetch_job_v2(NULL, NULL)")  # a worker of procrastinate's own
        connection.execute("DELETE FROM procrastinate_jobs WHERE status = 'todo'")
        assert queue.claim("w", ANY) is None
        assert queue.sweep(60, lambda worker: False) == []
        claims = [queue.claim("w", ANY), queue.claim("w", ANY)]
        connection.execute("TRUNCATE procrastinate_jobs CASCADE")
        for claim in claims:
            assert claim is not None
            assert queue.finish(claim.token, DONE)
        assert queue.counts() == {"done": 2}


@pytest.mark.req("hub.queue.upgrade", "hub.migrations")
@pytest.mark.parametrize("count", range(1, len(schema.list_migrations())))
def test_a_hub_of_each_former_step_gets_the_rest_and_keeps_what_it_has(
    team: Team, monkeypatch: pytest.MonkeyPatch, count: int
) -> None:
    with know_steps(count):
        old = Team(team.server, team.folder / "old")
        ana = old.join("ana")
    home, steps = Home(str(old.owner.root)), schema.list_migrations()
    monkeypatch.setenv("PGPASSWORD", PASSWORD)
    with old.connect_as(ana) as connection:
        push = "SELECT * FROM mi_hub.push(%s, 'p', '', 0, 10, 'm', 'team', 'claim', '', '2026-11-01', 'd', '{}')"
        connection.execute(push, (ana.state()["home_id"],))
    if count >= 4:  # a run has begun, and recorded something
        with know_steps(count), queue_of(ana) as queue, old.connect_as(ana) as connection:
            queue.put([task("run_0")])
            begun = queue.claim("w", ANY)
            assert begun is not None
            connection.execute("SELECT mi_hub.push_run(%s, '{1}', ARRAY['{}'])", (begun.token,))
    assert "its owner calls mi hub init DSN again" in ana.mi("sync", code=1).stderr
    for module, value, said in (
        ("procrastinate.schema", None, "pip install 'mind-incarnation[hub]'"),
        ("procrastinate", type(sys)("procrastinate"), "procrastinate 4.0.1 is installed"),
    ):
        with monkeypatch.context() as broken:
            if value is not None:
                value.__version__ = "4.0.1"
                value.__path__ = __import__("procrastinate").__path__
            broken.setitem(sys.modules, module, value)
            if count == 1:  # procrastinate is needed by the second step alone
                with pytest.raises(MiError, match=re.escape(said)):
                    membership.make_hub(home, Notices(), old.dsn)
    made = membership.make_hub(home, Notices(), old.dsn)
    assert made.steps == [one.name for one in steps[count:]]
    with old.connect_as(ana) as connection:
        assert connection.execute("SELECT body FROM mi_hub.record").fetchall() == [("{}",)]
        if count >= 4:
            assert connection.execute("SELECT run, seq, body FROM mi_hub.run_record").fetchall() == [("run_0", 1, "{}")]
            again = "SELECT mi_hub.push_run(%s, '{1,2}', ARRAY['{}', '{}'])"
            assert connection.execute(again, (begun.token,)).fetchone() == (1,)
    with queue_of(ana) as queue:
        queue.put([task("run_1")])
        assert queue.claim("w", ANY) is not None
    assert membership.make_hub(home, Notices(), old.dsn).steps == []


@pytest.mark.req("hub.queue.cut")
def test_whoever_is_held_up_by_another_connection_hears_so_in_one_line(team: Team) -> None:
    ana = team.join("ana")
    with team.server.connect(team.database) as connection:
        connection.execute("ALTER FUNCTION mi_hub.take_turn() SET lock_timeout = '50ms'")
    with queue_of(ana) as queue, team.connect_as(ana) as other, other.transaction():
        other.execute("SELECT mi_hub.cancel('run_1')")
        with pytest.raises(MiError, match="is held up by another connection"):
            queue.put([task("run_1")])
    with queue_of(ana) as queue:
        assert queue.put([task("run_1")]) == []
