"""Who is let in to the page, each line of the safety list: by hand over a socket, and by a real browser."""

import http.client
import http.server
import json
import os
import re
import signal
import socket
import ssl
import subprocess
import sys
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from http.cookies import SimpleCookie
from pathlib import Path
from threading import Thread
from typing import Any

import pytest

from mi.app.running_page import find_address
from mi.evidence.log import EvidenceWriter
from mi.evidence.records.questions import Question, QuestionOption
from mi.kernel.home import Home
from mi.kernel.notices import Notices
from mi.web.rendering import STATIC, read_static
from tests.conftest import MI, Mi
from tests.mcp.test_http import INITIALIZE
from tests.waiting import wait_until
from tests.web.browser import open_page, serve_page

Make = Callable[..., Any]
PROJECT = "p_0123456789abcdef"


class Visitor:
    """A client that sends what it is told to, and nothing else."""

    def __init__(self, port: int) -> None:
        self.port = port
        self.host = f"127.0.0.1:{port}"
        self.cookie = ""

    def ask(self, path: str, method: str = "GET", body: str = "", **headers: str) -> tuple[int, Any, str]:
        connection = http.client.HTTPConnection("127.0.0.1", self.port, timeout=30)
        given = {"Host": self.host, "Cookie": self.cookie} if self.cookie else {"Host": self.host}
        given |= {name.replace("_", "-"): value for name, value in headers.items()}
        connection.request(method, path, body.encode() if body else None, given)
        response = connection.getresponse()
        answer = response.status, response.headers, response.read().decode("utf-8", "replace")
        connection.close()
        return answer

    def enter(self, link: str) -> str:
        """Follow a link as a browser does; the page's path."""
        status, headers, body = self.ask("/open/" + link.rpartition("/")[2])
        assert status == 200, body
        (name, morsel), *_ = SimpleCookie(headers["Set-Cookie"]).items()
        self.cookie = f"{name}={morsel.value}"
        return str(morsel["path"])


@pytest.fixture
def asked(home: Home) -> str:
    return ask(home, "Which colour?")


def ask(home: Home, text: str, **more: Any) -> str:
    log = home.project(PROJECT).evidence
    os.makedirs(os.path.dirname(log), exist_ok=True)
    options = [QuestionOption(key="A", text="red"), QuestionOption(key="B", text="green")]
    question = Question(id=f"qu_{os.urandom(4).hex()}", text=text, options=options, blocks=False, **more)
    EvidenceWriter.for_command(log, Notices()).append(question)
    return question.id


def token_of(body: str) -> str:
    found = re.search(r'name="token" value="([^"]+)"', body)
    assert found
    return found[1]


def said_in(home: Home) -> list[str]:
    log = Path(home.project(PROJECT).evidence)
    records = [json.loads(line) for line in log.read_text("utf-8").splitlines()]
    return [one["answer"] for one in records if one["kind"] == "user_input"]


FORM = {"Content_Type": "application/x-www-form-urlencoded"}


@pytest.mark.req("page.safe.link", "page.safe.stranger")
def test_a_link_is_good_once_and_gives_a_cookie_of_this_page_alone(serve: Make, asked: str) -> None:
    served = serve()
    visitor = Visitor(served.port)
    status, headers, body = visitor.ask("/open/" + served.link.rpartition("/")[2])
    assert status == 200
    ((name, morsel),) = SimpleCookie(headers["Set-Cookie"]).items()
    assert name == f"mi-{served.port}"
    assert (morsel["httponly"], morsel["samesite"]) == (True, "Strict")
    assert re.fullmatch(r"/[0-9a-f]{16}", morsel["path"])
    for path in ("/open/" + served.link.rpartition("/")[2], "/open/x", "/", morsel["path"] + "/", "/runs"):
        status, headers, body = visitor.ask(path)
        assert status == 401, path
        assert "Set-Cookie" not in headers
        assert "mi web link" in body
        assert morsel["path"] not in body
        assert "Which colour?" not in body
    visitor.cookie = f"{name}={morsel.value}"
    assert visitor.ask(morsel["path"] + "/")[0] == 200
    visitor.cookie = f"{name}=forged; {visitor.cookie}"  # another page can put its own before it
    assert visitor.ask(morsel["path"] + "/")[0] == 200
    visitor.cookie = f"{name}=forged"
    assert visitor.ask(morsel["path"] + "/")[0] == 401


@pytest.mark.req("page.safe.link")
def test_a_link_can_be_typed_on_a_phone(serve: Make, asked: str) -> None:
    served = serve()
    token = served.link.rpartition("/")[2]
    assert re.fullmatch(r"([0-9a-hjkmnp-tv-z]{4}-){2}[0-9a-hjkmnp-tv-z]{4}", token)
    visitor = Visitor(served.port)
    assert visitor.ask("/open/" + token.upper())[0] == 200
    assert visitor.ask("/open/" + token)[0] == 401


@pytest.mark.req("page.safe.host", "page.safe.csrf")
@pytest.mark.parametrize(
    ("headers", "status"),
    [
        ({}, 200),
        ({"Host": "localhost:PORT"}, 200),
        ({"Host": "LOCALHOST:PORT"}, 200),
        ({"Host": "[::1]:PORT"}, 200),
        ({"Host": "evil.example:PORT"}, 403),
        ({"Host": "127.0.0.1.evil.example:PORT"}, 403),
        ({"Host": "127.0.0.1"}, 403),
        ({"Host": "127.0.0.1:1"}, 403),
        ({"Host": "127.0.0.1:PORT@evil.example"}, 403),
        ({"Host": "0.0.0.0:PORT"}, 403),
        ({"Origin": "http://127.0.0.1:PORT"}, 200),
        ({"Origin": "http://127.0.0.1:1"}, 403),
        ({"Origin": "https://127.0.0.1:PORT"}, 403),
        ({"Origin": "http://localhost:PORT"}, 403),
        ({"Origin": "null"}, 403),
        ({"Sec_Fetch_Site": "same-origin"}, 200),
        ({"Sec_Fetch_Site": "none"}, 200),
        ({"Sec_Fetch_Site": "same-site"}, 403),
        ({"Sec_Fetch_Site": "cross-site"}, 403),
        ({"Sec_Fetch_Site": "cross-site", "Sec_Fetch_Mode": "navigate", "Sec_Fetch_Dest": "iframe"}, 403),
        ({"Sec_Fetch_Site": "same-site", "Sec_Fetch_Mode": "navigate", "Sec_Fetch_Dest": "document"}, 200),
    ],
)
def test_where_a_request_comes_from(one_page: tuple[Visitor, str], headers: dict[str, str], status: int) -> None:
    visitor, place = one_page
    told = {name: value.replace("PORT", str(visitor.port)) for name, value in headers.items()}
    assert visitor.ask(place + "/", **told)[0] == status


@pytest.fixture(scope="module")
def one_page(tmp_path_factory: pytest.TempPathFactory) -> Iterator[tuple[Visitor, str]]:
    """A page of an empty home, for whatever changes nothing."""
    home = tmp_path_factory.mktemp("home")
    with serve_page(env={"MI_HOME": str(home), "HOME": str(home)}, cwd=home) as served:
        visitor = Visitor(served.port)
        yield visitor, visitor.enter(served.link)


@pytest.mark.req("page.safe.headers", "page.start.assets")
def test_what_every_answer_forbids(one_page: tuple[Visitor, str]) -> None:
    visitor, place = one_page
    for path in ("/", place + "/", place + "/static/page.js", place + "/nothing", "/open/x"):
        _, headers, body = visitor.ask(path, Origin=f"http://{visitor.host}")
        policy = headers["Content-Security-Policy"]
        assert policy.startswith("default-src 'none'; ")
        assert "frame-ancestors 'none'" in policy
        assert not {"unsafe", "*", "http"} & set(re.split(r"\W", policy))
        assert not [name for name in headers if name.lower().startswith("access-control")]
        assert headers["X-Content-Type-Options"] == "nosniff"
        assert not re.search(r"<script(?![^>]* src=)|<style|\sstyle=|\son\w+=", body)
    assert sum(len(read_static(name)) for name in STATIC) <= 60_000


@pytest.mark.req("page.safe.csrf")
def test_an_act_needs_the_page_itself_and_the_sessions_token(serve: Make, asked: str, home: Home) -> None:
    served = serve()
    visitor, other = Visitor(served.port), Visitor(served.port)
    place = visitor.enter(served.link)
    shown = visitor.ask(place + "/")[2]
    token, seen = token_of(shown), re.search(r'name="seen" value="(\w+)"', shown)
    own = {"Origin": f"http://{visitor.host}"}
    assert seen
    body = f"item={asked}&act=answer:B&seen={seen[1]}"
    for headers, form, status in [
        ({}, f"{body}&token={token}", 403),  # no browser of ours says nothing of where it comes from
        ({"Origin": "http://127.0.0.1:1"}, f"{body}&token={token}", 403),
        (own | {"Sec_Fetch_Site": "same-site"}, f"{body}&token={token}", 403),
        (own | {"Sec_Fetch_Site": "none"}, f"{body}&token={token}", 403),
        (own, body, 403),
        (own, f"{body}&token=x", 403),
        (own | {"Content_Type": "text/plain"}, f"{body}&token={token}", 415),
    ]:
        assert visitor.ask(place + "/", "POST", form, **FORM | headers)[0] == status
    assert other.ask(place + "/", "POST", f"{body}&token={token}", **FORM | own)[0] == 401
    assert visitor.ask(place + f"/?{body}&token={token}")[0] == 200  # looking does nothing
    assert said_in(home) == []
    assert visitor.ask(place + "/", "POST", f"{body}&token={token}", **FORM | own)[0] == 303
    assert said_in(home) == ["green"]


@pytest.mark.req("page.safe.bodies")
def test_bodies_and_heads_are_limited(one_page: tuple[Visitor, str]) -> None:
    visitor, place = one_page
    own = FORM | {"Origin": f"http://{visitor.host}"}
    assert visitor.ask(place + "/", "POST", "", **own | {"Content_Length": "99999999"})[0] == 413
    assert visitor.ask(place + "/", Long="x" * 40_000)[0] in (400, 431)


@pytest.mark.req("page.safe.theft", "page.safe.csrf", "page.safe.host")
def test_a_malicious_page_of_another_port_gets_nothing(serve: Make, open_window: Make, asked: str, home: Home) -> None:
    served = serve()
    window = open_window()
    page = open_page(window, served.link)
    place = page.url.split("/")[3]
    with malicious(served.port, place, page.input_value("input[name=token]"), asked) as (port, heard):
        evil = window.new_page()
        evil.goto(f"http://127.0.0.1:{port}/")
        evil.wait_for_function("window.done")
        tried = evil.evaluate("window.found")
        assert heard, "the browser did ask the malicious server"
        assert not [cookies for cookies in heard if "mi-" in cookies]
        assert "Which colour?" not in json.dumps(tried)
        assert tried["cookie"] == ""
        assert {one for name, one in tried.items() if name != "cookie"} <= {"opaque", "failed", "empty"}
        evil.goto(f"http://127.0.0.1:{port}/form")  # a form that sends itself, with the true token
        evil.wait_for_load_state()
        bound = evil.goto(f"http://evil.localhost:{served.port}/{place}/")  # a name that was bound to this machine
        assert bound is not None
        assert bound.status == 403
        assert "Which colour?" not in evil.content()
    assert said_in(home) == []


@contextmanager
def malicious(port: int, place: str, token: str, asked: str) -> Iterator[tuple[int, list[str]]]:
    """A page of another port, to which even the path and the token were told; what cookies its server is sent."""
    target = f"http://127.0.0.1:{port}/{place}/"
    script = f"""
        window.found = {{cookie: document.cookie}};
        const note = async (name, work) => {{
          try {{
            const answer = await work();
            window.found[name] = answer.type === "opaque" ? "opaque" : await answer.text();
          }} catch {{ window.found[name] = "failed"; }}
        }};
        const form = new URLSearchParams({{item: "{asked}", act: "answer:B", token: "{token}"}});
        (async () => {{
          await note("read", () => fetch("{target}", {{credentials: "include"}}));
          await note("blind", () => fetch("{target}", {{credentials: "include", mode: "no-cors"}}));
          const post = {{method: "POST", body: form, credentials: "include", mode: "no-cors"}};
          await note("post", () => fetch("{target}", post));
          await note("events", () => fetch("{target}events", {{credentials: "include"}}));
          const frame = document.createElement("iframe");
          frame.src = "{target}";
          const loaded = new Promise((done) => {{ frame.onload = done; frame.onerror = done; }});
          document.body.append(frame);
          await loaded;
          try {{ window.found.frame = frame.contentDocument.body.innerText || "empty"; }}
          catch {{ window.found.frame = "failed"; }}
          window.done = true;
        }})();
    """
    form = f"""<form method=post action="{target}"><input name=item value="{asked}"><input name=act value="answer:B">
        <input name=token value="{token}"></form><script>document.forms[0].submit()</script>"""
    heard: list[str] = []

    class Evil(http.server.BaseHTTPRequestHandler):
        def do_GET(self) -> None:
            heard.append(self.headers.get("Cookie", ""))
            self.send_response(200)
            self.send_header("Content-Type", "text/html")
            self.end_headers()
            self.wfile.write((form if self.path == "/form" else f"<body><script>{script}</script>").encode())

        def log_message(self, *_: object) -> None:
            """Say nothing."""

    server = http.server.ThreadingHTTPServer(("127.0.0.1", 0), Evil)
    thread = Thread(target=server.serve_forever)
    thread.start()
    try:
        yield server.server_port, heard
    finally:
        server.shutdown()
        thread.join()
        server.server_close()


@pytest.mark.req("page.safe.second-link")
def test_another_link_for_a_second_device(serve: Make, mi: Mi, home: Home) -> None:
    none = mi("web", "link")
    assert (none.returncode, none.stderr) == (1, "mi: no page is served for this home; start one: mi web\n")
    served = serve()
    links = [json.loads(mi("web", "link", "--json").stdout)["link"] for _ in range(2)]
    assert len({served.link, *links}) == 3
    for link in (*links, served.link):
        assert link.startswith(f"http://127.0.0.1:{served.port}/open/")
        Visitor(served.port).enter(link)
    said = mi("web", "link", env={"CLAUDECODE": "1"})
    assert said.returncode == 3
    assert "is for a person to say" in said.stderr


@pytest.mark.req("page.safe.second-link")
def test_the_page_itself_gives_no_link_to_an_agents_process(serve: Make, home: Home) -> None:
    serve()
    asking = """import sys
from mi.kernel.home import Home
from mi.web.link_door import ask_link
ask_link(Home(sys.argv[1]))"""
    done = subprocess.run(
        [sys.executable, "-c", asking, home.root],
        env=os.environ | {"CLAUDECODE": "1"},
        capture_output=True,
        encoding="utf-8",
        check=False,
    )
    assert "the page does not see that a person asks" in done.stderr


@pytest.mark.req("page.notified")
def test_a_notification_names_the_page_without_any_secret_and_a_known_browser_finds_it(
    serve: Make, open_window: Make, home: Home, asked: str
) -> None:
    assert find_address(home, asked) == ""
    served = serve()
    wait_until(lambda: find_address(home) != "")
    address = find_address(home, asked)
    assert address == f"{served.url}/#{asked}"
    stranger, known = open_window().new_page(), open_window()
    stranger.goto(address)
    assert "This browser is not let in." in stranger.inner_text("main")
    place = open_page(known, served.link).url
    page = known.new_page()
    page.goto(address)
    page.wait_for_url(f"{place}#{asked}")
    assert page.locator("article:target").inner_text().find("Which colour?") >= 0
    os.kill(served.process.pid, signal.SIGINT)
    served.process.wait(30)
    assert find_address(home) == ""


@pytest.mark.req("page.safe.loopback")
def test_another_address_without_tls_is_said_to_be_read_along(serve: Make, home: Home) -> None:
    served = serve("--bind", "127.0.0.2", "--insecure")
    assert served.url == f"http://127.0.0.2:{served.port}"
    with socket.create_connection(("127.0.0.2", served.port), 30):
        pass


@pytest.mark.req("page.safe.loopback")
@pytest.mark.parametrize(
    ("words", "said"),
    [
        (["--bind", "192.0.2.7"], "--bind 192.0.2.7 needs a certificate (--cert FILE --key FILE), or --insecure"),
        (["--bind", "0.0.0.0", "--insecure"], "names no address of this machine"),
        (["--bind", "::", "--insecure"], "names no address of this machine"),
        (["--bind", "192.0.2.7", "--cert", "x"], "--key is missing"),
        (["--bind", "192.0.2.7", "--cert", "none.pem", "--key", "none.pem"], "the certificate none.pem cannot be used"),
        (["--port", "70000"], "70000"),
        (["--port", "x"], "x"),
    ],
)
def test_other_addresses_need_tls_or_a_word(mi: Mi, words: list[str], said: str) -> None:
    done = mi("web", *words)
    assert done.returncode in (1, 2)
    assert said in done.stderr


@pytest.mark.req("page.safe.loopback")
def test_it_listens_on_loopback_alone(one_page: tuple[Visitor, str]) -> None:
    visitor, _ = one_page
    wanted = f":{visitor.port:04X}"
    rows = [line.split() for name in ("tcp", "tcp6") for line in Path(f"/proc/net/{name}").read_text().splitlines()[1:]]
    assert {row[1] for row in rows if row[1].endswith(wanted) and row[3] == "0A"} == {f"0100007F{wanted}"}


@pytest.mark.req("page.safe.loopback")
def test_another_address_with_a_certificate(serve: Make, tmp_path: Path) -> None:
    cert, key = tmp_path / "cert.pem", tmp_path / "key.pem"
    made = ["openssl", "req", "-x509", "-newkey", "ec", "-pkeyopt", "ec_paramgen_curve:P-256", "-nodes", "-days", "2"]
    names = ["-subj", "/CN=127.0.0.2", "-addext", "subjectAltName=IP:127.0.0.2", "-keyout", str(key), "-out", str(cert)]
    subprocess.run([*made, *names], check=True, capture_output=True)
    served = serve("--bind", "127.0.0.2", "--cert", str(cert), "--key", str(key))
    assert served.url == f"https://127.0.0.2:{served.port}"
    trusting = ssl.create_default_context(cafile=str(cert))
    connection = http.client.HTTPSConnection("127.0.0.2", served.port, context=trusting, timeout=30)
    connection.request("GET", "/open/" + served.link.rpartition("/")[2])
    response = connection.getresponse()
    assert response.status == 200
    assert "Secure" in response.headers["Set-Cookie"]
    connection.close()


@pytest.mark.req("page.start.mcp")
def test_mcp_is_served_beside_it_with_its_own_token(serve: Make, home: Home) -> None:
    served = serve()
    visitor = Visitor(served.port)
    token = Path(home.path("mcp", "token")).read_text("utf-8").strip()
    hello = json.dumps(INITIALIZE)
    status, headers, _ = visitor.ask("/mcp", "POST", hello, Authorization=f"Bearer {token}")
    assert status == 200
    session = headers["Mcp-Session-Id"]
    listed = visitor.ask(
        "/mcp",
        "POST",
        '{"jsonrpc": "2.0", "id": 1, "method": "tools/list"}',
        Authorization=f"Bearer {token}",
        Mcp_Session_Id=session,
    )
    assert "memory_write" in listed[2]
    assert visitor.ask(f"/{token}/mcp", "POST", hello)[0] == 200
    assert visitor.ask("/mcp", "POST", hello)[0] == 401
    place = visitor.enter(served.link)
    assert visitor.ask("/mcp", "POST", hello)[0] == 401  # the page's cookie opens nothing there
    assert Visitor(served.port).ask(f"{place}/", Authorization=f"Bearer {token}")[0] == 401


@pytest.mark.req("page.start.link")
def test_the_link_waits_for_no_view_to_be_loaded() -> None:
    asked = "import sys, mi.web.server; print(*(one for one in sys.modules if one.startswith('mi.web.views.')))"
    done = subprocess.run([sys.executable, "-c", asked], capture_output=True, encoding="utf-8", check=True)
    assert done.stdout.split() == []


@pytest.mark.req("page.start.link", "page.bad.port", "page.bad.browser")
def test_a_port_that_is_taken_gives_way_to_the_next_free_one(home: Home, tmp_path: Path) -> None:
    with socket.create_server(("127.0.0.1", 0)) as taken:
        port = taken.getsockname()[1]
        process = subprocess.Popen(
            [str(MI), "web", "--port", str(port), "--open"],
            stdout=subprocess.PIPE,
            encoding="utf-8",
            env={**os.environ, "DISPLAY": "", "WAYLAND_DISPLAY": "", "BROWSER": ""},
            start_new_session=True,
        )
        assert process.stdout is not None
        told = [process.stdout.readline() for _ in range(5)]
        process.send_signal(signal.SIGINT)
        assert process.wait(30) == 130
        process.stdout.close()
    assert re.fullmatch(rf"Port {port} is taken; the page is at http://127\.0\.0\.1:\d+\.\n", told[0])
    assert re.search(r"Open http://127\.0\.0\.1:\d+/open/\S+ \(good for one browser, once", told[2])
    assert told[4] == "No browser could be opened here; open the link yourself.\n"
