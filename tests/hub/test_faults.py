"""Cut connections, killed processes, a server that ends: each record is there once, in its order."""

import json
import os
import shutil
import signal
import subprocess
import tempfile
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from mi.kernel import jsonl
from mi.kernel.home import Home
from mi.kernel.jsontext import encode
from tests.disks import fill, small_disk
from tests.hub.postgres import Postgres
from tests.hub.team import Team, TeamHome
from tests.hub.wire import Wire
from tests.starting import MI

COUNT = 6000  # records of more than one push


def make_claim(number: int, **more: Any) -> dict[str, Any]:
    claim = {"kind": "claim", "version": "v1", "claim_id": f"cl_{number:023d}", "claim_type": "fact", "origin": "user"}
    claim |= {"text": f"Number {number}. " + "x y z " * 60, "tags": ["reach:team"], "scope": "global"}
    return claim | {"asserted_ts": "2026-11-01T12:00:00.000Z"} | more


def write(home: TeamHome, *claims: dict[str, Any]) -> None:
    """Claims as their writer stores them, many at once."""
    place = Home(str(home.root)).thoughts
    jsonl.append(os.path.join(place, "claims.jsonl"), *map(encode, claims), sealed=True)


def read_hub(team: Team) -> list[str]:
    """The ids of all records, in the order of their log."""
    with team.server.connect(team.database, "postgres") as connection:
        rows = connection.execute("SELECT body FROM mi_hub.record ORDER BY log, seq").fetchall()
    return [json.loads(body)["claim_id"] for (body,) in rows]


@pytest.fixture
def wire(team: Team) -> Iterator[Wire]:
    wire = Wire(team.server.port)
    yield wire
    wire.close()


def reroute(home: TeamHome, team: Team, wire: Wire) -> None:
    state = home.state()
    state["dsn"] = state["dsn"].replace(f"port={team.server.port}", f"port={wire.port}")
    (home.root / "hub.json").write_text(json.dumps(state), "utf-8")


@pytest.mark.req("hub.resume")
@pytest.mark.parametrize("answer", [False, True])
def test_a_cut_connection_loses_nothing_and_says_so_in_one_line(team: Team, wire: Wire, answer: bool) -> None:
    """Cut on the way there, and on the way back, when the server has taken what the home does not know of."""
    ana = team.join("ana")
    reroute(ana, team, wire)
    write(ana, *map(make_claim, range(COUNT)))
    for limit in (500_000, 1_500_000):
        wire.cut_after(limit, answer=answer)
        cut = ana.mi("sync", code=1)
        assert cut.stderr.startswith("mi: the connection to the hub 127.0.0.1:"), cut.stderr
        assert "nothing is lost; mi sync goes on where it was" in cut.stderr
    ana.mi("sync")
    assert read_hub(team) == [f"cl_{number:023d}" for number in range(COUNT)]
    assert ana.json("sync")["records"] == 0


@pytest.mark.req("hub.resume")
def test_a_killed_sync_is_taken_up_where_it_was(team: Team, wire: Wire) -> None:
    ana, bo = team.join("ana"), team.join("bo")
    for home in (ana, bo):
        reroute(home, team, wire)
    write(ana, *map(make_claim, range(COUNT)))
    for home, out in ((ana, True), (bo, False)):
        words = [*([MI] if isinstance(MI, (str, Path)) else MI), "sync"]
        env = os.environ | {"MI_HOME": str(home.root)}
        process = subprocess.Popen(words, env=env, cwd=home.clone, stdout=subprocess.DEVNULL)
        wire.cut_after(2_000_000, process.kill, out=out)
        assert process.wait(60) == -signal.SIGKILL
        home.mi("sync")
    assert read_hub(team) == [f"cl_{number:023d}" for number in range(COUNT)]
    (pulled,) = (bo.root / "hub" / "homes").glob("*/global/claims.jsonl")
    assert [json.loads(line)["claim_id"] for line in pulled.read_text("utf-8").splitlines()] == read_hub(team)


@pytest.mark.req("hub.resume")
def test_a_server_that_ends_at_once_and_starts_again_has_everything_once(tmp_path: Path) -> None:
    server = Postgres(fsync=True)
    wire = Wire(server.port)
    try:
        team = Team(server, tmp_path)
        ana = team.join("ana")
        reroute(ana, team, wire)
        write(ana, *map(make_claim, range(COUNT)))
        wire.cut_after(2_000_000, lambda: server.stop(signal.SIGQUIT))
        assert "was cut" in ana.mi("sync", code=1).stderr
        assert "cannot be reached" in ana.mi("sync", code=1).stderr
        server.start()
        ana.mi("sync")
        assert read_hub(team) == [f"cl_{number:023d}" for number in range(COUNT)]
    finally:
        wire.close()
        server.remove()


@pytest.mark.req("hub.resume")
def test_a_full_disk_of_the_server_is_one_line_and_loses_nothing(tmp_path: Path) -> None:
    with small_disk(Path(tempfile.mkdtemp(prefix="mi-disk-")), "120m") as disk:
        disk.chmod(0o755)
        server = Postgres(disk=disk)
        try:
            team = Team(server, tmp_path)
            ana, bo = team.join("ana"), team.join("bo")
            write(ana, make_claim(0))
            ana.mi("sync")
            fill(disk, leave=500_000)
            write(ana, *map(make_claim, range(1, COUNT)))
            for _ in range(2):
                full = ana.mi("sync", code=1).stderr
                assert full.startswith("mi: the disk of the hub 127.0.0.1:")
                assert full.count("\n") == 1
            assert bo.json("sync")["pulled"] >= 1  # what is there can be had
            (disk / "ballast").unlink()
            ana.mi("sync")
            assert read_hub(team) == [f"cl_{number:023d}" for number in range(COUNT)]
        finally:
            server.remove()


@pytest.mark.req("hub.resume")
def test_a_hub_that_was_put_back_from_an_earlier_day_gets_what_it_lacks(team: Team) -> None:
    ana, bo = team.join("ana"), team.join("bo")
    write(ana, make_claim(1))
    ana.mi("sync")
    with team.server.connect(team.database, "postgres") as connection:
        (earlier,) = connection.execute("SELECT taken, mark, seq, id FROM mi_hub.log").fetchall()
        write(ana, make_claim(2), make_claim(3))
        for home in (ana, bo):
            home.mi("sync")
        connection.execute("DELETE FROM mi_hub.record WHERE seq > %s", (earlier[2],))
        connection.execute("UPDATE mi_hub.log SET taken = %s, mark = %s, seq = %s WHERE id = %s", earlier)
    assert ana.json("sync")["records"] == 2
    assert bo.json("sync")["pulled"] == 0
    assert read_hub(team) == [f"cl_{number:023d}" for number in (1, 2, 3)]


@pytest.mark.req("hub.copied-home")
def test_a_copied_home_is_told_and_takes_part_as_one_of_its_own(team: Team) -> None:
    ana, bo = team.join("ana"), team.join("bo")
    write(ana, make_claim(1))
    ana.mi("sync")
    copy = TeamHome(team.folder, "copy")
    shutil.copytree(ana.root, copy.root)
    write(ana, make_claim(2))
    write(copy, make_claim(3))
    ana.mi("sync")
    told = copy.mi("sync", code=3)
    assert "this home is a copy" in told.stderr
    assert "mi hub join --again" in told.stderr
    copy.mi("hub", "join", "--again")
    copy.mi("sync")
    ana.mi("sync")
    bo.mi("sync")
    assert {one.split()[5] for one in bo.find("Number x y z")} == {"1.", "2.", "3."}
    assert len(bo.find("Number x y z")) == 3


@pytest.mark.req("hub.removed")
def test_a_removed_member_is_locked_out_at_once_and_their_records_stay(team: Team) -> None:
    ana, bo = team.join("ana"), team.join("bo")
    write(ana, make_claim(1))
    ana.mi("sync")
    with team.connect_as(ana) as connection:
        ended = team.owner.mi("hub", "remove", "ana", PGPASSWORD="only-for-tests")
        assert "1 connection ended" in ended.stdout
        with pytest.raises(Exception, match="terminating connection"):
            connection.execute("SELECT 1")
    refused = ana.mi("sync", code=3)
    assert "does not let this home in" in refused.stderr
    bo.mi("sync")
    assert len(bo.find("Number x y z")) == 1
    assert "no member" in team.owner.mi("hub", "remove", "ana", PGPASSWORD="only-for-tests", code=1).stderr


@pytest.mark.req("hub.bad-input")
def test_a_way_that_leads_nowhere_is_one_line_with_the_way_out(team: Team) -> None:
    ana = team.join("ana")
    good = ana.state()
    password = {"PGPASSWORD": "only-for-tests"}
    database, port = f"dbname={team.database}", f"port={team.server.port}"
    changes = {
        "cannot be reached: ": (port, "port=1"),
        "cannot be reached safely: ": ("sslmode=verify-full", "sslmode=disable"),
        "has no hub: ": (database, "dbname=postgres"),
    }
    for said, (before, after) in changes.items():
        (ana.root / "hub.json").write_text(json.dumps(good | {"dsn": good["dsn"].replace(before, after)}), "utf-8")
        refused = ana.mi("sync", code=1)
        assert said in refused.stderr, refused.stderr
        assert refused.stderr.count("\n") == 1
    for dsn in ("nonsense", "host=127.0.0.1 colour=red", "postgresql://[/x"):
        assert ana.mi("hub", "init", dsn, code=2).stderr.startswith("mi: DSN: ")
    (ana.root / "hub.json").write_text(json.dumps(good), "utf-8")
    no = ana.mi("hub", "invite", "eve", "--dsn", good["dsn"].replace(good["dsn"], good["dsn"]), code=3)
    assert "does not let this home in" in no.stderr
    assert "member Eve!" in team.owner.mi("hub", "invite", "Eve!", code=2, **password).stderr


@pytest.mark.req("hub.migrations")
def test_another_version_of_the_tables_is_one_line(team: Team) -> None:
    ana = team.join("ana")
    told = {
        "INSERT INTO mi_hub.migration VALUES (9999, 'x', 'x')": "update this mi",
        "DELETE FROM mi_hub.migration WHERE number = 9999; UPDATE mi_hub.migration SET digest = 'x'": "differs",
        "DELETE FROM mi_hub.migration": "its owner calls mi hub init DSN again",
    }
    for statement, way_out in told.items():
        with team.server.connect(team.database, "postgres") as connection:
            connection.execute(statement)
        assert way_out in ana.mi("sync", code=1).stderr


@pytest.mark.req("hub.private-stays")
def test_secrets_go_nowhere_and_an_agents_word_stays(team: Team) -> None:
    ana, bo = team.join("ana"), team.join("bo")
    secret = "ghp_" + "a1B2" * 9
    write(
        ana, make_claim(1, text=f"The token of the robot is {secret}."), make_claim(2, origin="hands", text="Quokka.")
    )
    done = ana.json("sync")
    assert [done[name] for name in ("records", "hidden", "aside", "pulled")] == [1, 1, 0, 0]
    bo.mi("sync")
    held = team.read_everything()
    assert "The token of the robot" in held
    assert secret not in held
    assert "Quokka" not in held


@pytest.mark.req("hub.bad-records")
def test_what_cannot_be_sent_is_kept_aside_and_the_rest_goes(team: Team) -> None:
    ana = team.join("ana")
    broken = '{"kind": "claim", "tags": ["reach:team"], '
    place = Path(Home(str(ana.root)).thoughts) / "claims.jsonl"
    write(ana, make_claim(1))
    jsonl.append(str(place), broken.encode(), sealed=True)
    write(ana, make_claim(2, text="x" * (1 << 20)), make_claim(3))
    done = ana.mi("sync")
    assert "2 went to the hub" in done.stdout
    assert "2 could not be sent and stay here" in done.stdout
    kept = [json.loads(line) for line in (ana.root / "hub" / "aside.jsonl").read_text("utf-8").splitlines()]
    assert [one["log"] for one in kept] == ["thoughtdb/global/claims.jsonl"] * 2
    assert "1048576 bytes" in kept[1]["reason"]
    assert read_hub(team) == [f"cl_{1:023d}", f"cl_{3:023d}"]


@pytest.mark.req("hub.bad-records")
def test_what_the_hub_refuses_is_found_one_by_one_and_the_rest_goes(team: Team) -> None:
    ana, bad = (
        team.join("ana"),
        {3: {"run_id": "two\nlines"}, 700: {"run_id": "\x00"}, 2500: {"asserted_ts": "0001-01-01"}},
    )
    with team.server.connect(team.database, "postgres") as connection:
        connection.execute("ALTER TABLE mi_hub.record ADD CHECK (written > '1900-01-01')")
    write(ana, *(make_claim(number, **bad.get(number, {})) for number in range(3000)))
    assert "3 could not be sent and stay here" in ana.mi("sync").stdout
    assert read_hub(team) == [f"cl_{number:023d}" for number in range(3000) if number not in bad]
    kept = [json.loads(line) for line in (ana.root / "hub" / "aside.jsonl").read_text("utf-8").splitlines()]
    place = Path(Home(str(ana.root)).thoughts) / "claims.jsonl"
    lines = [json.loads(jsonl.read_line(str(place), one["offset"]) or b"")["claim_id"] for one in kept]
    assert lines == [f"cl_{number:023d}" for number in bad]
    assert all(one["reason"].startswith("the hub refuses it: ") for one in kept)
    write(ana, make_claim(3000))
    assert ana.json("sync")["records"] == 1
    assert "3 could not be sent" in ana.mi("hub", "status").stdout


@pytest.mark.req("hub.months")
def test_records_are_divided_into_months_by_their_own_time(team: Team) -> None:
    ana = team.join("ana")
    moments = ["2026-11-30T23:59:59.999Z", "2026-10-01T00:00:00.000Z", "1999-01-01T00:00:00.000Z", "soon"]
    write(ana, *(make_claim(number, asserted_ts=moment) for number, moment in enumerate(moments)))
    ana.mi("sync")
    with team.server.connect(team.database, "postgres") as connection:
        rows = connection.execute("SELECT tableoid::regclass::text FROM mi_hub.record ORDER BY seq").fetchall()
    assert [name for (name,) in rows] == [
        *("mi_hub.record_2026_11", "mi_hub.record_2026_10", "mi_hub.record_other", "mi_hub.record_other")
    ]


@pytest.mark.req("hub.months")
@pytest.mark.parametrize("zone", ["America/New_York", "Europe/Berlin", "Asia/Tokyo"])
def test_months_are_the_same_whatever_time_zone_somebody_has(team: Team, zone: str) -> None:
    ana = team.join("ana")
    for number in range(8, 13):  # in each month somebody is the first, and some zones change their clocks
        moments = [f"2026-{number:02d}-01T00:00:00.000Z", f"2026-{number:02d}-28T23:59:59.999Z"]
        write(ana, *(make_claim(number * 2 + at, asserted_ts=moment) for at, moment in enumerate(moments)))
        assert ana.json("sync", PGTZ=zone)["records"] == 2
    with team.server.connect(team.database, "postgres") as connection:
        query = "SELECT tableoid::regclass::text, count(*) FROM mi_hub.record GROUP BY 1 ORDER BY 1"
        rows = connection.execute(query).fetchall()
    assert rows == [(f"mi_hub.record_2026_{number:02d}", 2) for number in range(8, 13)]


@pytest.mark.req("hub.months")
def test_a_month_that_was_cut_in_another_time_zone_stops_nobody(team: Team) -> None:
    ana = team.join("ana")
    with team.server.connect(team.database) as connection:
        bounds = "FROM ('2026-10-31 20:00-04') TO ('2026-11-30 20:00-05')"
        connection.execute(f"CREATE TABLE mi_hub.record_2026_11 PARTITION OF mi_hub.record FOR VALUES {bounds}")
    write(ana, make_claim(1, asserted_ts="2026-12-01T12:00:00.000Z"))
    assert ana.json("sync")["records"] == 1


@pytest.mark.req("hub.team-words")
def test_a_word_that_is_taken_back_or_replaced_no_longer_counts_elsewhere(team: Team) -> None:
    ana, bo = team.join("ana"), team.join("bo")
    kept = [ana.json("remember", f"The {name} service is ours.", "--team")["shared"] for name in ("zephyr", "quokka")]
    ana.mi("sync")
    bo.mi("sync")
    assert len(bo.find("service ours")) == 2
    ana.mi("node", "retract", kept[0])
    own = ana.json("remember", "The quokka service is private now.")["id"]
    ana.mi("edge", "create", "--type", "supersedes", "--from", kept[1], "--to", own)
    assert {one["kind"] for one in ana.json("sync", "--dry-run")["would_leave"]} == {"node_retract"}
    ana.mi("sync")
    bo.mi("sync")
    assert bo.find("service ours") == []
    assert "private now" not in team.read_everything()


@pytest.mark.req("hub.pulled-sealed")
def test_what_somebody_wrote_into_a_pulled_log_is_found_and_does_not_count(team: Team) -> None:
    ana, bo = team.join("ana"), team.join("bo")
    write(ana, make_claim(1, text="The zephyr service has two owners."))
    ana.mi("sync")
    bo.mi("sync")
    (pulled,) = (bo.root / "hub" / "homes").glob("*/global/claims.jsonl")
    line = make_claim(2, text="The zephyr service may be deleted.", hub_seq=2, hub_by="ana")
    with pulled.open("a", encoding="utf-8") as file:
        file.write(json.dumps(line) + "\n")
    told = bo.mi("doctor").stdout
    assert "hub/homes/" in told
    found = bo.find("zephyr service")
    assert any("two owners" in one for one in found)
    assert not any("deleted" in one for one in found)


@pytest.mark.req("hub.resume")
def test_a_slow_link_takes_longer_and_loses_nothing(team: Team, wire: Wire) -> None:
    ana, bo = team.join("ana"), team.join("bo")
    for home in (ana, bo):
        reroute(home, team, wire)
    wire.pause_s = 0.02
    write(ana, *map(make_claim, range(500)))
    assert ana.json("sync")["records"] == 500
    assert bo.json("sync")["pulled"] == 500
    assert read_hub(team) == [f"cl_{number:023d}" for number in range(500)]


@pytest.mark.req("hub.months", "hub.resume")
def test_clocks_that_differ_by_hours_change_no_order_and_lose_nothing(team: Team) -> None:
    ana, bo = team.join("ana"), team.join("bo")
    write(ana, *(make_claim(number, asserted_ts=f"2026-11-18T{23 - number:02d}:00:00.000Z") for number in range(6)))
    write(bo, *(make_claim(10 + number, asserted_ts=f"2026-11-{19 - number}T03:00:00+09:00") for number in range(6)))
    for home in (ana, bo, ana):
        home.mi("sync")
    for home, numbers in ((bo, range(6)), (ana, range(10, 16))):
        (pulled,) = (home.root / "hub" / "homes").glob("*/global/claims.jsonl")
        ids = [json.loads(line)["claim_id"] for line in pulled.read_text("utf-8").splitlines()]
        assert ids == [f"cl_{number:023d}" for number in numbers]
