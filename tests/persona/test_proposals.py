"""Proposals: what is refused, who may decide, and what becomes of them."""

import threading
from pathlib import Path

import pytest
import yaml

from mi.kernel.errors import Blocked, MiError, NotFound, UsageError
from mi.persona.cards import read_cards
from mi.persona.members import Role
from mi.persona.proposals import ProposalFields, add, find, find_refusal, list_pending, make_slug, read_all, review
from tests.persona.conftest import put, put_card

MEMBERS = [Role(name="ada", type="human"), Role(name="mi", type="ai"), Role(name="bob", type="ai")]
BODY = "Go in small steps.\n\n## Evidence\n\n- ev_1\n"


def candidate(card_type: str = "heuristic", **more: object) -> ProposalFields:
    fields = {
        "proposed_card_type": card_type,
        "title": "Small steps win",
        "merge_key": "small-steps",
        "proposed_by": "mi",
        "date": "2026-11-16",
    }
    return ProposalFields(**fields | more)  # type: ignore[arg-type]


@pytest.mark.req(
    *("gov.prop.refuse-task-state", "gov.prop.refuse-bug-fix", "gov.prop.refuse-todo", "gov.prop.refuse-single-file"),
)
@pytest.mark.parametrize(
    ("text", "reason"),
    [
        ("TODO: rename the module", "todo"),
        ("Remember to update the changelog", "todo"),
        ("We still need to write tests", "todo"),
        ("待办：补测试", "todo"),
        ("记得更新文档", "todo"),
        ("The migration is 60% done", "task-state"),
        ("Login is in progress", "task-state"),
        ("Step 3 is done, waiting for review", "task-state"),
        ("登录功能进行中", "task-state"),
        ("Fixed the login bug", "bug-fix"),
        ("Fix #123", "bug-fix"),
        ("hotfix for checkout", "bug-fix"),
        ("修复了登录崩溃", "bug-fix"),
        ("In parser.py use the regex trick", "single-file"),
        ("src/app.ts line 40 needs a workaround", "single-file"),
        ("在 parser.py 里用这个小技巧", "single-file"),
        ("Migrations go alone, never with code", None),
        ("A change without a test is not done", None),
        ("Between a.py and b.py the order of imports matters: a known hack", None),
        ("README.md comes first", None),
        ("迁移必须单独提交", None),
    ],
)
def test_what_is_no_lasting_knowledge_is_refused_with_the_reason(persona, text, reason):
    assert find_refusal(text) == reason
    if reason:
        with pytest.raises(MiError) as caught:
            add(persona, candidate(title=text), BODY)
        assert caught.value.code == f"proposal-{reason}"
        assert read_all(persona) == ([], [])


@pytest.mark.req(
    *("gov.dir.proposals", "gov.prop.type", "gov.prop.proposed-card-type", "gov.prop.proposed-by", "gov.prop.date"),
    *("gov.prop.status", "mx.mem.propose"),
)
def test_a_proposal_as_it_is_kept(persona):
    kept = add(persona, candidate(), BODY)
    assert kept.path == "proposals/2026-11/proposal-heuristic-small-steps-win.md"
    text = (Path(persona.root) / kept.path).read_text("utf-8")
    fields = yaml.safe_load(text.split("---")[1])
    assert fields | {"date": str(fields["date"])} == {
        "type": "proposal",
        "proposed_card_type": "heuristic",
        "title": "Small steps win",
        "merge_key": "small-steps",
        "proposed_by": "mi",
        "date": "2026-11-16",
        "status": "pending",
        "salience": 5,
    }
    assert add(persona, candidate(), BODY).path == "proposals/2026-11/proposal-heuristic-small-steps-win-2.md"
    assert len(list_pending(persona)) == 2


@pytest.mark.parametrize(
    ("title", "slugged"), [("Small, steps!", "small-steps"), ("小步快走 now", "小步快走-now"), ("!!", "untitled")]
)
def test_slugs(title, slugged):
    assert make_slug(title) == slugged


def test_secrets_and_empty_titles_are_refused(persona):
    for given in ({"title": " "}, {"merge_key": "Not Kebab"}):
        with pytest.raises(UsageError):
            add(persona, candidate(**given), BODY)
    with pytest.raises(MiError, match="secret"):
        add(persona, candidate(), "token ghp_" + "a1B2c3D4e5F6g7H8i9J0k1L2m3N4o5P6q7R8")
    assert not list(Path(persona.root).glob("proposals/*/*"))


@pytest.mark.req("gov.prop.reviewer-differs", "gov.prop.ai-never-own", "mx.mem.review-one")
@pytest.mark.parametrize("verdict", ["accept", "reject", "merge"])
def test_nobody_reviews_their_own_proposal(persona, verdict):
    name = add(persona, candidate(), BODY).name
    with pytest.raises(Blocked, match="another member"):
        review(persona, name, verdict, "mi", "fine", MEMBERS)
    assert find(persona, name).proposal.status == "pending"
    assert read_cards(persona) == ([], [])


@pytest.mark.req("gov.prop.human-counts", "gov.prop.axiom-human", "gov.prop.principle-human")
@pytest.mark.parametrize("card_type", ["axiom", "principle", "heuristic", "pattern"])
@pytest.mark.parametrize("reviewer", ["ada", "bob"])
def test_axioms_and_principles_need_the_human(persona, card_type, reviewer):
    name = add(persona, candidate(card_type), BODY).name
    if card_type in ("axiom", "principle") and reviewer == "bob":
        with pytest.raises(Blocked, match="only the human"):
            review(persona, name, "accept", reviewer, "fine", MEMBERS)
        return
    decided, card_id = review(persona, name, "accept", reviewer, "fine", MEMBERS)
    assert decided.proposal.status == "accepted"
    assert read_cards(persona)[0][0].card.id == card_id


@pytest.mark.req("gov.prop.review-fields", "mx.conf.card-management", "mx.def.card")
def test_accepting_makes_a_card_and_the_index(persona):
    put_card(persona, "H-007", merge_key="other")
    name = add(persona, candidate(salience=8, source="docs/x.md"), BODY).name
    decided, card_id = review(persona, name, "accept", "ada", "seen often", MEMBERS)
    proposal = decided.proposal
    assert card_id == "H-008"
    assert (proposal.reviewed_by, proposal.verdict, proposal.verdict_reason) == ("ada", "accept", "seen often")
    assert proposal.reviewed_date
    index = yaml.safe_load((Path(persona.root) / "indexes/card-index.yaml").read_text("utf-8"))
    assert [one["id"] for one in index["heuristics"]] == ["H-007", "H-008"]
    with pytest.raises(MiError, match="accepted already"):
        review(persona, name, "reject", "ada", "no", MEMBERS)


@pytest.mark.req("mx.mem.no-unverified", "mx.mem.evidence")
def test_a_fact_without_evidence_is_not_accepted(persona):
    name = add(persona, candidate(), "Just so.").name
    with pytest.raises(MiError, match="evidence"):
        review(persona, name, "accept", "ada", "fine", MEMBERS)
    assert find(persona, name).proposal.status == "pending"


@pytest.mark.req("gov.prop.same-merge-key", "gov.prop.review-fields")
def test_the_merge_key_of_an_active_card_can_only_be_merged_or_rejected(persona):
    put_card(persona, "H-001", merge_key="small-steps")
    name = add(persona, candidate(), BODY).name
    with pytest.raises(Blocked, match="merge or reject"):
        review(persona, name, "accept", "ada", "fine", MEMBERS)
    decided, card_id = review(persona, name, "merge", "ada", "same thing", MEMBERS)
    assert (card_id, decided.proposal.status, decided.proposal.merged_into) == ("H-001", "merged", "H-001")
    (card,) = read_cards(persona)[0]
    assert "Small steps win" in card.body
    assert card.card.last_reviewed


def test_merging_needs_a_card(persona):
    name = add(persona, candidate(), BODY).name
    with pytest.raises(UsageError, match="--into"):
        review(persona, name, "merge", "ada", "same", MEMBERS)
    with pytest.raises(NotFound):
        review(persona, name, "merge", "ada", "same", MEMBERS, into="H-099")


def test_rejecting_leaves_no_card(persona):
    name = add(persona, candidate("axiom"), BODY).name
    decided, card_id = review(persona, "small-steps-win", "reject", "bob", "no", MEMBERS)
    assert (decided.name, decided.proposal.status, card_id) == (name, "rejected", "")
    assert read_cards(persona)[0] == []


def test_a_broken_proposal_is_named_and_hides_no_other(persona):
    add(persona, candidate(), BODY)
    put(persona, "proposals/2026-11/bad.md", "---\ntype: [\n---\n")
    put(persona, "proposals/2026-11/worse.md", "---\ntype: proposal\n---\n")
    found, problems = read_all(persona)
    assert len(found) == 1
    assert sorted(one.code for one in problems) == ["card-field", "front-matter-broken"]
    with pytest.raises(NotFound):
        find(persona, "bad")


@pytest.mark.req("gov.card.salience")
@pytest.mark.parametrize("salience", [0, 11, -3, 99])
def test_a_salience_there_is_not_is_refused_before_and_at_the_review(persona, salience):
    with pytest.raises(UsageError, match=str(salience)):
        add(persona, candidate(salience=salience), "x\n")
    kept = add(persona, candidate(), "x\n\n## Evidence\n\n- ev_1\n")
    path = persona.path(kept.path)
    Path(path).write_text(Path(path).read_text("utf-8").replace("salience: 5", f"salience: {salience}"), "utf-8")
    with pytest.raises(MiError, match="salience"):
        review(persona, kept.name, "accept", "ada", "ok", [])
    assert list(Path(persona.path("cards")).rglob("*.md")) == []


def test_reviews_at_once_make_cards_of_their_own(persona):
    kept = [add(persona, candidate(title=f"Rule {n}", merge_key=f"rule-{n}"), BODY) for n in range(6)]
    threads = [
        threading.Thread(target=review, args=(persona, one.name, "accept", "ada", "ok", MEMBERS)) for one in kept
    ]
    for one in threads:
        one.start()
    for one in threads:
        one.join()
    assert sorted(one.card.id for one in read_cards(persona)[0]) == [f"H-00{n}" for n in range(1, 7)]
