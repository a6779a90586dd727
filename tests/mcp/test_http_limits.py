"""The server on loopback beside callers that stand still, send too much, or send what is no request."""

import json
import os
import resource
import signal
import socket
import subprocess
import sys
from collections.abc import Callable, Iterator
from contextlib import ExitStack, contextmanager
from pathlib import Path
from threading import Thread

import pytest

from mi.app.home_context import HomeContext
from mi.app.loopback.limits import Limits
from mi.mcp.http import HttpDoor, read_token
from tests.mcp.test_http import INITIALIZE, opened, send
from tests.mcp.toolbox import offer

BODY = json.dumps(INITIALIZE).encode()
PATIENCE_S = 30  # a test that would wait for ever fails
Serve = Callable[..., HttpDoor]


@pytest.fixture
def serve(home) -> Iterator[Serve]:
    with ExitStack() as stack:

        def start(**limits: float) -> HttpDoor:
            made = HttpDoor(HomeContext(home), offer(), 0, read_token(home), Limits(**limits))  # type: ignore[arg-type]
            thread = Thread(target=made.run)
            thread.start()
            stack.callback(thread.join)
            stack.callback(made.stop)
            return made

        yield start


@contextmanager
def connected(port: int) -> Iterator[socket.socket]:
    with socket.create_connection(("127.0.0.1", port), PATIENCE_S) as connection:
        yield connection


def read_all(connection: socket.socket) -> bytes:
    """Return what comes until the server closes; a reset is a close, too."""
    read = b""
    try:
        while part := connection.recv(65536):
            read += part
    except ConnectionResetError:
        pass
    return read


def head(token: str, *headers: str, host: str = "127.0.0.1") -> bytes:
    lines = ["POST /mcp HTTP/1.1", f"Host: {host}", f"Authorization: Bearer {token}", *headers, "", ""]
    return "\r\n".join(lines).encode()


@pytest.mark.req("safe.doors.time")
@pytest.mark.parametrize("begun", [b"", b"P", b"POST /mcp HTTP/1.1\r\nHost: 127.0.0.1\r\nX-"])
def test_a_request_that_does_not_come_is_not_waited_for(serve, begun):
    door = serve(head_s=0.05)
    with connected(door.port) as connection:
        connection.sendall(begun)
        assert read_all(connection) == b""
    assert opened(door)


@pytest.mark.req("safe.doors.time")
def test_a_second_request_that_does_not_come_is_not_waited_for(serve):
    door = serve(head_s=0.05)
    with connected(door.port) as connection:
        connection.sendall(head(door.token, f"Content-Length: {len(BODY)}") + BODY + b"POST /mcp HT")
        assert read_all(connection).count(b"HTTP/1.1 200") == 1


@pytest.mark.req("safe.doors.time")
def test_a_connection_that_is_not_used_is_closed(serve):
    door = serve(idle_s=0.05)
    with connected(door.port) as connection:
        connection.sendall(head(door.token, f"Content-Length: {len(BODY)}") + BODY)
        assert read_all(connection).startswith(b"HTTP/1.1 200")


@pytest.mark.req("safe.doors.time")
def test_a_body_that_does_not_come_is_not_waited_for(serve):
    door = serve(body_s=0.05)
    with connected(door.port) as connection:
        connection.sendall(head(door.token, "Content-Length: 100") + b"{")
        assert read_all(connection).startswith(b"HTTP/1.1 408")
    assert opened(door)


@pytest.mark.req("safe.doors.size")
@pytest.mark.parametrize(
    ("headers", "status"),
    [
        (["Content-Length: " + "9" * 5000], 400),
        (["Content-Length: " + "9" * 19], 413),
        (["Content-Length: 1001"], 413),
        (["Content-Length: -1"], 400),
        (["Content-Length: 1, 2"], 400),
        (["Content-Length: 0x10"], 400),
        (["Content-Length: \u0661".encode().decode("latin-1")], 400),
        (["Content-Length: 1", "Content-Length: 2"], 400),
        (["X: " + "x" * 3000], 431),
        ([f"X-{n}: x" for n in range(400)], 431),
        (["Host: 127.0.0.1"], 400),
        (["Transfer-Encoding: gzip"], 400),
        ([], 411),
    ],
)
def test_too_much_or_no_request_is_refused_in_one_line(serve, headers, status):
    door = serve(head_bytes=2000 if "X" in "".join(headers) else 32_768, body_bytes=1000)
    with connected(door.port) as connection:
        connection.sendall(head(door.token, *headers))
        answer = read_all(connection)
    assert answer.startswith(b"HTTP/1.1 %d" % status), answer
    assert b"Traceback" not in answer
    assert opened(door)


@pytest.mark.req("safe.doors.size")
def test_a_head_that_does_not_end_is_refused(serve):
    door = serve(head_bytes=2000)
    with connected(door.port) as connection:
        connection.sendall(head(door.token)[:-2] + b"X: " + b"x" * 3000)
        assert read_all(connection).startswith(b"HTTP/1.1 400")


@pytest.mark.req("safe.doors.size")
def test_a_stranger_s_body_is_not_read(serve):
    door = serve()
    with connected(door.port) as connection:
        connection.sendall(head("wrong", "Content-Length: 60000000"))  # it is never sent
        assert read_all(connection).startswith(b"HTTP/1.1 401")


@pytest.mark.req("safe.doors.crowd")
def test_calls_under_way_keep_their_place_in_a_crowd(serve):
    door = serve(connections=8)
    with ExitStack() as stack:
        working = stack.enter_context(connected(door.port))
        working.sendall(head(door.token, f"Content-Length: {len(BODY)}", "Connection: close", "Expect: 100-continue"))
        assert working.recv(65536).startswith(b"HTTP/1.1 100")  # let in, and its body awaited
        for _ in range(50):
            stack.enter_context(connected(door.port)).sendall(b"GET")
        assert opened(door)
        working.sendall(BODY)
        assert read_all(working).startswith(b"HTTP/1.1 200")


class Started:
    """The installed command, serving."""

    def __init__(self, cwd: str) -> None:
        argv = [str(Path(sys.executable).with_name("mi")), "mcp", "serve", "--http", "0", "--json"]
        self.process = subprocess.Popen(
            argv, cwd=cwd, stdout=subprocess.PIPE, stderr=subprocess.PIPE, stdin=subprocess.DEVNULL, encoding="utf-8"
        )
        assert self.process.stdout
        told = json.loads(self.process.stdout.readline())
        self.port = int(told["url"].rpartition(":")[2].removesuffix("/mcp"))
        self.token = Path(told["token_file"]).read_text("utf-8").strip()

    def end(self, number: int) -> tuple[int, str]:
        self.process.send_signal(number)
        _, complaints = self.process.communicate(timeout=PATIENCE_S)
        return self.process.returncode, complaints


@pytest.fixture
def started(repository) -> Iterator[Started]:
    made = Started(str(repository("served")))
    yield made
    if made.process.poll() is None:
        made.end(signal.SIGKILL)


@pytest.fixture
def many_files() -> Iterator[None]:
    former = resource.getrlimit(resource.RLIMIT_NOFILE)
    resource.setrlimit(resource.RLIMIT_NOFILE, (max(4096, former[0]), former[1]))
    yield
    resource.setrlimit(resource.RLIMIT_NOFILE, former)


@pytest.mark.req("safe.doors.crowd")
@pytest.mark.parametrize("begun", [b"", b"POST /mcp HTTP/1.1\r\nHost: 127.0.0.1\r\n", b"POST"])
def test_the_owner_gets_in_beside_1000_half_open_connections(started, many_files, begun):
    with ExitStack() as stack:
        for _ in range(1000):
            stack.enter_context(connected(started.port)).sendall(begun)
        for _ in range(5):
            assert opened(started)
        assert send(started, INITIALIZE, Authorization="Bearer wrong").status == 401
    assert started.end(signal.SIGINT)[0] == 130


@pytest.mark.req("safe.doors.crowd")
def test_few_files_are_room_enough_for_the_owner(repository, many_files):
    former = resource.getrlimit(resource.RLIMIT_NOFILE)
    resource.setrlimit(resource.RLIMIT_NOFILE, (256, former[1]))
    server = Started(str(repository("served")))  # inherits it
    resource.setrlimit(resource.RLIMIT_NOFILE, former)
    with ExitStack() as stack:
        stack.callback(server.process.communicate)
        stack.callback(server.process.terminate)
        for _ in range(1000):
            stack.enter_context(connected(server.port))
        assert opened(server)


@pytest.mark.req("safe.doors.size")
def test_what_is_no_request_is_no_traceback(started):
    for sent in (head(started.token, "Content-Length: " + "9" * 5000), b"\x16\x03\x01\x02" * 50, b"\0" * 40_000):
        with connected(started.port) as connection:
            connection.sendall(sent + b"\r\n\r\n")
            read_all(connection)
    assert opened(started)
    code, complaints = started.end(signal.SIGINT)
    assert (code, complaints.count("\n")) == (130, 1)


@pytest.mark.req("safe.doors.same")
@pytest.mark.parametrize(("number", "code"), [(signal.SIGINT, 130), (signal.SIGTERM, -signal.SIGTERM)])
def test_signals_end_it_though_connections_stand(started, number, code):
    with connected(started.port) as idle, connected(started.port) as begun:
        begun.sendall(b"POST /mcp")
        session = opened(started)
        assert session
        assert started.end(number)[0] == code
        assert read_all(idle) == read_all(begun) == b""
    with pytest.raises(ConnectionRefusedError), connected(started.port):
        pass


@pytest.mark.req("safe.doors.same")
def test_sessions_are_closed_at_the_end(home):
    made = HttpDoor(HomeContext(home), offer(), 0, read_token(home))
    thread = Thread(target=made.run)
    thread.start()
    kept = opened(made)
    closed: list[int] = []

    class Slot:
        def close(self) -> None:
            closed.append(os.getpid())

    made.endpoint.sessions[kept].session.keep("slot", Slot)
    made.stop()
    thread.join()
    assert closed == [os.getpid()]


@pytest.mark.req("safe.doors.loopback")
def test_it_listens_on_127_0_0_1_alone(started):
    with pytest.raises(OSError, match=r"refused|unreachable|assign"):
        socket.create_connection(("127.0.0.2", started.port), PATIENCE_S)  # as local, where the system has it at all


@pytest.mark.req("safe.doors.start")
@pytest.mark.parametrize("argv", [["--version"], ["mcp", "serve"]])
def test_others_do_not_pay_for_it(argv, repository):
    code = f"import sys; from mi.cli.main import run; run({argv}); print(*sys.modules, file=sys.stderr)"
    done = subprocess.run(
        [sys.executable, "-c", code], input=BODY + b"\n", capture_output=True, check=True, cwd=repository("served")
    )
    loaded = done.stderr.decode().split()
    assert "mi.cli.main" in loaded
    assert not {"starlette", "uvicorn", "asyncio", "h11"} & set(loaded)
