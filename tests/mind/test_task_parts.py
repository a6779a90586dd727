"""The parts of a task: items, joined sentences, and the named things that each wants in the tree."""

import pytest

from mi.mind.task_parts import find_wanted, split_task


@pytest.mark.req("judge.parts.items", "judge.parts.joined")
@pytest.mark.parametrize(
    ("task", "parts"),
    [
        ("fix the failing test", ["fix the failing test"]),
        ("Fix add() and also update the README", ["Fix add()", "update the README"]),
        ("Fix the parser. Additionally, document it.", ["Fix the parser.", "Additionally, document it."]),
        ("1. add `MAX`\n2. raise an error\n3) update the docs", ["add `MAX`", "raise an error", "update the docs"]),
        ("Please:\n- add a flag\n* remove the old one", ["add a flag", "remove the old one"]),
        ("修复解析器，另外更新文档", ["修复解析器", "更新文档"]),
        ("添加函数，并且写测试。然后更新说明", ["添加函数", "写测试。", "更新说明"]),
        ("Use this:\n```\n- not an item\n- nor this\n```", ["Use this:"]),
    ],
)
def test_a_task_is_split_into_what_it_asks_for(task: str, parts: list[str]) -> None:
    assert [part.text for part in split_task(task)] == parts


@pytest.mark.req("judge.parts.named-things", "judge.parts.placeholders")
@pytest.mark.parametrize(
    ("text", "wanted"),
    [
        ("Add a function `slugify()` to `text.py`", ["added slugify"]),
        ("Create `docs/guide.md`", ["added docs/guide.md"]),
        ("Add options --json and --quiet", ["added --json", "added --quiet"]),
        ("Introduce MAX_SIZE", ["added MAX_SIZE"]),
        ("Rename `get_user` to `fetch_user`", ["renamed fetch_user from get_user"]),
        ("Rename parse_a to parse_b, keep the old name as an alias", ["added parse_b"]),
        ("Remove the `--legacy` option from the CLI", ["removed --legacy"]),
        ("Delete old.py", ["removed old.py"]),
        ("去掉 src/sum.ts 里的 `any`", ["removed any"]),
        ("删除 `old.py` 中的 `f`", ["removed f"]),
        ("月卡用户（monthly=True）免费", ["returned monthly"]),
        ("Members (monthly=True) park for free", ["returned monthly"]),
        ("Do not pass it on (debug=True)", []),
        ("run(check=True) fails", []),
        ('raise ValueError with "too big"', ["returned too big"]),
        ("Update CHANGELOG.md", ["edited CHANGELOG.md"]),
        ("document it in docs/calc.md", ["edited docs/calc.md"]),
        ("Write the manual in MANUAL.md", ["edited MANUAL.md"]),
        ("explain in CONTRIBUTING.md how to test", ["edited CONTRIBUTING.md"]),
        ("Add a section on set-up to `README.md`", ["edited README.md"]),
        ("把说明写到 MANUAL.md", ["edited MANUAL.md"]),
        ("Write a function that saves to out.md", []),
        ("Save results to report.md when asked", []),
        ("Write it as described in SPEC.md", []),
        ("把 `foo` 重命名为 `bar`", ["renamed bar from foo"]),
        ("添加函数 `baz()`", ["added baz"]),
        ("删除 `old.py`", ["removed old.py"]),
        # what is to be filled in
        ("Add a function `tax PRICE RATE` to shop.sh", ["added tax"]),
        ("Add an option `--out FILE`", ["added --out"]),
        ("Add the command `greet <name>`", ["added greet"]),
        ("Support `--level=N`", ["added --level"]),
        ("Add a command `shop greet NAME`", ["added greet"]),
        ("Add `copy [OPTIONS] SOURCE...`", ["added copy"]),
        ("Add the route `/users/{id}`", ["added /users/"]),
        ('print "Hello, <name>!"', ["returned Hello"]),
        ('raise an error "expected %s, got %s"', ["returned expected"]),
        ("Accept `FILE...`", []),
        ("Define `MAX_SIZE`", ["added MAX_SIZE"]),
        ("Create `docs/README.md`", ["added docs/README.md"]),
        ("Remove `cache[key]`", ["removed cache[key]"]),
        # only mentioned, or only the place
        ("Fix add() in calc.py", []),
        ("Add tests for `slugify`", []),
        ("Add a docstring to `slugify`", []),
        ("Don't remove `new.py`.", []),
        ("Make `parse()` faster", []),
        ("Update the function `parse`", []),
        ("Support Python 3.13", []),
    ],
)
def test_a_named_thing_is_wanted_as_the_sentence_says(text: str, wanted: list[str]) -> None:
    found = [f"{one.wish} {one.name}" + (f" from {one.former}" if one.former else "") for one in find_wanted(text)]
    assert found == wanted
