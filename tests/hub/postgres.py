"""A PostgreSQL of the tests' own: in a folder of its own, with TLS, as a user that is not root."""

import os
import pwd
import shutil
import signal
import socket
import subprocess
import tempfile
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import psycopg

from tests.waiting import wait_until

OWNER, PASSWORD = "owner", "only-for-tests"
_PLACES = ("/usr/lib/postgresql/*/bin", "/usr/pgsql-*/bin", "/opt/homebrew/opt/postgresql*/bin", "/usr/local/pgsql/bin")
_MISSING = "PostgreSQL's programs are missing (initdb, postgres): apt-get install postgresql, or put them on PATH"
_SETTINGS = """
listen_addresses = '127.0.0.1'
unix_socket_directories = ''
ssl = on
ssl_cert_file = 'server.crt'
ssl_key_file = 'server.key'
max_connections = 40
fsync = {fsync}
synchronous_commit = {fsync}
full_page_writes = {fsync}
shared_buffers = 64MB
log_min_messages = fatal
lc_messages = 'C'
"""
# Only encrypted connections, only by password.
_LOGINS = "hostssl all all 127.0.0.1/32 scram-sha-256\n"


def find_programs() -> Path:
    """The folder with initdb and postgres."""
    found = shutil.which("initdb")
    folders = [Path(found).resolve().parent] if found else []
    for pattern in _PLACES:
        folders += sorted(Path("/").glob(pattern.lstrip("/")), reverse=True)
    for folder in folders:
        if (folder / "initdb").exists() and (folder / "postgres").exists():
            return folder
    raise RuntimeError(_MISSING)


class Postgres:
    """A server; `fsync` only where a test cuts its power."""

    def __init__(self, fsync: bool = False, disk: Path | None = None) -> None:
        self.programs = find_programs()
        self.folder = Path(tempfile.mkdtemp(prefix="mi-hub-", dir=disk or _find_fast_place(fsync)))
        self.certificate = self.folder / "root.crt"
        self.port = _find_port()
        self._user = _find_user()
        self._process: subprocess.Popen[bytes] | None = None
        self._databases = 0
        self._make(fsync)

    @property
    def data(self) -> Path:
        return self.folder / "data"

    def _make(self, fsync: bool) -> None:
        password = self.folder / "password"
        password.write_text(PASSWORD, "utf-8")
        self._hand_over(self.folder)
        words = ["-D", str(self.data), "-U", "postgres", "--pwfile", str(password), "-A", "scram-sha-256"]
        self._run("initdb", *words, "-E", "UTF8", "--locale=C", *([] if fsync else ["--no-sync"]))
        with (self.data / "postgresql.conf").open("a", encoding="utf-8") as file:
            file.write(f"port = {self.port}\n" + _SETTINGS.format(fsync="on" if fsync else "off"))
        (self.data / "pg_hba.conf").write_text(_LOGINS, "utf-8")
        _make_certificate(self.data)
        shutil.copy(self.data / "server.crt", self.certificate)
        self._hand_over(self.data)
        self.start()
        with self.connect("postgres", "postgres") as database:
            database.execute(f"CREATE ROLE {OWNER} LOGIN CREATEROLE PASSWORD '{PASSWORD}'")

    def _hand_over(self, folder: Path) -> None:
        if self._user is None:
            return
        for place, _, names in os.walk(folder):
            for path in (place, *(os.path.join(place, name) for name in names)):
                os.chown(path, self._user.pw_uid, self._user.pw_gid)

    def _as_user(self) -> dict[str, Any]:
        if self._user is None:
            return {}
        return {"user": self._user.pw_uid, "group": self._user.pw_gid, "extra_groups": []}

    def _run(self, program: str, *words: str) -> None:
        done = subprocess.run(
            [str(self.programs / program), *words],
            cwd=self.folder,
            capture_output=True,
            encoding="utf-8",
            check=False,
            **self._as_user(),
        )
        assert done.returncode == 0, done.stderr

    def start(self) -> None:
        """Start the server, and wait until it answers."""
        log = self.folder / "log"
        words = [str(self.programs / "postgres"), "-D", str(self.data)]
        with log.open("ab") as output:
            self._process = subprocess.Popen(
                words, cwd=self.folder, stdout=output, stderr=output, start_new_session=True, **self._as_user()
            )
        assert wait_until(self._answers, 60)

    def _answers(self) -> bool:
        assert self._process is not None
        assert self._process.poll() is None, (self.folder / "log").read_text("utf-8")
        try:
            with self.connect("postgres", "postgres"):
                return True
        except psycopg.OperationalError:
            return False

    def stop(self, how: signal.Signals = signal.SIGINT) -> None:
        """End the server: SIGINT in order, SIGQUIT at once and without a checkpoint."""
        if self._process is not None:
            self._process.send_signal(how)
            self._process.wait(60)
            self._process = None

    def remove(self) -> None:
        self.stop(signal.SIGQUIT)
        shutil.rmtree(self.folder, ignore_errors=True)

    def make_database(self) -> str:
        """A new, empty database of the owner's."""
        self._databases += 1
        name = f"team{self._databases}"
        with self.connect("postgres", "postgres") as database:
            database.execute(f"CREATE DATABASE {name} OWNER {OWNER} TEMPLATE template0")
        return name

    def dsn(self, database: str, user: str = OWNER) -> str:
        words = {"host": "127.0.0.1", "port": self.port, "dbname": database, "user": user, "sslmode": "verify-full"}
        return " ".join(f"{name}={value}" for name, value in words.items()) + f" sslrootcert={self.certificate}"

    def read_spent(self) -> float:
        """Seconds of processor time that the server took for connections, open and ended (Linux)."""
        assert self._process is not None
        place = Path(f"/proc/{self._process.pid}")
        children = (place / "task" / str(self._process.pid) / "children").read_text("utf-8").split()
        spent = [_read_times(place, 13), *(_read_times(Path("/proc") / child, 11) for child in children)]
        return sum(spent) / os.sysconf("SC_CLK_TCK")

    @contextmanager
    def connect(self, database: str, user: str = OWNER, password: str = PASSWORD) -> Iterator[psycopg.Connection[Any]]:
        with psycopg.connect(self.dsn(database, user), password=password, autocommit=True) as connection:
            yield connection


def _read_times(place: Path, first: int) -> int:
    """Two neighbouring times of a process: in its own code and in the system's."""
    try:
        fields = (place / "stat").read_text("utf-8").rpartition(")")[2].split()
    except FileNotFoundError:  # it ended just now
        return 0
    return int(fields[first]) + int(fields[first + 1])


def _make_certificate(folder: Path) -> None:
    words = ["openssl", "req", "-x509", "-newkey", "rsa:2048", "-nodes", "-days", "30", "-subj", "/CN=localhost"]
    words += ["-addext", "subjectAltName=IP:127.0.0.1,DNS:localhost"]
    words += ["-keyout", str(folder / "server.key"), "-out", str(folder / "server.crt")]
    subprocess.run(words, check=True, capture_output=True)
    (folder / "server.key").chmod(0o600)


def _find_user() -> pwd.struct_passwd | None:
    """Who the server runs as: PostgreSQL refuses root."""
    if os.geteuid() != 0:
        return None
    names = {one.pw_name for one in pwd.getpwall()}
    return pwd.getpwnam("postgres" if "postgres" in names else "nobody")


def _find_fast_place(fsync: bool) -> str | None:
    """Memory, where there is enough of it and nothing must outlive a cut of the power."""
    place = "/dev/shm"
    return place if not fsync and os.path.isdir(place) and shutil.disk_usage(place).free > 1 << 30 else None


def _find_port() -> int:
    with socket.socket() as free:
        free.bind(("127.0.0.1", 0))
        return int(free.getsockname()[1])
