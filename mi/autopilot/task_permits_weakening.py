"""Whether the person's own task asked, in so many words, for what would otherwise count as a weakened test or check."""

import re

from mi.autopilot.weakening import is_test

_TAKE_AWAY = r"(?:remove|delete|drop|get rid of|skip|disable|xfail|删除|删掉|移除|去掉|跳过|禁用)"
_REFUSED = rf"(?:\bnot|n't|\bnever|\bwithout|\binstead of|不要?|别|勿|禁止)\W*(?:\w+\W+){{0,2}}{_TAKE_AWAY}"
# What may stand between the verb and the name; anything else means that something different is to be taken away.
_BETWEEN = (
    r"(?:\W+|(?:the|this|that|these|those|all|both|old|obsolete|outdated|unused|deprecated|duplicate|flaky|slow|failing"
    r"|broken|entire|whole|unit|file|files|case|cases|method|function|class|suite|module|from|in|of|and|or|named|called"
    r"|temporarily|[\w./-]*[Tt]ests?[\w./-]*)\b|测试|用例|文件|函数|方法|过时的?|旧的?|这个|那个|里的?|中的?|和|与|的|掉|整个)*"
)
_CHANGE = r"change|replace|rewrite|update|switch|use|make|set|edit|configure|migrate|run|改|换|更新|使用|设置|配置|运行"
_LEAVE_OUT = r"deselect|skip|exclude|ignore|leave out|only|跳过|排除|忽略|只"


def is_asked_for(way: str, task: str) -> bool:
    """Whether a task names what a weakening such as `tests/test_a.py: test_x deleted` is about, and asks for that."""
    path, _, how = way.partition(": ")
    if re.search(_REFUSED, task, re.IGNORECASE):
        return False
    file = path.rpartition("/")[2]
    if not is_test(path):
        return _asks_for_another_check(path, how, task)
    if _takes_away(path, task) or _takes_away(file, task) or _takes_away(file.partition(".")[0], task):
        return True
    gone = how.removesuffix(" deleted").split(", ") if how.endswith(" deleted") and how != "file deleted" else []
    return bool(gone) and all(_takes_away(name, task) for name in gone)


def _takes_away(name: str, task: str) -> bool:
    found = re.search(rf"{_TAKE_AWAY}{_BETWEEN}(?<![\w-]){re.escape(name)}(?![\w-])", task, re.IGNORECASE)
    return found is not None


def _asks_for_another_check(path: str, how: str, task: str) -> bool:
    """A check that runs nothing is never what somebody wants; one that runs less must be asked for as such."""
    if "nothing" in how or not re.search(rf"(?<![\w-]){re.escape(path)}(?![\w-])", task, re.IGNORECASE):
        return False
    return bool(re.search(_LEAVE_OUT if "leaves" in how else _CHANGE, task, re.IGNORECASE))
