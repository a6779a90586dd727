"""Whatever lies in `.nexus/`: an answer or one clear line, nothing lost, and what is written is valid."""

import json
import tempfile
from pathlib import Path
from typing import Any

import msgspec
import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from mi.kernel.config.types import Nexus
from mi.kernel.errors import MiError
from mi.nexus import answers, documents, lint, memory_gc
from mi.nexus.events import EVENTS
from mi.nexus.layout import NexusLayout
from mi.nexus.session_event import handle
from mi.nexus.store import Store
from mi.nexus.toolset import TOOLS, call
from tests.nexus.contract import Case, contents, legal, validate

_WORDS = ["pending", "decided", "completed", "engineer", "2026-01-02T03:04:05Z", "", "x", "密码", "\ud83d", "1.0"]
_KEYS = [
    *("id", "topic", "issues", "title", "status", "decision", "created_at", "goal", "decisions", "tasks", "context"),
    *(
        "deps",
        "owner",
        "acceptance",
        "cycles",
        "plan",
        "completed_at",
        "branch",
        "harness_id",
        "started_at",
        "agent_id",
    ),
    *("files_touched", "path", "last_accessed_ts", "access_count", "last_agent", "task_extensions", "1", "extends"),
    *("target_files", "cycle_extensions", "params", "tool", "agent_name", "message", "task_id", "tool_input", "file"),
]
_plain = st.one_of(st.none(), st.booleans(), st.integers(-2, 9), st.floats(-1, 2), st.sampled_from(_WORDS))
_json = st.recursive(
    _plain,
    lambda inner: st.one_of(st.lists(inner, max_size=3), st.dictionaries(st.sampled_from(_KEYS), inner, max_size=6)),
    max_leaves=25,
)
_objects = st.dictionaries(st.sampled_from(_KEYS), _json, max_size=8)
_files = st.fixed_dictionaries(
    {},
    optional={
        "state/plan.json": _objects,
        "state/tasks.json": _objects,
        "history.json": st.one_of(_objects, st.fixed_dictionaries({"cycles": st.lists(_objects, max_size=3)})),
        "state/mi/agent-tracker.json": st.one_of(_json, st.lists(_objects, max_size=3)),
        "state/mi/memory-access.jsonl": _objects,
        "state/mi/tasks.extension.json": _objects,
        "state/mi/history.extension.json": _objects,
        "state/tool-log.jsonl": _objects,
    },
)
CALLS: list[tuple[str, dict[str, Any]]] = [
    ("plan_status", {}),
    ("plan_update", {"action": "add", "title": "t"}),
    ("plan_update", {"action": "reopen", "issue_id": 1}),
    ("plan_decide", {"issue_id": 1, "decision": "d"}),
    ("plan_start", {"topic": "t", "issues": ["a"], "research_summary": "r"}),
    ("task_list", {}),
    ("task_add", {"title": "t", "context": "c"}),
    ("task_update", {"id": 1, "status": "completed"}),
    ("history_search", {"query": "x"}),
    ("context", {}),
    ("task_close", {}),
]
_once = settings(max_examples=40, deadline=None, suppress_health_check=list(HealthCheck))


@pytest.fixture(autouse=True)
def no_disk(monkeypatch):
    """Hundreds of small repositories: that they would survive a power cut is proved elsewhere."""
    monkeypatch.setattr("os.fsync", lambda fd: None)


def laid_out(files: dict[str, Any]) -> Path:
    root = Path(tempfile.mkdtemp())
    for name, value in files.items():
        path = root / ".nexus" / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(json.dumps(value), "utf-8")
    return root


@pytest.mark.req("nx.state.read-lenient", "nx.state.write-strict", "nx.context.malformed", "nx.layout.no-root-files")
@_once
@given(_files)
def test_tools_in_any_repository(files):
    root = laid_out(files)
    store = Store(NexusLayout(str(root)))
    for name, arguments in CALLS:
        before = contents(root / ".nexus")
        try:
            msgspec.convert(call(store, name, arguments), getattr(answers, TOOLS[name].answer))
        except MiError:
            after = contents(root / ".nexus")
            assert {key: after.get(key) for key in before} == before
            assert name != "context"
        else:
            after = contents(root / ".nexus")
            validate(Case(name, {}), {key: data for key, data in after.items() if before.get(key) != data})
            legal(Case(name, {"id": name}), set(after) - set(before))


@pytest.mark.req("nx.state.read-lenient", "nxs.outputs.tracker-schema-valid")
@_once
@given(_files, _objects, st.sampled_from(sorted(EVENTS)))
def test_events_in_any_repository(files, params, event):
    root = laid_out(files)
    before = contents(root / ".nexus")
    try:
        handle(str(root), event, {"params": params}, "mi")
    except MiError:
        pass
    after = contents(root / ".nexus")
    ours = {"state/mi/agent-tracker.json", "state/mi/memory-access.jsonl"}
    validate(Case(event, {}), {key: after[key] for key in after if before.get(key) != after[key] and key in ours})
    durable = {key: data for key, data in before.items() if key == "history.json" or key == "state/plan.json"}
    assert {key: after.get(key) for key in durable} == durable


@pytest.mark.req("nx.state.read-lenient")
@_once
@given(_files)
def test_looking_around_in_any_repository(files):
    root = laid_out(files)
    store = Store(NexusLayout(str(root)))
    for producer in documents.find_nexus_producers(str(root), "p"):
        assert all(batch.cursor == producer.end() for batch in producer.read(""))
    for look in (lambda: lint.lint(store), lambda: memory_gc.find_stale(store, Nexus().memory_gc)):
        try:
            look()
        except MiError:
            pass
