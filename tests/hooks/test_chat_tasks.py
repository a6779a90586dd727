"""A finished task list and the chat: a yes adds what was proposed, a new request opens the list for its tasks."""

import time
from pathlib import Path

import pytest

from mi.app import speaker
from mi.app.contract import build_contract
from mi.app.home_context import HomeContext
from mi.contract import state
from mi.contract.session import ContractSession, Refused
from mi.contract.task_tools import AddInput, ChangeResult, CompleteInput, task_add, task_complete
from mi.kernel.ancestry import ProcessInfo
from tests.hooks.host import Host, make_chain

DONE = "# Ship it\n\n- [x] mend the parser\n"
ADD = {"title": "write the guide", "subtasks": ["the first page"]}


class Chat(Host):
    """A host's session with a person in its chat, and an agent in it that calls the task tools of our server."""

    above: tuple[str, ...] = ()

    began = 0.0

    def chain(self, pid: int | None = None) -> list[ProcessInfo]:
        program = {"codex": "codex", "claude-code": "claude"}[self.name]
        self.began = self.began or time.time()
        above = [ProcessInfo(77, one, (one,), self.began, 2, f"/usr/bin/{one}", 1000) for one in (program, *self.above)]
        return make_chain(*above)

    def tool(self) -> ContractSession:
        place = build_contract(HomeContext(self.home).for_agent(str(self.root)))
        session = ContractSession.open(place, self.name, "mcp")
        session.state_file.update(lambda old: state.set_mode(state.add_receipt(old, "what is known", []), "GUARDED"))
        return session

    def add(self, told: bool = True, **given: object) -> ChangeResult:
        """What the agent's call does; the host tells its hook before, unless it has none."""
        if told:
            self.before("mcp__mi__task_add", **given)
        session = self.tool()
        try:
            return task_add(session, AddInput(**given))  # type: ignore[arg-type]
        finally:
            session.close()
            self.stop_call("tool_result" if self.name == "claude-code" else "function_call_output")

    @property
    def tasks(self) -> str:
        return (self.root / "tinyTasks.md").read_text("utf-8")


@pytest.fixture(params=["codex", "claude-code"])
def chat(request, home, repository, monkeypatch) -> Chat:
    root: Path = repository("app")
    (root / "tinyTasks.md").write_text(DONE, "utf-8")
    made = Chat(home, root, request.param)
    monkeypatch.setattr(speaker, "read_ancestry", lambda pid=None: made.chain(pid))
    return made


@pytest.mark.req("person.opens.chat-tasks")
@pytest.mark.parametrize("word", ["yes, add it to the list", "add it to the list", "go ahead", "继续", "加进去"])
def test_a_yes_in_the_chat_adds_what_was_refused(chat, word):
    chat.prompt("is there anything left to do?")
    with pytest.raises(Refused):
        chat.add(**ADD)
    assert "write the guide" in chat.prompt(word)
    assert "- [ ] write the guide\n  - [ ] the first page" in chat.tasks
    (said,) = chat.records("user_input")
    assert (said["by"], said["answer"]) == ("chat", word)


@pytest.mark.req("person.opens.chat-tasks")
@pytest.mark.parametrize(
    ("word", "above"), [("no", ()), ("what for?", ()), ("yes", ("claude",)), ("add it", ("aider",))]
)
def test_nothing_else_adds_tasks(chat, word, above):
    chat.prompt("is there anything left to do?")
    with pytest.raises(Refused):
        chat.add(**ADD)
    chat.above = above
    chat.prompt(word)
    assert chat.tasks == DONE


def test_a_yes_does_not_add_what_another_session_proposed(chat, home):
    other = Chat(home, chat.root, chat.name, "s2")
    with pytest.raises(Refused):
        other.add(**ADD)
    chat.prompt("yes")
    assert chat.tasks == DONE


@pytest.mark.req("person.opens.request")
def test_a_new_request_opens_the_list_for_its_tasks_again_and_again(chat):
    assert "task_add" in chat.prompt("Write a guide for the parser.")
    added = chat.add(**ADD)
    assert "- [ ] write the guide\n  - [ ] the first page" in chat.tasks
    session = chat.tool()
    task_complete(session, CompleteInput(task_id=added.pointer))
    session.close()
    chat.add(title="link the guide")
    assert "- [ ] link the guide" in chat.tasks


@pytest.mark.req("person.opens.request")
@pytest.mark.parametrize("prompt", ["thanks, goodbye", "what does the parser do?", "ok", ""])
def test_what_is_no_request_opens_nothing(chat, prompt):
    chat.prompt(prompt)
    with pytest.raises(Refused) as refused:
        chat.add(**ADD)
    assert refused.value.verdict.code == "NO_UNCHECKED_TASK"


@pytest.mark.req("person.opens.request")
def test_a_request_opens_the_list_in_its_own_session_until_the_next_prompt(chat, home):
    chat.prompt("Write a guide for the parser.")
    other = Chat(home, chat.root, chat.name, "s2")
    for told in (True, False):  # an agent elsewhere, with hooks or without
        with pytest.raises(Refused):
            other.add(told, title="rewrite everything")
    chat.prompt("what does the parser do?")
    with pytest.raises(Refused):
        chat.add(**ADD)


@pytest.mark.req("person.opens.request")
@pytest.mark.parametrize("above", [("claude",), ("bash", "codex")])
def test_a_request_of_a_run_or_an_agent_opens_nothing(chat, above):
    chat.above = above
    chat.prompt("Write a guide for the parser.")
    with pytest.raises(Refused):
        chat.add(**ADD)


def test_leave_is_for_the_tasks_that_the_hook_saw_and_for_one_call(chat):
    chat.prompt("Write a guide for the parser.")
    chat.before("mcp__mi__task_add", **ADD)
    with pytest.raises(Refused):
        chat.add(False, title="rewrite everything")
    chat.add(False, **ADD)
    (chat.root / "tinyTasks.md").write_text(DONE, "utf-8")
    with pytest.raises(Refused):
        chat.add(False, **ADD)


@pytest.mark.req("person.opens.request")
def test_an_edit_before_the_tasks_are_listed_is_told_that_the_list_is_open(chat):
    chat.parts = ("contract",)
    session_state = chat.tool()
    session_state.close()
    chat.prompt("Write a guide for the parser.")
    place = build_contract(HomeContext(chat.home).for_agent(str(chat.root)))
    from mi.contract.host_session import open_host_session

    own = open_host_session(place, chat.name, chat.session)
    own.state_file.update(lambda old: state.set_mode(state.add_receipt(old, "what is known", []), "GUARDED"))
    decision, reason = chat.before("Write", file_path=str(chat.root / "guide.md"))
    assert decision == "deny"
    assert "NO_UNCHECKED_TASK" in reason
    assert "task_add" in reason
