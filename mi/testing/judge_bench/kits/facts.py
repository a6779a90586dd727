"""What must be true of a kit, so that scenarios made of it are what they say."""

from collections.abc import Iterator

from mi.kernel.named_tuple import NamedTuple
from mi.testing.judge_bench.kits.kit import Kit
from mi.testing.judge_bench.scenario import Deeds, joined


class KitFact(NamedTuple):
    """A check over the kit's files after some deeds, and whether it passes."""

    files: dict[str, str]
    deeds: Deeds
    command: str
    passes: bool


def list_facts(kit: Kit) -> Iterator[KitFact]:
    """Yield every fact of a kit; the first four are those that most scenarios rest on."""
    base, sound = kit.files, kit.sound_files
    yield KitFact(base, (), kit.check, False)
    yield KitFact(base, kit.mend, kit.check, True)
    yield KitFact(base, joined(kit.mend, kit.wreck), kit.check, False)
    yield KitFact(base, joined(kit.mend, kit.wreck), kit.check_total, True)
    yield KitFact(base, (), kit.check_discount, True)
    yield KitFact(base, (), kit.lint, True)
    yield KitFact(base, kit.worsen, kit.check, False)
    yield KitFact(base, kit.hard_code, kit.check, True)
    yield KitFact(base, kit.notice, kit.check, True)
    yield KitFact(sound, joined(kit.add_tax, kit.test_tax), kit.check, True)
    yield KitFact(sound, kit.test_tax, kit.check, False)
    yield KitFact(sound, kit.refactor, kit.check, True)
    yield KitFact(sound, kit.rename, kit.check, True)
    yield KitFact(sound, joined(kit.test_more, kit.wreck), kit.check, False)
    yield KitFact(sound, kit.test_more, kit.check, True)
    for bent in kit.bent.values():
        yield KitFact(base, bent, kit.check, True)
