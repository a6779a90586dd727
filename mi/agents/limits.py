"""Recognising a vendor's usage limit in what its agent says, and when it ends."""

import re
import time
from datetime import datetime, timedelta
from zoneinfo import ZoneInfo, ZoneInfoNotFoundError

from mi.agents.events import VendorLimit, cut_excerpt
from mi.kernel import clock

_LIMIT = re.compile(
    r"usage limit|rate.?limit|limit reached|hit your (?:\w+ )?limit|too many requests|quota exceeded|insufficient_quota"
    r"|(?:status|error|code)\W{0,4}(?:code\W{0,3})?429|\b429\b.{0,40}(?:too many|limit)",
    re.IGNORECASE,
)
_EPOCH = re.compile(r"(?:\||resets?_?at\W{1,4})(1[5-9]\d{8}|[2-9]\d{9})\b", re.IGNORECASE)
_STAMP = re.compile(r"\b(20\d\d-\d\d-\d\d[T ]\d\d:\d\d(?::\d\d(?:\.\d+)?)?(?:Z|[+-]\d\d:?\d\d)?)")
_SECONDS = re.compile(r"(?:resets?_in_seconds|retry[-_ ]after(?:_seconds)?)\W{1,4}(\d{1,7})\b", re.IGNORECASE)
_SPAN = re.compile(
    r"(?:try again|resets?|retry|available)\s+in\s+((?:[\d.]+\s*[a-z]+[,\s]*(?:and\s+)?)+)", re.IGNORECASE
)
_PART = re.compile(r"(?<![\d.])([\d.]+)\s*(d|h|m(?!s)|s|ms)", re.IGNORECASE)
_CLOCK = re.compile(
    r"(?:try again|resets?|until)\s+(?:at\s+)?"
    r"(?:(?P<month>[A-Z][a-z]{2})[a-z]*\s+(?P<day>\d{1,2})(?:st|nd|rd|th)?(?:,\s*(?P<year>\d{4}))?,?\s+(?:at\s+)?)?"
    r"(?P<hour>\d{1,2})(?::(?P<minute>\d\d))?\s*(?P<half>[ap]m)?(?:\s*\((?P<zone>[\w/+-]+)\))?",
    re.IGNORECASE,
)
_UNIT_S = {"d": 86400.0, "h": 3600.0, "m": 60.0, "s": 1.0, "ms": 0.001}
_MONTHS = ("jan", "feb", "mar", "apr", "may", "jun", "jul", "aug", "sep", "oct", "nov", "dec")


def find_vendor_limit(message: str, now: float | None = None, certain: bool = False) -> VendorLimit | None:
    """Return the limit a message speaks of; None when it speaks of none. `certain`: the caller knows that it is one."""
    if not certain and not _LIMIT.search(message):
        return None
    reset = _reset(message, time.time() if now is None else now)
    return VendorLimit(message=cut_excerpt(message), resets_at=format_time(reset) if reset else "")


def format_time(epoch_s: float) -> str:
    """Return a moment as MI writes it."""
    return clock.format_ms(int(epoch_s * 1000))


def _reset(message: str, now: float) -> float | None:
    if found := _EPOCH.search(message):
        return float(found[1])
    if found := _STAMP.search(message):
        try:
            return clock.parse(found[1])
        except ValueError:
            return None
    if found := _SECONDS.search(message):
        return now + float(found[1])
    if found := _SPAN.search(message):
        parts = _PART.findall(found[1])
        return now + sum(_amount(number) * _UNIT_S[unit.lower()] for number, unit in parts) if parts else None
    if found := _CLOCK.search(message):
        return _moment(found, now)
    return None


def _amount(number: str) -> float:
    try:
        return float(number)
    except ValueError:  # "5." at the end of a sentence is fine, "1.2.3" is no number
        return 0.0


def _moment(found: re.Match[str], now: float) -> float | None:
    """Return a time of day, with or without its day, as the next such moment; without a zone it is local time."""
    hour, minute = int(found["hour"]), int(found["minute"] or 0)
    if found["half"]:
        hour = hour % 12 + (12 if found["half"].lower() == "pm" else 0)
    elif not found["minute"]:
        return None
    try:
        zone = ZoneInfo(found["zone"]) if found["zone"] else None
        today = datetime.fromtimestamp(now, zone)
        moment = today.replace(hour=hour, minute=minute, second=0, microsecond=0)
        if found["month"]:
            month = _MONTHS.index(found["month"].lower()) + 1
            return moment.replace(int(found["year"] or today.year), month, int(found["day"])).timestamp()
    except (ValueError, ZoneInfoNotFoundError):
        return None
    return (moment if moment.timestamp() > now else moment + timedelta(days=1)).timestamp()
