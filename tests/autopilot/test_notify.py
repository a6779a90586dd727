"""Telling a person who is away: by a command, the desktop, ntfy and a webhook, of what they want to hear."""

import json
import socket
import threading
from collections.abc import Callable, Iterator
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from typing import Any, NamedTuple

import pytest

from mi.app.home_context import HomeContext
from mi.app.notify import WaitClock, deliver
from mi.autopilot.asking import AtTerminal
from mi.evidence.records.questions import Question, UserInput
from mi.kernel.home import Home
from mi.web.link_door import LinkDoor
from tests.autopilot.workbench import MEND, TEST, Json, Workbench, say
from tests.waiting import wait_until

COLOUR = "Which colour should the button have?\nA) red\nB) green"
DONE = [MEND, TEST, say("Fixed and tested. Done.")]
SECRET = "ghp_" + "a1B2" * 9


class Post(NamedTuple):
    """What a server was sent."""

    path: str
    headers: dict[str, str]
    body: bytes


class Listening:
    """A server on loopback that keeps what it is sent."""

    def __init__(self, code: int = 200, location: str = "", after: Callable[[], object] = lambda: None) -> None:
        self.posts: list[Post] = []
        arrived = self._arrived = threading.Condition()
        posts = self.posts

        class Handler(BaseHTTPRequestHandler):
            def do_POST(self) -> None:
                body = self.rfile.read(int(self.headers["Content-Length"]))
                with arrived:
                    posts.append(Post(self.path, dict(self.headers), body))
                    arrived.notify_all()
                after()
                self.send_response(code)
                if location:
                    self.send_header("Location", location)
                self.end_headers()

            def log_message(self, *args: object) -> None:
                pass

        self._server = ThreadingHTTPServer(("127.0.0.1", 0), Handler)
        self.url = f"http://127.0.0.1:{self._server.server_port}/topic"
        threading.Thread(target=self._server.serve_forever, daemon=True).start()

    def wait_for(self, count: int) -> list[Post]:
        """Return what was sent once there is so much of it."""
        with self._arrived:
            assert self._arrived.wait_for(lambda: len(self.posts) >= count, 30), self.posts
        return self.posts

    def close(self) -> None:
        self._server.shutdown()
        self._server.server_close()


@pytest.fixture
def listen() -> Iterator[Callable[..., Listening]]:
    opened: list[Listening] = []

    def begin(*args: Any, **more: Any) -> Listening:
        opened.append(Listening(*args, **more))
        return opened[-1]

    yield begin
    for one in opened:
        one.close()


@pytest.mark.req("person.notify.webhook", "person.notify.text")
def test_a_webhook_hears_all_that_is_needed_to_answer(bench: Workbench, listen: Callable[..., Listening]) -> None:
    server = listen()
    bench.env["HOOK_TOKEN"] = "t0ken"
    bench.config["notify"] = [{"kind": "webhook", "url": server.url, "token_env": "HOOK_TOKEN", "events": ["question"]}]
    bench.agent([say(f"My key is {SECRET}. {COLOUR}")])
    bench.run("paint the button").ended("blocked")
    (post,) = server.wait_for(1)
    told = json.loads(post.body)
    assert post.headers["Authorization"] == "Bearer t0ken"
    assert (told["event"], told["project"], told["task"]) == ("question", bench.project.name, "paint the button")
    assert [option["text"] for option in told["options"]] == ["red", "green"]
    assert told["project_root"] == str(bench.project)
    assert told["number"] == bench.inbox()[0]["number"]
    assert f"mi answer {told['number']}" in told["text"]
    assert SECRET not in post.body.decode()


@pytest.mark.req("page.notified")
def test_the_page_is_named_while_one_is_served(bench: Workbench, listen: Callable[..., Listening]) -> None:
    server = listen()
    bench.config["notify"] = [{"kind": "webhook", "url": server.url, "events": ["question", "done"]}]
    bench.agent([say(COLOUR)], DONE)
    home = Home(str(bench.home))
    with LinkDoor(home, "http://127.0.0.1:7439", lambda: "http://127.0.0.1:7439/open/secret"):
        bench.run().ended("blocked")
        told = json.loads(server.wait_for(1)[0].body)
    assert told["page"] == f"http://127.0.0.1:7439/#{told['question_id']}"
    assert f"On the page: {told['page']}" in told["text"]
    assert "secret" not in server.posts[0].body.decode()
    bench.mi("answer", str(told["number"]), "green")
    bench.run("--resume").ended("done")
    assert "page" not in json.loads(server.wait_for(2)[1].body)


@pytest.mark.req("person.notify.ntfy")
def test_a_topic_of_ntfy_gets_title_and_text_in_chinese_too(bench: Workbench, listen: Callable[..., Listening]) -> None:
    from email.header import decode_header, make_header

    server = listen()
    bench.config["notify"] = [{"kind": "ntfy", "url": server.url}]
    bench.agent([say("报告要用红色还是绿色，请确认？")])
    bench.run("修复失败的测试").ended("blocked")
    (post,) = server.wait_for(1)
    assert str(make_header(decode_header(post.headers["Title"]))) == f"{bench.project.name}：MI 有问题"
    assert "红色还是绿色" in post.body.decode()
    assert post.path == "/topic"


@pytest.mark.req("person.notify.events")
@pytest.mark.parametrize(
    ("events", "steps", "heard"),
    [
        (["done"], DONE, ["done"]),
        (["question"], DONE, []),
        (["blocked"], [say(COLOUR)], ["blocked"]),
        (["question", "blocked"], [say(COLOUR)], ["question"]),
    ],
    ids=lambda value: "+".join(value) if value and isinstance(value[0], str) else "",
)
def test_each_way_hears_what_it_is_for_and_nothing_twice(
    bench: Workbench, listen: Callable[..., Listening], events: list[str], steps: list[Json], heard: list[str]
) -> None:
    server, all_of_it = listen(), listen()
    bench.config["notify"] = [
        {"kind": "webhook", "url": server.url, "events": events},
        {"kind": "webhook", "url": all_of_it.url},
    ]
    bench.agent(steps)
    bench.run()
    all_of_it.wait_for(1)
    if heard:
        server.wait_for(len(heard))
    assert [json.loads(post.body)["event"] for post in server.posts] == heard
    assert len(all_of_it.posts) == 1


@pytest.mark.req("person.notify.desktop")
def test_the_desktop_is_told_by_its_own_program(bench: Workbench, tmp_path: Path) -> None:
    stub = tmp_path / "bin" / "notify-send"
    stub.parent.mkdir()
    stub.write_text(
        f'#!/bin/sh\nprintf "%s\\n" "$@" > {tmp_path}/part && mv {tmp_path}/part {tmp_path}/told\n', "utf-8"
    )
    stub.chmod(0o755)
    bench.env["PATH"] = f"{stub.parent}:/usr/bin:/bin"
    bench.config["notify"] = [{"kind": "desktop"}]
    bench.configure()
    assert bench.mi("notify", "test").code == 0
    assert wait_until((tmp_path / "told").exists, 30)
    assert "MI can reach you" in (tmp_path / "told").read_text("utf-8")


@pytest.mark.req("person.notify.failure")
def test_what_does_not_get_through_waits_in_the_inbox_and_delays_nobody(bench: Workbench) -> None:
    with socket.create_server(("127.0.0.1", 0)) as deaf:  # takes the connection and never answers
        url = f"http://127.0.0.1:{deaf.getsockname()[1]}/"
        bench.config["notify"] = [{"kind": "webhook", "url": url, "events": ["question"]}]
        bench.agent([say(COLOUR)])
        bench.run().ended("blocked")
        assert wait_until(lambda: len(bench.inbox()) == 2, 30)
    lost = [item for item in bench.inbox() if item["kind"] == "notification"]
    assert "webhook" in lost[0]["question"]
    assert "127.0.0.1" in lost[0]["question"]
    assert any(item["kind"] == "question" for item in bench.inbox())
    shown = bench.mi("doctor").stdout
    assert "mi notify test" in shown
    assert bench.mi("inbox", "dismiss", str(lost[0]["number"])).code == 0
    assert not [item for item in bench.inbox() if item["kind"] == "notification"]


@pytest.mark.req("person.notify.failure")
def test_a_way_that_hangs_holds_up_no_other(bench: Workbench, listen: Callable[..., Listening]) -> None:
    heard = listen()
    slow = listen(after=lambda: heard.wait_for(1))  # answers only when the other way was told
    bench.config["notify"] = [{"kind": "webhook", "url": one.url, "events": ["question"]} for one in (slow, heard)]
    bench.agent([say(COLOUR)])
    bench.run().ended("blocked")
    heard.wait_for(1)
    slow.wait_for(1)
    assert [item["kind"] for item in bench.inbox()] == ["question"]


@pytest.mark.req("person.notify.test")
@pytest.mark.parametrize(
    ("target", "said"),
    [
        ({"kind": "command", "command": "/nowhere/tell"}, "tell is not installed"),
        ({"kind": "command", "command": "sh -c 'echo no way >&2; exit 4'"}, "sh ended with 4: no way"),
        ({"kind": "command", "command": "'unbalanced"}, "No closing quotation"),
        ({"kind": "command"}, "notify.command is empty"),
        ({"kind": "ntfy", "url": "topic"}, "notify.url = topic: must begin with https:// or http://"),
        ({"kind": "webhook", "url": "file:///etc/passwd"}, "notify.url"),
        ({"kind": "webhook", "url": "http://127.0.0.1:9/", "token_env": "NO_SUCH"}, "notify.token_env = NO_SUCH"),
        ({"kind": "webhook", "url": "http://[::1/"}, "notify.url"),
    ],
)
def test_notify_test_says_why_a_way_does_not_work(bench: Workbench, target: Json, said: str) -> None:
    bench.config["notify"] = [target]
    bench.configure()
    ran = bench.mi("notify", "test")
    assert ran.code == 1
    assert said in ran.stdout
    assert "Traceback" not in ran.stderr
    (shown,) = json.loads(bench.mi("notify", "test", "--json").stdout)
    assert (shown["channel"], shown["sent"]) == (target["kind"], False)


@pytest.mark.req("person.notify.test")
def test_notify_test_without_any_way_says_how_to_get_one(bench: Workbench) -> None:
    bench.configure()
    ran = bench.mi("notify", "test")
    assert (ran.code, "notify is not configured" in ran.stdout) == (0, True)


def test_a_redirection_takes_no_token_elsewhere(bench: Workbench, listen: Callable[..., Listening]) -> None:
    thief = listen()
    server = listen(302, thief.url)
    bench.env["HOOK_TOKEN"] = "t0ken"
    bench.config["notify"] = [{"kind": "webhook", "url": server.url, "token_env": "HOOK_TOKEN"}]
    bench.configure()
    assert "answered 302" in bench.mi("notify", "test").stdout
    assert thief.posts == []


@pytest.mark.req("person.notify.terminal")
@pytest.mark.parametrize(("answered_at", "told_at"), [(None, 20.0), (19.0, None), (0.0, None)])
def test_a_question_at_the_terminal_is_told_elsewhere_after_20_seconds_without_an_answer(
    bench: Workbench, listen: Callable[..., Listening], answered_at: float | None, told_at: float | None
) -> None:
    server = listen()
    bench.config["notify"] = [{"kind": "webhook", "url": server.url}]
    bench.configure()
    context = HomeContext(Home(str(bench.home)), str(bench.project))
    log = context.open_project_log()
    asked = log.append(Question(id="qu_1", text="Red or green?", project_root=str(bench.project)))
    passed = [0.0]

    def wait(seconds: float) -> None:
        assert server.posts == []
        passed[0] += seconds
        if answered_at is not None and passed[0] - seconds <= answered_at < passed[0]:
            log.append(UserInput(question="Red or green?", answer="red", question_id="qu_1", by="terminal"))

    assert deliver(context, asked.event_id, AtTerminal.patience_s, False, WaitClock(lambda: passed[0], wait)) == []
    assert [passed[0] for _ in server.posts] == ([] if told_at is None else [pytest.approx(told_at)])


@pytest.mark.parametrize(
    ("notify", "said"),
    [
        ([{"kind": "pigeon"}], "notify = "),
        ([{"url": "x"}], "notify = "),
        (7, "notify = 7"),
        ([{"kind": "ntfy", "events": ["always"]}], "notify = "),
    ],
)
def test_a_wrong_configuration_is_named_and_nobody_is_told(bench: Workbench, notify: Any, said: str) -> None:
    bench.config["notify"] = notify
    bench.configure()
    ran = bench.mi("config", "validate")
    assert ran.code == 1
    assert said in ran.stdout + ran.stderr
