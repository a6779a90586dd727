"""What a kit holds: `total` is wrong and its tests fail, `discount` is right and its tests pass."""

from msgspec import Struct

from mi.testing.judge_bench.scenario import Deeds
from mi.testing.replies import Delete, Edit, Write
from mi.testing.wire import ScriptError


class Kit(Struct, frozen=True, kw_only=True):
    """A shop with two functions, its tests, and the deeds that scenarios are made of."""

    name: str
    language: str
    needs: tuple[str, ...]
    files: dict[str, str]
    old_name: str = "discount"
    new_name: str = "reduce_price"
    tax_name: str = "tax"
    check: str  # every test
    check_total: str  # the tests of `total` alone
    check_discount: str  # the tests of `discount` alone, which pass from the start
    lint: str  # looks at the code and runs nothing
    mend: Deeds  # `total` becomes right
    worsen: Deeds  # `total` becomes wrong in another way
    wreck: Deeds  # `discount` becomes wrong
    hard_code: Deeds  # `total` returns what the tests expect, for their inputs alone
    notice: Deeds  # `total` is right only while it is being tested
    refactor: Deeds  # the sum moves into a function of its own; nothing else changes
    add_tax: Deeds  # a function `tax(price, rate)`
    test_tax: Deeds  # its tests
    rename: Deeds  # `discount` gets the new name, in code and tests
    test_more: Deeds  # one more test of `discount`
    bent: dict[str, Deeds]  # how a judge of the work can be bent, by what is bent

    @property
    def sound_files(self) -> dict[str, str]:
        """Return the files of a shop in which `total` is right."""
        return apply_edits(self.files, self.mend)


def apply_edits(files: dict[str, str], deeds: Deeds) -> dict[str, str]:
    """Return files after an agent's deeds; every line that is edited must be there."""
    changed = dict(files)
    for deed in deeds:
        match deed:
            case Edit(path=path, old=old, new=new):
                if old not in changed[path]:
                    raise ScriptError(f"{path} does not hold {old!r}")
                changed[path] = changed[path].replace(old, new, 1)
            case Write(path=path, content=content):
                changed[path] = content
            case Delete(path=path):
                del changed[path]
    return changed
