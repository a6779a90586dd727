"""Signals of a message: every trigger with its words and edges in both languages, modes, and how long obey holds."""

import pytest

from mi.governance.modes import ACKNOWLEDGED, give_guidance, holds, is_obey
from mi.governance.signals import Size, TeamDecision, find_signals
from mi.kernel.language import patterns
from mi.kernel.messages import text
from mi.knowledge.search.words import compact, tokens
from tests.growth.work import count_work

TOKEN = "ghp_abcdefghijklmnopqrstuvwxyz0123456789"


def triggers(message: str, **given) -> tuple[str, ...]:
    return find_signals(message, **given).triggers


def items(number: int, form: str = "- change {}") -> str:
    return "\n".join(form.format(one) for one in range(1, number + 1))


LISTS = [
    (items(5), False),
    (items(6), True),
    (items(6, "{}. change it"), True),
    (items(6, "{}、改这里"), True),
    ("1) a 2) b 3) c 4) d 5) e", False),
    ("1) a 2) b 3) c 4) d 5) e 6) f", True),
    ("use port 8080 and version 6.", False),
    ("> - a\n> - b\n> - c\n> - d\n> - e\n> - f", False),
]


@pytest.mark.req("gov.trig.t1", "mx.trig.batch-size", "gov.signals.own-list")
@pytest.mark.parametrize(("message", "holds"), LISTS)
def test_t1_more_than_five_changes_by_the_messages_own_list(message, holds):
    assert ("T1" in triggers(message)) == holds


@pytest.mark.req("gov.trig.t1", "mx.batch.five-free", "gov.signals.flag-change-units")
@pytest.mark.parametrize(("units", "holds"), [(0, False), (5, False), (6, True), (60, True)])
def test_t1_by_the_callers_number_which_goes_before_the_list(units, holds):
    assert ("T1" in triggers(items(9), size=Size(change_units=units))) == holds


DECISIONS = [
    TeamDecision("P-001", "Never push directly to the release branch"),
    TeamDecision("session 2026-11-15", "We use PostgreSQL for the order store"),
    TeamDecision("principles.md", "缓存层禁止直接写数据库"),
]
AGAINST = [
    ("push the fix directly to the release branch", ("P-001",)),
    ("do not push to the release branch", ()),
    ("replace PostgreSQL in the order store by files", ("session 2026-11-15",)),
    ("add an index to PostgreSQL for the order store", ()),
    ("让缓存层直接写数据库", ("principles.md",)),
    ("fix the typo in the heading", ()),
]


@pytest.mark.req(
    "gov.trig.t2", "mx.trig.contradiction", "mx.term.decision-cards", "mx.term.decision-sessions",
    "mx.term.decision-principles",
)  # fmt: skip
@pytest.mark.parametrize(("message", "against"), AGAINST)
def test_t2_a_request_against_what_was_decided(message, against):
    found = find_signals(message, decisions=DECISIONS, tokens=lambda words: compact(words).tokens)
    assert found.contradicts == against
    assert ("T2" in found.triggers) == bool(against)


WORDS = [(name, word) for name, words in patterns().triggers.items() for word in words]
REQS = {
    "T3": ("gov.trig.t3", "mx.trig.money-irreversible"),
    "T4": ("gov.trig.t4", "mx.trig.personnel"),
    "T5": ("gov.trig.t5", "mx.trig.architecture"),
    "T9": ("gov.trig.t9",),
}


@pytest.mark.req(*(req for ids in REQS.values() for req in ids))
@pytest.mark.parametrize(("name", "word"), WORDS)
def test_t3_t4_t5_t9_every_word_of_the_tables(name, word):
    sentence = f"please look at the {word} now" if word.isascii() else f"请看看{word}这件事"
    assert name in triggers(sentence)
    assert name in triggers(sentence.upper())
    if word.isascii():
        assert name not in triggers(f"please look at x{word.replace(' ', '')}x")
    assert name not in triggers(f"please look at `{word}` there")


@pytest.mark.parametrize(
    ("name", "stop"), [(name, stop) for name, stops in patterns().trigger_stops.items() for stop in stops]
)
def test_a_word_of_a_stop_list_triggers_nothing(name, stop):
    assert name not in triggers(f"看看{stop}吧")


DEPLOYS = [
    "run kubectl apply -f k8s/",
    "执行 kubectl apply -f k8s/",
    "run `kubectl apply -f k8s/`",
    "kubectl apply -f k8s/",
    "```\nhelm upgrade app .\n```",
    "$ terraform apply",
]


@pytest.mark.req("gov.trig.t9")
@pytest.mark.parametrize("message", DEPLOYS)
def test_t9_a_command_that_deploys(message):
    assert "T9" in triggers(message)


@pytest.mark.parametrize("message", ["release notes: fix the typo", "run `kubectl get pods`", "run `npm test`"])
def test_t9_other_commands_deploy_nothing(message):
    assert "T9" not in triggers(message)


URGENT = [
    *((word, True) for word in patterns().urgency),
    *((f"请{word}点", True) for word in ("快", "急", "赶")),
    ("this is Urgent!", True),
    ("asap please", True),
    ("we are urgently", False),
    ("insurgent", False),
    ("ASAPs", False),
    *((f"看看{stop}", False) for stop in patterns().urgency_stops if not stop.isascii()),
    ("it is not urgent", False),
    ("non-urgent", False),
    ("快照要快", True),
    ("快速修一下", True),
    ("实现快速搜索", False),
    ("the word `urgent` in the code", False),
    ('rename "urgent" to "normal"', False),
    ("把“快”改成“慢”", False),
    ("> ASAP\nthat is what he wrote", False),
]


@pytest.mark.req(
    "mx.trig.urgency", "gov.trig.t6-boundaries", "gov.trig.t6-cjk", "gov.trig.t6-stop-list",
    "gov.signals.urgency-quoted",
)  # fmt: skip
@pytest.mark.parametrize(("message", "holds"), URGENT)
def test_t6_urgency(message, holds):
    assert ("T6" in triggers(message)) == holds


@pytest.mark.req("gov.trig.t6-config", "mi.config.gov-urgency-words")
def test_t6_words_of_the_configuration():
    assert "T6" in triggers("pronto, please", urgency=("pronto",))
    assert "T6" not in triggers("urgent, please", urgency=("pronto",))


SMALL = [
    ("就改一下标题", Size(), False),
    ("就改一下标题", Size(files=1, lines=10), False),
    ("就改一下标题", Size(files=1, lines=11), True),
    ("就改一下标题", Size(files=2), True),
    ("just change the title", Size(files=1, lines=10), False),
    ("Just change the title", Size(files=1, lines=11), True),
    ("just change the public API", Size(), True),
    ("就改一下数据库结构", Size(), True),
    ("just change the database schema", Size(), True),
    ("just change these:\n- a\n- b", Size(), True),
    ("change the title", Size(files=9, lines=900), False),
    ("he said `just change it`", Size(files=9), False),
]


@pytest.mark.req(
    "mx.trig.just-change", "gov.trig.t7-english", "gov.trig.t7-trivial", "gov.signals.flag-files",
    "gov.signals.flag-lines", "gov.signals.own-list",
)  # fmt: skip
@pytest.mark.parametrize(("message", "size", "holds"), SMALL)
def test_t7_just_a_change_that_is_more(message, size, holds):
    assert ("T7" in triggers(message, size=size)) == holds


@pytest.mark.req("gov.trig.t8", "mx.trig.secret", "mx.sec.warn", "gov.out.tier-t8")
@pytest.mark.parametrize(
    ("message", "holds"),
    [
        (f"use {TOKEN}", True),
        ("密码是 hunter2x9", True),
        ("password: correct-horse-9", True),
        ("change the password form", False),
        ("the token count is 12", False),
        ("http://93.184.216.34/", False),
    ],
)
def test_t8_a_secret_in_the_message(message, holds):
    found = find_signals(message)
    assert ("T8" in found.triggers, bool(found.secrets)) == (holds, holds)


@pytest.mark.req("gov.intro.zh-verbatim", "mx.sec.warn")
def test_the_alert_is_the_seeds():
    from mi.governance.challenge import give_alert

    assert give_alert("zh") == "⚠️ 检测到敏感信息,建议立即撤回并更换凭证。"


OBEY = [
    ("override", True),
    ("Override: just do it", True),
    ("override, delete the branch", True),
    ("override and go on", True),
    ("override deploy it now", True),
    ("override 按我说的做", True),
    ("/override use tabs", True),
    ("直接做", True),
    ("直接做，不用问", True),
    ("不需要讨论，改吧", True),
    ("  override", True),
    ("override the method render() in Base", False),
    ("overrides are bad", False),
    ("please override", False),
    ("我们直接做吧", False),
    ("/overrides", False),
    ('"override" is the word', False),
    ("`override`", False),
    ("> override\nhe said", False),
    ("“直接做”是什么意思", False),
    ("", False),
]


@pytest.mark.req(
    "mx.obey.override", "mx.obey.zhijiezuo", "mx.obey.buxuyao", "gov.mode.obey-start", "gov.mode.obey-slash",
    "gov.mode.obey-quotes",
)  # fmt: skip
@pytest.mark.parametrize(("message", "obeys"), OBEY)
def test_obey_only_as_the_messages_own_words_at_its_start(message, obeys):
    assert is_obey(message) == obeys


@pytest.mark.req(
    "mx.mode.mirror-default", "mx.mode.challenge-any", "mx.obey.no-challenge", "mx.obey.execute", "mx.life.during-modes"
)
@pytest.mark.parametrize(
    ("message", "obeying", "expected"),
    [
        ("fix the typo in the heading", False, "mirror"),
        ("修复标题里的错别字", False, "mirror"),
        ("deploy it", False, "challenge"),
        ("urgent", False, "challenge"),
        ("override, deploy it", False, "obey"),
        ("deploy it", True, "obey"),
    ],
)
def test_the_mode(message, obeying, expected):
    assert find_signals(message, obeying=obeying).mode == expected


TOPIC = "rewrite the parser of the configuration file"
NEXT = [
    ("now the parser's tests", True),
    ("and the configuration of the parser", True),
    ("ok", True),
    ("", True),
    ("paint the garden fence green before winter comes", False),
    ("换个话题：发票模块的导出功能", False),
]


@pytest.mark.req("gov.mode.obey-topic", "mx.term.topic")
@pytest.mark.parametrize(("message", "still"), NEXT)
def test_obey_holds_for_the_topic(message, still):
    words = [token for token in compact(message).tokens if token != "ok"]
    assert holds(compact(TOPIC).tokens, words) == still


def test_a_fifth_of_the_words_is_enough():
    assert holds({"a"}, {"a", "b", "c", "d", "e"})
    assert not holds({"a"}, {"a", "b", "c", "d", "e", "f"})


@pytest.mark.req(
    "mx.obey.say", "mx.mode.mirror-style", "mx.mode.mirror-efficient", "mx.mode.mirror-sop", "mx.mode.mirror-short"
)
@pytest.mark.parametrize("language", ["en", "zh"])
def test_each_mode_says_what_it_asks_of_whoever_answers(language):
    assert give_guidance("obey", language)[0] == ACKNOWLEDGED == "Override acknowledged."
    assert len(give_guidance("mirror", language)) == 4
    assert give_guidance("mirror", language)[0] == text("mode.mirror-style", language)
    assert give_guidance("challenge", language) != give_guidance("obey", language)


@pytest.mark.req("gov.intro.pure-functions")
def test_the_same_message_gives_the_same_signals():
    message = "ASAP: deploy it\n" + items(7)
    assert find_signals(message) == find_signals(message)
    assert tokens(message)


@pytest.mark.parametrize("part", ["\n", "- \n", "1. ", "( ", "快 ", "`", "a=b; "])
def test_ten_times_the_message_is_ten_times_the_work(part, monkeypatch):
    find_signals(part)  # what is compiled at the first use
    short, long = (count_work(lambda size=size: find_signals(part * size), monkeypatch) for size in (1000, 10_000))
    assert long <= 15 * short + 1000
