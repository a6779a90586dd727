"""`mi claim`, `mi node`, `mi edge`: what is stored, found, shown, and what is refused."""

import json
from pathlib import Path
from typing import Any

import pytest

from mi.app.home_context import HomeContext
from mi.kernel.home import Home
from tests.conftest import Mi
from tests.knowledge.thoughts.lines import claim, edge, node, retract, write


@pytest.fixture
def store(tmp_path: Path, home: Home) -> Path:
    """The project's store, with something in it; the global one is beside."""
    context = HomeContext(home)
    context.use_project()
    root = Path(context.project_home.thoughts)
    write(
        root,
        claim("cl_a", "Tests run with pytest", tags=["tool", "test"], claim_type="fact"),
        claim("cl_b", "Prefer small diffs", tags=["style"], claim_type="preference"),
        claim("cl_c", "Ship in May", tags=["tool"], claim_type="goal", valid_to="2026-05-31T00:00:00+02:00"),
        claim("cl_d", "Prefer tiny diffs", tags=["style"], claim_type="preference", asserted_ts="2026-02-01T00:00:00Z"),
        edge("ed_1", "supersedes", "cl_b", "cl_d", asserted_ts="2026-02-01T00:00:00Z"),
        edge("ed_2", "depends_on", "nd_1", "cl_a"),
        edge("ed_3", "derived_from", "nd_1", "ev_run_x_1"),
        node("nd_1", "Use pytest", tags=["tool"], text="because it is there"),
        claim("cl_e", "Wrong", tags=["tool"]),
        retract("claim", "cl_e", "2026-03-01T00:00:00Z"),
    )
    write(
        tmp_path / "home/thoughtdb/global", claim("cl_g", "Global truth", scope="global", tags=["tool"]), node("nd_g")
    )
    return root


def ids(mi: Mi, *args: str) -> list[str]:
    done = mi(*args, "--json")
    assert done.returncode == 0, done.stderr
    return [one.get("claim_id") or one.get("node_id") or one.get("edge_id") for one in json.loads(done.stdout)]


def shown(mi: Mi, *args: str) -> dict[str, Any]:
    done = mi(*args, "--json")
    assert done.returncode == 0, done.stderr
    found: dict[str, Any] = json.loads(done.stdout)
    return found


@pytest.mark.req(
    "v1.cli.claim-list",
    "v1.cli.claim-list-scope",
    "v1.cli.claim-list-tag",
    "v1.cli.claim-list-contains",
    "v1.cli.claim-list-type",
    "v1.cli.claim-list-status",
    "v1.cli.claim-list-limit",
    "v1.tdb.cli-groups",
)
@pytest.mark.parametrize(
    ("args", "expected"),
    [
        ([], ["cl_d", "cl_a", "cl_g"]),
        (["--scope", "project"], ["cl_d", "cl_a"]),
        (["--scope", "global"], ["cl_g"]),
        (["--scope", "effective"], ["cl_d", "cl_a", "cl_g"]),
        (["--tag", "tool"], ["cl_a", "cl_g"]),
        (["--tag", "tool", "--tag", "test"], ["cl_a"]),
        (["--tag", "t"], []),
        (["--contains", "DIFFS"], ["cl_d"]),
        (["--contains", "%_'\""], []),
        (["--type", "preference"], ["cl_d"]),
        (["--type", "preference", "--type", "fact"], ["cl_d", "cl_a", "cl_g"]),
        (["--status", "superseded"], ["cl_b"]),
        (["--status", "retracted"], ["cl_e"]),
        (["--status", "all"], ["cl_e", "cl_d", "cl_c", "cl_b", "cl_a", "cl_g"]),
        (["--limit", "1"], ["cl_d"]),
        (["--limit", "0"], ["cl_d", "cl_a", "cl_g"]),
    ],
)
def test_claims_are_listed_as_asked(mi: Mi, store: Path, args: list[str], expected: list[str]) -> None:
    assert ids(mi, "claim", "list", *args) == expected


@pytest.mark.req("v1.cli.claim-list-as-of", "mi.asof.claim", "mi.tdb.validity-as-times")
@pytest.mark.parametrize(
    ("time", "expected"),
    [
        ("2025-12-31T23:59:59Z", []),
        ("2026-01-01T00:00:00Z", ["cl_e", "cl_c", "cl_b", "cl_a", "cl_g"]),
        ("2026-01-15", ["cl_e", "cl_c", "cl_b", "cl_a", "cl_g"]),
        ("2026-02-01T01:00:00+01:00", ["cl_e", "cl_d", "cl_c", "cl_a", "cl_g"]),
        ("2026-04-01T00:00:00Z", ["cl_d", "cl_c", "cl_a", "cl_g"]),
        ("2026-05-30T21:59:59.999Z", ["cl_d", "cl_c", "cl_a", "cl_g"]),
        ("2026-05-30T22:00:00Z", ["cl_d", "cl_a", "cl_g"]),  # the end of May, as a time in another zone
    ],
)
def test_what_was_believed_then(mi: Mi, store: Path, time: str, expected: list[str]) -> None:
    assert ids(mi, "claim", "list", "--as-of", time) == expected


def test_a_claim_as_of_a_time(mi: Mi, store: Path) -> None:
    assert shown(mi, "claim", "show", "cl_e", "--as-of", "2026-02-01")["status"] == "active"
    assert shown(mi, "claim", "show", "cl_e")["status"] == "retracted"
    assert shown(mi, "claim", "show", "cl_b", "--as-of", "2026-01-15")["status"] == "active"
    early = mi("claim", "show", "cl_a", "--as-of", "2020-01-01")
    assert early.returncode == 1
    assert "2020-01-01" in early.stderr
    assert mi("claim", "list", "--as-of", "yesterday").returncode == 2


@pytest.mark.req(
    "v1.cli.claim-show", "v1.cli.claim-show-scope", "v1.cli.claim-show-json", "mi.tdb.new-fields-additions"
)
def test_a_claim_is_shown_with_every_field_and_its_state(mi: Mi, store: Path) -> None:
    write(store, claim("cl_x", "odd", origin="hands", future={"a": [1]}))
    found = shown(mi, "claim", "show", "cl_x", "--scope", "project")
    assert found["future"] == {"a": [1]}
    assert (found["status"], found["valid"], found["trust"], found["store"]) == ("active", True, "hands", "project")
    replaced = shown(mi, "claim", "show", "cl_b")
    assert (replaced["status"], replaced["canonical_id"]) == ("superseded", "cl_d")
    gone = shown(mi, "claim", "show", "cl_e")
    assert gone["retracted"]["rationale"] == "wrong"
    assert "Prefer small diffs" in mi("claim", "show", "cl_b").stdout
    elsewhere = mi("claim", "show", "cl_a", "--scope", "global")
    assert elsewhere.returncode == 1
    assert "--scope project" in elsewhere.stderr


@pytest.mark.req(
    "v1.cli.claim-show-graph",
    "v1.cli.claim-show-depth",
    "v1.cli.claim-show-direction",
    "v1.cli.claim-show-edge-type",
    "v1.tdb.claim-show-graph",
    "v1.cli.node-show-graph",
    "v1.cli.node-show-depth",
    "v1.cli.node-show-direction",
    "v1.cli.node-show-edge-type",
    "v1.tdb.node-show-graph",
)
def test_the_neighbourhood_is_bounded_as_asked(mi: Mi, store: Path) -> None:
    def reached(*args: str) -> set[str]:
        graph = shown(mi, *args, "--graph")["graph"]
        return {one["id"] for one in graph["nodes"]}

    assert reached("claim", "show", "cl_a") == {"cl_a", "nd_1"}
    assert reached("claim", "show", "cl_a", "--depth", "2", "--direction", "both") == {"cl_a", "nd_1", "ev_run_x_1"}
    assert reached("claim", "show", "cl_a", "--direction", "out") == {"cl_a"}
    assert reached("claim", "show", "cl_a", "--edge-type", "supports") == {"cl_a"}
    assert reached("claim", "show", "cl_a", "--depth", "0") == {"cl_a"}
    assert reached("node", "show", "nd_1") == {"nd_1", "cl_a", "ev_run_x_1"}
    assert reached("node", "show", "nd_1", "--depth", "2", "--direction", "out") == {"nd_1", "cl_a", "ev_run_x_1"}
    assert reached("node", "show", "nd_1", "--edge-type", "derived_from") == {"nd_1", "ev_run_x_1"}
    for number in range(400):
        write(store, claim(f"cl_n{number}"), edge(f"ed_n{number}", "supports", f"cl_n{number}", "cl_a"))
    graph = shown(mi, "claim", "show", "cl_a", "--graph", "--depth", "9")["graph"]
    assert graph["truncated"] is True
    assert len(graph["nodes"]) <= 60
    assert len(graph["edges"]) <= 150


def test_mermaid_text_cannot_break_out_of_its_label(mi: Mi, store: Path) -> None:
    write(store, claim("cl_m", 'x"] --> evil["<script>\nclick'), edge("ed_m", "supports", "cl_m", "cl_a"))
    drawn = mi("claim", "show", "cl_m", "--mermaid").stdout.splitlines()
    assert drawn[0] == "flowchart LR"
    assert len(drawn) == 4
    assert drawn[1].count('"') == 2
    assert "<" not in drawn[1]
    assert drawn[3].strip() == "n0 -->|supports| n1"


def last_event(mi: Mi, *flags: str) -> dict[str, Any]:
    found: dict[str, Any] = json.loads(mi("tail", "-n", "1", "--json", *flags).stdout)[0]
    return found


def last_line(root: Path, name: str) -> dict[str, Any]:
    found: dict[str, Any] = json.loads((root / name).read_bytes().splitlines()[-1])
    return found


@pytest.mark.req(
    "v1.cli.claim-retract",
    "v1.cli.claim-retract-scope",
    "v1.emit.claim-retract",
    "mi.tdb.claim-retract",
    "v1.learn.rollback",
    "v1.tdb.source-refs",
)
def test_a_claim_is_taken_back_by_an_appended_line(mi: Mi, store: Path) -> None:
    before = (store / "claims.jsonl").read_bytes()
    done = shown(mi, "claim", "retract", "cl_a", "--scope", "project", "--rationale", "no longer")
    event = last_event(mi)
    assert (event["kind"], event["claim_id"], event["event_id"]) == ("claim_retract", "cl_a", done["event_id"])
    assert (store / "claims.jsonl").read_bytes().startswith(before)
    line = last_line(store, "claims.jsonl")
    assert {name: line[name] for name in ("kind", "version", "claim_id", "rationale")} == {
        "kind": "claim_retract",
        "version": "v1",
        "claim_id": "cl_a",
        "rationale": "no longer",
    }
    assert line["ts"]
    assert line["source_refs"] == [{"kind": "evidence_event", "event_id": done["event_id"]}]
    assert shown(mi, "claim", "show", "cl_a")["status"] == "retracted"
    assert mi("claim", "retract", "cl_g", "--scope", "global").returncode == 0
    assert last_event(mi, "--global")["kind"] == "claim_retract"
    assert ids(mi, "claim", "list", "--scope", "global") == []


@pytest.mark.req("mi.fail.retract-unknown", "mi.fail.retract-global")
@pytest.mark.parametrize(
    ("args", "code", "hint"),
    [
        (["claim", "retract", "cl_nowhere"], 1, "mi claim list"),
        (["claim", "retract", "cl_g"], 1, "--scope global"),
        (["claim", "retract", "cl_a", "--scope", "global"], 1, "--scope project"),
        (["claim", "retract", "nd_1"], 2, "claim"),
        (["claim", "retract", "cl_e"], 1, "already"),
        (["claim", "supersede", "cl_nowhere", "--text", "x"], 1, "mi claim list"),
        (["claim", "supersede", "cl_g", "--text", "x"], 1, "--scope global"),
        (["claim", "supersede", "cl_b", "--text", "x"], 1, "cl_d"),
        (["claim", "supersede", "cl_e", "--text", "x"], 1, "already"),
        (["claim", "supersede", "cl_a", "--text", "  "], 2, "--text"),
        (["claim", "same-as", "cl_a", "cl_a"], 2, "itself"),
        (["claim", "same-as", "cl_a", "cl_nowhere"], 1, "cl_nowhere"),
        (["claim", "same-as", "cl_g", "cl_a", "--scope", "global"], 1, "project"),
        (["claim", "same-as", "cl_a", "cl_e"], 1, "cl_e is taken back"),
        (["edge", "create", "--type", "supersedes", "--from", "cl_a", "--to", "cl_e"], 1, "cl_e is taken back"),
        (["node", "retract", "nd_nowhere"], 1, "mi node list"),
        (["node", "retract", "nd_g"], 1, "--scope global"),
        (["node", "create", "--type", "decision", "--title", ""], 2, "--title"),
        (["edge", "retract", "ed_nowhere"], 1, "mi edge list"),
        (["edge", "create", "--type", "supports", "--from", "cl_a", "--to", "cl_nowhere"], 1, "cl_nowhere"),
        (["edge", "create", "--type", "supports", "--from", "ev_run_x_404", "--to", "cl_a"], 1, "ev_run_x_404"),
        (["edge", "create", "--type", "supports", "--from", "cl_a", "--to", "cl_a"], 2, "itself"),
        (["edge", "create", "--type", "supersedes", "--from", "cl_a", "--to", "nd_1"], 2, "two claims"),
        (["edge", "create", "--type", "supports", "--scope", "global", "--from", "cl_g", "--to", "cl_a"], 1, "project"),
        (["edge", "create", "--type", "invents", "--from", "cl_a", "--to", "cl_b"], 2, "invents"),
    ],
)
def test_what_cannot_be_done_is_an_error_and_writes_nothing(
    mi: Mi, store: Path, tmp_path: Path, args: list[str], code: int, hint: str
) -> None:
    logs = "[!.]*.jsonl"  # not the home's marker, which names the view that was built to look
    before = {path: path.read_bytes() for path in (tmp_path / "home").rglob(logs)}
    done = mi(*args)
    assert done.returncode == code
    assert hint in done.stderr
    assert len(done.stderr.splitlines()) == 1
    assert {path: path.read_bytes() for path in (tmp_path / "home").rglob(logs)} == before


def test_an_id_of_another_project_is_found_there(mi: Mi, store: Path, tmp_path: Path) -> None:
    other = tmp_path / "other"
    other.mkdir()
    done = mi("claim", "retract", "cl_a", "--cd", str(other))
    assert done.returncode == 1
    assert str(store) in done.stderr


@pytest.mark.req(
    "v1.cli.claim-supersede", "v1.cli.claim-supersede-text", "v1.emit.claim-supersede", "mi.fail.supersede-keeps-tags"
)
def test_a_claim_is_replaced_and_keeps_its_tags(mi: Mi, store: Path) -> None:
    done = shown(mi, "claim", "supersede", "cl_a", "--text", "Tests run with tox")
    event = last_event(mi)
    assert (event["kind"], event["claim_id"], event["new_claim_id"]) == ("claim_supersede", "cl_a", done["claim_id"])
    new = shown(mi, "claim", "show", done["claim_id"])
    assert (new["tags"], new["claim_type"], new["text"]) == (["tool", "test"], "fact", "Tests run with tox")
    assert (new["origin"], new["source_refs"][0]["event_id"]) == ("user", event["event_id"])
    old = shown(mi, "claim", "show", "cl_a")
    assert (old["status"], old["canonical_id"]) == ("superseded", done["claim_id"])
    drawn = last_line(store, "edges.jsonl")
    assert (drawn["edge_type"], drawn["from_id"], drawn["to_id"]) == ("supersedes", "cl_a", done["claim_id"])


@pytest.mark.parametrize(
    ("stored", "kept"), [("2999-01-01T00:00:00Z", "2999-01-01T00:00:00Z"), ("2026-05-31T00:00:00Z", None)]
)
def test_what_replaces_a_claim_holds_as_long_but_from_now_on(
    mi: Mi, store: Path, stored: str, kept: str | None
) -> None:
    start = "2026-01-01T00:00:00Z"
    write(store, claim("cl_bound", "Ship in May", valid_from=start, valid_to=stored))
    done = shown(mi, "claim", "supersede", "cl_bound", "--text", "Ship in July")
    new = shown(mi, "claim", "show", done["claim_id"])
    assert (new["valid_from"], new["valid_to"], new["valid"]) == (start, kept, True)


@pytest.mark.req("mi.tdb.validity-interval")
def test_a_claim_is_valid_from_its_first_moment_and_no_longer_at_its_last(mi: Mi, store: Path) -> None:
    bounds = {"valid_from": "2026-03-01T00:00:00Z", "valid_to": "2026-04-01T02:00:00+02:00"}
    write(store, claim("cl_bound", "Freeze", **bounds))
    moments = ("2026-02-28T23:59:59.999Z", "2026-03-01T00:00:00Z", "2026-03-31T23:59:59.999Z", "2026-04-01T00:00:00Z")
    held = ["cl_bound" in ids(mi, "claim", "list", "--as-of", moment) for moment in moments]
    assert held == [False, True, True, False]


@pytest.mark.req("v1.cli.claim-same-as", "v1.emit.claim-same-as", "mi.tdb.same-as-direction")
def test_a_duplicate_leads_to_the_one_that_is_kept(mi: Mi, store: Path) -> None:
    done = shown(mi, "claim", "same-as", "cl_a", "cl_g")
    assert last_event(mi)["kind"] == "claim_same_as"
    assert shown(mi, "claim", "show", "cl_a")["canonical_id"] == "cl_g"
    assert "cl_a" not in ids(mi, "claim", "list")
    assert shown(mi, "edge", "show", done["edge_id"])["edge_type"] == "same_as"
    back = mi("edge", "retract", done["edge_id"])
    assert back.returncode == 0
    assert last_event(mi)["kind"] == "edge_retract"
    assert shown(mi, "claim", "show", "cl_a")["status"] == "active"


@pytest.mark.req("mi.tdb.redirect-cycles")
def test_a_cycle_leaves_the_one_that_was_said_last(mi: Mi, store: Path) -> None:
    mi("claim", "same-as", "cl_a", "cl_d")
    mi("claim", "same-as", "cl_d", "cl_a")
    assert shown(mi, "claim", "show", "cl_a")["status"] == "active"
    assert shown(mi, "claim", "show", "cl_d")["canonical_id"] == "cl_a"


def test_a_project_may_replace_a_global_claim_for_itself(mi: Mi, store: Path, tmp_path: Path) -> None:
    mi("edge", "create", "--type", "supersedes", "--from", "cl_g", "--to", "cl_a")
    assert "cl_g" not in ids(mi, "claim", "list")
    assert shown(mi, "claim", "show", "cl_g")["canonical_id"] == "cl_a"
    assert ids(mi, "claim", "list", "--scope", "global") == ["cl_g"]
    other = tmp_path / "other"
    other.mkdir()
    assert ids(mi, "claim", "list", "--cd", str(other)) == ["cl_g"]


@pytest.mark.req(
    "v1.cli.node-list",
    "v1.cli.node-list-scope",
    "v1.cli.node-list-tag",
    "v1.cli.node-list-contains",
    "v1.cli.node-list-type",
    "v1.cli.node-list-status",
    "v1.cli.node-list-limit",
    "mi.asof.node",
)
@pytest.mark.parametrize(
    ("args", "expected"),
    [
        ([], ["nd_3", "nd_1", "nd_g"]),
        (["--scope", "project"], ["nd_3", "nd_1"]),
        (["--scope", "global"], ["nd_g"]),
        (["--tag", "tool"], ["nd_1"]),
        (["--contains", "because"], ["nd_1"]),
        (["--contains", "USE PYTEST"], ["nd_1"]),
        (["--type", "summary"], ["nd_3"]),
        (["--status", "retracted"], ["nd_2"]),
        (["--limit", "1"], ["nd_3"]),
        (["--as-of", "2026-01-01T12:00:00Z"], ["nd_2", "nd_1", "nd_g"]),
    ],
)
def test_nodes_are_listed_as_asked(mi: Mi, store: Path, args: list[str], expected: list[str]) -> None:
    write(store, node("nd_2", "Gone", node_type="action"), retract("node", "nd_2"))
    write(store, node("nd_3", "Sum", node_type="summary", asserted_ts="2026-02-01T00:00:00Z"))
    assert ids(mi, "node", "list", *args) == expected


@pytest.mark.req(
    "v1.cli.node-create",
    "v1.cli.node-create-scope",
    "v1.cli.node-create-type",
    "v1.cli.node-create-title",
    "v1.cli.node-create-text",
    "v1.cli.node-show",
    "v1.cli.node-show-scope",
    "v1.cli.node-show-json",
    "v1.cli.node-retract",
    "v1.cli.node-retract-scope",
    "v1.emit.node-create",
    "v1.emit.node-retract",
    "mi.tdb.node-record",
    "mi.tdb.node-type",
    "mi.tdb.node-retract",
    "mi.ids.nd",
    "v1.tdb.node-store",
    "v1.storage.project-nodes",
    "v1.storage.global-nodes",
    "v1.cli.show-nd",
)
@pytest.mark.parametrize("scope", ["project", "global"])
@pytest.mark.parametrize("node_type", ["decision", "action", "summary"])
def test_a_node_is_created_shown_and_taken_back(
    mi: Mi, store: Path, tmp_path: Path, scope: str, node_type: str
) -> None:
    words = ["--type", node_type, "--title", "Use SQLite", "--text", "It is there.", "--tag", "db"]
    done = shown(mi, "node", "create", "--scope", scope, *words)
    root = store if scope == "project" else tmp_path / "home/thoughtdb/global"
    flags = ["--global"] if scope == "global" else []
    assert last_event(mi, *flags)["kind"] == "node_create"
    line = last_line(root, "nodes.jsonl")
    fields = "kind version node_id node_type title text visibility scope project_id asserted_ts tags source_refs"
    assert set(line) >= {*fields.split(), "confidence", "notes", "origin"}
    assert (line["kind"], line["node_type"], line["title"], line["text"]) == (
        "node",
        node_type,
        "Use SQLite",
        "It is there.",
    )
    assert (line["scope"], line["tags"], bool(line["project_id"])) == (scope, ["db"], scope == "project")
    node_id = done["node_id"]
    assert node_id.startswith("nd_")
    assert shown(mi, "node", "show", node_id, "--scope", scope)["status"] == "active"
    assert shown(mi, "show", node_id)["title"] == "Use SQLite"
    assert mi("node", "retract", node_id, "--scope", scope).returncode == 0
    assert last_event(mi, *flags)["kind"] == "node_retract"
    assert last_line(root, "nodes.jsonl")["kind"] == "node_retract"
    assert shown(mi, "node", "show", node_id)["status"] == "retracted"


def test_a_secret_is_never_kept_as_a_thought(mi: Mi, store: Path) -> None:
    secret = "ghp_" + "a1B2c3D4e5F6g7H8i9J0k1L2m3N4o5P6q7R8"
    for args in (
        ["node", "create", "--type", "decision", "--title", "t", "--text", f"use {secret}"],
        ["node", "create", "--type", "decision", "--title", "t", "--tag", f"key:{secret}"],
        ["claim", "supersede", "cl_a", "--text", f"token {secret}"],
        ["claim", "retract", "cl_a", "--rationale", f"leaked {secret}"],
    ):
        done = mi(*args)
        assert done.returncode == 1
        assert secret not in done.stderr
    assert all(secret.encode() not in path.read_bytes() for path in store.parent.rglob("*.jsonl"))


@pytest.mark.req(
    "v1.cli.edge-create",
    "v1.cli.edge-create-scope",
    "v1.cli.edge-create-type",
    "v1.cli.edge-create-from",
    "v1.cli.edge-create-to",
    "v1.cli.edge-list",
    "v1.cli.edge-list-scope",
    "v1.cli.edge-list-type",
    "v1.cli.edge-list-from",
    "v1.cli.edge-show",
    "v1.emit.edge-create",
    "mi.tdb.edge-record",
    "mi.tdb.edge-type",
    "mi.tdb.edge-retract",
    "v1.tdb.edge-types",
    "v1.tdb.edge-store",
    "mi.ids.ed",
    "v1.storage.project-edges",
    "v1.storage.global-edges",
    "v1.cli.show-ed",
)
def test_an_edge_is_created_listed_shown_and_taken_back(mi: Mi, store: Path, tmp_path: Path) -> None:
    event_id = last_event_of_a_new_node(mi)
    types = ["depends_on", "supports", "contradicts", "derived_from", "mentions", "supersedes", "same_as"]
    made = {}
    for one in types:
        source = event_id if one == "depends_on" else "cl_d"
        made[one] = shown(mi, "edge", "create", "--scope", "project", "--type", one, "--from", source, "--to", "cl_a")
        assert made[one]["edge_id"].startswith("ed_")
        assert last_event(mi)["kind"] == "edge_create"
        line = last_line(store, "edges.jsonl")
        names = "kind version edge_id edge_type from_id to_id visibility scope project_id asserted_ts source_refs notes"
        assert set(line) >= set(names.split())
        assert (line["edge_type"], line["from_id"], line["to_id"]) == (one, source, "cl_a")
    first = made["depends_on"]["edge_id"]
    assert ids(mi, "edge", "list", "--scope", "project", "--type", "depends_on", "--from", event_id) == [first]
    assert ids(mi, "edge", "list", "--type", "depends_on") == [first, "ed_2"]
    assert ids(mi, "edge", "list", "--to", "cl_a", "--type", "supports") == [made["supports"]["edge_id"]]
    assert shown(mi, "edge", "show", first)["from_id"] == event_id
    assert shown(mi, "show", first)["edge_id"] == first
    write(tmp_path / "home/thoughtdb/global", claim("cl_h", scope="global"))
    wide = shown(mi, "edge", "create", "--scope", "global", "--type", "supports", "--from", "cl_g", "--to", "cl_h")
    assert last_line(tmp_path / "home/thoughtdb/global", "edges.jsonl")["edge_id"] == wide["edge_id"]
    assert ids(mi, "edge", "list", "--scope", "global") == [wide["edge_id"]]
    assert wide["edge_id"] in ids(mi, "edge", "list", "--scope", "effective")
    assert mi("edge", "retract", first).returncode == 0
    assert last_line(store, "edges.jsonl")["kind"] == "edge_retract"
    assert first not in ids(mi, "edge", "list")
    assert ids(mi, "edge", "list", "--status", "retracted") == [first]


def last_event_of_a_new_node(mi: Mi) -> str:
    event_id: str = shown(mi, "node", "create", "--type", "action", "--title", "x")["event_id"]
    return event_id


@pytest.mark.req("v1.cli.show-effective", "mi.tdb.status-derived")
def test_show_looks_in_the_project_first_and_tells_the_derived_state(mi: Mi, store: Path, tmp_path: Path) -> None:
    write(tmp_path / "home/thoughtdb/global", claim("cl_a", "the global one"))
    assert shown(mi, "show", "cl_a")["text"] == "Tests run with pytest"
    assert shown(mi, "show", "cl_g")["text"] == "Global truth"
    assert shown(mi, "show", "cl_e")["status"] == "retracted"


def test_lines_of_earlier_tools_are_read_as_they_are(mi: Mi, store: Path) -> None:
    """Missing, empty and oddly typed fields cost themselves, not the line."""
    write(
        store,
        {"kind": "claim", "claim_id": "cl_bare", "claim_type": "fact", "text": "bare"},
        claim("cl_odd", "odd", tags=None, valid_from="", valid_to="someday", confidence="high", source_refs=None),
        claim("cl_int", "int", asserted_ts=20260101, tags=["ok", 3]),
    )
    found = ids(mi, "claim", "list", "--scope", "project")
    assert found[:3] == ["cl_int", "cl_odd", "cl_bare"]
    assert ids(mi, "claim", "list", "--tag", "ok") == ["cl_int"]
    assert "cl_bare" in ids(mi, "claim", "list", "--as-of", "2001-01-01")
    assert shown(mi, "claim", "show", "cl_odd")["confidence"] == "high"


def test_status_counts_values_without_writing(mi: Mi, tmp_path: Path) -> None:
    write(tmp_path / "home/thoughtdb/global", claim("cl_v", tags=["values:base"], claim_type="preference"))
    before = sorted(path for path in (tmp_path / "home").rglob("*"))
    assert shown(mi, "status")["values"] == {"ready": True, "claims": 1}
    assert sorted(path for path in (tmp_path / "home").rglob("*")) == before


@pytest.mark.req("mi.fail.value-reset")
def test_a_value_taken_back_can_be_set_again(mi: Mi) -> None:
    mi("init", "--values", "Keep changes small.")
    (old,) = ids(mi, "claim", "list", "--tag", "values:base")
    mi("claim", "retract", old, "--scope", "global")
    assert ids(mi, "claim", "list", "--tag", "values:base") == []
    mi("values", "set", "--text", "Keep changes small.")
    (new,) = ids(mi, "claim", "list", "--tag", "values:base")
    assert new != old
    assert shown(mi, "status")["values"]["claims"] == 1


@pytest.mark.parametrize("language", ["en", "zh"])
def test_every_text_of_these_commands_is_there_in_both_languages(mi: Mi, store: Path, language: str) -> None:
    env = {"MI_LANG": language}
    node_id = shown(mi, "node", "create", "--type", "decision", "--title", "x")["node_id"]
    for args in (
        ["claim", "list", "--tag", "none"],
        ["claim", "supersede", "cl_a", "--text", "new"],
        ["claim", "same-as", "cl_d", "cl_g"],
        ["node", "create", "--type", "action", "--title", "y"],
        ["node", "retract", node_id],
        ["edge", "create", "--type", "mentions", "--from", "nd_1", "--to", "cl_c"],
        ["gc", "thoughtdb"],
        ["context", "pytest"],
        ["why", "claim", "cl_c"],
        ["undo", json.loads(mi("tail", "-n", "1", "--json").stdout)[0]["run_id"]],
    ):
        done = mi(*args, env=env)
        assert done.returncode == 0, done.stderr
