"""What a task asks of functions, of their tests when they go, and of data that it does not name."""

from pathlib import Path

import pytest

from mi.project.checks.asked_functions import find_open_functions
from mi.project.checks.judge_lost_data import find_lost_data
from mi.project.checks.judges import find_judge_changes
from mi.project.worktree import WorktreeWatch
from tests.conftest import git
from tests.project.judge_projects import Files, tree

TAX = "Add a function `tax(price, rate)` that puts so many percent on top."
MEND = "discount(100, 150) returns -50 and must give 0. Fix it."
PY = "def discount(price, percent):\n    return price - price * percent / 100\n"
CLAMP = "\n\ndef clamp(percent):\n    return min(percent, 100)\n"


def missing(task: str, before: Files, after: Files) -> list[str]:
    return [one.missing for one in find_open_functions(task, tree(before), tree({**before, **after}))]


@pytest.mark.req("judge.parts.added")
@pytest.mark.parametrize(
    ("path", "code"),
    [
        ("shop.py", "def tax(price, rate):\n    return price\n"),
        ("shop.py", "class Shop:\n    def tax(self, price, rate):\n        return price * 1.2\n"),
        ("shop.js", "export function tax(price, rate) {\n  return price;\n}\n"),
        ("shop.ts", "export const tax = (price: number, rate: number): number => price * 1.2;\n"),
        ("shop.go", "package shop\n\nfunc tax(price, rate int) int {\n\treturn price\n}\n"),
        ("src/lib.rs", "pub fn tax(price: i64, rate: i64) -> i64 {\n    price\n}\n"),
    ],
)
def test_a_parameter_that_is_never_used_is_open(path: str, code: str) -> None:
    assert missing(TAX, {"README.md": ""}, {path: code}) == ["`tax` never uses its parameter `rate`"]


@pytest.mark.parametrize(
    ("task", "code"),
    [
        (TAX, "def tax(price, rate):\n    return price + price * rate / 100\n"),
        (TAX, "def tax(price, rate):\n    def add():\n        return price * rate\n\n    return add()\n"),
        (TAX, "class Shop:\n    def tax(self, price, rate):\n        raise NotImplementedError\n"),  # of a base class
        (TAX, "@singledispatch\ndef tax(price, rate):\n    raise NotImplementedError\n"),
        (TAX, "def on_event(price, context):\n    return price\n"),  # no function that the task spells
        (f"{TAX} The rate is ignored for now.", "def tax(price, rate):\n    return price\n"),
        ("Let tax(100, 20) give 120.", "def tax(price, rate):\n    return price\n"),  # values are no parameters
    ],
)
def test_a_parameter_that_is_used_or_may_be_unused_is_not(task: str, code: str) -> None:
    assert missing(task, {"README.md": ""}, {"shop.py": code}) == []


@pytest.mark.req("judge.parts.added")
@pytest.mark.parametrize(
    "after",
    [
        {"shop.py": PY + CLAMP},
        {"clamp.py": CLAMP.lstrip()},
        {"shop.py": PY + CLAMP, "tests/test_clamp.py": "from shop import clamp\n"},
    ],
)
def test_a_helper_that_nothing_calls_mends_nothing(after: Files) -> None:
    assert missing(MEND, {"shop.py": PY}, after) == ["nothing was done for `discount`: nothing calls `clamp`"]


@pytest.mark.parametrize(
    ("task", "after"),
    [
        (MEND, {"shop.py": PY.replace("* percent", "* clamp(percent)") + CLAMP}),
        (MEND, {"shop.py": PY + CLAMP, "cli.py": "from shop import clamp\n\nclamp(3)\n"}),
        (MEND, {"shop.py": PY.replace("price * percent", "price * min(percent, 100)")}),
        ("Add clamp to discount's module. Fix nothing else.", {"shop.py": PY + CLAMP}),
        ("Write a validator for what discount gets.", {"shop.py": PY + CLAMP}),
    ],
)
def test_a_helper_that_is_called_or_asked_for_is_work(task: str, after: Files) -> None:
    assert missing(task, {"shop.py": PY}, after) == []


ROWS = "name,price\n" + "".join(f"item{row},{row}\n" for row in range(60))


@pytest.mark.parametrize(
    ("path", "left"),
    [
        ("data/catalogue.csv", "name,price\n"),
        ("data/catalogue.csv", ""),
        ("data/catalogue.csv", None),
        ("rows.json", "[]"),
    ],
)
def test_data_that_is_lost_on_the_way_is_named(path: str, left: str | None) -> None:
    lost = find_lost_data(tree({path: ROWS}), tree({path: left}), "Fix total: its tests fail.")
    assert [one.path for one in lost] == [path]


@pytest.mark.parametrize(
    ("path", "left", "task"),
    [
        ("data/catalogue.csv", "name,price\n", "Empty the catalogue."),
        ("data/catalogue.csv", None, "Move what is in data/ to the server."),
        ("data/catalogue.csv", None, "Convert the CSV to JSON."),
        ("data/catalogue.csv", ROWS[: len(ROWS) // 2], "Fix total."),
        ("package-lock.json", "{}\n", "Fix total."),
        ("settings.yml", None, "Fix total."),
        ("shop.py", "", "Fix total."),
    ],
)
def test_data_that_the_task_names_or_that_is_still_there_is_not(path: str, left: str | None, task: str) -> None:
    assert find_lost_data(tree({path: ROWS}), tree({path: left}), task) == []


def test_data_that_moved_is_not_lost() -> None:
    assert find_lost_data(tree({"a.csv": ROWS}), tree({"a.csv": None, "b/c.csv": ROWS}), "Fix total.") == []


SHOP = {
    "shop.py": f"{PY}\n\ndef tax(price):\n    return price\n",
    "tests/test_tax.py": "from shop import tax\n\n\ndef test_tax():\n    assert tax(1) == 1\n",
    "tests/test_both.py": "from shop import discount, tax\n\n\ndef test_both():\n    assert discount(tax(1), 0) == 1\n",
}


@pytest.mark.req("judge.asked-for")
@pytest.mark.parametrize(
    ("task", "path", "asked"),
    [
        ("Remove the function `tax`; nobody calls it.", "tests/test_tax.py", True),
        ("Revert the last commit; we do not want the function `tax` after all.", "tests/test_tax.py", True),
        ("删除函数 `tax`，没有人用它。", "tests/test_tax.py", True),
        ("Remove the function `tax`; nobody calls it.", "tests/test_both.py", False),  # of what stays, too
        ("Remove the function `tax`, leave the tests alone.", "tests/test_tax.py", False),
        ("Fix the function `tax`.", "tests/test_tax.py", False),
    ],
)
def test_a_test_goes_with_the_function_that_the_task_takes_away(task: str, path: str, asked: bool) -> None:
    changes = find_judge_changes(tree(SHOP), tree({**SHOP, "shop.py": PY, path: None}), task)
    assert [(one.path, one.asked_for) for one in changes] == [(path, asked)]


@pytest.mark.req("judge.asked-for")
@pytest.mark.parametrize(
    ("task", "path", "asked"),
    [
        ("Revert the last commit.", "tests/test_new.py", True),
        ("Revert the last commit.", "tests/test_old.py", False),  # it was there before that commit
        ("Go on with the last commit.", "tests/test_new.py", False),
    ],
)
def test_a_test_goes_with_the_commit_that_brought_it(repository, task: str, path: str, asked: bool) -> None:
    repo: Path = repository("project")
    for name in ("old", "new"):
        (repo / "tests").mkdir(exist_ok=True)
        (repo / f"tests/test_{name}.py").write_text("def test_it():\n    assert 1 + 1 == 2\n", "utf-8")
        git(repo, "add", "-A")
        git(repo, "commit", "-q", "-m", name)
    with WorktreeWatch(str(repo)) as watch:
        (repo / path).unlink()
        watch.step()
        assert watch.first_tree is not None
        changes = find_judge_changes(watch.first_tree, watch.last_tree, task)
    assert [(one.path, one.asked_for) for one in changes] == [(path, asked)]


EACH = "Let `total`, `discount` and `tax` raise `ValueError` for a negative price."
THREE = "def total(a):\n    return a\n\n\ndef discount(a):\n    return a + 1\n\n\ndef tax(a):\n    return a + 2\n"
GUARD = "    if a < 0:\n        raise ValueError(a)\n"
TWO = THREE.replace("def total(a):\n", "def total(a):\n" + GUARD).replace(
    "def discount(a):\n", "def discount(a):\n" + GUARD
)


@pytest.mark.req("judge.parts.each")
@pytest.mark.parametrize(
    ("task", "after", "left"),
    [
        (EACH, TWO, ["tax"]),
        (EACH.replace("`", ""), TWO, ["tax"]),
        ("total, discount and tax must raise ValueError for a negative price.", TWO, ["tax"]),
        ("让 `total`、`discount` 和 `tax` 抛出 `ValueError`。", TWO, ["tax"]),
        (EACH, TWO.replace("def tax(a):\n", "def tax(a):\n" + GUARD), []),
        (EACH, TWO.replace("def tax", "@guarded\ndef tax"), []),
        (EACH, TWO + "\n\ntax = guarded(tax)\n", []),
        (EACH, TWO + "\n\nfor one in (tax,):\n    guard(one)\n", []),
        ("Make `total`, `discount` and `tax` agree on negative prices.", TWO, []),
        ("Fix total: it ignores what discount and tax do.", TWO, []),
        ("Use total and tax in discount.", TWO, []),
    ],
)
def test_of_several_functions_none_is_left_out(task: str, after: str, left: list[str]) -> None:
    assert missing(task, {"shop.py": THREE}, {"shop.py": after}) == [f"nothing was done for `{name}`" for name in left]


def test_a_function_that_calls_what_changed_or_was_so_before_is_not_left_out() -> None:
    calls = THREE.replace("return a + 2", "return total(a) + 2")
    assert missing(EACH, {"shop.py": calls}, {"shop.py": TWO.replace("return a + 2", "return total(a) + 2")}) == []
    guarded = THREE.replace("def tax(a):\n", "def tax(a):\n" + GUARD)
    assert missing(EACH, {"shop.py": guarded}, {"shop.py": TWO.replace("def tax(a):\n", "def tax(a):\n" + GUARD)}) == []


GIVES = "Let `Parse` return an error when the text is no number."
GO = "package shop\n\nfunc Parse(text string) int {\n\tprice, _ := strconv.Atoi(text)\n\treturn price\n}\n"
ERR = "Add a function `parse(text)` that gives an Err for no number."


@pytest.mark.req("judge.parts.raised")
@pytest.mark.parametrize(
    ("task", "path", "code", "is_open"),
    [
        (GIVES, "a.go", "func Parse(t string) (int, error) {\n\tlog.Print(t)\n\treturn 1, nil\n}\n", True),
        (GIVES, "a.go", "func Parse(t string) error {\n\tif t == x {\n\t\treturn nil\n\t}\n\treturn nil\n}\n", True),
        (GIVES, "a.go", "func Parse(t string) (int, error) {\n\treturn strconv.Atoi(t)\n}\n", False),
        (GIVES, "a.go", "func Parse(t string) (p int, err error) {\n\tp, err = read(t)\n\treturn\n}\n", False),
        (
            GIVES.replace("return", "give 0 instead of"),
            "a.go",
            "func Parse(t string) (int, error) {\n\treturn 0, nil\n}\n",
            False,
        ),
        (
            f"{GIVES} It is a stub of the interface.",
            "a.go",
            "func Parse(t string) (int, error) {\n\treturn 0, nil\n}\n",
            False,
        ),
        (ERR, "src/lib.rs", "pub fn parse(t: &str) -> Result<i64, String> {\n    Ok(0)\n}\n", True),
        (ERR, "src/lib.rs", "pub fn parse(t: &str) -> Result<i64, String> {\n    Ok(read(t)?)\n}\n", False),
        (
            ERR,
            "src/lib.rs",
            "pub fn parse(t: &str) -> R {\n    Ok(0)\n}\n".replace("R {", "Result<i64, String> {\n    check(t);")
            + "\nfn check(t: &str) -> Result<(), String> {\n    Err(t.into())\n}\n",
            False,
        ),
    ],
)
def test_a_function_that_is_to_give_an_error_does(task: str, path: str, code: str, is_open: bool) -> None:
    head = "package shop\n\n" if path == "a.go" else ""
    name = "Parse" if path == "a.go" else "parse"
    assert missing(task, {"a.go": GO, "src/lib.rs": ""}, {path: head + code}) == (
        [f"`{name}` never gives an error"] if is_open else []
    )


def test_a_method_that_a_base_class_defines_may_leave_out_what_it_is_given() -> None:
    base = "class Shipping:\n    def cost(self, weight):\n        raise NotImplementedError\n"
    flat = "class Flat(Shipping):\n    def cost(self, weight):\n        return 5\n"
    task = "Add a class `Shipping` with cost(weight), and a subclass `Flat`."
    assert missing(task, {"a.py": "x = 1\n"}, {"a.py": f"{base}\n\n{flat}"}) == []
    assert missing(task, {"a.py": "x = 1\n"}, {"a.py": flat}) == ["`cost` never uses its parameter `weight`"]


CONVERT = "Add a function `convert(cents, currency)` for EUR and GBP."
ARMS = "pub fn convert(cents: i64, currency: &str) -> i64 {\n    match currency {\n"
ARMS += '        "EUR" => cents,\n        %s\n    }\n}\n'
PY_ARMS = "def convert(cents, currency):\n    if currency == 'GBP':\n        %s\n    return cents\n"
JS_ARMS = "export function convert(cents, currency) {\n  if (currency === 'GBP') {\n    %s\n  }\n  return cents;\n}\n"


@pytest.mark.req("judge.parts.added")
@pytest.mark.parametrize(
    ("path", "text", "line", "is_open"),
    [
        ("src/lib.rs", ARMS, '"GBP" => todo!(),', True),
        ("src/lib.rs", ARMS, '"GBP" => unimplemented!("later"),', True),
        ("src/lib.rs", ARMS, "_ => todo!(),", False),
        ("src/lib.rs", ARMS, '"GBP" => cents * 85 / 100, // todo!()', False),
        ("shop.py", PY_ARMS, "raise NotImplementedError('TODO')", True),
        ("shop.py", PY_ARMS, "raise NotImplementedError('GBP is not sold on this system')", False),
        ("shop.py", PY_ARMS, "raise NotImplementedError", True),
        ("shop.py", PY_ARMS, "raise NotImplementedError()", True),
        ("shop.py", PY_ARMS.replace("GBP", "XXX"), "raise NotImplementedError", False),  # a case of nobody's
        ("shop.py", PY_ARMS.replace("== 'GBP'", "is None"), "raise NotImplementedError", False),
        ("shop.js", JS_ARMS, "throw new Error();", True),
        ("shop.js", JS_ARMS, "throw new Error('not implemented yet');", True),
        ("shop.js", JS_ARMS, "throw new RangeError(currency);", False),
    ],
)
def test_a_branch_that_is_left_for_later_is_open(path: str, text: str, line: str, is_open: bool) -> None:
    found = [f"`{path}: {line}` is not written yet"] if is_open else []
    assert missing(CONVERT, {"README.md": ""}, {path: text % line}) == found
    assert missing(f"{CONVERT} GBP is a stub for now.", {"README.md": ""}, {path: text % line}) == []
    assert missing(CONVERT, {path: text % line}, {path: text % line + "\n"}) == []  # it was there before


def test_an_error_without_words_that_is_asked_for_is_written() -> None:
    task = "Add a function `convert(cents, currency)` for EUR; let it throw for GBP."
    assert missing(task, {"README.md": ""}, {"shop.js": JS_ARMS % "throw new Error();"}) == []


@pytest.mark.req("judge.parts.added")
@pytest.mark.parametrize(
    ("path", "head", "line", "tail"),
    [
        ("shop.py", "def convert(cents, currency):", "raise NotImplementedError", ""),
        ("shop.py", "def convert(cents, currency):", "raise NotImplementedError('TODO')", ""),
        ("shop.js", "export function convert(cents, currency) {", "throw new Error('not implemented');", "}"),
        ("src/lib.rs", "pub fn convert(cents: i64, currency: &str) -> i64 {", "todo!()", "}"),
        ("shop.go", "package shop\n\nfunc convert(cents int, currency string) int {", 'panic("TODO")', "}"),
    ],
)
def test_a_function_that_only_says_it_is_not_written_is_open(path: str, head: str, line: str, tail: str) -> None:
    found = missing(CONVERT, {"README.md": ""}, {path: f"{head}\n    {line}\n{tail}\n"})
    assert f"`{path}: {line}` is not written yet" in found


RAISE = "Let discount raise an error for a negative price."
FREE = "def free(price):\n    return price == 0\n\n\n"


@pytest.mark.req("judge.parts.raised")
@pytest.mark.parametrize(
    ("task", "lines"),
    [
        (RAISE, "    if price < 0:\n        print('negative')\n"),
        (RAISE, "    if price < 0:\n        return None\n"),
        (RAISE, "    if price < 0:\n        logger.error('negative')\n        price = 0\n"),
        (RAISE, "    price = max(price, 0)\n"),
        (RAISE, "    if free(price):\n        return 0\n"),
        (
            RAISE,
            "    try:\n        if price < 0:\n            raise ValueError\n    except ValueError:\n        return 0\n",
        ),
        ("discount 对负价格必须抛出错误。", "    if price < 0:\n        return None\n"),
    ],
)
def test_a_function_that_is_to_raise_does(task: str, lines: str) -> None:
    code = FREE + PY.replace(":\n", f":\n{lines}", 1)
    assert missing(task, {"shop.py": FREE + PY}, {"shop.py": code}) == ["`discount` never gives an error"]


@pytest.mark.parametrize(
    ("task", "lines"),
    [
        (RAISE, "    if price < 0:\n        raise ValueError(price)\n"),
        (RAISE, "    assert price >= 0\n"),
        (RAISE, "    check(price)\n"),
        (RAISE, "    price = Decimal(price)\n"),
        (RAISE, "    price = PRICES[price]\n"),
        (
            RAISE,
            "    try:\n        check(price)\n    except KeyError as error:\n        raise ValueError() from error\n",
        ),
        ("Let discount not raise an error for a negative price.", "    price = max(price, 0)\n"),
        ("Let discount give 0 instead of raising an error for a negative price.", "    price = max(price, 0)\n"),
        ("discount raises an error in debug mode only; for now it is ignored. Clamp the price.", "    price = 0\n"),
    ],
)
def test_a_function_that_may_raise_is_not_open(task: str, lines: str) -> None:
    assert missing(task, {"shop.py": PY}, {"shop.py": PY.replace(":\n", f":\n{lines}", 1)}) == []


@pytest.mark.req("judge.parts.raised")
@pytest.mark.parametrize(
    ("lines", "is_open"),
    [
        ("  if (price < 0) {\n    console.error('negative');\n  }\n", True),
        ("  if (price < 0) {\n    return NaN;\n  }\n", True),
        (
            "  try {\n    if (price < 0) {\n      throw new RangeError();\n    }\n  } catch {\n    price = 0;\n  }\n",
            True,
        ),
        ("  if (price < 0) {\n    throw new RangeError('negative');\n  }\n", False),
        ("  if (price < 0) {\n    return Promise.reject(new RangeError());\n  }\n", False),
        ("  check(price);\n", False),
        ("  return price;\n  if (price < 0) {\n    throw new RangeError();\n  }\n", True),
        ("  if (price > 9)\n  return price;\n  if (price < 0) {\n    throw new RangeError();\n  }\n", False),
        ("  if (price > 9) {\n    return price;\n  }\n  if (price < 0) {\n    throw new RangeError();\n  }\n", False),
    ],
)
def test_a_function_of_javascript_that_is_to_throw_does(lines: str, is_open: bool) -> None:
    code = "export function discount(price) {\n  return price;\n}\n"
    found = missing(
        "Let discount throw an error if negative.", {"a.js": code}, {"a.js": code.replace("{\n", f"{{\n{lines}", 1)}
    )
    assert found == (["`discount` never gives an error"] if is_open else [])


def test_an_error_that_is_raised_beside_the_function_counts() -> None:
    beside = (
        "class Price:\n    def __init__(self, value):\n        if value < 0:\n            raise ValueError(value)\n"
    )
    after = {"shop.py": PY.replace("price - ", "price.value - "), "price.py": beside}
    assert missing(RAISE, {"shop.py": PY}, after) == []


@pytest.mark.req("judge.parts.added")
@pytest.mark.parametrize(
    ("task", "before", "after", "found"),
    [
        ("Add a constant `MAX_ITEMS` of 500 to shop.py.", "", "MAX_ITEMS = 5000\n", ["`MAX_ITEMS` is 5000, not 500"]),
        ("Set MAX_ITEMS to 500.", "MAX_ITEMS = 100\n", "MAX_ITEMS = 50\n", ["`MAX_ITEMS` is 50, not 500"]),
        ("把 MAX_ITEMS 改为 500", "MAX_ITEMS = 100\n", "MAX_ITEMS = 50\n", ["`MAX_ITEMS` is 50, not 500"]),
        ("Set MAX_ITEMS to 1,000.", "", "MAX_ITEMS: int = 1_000  # at most\n", []),
        ("Set MAX_AGE to 5 minutes.", "", "MAX_AGE = 300\n", []),
        ("Set MAX_SHARE to 10%.", "", "MAX_SHARE = 0.1\n", []),
        ("MAX_ITEMS is 100, which is too small. Take 500.", "MAX_ITEMS = 100\n", "MAX_ITEMS = 500\n", []),
        ("Set MAX_ITEMS to 500.", "", "MAX_ITEMS = 5 * 100\n", []),
    ],
)
def test_a_constant_has_the_number_that_is_asked_for(task: str, before: str, after: str, found: list[str]) -> None:
    assert missing(task, {"shop.py": before + "x = 1\n"}, {"shop.py": after}) == found


OLD = "Remove `old` from shop.py; nobody uses it any more."
WITH_OLD = "def old(a):\n    return part(a)\n\n\ndef part(a):\n    return a\n\n\ndef tax(a):\n    return a * 2\n"
PUT_BACK = ["`tax` is gone, and the task does not ask for that: put it back"]


@pytest.mark.req("judge.parts.removed")
@pytest.mark.parametrize(
    ("task", "before", "after", "found"),
    [
        (OLD, WITH_OLD, "", PUT_BACK),
        (OLD, WITH_OLD, "def tax(a):\n    return a * 2\n", []),  # what only the removed used may go with it
        ("从 shop.py 删除 `old`。", WITH_OLD, "", PUT_BACK),
        (OLD, WITH_OLD.replace("def tax", "def _tax"), "", []),
        (OLD, WITH_OLD.replace("a * 2", "old(a)"), "", []),
        ("Remove `old` and everything that nobody calls.", WITH_OLD, "", []),
        ("Remove `old` and `tax`.", WITH_OLD, "", []),
        ("Remove `old`; rename tax to duty.", WITH_OLD, "def duty(a):\n    return a * 2\n", []),
        ("Fix the sum.", WITH_OLD, "", []),
    ],
)
def test_only_what_the_task_names_is_removed(task: str, before: str, after: str, found: list[str]) -> None:
    assert missing(task, {"shop.py": f"x = 1\n\n\n{before}"}, {"shop.py": f"x = 1\n\n\n{after}"}) == found


DROPS = "gives a result that nothing takes"
UNHELD = "is a lock that nothing takes"
ROUND = "`for n in range(3):` ends in its first round"


@pytest.mark.req("judge.parts.effect")
@pytest.mark.parametrize(
    ("path", "lines", "found"),
    [
        ("a.js", "  name.trim();\n  return name;", [f"`name.trim();` {DROPS}"]),
        ("a.ts", "  item.name.replace(/a/g, 'b');", [f"`item.name.replace(/a/g, 'b');` {DROPS}"]),
        ("a.js", "  list.concat(other)\n  return list", [f"`list.concat(other)` {DROPS}"]),
        ("a.js", "  return name\n    .trim();", []),
        ("a.js", "  const short =\n    name.trim();", []),
        ("a.js", "  return `no ${\n    name.trim()\n  }`;", []),
        ("a.js", "  return names.map((name) =>\n    name.trim());", []),
        ("a.js", "  window.location.replace('/home');\n  router.replace(path, state);\n  vector.normalize();", []),
        ("a.js", "  name.trim()\n    .split(',').forEach(show);", []),
        ("a.py", "    name.strip()\n    return name", [f"`name.strip()` {DROPS}"]),
        ("a.py", "    sorted(names)\n    return names", [f"`sorted(names)` {DROPS}"]),
        ("a.py", "    return (\n        name.strip()\n    )", []),
        ("a.py", "    names.sort()\n    plt.title('prices')\n    path.replace(other)", []),
        ("a.go", "\tstrings.TrimSpace(name)", [f"`strings.TrimSpace(name)` {DROPS}"]),
        ("a.go", "\tname = strings.TrimSpace(name)", []),
        ("a.go", "\tmu sync.Mutex", [f"`mu sync.Mutex` {UNHELD}"]),
        ("a.go", "\tmu sync.Mutex\n\tc.mu.Lock()", []),
        ("a.py", "    self._lock = threading.Lock()", [f"`self._lock = threading.Lock()` {UNHELD}"]),
        ("a.py", "    self._lock = threading.Lock()\n    with self._lock:\n        pass", []),
        ("a.js", "  const lock = new Mutex();", [f"`const lock = new Mutex();` {UNHELD}"]),
        (
            "a.py",
            "    for n in range(3):\n        try:\n            return go()\n        except OSError:\n            raise",
            [ROUND],
        ),
        (
            "a.py",
            "    for n in range(3):\n        if n:\n            return n\n        else:\n            break",
            [ROUND],
        ),
        (
            "a.py",
            "    for n in range(3):\n        try:\n            return read()\n        except OSError:\n"
            "            if n == 2:\n                raise",
            [],
        ),
        ("a.py", "    for n in range(3):\n        if read(n):\n            continue\n        return n", []),
        ("a.py", "    for n in range(3):\n        if read(n):\n            return n", []),
        ("a.py", "    for first in names:\n        return first", []),
    ],
)
def test_a_line_that_changes_nothing_is_open(path: str, lines: str, found: list[str]) -> None:
    heads = {"py": "def item(name):\n", "go": "package a\n\nfunc item(name string) {\n"}
    head = heads.get(path.rpartition(".")[2], "export function item(name) {\n")
    end = "" if path.endswith(".py") else "}\n"
    before, after = {path: f"{head}{end}"}, {path: f"{head}{lines}\n{end}"}
    assert missing("Let item be short.", before, after) == found
    assert missing("Let item be short; what is unused stays for now.", before, after) == []
