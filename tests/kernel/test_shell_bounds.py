"""Reading shell text costs as much as it is long, whatever it holds; beyond a bound it cannot be told."""

import cProfile
import functools
from collections.abc import Callable

import pytest

from mi.governance.permissions import permit
from mi.hooks.shell_changes import changed_files
from mi.kernel.shell import simple_commands
from mi.kernel.shell.outcome import decisive_commands

# `_` stands for a blank, `¶` for a line break.
UNITS = r"""
    a| a|b_ a&& a||b&& a; ; & ( () $( "$( <( ` `` ' '' " "" \ \\ { {_ {a,} } ) [ [[_ ]] a_ 中 中_ > >a_ >>_ >&2_
    < <<A_ <<A¶ <<<a_ 2>&1_ (( )) $(( )) ${ ${a} $ $a_ $a a= a=b_ a=b¶ a=( a[ a[; !_ # _#a ¶ a¶ * ? ~ _
    if_ if_a;then_b;fi; fi_ while_a;do_ for_a_in_b;do_ case_a_in_ case_a_in_b)c;;esac; f(){_ f(){ f(){_a;};
    time_ coproc_ find_-exec_ find_._-exec_a_\;_ xargs_ sudo_ env_A=1_ bash_-c_ bash_-c_a; eval_ eval_'a'; ssh_h_
    uv_run_ docker_exec_c_ echo_a|sh; cd_a¶ cd_a&& (cd_a); pushd_a; x=$x$x; trap_a_b; set_-e¶ source_a;
""".split()


def repeated(unit: str) -> Callable[[int], str]:
    text = unit.replace("_", " ").replace("¶", "\n")
    return lambda size: text * (size // len(text))


SHAPES = {unit: repeated(unit) for unit in UNITS}
SHAPES |= {
    "nested ()": lambda size: "(" * (size // 2) + "a" + ")" * (size // 2),
    "nested $()": lambda size: "$(" * (size // 3) + "a" + ")" * (size // 3),
    "nested {}": lambda size: "{ " * (size // 5) + "a;" + " };" * (size // 5),
    "here-document": lambda size: "cat <<END\n" + "a\n" * (size // 2) + "END\n",
    "here-documents": lambda size: "cat <<A\nb\nA\n" * (size // 12),
    "a script": lambda size: "bash -c '" + "a; " * (size // 3) + "'",
    "a value used often": lambda size: "x=" + "a" * (size // 2) + "\n" + "$x " * (size // 6),
    "many variables": lambda size: "".join(f"v{n}=1\n" for n in range(size // 8)) + "(a);" * 100,
    "null characters": lambda size: "\0" * size,
    "mixed": lambda size: "'\"`$(\\{<" * (size // 8),
}


def calls(work: Callable[[str], object], text: str) -> int:
    """How many functions are called, those of the interpreter itself included."""
    profile = cProfile.Profile()
    profile.runcall(work, text)
    return sum(entry.callcount for entry in profile.getstats())


@pytest.mark.parametrize("shape", SHAPES)
def test_ten_times_the_text_is_at_most_fifteen_times_the_work(shape: str) -> None:
    small, large = (calls(simple_commands, SHAPES[shape](size)) for size in (10_000, 1_000_000))
    assert small < 4_000_000
    if large > 15 * small + 1_000:  # else even a hundred times the text is no more work than that
        middle = calls(simple_commands, SHAPES[shape](100_000))
        assert middle <= 15 * small + 1_000
        assert large <= 15 * middle + 1_000
        assert middle < 4_000_000
    else:
        assert large < 4_000_000


@pytest.mark.parametrize(
    "work", [decisive_commands, lambda text: changed_files(text, "/srv")], ids=["proves", "changes"]
)
def test_who_asks_about_long_text_has_no_more_work(work: Callable[[str], object]) -> None:
    for text in ("a; ", "set -e\n", "> a ", "cd a && ", "find . -exec "):
        assert calls(work, text * 20_000) <= 15 * calls(work, text * 2_000) + 1_000


def test_commands_that_run_commands_are_looked_at_once_each() -> None:
    def nested(times: int) -> str:
        return "find . -exec " * times + "rm x" + " \\;" * times

    assert len(simple_commands(nested(18))) < 40
    judge = functools.partial(permit, "Bash", "run")
    assert calls(judge, nested(36)) < 5 * calls(judge, nested(18))


@pytest.mark.parametrize(
    "text", ["a; " * 30_000, "( " * 40 + "a" + " )" * 40, "find . -exec " * 30 + "a", "a=b\n" * 600]
)
def test_beyond_the_bounds_it_cannot_be_told(text: str) -> None:
    found = simple_commands(text + "; rm -rf /")
    assert not found.readable
    assert decisive_commands(text) == []
    assert "/srv" in changed_files(text, "/srv")


def test_before_the_bounds_commands_are_found() -> None:
    found = simple_commands("rm -rf x\n" + "a && b\n" * 10_000)
    assert not found.readable
    assert found[0].argv == ("rm", "-rf", "x")
    assert len(found) > 1_000


def test_a_long_quote_or_here_document_is_no_reason() -> None:
    assert simple_commands("cat > f <<'E'\n" + "a (b\n" * 100_000 + "E\nls").readable
    assert simple_commands("git commit -m '" + "a; (b\n" * 100_000 + "'").readable
