"""The pure rules: plan lint, pairing, targets, who is resumed."""

from typing import Any

import msgspec
import pytest

from mi.nexus import lint, pairing, session_rules
from mi.nexus.state import Task, Tasks, TrackerEntry
from mi.nexus.targets import find_targets

Json = dict[str, Any]


def tasks(*rows: Json) -> Tasks:
    """Tasks numbered from 1; a row says what is special about one."""
    plain = {"title": "t", "context": "c", "status": "pending", "deps": []}
    made = [msgspec.convert(plain | {"id": number} | row, Task) for number, row in enumerate(rows, 1)]
    return Tasks(goal="g", decisions=[], tasks=made)


def found(*rows: Json, targets: Json | None = None) -> list[tuple[str, tuple[int, ...]]]:
    added = {task_id: {"target_files": files} for task_id, files in (targets or {}).items()}
    return [(one.rule, one.tasks) for one in lint.find_problems(tasks(*rows), added)]


RUNS = "the command exits 0 and prints the sum"
TELLS = "every option is listed with an example"
ENGINEER = {"owner": "engineer", "acceptance": RUNS}
WRITER = {"owner": "writer", "acceptance": TELLS}

# rows, declared targets, what lint finds, requirements
LINT = {
    "nothing wrong": ([ENGINEER, {"owner": "tester", "deps": [1]}], {}, [], ["nxs.plan-body.pair-deps"]),
    "an engineer's behaviour wants a tester": ([ENGINEER], {}, [("pair-tester", (1,))], ["nxs.plan-body.pair-tester"]),
    "a tester of another task does not count": (
        [ENGINEER, {"owner": "tester"}],
        {},
        [("pair-tester", (1,))],
        ["nxs.plan-body.pair-deps"],
    ),
    "a reviewer is no tester": (
        [ENGINEER, {"owner": "reviewer", "deps": [1]}],
        {},
        [("pair-tester", (1,))],
        ["nxs.plan-body.pair-tester"],
    ),
    "behaviour in Chinese": (
        [{"owner": "engineer", "acceptance": "命令返回 0"}],
        {},
        [("pair-tester", (1,))],
        ["nxs.plan-body.pair-tester"],
    ),
    "a writer's deliverable wants a reviewer": (
        [WRITER],
        {},
        [("pair-reviewer", (1,))],
        ["nxs.plan-body.pair-reviewer"],
    ),
    "nothing to check, nothing due": (
        [{"owner": "engineer", "acceptance": "the folder is gone"}, {"owner": "writer", "acceptance": "short"}],
        {},
        [],
        ["nxs.plan-body.pair-conditional"],
    ),
    "a refactoring keeps behaviour": (
        [ENGINEER | {"title": "Refactor the store"}],
        {},
        [],
        ["nxs.plan-body.pair-not-refactor"],
    ),
    "types alone": ([ENGINEER | {"context": "type-only change"}], {}, [], ["nxs.plan-body.pair-not-type-only"]),
    "documentation under an exception": (
        [WRITER | {"context": "docs_only.independent"}, {"owner": "reviewer", "deps": [1]}],
        {},
        [],
        ["nxs.plan-body.pair-not-docs", "nx.pairing.docs-one-reviewer"],
    ),
    "documentation without its exception": (
        [WRITER],
        {"1": ["a.md"]},
        [("exception-missing", (1,))],
        ["nxs.plan-body.exception-id-in-context"],
    ),
    "an exception's own reviewer is wanted": (
        [WRITER | {"context": "docs_only.independent"}],
        {},
        [("docs-one-reviewer", (1,))],
        ["nx.pairing.docs-one-reviewer", "nxs.exc.docs-independent-treatment"],
    ),
    "and only one": (
        [
            WRITER | {"context": "docs_only.independent"},
            {"owner": "reviewer", "deps": [1]},
            {"owner": "reviewer", "deps": [1]},
        ],
        {},
        [("docs-one-reviewer", (1,))],
        ["nx.pairing.docs-one-reviewer"],
    ),
    "coherent documentation says why": (
        [WRITER | {"context": "docs_only.coherent"}, {"owner": "reviewer", "deps": [1]}],
        {},
        [("coherence-claim", (1,))],
        ["nxs.exc.docs-coherent-claim"],
    ),
    "coherent documentation, several files": (
        [WRITER | {"context": "docs_only.coherent", "approach": "one new field"}, {"owner": "reviewer", "deps": [1]}],
        {"1": ["a.md", "b.md"]},
        [],
        ["nxs.exc.docs-coherent-treatment", "nxs.exc.docs-coherent-when"],
    ),
    "independent documentation, one file each": (
        [WRITER | {"context": "docs_only.independent"}, {"owner": "reviewer", "deps": [1]}],
        {"1": ["a.md", "b.md"]},
        [("docs-one-file", (1,))],
        ["nxs.exc.docs-independent-treatment", "nxs.exc.docs-independent-when"],
    ),
    "documentation that is code": (
        [WRITER | {"context": "docs_only.independent"}, {"owner": "reviewer", "deps": [1]}],
        {"1": ["a.py"]},
        [("docs-not-md", (1,))],
        ["nxs.exc.docs-independent-when", "nxs.exc.docs-coherent-when"],
    ),
    "research is not checked": (
        [{"owner": "researcher", "acceptance": RUNS}, {"owner": "reviewer", "deps": [1]}],
        {},
        [("researcher-checked", (1,))],
        ["nxs.plan-body.pair-not-researcher"],
    ),
    "research wants no check": (
        [{"owner": "researcher", "acceptance": RUNS}],
        {},
        [],
        ["nxs.plan-body.pair-not-researcher"],
    ),
    "side by side in one file": (
        [{}, {}],
        {"1": ["src/a.py"], "2": ["./src/a.py"]},
        [("overlap", (1, 2))],
        ["nxs.plan-body.dedup-merge", "nxs.exc.bundle-when"],
    ),
    "one after the other": ([{}, {"deps": [1]}], {"1": ["a.py"], "2": ["a.py"]}, [], ["nxs.exc.bundle-not-sequenced"]),
    "far after the other": (
        [{}, {"deps": [1]}, {"deps": [2]}],
        {"1": ["a.py"], "3": ["a.py"]},
        [],
        ["nxs.exc.bundle-not-sequenced"],
    ),
    "what is done is no conflict": (
        [{"status": "completed"}, {}],
        {"1": ["a.py"], "2": ["a.py"]},
        [],
        ["nxs.plan-body.dedup-merge"],
    ),
    "targets from the text": (
        [{"approach": "change `src/a.py`"}, {"context": "see `src/a.py`"}],
        {},
        [("overlap", (1, 2))],
        ["nx.pairing.targets-fallback"],
    ),
    "a bundle lists its parts": (
        [{"context": "same_file_bundle"}],
        {},
        [("bundle-approach", (1,))],
        ["nxs.exc.bundle-treatment"],
    ),
    "a bundle is one task": (
        [{"context": "same_file_bundle", "approach": "1. a 2. b"}],
        {"1": ["a.py"]},
        [],
        ["nxs.exc.bundle-counts-one"],
    ),
    "no acceptance": (
        [{"owner": "engineer"}, {"owner": "writer", "acceptance": " "}],
        {},
        [("no-acceptance", (1,)), ("no-acceptance", (2,))],
        ["nx.cli.plan-lint"],
    ),
    "an exception nobody knows": (
        [{"context": "docs_only.other"}],
        {},
        [("unknown-exception", (1,))],
        ["nxs.plan-body.exception-id-in-context"],
    ),
    "a task nobody knows": ([{"deps": [7]}], {}, [("unknown-dep", (1,))], ["nx.cli.plan-lint"]),
    "a circle ends": ([{"deps": [2]}, {"deps": [1]}], {}, [], ["nx.cli.plan-lint"]),
    "two makers for little work": (
        [ENGINEER | {"plan_issue": 1, "acceptance": "gone"}] * 2,
        {"1": ["a.py"], "2": ["b.py"]},
        [("few-parallel", (1, 2))],
        ["nxs.plan-body.parallel-three", "nxs.plan-body.do-check-decompose"],
    ),
    "three are worth it": (
        [ENGINEER | {"plan_issue": 1, "acceptance": "gone"}] * 3,
        {"1": ["a.py"], "2": ["b.py"], "3": ["c.py"]},
        [],
        ["nxs.plan-body.parallel-three", "nxs.plan-body.do-check-decompose"],
    ),
    "one adviser, one session": (
        [{"owner": "architect", "plan_issue": 1}] * 2,
        {},
        [("how-split", (1, 2))],
        ["nxs.plan-body.how-single"],
    ),
    "two advisers, two domains": (
        [{"owner": "architect", "plan_issue": 1}, {"owner": "designer", "plan_issue": 1}],
        {},
        [],
        ["nxs.plan-body.how-split"],
    ),
}


@pytest.mark.parametrize(
    "name", [pytest.param(name, marks=pytest.mark.req("nx.cli.plan-lint", *row[3])) for name, row in LINT.items()]
)
def test_lint(name):
    rows, targets, expected, _ = LINT[name]
    assert found(*rows, targets=targets) == expected


@pytest.mark.req("nxs.exc.generated-when", "nxs.exc.generated-not-counted", "nx.pairing.targets-file")
def test_generated_files_do_not_count():
    added: Json = {
        "1": {"target_files": ["a.py", "dist/x.js"], "generated_files": ["dist/x.js"]},
        "2": {"target_files": ["b.py", "./dist/x.js"], "generated_files": ["dist/x.js"]},
    }
    both = tasks({}, {})
    assert [find_targets(task, added) for task in both.tasks] == [["a.py"], ["b.py"]]
    assert list(lint.find_problems(both, added)) == []


@pytest.mark.req("nx.pairing.targets-fallback")
def test_paths_between_backticks():
    task = tasks(
        {
            "approach": "`src/a.py` and `make test`",
            "context": "`README.md`, `a b.py`, `./x/y.py`, `add()`, `json.loads`, `app.test.ts`, `docs/`, `文/说明.md`",
        }
    ).tasks[0]
    assert find_targets(task, {}) == ["src/a.py", "README.md", "x/y.py", "app.test.ts", "docs", "文/说明.md"]
    assert find_targets(task, {"1": {"target_files": ["only/this.py"]}}) == ["only/this.py"]


def test_a_folder_holds_its_files():
    added: Json = {
        "1": {"target_files": ["src/"]},
        "2": {"target_files": ["src/a.py"]},
        "3": {"target_files": ["srcs/a.py"]},
    }
    (found,) = lint.find_problems(tasks({}, {}, {}), added)
    assert (found.rule, found.tasks, found.detail) == ("overlap", (1, 2), "src/a.py")


@pytest.mark.req("nxs.plan-body.exception-id-in-context")
def test_exceptions_are_found_in_the_context():
    named = tasks({"context": "docs_only.coherent; not docs_only.coherently, nor xsame_file_bundle."}).tasks[0]
    assert pairing.find_exceptions(named) == ["docs_only.coherent"]


# who is resumed


def agent(
    name: str, agent_id: str, touched: list[str], stopped: str = "2026-01-01T10:00:00Z", **more: str
) -> TrackerEntry:
    return TrackerEntry(
        harness_id="mi",
        started_at="2026-01-01T09:00:00Z",
        agent_name=name,
        agent_id=agent_id,
        status="completed",
        stopped_at=stopped,
        files_touched=touched,
        **more,
    )


MINE = agent("engineer", "a1", ["src/a.py"])
LATER = agent("writer", "w1", ["src/a.py"], "2026-01-01T11:00:00Z")
EARLIER = agent("writer", "w1", ["src/a.py"], "2026-01-01T08:00:00Z")
ELSEWHERE = agent("writer", "w1", ["src/b.py"], "2026-01-01T11:00:00Z")
A = ["src/a.py"]

# tier, task, tracker, targets, can resume → decision, reason; requirements
RESUME = {
    "persistent goes on": (
        "persistent",
        {"owner": "engineer"},
        [MINE],
        [],
        True,
        "resume",
        "persistent",
        ["nx.resume.persistent"],
    ),
    "nobody was there": (
        "persistent",
        {"owner": "designer"},
        [MINE],
        [],
        True,
        "fresh",
        "no-prior",
        ["nx.resume.persistent"],
    ),
    "the host cannot": (
        "persistent",
        {"owner": "engineer"},
        [MINE],
        [],
        False,
        "fresh",
        "no-mechanism",
        ["nx.resume.no-mechanism", "nxs.guide.resume-check-support"],
    ),
    "ephemeral never": (
        "ephemeral",
        {"owner": "engineer"},
        [MINE],
        A,
        True,
        "fresh",
        "ephemeral",
        ["nx.resume.ephemeral"],
    ),
    "bounded, the same files": (
        "bounded",
        {"owner": "engineer"},
        [MINE],
        A,
        True,
        "resume",
        "bounded",
        ["nx.resume.bounded"],
    ),
    "bounded, other files": (
        "bounded",
        {"owner": "engineer"},
        [MINE],
        ["src/b.py"],
        True,
        "fresh",
        "other-artifact",
        ["nx.resume.bounded"],
    ),
    "bounded, more files": (
        "bounded",
        {"owner": "engineer"},
        [MINE],
        [*A, "src/b.py"],
        True,
        "fresh",
        "other-artifact",
        ["nx.resume.bounded"],
    ),
    "bounded, unknown files": (
        "bounded",
        {"owner": "engineer"},
        [MINE],
        [],
        True,
        "fresh",
        "other-artifact",
        ["nx.resume.bounded"],
    ),
    "bounded, touched since": (
        "bounded",
        {"owner": "engineer"},
        [MINE, LATER],
        A,
        True,
        "fresh",
        "intervening-edit",
        ["nxs.guide.resume-intervening-edit", "nx.resume.bounded"],
    ),
    "bounded, touched before": (
        "bounded",
        {"owner": "engineer"},
        [EARLIER, MINE],
        A,
        True,
        "resume",
        "bounded",
        ["nxs.guide.resume-intervening-edit"],
    ),
    "bounded, touched elsewhere": (
        "bounded",
        {"owner": "engineer"},
        [MINE, ELSEWHERE],
        A,
        True,
        "resume",
        "bounded",
        ["nxs.guide.files-touched-authoritative"],
    ),
    "no policy beats an edit": (
        "bounded",
        {"owner": "engineer", "owner_reuse_policy": "resume"},
        [MINE, LATER],
        A,
        True,
        "fresh",
        "intervening-edit",
        ["nxs.guide.resume-edit-beats-policy"],
    ),
    "the instance the task names": (
        "bounded",
        {"owner": "engineer", "owner_agent_id": "a1"},
        [MINE, agent("engineer", "a9", ["x"])],
        A,
        True,
        "resume",
        "bounded",
        ["nxs.guide.resume-bounded-prior-id"],
    ),
    "an instance of another owner": (
        "bounded",
        {"owner": "writer", "owner_agent_id": "a1"},
        [MINE],
        A,
        True,
        "fresh",
        "other-owner",
        ["nx.resume.bounded"],
    ),
    "policy fresh": (
        "persistent",
        {"owner": "engineer", "owner_reuse_policy": "fresh"},
        [MINE],
        A,
        True,
        "fresh",
        "policy-fresh",
        ["nx.resume.policy-overrides"],
    ),
    "policy resume for a checker": (
        "ephemeral",
        {"owner": "engineer", "owner_reuse_policy": "resume"},
        [MINE],
        [],
        True,
        "resume",
        "policy-resume",
        ["nx.resume.policy-overrides"],
    ),
    "policy same artifact": (
        "ephemeral",
        {"owner": "engineer", "owner_reuse_policy": "resume_if_same_artifact"},
        [MINE],
        A,
        True,
        "resume",
        "same-artifact",
        ["nx.resume.policy-overrides", "nxs.overview.tracker-purpose"],
    ),
    "policy same artifact, another": (
        "persistent",
        {"owner": "engineer", "owner_reuse_policy": "resume_if_same_artifact"},
        [MINE],
        ["x"],
        True,
        "fresh",
        "other-artifact",
        ["nx.resume.policy-overrides"],
    ),
}


@pytest.mark.parametrize("name", [pytest.param(name, marks=pytest.mark.req(*row[7])) for name, row in RESUME.items()])
def test_resume(name):
    tier, row, tracker, targets, can, decision, reason, _ = RESUME[name]
    done = session_rules.evaluate(tasks(row).tasks[0], tier, tracker, targets, can_resume=can)
    assert (done.decision, done.reason) == (decision, reason)
    assert done.agent_id == ("a1" if decision == "resume" else "")


@pytest.mark.req("nx.resume.bounded-reread")
def test_a_target_that_is_a_folder():
    task = tasks({"owner": "engineer"}).tasks[0]
    mine, others = agent("engineer", "a1", ["src/a.py"]), agent("engineer", "a2", ["src/b.py"], "2026-01-01T11:00:00Z")
    task = msgspec.structs.replace(task, owner_agent_id="a1")
    assert session_rules.evaluate(task, "bounded", [mine], ["src"]).decision == "resume"
    assert session_rules.evaluate(task, "bounded", [mine, others], ["src"]).reason == "intervening-edit"


def test_a_resumed_bounded_agent_reads_again():
    done = session_rules.evaluate(tasks({"owner": "engineer"}).tasks[0], "bounded", [MINE], ["./src/a.py"])
    assert done.fields() == {"decision": "resume", "reason": "bounded", "agent_id": "a1", "reread": ["src/a.py"]}
