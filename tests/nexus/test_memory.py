"""Memory files: merged before they multiply, counted when read, forgotten only so that they can come back."""

import json
import os
import time
from pathlib import Path

import jsonschema
import pytest

from mi.kernel import clock
from mi.kernel.config.types import Config, MemoryGc, Nexus
from mi.kernel.errors import Blocked, MiError, NotFound, StorageError, UsageError
from mi.nexus import access, memory, memory_gc, memory_rules
from mi.nexus.layout import NexusLayout
from mi.nexus.memory_gc import lint_memory
from mi.nexus.memory_rules import objection
from mi.nexus.store import Store
from tests.conftest import git
from tests.nexus.contract import SCHEMAS

SETTINGS = Nexus()
WAL = "WAL mode halves the write time of the evidence log on our laptops."
OLD = 1_000_000_000  # seconds since the epoch: long ago


@pytest.fixture
def store(tmp_path: Path) -> Store:
    root = tmp_path / "repo"
    root.mkdir()
    return Store(NexusLayout(str(root)))


@pytest.fixture
def tracked(repository, monkeypatch) -> Store:
    for name in ("AUTHOR", "COMMITTER"):
        monkeypatch.setenv(f"GIT_{name}_NAME", "Test")
        monkeypatch.setenv(f"GIT_{name}_EMAIL", "test@example.invalid")
    return Store(NexusLayout(str(repository())))


def put(store: Store, name: str, text: str = "something learned", days: int = 0) -> Path:
    path = Path(store.place.memory, name)
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text(text, "utf-8")
    os.utime(path, (time.time() - days * 86400,) * 2)
    return path


def log(store: Store) -> list[dict[str, object]]:
    path = Path(store.place.access)
    return [json.loads(line) for line in path.read_text("utf-8").splitlines()] if path.exists() else []


# adding


@pytest.mark.req("nxs.life.memory-by-m", "nxs.life.write-not-observation", "nxs.policy.name-prefix-optional")
def test_a_new_memory_is_a_file_of_its_own(store: Store):
    added = memory.add(store, WAL, SETTINGS, name="wal-write-time", category="empirical")
    assert added == memory.Added("empirical-wal-write-time.md", added.path, False, 0.0)
    assert Path(added.path).read_text("utf-8") == f"# wal write time\n\n{WAL}\n"
    assert memory.add(store, "# Talk to ops\nThey own the door.", SETTINGS).name == "talk-to-ops.md"
    assert log(store) == []


@pytest.mark.req("nxs.life.merge-before-create", "nx.memory.add-overlap", "nxs.policy.merge-principle")
def test_what_overlaps_extends_the_file_that_is_there(store: Store):
    first = memory.add(store, WAL, SETTINGS, name="wal-write-time", category="empirical")
    again = memory.add(
        store, "WAL mode on our laptops halves write time, also with fsync.", SETTINGS, category="empirical"
    )
    assert (again.name, again.merged, again.changed) == (first.name, True, True)
    assert again.share >= SETTINGS.memory_overlap
    text = Path(first.path).read_text("utf-8")
    assert text.startswith(f"# wal write time\n\n{WAL}\n\n## 2")
    assert text.endswith("also with fsync.\n")
    assert memory.add(store, WAL, SETTINGS, category="empirical").changed is False
    assert len(os.listdir(store.place.memory)) == 1


@pytest.mark.req("nx.memory.add-overlap-cjk")
def test_overlap_in_chinese(store: Store):
    first = memory.add(store, "写入日志时打开预写模式可以让时间减半", SETTINGS, name="wal-write-time")
    again = memory.add(store, "打开预写模式可以让写入时间减半，已经测过", SETTINGS, name="log-speed")
    assert (again.name, again.merged) == (first.name, True)
    other = memory.add(store, "接口每分钟最多一百次请求", SETTINGS, name="api-rate-limit")
    assert other.merged is False


@pytest.mark.req("nxs.life.merge-before-create", "nx.memory.add-overlap")
def test_only_files_of_the_category_are_extended(store: Store):
    memory.add(store, WAL, SETTINGS, name="wal-write-time", category="empirical")
    assert memory.add(store, WAL, SETTINGS, name="wal-write-time", category="pattern").merged is False
    assert sorted(os.listdir(store.place.memory)) == ["empirical-wal-write-time.md", "pattern-wal-write-time.md"]


@pytest.mark.req("nx.memory.add-overlap-threshold")
@pytest.mark.parametrize(("threshold", "merged"), [(0.9, False), (0.2, True)])
def test_how_much_overlap_is_enough_is_a_setting(store: Store, threshold, merged):
    settings = Nexus(memory_overlap=threshold)
    memory.add(store, WAL, settings, name="wal-write-time")
    assert (
        memory.add(
            store, "WAL mode needs one checkpoint a day in production.", settings, name="wal-checkpoints-daily"
        ).merged
        is merged
    )


@pytest.mark.req("nx.memory.add-new")
def test_insisting_on_a_new_file(store: Store):
    memory.add(store, WAL, SETTINGS, name="wal-write-time")
    assert memory.add(store, WAL, SETTINGS, name="wal-again-measured", new=True).merged is False
    with pytest.raises(UsageError, match="exists already"):
        memory.add(store, WAL, SETTINGS, name="wal-write-time", new=True)


NAMES = {
    "wal-write-time.md": "",
    "empirical-wal-time.md": "",
    "external-api-rate-limit.md": "",
    "pattern-release-day-check-list.md": "",
    "legal-privacy-notes.md": "",  # a prefix of the project's own
    "oauth2-flow.md": "",
    "Wal-time.md": "form",
    "wal_time.md": "form",
    "wal-time.txt": "form",
    "-wal.md": "form",
    "../wal-time.md": "form",
    "wal.md": "words",
    "empirical-wal.md": "words",
    "one-two-three-four-five.md": "words",
    "wal-2026-11-16.md": "date",
    "wal-time-20261116.md": "date",
    "wal-2026.md": "date",
    "release-2026q1-notes.md": "date",
    "plan-for-2026-11.md": "date",
    "wal-v2-time.md": "version",
    "python-3-11-quirks.md": "version",
    "api-v1.md": "version",
}


@pytest.mark.req(
    *(
        "nxs.policy.name-pattern",
        "nxs.policy.name-words",
        "nxs.policy.name-prefix-optional",
        "nxs.policy.name-no-version",
    ),
    *(
        "nxs.policy.name-no-date",
        "nx.memory.name-dates-refused",
        "nx.memory.name-words-checked",
        "nxs.life.extra-prefixes",
    ),
    *("nxs.life.cat-empirical", "nxs.life.cat-external", "nxs.life.cat-pattern"),
)
@pytest.mark.parametrize("name", NAMES)
def test_names(name, store: Store):
    fault = NAMES[name]
    assert memory_rules.fault_of(name) == fault
    if fault:
        with pytest.raises(UsageError) as raised:
            memory.add(store, "Something long enough to keep.", SETTINGS, name=name)
        assert raised.value.code == f"memory-name-{fault}"
        assert not Path(store.place.memory).exists()


@pytest.mark.req("nxs.life.extra-prefixes")
def test_a_category_of_the_projects_own(store: Store):
    settings = Nexus(memory_categories=("legal",))
    assert memory.add(store, WAL, settings, name="privacy-notes", category="legal").name == "legal-privacy-notes.md"
    with pytest.raises(UsageError, match="legal"):
        memory.add(store, WAL, settings, category="other")


ADMISSION = {
    "We measured it twice: WAL halves the time.": None,
    "def add(a, b):\n    return a + b\n\nimport os": "code",
    "```python\nx = 1\ny = 2\n```": "code",
    "https://sqlite.org/wal.html": "links",
    "See https://sqlite.org/wal.html and https://a.example/b": "links",
    "https://sqlite.org/wal.html says a reader never blocks the writer, which our run confirmed.": None,
    "# Architecture\nThree floors.": "architecture",
    "# 设计原则\n保持简单。": "architecture",
    "The architecture is hexagonal: ports and adapters around a core.": "architecture",
    "We measured it twice.\nThe service is split into three layers.": "architecture",
    "系统架构分为三层。": "architecture",
    "The build for the ARM architecture is slow: nine minutes, measured twice.": None,
    "The architecture check fails on Mondays, when the cache is cold.": None,
    "Always run the linter.\nNever push to main.": "rule",
    "必须先写测试。": "rule",
    "We must remember that the test box has two cores, so timing tests lie there.": None,
}


@pytest.mark.req(
    *("nx.memory.admission-refused", "nxs.tags.m-admission", "nx.memory.add-force", "nx.memory.rules-placement"),
    *("nxs.life.architecture-in-context", "one.smaller.admission"),
)
@pytest.mark.parametrize("text", ADMISSION)
def test_what_may_become_a_memory(text, store: Store):
    reason = ADMISSION[text]
    assert objection(text) == reason
    if reason:
        with pytest.raises(Blocked) as raised:
            memory.add(store, text, SETTINGS, name="some-topic")
        assert raised.value.code == f"memory-admission-{reason}"
        assert raised.value.exit_code == 3
        assert not Path(store.place.memory).exists()
    assert memory.add(store, text, SETTINGS, name="some-topic", force=bool(reason)).merged is False


@pytest.mark.req("nx.memory.secrets-refused")
def test_secrets_are_refused_even_by_force(store: Store):
    secret = "ghp_aB3dE5fG7hJ9kL1mN3pQ5rS7tU9vW1xY3zA5"
    with pytest.raises(MiError, match="secret") as raised:
        memory.add(store, f"the token: {secret}", SETTINGS, name="some-topic", force=True)
    assert secret not in raised.value.line()
    with pytest.raises(MiError, match="secret"):
        memory.add_rule(store, "x", f"use {secret}")
    assert not Path(store.place.folder).exists()


# reading


@pytest.mark.req(
    *("nx.memory.observe-show", "nxs.life.record-count", "nxs.life.record-last-reader", "nxs.life.record-last-time"),
    *("nxs.access-schema.upsert", "nx.memory.resumed-counts", "nxs.outputs.last-agent-opaque"),
)
def test_showing_counts_as_reading(store: Store):
    path = put(store, "wal-time.md", "text")
    for reader in ("a:{1}", "b"):
        assert memory.show(store, "wal-time", reader) == "text"
    (line,) = log(store)
    assert (line["path"], line["access_count"], line["last_agent"]) == (str(path.resolve()), 2, "b")
    assert clock.parse(str(line["last_accessed_ts"])) > time.time() - 60
    memory.list_files(store, "memory")
    list(lint_memory(store, SETTINGS))
    memory_gc.find_stale(store, MemoryGc())
    assert log(store) == [line]
    with pytest.raises(NotFound, match="wal-time"):
        memory.show(store, "nothing", "x")


@pytest.mark.req("nx.memory.observe-never-blocks")
def test_what_cannot_be_counted_is_still_shown(store: Store):
    put(store, "wal-time.md", "text")
    Path(store.place.access, "in-the-way").mkdir(parents=True)
    assert memory.show(store, "wal-time", "a") == "text"


@pytest.mark.req("nxs.outputs.access-merge", "nx.layout.merge-by-name", "nxs.outputs.last-agent-opaque")
def test_logs_of_two_harnesses_are_added_up(tmp_path: Path):
    def line(path: str, ts: str, count: int, agent: str) -> str:
        return json.dumps({"path": path, "last_accessed_ts": ts, "access_count": count, "last_agent": agent}) + "\n"

    mine, theirs = tmp_path / "a.jsonl", tmp_path / "b.jsonl"
    mine.write_text(line("/m/a.md", "2026-01-02T00:00:00Z", 2, "x") + line("/m/b.md", "2026-01-01T00:00:00Z", 1, "x"))
    theirs.write_text(line("/m/a.md", "2026-01-01T23:00:00-05:00", 3, "{opaque}") + "torn {\n")
    found = [(one.path, one.access_count, one.last_agent) for one in access.merge_records([str(mine), str(theirs)])]
    assert found == [("/m/a.md", 5, "{opaque}"), ("/m/b.md", 1, "x")]


GOOD = {"path": "/a", "last_accessed_ts": "2026-01-02T00:00:00Z", "access_count": 0, "last_agent": "x"}


@pytest.mark.req(
    *(
        "nxs.access-schema.closed",
        "nxs.access-schema.required",
        "nxs.access-schema.path",
        "nxs.access-schema.schema-version",
    ),
    *("nxs.access-schema.last-accessed-ts", "nxs.access-schema.access-count", "nxs.access-schema.last-agent"),
)
@pytest.mark.parametrize(
    ("change", "valid"),
    [
        ({}, True),
        ({"schema_version": "1.0"}, True),
        ({"schema_version": "1"}, False),
        ({"extra": 1}, False),
        ({"path": ""}, False),
        ({"last_agent": ""}, False),
        ({"access_count": -1}, False),
        ({"access_count": 1.5}, False),
        ({"last_accessed_ts": 3}, False),
        *(({name: None}, False) for name in GOOD),
    ],
)
def test_the_shape_of_an_access_record(change, valid):
    schema = json.loads((SCHEMAS / "memory-access.schema.json").read_text("utf-8"))
    assert schema["properties"]["last_accessed_ts"]["format"] == "date-time"
    record = {name: value for name, value in (GOOD | change).items() if value is not None}
    assert jsonschema.Draft202012Validator(schema).is_valid(record) is valid


# forgetting


@pytest.mark.req(
    *("mi.config.nexus-gc-auto", "mi.config.nexus-gc-days", "mi.config.nexus-gc-cycles", "mi.config.nexus-gc-accesses"),
    *("mi.config.nexus-harness-id", "nxs.life.auto-delete-off", "nx.memory.auto-days", "nx.memory.auto-cycles"),
    *("nx.memory.auto-accesses", "nxs.life.thresholds-local", "nx.memory.auto-opt-in", "nx.intro.harness-id"),
)
def test_the_settings_and_their_defaults():
    nexus = Config().nexus
    gc = nexus.memory_gc
    assert (nexus.harness_id, gc.auto, gc.days, gc.cycles, gc.accesses) == ("mi", False, 180, 6, 0)


def cycles(store: Store, count: int) -> None:
    for _ in range(count):
        with store.lock():
            store.archive(None, [])


def read(store: Store, path: Path, days_ago: int) -> None:
    at = clock.format_ms(int((time.time() - days_ago * 86400) * 1000))
    assert access.observe_read(store, str(path), "someone", at)


@pytest.mark.req(
    *("nxs.life.signals-independent", "nx.memory.gc-shows", "nxs.life.three-signals", "nx.memory.auto-days"),
    *("nx.memory.auto-cycles", "nx.memory.auto-accesses", "nxs.life.gc-skips-context", "nxs.life.gc-skips-rules"),
)
def test_signals(store: Store):
    cycles(store, 6)
    fresh = put(store, "read-just-now.md")
    put(store, "never-read-old.md", days=200)
    put(store, "never-read-new.md")
    often = put(store, "read-long-ago.md", days=300)
    read(store, often, 200)
    read(store, fresh, 0)
    for folder in ("context", "rules"):
        Path(store.place.knowledge(folder)).mkdir()
        Path(store.place.knowledge(folder), "old-thing.md").write_text("x")
        os.utime(Path(store.place.knowledge(folder), "old-thing.md"), (OLD, OLD))
    found = {one.name: one for one in memory_gc.find_stale(store, MemoryGc())}
    assert list(found) == ["never-read-old.md", "read-long-ago.md", "never-read-new.md"]
    assert found["never-read-old.md"].signals == {"days": True, "cycles": True, "accesses": True}
    assert found["read-long-ago.md"].signals == {"days": True, "cycles": True, "accesses": False}
    assert found["never-read-new.md"].signals == {"days": False, "cycles": False, "accesses": True}
    assert [one.forgotten for one in found.values()] == [True, False, False]
    assert found["never-read-old.md"].fields()["days"] == 200
    local = memory_gc.find_stale(store, MemoryGc(days=1, cycles=1, accesses=9))
    assert {one.name for one in local if one.forgotten} == {"never-read-old.md", "read-long-ago.md"}
    assert len(os.listdir(store.place.memory)) == 4


@pytest.mark.req(
    *("nxs.life.deletion-commit", "nxs.life.deletion-recovery-path", "nx.memory.commit-restore-command"),
    *("nx.memory.gc-drops-deleted", "nxs.outputs.access-managed-by-gc", "nx.memory.gc-apply"),
)
def test_a_deletion_is_a_commit_that_says_the_way_back(tracked: Store):
    root = Path(tracked.place.root)
    path, other = put(tracked, "wal-time.md", "grüße\r\n"), put(tracked, "keep-this.md")
    read(tracked, path, 1)
    read(tracked, other, 1)
    (root / "file.txt").write_text("being changed", "utf-8")
    (root / "staged.txt").write_text("staged", "utf-8")
    git(root, "add", "staged.txt")
    dirty = git(root, "status", "--porcelain", "--", "file.txt", "staged.txt")
    done = memory_gc.apply(tracked, SETTINGS, ["wal-time"], [])
    assert done.deleted == ["wal-time.md"]
    assert not path.exists()
    message = git(root, "log", "-1", "--format=%B")
    assert git(root, "rev-parse", "HEAD") == done.commits[-1]
    assert (
        git(root, "show", "--stat", "--format=", "HEAD").splitlines()[0].split("|")[0].strip()
        == ".nexus/memory/wal-time.md"
    )
    assert git(root, "status", "--porcelain", "--", "file.txt", "staged.txt") == dirty
    assert [Path(str(one["path"])).name for one in log(tracked)] == ["keep-this.md"]
    command = next(line for line in message.splitlines() if line.startswith("Restore: git "))
    git(root, *command.removeprefix("Restore: git ").split())
    assert path.read_bytes() == "grüße\r\n".encode()


@pytest.mark.req("nx.cli.memory-restore")
def test_restoring(tracked: Store):
    path = put(tracked, "wal-time.md", "as it was\n")
    memory_gc.apply(tracked, SETTINGS, ["wal-time.md"], [])
    assert memory_gc.restore(tracked, "wal-time") == str(path)
    assert path.read_text("utf-8") == "as it was\n"
    with pytest.raises(UsageError, match="exists already"):
        memory_gc.restore(tracked, "wal-time")
    for name in ("never-there", "../../file.txt"):
        with pytest.raises(NotFound, match="no deletion"):
            memory_gc.restore(tracked, name)


@pytest.mark.req("nx.memory.gc-drops-merged", "nx.memory.gc-apply", "nxs.life.merge-before-create")
def test_merging_twins(tracked: Store):
    small, large = (
        put(tracked, "wal-time.md", WAL),
        put(tracked, "wal-write-time.md", f"{WAL}\nAnd more of it, measured twice."),
    )
    read(tracked, small, 1)
    (pair,) = memory_gc.find_merges(tracked, SETTINGS)
    assert (pair.source, pair.into) == ("wal-time.md", "wal-write-time.md")
    done = memory_gc.apply(tracked, SETTINGS, [], [pair])
    assert not small.exists()
    assert large.read_text("utf-8").count(WAL) == 2
    assert "Restore: git checkout" in git(Path(tracked.place.root), "log", "-1", "--format=%B")
    assert log(tracked) == []
    assert len(done.commits) == 1


@pytest.mark.req("nx.memory.no-git-no-deletion", "nxs.life.deletion-commit")
def test_without_a_way_back_nothing_is_deleted(store: Store, repository, monkeypatch):
    path = put(store, "wal-time.md")
    with pytest.raises(StorageError, match="no git repository"):
        memory_gc.apply(store, SETTINGS, ["wal-time"], [])
    assert path.exists()
    root = repository("detached", commits=2)
    place = Store(NexusLayout(str(root)))
    path = put(place, "wal-time.md")
    git(root, "config", "user.useConfigOnly", "true")
    with pytest.raises(StorageError, match="who commits"):
        memory_gc.apply(place, SETTINGS, ["wal-time"], [])
    git(root, "config", "user.name", "Test")
    git(root, "config", "user.email", "test@example.invalid")
    git(root, "checkout", "-q", "--detach")
    with pytest.raises(StorageError, match="detached"):
        memory_gc.apply(place, SETTINGS, ["wal-time"], [])
    git(root, "checkout", "-q", "main")
    (root / ".git/index.lock").write_text("")
    with pytest.raises(StorageError, match="could not commit"):
        memory_gc.apply(place, SETTINGS, ["wal-time"], [])
    assert path.exists()
    (root / ".git/index.lock").unlink()
    memory_gc.apply(place, SETTINGS, ["wal-time"], [])
    assert not path.exists()


def test_a_commit_that_fails_after_the_file_was_kept(tracked: Store, monkeypatch):
    """The second commit is the deletion: when it fails, the file is put back as it was."""
    path = put(tracked, "wal-time.md", "as it was")
    root = Path(tracked.place.root)
    git(root, "add", "-A")
    git(root, "commit", "-q", "-m", "all")
    (root / ".git/index.lock").write_text("")
    with pytest.raises(StorageError, match="could not commit"):
        memory_gc.apply(tracked, SETTINGS, ["wal-time"], [])
    assert path.read_text("utf-8") == "as it was"


def test_a_commit_that_fails_leaves_the_index_as_it_was(tracked: Store):
    """A file that nobody had added is not left staged for the person's next commit."""
    root = Path(tracked.place.root)
    path = put(tracked, "wal-time.md", "never added")
    git(root, "config", "commit.gpgsign", "true")
    git(root, "config", "gpg.program", "false")
    with pytest.raises(StorageError, match="could not commit"):
        memory_gc.apply(tracked, SETTINGS, ["wal-time"], [])
    assert path.read_text("utf-8") == "never added"
    assert git(root, "diff", "--cached", "--name-only") == ""


def test_what_is_no_text_is_kept_when_a_file_is_extended(store: Store):
    path = put(store, "wal-time.md")
    path.write_bytes(b"caf\xe9\r\n")
    memory.add(store, "WAL halves it.", SETTINGS, name="wal-time")
    assert path.read_bytes().startswith(b"caf\xe9\n\n## 2")


def test_on_an_unborn_branch(tmp_path: Path, monkeypatch):
    root = tmp_path / "new"
    root.mkdir()
    git(root, "init", "-q", "-b", "main")
    git(root, "config", "user.name", "Test")
    git(root, "config", "user.email", "test@example.invalid")
    place = Store(NexusLayout(str(root)))
    put(place, "wal-time.md", "text")
    memory_gc.apply(place, SETTINGS, ["wal-time"], [])
    assert git(root, "log", "--format=%s").splitlines() == [
        "memory: forget wal-time.md",
        "memory: keep wal-time.md before it goes",
    ]
    memory_gc.restore(place, "wal-time")


@pytest.mark.req(
    *(
        "nxs.life.auto-delete-off",
        "nx.memory.auto-opt-in",
        "nxs.life.single-signal-prohibited",
        "nxs.life.three-signals",
    ),
    *("nx.memory.auto-fewer-refused", "nxs.invoc.mro-fallback-no-auto", "nxs.invoc.mro-fallback-manual"),
)
def test_automatic_deletion(tracked: Store):
    from mi.nexus.session_event import handle

    cycles(tracked, 7)
    gone = put(tracked, "never-read-old.md", days=300)
    one_signal = put(tracked, "never-read-new.md")
    two_signals = put(tracked, "read-long-ago.md", days=400)

    def begin(**gc: object) -> list[str]:
        settings = Nexus(memory_gc=MemoryGc(**gc))
        return handle(tracked.place.root, "session_start", {}, "mi", settings)["warnings"]

    assert begin() == []
    assert begin(auto=True) == []  # nothing was ever seen to be read here: that nobody read it tells nothing
    assert gone.exists()
    read(tracked, two_signals, 300)
    for missing in ("days", "cycles", "accesses"):
        (warning,) = begin(auto=True, **{missing: None})
        assert "three signals" in warning
    assert gone.exists()
    (warning,) = begin(auto=True)
    assert "never-read-old.md" in warning
    assert (gone.exists(), one_signal.exists(), two_signals.exists()) == (False, True, True)
    memory_gc.restore(tracked, "never-read-old")


@pytest.mark.req("nx.cli.memory-lint", "nx.memory.rules-placement", "nxs.life.architecture-in-context")
def test_lint(store: Store):
    put(store, "wal-time.md", WAL)
    put(store, "wal-write-time.md", f"{WAL} Measured on two laptops and one server.")
    put(store, "wal-v2-time.md", "A measurement of another kind entirely.")
    put(store, "our-architecture.md", "Three floors.")
    put(store, "team-habits.md", "Never push on Friday.")
    put(store, "some-snippet.md", "import os\nimport sys")
    put(store, "empty-one.md", " \n")
    put(store, "api-access.md", "Ask ops for access: ghp_aB3dE5fG7hJ9kL1mN3pQ5rS7tU9vW1xY3zA5")
    found = {(one.name, one.rule) for one in lint_memory(store, SETTINGS)}
    assert found == {
        ("wal-time.md", "twins"),
        ("wal-v2-time.md", "version"),
        ("our-architecture.md", "architecture"),
        ("team-habits.md", "rule"),
        ("some-snippet.md", "code"),
        ("empty-one.md", "empty"),
        ("api-access.md", "secret"),
    }
