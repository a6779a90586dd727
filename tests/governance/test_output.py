"""Output control: speed levels, challenge tiers; sessions' words; deployment: every row and edge."""

import itertools

import pytest

from mi.governance import challenge, deployment, session_words, speed
from mi.governance.session_words import Situation, decide_autosave
from mi.governance.signals import find_signals

LEVELS = [
    ("S2", (2,)),
    ("s2", (2,)),
    ("S0", (0,)),
    ("S2, fix the parser", (2,)),
    ("S2 fix the parser", (2,)),
    ("S3 修复解析器", (3,)),
    ("S3 bucket", ()),
    ("S3 uploads fail", ()),
    ("S3 桶里的文件", ()),
    ("fix the parser. Use S2 please", (2,)),
    ("speed S4", (4,)),
    ("S1+S2", (1, 2)),
    ("do it S1+S3 now", (1, 3)),
    ("S1-S4", (1, 2, 3, 4)),
    ("S2 - S3: go", (2, 3)),
    ("速度级别2", (2,)),
    ("用速度级别 3 来做", (3,)),
    ("用S2", (2,)),
    ("upload it to an S3 bucket", ()),
    ("upload it to S3", ()),
    ("AWS S3", ()),
    ("s3://bucket/key", ()),
    ("S5", ()),
    ("the S2000 car", ()),
    ("`S2`", ()),
    ('rename "S1+S2"', ()),
    ("class S1 and S2 differ", ()),
]


@pytest.mark.req(
    "mx.speed.explicit-s", "mx.speed.explicit-zh", "mx.speed.combine-plus", "mx.speed.combine-range",
    "gov.signals.s3-bucket",
)  # fmt: skip
@pytest.mark.parametrize(("message", "levels"), LEVELS)
def test_levels_that_are_asked_for(message, levels):
    assert speed.find_asked_levels(message) == levels


@pytest.mark.req(
    "mx.speed.s0", "mx.speed.urgency-default", "mx.speed.urgency-preference", "gov.signals.explicit-replaces",
    "mx.life.speed", "mx.conf.speed",
)  # fmt: skip
@pytest.mark.parametrize(
    ("message", "urgent", "preferred", "levels"),
    [
        ("fix it", False, (), ()),
        ("fix it", True, (), (1, 3)),
        ("fix it", True, (2, 4), (1, 2, 3, 4)),
        ("S2, fix it", True, (), (2,)),
        ("S0, fix it", True, (2, 4), ()),
        ("S2, fix it", False, (), (2,)),
    ],
)
def test_levels_that_hold(message, urgent, preferred, levels):
    assert speed.choose_speed(message, urgent, preferred) == levels


@pytest.mark.req("mx.speed.s1", "mx.speed.s2", "mx.speed.s3", "mx.speed.s4", "mx.speed.exit-irreversible")
def test_what_the_levels_leave_out():
    every = (1, 2, 3, 4)
    assert [speed.give_guidance((level,)) for level in every] == [[line] for line in speed.give_guidance(every)]
    for level, word in enumerate(("recommended", "comments", "one sentence", "minor"), 1):
        assert word in speed.give_guidance((level,))[0]
        assert len(speed.give_guidance((level,), "zh")) == 1
    assert speed.describe_action(every, irreversible=True) == ()
    assert find_signals("S1-S4: permanently delete all backups").answered_at == ()
    assert find_signals("S1-S4: fix the typo").answered_at == every


@pytest.mark.req("mx.challenge.speed-marker", "mx.speed.marker", "gov.intro.zh-verbatim", "gov.intro.en-forms")
def test_the_speed_marker():
    assert speed.render_marker((1, 3), "zh") == "⚡ 速度模式:本次决策建议后续review"
    assert speed.render_marker((2,)).startswith("⚡")
    assert speed.render_marker(()) == ""


@pytest.mark.req("mx.life.tiering", "mx.conf.tiering", "gov.out.tier-max")
@pytest.mark.parametrize(("raw", "tier"), [(0, "low"), (2, "low"), (3, "medium"), (4, "high"), (8, "high")])
def test_the_tier_of_a_score(raw, tier):
    assert challenge.find_tier(raw) == tier
    assert challenge.find_tier(raw, full=True) == "high"


@pytest.mark.req(
    "gov.out.tier-high-triggers", "gov.out.tier-medium-triggers", "gov.out.tier-low-triggers", "gov.out.tier-t8",
    "gov.out.tier-max",
)  # fmt: skip
def test_the_tier_of_the_triggers():
    tiers = {f"T{n}": challenge.find_tier(0, [f"T{n}"]) for n in range(1, 10)}
    assert tiers == {
        **dict.fromkeys(("T3", "T4", "T5", "T9"), "high"),
        **dict.fromkeys(("T2", "T6"), "medium"),
        **dict.fromkeys(("T1", "T7", "T8"), "low"),
    }
    assert challenge.find_tier(3, ["T1"]) == "medium"
    assert challenge.find_tier(4, ["T6"]) == "high"
    assert challenge.find_tier(0, ["T1", "T6", "T3"]) == "high"


PARTS = {
    "low": {"recommendation", "risk_note"},
    "medium": {"recommendation", "counter_argument", "key_assumption"},
    "high": {"recommended_action", "strongest_counter_argument", "key_assumption", "reversal_condition"},
}


@pytest.mark.req(
    "mx.tier.low-recommendation", "mx.tier.low-risk-note", "mx.tier.low-no-full", "mx.tier.middle-parts",
    "mx.tier.middle-length", "mx.tier.high-parts", "mx.tier.high-length", "mx.tier.high-ack",
    "mx.challenge.recommended-action", "mx.challenge.counter-argument", "mx.challenge.key-assumption",
    "mx.challenge.reversal-condition", "mx.speed.full-challenge",
)  # fmt: skip
@pytest.mark.parametrize("tier", challenge.TIERS)
def test_the_parts_of_each_tier(tier):
    good = dict.fromkeys(PARTS[tier], "One sentence.")
    assert {*challenge.PARTS[tier]} == PARTS[tier]
    assert challenge.find_problems(tier, good) == []
    for part in PARTS[tier]:
        without = {name: said for name, said in good.items() if name != part}
        assert challenge.find_problems(tier, without) == [f"{part}: missing"]
        long = "A line.\nAnother." if part == "risk_note" else "One. Two. Three."
        assert challenge.find_problems(tier, good | {part: long}) == [f"{part}: too long"]
    extra = ({*PARTS["low"], *PARTS["high"]} - PARTS[tier]).pop()
    assert challenge.find_problems(tier, good | {extra: "x"}) == [f"{extra}: too many"]


@pytest.mark.req("mx.challenge.concise-urgent", "mx.card.challenge-cite")
@pytest.mark.parametrize("language", ["en", "zh"])
@pytest.mark.parametrize("tier", challenge.TIERS)
def test_what_is_put_before_the_member_that_answers(tier, language):
    plain = challenge.give_guidance(tier, language=language)
    assert all(part in plain[0] for part in PARTS[tier])
    assert len(challenge.give_guidance(tier, urgent=True, language=language)) == 2
    assert "P-001, H-002" in challenge.give_guidance(tier, cards=["P-001", "H-002"], language=language)[-1]


@pytest.mark.parametrize("language", ["en", "zh"])
@pytest.mark.parametrize("triggers", [(), *((f"T{n}",) for n in range(1, 10))])
def test_a_challenge_in_fixed_words_is_a_good_one(triggers, language):
    for tier, level in itertools.product(challenge.TIERS, ("none", "offer", "required")):
        said = challenge.render_challenge(tier, triggers, level, ["P-001"], language)
        assert challenge.find_problems(tier, said) == []
        assert "P-001" in next(iter(said.values()))


ENDS = [
    *(
        (word, True)
        for word in ("结束", "save", "收工", "/save", "今天到这", "下次继续", "Goodbye", "再见", "bye!", "收工了")
    ),
    ("今天到这吧", True),
    ("今天就到这吧", True),
    ("好的，下次继续", True),
    ("thanks, bye", True),
    ("please summarize the session", True),
    ("总结一下", True),
    ("结束进程 42", False),
    ("save the file as x", False),
    ("add a save button", False),
    ("say goodbye to callbacks", False),
    ("`save`", False),
    ("summarize the file", False),
]


@pytest.mark.req("mx.end.explicit", "mx.end.closing", "mx.end.goodbye", "mx.end.summary")
@pytest.mark.parametrize(("message", "ends"), ENDS)
def test_the_words_that_end_a_session(message, ends):
    assert session_words.ends_session(message) == ends


TRIGGERS = [
    (Situation(), 0),
    *((Situation(message=word), 1) for word in ("做完了", "下一个", "换个任务", "先这样", "好的，先这样吧")),
    (Situation(message="下一个版本怎么做"), 0),
    (Situation(tests_reported=True), 2),
    (Situation(review_reported=True), 3),
    (Situation(work_log_updated=True), 4),
    (Situation(done_and_waiting=True), 5),
    (Situation(message="做完了", done_and_waiting=True), 1),
    (Situation(tests_reported=True, in_progress=True), 0),
    (Situation(tests_reported=True, unprocessed=True), 0),
    (Situation(tests_reported=True, since_last_save=599.9), 0),
    (Situation(tests_reported=True, since_last_save=600), 2),
    (Situation(tests_reported=True, has_output=False), 0),
]


@pytest.mark.req(
    "mx.save.closure-words", "mx.save.tests-reported", "mx.save.review-reported", "mx.save.work-log",
    "mx.save.task-done", "mx.save.not-in-progress", "mx.save.not-unprocessed", "mx.save.not-ten-minutes",
    "mx.save.not-discussion", "gov.save.trigger-numbers",
)  # fmt: skip
@pytest.mark.parametrize(("now", "trigger"), TRIGGERS)
def test_when_a_session_is_saved_by_itself(now, trigger):
    assert decide_autosave(now) == trigger


@pytest.mark.req("mx.save.defer", "mx.save.not-unprocessed")
def test_a_new_message_goes_first_and_the_save_comes_after_it():
    arrived = Situation(tests_reported=True, unprocessed=True)
    assert decide_autosave(arrived) == 0
    assert decide_autosave(arrived._replace(unprocessed=False)) == 2


@pytest.mark.req("mx.save.one-line")
def test_the_one_line():
    assert session_words.add_autosave("B", 2) == "Auto-saved to slot-B | trigger: 2"


CAPTURED = [
    ("We decided to use PostgreSQL.", "decision"),
    ("决定用 PostgreSQL。", "decision"),
    ("From now on run the linter first.", "pattern"),
    ("以后都先跑测试。", "pattern"),
    ("Lesson learned: check the backup first.", "lesson"),
    ("教训：上线前要看日志。", "lesson"),
    ("Rule of thumb: small commits.", "principle"),
    ("原则：先备份再迁移。", "principle"),
    ("fix the parser", None),
    ("修复解析器", None),
    ("`we decided` is a string", None),
]


@pytest.mark.req(
    "mx.capture.decision", "mx.capture.pattern", "mx.capture.mistake", "mx.capture.principle", "mx.life.during-capture"
)
@pytest.mark.parametrize(("message", "signal"), CAPTURED)
def test_sayings_worth_keeping(message, signal):
    found = session_words.find_capture(message)
    assert (found.signal if found else None) == signal
    if found:
        assert session_words.CARD_TYPE[found.signal]


@pytest.mark.req(
    "mx.capture.contradicts", "mx.capture.suggest", "gov.capture.once", "mx.capture.no-repeat", "gov.intro.zh-verbatim",
)  # fmt: skip
def test_a_suggestion_is_made_once():
    first = session_words.find_capture("We decided to use PostgreSQL.")
    assert first
    assert first.suggestion("zh") == "💾 认知收集建议:We decided to use PostgreSQL. — 需要保存为card吗?"
    assert first.description in first.suggestion("en")
    assert session_words.find_capture("we decided   to use postgresql.", suggested={first.key}) is None
    against = session_words.find_capture("push to main", contradicts=["P-001"])
    assert against
    assert (against.signal, "P-001" in against.description) == ("contradiction", True)


@pytest.mark.req("mx.capture.reply-cun", "mx.capture.reply-save", "mx.capture.ignored")
@pytest.mark.parametrize(
    ("message", "waiting", "taken"),
    [("存", True, True), ("save", True, True), ("Save!", True, True), ("存吧", True, True), ("存", False, False),
     ("save", False, False), ("save the file", True, False), ("no", True, False)],
)  # fmt: skip
def test_the_reply_to_a_suggestion(message, waiting, taken):
    assert session_words.is_capture_reply(message, waiting) == taken


SAID = {"diff": "seen", "environment": "checked", "rollback": "git revert", "window": "now"}


@pytest.mark.req(
    "mx.deploy.all-six", "mx.deploy.tests", "mx.deploy.clean", "mx.deploy.diff", "mx.deploy.env",
    "mx.deploy.rollback-plan", "mx.deploy.window", "mx.deploy.not-dirty", "mx.deploy.not-failing",
    "gov.deploy.human-items", "gov.deploy.open-stops", "gov.deploy.urgency-exempts-nothing", "mx.speed.keep-deploy",
)  # fmt: skip
@pytest.mark.parametrize(
    ("tests", "uncommitted", "said", "still_open"),
    [
        ("passed", 0, SAID, []),
        ("failed", 0, SAID, ["tests"]),
        ("skipped", 0, SAID, ["tests"]),
        ("unknown", 0, SAID, ["tests"]),
        ("passed", 1, SAID, ["clean"]),
        ("passed", None, SAID, ["clean"]),
        ("passed", 0, {}, ["diff", "environment", "rollback", "window"]),
        *(("passed", 0, {**SAID, name: " "}, [name]) for name in SAID),
        ("failed", 3, {}, list(deployment.ITEMS)),
    ],
)
def test_the_checklist(tests, uncommitted, said, still_open):
    items = deployment.build_checklist(tests, uncommitted, said)
    assert [item.name for item in items] == ["tests", "clean", "diff", "environment", "rollback", "window"]
    assert deployment.open_items(items) == still_open


@pytest.mark.req("mx.deploy.health-endpoint", "mx.deploy.smoke", "mx.deploy.logs", "gov.deploy.documented-code")
@pytest.mark.parametrize(
    ("seen", "still_open"),
    [
        ((200, 200, True, 0), []),
        ((204, 204, True, 0), []),
        ((204, 200, True, 0), ["health"]),
        ((None, 200, True, 0), ["health"]),
        ((200, 200, None, 0), ["smoke"]),
        ((200, 200, False, 0), ["smoke"]),
        ((200, 200, True, 2), ["logs"]),
        ((200, 200, True, None), ["logs"]),
    ],
)
def test_what_is_seen_after_a_deployment(seen, still_open):
    assert deployment.open_items(deployment.check_after(*seen)) == still_open


@pytest.mark.req("mx.deploy.report-60s", "mx.rollback.symptom", "mx.rollback.cause", "mx.rollback.proposal")
def test_the_report_comes_in_time_and_is_whole():
    assert (deployment.is_in_time(60), deployment.is_in_time(60.1)) == (True, False)
    assert deployment.Rollback("500 on /", "the migration", "git revert 1").missing == []
    assert deployment.Rollback("", " ", "git revert 1").missing == ["symptom", "cause"]
