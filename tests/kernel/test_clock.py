import re
import time

import pytest

from mi.kernel import clock

RFC3339_MS = re.compile(r"^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z$")


@pytest.mark.req("mi.time.rfc3339-ms")
def test_now_is_rfc3339_in_utc_with_milliseconds(monkeypatch):
    monkeypatch.setenv("TZ", "Asia/Shanghai")
    time.tzset()
    try:
        before = time.time_ns() // 1_000_000
        text = clock.now()
        after = time.time_ns() // 1_000_000
    finally:
        monkeypatch.undo()
        time.tzset()
    assert RFC3339_MS.match(text)
    assert before <= round(clock.parse(text) * 1000) <= after


@pytest.mark.parametrize(
    ("epoch_ms", "text"),
    [
        (0, "1970-01-01T00:00:00.000Z"),
        (1, "1970-01-01T00:00:00.001Z"),
        (1_709_251_199_999, "2024-02-29T23:59:59.999Z"),
        (1_794_840_753_120, "2026-11-16T14:52:33.120Z"),
    ],
)
def test_format_and_parse_are_inverse(epoch_ms, text):
    assert clock.format_ms(epoch_ms) == text
    assert round(clock.parse(text) * 1000) == epoch_ms


def test_parse_understands_offsets_and_takes_their_absence_as_utc():
    assert clock.parse("2026-11-16T22:52:33+08:00") == clock.parse("2026-11-16T14:52:33Z")
    assert clock.parse("2026-11-16T14:52:33") == clock.parse("2026-11-16T14:52:33Z")


@pytest.mark.parametrize("text", ["", "yesterday", "2026-13-01T00:00:00Z", "2026-02-30T00:00:00Z"])
def test_parse_refuses_what_is_no_time(text):
    with pytest.raises(ValueError, match=r".+"):
        clock.parse(text)


def test_stamps_for_ids_and_file_names():
    assert re.match(r"^\d{8}T\d{6}Z$", clock.stamp())
    stamp = clock.filename_stamp()
    assert re.match(r"^\d{4}-\d\d-\d\dT\d\d-\d\d-\d\d\.\d{3}Z$", stamp)
    assert not set(stamp) & set('<>:"/\\|?*')
