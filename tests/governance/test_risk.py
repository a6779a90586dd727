"""Spec gate, flags, risk vectors, orchestration, impact, authority and the whole assessment: every row and edge."""

import itertools

import pytest

from mi.governance.assess import assess, assess_task
from mi.governance.authority import ACTIONS, find_authority
from mi.governance.impact import (
    INTEGRATION,
    SENSITIVE,
    Facts,
    choose_orchestration,
    compute_raw_risk,
    compute_score,
    find_facts,
    find_flags,
    find_impact,
    is_high_risk,
    needs_ack,
)
from mi.governance.spec_gate import assess_spec, find_clarity
from mi.kernel.language import patterns

SENS, INTEG, FRESH, SIZE = (
    Facts(sensitive=True),
    Facts(integration=True),
    Facts(fresh=True),
    Facts(lines=151),
)


def both(*facts: Facts) -> Facts:
    return Facts(*(max(values) for values in zip(*facts, strict=True)))


VECTORS = [
    ("none", Facts(), 0, 0),
    ("size", SIZE, 1, 0),
    ("integ", INTEG, 2, 0),
    ("sens", SENS, 3, 1),
    ("integ+size", both(INTEG, SIZE), 3, 1),
    ("integ+fresh", both(INTEG, FRESH), 4, 2),
    ("sens+size", both(SENS, SIZE), 4, 2),
    ("sens+integ", both(SENS, INTEG), 5, 3),
    ("all", both(SENS, INTEG, FRESH, SIZE), 8, 6),
]


@pytest.mark.req(
    *(f"gov.risk.vec-{row}" for row in "none size integ sens integ-size integ-fresh sens-size sens-integ all".split()),
    "gov.risk.raw-formula", "gov.risk.reported-score", "mx.risk.sensitive", "mx.risk.integration", "mx.risk.fresh",
    "mx.risk.size", "mx.risk.vague", "mx.risk.floor-zero",
)  # fmt: skip
@pytest.mark.parametrize(("name", "facts", "raw", "vague"), VECTORS, ids=[row[0] for row in VECTORS])
def test_the_vectors(name, facts, raw, vague):
    assert compute_raw_risk(facts) == raw
    assert (compute_score(raw, "clear"), compute_score(raw, "vague")) == (raw, vague)


@pytest.mark.req("gov.risk.raw-formula", "gov.intro.pure-functions", "mx.conf.risk-scoring")
def test_every_combination_is_the_formula_each_counted_once():
    for sens, integ, fresh, lines, dirs, api in itertools.product(
        (False, True), (False, True), (False, True), (0, 151), (0, 3), (False, True)
    ):
        facts = Facts(sensitive=sens, integration=integ, fresh=fresh, lines=lines, dirs=dirs, public_api=api)
        assert compute_raw_risk(facts) == 3 * sens + 2 * integ + 2 * fresh + bool(lines or dirs or api)


@pytest.mark.req("gov.risk.edge-lines", "gov.risk.edge-dirs", "mx.risk.size")
@pytest.mark.parametrize(
    ("facts", "raw"),
    [
        (Facts(lines=150), 0),
        (Facts(lines=151), 1),
        (Facts(dirs=2), 0),
        (Facts(dirs=3), 1),
        (Facts(public_api=True), 1),
        (Facts(lines=151, dirs=3, public_api=True), 1),
    ],
)
def test_size_counts_once_beyond_its_edges(facts, raw):
    assert compute_raw_risk(facts) == raw


@pytest.mark.req(
    "gov.risk.orch-low", "gov.risk.orch-middle", "gov.risk.orch-high", "mx.orch.low", "mx.orch.middle",
    "mx.orch.high-review", "mx.orch.high-confirm", "mx.life.during-orchestration",
)  # fmt: skip
@pytest.mark.parametrize(
    ("raw", "expected"),
    [
        (0, "self"),
        (1, "self"),
        (2, "offer_review"),
        (3, "offer_review"),
        *((n, "review_and_confirm") for n in range(4, 9)),
    ],
)
def test_orchestration(raw, expected):
    assert choose_orchestration(raw) == expected


@pytest.mark.req(
    "gov.risk.needs-ack", "mx.term.high-risk-sensitive", "mx.term.high-risk-score", "mx.term.high-risk-production",
    "mx.term.high-risk-irreversible", "mx.challenge.wait-ack",
)  # fmt: skip
@pytest.mark.parametrize(
    ("facts", "high"),
    [
        (Facts(), False),
        (SIZE, False),
        (INTEG, False),
        (both(INTEG, SIZE), False),
        (SENS, True),
        (both(INTEG, FRESH), True),
        (Facts(production=True), True),
        (Facts(irreversible=True), True),
    ],
)
def test_what_must_not_go_on_without_the_persons_word(facts, high):
    assert (is_high_risk(facts), needs_ack(facts)) == (high, high)


@pytest.mark.req("mx.term.trivial", "mx.term.moderate", "mx.term.significant", "gov.impact.moderate-else")
@pytest.mark.parametrize(
    ("files", "lines", "api", "expected"),
    [
        (0, 0, False, "trivial"),
        (1, 10, False, "trivial"),
        (1, 11, False, "moderate"),
        (2, 1, False, "moderate"),
        (5, 150, False, "moderate"),
        (6, 1, False, "significant"),
        (1, 151, False, "significant"),
        (1, 1, True, "significant"),
    ],
)
def test_impact(files, lines, api, expected):
    assert find_impact(files, lines, api) == expected


@pytest.mark.req("gov.flags.word-tables", "gov.flags.en-zh", "gov.flags.table-tests")
@pytest.mark.parametrize(("flag", "word"), [(flag, word) for flag, words in patterns().flags.items() for word in words])
def test_every_word_sets_its_flag(flag, word):
    sentence = f"please see to the {word} soon" if word.isascii() else f"请处理{word}的事情"
    assert flag in find_flags(sentence)
    assert flag not in find_flags(f"rename `{word}` in the text")


def test_every_flag_counts_and_has_words_in_both_languages():
    for flag, words in patterns().flags.items():
        assert {word.isascii() for word in words} == {True, False}, flag
    for flag in SENSITIVE:
        assert compute_raw_risk(find_facts((flag,))) == 3
    for flag in INTEGRATION:
        assert compute_raw_risk(find_facts((flag,))) == 2
    assert compute_raw_risk(find_facts(("fresh",))) == 2
    assert compute_raw_risk(find_facts(("public_api",))) == 1
    assert (find_facts(("irreversible",)).irreversible, find_facts(("production",)).production) == (True, True)


HARMLESS = [
    "fix the failing test",
    "rename the variable in parser.py",
    "修复解析器里的错误",
    "write docs for the cache",
    "add a unit test",
]


@pytest.mark.parametrize("task", HARMLESS)
def test_a_harmless_task_sets_no_flag(task):
    assert find_flags(task) == ()


CLARITY = [
    *((task, "clear") for task in HARMLESS),
    ("fix it", "unclear"),
    ("make it better", "unclear"),
    ("please just do it", "unclear"),
    ("improve things", "unclear"),
    ("continue", "unclear"),
    ("ASAP", "unclear"),
    ("", "unclear"),
    ("...", "unclear"),
    ("弄一下", "unclear"),
    ("把这个优化一下", "unclear"),
    ("继续", "unclear"),
    ("快速修一下", "unclear"),
    ("帮我搞定它吧", "unclear"),
    ("fix the login", "clear"),
    ("faster startup", "clear"),
    ("优化首页加载", "clear"),
    ("deploy", "clear"),
    ("improve the parser somehow", "vague"),
    ("add retries or something", "vague"),
    ("首页差不多改改", "vague"),
]


@pytest.mark.req("gov.spec.clarity", "gov.spec.run-unclear-table")
@pytest.mark.parametrize(("task", "clarity"), CLARITY)
def test_clarity_of_a_task(task, clarity):
    assert find_clarity(task) == clarity


@pytest.mark.req(
    "mx.spec.unclear-blocks", "mx.spec.criteria-missing", "mx.spec.returns-blocked", "mx.spec.ask",
    "gov.spec.questions",
)  # fmt: skip
@pytest.mark.parametrize(
    ("clarity", "criteria", "gate", "questions"),
    [
        ("clear", True, "clear", 0),
        ("vague", True, "vague", 0),
        ("clear", False, "blocked", 1),
        ("vague", False, "blocked", 1),
        ("unclear", True, "blocked", 3),
        ("unclear", False, "blocked", 3),
    ],
)
def test_the_spec_gate(clarity, criteria, gate, questions):
    found = assess_spec(clarity, criteria)
    assert (found.gate, len(found.questions())) == (gate, questions)
    assert len(set(found.questions("zh"))) == questions


@pytest.mark.req("mx.spec.say", "gov.intro.zh-verbatim")
def test_what_the_spec_gate_says():
    found = assess_spec("unclear")
    assert found.says("zh") == "需求或验收标准不明确,请先澄清以下问题:" + " ".join(found.questions("zh"))
    assert found.questions()[0] in found.says("en")


@pytest.mark.req(
    "mx.spec.before-risk",
    "gov.spec.no-score",
    "gov.spec.no-execution",
    "gov.spec.no-delegation",
    "mx.ext.no-unclear-delegation",
)
def test_a_blocked_task_has_no_score_and_goes_nowhere():
    found = assess(both(SENS, INTEG), "unclear", change_units=9)
    assert (found.raw, found.score, found.orchestration, found.review, found.tier) == (None,) * 5
    assert not found.is_free
    assert found.needs_ack


@pytest.mark.req("gov.risk.gates-use-raw", "mx.risk.vague")
def test_a_vague_task_lowers_the_score_and_no_gate():
    clear, vague = (assess(both(SENS, SIZE), clarity, 3) for clarity in ("clear", "vague"))
    assert (clear.score, vague.score) == (4, 2)
    assert vague[4:] == clear[4:]
    assert vague.orchestration == "review_and_confirm"


@pytest.mark.parametrize(
    ("facts", "units", "free"),
    [
        (Facts(), None, True),
        (INTEG, None, True),
        (SENS, None, False),
        (Facts(), 5, True),
        (Facts(), 6, False),
        (INTEG, 3, False),
        (Facts(production=True), 1, False),
        (SENS, 0, False),
    ],
)
def test_when_the_work_may_begin(facts, units, free):
    assert assess(facts, change_units=units).is_free == free


@pytest.mark.req("gov.flags.stated")
def test_what_is_stated_and_what_the_words_say_hold_together():
    assert assess_task("fix the parser").raw == 0
    assert assess_task("fix the parser", INTEG).raw == 2
    assert assess_task("encrypt the backups with a third-party service", SIZE).raw == 6
    assert assess_task("rework the payment flow").triggers == ("T3",)
    assert assess_task("fix it").spec_gate == "blocked"
    assert assess_task("fix it", clarity="clear").spec_gate == "clear"


AUTHORITY = {
    "autonomous": "routine_code documentation read_shared own_private proposal".split(),
    "escalate": "architecture delete irreversible external_communication axiom_card principle_card".split(),
    "never": "push_without_approval principles_without_review override_human others_private secrets_out".split(),
}


@pytest.mark.req(
    "gov.authority.function", "mx.auth.auto-code", "mx.auth.auto-docs", "mx.auth.auto-read-shared",
    "mx.auth.auto-private", "mx.auth.auto-proposals", "mx.auth.esc-architecture", "mx.auth.esc-delete",
    "mx.auth.esc-communications", "mx.auth.esc-cards", "mx.auth.never-push", "mx.auth.never-principles",
    "mx.auth.never-override-human", "mx.auth.never-private", "mx.auth.never-sensitive", "mx.life.during-authority",
    "mx.def.human-authority",
)  # fmt: skip
def test_authority_over_every_action():
    assert {action: find_authority(action) for action in ACTIONS} == {
        action: answer for answer, actions in AUTHORITY.items() for action in actions
    }
    assert find_authority("something new") == "escalate"


@pytest.mark.req("gov.authority.files-edge", "mx.auth.esc-files", "mx.auth.esc-visible")
@pytest.mark.parametrize("action", AUTHORITY["autonomous"])
def test_many_files_and_visible_actions_are_escalated(action):
    assert [find_authority(action, files) for files in (5, 6)] == ["autonomous", "escalate"]
    assert find_authority(action, 1, "external") == "escalate"
    assert find_authority("secrets_out", 1, "external") == "never"
