"""A task of the hub's queue is worked on by whichever machine takes it, in a clone, and goes on elsewhere."""

import json
import signal
from pathlib import Path

import pytest
from psycopg.errors import FeatureNotSupported, InsufficientPrivilege

from tests.autopilot.workbench import MEND, TEST, commit, models_for, run, say, write
from tests.conftest import git
from tests.hub.machines import HubTeam
from tests.hub.postgres import Postgres
from tests.hub.team import Team
from tests.mind.answers import model
from tests.waiting import wait_until

DONE = [MEND, TEST, say("Fixed and tested. Done.")]
PUSH = {"push": True}


@pytest.fixture
def hub(team: Team, tmp_path: Path) -> HubTeam:
    return HubTeam(team, tmp_path)


@pytest.mark.req("hub.worker")
def test_a_task_that_one_machine_queues_is_done_by_another(hub: HubTeam) -> None:
    desk, tower, bo = hub.machine("ana", "desk"), hub.machine("ana", "tower"), hub.machine("bo", "bos")
    desk.configure()
    tower.agent(DONE)
    tower.configure(fleet=PUSH)
    run_id = desk.queue("fix the failing test")
    assert "done" in tower.work()
    (shown,) = json.loads(desk.mi("runs", "--hub", "--json").stdout)["runs"]
    told = [shown[name] for name in ("run_id", "member", "status", "project", "task")]
    assert told == [run_id, "ana", "done", "app", "fix the failing test"]
    assert json.loads(bo.mi("runs", "--hub", "--json").stdout)["runs"] == []
    assert desk.jobs()[run_id]["state"] == "done"
    assert hub.read(run_id, "calc.py").endswith("return a + b")
    assert git(hub.remote, "branch", "--format=%(refname:short)").split() == ["main"]


@pytest.mark.req("hub.elsewhere")
def test_a_run_whose_machine_dies_goes_on_elsewhere_with_the_work_of_both(hub: HubTeam) -> None:
    tower, laptop = hub.machine("ana", "tower"), hub.machine("ana", "laptop")
    tower.configure(fleet=PUSH)
    run_id = hub.die_in_second_batch(tower, write("first.txt", "by the tower\n"))
    laptop.agent(DONE)
    laptop.configure(fleet=PUSH)
    assert "done" in laptop.work()
    assert laptop.jobs()[run_id]["state"] == "done"
    assert hub.read(run_id, "first.txt") == "by the tower"
    assert hub.read(run_id, "calc.py").endswith("return a + b")
    assert [one["outcome"] for one in laptop.kinds(run_id, "batch_end")] == ["ended", "cut", "ended"]
    numbers = [one["seq"] for one in laptop.run_log(run_id) if one["run_id"] == run_id]
    assert numbers == list(range(1, len(numbers) + 1))  # as if one machine had written them


@pytest.mark.req("hub.elsewhere")
def test_without_pushing_a_run_begins_again_at_its_commit_and_says_so(hub: HubTeam) -> None:
    tower, laptop = hub.machine("ana", "tower"), hub.machine("ana", "laptop")
    run_id = hub.die_in_second_batch(tower, write("first.txt", "by the tower\n"))
    laptop.agent(DONE)
    laptop.work()
    assert laptop.jobs()[run_id]["state"] == "done"
    assert "begun on another machine" in laptop.kinds(run_id, "hands_input")[-1]["light_injection"]
    (work,) = laptop.kinds(run_id, "tree_work")
    assert git(Path(work["path"]), "show", "--format=", "--name-only", "HEAD").split() == ["calc.py"]
    assert git(hub.remote, "for-each-ref", "refs/mi") == ""


@pytest.mark.req("hub.elsewhere-answers")
def test_an_answer_at_another_machine_has_the_run_go_on_wherever_a_worker_is(hub: HubTeam) -> None:
    desk, tower, laptop = (hub.machine("ana", name) for name in ("desk", "tower", "laptop"))
    desk.configure()
    tower.agent([MEND, write("first.txt", "by the tower\n"), say("Which colour should the button have?")])
    tower.configure(fleet=PUSH)
    run_id = desk.queue("fix the failing test")
    assert "waits for you" in tower.work()
    assert desk.jobs()[run_id]["state"] == "waiting"
    desk.mi("sync")
    (item,) = desk.inbox()
    assert "colour" in item["question"]
    assert desk.mi("answer", str(item["number"]), "blue").code == 0
    assert desk.jobs()[run_id]["state"] == "queued"
    tower.mi("sync")  # the home that asked takes nothing away
    laptop.agent([TEST, say("Tested. Done.")])  # what the tower changed is the run's change
    laptop.configure(fleet=PUSH)
    laptop.work()
    assert "blue" in laptop.kinds(run_id, "hands_input")[-1]["input"]
    assert len(laptop.kinds(run_id, "question")) == 1
    assert desk.jobs()[run_id]["state"] == "done"
    assert hub.read(run_id, "first.txt") == "by the tower"


@pytest.mark.req("hub.fenced")
def test_a_worker_whose_claim_is_lost_stops_its_run_keeps_it_aside_and_may_get_it_again(hub: HubTeam) -> None:
    tower, laptop = hub.machine("ana", "tower"), hub.machine("ana", "laptop")
    workers, run_id = [], ""
    for count, machine in enumerate((tower, laptop), 1):
        there = machine.folder / "there"
        stays = run(f"if [ -e {there} ]; then true; else touch {there}; sleep 300; fi")
        machine.agent([stays, *DONE])
        run_id = run_id or machine.queue("fix the failing test")
        workers.append(machine.start_mi("worker", "--hub", "--jobs", "1"))  # it asks for no more meanwhile
        assert wait_until(there.exists, 60)
        hub.wait_for(run_id, "hands_input", count)
        if machine is tower:
            workers[0].send_signal(signal.SIGSTOP)  # it sleeps
            hub.take_claims_away()
    laptop.kill(workers[1])
    hub.cut_connections()
    hub.take_claims_away()
    workers[0].send_signal(signal.SIGCONT)
    assert wait_until(lambda: laptop.jobs()[run_id]["state"] == "done", 120)
    workers[0].terminate()
    said = tower.finish(workers[0])
    assert f"{run_id} is another worker's now" in said.stdout
    assert f"{run_id} came too late, another worker has the run" in said.stderr
    assert hub.records(run_id).count("run_end") == 1
    aside = [json.loads(line) for line in (tower.home / "hub" / "aside.jsonl").read_text("utf-8").splitlines()]
    assert [one["epoch"] for one in aside] == [1, 1]
    former = Path(aside[1]["home"])
    assert '"interrupted"' in next(former.glob("projects/*/evidence.jsonl")).read_text("utf-8")
    (clone,) = (tower.folder / "home-worktrees" / "clones").glob("*/app")
    assert sum("-before-3" in one for one in git(clone, "branch").splitlines()) == 1


@pytest.mark.req("hub.offered")
def test_a_run_of_another_member_is_given_the_values_sent_with_it_and_none_of_the_workers_owner(hub: HubTeam) -> None:
    ana, bo = hub.machine("ana", "anas"), hub.machine("bo", "bos")
    ana.configure()
    ana.values("Never use tabs in Python.")
    bo.agent(DONE)
    bo.values("Prefer camels over horses.")
    bo.mi("remember", "the failing test is about zebras")
    own = ana.queue("fix the failing test")
    shared = ana.queue("mend add", "--for-others")
    assert shared not in bo.work()  # it was not offered yet
    bo.mi("hub", "offer")
    with models_for(bo) as judged:
        server = judged(model())
        assert own not in bo.work()
        shown = "\n".join(text for request in server.requests for text in request.user_texts)
    assert ana.jobs()[shared]["state"] == "done"
    assert ana.jobs()[own]["state"] == "queued"
    (sent,) = bo.kinds(shared, "hands_input")
    for told in (sent["light_injection"], shown):
        assert "Never use tabs" in told
        assert "camels" not in told
        assert "zebras" not in told


@pytest.mark.req("hub.run-roles")
def test_what_a_run_recorded_is_read_and_written_by_nobody_else(hub: HubTeam) -> None:
    ana, bo = hub.machine("ana", "anas"), hub.machine("bo", "bos")
    ana.agent(DONE)
    run_id = ana.queue("fix the failing test")
    ana.work()
    count = len(hub.records(run_id))
    with hub.connect_as(ana) as connection:
        assert connection.execute("SELECT count(*) FROM mi_hub.run_record").fetchone() == (count,)
    with hub.connect_as(bo) as connection:
        assert connection.execute("SELECT count(*) FROM mi_hub.run_record").fetchone() == (0,)
        assert connection.execute("SELECT mi_hub.push_run('x', '{9}', '{x}')").fetchone() == (None,)
        assert connection.execute("SELECT * FROM mi_hub.read_answers('x')").fetchall() == []
        for statement in (
            "INSERT INTO mi_hub.run_record VALUES ('ana', 'run_x', now(), 1, 'home_x', 1, now(), '{}')",
            "UPDATE mi_hub.run_record SET body = '{}'",
            "DELETE FROM mi_hub.run_record",
            "SELECT mi_hub.wake_answered()",
        ):
            with pytest.raises((InsufficientPrivilege, FeatureNotSupported)):
                connection.execute(statement)


@pytest.mark.req("hub.worker-faults")
@pytest.mark.parametrize("way", ["restarted", "cut"])
def test_a_run_goes_on_while_the_hub_is_away_and_the_hub_has_all_of_it_later(tmp_path: Path, way: str) -> None:
    server = Postgres(fsync=True)
    try:
        hub = HubTeam(Team(server, tmp_path), tmp_path)
        tower = hub.machine("ana", "tower")
        there, goes_on = tower.folder / "there", tower.folder / "goes-on"
        stays = run(f"touch {there}; until [ -e {goes_on} ]; do sleep 0.1; done")
        tower.agent([stays, say("The first part is there.")], DONE)
        run_id = tower.queue("fix the failing test")
        worker = tower.start_mi("worker", "--hub", "--drain")
        assert wait_until(there.exists, 60)
        if way == "restarted":
            server.stop(signal.SIGQUIT)
        else:
            hub.cut_connections()
        goes_on.touch()
        if way == "restarted":
            assert wait_until(lambda: bool(tower.kinds(run_id, "run_end")), 60)
            server.start()
        done = tower.finish(worker)
        assert done.code == 0, done.stderr
        assert "Traceback" not in done.stderr
        assert tower.jobs()[run_id]["state"] == "done"
        recorded = [one["kind"] for one in tower.run_log(run_id) if one["run_id"] == run_id]
        assert hub.records(run_id) == recorded
    finally:
        server.remove()


@pytest.mark.req("hub.removed")
def test_a_member_who_is_removed_while_a_worker_of_theirs_works_hears_so_and_keeps_what_was_recorded(
    hub: HubTeam,
) -> None:
    tower = hub.machine("ana", "tower")
    there = tower.folder / "there"
    tower.agent([run(f"touch {there}; sleep 300")])
    run_id = tower.queue("fix the failing test")
    worker = tower.start_mi("worker", "--hub")
    assert wait_until(there.exists, 60)
    hub.team.remove("ana")
    done = tower.finish(worker)
    assert done.code == 3, done.stdout + done.stderr
    assert "does not let this home in" in done.stderr
    assert "Traceback" not in done.stderr
    assert tower.kinds(run_id, "hands_input")
    assert wait_until(lambda: bool(tower.kinds(run_id, "run_end")), 60)  # its agent was ended in order


@pytest.mark.req("hub.worker-clones")
def test_a_remote_that_cannot_be_cloned_is_left_to_others_and_said_once(hub: HubTeam) -> None:
    tower, laptop = hub.machine("ana", "tower"), hub.machine("ana", "laptop")
    tower.agent(DONE)
    tower.env["GIT_ALLOW_PROTOCOL"] = "https"
    run_id = tower.queue("fix the failing test")
    worker = tower.start_mi("worker", "--hub")
    assert wait_until(lambda: "cannot be cloned" in tower.jobs()[run_id]["reason"], 60)
    laptop.agent(DONE)
    laptop.work()
    worker.terminate()
    said = tower.finish(worker)
    assert said.stdout.count(f"{run_id} is left to other workers") == 1
    assert tower.jobs()[run_id]["state"] == "done"


@pytest.mark.req("hub.worker-clones")
def test_a_commit_that_the_remote_lacks_is_refused_or_pushed(hub: HubTeam) -> None:
    desk, tower = hub.machine("ana", "desk"), hub.machine("ana", "tower")
    desk.configure()
    (desk.project / "new.txt").write_text("new\n", "utf-8")
    commit(desk.project)
    refused = desk.mi("queue", "add", "--hub", "fix the failing test")
    assert (refused.code, refused.stdout) == (2, "")
    assert "git push" in refused.stderr
    assert "fleet.push" in refused.stderr
    assert desk.jobs() == {}
    desk.configure(fleet=PUSH)
    run_id = desk.queue("fix the failing test")
    tower.agent(DONE)
    tower.configure(fleet=PUSH)
    tower.work()
    assert hub.read(run_id, "new.txt") == "new"
    git(desk.project, "remote", "remove", "origin")
    assert "no git remote" in desk.mi("queue", "add", "--hub", "more").stderr


@pytest.mark.req("hub.worker")
def test_a_task_at_the_hub_is_listed_cancelled_and_tried_again(hub: HubTeam) -> None:
    desk = hub.machine("ana", "desk")
    desk.agent(DONE)
    run_id = desk.queue("fix the failing test")
    assert "fix the failing test" in desk.mi("queue", "list", "--hub").stdout
    assert json.loads(desk.mi("queue", "list", "--json").stdout)["jobs"] == []
    assert "mi queue rebuild" not in desk.mi("queue", "rebuild").stdout
    assert json.loads(desk.mi("queue", "list", "--json").stdout)["jobs"] == []
    assert desk.mi("queue", "cancel", "--hub", run_id).code == 0
    assert desk.jobs()[run_id]["state"] == "cancelled"
    assert desk.mi("queue", "retry", "--hub", run_id).code == 0
    desk.work()
    assert desk.jobs()[run_id]["state"] == "done"
    alone = hub.folder / "alone"
    refused = desk.mi("--home", str(alone), "queue", "add", "--hub", "more")
    assert (refused.code, "takes part in no hub" in refused.stderr) == (1, True)


@pytest.mark.req("hub.worker-clones")
def test_a_task_of_an_agent_that_is_not_here_is_left_to_others(hub: HubTeam) -> None:
    desk = hub.machine("ana", "desk")
    desk.agent(DONE)
    left = desk.queue("fix the failing test", "--agent", "cli", "--priority", "9")
    taken = desk.queue("mend add")
    worker = desk.start_mi("worker", "--hub")
    assert wait_until(lambda: desk.jobs()[taken]["state"] == "done", 60)
    worker.terminate()
    desk.finish(worker)
    assert desk.jobs()[left]["state"] == "queued"


@pytest.mark.req("hub.elsewhere-answers")
def test_a_question_is_answered_at_the_machine_that_asked_too(hub: HubTeam) -> None:
    desk = hub.machine("ana", "desk")
    desk.agent([say("Which colour should the button have?")], DONE)
    run_id = desk.queue("fix the failing test")
    desk.work()
    place = str(desk.home / "hub" / "runs" / run_id)
    (item,) = json.loads(desk.mi("--home", place, "inbox", "--json").stdout)
    assert desk.mi("--home", place, "answer", str(item["number"]), "blue").code == 0
    assert desk.mi("queue", "retry", "--hub", run_id).code == 0
    desk.work()
    assert "blue" in desk.kinds(run_id, "hands_input")[-1]["input"]
    assert desk.jobs()[run_id]["state"] == "done"
