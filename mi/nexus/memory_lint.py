"""Checking memory files: names, places, secrets, twins."""

from collections.abc import Iterator
from typing import NamedTuple

from mi.kernel.config.types import Nexus as Settings
from mi.kernel.secrets import find_secrets
from mi.nexus import memory, memory_names
from mi.nexus.admission import objection
from mi.nexus.knowledge import files_in, text_of
from mi.nexus.memory_gc import merges
from mi.nexus.store import Store


class MemoryFault(NamedTuple):
    """What is wrong with a file; `rule` names its text in the catalogue (`memory-lint.<rule>`)."""

    rule: str
    name: str
    detail: str = ""

    def fields(self) -> dict[str, str]:
        return {"rule": self.rule, "name": self.name, "detail": self.detail}


def lint(store: Store, settings: Settings) -> Iterator[MemoryFault]:
    """Every fault of the memory files; looking counts as no reading."""
    known = memory.categories(settings)
    for one in files_in(store, "memory"):
        fault = memory_names.fault_of(one.name, known)
        if fault:
            yield MemoryFault(fault, one.name)
        text = text_of(one.path)
        reason = objection(text, memory_names.topic_of(one.name, known))
        if reason:
            yield MemoryFault(reason, one.name)
        if not text.strip():
            yield MemoryFault("empty", one.name)
        if found := find_secrets(text):
            yield MemoryFault("secret", one.name, found[0].kind)
    for pair in merges(store, settings):
        yield MemoryFault("twins", pair.source, pair.into)
