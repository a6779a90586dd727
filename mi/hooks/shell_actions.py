"""What a shell command of an agent does in the words of capabilities: it can edit files and change the task list."""

import os
import re
from collections.abc import Iterator

from mi.hooks.changed_files import find_changed_files, find_command, is_shell
from mi.hooks.event import HookEvent
from mi.tasks import nexus_tasks
from mi.tasks.tinytasks import FILE

_ADDS, _UPDATES = "task_create", "task_update"
_VERBS = {"add": _ADDS, "update": _UPDATES, "complete": _UPDATES, "close": _UPDATES}
_LISTS = (FILE, os.path.basename(nexus_tasks.FILE))
# In code that runs commands: `subprocess.run(["mi", "task", "add", …])`, `os.system("mi task add …")`.
_IN_CODE = r"""\bmi['"]?[\s,'"]+(?:nexus['"]?[\s,'"]+)?task['"]?[\s,'"]+['"]?(add|update|complete|close)\b"""


def list_actions(event: HookEvent) -> list[str]:
    """Return the actions of a call of a shell; none for any other tool, whose name says what it does."""
    if not is_shell(event):
        return []
    files = find_changed_files(event)
    found = ["file_modify"] if files else []
    if any(os.path.basename(path) in _LISTS for path in files):  # past the tools that keep the list
        found += [_ADDS, _UPDATES]
    return [*dict.fromkeys([*found, *_task_commands(find_command(event))])]


def _task_commands(text: str) -> Iterator[str]:
    from mi.kernel.inline_code import inline_code
    from mi.kernel.shell import simple_commands

    for one in simple_commands(text):
        words = [os.path.basename(one.argv[0]), *one.argv[1:]]
        if "mi" in words:  # also behind a runner, and as `python -m mi`
            plain = [word for word in words[words.index("mi") + 1 :] if not word.startswith("-")]
            verb = plain[plain.index("task") + 1 :][:1] if "task" in plain[:4] else []
            yield from (_VERBS[word] for word in verb if word in _VERBS)
        for code in inline_code(one.name, list(one.argv[1:]), list(one.documents)):
            yield from (_VERBS[verb] for verb in re.findall(_IN_CODE, code))
