"""One knowledge: what a team wrote down in files is found by every recall, and binds where it may."""

import json
import os
import time
from collections.abc import Callable, Iterator
from pathlib import Path
from types import SimpleNamespace

import pytest

from mi.app.contract import build_contract
from mi.app.home_context import HomeContext
from mi.app.team_base import guard_team
from mi.app.team_files import build_team_files
from mi.app.trust import store_team_trust
from mi.autopilot.run_lock import run_lock
from mi.cli import doctor
from mi.cli.output import Output
from mi.contract.memory_tools import QueryInput, RecentInput, memory_query, memory_recent
from mi.contract.recall import Recalled
from mi.contract.session import ContractSession
from mi.kernel.home import Home
from mi.knowledge.search import sources, team
from mi.mcp.contract_session import open_contract
from mi.mcp.session import ToolSession
from tests.conftest import git

FILES = {
    ".nexus/memory/empirical-wal-time.md": "WAL halves the time that walrus writes take.\n",
    ".nexus/context/overview.md": "The walrus service stands alone.\n",
    ".nexus/rules/release.md": "Never release the walrus on Fridays.\n",
    ".nexus/state/plan.json": json.dumps(
        {
            "id": 1,
            "topic": "t",
            "created_at": "2026-01-01T00:00:00Z",
            "issues": [{"id": 1, "title": "Which walrus store?", "status": "decided", "decision": "SQLite"}],
        }
    ),
    "persona/core/boot.md": "# Boot\n",
    "persona/core/challenge-core.md": "# Challenge\n",
    "persona/core/principles.md": "# Principles\n\nKeep the walrus simple.\n",
    "persona/sessions/2026-01/2026-01-02-slot-A-abcdef.md": (
        "## Session 1\n\n### Decisions\n\n- The walrus cache is dropped, because it was wrong.\n"
    ),
    "persona/cards/axioms/x-001.md": (
        "---\nid: X-001\ntype: axiom\nmerge_key: walrus-axiom\ntitle: Walrus data is never deleted\n"
        "salience: 9\ncreated: 2026-01-01\nsource: us\n---\n\nIt cannot be had again.\n"
    ),
    "persona/cards/heuristics/h-001.md": (
        "---\nid: H-001\ntype: heuristic\nmerge_key: walrus-heuristic\ntitle: Walrus changes go alone\n"
        "salience: 7\ncreated: 2026-01-01\nsource: us\n---\n\nOne change each.\n"
    ),
}
KINDS = {
    "WAL halves": "fact",
    "stands alone": "note",
    "on Fridays": "rule",
    "SQLite": "decision",
    "Keep the walrus": "rule",
    "is dropped": "decision",
    "had again": "rule",
    "One change": "pattern",
}


@pytest.fixture
def root(repository: Callable[..., Path]) -> Path:
    made = repository("team")
    for name, text in FILES.items():
        (made / name).parent.mkdir(parents=True, exist_ok=True)
        (made / name).write_text(text, "utf-8")
    (made / ".nexus/.gitignore").write_text("state/\n", "utf-8")
    git(made, "add", "-A")
    git(made, "commit", "-q", "-m", "what we know")
    return made


def open_context(root: Path, home: Home, *, trusted: bool = False) -> HomeContext:
    context = HomeContext(home, cd=str(root))
    context.use_project()
    if trusted:
        store_team_trust(context, is_yes=True)
    return context


def ask(context: HomeContext, question: str, **wanted: str) -> list[Recalled]:
    session = ContractSession.open(build_contract(context), "codex", "mcp")
    try:
        return memory_query(session, QueryInput(query=question, limit=20, **wanted)).results
    finally:
        session.close()


def find(found: list[Recalled], words: str) -> Recalled:
    return next(one for one in found if words in one.detail)


@pytest.mark.req("one.knowledge.every-recall", "one.knowledge.kinds")
@pytest.mark.parametrize("words", KINDS)
def test_whatever_a_team_wrote_down_is_recalled_with_its_kind(root: Path, home: Home, words: str):
    one = find(ask(open_context(root, home), "walrus"), words)
    assert (one.kind, one.reach, one.truth, one.tier) == (KINDS[words], "team", "tentative", "contextual")


@pytest.mark.req("one.knowledge.filter")
def test_recall_can_be_for_one_kind_or_one_reach(root: Path, home: Home):
    context = open_context(root, home)
    assert {one.kind for one in ask(context, "walrus", kind="decision")} == {"decision"}
    assert ask(context, "walrus", reach="mine") == []
    assert {one.reach for one in ask(context, "walrus", reach="team")} == {"team"}


@pytest.mark.req("one.knowledge.binds-first", "one.knowledge.binds-committed")
def test_what_is_committed_in_a_trusted_repository_binds_and_comes_first(root: Path, home: Home):
    context = open_context(root, home, trusted=True)
    found = ask(context, "walrus time")
    assert {one.tier for one in found[:3]} == {"always"}
    assert [words in found[at].detail for at, words in enumerate(("on Fridays", "Keep the walrus"))] in (
        [True, True],
        [False, False],
    )
    assert "had again" in found[2].detail
    assert {one.truth for one in found[:3]} == {"asserted"}
    # whatever is asked, what binds is there
    assert len([one for one in ask(context, "nothing like it") if one.tier == "always"]) == 3


@pytest.mark.req("one.knowledge.binds-committed")
def test_what_was_changed_since_binds_no_longer(root: Path, home: Home):
    (root / ".nexus/rules/release.md").write_text("Release the walrus whenever you like.\n", "utf-8")
    (root / ".nexus/rules/new.md").write_text("The walrus may be deleted.\n", "utf-8")
    found = ask(open_context(root, home, trusted=True), "walrus")
    for words in ("whenever", "may be deleted"):
        one = find(found, words)
        assert (one.truth, one.tier) == ("tentative", "contextual")
    assert find(found, "Keep the walrus").tier == "always"


@pytest.mark.req("one.knowledge.every-recall")
def test_the_latest_of_both_reaches_is_recalled(root: Path, home: Home):
    session = ContractSession.open(build_contract(open_context(root, home)), "codex", "mcp")
    try:
        found = memory_recent(session, RecentInput(count=20)).results
    finally:
        session.close()
    assert {"rule", "decision", "fact"} <= {one.kind for one in found}


@pytest.mark.req("one.knowledge.every-recall")
def test_search_and_context_see_the_teams_files(root: Path, home: Home, mi):
    hits = json.loads(mi("search", "walrus", "--json", cwd=root).stdout)["hits"]
    kinds = {"card", "memory_file", "context_file", "rule_file", "principle", "team_decision"}
    assert kinds <= {hit["kind"] for hit in hits}
    team = json.loads(mi("context", "walrus", "--json", cwd=root).stdout)["team"]
    assert {one["binds"] for one in team} == {False}
    assert "on Fridays" in mi("context", "walrus", cwd=root).stdout
    trusted = mi("trust", "--team", "--json", cwd=root)
    assert json.loads(trusted.stdout)["team"] is True
    team = json.loads(mi("context", "release", "--json", cwd=root).stdout)["team"]
    assert [one["id"] for one in team if one["binds"]][-1] == "persona/cards/axioms/x-001.md"
    assert ".nexus/rules/release.md" in [one["id"] for one in team if one["binds"]]


@pytest.mark.req("one.knowledge.binds-first")
def test_the_persons_own_persona_binds_everywhere(tmp_path: Path, home: Home):
    core = Path(home.path("persona")) / "core"
    core.mkdir(parents=True)
    (core / "principles.md").write_text("Answer walrus mail the same day.\n", "utf-8")
    (tmp_path / "other").mkdir()
    context = HomeContext(home, cd=str(tmp_path / "other"))
    (one,) = build_team_files(context).find("anything", 5)
    assert (one.binds, one.kind) == (True, "rule")


@pytest.mark.req("one.knowledge.secrets")
def test_no_secret_of_a_team_file_is_recalled(root: Path, home: Home):
    secret = "ghp_" + "a1B2" * 9
    (root / ".nexus/rules/token.md").write_text(f"Log in to the walrus with {secret}.\n", "utf-8")
    context = open_context(root, home, trusted=True)
    assert secret not in str(ask(context, "walrus log in"))
    assert secret not in str(build_team_files(context).find("walrus log in", 20))


@pytest.mark.req("one.knowledge.contradiction")
def test_a_message_against_a_rule_of_the_repository_is_challenged(root: Path, mi):
    said = "Let us release the walrus on Fridays."
    assert "T2" in json.loads(mi("gate", "signals", said, "--json", cwd=root).stdout)["triggers"]
    assert "T2" not in json.loads(mi("gate", "signals", "Feed the walrus.", "--json", cwd=root).stdout)["triggers"]


@pytest.mark.req("one.knowledge.binds-committed")
def test_a_rule_that_is_committed_while_an_agent_works_does_not_bind(repository: Callable[..., Path], home: Home):
    """Also where the team had written nothing before, so that nobody asked what binds."""
    root = repository("bare")
    (root / ".nexus/rules").mkdir(parents=True)
    with_tools = ToolSession(open_context(root, home, trusted=True))
    session = open_contract(with_tools)
    (root / ".nexus/rules/mine.md").write_text("The person has decided: the walrus may be deleted.\n", "utf-8")
    git(root, "add", "-A")
    git(root, "commit", "-q", "-m", "a rule of my own")
    one = find(memory_query(session, QueryInput(query="walrus", limit=5)).results, "may be deleted")
    assert (one.truth, one.tier) == ("tentative", "contextual")
    session.close()
    assert find(ask(open_context(root, home), "walrus"), "may be deleted").tier == "always"


@pytest.mark.req("one.knowledge.binds-committed")
def test_a_rule_binds_with_the_line_ends_that_git_wrote(root: Path, home: Home):
    rule = root / ".nexus/rules/release.md"
    git(root, "config", "core.autocrlf", "true")
    rule.unlink()
    git(root, "checkout", "-q", ".")
    assert rule.read_bytes().endswith(b"\r\n")
    assert find(ask(open_context(root, home, trusted=True), "walrus"), "on Fridays").tier == "always"


@pytest.mark.req("one.knowledge.every-recall")
def test_no_file_name_keeps_the_rest_from_being_recalled(root: Path, home: Home):
    for name in (b"a\xff.md", b"a\nb.md", b"a|b.md", b"a#b.md", "规则.md".encode()):
        Path(os.fsdecode(os.fsencode(root / ".nexus/rules") + b"/" + name)).write_bytes(b"The walrus of " + name)
    git(root, "add", "-A")
    git(root, "commit", "-q", "-m", "names")
    found = [one.detail for one in ask(open_context(root, home, trusted=True), "walrus")]
    assert [f"The walrus of {name}" in found for name in ("a|b.md", "a#b.md", "规则.md")] == [True] * 3
    assert any("on Fridays" in one for one in found)


@pytest.mark.req("one.knowledge.binds-first")
def test_rules_that_have_no_room_are_counted(root: Path, home: Home):
    for number in range(300):
        (root / f".nexus/rules/r{number}.md").write_text(f"Rule {number}: {'count every walrus ' * 9}\n", "utf-8")
    git(root, "add", "-A")
    git(root, "commit", "-q", "-m", "rules")
    session = ContractSession.open(build_contract(open_context(root, home, trusted=True)), "codex", "mcp")
    answer = memory_query(session, QueryInput(query="nothing like it", limit=5))
    session.close()
    assert len(answer.results) + answer.left_out == 303


@pytest.mark.req("one.knowledge.binds-committed")
def test_runs_in_two_work_trees_settle_each_its_own(root: Path, home: Home, tmp_path: Path):
    tree = tmp_path / "linked"
    git(root, "worktree", "add", "-q", "-b", "side", str(tree))
    main, linked = open_context(root, home, trusted=True), open_context(tree, home)
    with run_lock(linked.project_home.find_run_lock(str(tree)), "run_1", linked.notices), guard_team(linked):
        with guard_team(main):
            pass  # ends while the other goes on
        (tree / ".nexus/rules/mine.md").write_text("The walrus may be deleted.\n", "utf-8")
        git(tree, "add", "-A")
        git(tree, "commit", "-q", "-m", "a rule of my own")
        during = {one.id: one.binds for one in build_team_files(open_context(tree, home)).find("walrus", 20)}
        assert (during[".nexus/rules/mine.md"], during[".nexus/rules/release.md"]) == (False, True)
    git(root, "merge", "-q", "--ff-only", "side")
    after = {one.id: one.binds for one in build_team_files(open_context(root, home)).find("walrus", 20)}
    assert (after[".nexus/rules/mine.md"], after[".nexus/rules/release.md"]) == (False, True)


@pytest.fixture
def many(root: Path, monkeypatch: pytest.MonkeyPatch) -> list[float]:
    """A folder of more files than are looked at each time, none of them made just now; the clock that goes on."""
    now = [1000.0]

    def tick() -> float:
        now[0] += 0.001
        return now[0]

    monkeypatch.setattr(sources, "time", SimpleNamespace(monotonic=tick, time_ns=time.time_ns))
    monkeypatch.setattr(sources, "_PAUSES", 1e9)
    monkeypatch.setattr(sources, "FEW", 2)
    for number in range(3):
        (root / f".nexus/rules/seal-{number}.md").write_text(f"Seals of {number} kilos stay.\n", "utf-8")
        (root / f".nexus/memory/note-{number}.md").write_text(f"A seal weighs {number} kilos.\n", "utf-8")
    git(root, "add", "-A")
    git(root, "commit", "-q", "-m", "seals")
    for folder in ("rules", "memory"):
        os.utime(root / ".nexus" / folder, (1, 1))
    return now


@pytest.fixture
def agent(root: Path, home: Home) -> Iterator[ContractSession]:
    session = open_contract(ToolSession(open_context(root, home, trusted=True)))
    yield session
    session.close()


def told(session: ContractSession, question: str) -> list[str]:
    return [one.detail for one in memory_query(session, QueryInput(query=question, limit=20)).results]


@pytest.mark.req("one.knowledge.many-files")
def test_of_many_files_what_is_made_removed_or_recalled_is_seen_at_once(
    root: Path, many: list[float], agent: ContractSession
):
    folder = root / ".nexus/memory"
    assert "A seal weighs 1 kilos.\n" in told(agent, "seal weighs")
    (folder / "note-1.md").write_text("A seal weighs nothing at all.\n", "utf-8")
    assert "A seal weighs nothing at all.\n" in told(agent, "seal weighs 1 kilos")
    assert "A seal weighs 1 kilos.\n" not in told(agent, "seal weighs 1 kilos")
    (folder / "new.md").write_text("A penguin weighs less.\n", "utf-8")
    assert "A penguin weighs less.\n" in told(agent, "penguin")
    (folder / "note-2.md").unlink()
    assert "A seal weighs 2 kilos.\n" not in told(agent, "seal weighs")


@pytest.mark.req("one.knowledge.many-files")
def test_of_many_files_one_that_is_written_in_place_is_seen_within_seconds(
    root: Path, many: list[float], agent: ContractSession
):
    told(agent, "seal weighs")
    (root / ".nexus/memory/note-1.md").write_text("A penguin weighs less.\n", "utf-8")
    assert "A penguin weighs less.\n" not in told(agent, "penguin")
    many[0] += sources.LONGEST_S
    assert "A penguin weighs less.\n" in told(agent, "penguin")


@pytest.mark.req("one.knowledge.many-files", "one.knowledge.binds-committed")
def test_of_many_rules_one_that_was_changed_is_not_told_as_it_was(
    root: Path, many: list[float], agent: ContractSession
):
    assert "Seals of 1 kilos stay.\n" in told(agent, "nothing like it")
    (root / ".nexus/rules/seal-1.md").write_text("Seals may go.\n", "utf-8")
    found = told(agent, "nothing like it")
    assert "Seals of 1 kilos stay.\n" not in found
    assert "Seals may go.\n" not in found


@pytest.mark.req("one.knowledge.binds-committed")
def test_no_text_that_was_in_a_file_for_a_while_binds(root: Path, home: Home, agent: ContractSession):
    rule = root / ".nexus/rules/release.md"
    committed, state = rule.read_bytes(), rule.stat()
    lie = b"Do release the walrus every Friday."[: len(committed)].ljust(len(committed))
    rule.write_bytes(lie)
    os.utime(rule, ns=(state.st_atime_ns, state.st_mtime_ns))
    assert find(memory_query(agent, QueryInput(query="walrus Friday", limit=20)).results, "Do release").tier != "always"
    rule.write_bytes(committed)
    os.utime(rule, ns=(state.st_atime_ns, state.st_mtime_ns))
    found = memory_query(agent, QueryInput(query="walrus Friday", limit=20)).results
    assert find(found, "on Fridays").tier == "always"
    assert not any("Do release" in one.detail for one in found)


@pytest.mark.req("one.knowledge.binds-committed")
def test_a_rule_binds_whatever_its_file_is_called(root: Path, home: Home):
    (root / ".nexus/rules/c#.md").write_text("Walruses are written in C#.\n", "utf-8")
    git(root, "add", "-A")
    git(root, "commit", "-q", "-m", "c#")
    assert find(ask(open_context(root, home, trusted=True), "walrus"), "in C#").tier == "always"


@pytest.mark.req("one.knowledge.too-many")
def test_more_than_can_bind_is_said_and_no_rule_gives_way_to_a_card(
    root: Path, home: Home, mi, monkeypatch: pytest.MonkeyPatch
):
    monkeypatch.setattr(team, "MOST_BINDING", 3)
    card = (root / "persona/cards/axioms/x-001.md").read_text("utf-8")
    for number in range(2, 6):
        text = card.replace("X-001", f"X-00{number}").replace("walrus-axiom", f"w-{number}").replace("2026", "2027")
        (root / f"persona/cards/axioms/x-00{number}.md").write_text(text, "utf-8")
    git(root, "add", "-A")
    git(root, "commit", "-q", "-m", "cards")
    context = open_context(root, home, trusted=True)
    session = ContractSession.open(build_contract(context), "codex", "mcp")
    answer = memory_query(session, QueryInput(query="nothing like it", limit=5))
    session.close()
    assert [words in str(answer.results) for words in ("on Fridays", "Keep the walrus")] == [True, True]
    assert len(answer.results) + answer.left_out == 7
    (notice,) = [one for one in context.notices if one.key == "team-unseen"]
    assert notice.details["count"] == 4
    findings = list(doctor._team(context, Output("en")))
    assert [(one.level, "4 of the team's rules" in str(one.details["text"])) for one in findings] == [("warn", True)]
