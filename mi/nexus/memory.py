"""Memory files: what the project learned, in as few files as possible, each found again by its name."""

import os
import re

from mi.kernel import clock, inside
from mi.kernel.config.types import Nexus as Settings
from mi.kernel.errors import Blocked, NotFound, UsageError
from mi.kernel.files import read_bytes
from mi.kernel.named_tuple import NamedTuple
from mi.knowledge.search.words import stop_words, tokens
from mi.knowledge.thoughts.store import refuse_secret
from mi.nexus import memory_rules
from mi.nexus.access import observe_read
from mi.nexus.knowledge import list_files, read_text
from mi.nexus.memory_rules import objection
from mi.nexus.store import Store

_RULES = "project-rules.md"  # for rules whose words give no file name


class Added(NamedTuple):
    """Where a memory went: a new file, or one that was there; `changed` is False when it was said already."""

    name: str
    path: str
    merged: bool
    share: float
    changed: bool = True


def list_categories(settings: Settings) -> tuple[str, ...]:
    """Return the categories a project uses."""
    return tuple(dict.fromkeys([*memory_rules.CATEGORIES, *settings.memory_categories]))


def show(store: Store, name: str, reader: str) -> str:
    """Return what a memory file says; the reading is counted."""
    path = find_memory(store, name)
    said = (read_bytes(path) or b"").decode("utf-8", "replace")
    observe_read(store, path, reader)
    return said


def find_memory(store: Store, name: str) -> str:
    """Return the path of a memory file; NotFound when there is none of this name."""
    wanted = name if name.endswith(".md") else name + ".md"
    for one in list_files(store, "memory"):
        if one.name == wanted:
            return one.path
    known = ", ".join(one.name for one in list_files(store, "memory"))
    raise NotFound("no-memory-file", name=wanted, known=known or "-")


def add(
    store: Store,
    text: str,
    settings: Settings,
    *,
    name: str = "",
    category: str = "",
    new: bool = False,
    force: bool = False,
) -> Added:
    """Keep a text: in the file that says most of it already, else in a new one. Blocked when it should not be kept."""
    said = text.strip()
    if not said:
        raise UsageError("empty-text", field="memory")
    known = list_categories(settings)
    if category and category not in known:
        raise UsageError("memory-category", value=category, known=", ".join(known))
    asked, name = name, _named(name, category, said, known)
    category = category or memory_rules.category_of(name, known)
    refuse_secret("memory", said)
    reason = None if force else objection(said, memory_rules.topic_of(name, known))
    if reason:
        raise Blocked("memory-admission-" + reason)
    if not name and (new or not list_files(store, "memory")):
        raise UsageError("memory-name-needed")  # before the lock, which would make the folder
    with store.lock():
        found = None if new else find_closest(store, said, name if asked else "", category, settings)
        if found is not None:
            return _extend(store, found[0], said, found[1])
        if not name:
            raise UsageError("memory-name-needed")
        path = os.path.join(store.place.memory, name)
        if os.path.lexists(path):
            raise UsageError("memory-exists", name=name)
        heading = "" if said.startswith("#") else f"# {memory_rules.topic_of(name, known).replace('-', ' ')}\n\n"
        store.write(path, f"{heading}{said}\n".encode("utf-8", "replace"))
    return Added(name, path, False, 0.0)


def _named(name: str, category: str, text: str, known: tuple[str, ...]) -> str:
    """Return the file name that was given, or one from the text's first line."""
    if not name:
        first = next((line.strip(" #") for line in text.splitlines() if line.strip(" #")), "")
        name = memory_rules.proposed(first, category)
        return name if not memory_rules.fault_of(name, known) else ""
    name = name if name.endswith(".md") else name + ".md"
    if category and not memory_rules.category_of(name, known):
        name = f"{category}-{name}"
    return memory_rules.check(name, known)


def find_closest(store: Store, text: str, name: str, category: str, settings: Settings) -> tuple[str, float] | None:
    """Return the file a text belongs to: the one it names, else that of its category with most of its words.

    A text of which nobody said a category may belong to a file of any.
    """
    known, threshold, wanted = list_categories(settings), settings.memory_overlap, words_of(text)
    best: tuple[str, float] | None = None
    for one in list_files(store, "memory"):
        if category and memory_rules.category_of(one.name, known) != category:
            continue
        topic = memory_rules.topic_of(one.name, known).replace("-", " ")
        held = share(wanted, words_of(f"{topic}\n{read_text(one.path)}"))
        if one.name == name:
            return one.path, held
        if held >= threshold and (best is None or held > best[1]):
            best = one.path, held
    return best


def _extend(store: Store, path: str, said: str, held: float) -> Added:
    former = read_bytes(path) or b""  # as bytes: what is no text stays as it is
    name = os.path.basename(path)
    if re.sub(r"\s+", " ", said) in re.sub(r"\s+", " ", former.decode("utf-8", "replace")):
        return Added(name, path, True, held, changed=False)
    store.write(path, _joined(former, f"## {clock.now()[:10]}\n\n{said}"))
    return Added(name, path, True, held)


def _joined(former: bytes, said: str) -> bytes:
    """Return a file with one more passage."""
    return (former.rstrip() + b"\n\n" + said.encode("utf-8", "replace") + b"\n").lstrip(b"\n")


def add_rule(store: Store, name: str, text: str) -> str:
    """Keep a rule in `rules/`; a file of that name is extended."""
    refuse_secret("rule", text)
    proposed = memory_rules.proposed(name or text.splitlines()[0], "")
    path = os.path.join(store.place.rules, proposed if proposed != ".md" else _RULES)
    with store.lock():
        store.write(path, _joined(inside.read_bytes(store.place.root, path) or b"", text.strip()))
    return path


def words_of(text: str) -> set[str]:
    """Return the words that tell what a text is about."""
    found = set(tokens(text, asked=True))
    telling = {word for word in found if word not in stop_words() and (len(word) > 1 or not word.isascii())}
    return telling or found


def share(wanted: set[str], by: set[str]) -> float:
    """Return the share of the words of a new text that an old one holds: 0 none, 1 all."""
    return len(wanted & by) / len(wanted) if wanted else 0.0
