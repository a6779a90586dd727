"""Which tasks need a second pair of eyes: decided by their owner and by what their acceptance promises."""

import re
from typing import Literal, NamedTuple

from mi.nexus.state import Fields, Task, Tasks, given
from mi.nexus.targets import targets_of

CHECKERS = ("tester", "reviewer")
DOCS = ("docs_only.coherent", "docs_only.independent")
EXCEPTIONS = (*DOCS, "same_file_bundle", "generated_artifacts")
# A criterion about what a program does when it runs, not about how its text looks.
_RUNTIME = re.compile(
    r"\b(?:runs?|running|executes?|returns?|exits?|responds?|response|prints?|outputs?|raises?|throws?|rejects?|accepts?"
    r"|loads?|starts?|stops?|crash\w*|fails?|pass(?:es)?|tests?|behaves?|behaviou?r|requests?|status code|latency"
    r"|seconds?|handles?|survives?|logs? in|saves?|stores?|writes?|reads?|round[- ]trips?)\b"
    r"|运行|执行|返回|退出|响应|输出|报错|抛出|通过|测试|启动|崩溃|行为|处理|保存|读取|写入",
    re.IGNORECASE,
)
# A criterion that someone can hold the delivered text against.
_DELIVERABLE = re.compile(
    r"\b(?:covers?|contains?|lists?|states?|names?|describes?|explains?|documents?|links?|accurate|correct|complete"
    r"|consistent|matches|sections?|table|examples?|spelling|grammar|figures?|words?|sources?|cites?|every|each|all)\b"
    r"|包含|列出|说明|描述|准确|正确|完整|一致|章节|示例|表格|引用|每个|所有",
    re.IGNORECASE,
)
_REFACTOR = re.compile(r"\brefactor\w*|\bbehaviou?r[- ]preserving|\brename\b|重构|不改变行为", re.IGNORECASE)
_TYPE_ONLY = re.compile(r"\btypes?[- ]only\b|\btype annotations?\b|\btype hints?\b|仅类型|类型标注", re.IGNORECASE)

Checker = Literal["tester", "reviewer"]


class Pair(NamedTuple):
    """A task and the check it is owed."""

    task: Task
    checker: Checker


def exceptions_in(task: Task) -> list[str]:
    """The task exceptions that a task's context records."""
    return [name for name in EXCEPTIONS if re.search(rf"(?<![\w.]){re.escape(name)}(?![\w.]*\w)", task.context)]


def due(task: Task, extensions: dict[str, Fields]) -> Checker | None:
    """The kind of check that pairing adds to a task; None when it adds none."""
    acceptance = task.acceptance if isinstance(task.acceptance, str) else ""
    if is_docs(task, extensions) or _pure(task):
        return None
    if task.owner == "engineer" and _RUNTIME.search(acceptance):
        return "tester"
    if task.owner == "writer" and (_DELIVERABLE.search(acceptance) or _RUNTIME.search(acceptance)):
        return "reviewer"
    return None


def is_docs(task: Task, extensions: dict[str, Fields]) -> bool:
    """Whether a task only touches documentation: it says so, or all its files are."""
    if any(name in DOCS for name in exceptions_in(task)):
        return True
    targets = targets_of(task, extensions)
    return bool(targets) and all(path.endswith(".md") for path in targets)


def _pure(task: Task) -> bool:
    said = " ".join(text for text in (task.title, task.context, task.approach) if isinstance(text, str))
    return bool(_REFACTOR.search(said) or _TYPE_ONLY.search(said))


def checks_of(found: Tasks, task: Task) -> list[Task]:
    """The tester and reviewer tasks that depend on a task."""
    return [one for one in found.tasks if one.owner in CHECKERS and task.id in one.deps]


def missing(found: Tasks, extensions: dict[str, Fields]) -> list[Pair]:
    """The checks that are due and not among the tasks."""
    pairs = [Pair(task, checker) for task in found.tasks if (checker := due(task, extensions))]
    return [pair for pair in pairs if all(one.owner != pair.checker for one in checks_of(found, pair.task))]


def has_acceptance(task: Task) -> bool:
    """Whether a task says how one sees that it is done."""
    return given(task.acceptance) and bool(str(task.acceptance).strip())
