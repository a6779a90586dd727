"""Facts go stale by themselves: a recall looks again at what they rest on, within a moment."""

import pytest

from mi.contract import fact_recheck
from mi.kernel.config.types import Contract, ContractEvidence
from tests.conftest import git
from tests.contract.conftest import Project, ready, recall, write

ALLOWED = ContractEvidence(allow_command=True, commands=["true"])


@pytest.fixture(autouse=True)
def _enough_time(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(fact_recheck, "BUDGET_S", 60.0)


def shown(session, fact) -> tuple[str, str]:
    (found,) = [one for one in recall(session, "main") if one.id == fact.id]
    assert found.truth == next(one.truth for one in recall(session) if one.id == fact.id)
    return found.truth, found.stale_why


@pytest.mark.req("one.stale.by-itself", "one.stale.never-verified")
@pytest.mark.parametrize("later", [False, True])
def test_a_fact_whose_evidence_broke_is_never_recalled_as_verified(opened, project: Project, later: bool):
    session, file = ready(opened()), project.root / "a.py"
    fact = write(session, "fact", "main is in a.py", evidence=["grep_hit::def main::a.py"])
    reader = opened("other") if later else session
    source = file.read_text("utf-8")
    assert shown(reader, fact) == ("verified", "")
    file.write_text("# more\n" + source, "utf-8")
    assert shown(reader, fact) == ("verified", "")
    file.write_text(source.replace("main", "mean"), "utf-8")
    assert shown(reader, fact) == ("stale", "grep_hit def main::a.py (no-match)")
    file.unlink()
    assert shown(reader, fact) == ("stale", "grep_hit def main::a.py (missing)")
    file.write_text(source, "utf-8")
    assert shown(reader, fact) == ("verified", "")


@pytest.mark.req("one.stale.by-itself")
def test_what_a_recall_saw_is_recorded_once(session, project: Project):
    ready(session)
    fact = write(session, "fact", "main is there", evidence=["file_exists::a.py"])
    recall(session, "main")
    assert project.events("memory_verify") == []
    (project.root / "a.py").unlink()
    for _ in range(3):
        assert shown(session, fact)[0] == "stale"
    (event,) = project.events("memory_verify")
    assert [(one["id"], one["stale"]) for one in event.results] == [(fact.id, True)]


@pytest.mark.req("one.stale.bounded")
def test_what_cannot_be_told_in_time_is_unchecked(session, project: Project, monkeypatch: pytest.MonkeyPatch):
    ready(session)
    fact = write(session, "fact", "main is in a.py", evidence=["grep_hit::def main::a.py"])
    monkeypatch.setattr(fact_recheck, "BUDGET_S", -1.0)
    truth, why = shown(session, fact)
    assert (truth, why.startswith("unchecked since 20")) == ("tentative", True)
    assert project.events("memory_verify") == []
    monkeypatch.setattr(fact_recheck, "BUDGET_S", 60.0)
    assert shown(session, fact) == ("verified", "")


@pytest.mark.req("one.stale.bounded")
def test_an_expression_is_not_sought_while_somebody_waits(session, project: Project):
    ready(session)
    fact = write(session, "fact", "main is in a.py", evidence=["grep_hit::def m[a-z]+::a.py"])
    source = (project.root / "a.py").read_text("utf-8")
    (project.root / "a.py").write_text("import os\n\n" + source, "utf-8")
    assert shown(session, fact) == ("verified", "")  # the line that was hit still stands
    (project.root / "a.py").write_text("def mean(): ...\n", "utf-8")
    assert shown(session, fact)[0] == "tentative"


@pytest.mark.req("one.stale.by-itself")
def test_a_command_is_unchecked_once_the_commit_is_another(opened, project: Project):
    git(project.root, "init", "-q")
    git(project.root, "add", "-A")
    git(project.root, "commit", "-qm", "one")
    session = ready(opened(settings=lambda: Contract(evidence=ALLOWED)))
    fact = write(session, "fact", "main works", evidence=["cmd_exit0::true"])
    assert shown(session, fact) == ("verified", "")
    git(project.root, "commit", "-q", "--allow-empty", "-m", "two")
    assert shown(session, fact)[0] == "tentative"


@pytest.mark.req("one.stale.never-verified")
def test_a_fact_whose_file_moved_out_of_the_project_is_stale(opened, project: Project):
    session, inner, outer = ready(opened()), project.root / "src", project.root.parent / "elsewhere"
    for folder in (inner, outer):
        folder.mkdir()
        (folder / "main.py").write_text("def main(): ...\n", "utf-8")
    fact = write(session, "fact", "main is in src", evidence=["file_exists::src/main.py"])
    assert shown(session, fact) == ("verified", "")
    inner.rename(project.root / "former")
    inner.symlink_to(outer)
    assert shown(session, fact) == ("stale", "file_exists src/main.py (path-outside)")


@pytest.mark.req("one.stale.by-itself")
def test_what_another_session_found_out_is_told_after_recalls_that_wrote_nothing_down(opened, project: Project):
    session, other = ready(opened()), ready(opened("other"))
    facts = [write(session, "fact", f"main is there, {number}", evidence=["file_exists::a.py"]) for number in (1, 2)]
    assert [shown(one, fact)[0] for one in (session, other) for fact in facts] == ["verified"] * 4
    later = write(other, "fact", "main is here", evidence=["file_exists::a.py"])
    assert shown(session, later) == ("verified", "")
    (project.root / "a.py").unlink()
    assert shown(other, later)[0] == "stale"
    assert session.truths.of([later.id])[later.id].stale
