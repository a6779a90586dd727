"""English and Chinese: config.language, else $MI_LANG, else what the person wrote."""

import argparse
import json
import os
import re
from pathlib import Path

import pytest

from mi.evidence.records.hands import HandsInput
from mi.evidence.records.mind import DecideNext, Risk, RiskEvent
from mi.evidence.records.run import BatchEnd
from mi.evidence.records.thoughts import Checkpoint
from mi.kernel.messages import help_text
from tests.cli.conftest import Stage
from tests.cli.test_help import ALL

CHINESE = re.compile("[\u4e00-\u9fff]")


def configured(home, language: str) -> None:
    os.makedirs(home.root, exist_ok=True)
    Path(home.config).write_text(json.dumps({"language": language}), "utf-8")


@pytest.mark.req("gov.intro.catalogue", "gov.intro.catalogue-languages")
def test_every_text_of_a_help_has_its_chinese():
    for words, one in ALL.items():
        for text in texts_of(one):
            assert help_text(text, "en") == text
            assert CHINESE.search(help_text(text, "zh")), f"mi {words}: {text}"


def texts_of(one: argparse.ArgumentParser) -> list[str]:
    """What a help says, without what is the same in every language."""
    groups = [action for action in one._actions if isinstance(action, argparse._SubParsersAction)]
    listed = [choice.help for group in groups for choice in group._choices_actions]
    texts = [one.description, *(action.help for action in one._actions), *listed]
    return ["usage", "example", *(group.title for group in one._action_groups), *(text for text in texts if text)]


SPEAKING = [
    *([], ["status"], ["doctor"], ["tail"], ["values", "show"], ["settings", "show"], ["project", "show"]),
    *(["project", "status"], ["project", "alias", "list"], ["config", "examples"], ["config", "validate"], ["--help"]),
    *(["project", "pin"], ["project", "unpin"], ["config", "init", "--force"], ["init", "--values", "Be kind."]),
    *(["tail", "--help"], ["help", "config", "init"]),
]


@pytest.mark.req("gov.lang.config", "mi.config.language")
@pytest.mark.parametrize("args", SPEAKING, ids=" ".join)
def test_every_answer_in_the_language_that_is_configured(mi, args, home):
    configured(home, "zh")
    done = mi(*args, env={"MI_LANG": "en"})
    assert (done.returncode, done.stderr) == (0, "")
    assert CHINESE.search(done.stdout)


@pytest.mark.req("gov.lang.env")
@pytest.mark.parametrize("args", [["status"], ["config", "init"], ["tail", "--help"], ["doctor"]], ids=" ".join)
def test_answer_in_the_language_of_the_variable(mi, args):
    assert CHINESE.search(mi(*args, env={"MI_LANG": "zh"}).stdout)


FAILING = [
    *(["show", "last"], ["show", "ev_x"], ["show", "x"], ["xyzzy"], ["tail", "hands"], ["init"], ["settings", "set"]),
    *(["status", "--cd", "@x"], ["config", "template", "x"], ["config", "rollback"], ["tail", "--bogus"], ["show"]),
    *(["config"], ["tail", "-n", "x"], ["settings", "set", "--ask-when-uncertain", "x"], ["help", "x"]),
]


@pytest.mark.req("gov.lang.env", "gov.lang.config")
@pytest.mark.parametrize("args", FAILING, ids=" ".join)
def test_every_failure_in_the_language_that_is_set(mi, args, home):
    configured(home, "zh")
    done = mi(*args, env={"MI_LANG": "en"})
    assert done.returncode in (1, 2)
    assert CHINESE.search(done.stderr)
    assert done.stderr.count("\n") == 1


@pytest.mark.req("gov.lang.env", "gov.lang.config", "mi.config.language")
def test_english_where_it_is_set_or_nothing_is(mi, home):
    for language, variable in (("en", "zh"), ("auto", ""), ("auto", "en")):
        configured(home, language)
        for args in (["status"], ["show", "last"], ["--help"]):
            done = mi(*args, env={"MI_LANG": variable})
            assert not CHINESE.search(done.stdout + done.stderr)


@pytest.mark.req("gov.lang.env")
def test_failure_before_a_home_is_known(mi):
    assert CHINESE.search(mi("-C", env={"MI_LANG": "zh"}).stderr)


@pytest.mark.req("gov.lang.config", "mi.config.language")
def test_notices_in_the_language_that_is_set(mi, recorded: Stage, home):
    configured(home, "zh")
    with recorded.log.open("ab") as file:
        file.write(b"no record\n")
    assert CHINESE.search(mi("tail").stderr)


@pytest.mark.req("mi.config.language-auto")
def test_answer_to_chinese_is_chinese(mi, home):
    for command in (["init", "--values"], ["values", "set", "--text"]):
        done = mi(*command, "改动要小。说完成之前先跑测试。")
        assert "现有 2 条价值观" in done.stdout
        assert not CHINESE.search(mi(*command, "改动要小。", env={"MI_LANG": "en"}).stdout)
        assert not CHINESE.search(mi(*command, "Keep changes small.").stdout)
    configured(home, "en")
    assert not CHINESE.search(mi("init", "--values", "改动要小。").stdout)
    configured(home, "auto")
    assert "现有 1 条" in mi("init", "--values", "改动要小。").stdout


def test_words_that_records_hold_are_chinese_where_a_person_reads_them(mi, stage: Stage):
    stage.append(
        HandsInput(batch_id="b0", input="修好它"),
        BatchEnd(batch_id="b0", outcome="ended", last_message="好了"),
        RiskEvent(batch_id="b0", risk=Risk(category="push", severity="high"), risk_signals=["push: git push"]),
        DecideNext(batch_id="b0", status="not_done", next_action="send_to_hands", notes="再看看"),
        Checkpoint(batch_id="b0", segment_id="seg_1", note="nothing marks the end of a stretch"),
    )
    env = {"MI_LANG": "zh"}
    told = mi("tail", env=env).stdout
    for said in ("批次结束 b0              结束 好了", "高 推送 push: git push", "未完成, 继续: 再看看", "还没有迹象"):
        assert said in told
    assert "ended 好了" in mi("tail", env={"MI_LANG": "en"}).stdout
    assert json.loads(mi("tail", "--json", env=env).stdout)[1]["outcome"] == "ended"
    assert "b0  结束  → 未完成, 继续" in mi("status", env=env).stdout
    assert "下一步决定             未完成, 继续" in mi("show", "last", env=env).stdout


def test_scopes_and_types_of_thoughts_are_chinese_where_a_person_reads_them(mi):
    env = {"MI_LANG": "zh"}
    mi("init", "--values", "改动要小。")
    listed = mi("claim", "list", env=env).stdout
    assert "  偏好         改动要小。" in listed
    claim = json.loads(mi("claim", "list", "--json", env=env).stdout)[0]
    assert claim["claim_type"] == "preference"
    assert "（全局）" in mi("claim", "retract", claim["claim_id"], "--scope", "global", env=env).stdout
    assert "（项目）" in mi("settings", "set", "--scope", "project", "--ask-when-uncertain", "ask", env=env).stdout


def test_chinese_values_are_sentences_too(mi):
    mi("init", "--values", "改动要小。说完成之前先跑测试！不要直接推送到 main；先问我？")
    texts = [one["text"] for one in json.loads(mi("values", "show", "--json").stdout)["values"]]
    assert texts == ["改动要小。", "说完成之前先跑测试！", "不要直接推送到 main；先问我？"]
    assert "改动要小。" in mi("tail", "--global").stdout


def test_malformed_configuration_is_explained_in_the_variables_language(mi, home):
    os.makedirs(home.root)
    Path(home.config).write_text('{"language": "zh"', "utf-8")
    assert "第 1 行" in mi("config", "validate", env={"MI_LANG": "zh"}).stderr
    assert "line 1" in mi("config", "validate").stderr
