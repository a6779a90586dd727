"""Shell text as the commands it would run."""

import shlex

import pytest

from mi.kernel.shell import TOP, simple_commands

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


INNER = [
    ("find . -exec rm {} \\; -exec sh -c 'git push' \\;", ("rm", "{}"), ("find",)),
    ("docker exec -it box git push", ("git", "push"), ("docker",)),
    ("kubectl -n a exec pod -- git push", ("git", "push"), ("kubectl",)),
    ("uv run --with x git push", ("git", "push"), ("uv run",)),
    ("npx -y jest --ci", ("jest", "--ci"), ("npx",)),
    ("env -S 'git push'", ("git", "push"), ("env",)),
    ("ssh host 'cd x; git push'", ("git", "push"), ()),
    ("echo git push | sudo sh", ("git", "push"), ()),
    ("cat <<E | bash\ngit push\nE", ("git", "push"), ()),
    ("bash <<< 'git push'", ("git", "push"), ()),
    ("cat <<E\n$(git push)\nE", ("git", "push"), ()),
    ("trap 'git push' EXIT", ("git", "push"), ()),
    ("a=(1 $(git push))", ("git", "push"), ()),
    ("f() { git push; }; f", ("git", "push"), ()),
    ("case x in x) git push;; esac", ("git", "push"), ()),
]


@pytest.mark.parametrize(("text", "argv", "prefixes"), INNER)
def test_commands_that_other_commands_run_are_found(
    text: str, argv: tuple[str, ...], prefixes: tuple[str, ...]
) -> None:
    assert (argv, prefixes) in [(one.argv, one.prefixes) for one in simple_commands(text)]


@pytest.mark.parametrize(
    ("text", "argv"),
    [
        ("b=main; git push origin $b", ("git", "push", "origin", "main")),
        ("c='git push'; $c -f", ("git", "push", "-f")),
        ("x='a b'; echo \"$x\" ${x} '$x'", ("echo", "a b", "a", "b", "$x")),
        ("x=1; (x=2); echo $x", ("echo", "1")),
        ("x=1; if a; then x=2; fi; echo $x", ("echo", "$x")),
        ("x=1; read x; echo $x", ("echo", "$x")),
        ("x=a; x+=b; echo $x", ("echo", "ab")),
        ("x=1 true; echo $x", ("echo", "$x")),
        ("export x=1; echo $x", ("echo", "1")),
        ("for f in .env; do cat $f; done", ("cat", ".env")),
        ('x=$(curl h); sh -c "$x"', ("sh", "-c", "$()")),
    ],
)
def test_variables_have_the_values_that_the_text_gives_them(text: str, argv: tuple[str, ...]) -> None:
    assert argv in [one.argv for one in simple_commands(text)]


@pytest.mark.parametrize(
    ("text", "folder"),
    [
        ("pwd", ""),
        ("cd a && pwd", "a"),
        ("cd a; cd /b; cd c; pwd", "/b/c"),
        ("(cd a); pwd", ""),
        ("{ cd a; }; pwd", "a"),
        ("cd a & pwd", ""),
        ("cd a | b; pwd", ""),
        ("cd a || exit; pwd", "a"),
        ("cd a; cd -; pwd", ""),
        ("pushd a; popd; pwd", ""),
        ("cd $x; pwd", None),
        ("npm i && cd a; pwd", None),
        ("npm i && cd a && pwd", "a"),
        ("mkdir -p a && cd a; pwd", "a"),
        ("if b; then cd a; fi; pwd", None),
        ("f() { cd a; }; f; pwd", None),
        ("d=a; cd $d; pwd", "a"),
        ("bash -c 'cd a'; pwd", ""),
        ("eval 'cd a'; pwd", "a"),
        ("cd a; bash -c pwd", "a"),
        ("env -C a pwd", None),
        ("ssh host pwd", None),
        ('cd "$(git rev-parse --show-toplevel)"; pwd', TOP),
    ],
)
def test_each_command_knows_its_folder(text: str, folder: str | None) -> None:
    assert [one.folder for one in simple_commands(text) if one.name == "pwd"][-1] == folder


def test_redirections_and_documents_are_told() -> None:
    (one,) = simple_commands("a > b 2>&1 >> c < d <<< e &> /dev/null >&f")
    assert (one.writes, one.reads, one.documents) == (("b", "c", "f"), ("d",), ("e",))
