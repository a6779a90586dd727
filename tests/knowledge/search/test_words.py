"""Tokens: what is indexed and what is asked for."""

import pytest

from mi.knowledge.search.words import MAX_QUERY_TOKENS, compact, day_words, tokens


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("Run the tests.", ["run", "the", "tests"]),
        ("C++ and C#, not c", ["c++", "and", "c#", "not", "c"]),
        ("a:b foo-bar snake_case", ["a", "b", "foo", "bar", "snake", "case"]),
        ("EvidenceWriter", ["evidencewriter", "evidence", "writer"]),
        ("HTTPServer v2", ["httpserver", "http", "server", "v2"]),
        ("we went and bought", ["we", "go", "and", "buy"]),
        ("部署前先备份", ["部署", "署前", "前先", "先备", "备份", "份"]),
        ("用 pytest 测试", ["用", "pytest", "测试", "试"]),
        ("ｆｕｌｌ　width", ["full", "width"]),
        ("café Ünïcode", ["café", "ünïcode"]),
        ("deploy 🚀 now", ["deploy", "🚀", "now"]),
        ('"quoted" (NEAR) *star* ^ -minus', ["quoted", "near", "star", "minus"]),
        ("", []),
        ("!!! ... ---", []),
    ],
)
@pytest.mark.req("mi.recall.cjk-bigrams", "mi.fail.recall-non-ascii")
def test_tokens(text: str, expected: list[str]) -> None:
    assert tokens(text) == expected


@pytest.mark.req("mi.recall.stop-words", "v1.recall.query-compacted")
def test_a_question_is_compacted_to_what_it_asks_about() -> None:
    asked = compact("What did we decide about the cache, and why did we decide it?")
    assert asked.tokens == ("decide", "cache")
    assert asked.text == "decide cache"
    assert asked.raw.startswith("What did we")


def test_words_that_are_all_common_are_kept() -> None:
    assert compact("who are you").tokens == ("who", "are", "you")


def test_a_long_task_keeps_what_it_repeats() -> None:
    task = " ".join(f"word{number}" for number in range(200)) + " migration migration"
    asked = compact(task)
    assert len(asked.tokens) == MAX_QUERY_TOKENS
    assert "migration" in asked.tokens


def test_chinese_is_asked_in_pairs_and_a_single_character_as_it_is() -> None:
    assert compact("备份策略").tokens == ("备份", "份策", "策略")
    assert compact("猫").tokens == ("猫",)


@pytest.mark.parametrize(
    ("ts", "expected"),
    [("2026-11-06T10:00:00.000Z", "2026 11 06 6 november"), ("", ""), ("yesterday", ""), ("2026-13-01T", "")],
)
def test_a_date_is_indexed_as_people_write_it(ts: str, expected: str) -> None:
    assert day_words(ts) == expected
