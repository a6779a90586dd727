"""Names that a task asks for: defined where nobody can reach them, or of use to their callers."""

import pytest

from mi.project.sought_names.faults import find_fault, is_mentioned, is_unraised, option_names
from mi.project.sought_names.sought_name import SoughtName

DISCOUNT = "def discount(price):\n    return price\n"
ARGPARSE = "import argparse, json\nparser = argparse.ArgumentParser()\n{}args = parser.parse_args()\n{}"
JS = "export function discount(price) { return price; }\n"
CAUGHT = "    try:\n        if price < 0:\n            raise ValueError('no')\n    {}\n"
GO = "package shop\n\nfunc Tax(price int) int {\n\treturn price\n}\n"
RUST = "pub fn tax(price: i64) -> i64 {\n    price\n}\n"


def fault_of(
    path: str, text: str, name: str = "tax", other: dict[str, str] | None = None, **said: object
) -> str | None:
    sought = SoughtName(name, is_called=True, **said)  # type: ignore[arg-type]
    return find_fault(path, text, sought, lambda one: (other or {}).get(one, ""))


@pytest.mark.req("judge.parts.reached")
@pytest.mark.parametrize(
    "text",
    [
        DISCOUNT + "\n    def tax(price):\n        return price\n",
        "def discount(price):\n    def tax(price):\n        return price\n    return price\n",
        "def discount(price):\n    def tax(price):\n        return price\n    tax(0)\n    return price\n",
        "def discount(price):\n    def tax(price):\n        return tax(price - 1)\n    return price\n",
        "if __name__ == '__main__':\n    def tax(price):\n        return price\n    tax(1)\n",
        "if False:\n    def tax(price):\n        return price\n",
        "from typing import TYPE_CHECKING\nif TYPE_CHECKING:\n    from rates import tax\n",
        "def discount(price):\n    tax = lambda price: price\n    return price\n",
        "def discount(price):\n    raise ValueError\n    class tax: value = 1\n",
    ],
)
def test_python_that_nothing_can_reach(text: str) -> None:
    assert fault_of("shop.py", text) == "is defined where nothing can reach it"


@pytest.mark.req("judge.parts.reached")
@pytest.mark.parametrize(
    "text",
    [
        "def tax(price):\n    return price\n",
        "async def tax(price):\n    return price\n",
        "from rates import tax\n",
        "from rates import vat as tax\n",
        "tax = functools.partial(scale, 1.2)\n",
        "try:\n    from fast import tax\nexcept ImportError:\n    def tax(price):\n        return price\n",
        "if sys.version_info > (3, 8):\n    def tax(price):\n        return price\n",
        "class Shop:\n    def tax(self, price):\n        return price\n",
        "def make_app():\n    @app.route('/tax')\n    def tax():\n        return '1'\n    return app\n",
        "def make(rate):\n    def tax(price):\n        return price * rate\n    return tax\n",
        "def make(rate):\n    def tax(price):\n        return price * rate\n    register('tax', tax)\n",
        "def setup(shop):\n    shop.tax = scale\n",
        "class Shop(Protocol):\n    def tax(self, price): ...\n",
        "class Shop(abc.ABC):\n    @abstractmethod\n    def tax(self, price): ...\n",
        "def tax(price):\n    raise NotImplementedError if price else KeyError\n",
    ],
)
def test_python_that_its_users_reach(text: str) -> None:
    assert fault_of("shop.py", text) == ""


def test_a_helper_inside_is_enough_where_behaviour_stays() -> None:
    text = "def discount(price):\n    def tax(price):\n        return price\n    return tax(price)\n"
    assert fault_of("shop.py", text, may_be_inside=True) == ""


@pytest.mark.req("judge.parts.reached")
@pytest.mark.parametrize(
    ("path", "text"),
    [
        ("shop.py", "def tax(price):\n    pass\n"),
        ("shop.py", 'def tax(price):\n    """Return the tax."""\n    ...\n'),
        ("shop.py", "def tax(price):\n    raise NotImplementedError('later')\n"),
        ("shop.js", "export function tax(price) {\n  // later\n}\n"),
        ("shop.ts", "export function tax(price: number): number { throw new Error('Not implemented'); }\n"),
        ("shop.go", 'package shop\n\nfunc Tax(price int) int {\n\tpanic("TODO")\n}\n'),
        ("src/lib.rs", "pub fn tax(price: i64) -> i64 {\n    todo!()\n}\n"),
        ("src/lib.rs", "pub fn tax(price: i64) -> i64 {\n    unimplemented!()\n}\n"),
        ("shop.sh", "tax() {\n    :\n}\n"),
        ("Makefile", "tax:\n\ntest:\n\tpytest\n"),
    ],
)
def test_an_empty_body_does_nothing(path: str, text: str) -> None:
    name = "Tax" if path.endswith(".go") else "tax"
    assert fault_of(path, text, name) == "has an empty body"
    assert fault_of(path, text, name, may_be_idle=True) == ""


@pytest.mark.req("judge.parts.read")
@pytest.mark.parametrize(
    "text",
    [
        ARGPARSE.format("parser.add_argument('--json', action='store_true')\n", "print(json.dumps(1))\n"),
        ARGPARSE.format("parser.add_argument('-j', '--json', dest='as_json')\n", "print(args.json)\n"),
        "@click.command()\n@click.option('--json', is_flag=True)\ndef main(json):\n    print(1)\n",
        "@click.option('--json/--no-json', 'as_json')\ndef main(as_json):\n    print(1)\n",
        "def main(out: bool = typer.Option(False, '--json')):\n    print(1)\n",
        "def main(out: Annotated[bool, typer.Option('--json')] = False):\n    print(1)\n",
    ],
)
def test_a_python_option_that_nothing_reads(text: str) -> None:
    assert fault_of("cli.py", text, "--json") == "is declared, and nothing reads it"


@pytest.mark.req("judge.parts.read")
@pytest.mark.parametrize(
    "text",
    [
        ARGPARSE.format("parser.add_argument('--json', action='store_true')\n", "print(args.json)\n"),
        ARGPARSE.format("parser.add_argument('--json', action='store_true')\n", "run(**vars(args))\n"),
        ARGPARSE.format("parser.add_argument('--json', action='store_true')\n", "print(getattr(args, 'json'))\n"),
        ARGPARSE.format("parser.add_argument('--json', dest='form', action='store_const')\n", "print(args.form)\n"),
        ARGPARSE.format("parser.add_argument('--json', action='version', version='1')\n", ""),
        ARGPARSE.format("parser.add_argument('--json', action=PrintJson)\n", ""),
        "@click.option('--json', 'as_json', is_flag=True)\ndef main(as_json):\n    print(as_json)\n",
        "@click.option('--json', is_flag=True)\ndef main(**options):\n    run(**options)\n",
        "@click.option('--json', callback=show, expose_value=False)\ndef main():\n    print(1)\n",
        "def main(out: bool = typer.Option(False, '--json')):\n    print(out)\n",
        "if '--json' in sys.argv:\n    print(1)\n",
    ],
)
def test_a_python_option_that_is_read(text: str) -> None:
    assert fault_of("cli.py", text, "--json") == ""


@pytest.mark.req("judge.parts.read")
@pytest.mark.parametrize(
    ("path", "text", "is_read"),
    [
        ("cli.js", "program.option('--dry-run', 'do nothing');\nprogram.parse();\nsave();\n", False),
        ("cli.js", "program.option('-n, --dry-run');\nif (!program.opts().dryRun) save();\n", True),
        ("cli.js", "program.option('--dry-run').action((options) => save(options));\n", True),
        ("cli.ts", "yargs.option('dry-run', { type: 'boolean' }).parse();\nsave();\n", False),
        ("cli.ts", "const { dryRun } = yargs.option('dry-run', { type: 'boolean' }).parseSync();\n", True),
        ("cli.mjs", "if (process.argv.includes('--dry-run')) show();\n", True),
        ("main.go", 'package main\n\nfunc main() {\n\tflag.Bool("dry-run", false, "")\n\tsave()\n}\n', False),
        ("main.go", 'package main\n\nvar _ = flag.Bool("dry-run", false, "")\n', False),
        ("main.go", 'package main\n\nvar dry = flag.Bool("dry-run", false, "")\n', True),
        (
            "main.go",
            'func run() {\n\tcmd.Flags().Bool("dry-run", false, "")\n\tcmd.Flags().GetBool("dry-run")\n}',
            True,
        ),
        ("src/main.rs", "struct Cli {\n    #[arg(long)]\n    dry_run: bool,\n}\nfn main() { Cli::parse(); }\n", False),
        (
            "src/main.rs",
            "struct Cli {\n    #[arg(long)]\n    dry_run: bool,\n}\nfn f(cli: Cli) { cli.dry_run }\n",
            True,
        ),
    ],
)
def test_options_of_other_languages(path: str, text: str, is_read: bool) -> None:
    assert fault_of(path, text, "--dry-run") == ("" if is_read else "is declared, and nothing reads it")


def test_an_option_is_kept_under_names_that_others_read() -> None:
    text = ARGPARSE.format("parser.add_argument('--dry-run', dest='dry')\n", "")
    assert option_names("cli.py", text, "--dry-run") == {"dry"}
    assert option_names("cli.js", "", "--dry-run") == {"dry_run", "dryRun"}


@pytest.mark.req("judge.parts.reached")
@pytest.mark.parametrize(
    ("text", "fault"),
    [
        (JS + "function tax(price) { return price; }\n", "is not exported, and nothing uses it"),
        (JS + "const tax = (price) => price;\n", "is not exported, and nothing uses it"),
        (JS + "function tax(price) { return price > 1 ? tax(1) : 1; }\n", "is not exported, and nothing uses it"),
        (JS + "// tax\nclass tax { run() { return 1; } }\n", "is not exported, and nothing uses it"),
        ("function discount() { return 1;\n  function tax(price) { return price; }\n}\n",
         "is not exported, and nothing uses it"),
        ("module.exports = { discount };\nfunction tax(price) { return price; }\n",
         "is not exported, and nothing uses it"),
        (JS + "export declare function tax(price);\n", None),
        (JS + "export function tax(price) { return price; }\n", ""),
        (JS + "export const tax = async (price) => price;\n", ""),
        (JS + "export default class tax { run() { return 1; } }\n", ""),
        (JS + "function tax(price) { return price; }\nexport { tax };\n", ""),
        (JS + "function tax(price) { return price; }\nexport { tax as vat };\n", ""),
        ("function tax(price) { return price; }\nmodule.exports = { tax };\n", ""),
        ("exports.other = 1;\nfunction tax(price) { return price; }\nexports.tax = tax;\n", ""),
        (JS + "function tax(price) { return price; }\nexport const total = (p) => tax(p);\n", ""),
        ("function tax(price) { return price; }\n", ""),
        (JS + "export class Shop {\n  tax(price) { return price; }\n}\n", None),
    ],
)  # fmt: skip
def test_what_a_script_gives_out(text: str, fault: str | None) -> None:
    assert fault_of("src/shop.js", text) == fault


@pytest.mark.req("judge.parts.reached")
def test_what_others_import_must_be_exported() -> None:
    used = JS + "function tax(price) { return price; }\nexport const total = (p) => tax(p);\n"
    assert fault_of("src/shop.js", used, is_exported=True) == "is not exported"
    assert fault_of("src/shop.js", "function tax(price) { return price; }\n", is_exported=True) == "is not exported"
    assert fault_of("src/shop.js", used + "export { tax };\n", is_exported=True) == ""


@pytest.mark.req("judge.parts.reached")
@pytest.mark.parametrize(
    ("path", "text", "is_built"),
    [
        ("tax_windows.go", GO, False),
        ("tax_plan9_arm.go", GO, False),
        ("tax.go", "//go:build ignore\n\n" + GO, False),
        ("tax.go", "//go:build windows || (darwin && !linux)\n\n" + GO, False),
        ("tax.go", "//go:build linux && special\n\n" + GO, False),
        ("testdata/tax.go", GO, False),
        ("tax.go", GO, True),
        ("tax_rates.go", GO, True),
        ("windows.go", GO, True),
        ("tax.go", "//go:build !windows\n\n" + GO, True),
        ("tax.go", "//go:build unix && go1.18\n\n" + GO, True),
    ],
)
def test_a_go_file_that_is_built_here(path: str, text: str, is_built: bool) -> None:
    assert (fault_of(path, text, "Tax") == "") is is_built


@pytest.mark.req("judge.parts.reached")
def test_a_go_file_for_what_the_task_speaks_of() -> None:
    assert fault_of("tax_windows.go", GO, "Tax", task="Add Tax for Windows.") == ""
    assert fault_of("tax_windows.go", GO, "Tax") == "stands in tax_windows.go, which is not built here"
    assert fault_of("shop.go", "package shop\n\nfunc (s Shop) Tax() int {\n\treturn 1\n}\n", "Tax") == ""


@pytest.mark.req("judge.parts.reached")
@pytest.mark.parametrize(
    ("path", "text", "other", "fault"),
    [
        ("src/tax.rs", RUST, {"src/lib.rs": "pub fn a() {}\n"}, "stands in src/tax.rs, and no `mod tax` declares it"),
        ("src/tax.rs", RUST, {"src/lib.rs": "// mod tax;\n"}, "stands in src/tax.rs, and no `mod tax` declares it"),
        ("src/a/tax.rs", RUST, {"src/a/mod.rs": "pub mod tax;\n", "src/lib.rs": "mod b;\n"},
         "stands in src/a/mod.rs, and no `mod a` declares it"),
        ("src/tax.rs", RUST, {"src/lib.rs": "mod tax;\n"}, "stands in src/tax.rs, and nothing uses `mod tax`"),
        ("src/tax.rs", RUST, {"src/lib.rs": "#[cfg(test)]\nmod tax;\n"},
         "stands in src/tax.rs, which is not built here"),
        ("src/tax.rs", RUST, {"src/lib.rs": "#[cfg(windows)]\npub mod tax;\n"},
         "stands in src/tax.rs, which is not built here"),
        ("src/lib.rs", "pub fn a() {}\nfn tax(p: i64) -> i64 { p }\n", {}, "is not public, and nothing uses it"),
        ("src/lib.rs", "pub fn a() { return;\n    fn tax(p: i64) -> i64 { p }\n}\n", {},
         "is not public, and nothing uses it"),
        ("src/tax.rs", RUST, {"src/lib.rs": "pub mod tax;\n"}, ""),
        ("src/tax.rs", RUST, {"src/lib.rs": "mod tax;\npub use tax::tax;\n"}, ""),
        ("src/tax.rs", RUST, {"src/main.rs": "mod tax;\nfn main() { tax::tax(1); }\n"}, ""),
        ("src/tax.rs", RUST, {"src/lib.rs": "mod tax;\npub use self::tax::*;\n"}, ""),
        ("src/a/tax.rs", RUST, {"src/a.rs": "pub mod tax;\n", "src/lib.rs": "pub mod a;\n"}, ""),
        ("src/tax.rs", RUST, {"src/lib.rs": '#[path = "tax.rs"]\npub mod rates;\n'}, ""),
        ("src/tax.rs", RUST, {}, ""),
        ("src/bin/tax.rs", "fn main() { tax(); }\nfn tax() { run() }\n", {"src/lib.rs": ""}, ""),
        ("src/lib.rs", "pub struct S;\nimpl Priced for S {\n    fn tax(&self) -> i64 { 1 }\n}\n", {}, ""),
        ("src/lib.rs", "pub trait Priced {\n    fn tax(&self) -> i64 { 1 }\n}\n", {}, ""),
        ("src/main.rs", '#[get("/tax")]\nasync fn tax() -> i64 { 1 }\n', {}, ""),
        ("src/lib.rs", "pub struct S;\nimpl S {\n    fn tax(&self) -> i64 { 1 }\n}\n", {},
         "is not public, and nothing uses it"),
        ("src/lib.rs", "#[inline]\nfn tax() -> i64 { 1 }\n", {}, "is not public, and nothing uses it"),
        ("src/lib.rs", "pub(crate) fn tax(p: i64) -> i64 { p }\n", {}, ""),
        ("src/main.rs", "fn main() { tax(1); }\nfn tax(p: i64) -> i64 { p }\n", {}, ""),
    ],
)  # fmt: skip
def test_a_rust_file_that_belongs_to_its_crate(path: str, text: str, other: dict[str, str], fault: str) -> None:
    assert fault_of(path, text, other=other) == fault


@pytest.mark.req("judge.parts.does")
@pytest.mark.parametrize(
    ("path", "text", "fault"),
    [
        ("Makefile", "dist:\n\t@echo built shop.tar.gz\n", "only prints something"),
        ("Makefile", "dist:\n\t@# packs\n\t-printf 'built\\n'\n\ttrue\n", "only prints something"),
        ("Makefile", "dist: ; @echo built\n", "only prints something"),
        ("rules.mk", "all dist:\n\t$(info built)\n", "only prints something"),
        ("package.json", '{"scripts": {"dist": "echo built shop.tar.gz"}}', "only prints something"),
        ("package.json", '{"scripts": {"dist": "exit 0"}}', "only prints something"),
        ("Makefile", "dist:\n\ttar czf shop.tar.gz shop.sh\n\t@echo built\n", ""),
        ("Makefile", "dist: shop.tar.gz\n", ""),
        ("Makefile", "dist: build\n\t@echo built\n", ""),
        ("Makefile", "dist:\n\techo 1.0 > VERSION\n", ""),
        ("Makefile", "dist:\n\t@echo packing && tar czf shop.tar.gz shop.sh\n", ""),
        ("Makefile", ".PHONY: dist\ndist:\n\t$(MAKE) pack\n", ""),
        ("package.json", '{"scripts": {"dist": "echo packing && tar czf shop.tgz src"}}', ""),
        ("package.json", '{"scripts": {"test": "node --test"}}', None),
        ("Makefile", "dist := 1\n", None),
        ("shop.sh", "exit 0\n\ndist() {\n    tar czf a.tgz a\n}\n", "is defined where nothing can reach it"),
        ("shop.sh", "dist() {\n    tar czf a.tgz a\n}\nexit 0\n", ""),
        ("shop.sh", "function dist {\n    echo built\n}\n", ""),
    ],
)
def test_a_recipe_does_more_than_to_say_so(path: str, text: str, fault: str | None) -> None:
    assert fault_of(path, text, "dist") == fault


@pytest.mark.req("judge.parts.raised")
@pytest.mark.parametrize(
    ("path", "came", "is_lost"),
    [
        ("shop.py", "    ValueError('no')\n", True),
        ("shop.py", "    return ValueError('no')\n", True),
        ("shop.py", "    return price\n    raise ValueError('no')\n", True),
        ("shop.py", "    try:\n        raise ValueError('no')\n    except ValueError:\n        pass\n", True),
        ("shop.py", CAUGHT.format("except ValueError:\n        price = 0"), True),
        ("shop.py", CAUGHT.format("except Exception as error:\n        log(error)"), True),
        ("shop.py", CAUGHT.format("except (KeyError, ValueError):\n        return 0"), True),
        ("shop.py", CAUGHT.format("except:\n        return 0"), True),
        ("shop.py", CAUGHT.format("except KeyError:\n        return 0"), False),
        ("shop.py", CAUGHT.format("except ValueError:\n        log(price)\n        raise"), False),
        ("shop.py", CAUGHT.format("except ValueError as error:\n        last = error\n    raise last"), False),
        ("shop.py", CAUGHT.format("finally:\n        close()"), False),
        ("shop.py", "    if False:\n        raise ValueError('no')\n", True),
        ("shop.py", "    raise ValueError('no')\n", False),
        ("shop.py", "    raise ValueError\n", False),
        ("shop.py", "    error = ValueError('no')\n    raise error\n", False),
        ("shop.py", "    future.set_exception(ValueError('no'))\n", False),
        ("shop.py", "    return int(price)\n", False),
        (
            "shop.py",
            "    try:\n        run()\n    except KeyError as error:\n        raise ValueError from error\n",
            False,
        ),
        ("shop.js", "  new ValueError('no');\n", True),
        ("shop.ts", "  ValueError('no')\n", True),
        ("shop.js", "  throw new ValueError('no');\n", False),
        ("shop.js", "  return Promise.reject(new ValueError('no'));\n", False),
        ("shop.go", '\terrors.ValueError("no")\n', True),
        ("shop.go", '\treturn errors.ValueError("no")\n', False),
        ("shop.js", "  throw wrap(\n    new ValueError('no')\n  );\n", False),
        ("src/lib.rs", '    ValueError::new("no");\n', True),
        ("src/lib.rs", '    ValueError::new("no")\n', False),
        ("src/lib.rs", '    return Err(ValueError::new("no"));\n', False),
    ],
)
def test_an_error_that_is_made_and_lost(path: str, came: str, is_lost: bool) -> None:
    text = f"def discount(price):\n{came}" if path.endswith(".py") else came
    assert is_unraised(path, text, "ValueError", came.splitlines()) is is_lost


@pytest.mark.parametrize(
    ("path", "text", "is_there"),
    [
        ("shop.py", "# RATE is later\nx = 1\n", False),
        ("shop.py", '"""RATE is later."""\n', False),
        ("shop.py", "RATE = 1\n", True),
        ("shop.py", "x = read('RATE')\n", True),
        ("shop.py", "this is no Python: RATE\n", True),
        ("shop.js", "// RATE\nlet x;\n", False),
        ("shop.go", "package shop // RATE\n", False),
        ("shop.sh", "# RATE\ntrue\n", False),
        ("shop.sh", "while [ $# -gt 0 ]; do RATE=$1; shift; done\n", True),
        ("settings.toml", "RATE = 1\n", True),
    ],
)
def test_a_comment_is_no_mention(path: str, text: str, is_there: bool) -> None:
    assert is_mentioned(path, text, "RATE") is is_there
