"""Cards: what makes one valid, the index, matching, salience, archiving."""

import json
import os
from pathlib import Path

import pytest
import yaml

from mi.kernel.errors import MiError
from mi.persona import cards
from mi.persona.cards import decide_reading, match, read_cards, write_index
from mi.persona.front_matter import BadFrontMatter
from tests.persona.conftest import put, put_card


@pytest.mark.req(
    *("gov.card.format", "gov.card.id", "gov.card.id-letters", "gov.card.type", "gov.card.merge-key"),
    *("gov.card.title", "gov.card.salience", "gov.card.created", "gov.dir.cards"),
)
@pytest.mark.parametrize(("letter", "kind"), [("X", "axiom"), ("P", "principle"), ("H", "heuristic"), ("M", "pattern")])
def test_a_card_is_front_matter_and_a_body(persona, letter, kind):
    put_card(persona, f"{letter}-001", salience=10, body="It holds.")
    (one,), problems = read_cards(persona)
    assert problems == []
    assert (one.card.id, one.card.type, one.card.salience, one.body) == (f"{letter}-001", kind, 10, "It holds.\n")
    assert one.path.startswith(f"cards/{kind}s/")


@pytest.mark.req("gov.card.last-reviewed", "gov.card.aliases", "gov.card.source", "gov.card.status")
def test_optional_fields(persona):
    more = "last_reviewed: 2026-11-02\naliases: [小步, tiny]\nsource: docs/how.md\nstatus: deprecated\n"
    put_card(persona, more=more)
    card = read_cards(persona)[0][0].card
    assert (card.last_reviewed, card.aliases, card.source, card.status) == (
        "2026-11-02",
        ["小步", "tiny"],
        "docs/how.md",
        "deprecated",
    )


GOOD = "id: H-001\ntype: heuristic\nmerge_key: small-steps\ntitle: Small steps\nsalience: 5\ncreated: 2026-11-01\n"


@pytest.mark.req(
    *("gov.card.id", "gov.card.id-letters", "gov.card.type", "gov.card.merge-key", "gov.card.title"),
    *("gov.card.salience", "gov.card.created", "gov.card.status"),
)
@pytest.mark.parametrize(
    ("fields", "code"),
    [
        (GOOD.replace("H-001", "H-01"), "card-id"),
        (GOOD.replace("H-001", "P-001"), "card-id"),
        (GOOD.replace("H-001", "Z-001"), "card-id"),
        (GOOD.replace("id: H-001\n", ""), "card-field"),
        (GOOD.replace("type: heuristic\n", ""), "card-field"),
        (GOOD.replace("heuristic", "rumour"), "card-field"),
        (GOOD.replace("small-steps", "Small Steps"), "card-merge-key"),
        (GOOD.replace("merge_key: small-steps\n", ""), "card-field"),
        (GOOD.replace("title: Small steps\n", ""), "card-field"),
        (GOOD.replace("title: Small steps", "title: ' '"), "card-field"),
        (GOOD.replace("salience: 5", "salience: 11"), "card-salience"),
        (GOOD.replace("salience: 5", "salience: 0"), "card-salience"),
        (GOOD.replace("salience: 5\n", ""), "card-field"),
        (GOOD.replace("created: 2026-11-01\n", ""), "card-field"),
        (GOOD + "status: gone\n", "card-field"),
        (GOOD + "title: Twice\n", "front-matter-broken"),
        (GOOD + "aliases: [a\n", "front-matter-broken"),
        ("- a\n- b\n", "front-matter-broken"),
    ],
)
def test_a_bad_card_is_named_with_its_field(fields, code):
    with pytest.raises(BadFrontMatter) as caught:
        cards.parse(f"---\n{fields}---\n\ntext\n", "cards/x.md")
    assert caught.value.code == code
    assert "cards/x.md" in caught.value.line()


@pytest.mark.parametrize(
    ("text", "code"), [("no fields", "no-front-matter"), ("---\nid: H-001\n", "front-matter-open")]
)
def test_a_card_without_fields_or_their_end(text, code):
    with pytest.raises(BadFrontMatter) as caught:
        cards.parse(text, "cards/x.md")
    assert caught.value.code == code


def test_the_line_of_a_yaml_mistake_counts_from_the_top_of_the_file():
    with pytest.raises(BadFrontMatter) as caught:
        cards.parse("---\nid: H-001\ntitle: [a\n---\n", "cards/x.md")
    assert caught.value.details["line"] in (3, 4)


def test_a_broken_card_hides_no_other(persona):
    put_card(persona)
    put(persona, "cards/patterns/bad.md", "nothing")
    found, problems = read_cards(persona)
    assert [one.card.id for one in found] == ["H-001"]
    assert [one.path for one in problems] == ["cards/patterns/bad.md"]


@pytest.mark.req("gov.card.merge-key-unique")
def test_merge_keys_are_unique_over_active_cards(persona):
    put_card(persona, "H-001")
    put_card(persona, "H-002", more="status: archived\n")
    assert cards.find_duplicates(read_cards(persona)[0]) == []
    put_card(persona, "M-001")
    (problem,) = cards.find_duplicates(read_cards(persona)[0])
    assert (problem.code, problem.details["merge_key"]) == ("merge-key-twice", "small-steps")


@pytest.mark.req("gov.card.factual-lint", "gov.card.body", "mx.mem.evidence", "mx.mem.no-unverified")
@pytest.mark.parametrize(
    ("card_id", "body", "more", "lacks"),
    [
        ("H-001", "Text.\n\n## Evidence\n\n- ev_1\n", "", False),
        ("H-001", "Text.\n\n## When it applies\n\nalways\n\n## Evidence\n\n", "", True),
        ("H-001", "Text.", "source: docs/a.md\n", False),
        ("M-001", "Text.", "", True),
        ("X-001", "We value calm.", "", False),
        ("P-001", "We value calm.", "", False),
    ],
)
def test_a_factual_card_needs_evidence_or_a_source(persona, card_id, body, more, lacks):
    put_card(persona, card_id, body=body, more=more)
    assert cards.lacks_evidence(read_cards(persona)[0][0]) is lacks


@pytest.mark.req("gov.card.body")
def test_sections_of_a_body():
    body = "Say it.\n\n## When it applies\n\nAt night.\n\n## When it bends\n\nNever.\n\n## Evidence\n\n- ev_2\n"
    names = ("When it applies", "When it bends", "Evidence")
    assert [cards.read_section(body, name) for name in names] == [
        "At night.",
        "Never.",
        "- ev_2",
    ]


@pytest.mark.req(
    *("gov.dir.index", "gov.dir.index-rebuilt", "gov.dir.index-idempotent", "gov.index.last-updated"),
    *("gov.index.total-active", "gov.index.lists", "gov.index.entry"),
)
def test_the_index_is_written_whole_and_only_when_it_differs(persona):
    put_card(persona, "H-002", merge_key="b")
    put_card(persona, "X-001", merge_key="a", salience=9, body="x")
    path = Path(persona.root) / "indexes/card-index.yaml"
    assert write_index(persona, read_cards(persona)[0])
    before = path.read_bytes()
    assert not write_index(persona, read_cards(persona)[0])
    assert path.read_bytes() == before
    index = yaml.safe_load(before)
    assert list(index) == ["last_updated", "total_active", "axioms", "principles", "heuristics", "patterns"]
    assert index["total_active"] == 2
    assert index["axioms"] == [
        {
            "id": "X-001",
            "title": "Small steps",
            "salience": 9,
            "merge_key": "a",
            "aliases": [],
            "last_reviewed": "",
            "status": "active",
            "path": "cards/axioms/x-001.md",
        }
    ]
    (Path(persona.root) / "cards/axioms/x-001.md").unlink()
    assert write_index(persona, read_cards(persona)[0])
    assert yaml.safe_load(path.read_text("utf-8"))["axioms"] == []


@pytest.mark.req("gov.match.fields", "gov.match.cjk", "mx.card.scan", "mx.card.prioritise", "mx.card.sort")
@pytest.mark.parametrize(
    ("task", "found"),
    [
        ("migrate the database schema", ["P-001", "H-001"]),
        ("write a rollback plan", ["H-002"]),
        ("数据库迁移怎么做", ["H-001"]),
        ("paint the shed", []),
        ("", []),
    ],
)
def test_cards_are_matched_by_title_merge_key_and_alias(persona, task, found):
    put_card(
        persona,
        "H-001",
        title="Database changes go alone",
        merge_key="db-alone",
        salience=6,
        more="aliases: [数据库迁移]\n",
    )
    put_card(persona, "H-002", title="Always a way back", merge_key="rollback-plan", salience=4)
    put_card(persona, "P-001", title="Schema is a contract", merge_key="schema-contract", salience=8, body="x")
    put_card(persona, "H-003", title="Database archive", merge_key="old", salience=9, more="status: archived\n")
    assert [one.card.id for one, _ in match(read_cards(persona)[0], task)] == found


@pytest.mark.parametrize(("task", "matches"), [("write the migration", True), ("two migrations", True), ("mig", False)])
def test_one_and_many_are_the_same_word(persona, task, matches):
    put_card(persona, "H-001", title="Migrations go alone", merge_key="alone")
    assert bool(match(read_cards(persona)[0], task)) is matches


@pytest.mark.req("mx.card.sort")
def test_equal_salience_is_ordered_by_the_latest_review(persona):
    for number, day in (("H-001", "2026-01-01"), ("H-002", "2026-10-01"), ("H-003", "")):
        put_card(persona, number, title="Tests first", merge_key=number.lower(), more=f"last_reviewed: {day!r}\n")
    assert [one.card.id for one, _ in match(read_cards(persona)[0], "tests")] == ["H-002", "H-001", "H-003"]


@pytest.mark.req(
    *("mx.sal.nine-ten", "mx.sal.seven-eight", "mx.sal.four-six", "mx.sal.one-three", "gov.sal.seven-eight-must"),
    *("mx.card.read-seven", "mx.card.read-four-six", "mx.card.read-one-three"),
)
@pytest.mark.parametrize(
    ("salience", "matched", "searched", "how"),
    [
        *((10, False, False, "boot"), (9, True, False, "boot"), (8, True, False, "must"), (8, False, False, "no")),
        *((7, True, False, "must"), (6, True, False, "may"), (4, True, False, "may"), (4, False, False, "no")),
        *((3, True, False, "no"), (3, True, True, "searched"), (1, False, True, "searched")),
    ],
)
def test_how_a_card_of_a_salience_is_read(persona, salience, matched, searched, how):
    put_card(persona, salience=salience)
    assert decide_reading(read_cards(persona)[0][0].card, matched, searched) == how


@pytest.mark.req("mx.sal.ideal", "mx.sal.warning", "gov.sal.warn-min-ten")
@pytest.mark.parametrize(
    ("levels", "warning"),
    [
        ([5] * 9, False),  # too few to say
        ([6] * 8 + [1, 9], True),
        ([6] * 7 + [1, 2, 9], False),  # exactly 70 %
        ([1, 2, 3, 4, 4, 4, 5, 6, 7, 9], False),
    ],
)
def test_health_warns_when_all_is_equally_important(persona, levels, warning):
    for number, level in enumerate(levels):
        put_card(persona, f"H-{number:03d}", merge_key=f"k-{number}", salience=level)
    assert cards.measure_health(read_cards(persona)[0])["warning"] is warning


@pytest.mark.req("mx.conf.card-management")
def test_archiving_keeps_the_file_and_takes_it_out_of_use(persona):
    path = put_card(persona)
    cards.archive(persona, "H-001")
    assert "status: archived" in path.read_text("utf-8")
    assert cards.keep_active(read_cards(persona)[0]) == []
    with pytest.raises(MiError, match="archived already"):
        cards.archive(persona, "H-001")
    with pytest.raises(MiError, match="no card P-009"):
        cards.archive(persona, "P-009")


def test_a_link_into_another_members_space_is_named_and_hides_no_card(persona):
    put_card(persona)
    put(persona, ".ada/private/x.md", "hers")
    os.symlink(persona.path(".ada/private/x.md"), persona.path("cards/heuristics/x.md"))
    found, problems = read_cards(persona)
    assert [one.card.id for one in found] == ["H-001"]
    assert [(one.path, one.code) for one in problems] == [("cards/heuristics/x.md", "private-of-other")]


@pytest.mark.req("one.smaller.must-read")
def test_a_match_says_which_cards_must_be_read(persona, tmp_path, monkeypatch, capfd):
    from mi.cli import main

    monkeypatch.chdir(tmp_path)
    for card, salience in (("P-001", 8), ("H-002", 5)):
        put_card(persona, card, title="Migrations are tested", merge_key=f"m-{salience}", salience=salience)
    assert main.run(["card", "match", "write the migration", "--json"]) == 0
    found = json.loads(capfd.readouterr().out)
    assert [(one["id"], one["must_read"], "body" in one) for one in found] == [
        ("P-001", True, True),
        ("H-002", False, False),
    ]
    assert main.run(["card", "match", "write the migration"]) == 0
    said = capfd.readouterr().out
    assert "mi card show P-001" in said
    assert "mi card show H-002" not in said
