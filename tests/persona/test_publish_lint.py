"""What may leave a persona, and what is wrong in one."""

import os
from pathlib import Path

import pytest

from mi.kernel.errors import MiError, UsageError
from mi.persona.sharing import lint, may_leave, publish, replaced
from tests.persona.conftest import put, put_card

SECRET = "ghp_" + "a1B2c3D4e5F6g7H8i9J0k1L2m3N4o5P6q7R8"


@pytest.mark.req("mx.publish.no-private", "mx.publish.no-proposals", "gov.publish.env-files", "gov.publish.paths")
def test_publishing_leaves_out_what_is_not_for_others(persona, tmp_path):
    put(persona, ".mi/private/a.md", "mine")
    put(persona, ".ada/private/a.md", "hers")
    put(persona, "proposals/2026-11/p.md", "maybe")
    put(persona, "core/.env", "X=1")
    put(persona, "core/prod.env", "X=1")
    put(persona, "core/principles.md", f"see {persona.root}/core and /code/app/x.py")
    target = tmp_path / "out"
    done = publish(persona, str(target), {persona.root: "$PERSONA", "/code": "$PROJECTS"})
    files = sorted(str(path.relative_to(target)) for path in target.rglob("*") if path.is_file())
    assert (
        files
        == done.written
        == [
            "core/boot.md",
            "core/challenge-core.md",
            "core/principles.md",
            "indexes/card-index.yaml",
        ]
    )
    assert (target / "core/principles.md").read_text("utf-8") == "see $PERSONA/core and $PROJECTS/app/x.py"
    assert done.left_out == ["core/prod.env", "proposals/2026-11/p.md"]


@pytest.mark.req("gov.publish.paths", "mx.path.variables")
@pytest.mark.parametrize(
    ("text", "shared"),
    [
        ("/code/app/x.py", "$PROJECTS/app/x.py"),
        ("/codes/x.py and a/code/x", "/codes/x.py and a/code/x"),
        ("/code/code.y/z", "$PROJECTS/code.y/z"),
        ("see /home/ana/notes, /Users/ana.", "see $HOME/notes, $HOME"),
        ("/code", "$PROJECTS"),
        ("(/root/x)", "($HOME/x)"),
    ],
)
def test_paths_of_a_machine_become_variables(text, shared):
    assert replaced(text, {"/code": "$PROJECTS"}) in (shared, shared + ".")


@pytest.mark.parametrize(
    ("name", "leaves"),
    [
        ("core/boot.md", True),
        (".mi/private/x.md", False),
        ("a/.b/private/x", False),
        ("proposals/x.md", False),
        (".env", False),
        (".env.local", False),
        ("cards/env.md", False),
        ("sessions/2026-11/x.md", True),
    ],
)
@pytest.mark.req("mx.publish.no-private", "mx.publish.no-proposals", "gov.publish.env-files")
def test_which_files_may_leave(name, leaves):
    assert may_leave(name) is leaves


@pytest.mark.req("gov.publish.secret")
def test_a_secret_stops_the_whole_publication(persona, tmp_path):
    put(persona, "cards/patterns/x.md", f"first\nuse {SECRET}")
    with pytest.raises(MiError) as caught:
        publish(persona, str(tmp_path / "out"), {})
    assert "cards/patterns/x.md, line 2" in str(caught.value)
    assert SECRET not in str(caught.value)
    assert not (tmp_path / "out").exists()


def test_a_target_that_holds_something_is_left_alone(persona, tmp_path):
    (tmp_path / "out").mkdir()
    (tmp_path / "out/mine").write_text("x", "utf-8")
    with pytest.raises(UsageError):
        publish(persona, str(tmp_path / "out"), {})
    assert os.listdir(tmp_path / "out") == ["mine"]


def test_links_are_not_followed(persona, tmp_path):
    outside = tmp_path / "outside.md"
    outside.write_text("not ours", "utf-8")
    os.symlink(outside, persona.path("core", "link.md"))
    publish(persona, str(tmp_path / "out"), {})
    assert not (tmp_path / "out/core/link.md").exists()


def test_a_fresh_persona_is_clean(persona):
    assert lint(persona, ("Ada Lovelace",)) == []


@pytest.mark.req("gov.lint.absolute-paths", "gov.lint.identities", "mx.path.variables", "mx.path.no-identities")
@pytest.mark.parametrize(
    ("text", "code"),
    [
        ("see /home/ada/code", "lint-path"),
        ("see /Users/ada/code", "lint-path"),
        ("see C:\\Users\\ada", "lint-path"),
        ("ask Ada Lovelace", "lint-identity"),
        ("mail ada@example.org", "lint-identity"),
        (f"use {SECRET}", "lint-secret"),
        ("see $PERSONA/core", None),
    ],
)
def test_shared_files_name_no_machine_no_person_no_secret(persona, text, code):
    put(persona, "core/principles.md", f"# Principles\n\n{text}\n")
    put(persona, ".mi/private/a.md", text)  # one's own space is one's own
    assert [(one.code, one.path) for one in lint(persona, ("Ada Lovelace",))] == (
        [(code, "core/principles.md")] if code else []
    )


@pytest.mark.req("gov.card.factual-lint", "gov.card.merge-key-unique", "gov.dir.core-missing")
def test_cards_and_core_files_are_checked(persona):
    put_card(persona, "H-001", body="no evidence")
    put_card(persona, "P-001", body="same key")
    put(persona, "cards/patterns/bad.md", "x")
    put(persona, "proposals/2026-11/bad.md", "x")
    Path(persona.path("core/boot.md")).unlink()
    assert sorted(one.code for one in lint(persona)) == [
        "card-no-evidence",
        "core-missing",
        "merge-key-twice",
        "no-front-matter",
        "no-front-matter",
    ]
