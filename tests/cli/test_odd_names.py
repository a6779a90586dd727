"""Names of files and folders that would forge lines: shown on one line each, their odd characters spelt out."""

import json
import os
from pathlib import Path

import pytest

from mi.kernel.home import Home
from mi.kernel.text import show_path
from mi.project.snapshots import END
from tests.cli.restoring import RUN, Back, Keep, write
from tests.conftest import Mi

FORGED = "a\n  put back  precious.txt"
ODD = (FORGED, "b\x1b[2K\x1b[1Aerased", "c\u202etxt.exe", "d\rover", "e\u2028line", "f ", "g\x85h", "h\u200bidden")


@pytest.mark.parametrize(
    ("path", "shown"),
    [
        ("plain/name.py", "plain/name.py"),
        ("with space/新文件 é", "with space/新文件 é"),
        ('quo"te\\', 'quo"te\\'),
        ("a\nb", '"a\\nb"'),
        ("\x1b[31mred", '"\\x1b[31mred"'),
        ("gpj.\u202eexe", '"gpj.\\u202eexe"'),
        ('both"\\\n', '"both\\"\\\\\\n"'),
        (os.fsdecode(b"latin\xe9"), '"latin\\udce9"'),
        (" lead", '" lead"'),
        ("", ""),
    ],
)
def test_a_path_is_shown_on_one_line(path: str, shown: str) -> None:
    assert show_path(path) == shown


@pytest.mark.req("person.net.names")
@pytest.mark.parametrize("words", [["restore", "last"], ["diff", "last", "--now", "--stat"], ["diff", "last"]])
def test_a_name_forges_no_line(mi: Mi, repository, keep: Keep, words: list[str]) -> None:
    repo: Path = repository()
    write(repo, dict.fromkeys(ODD, "mine\n"))
    keep(repo)
    write(repo, dict.fromkeys(ODD, "theirs\n"))
    keep(repo, END)
    done = mi(*words, cwd=repo)
    shown = done.stdout + done.stderr
    assert all(char in "\n\t\u200b" or char.isprintable() for char in shown)
    assert "  put back  precious.txt" not in [line.rstrip() for line in shown.split("\n")]
    if words[0] == "restore":
        assert shown.count("\n  put back") == len(ODD)


@pytest.mark.req("person.net.names")
@pytest.mark.parametrize("language", ["en", "zh"])
def test_what_is_left_out_or_hidden_forges_no_line(mi: Mi, repository, keep: Keep, language: str) -> None:
    repo: Path = repository()
    keep(repo)
    write(repo, {FORGED: "x" * 10_000_001, "b\n  put back  precious.txt": "x", ".gitignore": "b*\n"})
    for words in (["restore", "last"], ["diff", "last", "--now"]):
        done = mi(*words, cwd=repo, env={"MI_LANG": language})
        assert "  put back  precious.txt" not in [line[:26].rstrip() for line in done.stdout.split("\n")]
        assert "mi: b" not in done.stderr
        assert all("precious" not in line or "\\n" in line for line in (done.stdout + done.stderr).split("\n"))


@pytest.mark.req("person.net.names")
def test_a_folder_forges_no_line(mi: Mi, home: Home, tmp_path: Path, keep: Keep) -> None:
    root = tmp_path / "work\nmi: all is well"
    write(root, {"file.txt": "mine\n"})
    keep(root)
    write(root, {"file.txt": "theirs\n"})
    for words in (["restore", "last"], ["inbox"], ["status"], ["show", "last"], ["project", "show"]):
        done = mi(*words, "--cd", str(root))
        lines = (done.stdout + done.stderr).split("\n")
        assert not [line for line in lines if line.startswith("mi: all is well")], words


@pytest.mark.req("person.net.diff")
def test_json_has_names_as_they_are(mi: Mi, home: Home, repository, keep: Keep) -> None:
    repo: Path = repository()
    write(repo, {FORGED: "mine\n"})
    keep(repo)
    write(repo, {FORGED: "theirs\n"})
    assert json.loads(mi("diff", RUN, "--now", "--json", cwd=repo).stdout)["changes"][0]["path"] == FORGED
    assert Back(home, repo).put().done.put_back == [FORGED]


def test_the_usage_of_diff_says_that_paths_may_be_left_out(mi: Mi) -> None:
    done = mi("diff")
    assert done.returncode == 2
    assert "run|batch" in done.stderr
    assert "path" not in done.stderr.replace("run|batch", "").split("(")[0]
