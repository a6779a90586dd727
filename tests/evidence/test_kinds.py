"""A kind of record is declared once: what is known of it stands in its class, and no list beside it repeats it."""

import subprocess
import sys
from importlib import import_module

import pytest

from mi.evidence.records.base import Record
from mi.evidence.records.kinds import record_type
from mi.evidence.records.table import AFTER_END, LANDMARKS, MODULES, PAIRS, SHOWN_IN, TRUST
from tests.evidence.test_records import EVERY
from tests.literals import lists_of, sources

# Literals with three kinds or more that are no list of kinds, or one that cannot be had from the classes.
ALLOWED = {
    "mi/kernel/messages/zh/words.py": "the kinds in Chinese: the second file to touch",
    "mi/evidence/costs.py": "the three kinds that tell what a run cost; the code goes by each",
    "mi/evidence/latest.py": "the three kinds by which a run is found; the code goes by each",
    "mi/cli/status.py": "the three records of a batch that are shown, each in its own manner",
    "mi/evidence/inbox.py": "as what a question waits, by what it is about",
    "mi/cli/commands.py": "commands that are named like kinds",
    "mi/app/queue_log.py": "the kinds that say what is queued; the code goes by each",
    "mi/app/why.py": "the decisions of a run that are told of it, with its end",
    "mi/web/views/why.py": "the kinds that have words of their own in a title",
    "mi/hub/outgoing.py": "what of a shared run leaves; each is cut in its own manner",
    "mi/fleet/stretch.py": "the kinds that say how a stretch ended; the code goes by each",
}


@pytest.mark.parametrize("kind", sorted(MODULES))
def test_what_is_told_of_a_kind_is_what_its_class_declares(kind):
    shape = record_type(kind)
    assert shape.__struct_config__.tag == kind
    assert shape.__module__ == f"mi.evidence.records.{MODULES[kind]}"
    assert TRUST.get(kind) == (shape.trust or {"person": "user", "agent": "hands"}.get(shape.said_by))
    assert {place for place, kinds in SHOWN_IN.items() if kind in kinds} == set(shape.shown_in)
    assert PAIRS.get(kind, "") == shape.pairs_with
    assert LANDMARKS.get(kind) == (shape.paired_by if shape.paired_by or shape.is_landmark else None)
    assert (kind in AFTER_END) == shape.follows_end


def test_every_declared_kind_is_told_of():
    modules = {import_module(f"mi.evidence.records.{module}") for module in MODULES.values()}
    declared = {one for module in modules for one in vars(module).values() if isinstance(one, type)}
    tags = {one.__struct_config__.tag for one in declared if issubclass(one, Record)}
    assert tags - {"record", "mind_record"} == set(MODULES) == set(EVERY)


def test_what_waits_is_joined_to_what_settles_it_by_fields_that_both_have():
    assert PAIRS == {
        "question": "user_input",
        "learn_suggested": "learn_applied",
        "notify_failed": "user_input",
    }
    for kind in {*PAIRS, *PAIRS.values()}:
        assert LANDMARKS[kind] in record_type(kind).__struct_fields__


def test_a_list_of_kinds_stands_only_where_they_are_declared():
    found = {
        path: lists
        for path, tree in sources("mi/evidence/records/")
        if (lists := list(lists_of(set(MODULES), tree, at_least=3)))
    }
    assert found.keys() <= ALLOWED.keys(), found


def test_reading_what_is_told_of_kinds_imports_no_class_of_a_kind():
    code = "import sys; from mi.evidence.records.kinds import record_type; record_type('limit'); print(*sys.modules)"
    answer = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    loaded = {name for name in answer.stdout.split() if name.startswith("mi.evidence.records.")}
    assert loaded == {f"mi.evidence.records.{name}" for name in ("base", "kinds", "table", "run")}


def test_a_batch_shows_what_was_sent_and_what_came_of_it():
    assert {"hands_input", "batch_end", "evidence", "decide_next"} <= set(SHOWN_IN["batch"])
