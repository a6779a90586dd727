"""The real agents find the skills that MI put into their workspace: seen in what reaches the model."""

import json
from collections.abc import Iterator
from pathlib import Path

import pytest

from mi.evidence.records.workflow_ir import Trigger
from mi.kernel.home import Home
from mi.kernel.notices import Notices
from mi.project.identity import Project
from mi.testing import (
    Repository,
    Request,
    call_tool,
    claude_environment,
    codex_environment,
    messages_server,
    responses_server,
    say,
    temporary_repository,
)
from mi.workflows.editor import WorkflowDesk
from mi.workflows.hosting import Bindings
from mi.workflows.ir import parse_steps
from tests.hosts.trees import tree
from tests.real.running import run_agent

STEPS = ["Update the changelog of the zebra crossing", "check: run `make test`", "gate: push the tag"]
LISTED = "Release notes, the way this user does it"
INSIDE = "Update the changelog of the zebra crossing\\n2. Check: run `make test`"


class Bound:
    """A repository with a workflow, bound to a host."""

    def __init__(self, repo: Repository, home: Home, notices: Notices) -> None:
        self.path = repo.path
        project = Project(root=repo.path, project_id="p1", key=f"path:{repo.path}")
        self.desk = WorkflowDesk(home, project, notices)
        self.desk.create(
            "project", "Release notes", Trigger(mode="task_contains", pattern="release"), parse_steps(STEPS)
        )
        self.bindings = Bindings(home, project, notices)


@pytest.fixture
def bound(tmp_path: Path, home: Home, notices: Notices) -> Iterator[Bound]:
    with temporary_repository(passing=True, parent=str(tmp_path)) as repo:
        yield Bound(repo, home, notices)


def text_of(request: Request) -> str:
    return json.dumps(request.body, ensure_ascii=False)


@pytest.mark.req("v1.wf.adapter-registry")
def test_claude_code_lists_the_skill_and_loads_it(bound: Bound, claude: str, tmp_path: Path) -> None:
    before = tree(Path(bound.path))
    bound.bindings.bind("claude-code", bound.path)
    with messages_server([call_tool("Skill", {"skill": "mi-release-notes"}), say("I follow it.")]) as server:
        env = claude_environment(server, str(tmp_path / "agent"))
        done = run_agent(
            [claude, "-p", "write something", "--output-format", "stream-json", "--verbose"], env, bound.path
        )
    assert done.code == 0, done.stderr
    assert LISTED in text_of(server.requests[0])
    assert INSIDE not in text_of(server.requests[0])
    assert INSIDE in text_of(server.requests[-1])
    bound.bindings.unbind("claude-code")
    assert tree(Path(bound.path)) == before


def test_claude_code_no_longer_knows_a_skill_that_was_taken_out(bound: Bound, claude: str, tmp_path: Path) -> None:
    bound.bindings.bind("claude-code", bound.path)
    bound.bindings.unbind("claude-code")
    with messages_server([say("Hello.")]) as server:
        env = claude_environment(server, str(tmp_path / "agent"))
        run_agent([claude, "-p", "hello", "--output-format", "stream-json", "--verbose"], env, bound.path)
    assert LISTED not in text_of(server.requests[0])


def test_codex_lists_the_skill_and_loads_it(bound: Bound, codex: str, tmp_path: Path) -> None:
    before = tree(Path(bound.path))
    bound.bindings.bind("codex", bound.path)
    with responses_server([say("I follow it.")]) as server:
        env = codex_environment(server, str(tmp_path / "agent"))
        argv = [codex, "exec", "--json", "--sandbox", "workspace-write", "use $mi-release-notes"]
        done = run_agent(argv, env, bound.path)
    assert done.code == 0, done.stderr
    seen = text_of(server.requests[0])
    assert LISTED in seen
    assert INSIDE in seen
    bound.bindings.unbind("codex")
    assert tree(Path(bound.path)) == before


AWKWARD = {
    "发布斑马": ["写变更记录", "check: 运行 `make test`"],
    'Quoted "zebra": {a} <b>c</b> # d \\ & *e | - !!f %g': ["a: b", "--- '"],
    "Long zebra " + "word " * 60: ["step " * 100] * 30,
}
HEADS = ("发布斑马, the way", "{a} (b)c(/b) # d", "Long zebra word")


def awkward(bound: Bound) -> None:
    for name, steps in AWKWARD.items():
        bound.desk.create("project", name, Trigger(mode="task_contains", pattern="zebra"), parse_steps(steps))


def test_claude_code_lists_whatever_a_workflow_is_called(bound: Bound, claude: str, tmp_path: Path) -> None:
    awkward(bound)
    bound.bindings.bind("claude-code", bound.path)
    with messages_server([say("Hello.")]) as server:
        env = claude_environment(server, str(tmp_path / "agent"))
        run_agent([claude, "-p", "hello", "--output-format", "stream-json", "--verbose"], env, bound.path)
    seen = text_of(server.requests[0])
    assert [head for head in (LISTED, *HEADS) if head not in seen] == []


def test_codex_lists_whatever_a_workflow_is_called(bound: Bound, codex: str, tmp_path: Path) -> None:
    awkward(bound)
    bound.bindings.bind("codex", bound.path)
    with responses_server([say("Hello.")]) as server:
        env = codex_environment(server, str(tmp_path / "agent"))
        done = run_agent([codex, "exec", "--json", "--sandbox", "workspace-write", "hello"], env, bound.path)
    assert "invalid" not in done.stderr
    seen = text_of(server.requests[0])
    assert [head for head in (LISTED, *HEADS) if head not in seen] == []
