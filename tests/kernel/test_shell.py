"""Shell text as the commands it would run."""

import shlex

import pytest

from mi.kernel.shell import simple_commands

CASES: list[tuple[str, list[list[str]]]] = [
    ("ls -la", [["ls", "-la"]]),
    ("a && b || c; d & e", [["a"], ["b"], ["c"], ["d"], ["e"]]),
    ("a | b |& c", [["a"], ["b"], ["c"]]),
    ("echo 'a && b' \"c | d\" e\\ f", [["echo", "a && b", "c | d", "e f"]]),
    ("echo ';' '|'", [["echo", ";", "|"]]),
    ("/bin/bash -lc 'cd x && make test'", [["/bin/bash", "-lc", "cd x && make test"], ["cd", "x"], ["make", "test"]]),
    ("env A=1 B=2 sudo -u bob nice -n 5 git push", [["git", "push"]]),
    ("A=1 make", [["make"]]),
    ("timeout -k 5 60 pytest -q", [["pytest", "-q"]]),
    ("find . -name x | xargs -n 1 rm -rf", [["find", ".", "-name", "x"], ["rm", "-rf"]]),
    ("x=$(git rev-parse HEAD)", [["git", "rev-parse", "HEAD"]]),
    ('echo `date` "$(id -u)"', [["echo", "$()", "$()"], ["date"], ["id", "-u"]]),
    ("pytest > out.txt 2>&1", [["pytest"]]),
    ("pytest 2> err < in >> log", [["pytest"]]),
    ("(cd a; make) && { b; }", [["cd", "a"], ["make"], ["b"]]),
    ("if test -f x; then rm x; fi", [["test", "-f", "x"], ["rm", "x"]]),
    ("for f in a b; do echo $f; done", [["for", "f", "in", "a", "b"], ["echo", "$f"]]),
    ("a # && b", [["a"]]),
    ("a \\\n  -b", [["a", "-b"]]),
    ("a\nb", [["a"], ["b"]]),
    ("cat > f <<'EOF'\ngit push\nEOF\nls", [["cat"], ["ls"]]),
    ("bash <<EOF\ngit push\nEOF", [["bash"], ["git", "push"]]),
    ("eval 'git push'", [["eval", "git push"], ["git", "push"]]),
    ("ssh host rm -rf x", [["ssh", "host", "rm", "-rf", "x"], ["rm", "-rf", "x"]]),
    ("echo 'unclosed", [["echo", "unclosed"]]),
    ("", []),
    ("   \n ", []),
    ("$(", [["$()"]]),
    ("((((", []),
]


@pytest.mark.parametrize(("text", "expected"), CASES)
def test_a_text_is_read_as_its_simple_commands(text: str, expected: list[list[str]]) -> None:
    assert [list(one.argv) for one in simple_commands(text)] == expected


def test_prefixes_are_remembered() -> None:
    (one,) = simple_commands("sudo env X=1 rm a")
    assert one.prefixes == ("sudo", "env")


def test_places_tell_pipelines_apart() -> None:
    places = [(one.name, one.pipeline, one.place) for one in simple_commands("a | b; c")]
    assert places == [("a", 0, 0), ("b", 0, 1), ("c", 1, 0)]


def test_nesting_without_end_ends() -> None:
    text = "git push"
    for _ in range(8):
        text = f"bash -c {shlex.quote(text)}"
    assert simple_commands(text)[-1].argv == ("git", "push")
    endless = simple_commands("$(" * 5000)
    assert not endless.readable
    assert len(endless) < 50
