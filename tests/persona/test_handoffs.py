"""Handoffs: what they must hold, who moves them, and in which order."""

import re
from pathlib import Path

import pytest
import yaml

from mi.kernel.errors import Blocked, MiError, NotFound, UsageError
from mi.persona.handoffs import Deliverable, HandoffFile, create, move, read, read_all
from mi.persona.sharing import lint


def handoff(**more: object) -> HandoffFile:
    fields: dict[str, object] = {
        "id": "",
        "sender": "mi",
        "receiver": "ada",
        "timestamp": "",
        "status": "draft",
        "task": "Add login",
        "context": "see docs",
        "acceptance_criteria": ["tests pass"],
    }
    return HandoffFile(**fields | more)  # type: ignore[arg-type]


DONE = [Deliverable(type="patch", path="src/login.py", description="the form")]


@pytest.mark.req(
    *("gov.handoff.id", "gov.handoff.from", "gov.handoff.to", "gov.handoff.timestamp", "mx.handoff.must-fields"),
    *("mx.handoff.should-fields", "gov.handoff.constraints-list", "gov.handoff.criteria-list"),
)
def test_a_handoff_as_it_is_kept(persona):
    one = create(persona, handoff(constraints=["no new dependency"], not_in_scope=["logout"]), [])
    assert re.fullmatch(r"HO-\d{4}-\d{2}-\d{2}-001", one.id)
    assert create(persona, handoff(), []).id.endswith("-002")
    stored = yaml.safe_load((Path(persona.root) / f"handoffs/{one.id}.yaml").read_text("utf-8"))
    assert stored == {
        "id": one.id,
        "from": "mi",
        "to": "ada",
        "timestamp": one.timestamp,
        "status": "sent",
        "task": "Add login",
        "context": "see docs",
        "acceptance_criteria": ["tests pass"],
        "constraints": ["no new dependency"],
        "not_in_scope": ["logout"],
        "deliverables": [],
        "reason": "",
    }


@pytest.mark.req("mx.handoff.no-empty-criteria", "gov.handoff.criteria-list", "mx.handoff.no-unclear")
def test_without_criteria_or_while_unclear_nothing_is_handed_over(persona):
    for criteria in ([], ["", "  "]):
        with pytest.raises(Blocked, match="criterion"):
            create(persona, handoff(acceptance_criteria=criteria), [])
    with pytest.raises(Blocked, match="which login"):
        create(persona, handoff(), ["which login?"])
    for field in ("task", "context"):
        with pytest.raises(UsageError, match=field):
            create(persona, handoff(**{field: " "}), [])
    assert read_all(persona) == ([], [])


@pytest.mark.req("gov.handoff.states", "mx.handoff.deliverables", "gov.handoff.deliverables")
def test_the_whole_way(persona):
    draft = create(persona, handoff(), ["unclear"], send=False)
    assert draft.status == "draft"
    assert move(persona, draft.id, "sent", "mi").status == "sent"
    assert move(persona, draft.id, "accepted", "ada").status == "accepted"
    with pytest.raises(UsageError, match="--deliverable"):
        move(persona, draft.id, "done", "ada")
    move(persona, draft.id, "done", "ada", delivered=DONE)
    assert read(persona, draft.id).deliverables == DONE


@pytest.mark.req("gov.handoff.states")
@pytest.mark.parametrize(
    ("path", "wanted"),
    [
        ([], "done"),
        (["accepted"], "sent"),
        (["accepted"], "rejected"),
        (["rejected"], "accepted"),
        (["accepted", "done"], "accepted"),
    ],
)
def test_other_ways_are_refused(persona, path, wanted):
    one = create(persona, handoff(), [])
    for step in path:
        move(persona, one.id, step, "ada", reason="r", delivered=DONE)
    before = read(persona, one.id)
    with pytest.raises(MiError, match="cannot become"):
        move(persona, one.id, wanted, "ada", reason="r", delivered=DONE)
    assert read(persona, one.id) == before


@pytest.mark.req("mx.handoff.reject", "gov.handoff.reject-reason")
def test_the_receiver_may_give_it_back_with_a_reason(persona):
    one = create(persona, handoff(), [])
    with pytest.raises(UsageError, match="--reason"):
        move(persona, one.id, "rejected", "ada")
    assert move(persona, one.id, "rejected", "ada", reason="which login?").reason == "which login?"


@pytest.mark.req("mx.handoff.verify")
def test_the_receivers_steps_are_the_receivers_and_the_criteria_are_looked_at_again(persona):
    one = create(persona, handoff(), [])
    with pytest.raises(Blocked, match="ada's"):
        move(persona, one.id, "accepted", "mi")
    path = Path(persona.root) / f"handoffs/{one.id}.yaml"
    path.write_text(path.read_text("utf-8").replace("- tests pass", "- ''"), "utf-8")
    with pytest.raises(Blocked, match="criterion"):
        move(persona, one.id, "accepted", "ada")


def test_bad_names_and_broken_files(persona):
    for name in ("HO-1", "../../etc/passwd", ""):
        with pytest.raises(UsageError):
            read(persona, name)
    with pytest.raises(NotFound):
        read(persona, "HO-2026-11-16-999")
    one = create(persona, handoff(), [])
    (Path(persona.root) / f"handoffs/{one.id}.yaml").write_text("id: [", "utf-8")
    with pytest.raises(MiError, match=one.id):
        read(persona, one.id)
    other = create(persona, handoff(), [])
    found, problems = read_all(persona)  # it hides no other
    assert ([found.id for found in found], [found.path for found in problems]) == (
        [other.id],
        [f"handoffs/{one.id}.yaml"],
    )
    assert f"handoffs/{one.id}.yaml" in [found.path for found in lint(persona)]


def test_a_secret_is_not_handed_over(persona):
    with pytest.raises(MiError, match="secret"):
        create(persona, handoff(context="use password=Tr0ub4dor&3xyz!"), [])
    assert read_all(persona) == ([], [])
    one = create(persona, handoff(), [])
    with pytest.raises(MiError, match="secret"):
        move(persona, one.id, "rejected", "ada", "password=Tr0ub4dor&3xyz! is wrong")
    move(persona, one.id, "accepted", "ada")
    told = [Deliverable(type="report", path="x.md", description="password=Tr0ub4dor&3xyz!")]
    with pytest.raises(MiError, match="secret"):
        move(persona, one.id, "done", "ada", delivered=told)
    assert "Tr0ub4dor" not in (Path(persona.root) / "handoffs" / f"{one.id}.yaml").read_text("utf-8")
