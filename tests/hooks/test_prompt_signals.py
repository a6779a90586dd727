"""Minor notices beside an answer become one block; what matters stays inline."""

import pytest

from mi.hooks.prompt_signals import MINOR, Kind, NoticeBlock, consolidate


def notes(number: int, kind: Kind = "hint") -> list[NoticeBlock]:
    return [NoticeBlock(kind, f"note {one}") for one in range(1, number + 1)]


@pytest.mark.req(
    "mx.isb.consolidate", "mx.isb.format", "mx.isb.single", "mx.isb.over-five", "mx.isb.capture", "mx.isb.lint",
    "mx.isb.hints", "mx.isb.status", "mx.life.isb", "mx.conf.isb", "mx.speed.s4",
)  # fmt: skip
def test_minor_notices_become_one_block():
    assert consolidate([]) == ([], "")
    assert consolidate(notes(1)) == (["note 1"], "")
    assert consolidate(notes(2)) == ([], "─── ISB ───\n• note 1\n• note 2\n────────────")
    assert consolidate(notes(5)).block.count("•") == 5
    six = consolidate(notes(6)).block.splitlines()
    assert six == ["─── ISB ───", "• note 1", "• note 2", "• note 3", "[3 more minor items]", "────────────"]
    assert "3" in consolidate(notes(6), language="zh").block.splitlines()[-2]
    assert consolidate(notes(6), levels=(4,)) == ([], "")
    assert consolidate(notes(1), levels=(4,)) == ([], "")
    mixed = [NoticeBlock(kind, kind) for kind in MINOR]
    assert consolidate(mixed).block.count("•") == len(MINOR) == 4


@pytest.mark.req(
    "mx.isb.not-security", "mx.isb.not-deploy", "mx.isb.not-confirm", "mx.isb.not-errors", "mx.isb.not-challenge",
    "mx.isb.inline", "mx.speed.keep-security",
)  # fmt: skip
@pytest.mark.parametrize("kind", ["security", "deployment", "confirmation", "error", "challenge"])
@pytest.mark.parametrize("levels", [(), (1, 2, 3, 4)])
def test_what_matters_is_always_inline(kind, levels):
    shown = consolidate([*notes(3, kind), *notes(2)], levels)
    assert shown.inline == ["note 1", "note 2", "note 3"]
    assert shown.block.count("•") == (0 if levels else 2)
