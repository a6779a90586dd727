"""Commands that hand another one to a terminal, or to a program that starts it: it counts as if it stood there itself.

What is typed into a terminal of the person's runs below their own shell, where nothing tells it from their word.
"""

import re
from collections.abc import Sequence

from mi.kernel.shell import Simple

_TMUX_HANDS = frozenset(
    "send-keys send new-session new new-window neww split-window splitw respawn-pane respawn-window run-shell run "
    "pipe-pane display-popup popup".split()
)
_WITH_VALUE = {
    "tmux": ("-t", "-n", "-c", "-s", "-F", "-e", "-x", "-y", "-N"),
    "screen": ("-S", "-t", "-p", "-c", "-T", "-s"),
    "systemd-run": ("-p", "--property", "-u", "--unit", "-E", "--setenv", "-H", "-M", "--on-active", "--on-calendar"),
}
_KEYS = frozenset(("Enter", "KPEnter", "C-m", "C-j", "Space", "C-c", "C-u"))


def find_handed(one: Simple) -> str:
    """Return the shell text that a command hands on; '' for none."""
    words = list(one.argv[1:])
    match one.name:
        case "tmux":
            at = next((at for at, word in enumerate(words) if word in _TMUX_HANDS), len(words))
            text = " ".join(word for word in _skip_options("tmux", words[at + 1 :]) if word not in _KEYS)
        case "screen" if "stuff" in words:
            text = " ".join(words[words.index("stuff") + 1 :])
        case "screen" | "systemd-run":
            text = " ".join(_skip_options(one.name, words))
        case "script":
            at = next((at for at, word in enumerate(words) if re.fullmatch(r"-[a-z]*c|--command", word)), len(words))
            text = " ".join(words[at + 1 : at + 2])
        case _:
            return ""
    return re.sub(r"\\[nr]|\\01[25]|\^M", "\n", text).strip()


def _skip_options(name: str, words: Sequence[str]) -> Sequence[str]:
    at = 0
    while at < len(words) and words[at].startswith("-"):
        at += 2 if words[at] in _WITH_VALUE[name] else 1
    return words[at:]
