import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from mi.kernel import text


@pytest.mark.parametrize("word", ["价值", "カナ", "한국", "𠮷", "a 值", "豈"])
def test_cjk_is_seen(word):
    assert text.has_cjk(word)


@pytest.mark.parametrize("word", ["", "values", "Größe", "😀", "“quoted”", "…", "Ωμέγα"])
def test_other_scripts_are_not_cjk(word):
    assert not text.has_cjk(word)


@pytest.mark.parametrize(
    ("stored", "shown"),
    [
        ("plain\ttext\nnext", "plain\ttext\nnext"),
        ("\x1b[31mred\x1b[0m", "red"),
        ("\x1b]0;title\x07after", "after"),
        ("\x1b]8;;http://x\x1b\\link\x1b]8;;\x1b\\", "link"),
        ("over\rwrite", "over\ufffdwrite"),
        ("dos\r\nline", "dos\nline"),
        ("bell\x07 back\x08", "bell\ufffd back\ufffd"),
        ("c1\x9b31m", "c1\ufffd31m"),
        ("rtl\u202eevil\u2066", "rtl\ufffdevil\ufffd"),
        ("half\udcff", "half\ufffd"),
        ("值 😀", "值 😀"),
        ("cut \x1b[", "cut "),
        ("lone \x1b", "lone \ufffd"),
    ],
)
def test_printed_text_cannot_drive_the_terminal(stored, shown):
    assert text.make_printable(stored) == shown


@settings(deadline=None)
@given(st.text(alphabet="a[];1m\\\x00\x07\x08\t\n\r\x1b\x7f\x85\x9b\u202e\u2066\ud800值😀"))
def test_whatever_is_printed_is_text_without_controls(stored):
    shown = text.make_printable(stored)
    shown.encode("utf-8")
    assert not any((ord(char) < 32 and char not in "\n\t") or 0x7F <= ord(char) < 0xA0 for char in shown)


@pytest.mark.parametrize(("words", "columns"), [("abc", 3), ("价值", 4), ("e\u0301", 1), ("ｆ", 2), ("", 0)])
def test_width_counts_columns(words, columns):
    assert text.width(words) == columns


@settings(deadline=None)
@given(st.text(alphabet="ab价值e\u0301…", max_size=60), st.integers(1, 40))
def test_shortened_text_fits_and_is_a_beginning(words, limit):
    short = text.shorten(words, limit)
    assert text.width(short) <= limit
    assert words == short or words.startswith(short.removesuffix(text.ELLIPSIS))


def test_one_line_joins_lines_and_fits():
    assert text.fit_one_line("a\n  b\t\tc\x1b[1m", 80) == "a b c"
    assert text.fit_one_line("价" * 100, 9) == "价价价价…"
    assert text.fit_one_line("word " * 100_000, 12) == "word word w…"


@settings(deadline=None)
@given(st.text("ab 中文，", max_size=60), st.integers(4, 20))
def test_wrapped_text_fits_and_loses_nothing(words, columns):
    lines = text.wrap(words, columns)
    assert "".join("".join(lines).split()) == "".join(words.split())
    assert all(text.width(line) <= columns or len(line.split()) == 1 for line in lines)


def test_text_is_wrapped_between_words():
    assert text.wrap("one two three", 8) == ["one two", "three"]
    assert text.wrap("说完成之前，先跑测试", 8) == ["说完成之", "前，先跑", "测试"]
    assert text.wrap("a-word-that-is-too-long b", 8) == ["a-word-that-is-too-long", "b"]
    assert text.wrap("", 8) == [""]


def test_pad_fills_columns():
    assert text.pad("值", 4) == "值  "
    assert text.pad("long", 2) == "long"


@pytest.mark.parametrize(
    ("written", "found"),
    [
        ("Keep changes small. Run the tests!", ["Keep changes small.", "Run the tests!"]),
        ("改动要小。说完成之前先跑测试！可以吗？", ["改动要小。", "说完成之前先跑测试！", "可以吗？"]),
        ("Never push. 不要推送。Ask me.", ["Never push.", "不要推送。", "Ask me."]),
        ("- one\n* two\n• three\n1. four\n2) five\n3、六", ["one", "two", "three", "four", "five", "六"]),
        ("Use tools, e.g. ruff. Done.", ["Use tools, e.g. ruff.", "Done."]),
        ("Python 3.11. Version 1.5 is fine.", ["Python 3.11.", "Version 1.5 is fine."]),
        ("Same.\nSame.\nOther.", ["Same.", "Other."]),
        ("他说：“不要推送。”然后停下。真的吗？！好。", ["他说：“不要推送。”", "然后停下。", "真的吗？！", "好。"]),
        ("---\n\n...\n***", []),
        ("", []),
        ("no full stop", ["no full stop"]),
    ],
)
def test_sentences_of_english_and_chinese(written, found):
    assert text.split_sentences(written) == found


@settings(deadline=None)
@given(st.text(alphabet="ab价。！？.! \n-”", max_size=80))
def test_sentences_keep_every_letter(written):
    kept = "".join(text.split_sentences(written))
    assert {char for char in written if char.isalnum()} == {char for char in kept if char.isalnum()}


def test_bytes_from_outside_become_text():
    assert text.decode(b"a\xffb") == "a\ufffdb"
