"""How git merges what two people wrote in `.nexus/history.json` and in cards: by `mi merge-file`."""

import os

from mi.hosts.artefacts import MarkedBlock
from mi.kernel import git
from mi.kernel.errors import MiError
from mi.kernel.files import read_bytes
from mi.kernel.text import decode

OWNER = "merge-driver"
_SECTION = "merge.mi"
# What `mi` cannot merge, or where it is not installed any more, git merges as it does without a driver.
_DRIVER = "mi merge-file %O %A %B %P || git merge-file -L ours -L base -L theirs %A %O %B"
_ATTRIBUTES = ("/.nexus/history.json merge=mi", "/persona/cards/**/*.md merge=mi")


def list_attributes(root: str) -> list[MarkedBlock]:
    """Return the lines of `.gitattributes` that name the driver; none outside of git, or where they stand by hand."""
    named = _read_attributes(root)
    by_hand = {*_ATTRIBUTES} <= {*named} and not any(line.startswith(f"# mi:{OWNER} ") for line in named)
    if by_hand or git.find_toplevel(root) is None:
        return []
    return [MarkedBlock(".gitattributes", OWNER, "\n".join(_ATTRIBUTES), "#")]


def install_merge_driver(root: str) -> None:
    """Let git merge by `mi merge-file` in this clone; outside of git nothing happens."""
    if git.find_toplevel(root) is not None and not is_driver_installed(root):
        _config(root, f"{_SECTION}.name", "history and cards of two people (mi)")
        _config(root, f"{_SECTION}.driver", _DRIVER)


def remove_merge_driver(root: str) -> None:
    """Take the driver out of this clone's git configuration."""
    if is_driver_installed(root):
        git.run(root, "config", "--local", "--remove-section", _SECTION)


def is_driver_installed(root: str) -> bool:
    """Return whether this clone merges by the driver of this version."""
    return git.run(root, "config", "--local", "--get", f"{_SECTION}.driver").output.rstrip("\n") == _DRIVER


def wants_driver(root: str) -> bool:
    """Return whether the repository names the driver, and this clone does not have it yet."""
    return bool(set(_ATTRIBUTES) & set(_read_attributes(root))) and not is_driver_installed(root)


def _config(root: str, key: str, value: str) -> None:
    done = git.run_bytes(root, "config", "--local", "--replace-all", key, value, umask=-1)
    if done.code != 0:
        raise MiError("git-failed", reason=done.error)


def _read_attributes(root: str) -> list[str]:
    return decode(read_bytes(os.path.join(root, ".gitattributes")) or b"").splitlines()


def merge_file(base: str, ours: str, theirs: str, path: str) -> None:
    """Put the merge of three files into `ours`; MiError, and nothing is written, where a person must decide."""
    texts = [decode(read_bytes(name) or b"") for name in (base, ours, theirs)]
    merged = _merge_history(texts, path) if os.path.basename(path) == "history.json" else _merge_card(texts, path)
    with open(ours, "wb") as file:  # git's own temporary file, which it reads under this name
        file.write(merged.encode())


def _merge_history(texts: list[str], path: str) -> str:
    from mi.kernel.state import encode_pretty
    from mi.nexus.history_merge import unite_histories
    from mi.nexus.reading import parse_history

    ours, theirs = (parse_history(text.encode(), path) for text in texts[1:])
    return encode_pretty(unite_histories(ours, theirs)).decode()


def _merge_card(texts: list[str], path: str) -> str:
    from mi.persona.card_merge import are_same, unite_cards
    from mi.persona.cards import parse, render_card

    base = parse(texts[0], path) if texts[0] else None
    ours, theirs = (parse(text, path) for text in texts[1:])
    if base is None and not are_same(ours, theirs):
        raise MiError("two-cards", path=path, ours=ours.card.title, theirs=theirs.card.title)
    return render_card(*unite_cards(base, ours, theirs)[:2])
