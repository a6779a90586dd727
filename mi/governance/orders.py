"""What a task itself orders and nobody can take back: a verb with its object, or a command. Never single words."""

import re

from mi.governance.commands import classify
from mi.governance.operations import Act
from mi.governance.words import own_words
from mi.kernel.language import compiled, patterns

_SPAN = re.compile(r"```[\w-]*\n?(?P<fenced>.*?)(?:```|\Z)|`(?P<inline>[^`\n]+)`", re.S)
_FINAL = ("force-push", "force-push-main", "production-command", "credentials-out")


def find_final_order(task: str) -> str:
    """Return the words of a task that order an act that cannot be taken back; '' where there are none."""
    verb = compiled(rf"\W*+(?:(?:{patterns().order_filler})\W*+)*+({patterns().final_orders})")
    worded = (found[1].strip() for part in _list_orders(own_words(task)) if (found := verb.match(part)))
    commands = (one for one in _list_commands(task) if any(map(_is_final, classify(one))))
    return next(worded, "") or next(commands, "")


def _list_orders(text: str) -> list[str]:
    """Return the parts of a text that may be orders: none behind words that tell of something, as "a script that"."""
    known, found = patterns(), list[str]()
    for sentence in compiled(known.order_breaks).split(text):
        for part in compiled(known.order_parts).split(sentence):
            found.append(part)
            if compiled(known.order_tells).search(part):
                break
    return found


def _list_commands(task: str) -> list[str]:
    """Return the commands to run: a line that is one, code that is the whole task or that the words before it order."""
    prose = ("deploy", "release")  # verbs that are programs' names, too
    lines = [line for line in task.splitlines() if "`" not in line and not line.lower().startswith(prose)]
    order = compiled(rf"\W*+(?:(?:{patterns().order_filler})\W*+)*+(?:{patterns().order_to_run})\b")
    for span in _SPAN.finditer(task):
        before = own_words(task[: span.start()]).rstrip(" :\n")
        alone = not (before or task[span.end() :].strip())
        if alone or (before and order.match(_list_orders(before)[-1])):
            lines += (span["fenced"] or span["inline"] or "").splitlines()
    return [_bare(line) for line in lines]


def _bare(command: str) -> str:
    return compiled(rf"^\s*(?:{patterns().order_to_run})\s+").sub("", command.strip().removeprefix("$ ")).strip("`")


def _is_final(act: Act) -> bool:
    lost = act.category in ("delete", "publish") and act.is_grave and not act.reversible
    return lost or act.operation in _FINAL
