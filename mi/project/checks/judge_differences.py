"""The items of a judge before and after: which of them are gone, are others now, or came and change the rest."""

import re
from collections.abc import Iterator
from typing import Literal

from mi.kernel.named_tuple import NamedTuple
from mi.kernel.secrets import redact_start
from mi.project.checks.judge_additions import adds_only
from mi.project.checks.judge_items import JudgeItem, names_in

How = Literal["changed", "removed", "hidden", "moved", "in place of a judge", "for the tests alone"]
SHOWN = 1200  # characters of one item


class JudgeChange(NamedTuple):
    """A judge that is not what it was; `before` and `after` are its lines, '' where it was or is not there."""

    path: str
    item: str
    how: How
    before: str
    after: str
    asked_for: bool = False

    def __str__(self) -> str:
        what = f"{self.path}: {self.item}" if self.item else self.path
        return f"{what} {self.how}" if self.item else f"{what}: {self.how}"


def differences(
    path: str,
    was: list[JudgeItem],
    now: list[JudgeItem],
    used: frozenset[str],
    how: How,
    renamed: dict[str, str],
    around: str | None,
) -> Iterator[JudgeChange]:
    """Yield what is not as it was; `used` are names that must not get another meaning, `around` the code around."""
    before, after = _by_name(was), _by_name(now)
    came = [name for name in after if name not in before]
    for name, item in before.items():
        if name in after:
            if not _is_same(item, after[name], renamed, around):
                yield JudgeChange(
                    path, name, how, redact_start(item.shown, SHOWN), redact_start(after[name].shown, SHOWN)
                )
        elif (
            how != "hidden" and not _is_spare(item, after) and not _goes_on(item, [after[one] for one in came], renamed)
        ):
            yield JudgeChange(path, name, "removed", redact_start(item.shown, SHOWN), "")
    for name in came:
        item = after[name]
        harmless = item.adds and (item.is_test or not item.binds or not _is_used(item.binds, used))
        if not harmless and (item.acts or _owner(name) not in came):
            yield JudgeChange(path, name, how, "", redact_start(item.shown, SHOWN))


def _owner(name: str) -> str:
    """Return the class or group that an item stands in; '' for one at the top of its file."""
    return name.rpartition(" > ")[0] or ("" if " " in name else name.rpartition(".")[0])


def _is_used(name: str, used: frozenset[str]) -> bool:
    return name in used or ("/" in name and any(one.startswith(name) for one in used))


def _by_name(items: list[JudgeItem]) -> dict[str, JudgeItem]:
    """Return the items by name; of two with one name, what both say counts."""
    found: dict[str, JudgeItem] = {}
    for item in items:
        known = found.get(item.name)
        joined = (
            item._replace(text=f"{known.text}\n{item.text}", shown=f"{known.shown}\n{item.shown}") if known else item
        )
        found[item.name] = joined
    return found


def _is_spare(item: JudgeItem, after: dict[str, JudgeItem]) -> bool:
    """Return whether an item was an import that nothing uses any more."""
    used = names_in(other.text for name, other in after.items() if not _last_owner(name).startswith("import "))
    return _last_owner(item.name).startswith("import ") and bool(item.binds) and item.binds not in used


def _last_owner(name: str) -> str:
    return name.rpartition(" > ")[2]


def _goes_on(item: JudgeItem, came: list[JudgeItem], renamed: dict[str, str]) -> bool:
    """Return whether a test is still there under another name, or anything under the name that the task gives it."""
    own = _last(item.name)
    owner = item.name.removesuffix(own)
    for other in came:
        last = _last(other.name)
        fits = other.is_test == item.is_test and (other.is_test or renamed)
        if fits and other.name.removesuffix(last) in (owner, _renamed(owner, renamed)):
            plain = other.text.replace(last, own)
            if plain == item.text or other.text == _renamed(item.text, renamed):
                return True
    return False


def _last(name: str) -> str:
    return re.split(r" > |\.| ", name)[-1]


def _is_same(before: JudgeItem, after: JudgeItem, renamed: dict[str, str], around: str | None) -> bool:
    if before.text == after.text or (around is not None and adds_only(before.text, after.text, around)):
        return True
    return bool(renamed) and _renamed(before.text, renamed) in (after.text, _renamed(after.text, renamed))


def _renamed(text: str, renamed: dict[str, str]) -> str:
    """Return a text with the new names, also where one is a part of a longer name, as in `TestTotal`."""
    for old, new in renamed.items():
        inner = re.escape(old[0].upper() + old[1:])
        whole = rf"(?<![a-zA-Z0-9]){re.escape(old)}(?![a-zA-Z0-9])|(?P<inner>(?<=[a-z]){inner}(?![a-z0-9]))"
        text = re.sub(whole, lambda one, to=new: to[0].upper() + to[1:] if one["inner"] else to, text)  # type: ignore[misc]
    return text
