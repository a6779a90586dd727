"""Encrypted private notes, by the real programs: open with the key, closed without, whole after any kill."""

import os
import signal
import subprocess
import sys
from pathlib import Path

import pytest

from mi.kernel.errors import MiError
from mi.persona import encryption
from mi.persona.boot import boot
from mi.persona.encryption import PrivateLocked
from mi.persona.private_files import check_key_place, decrypt_all, encrypt_all, find_key, list_encrypted
from mi.persona.session_log import add_note, read_notes
from tests.persona.ciphers import PROGRAMS, make_path
from tests.persona.conftest import put

WORD = "marzipan"
SUFFIX = {"age": ".age", "openssl": ".cms"}
# The n-th time that a process is about to write, rename or remove a file or start a program, it is killed.
KILLED = """
import os, signal, sys
left, act, root, key = int(sys.argv[1]), sys.argv[2], sys.argv[3], sys.argv[4]
from mi.persona import private_files, session_log
from mi.persona.place import PersonaView
import subprocess, _posixsubprocess
persona = PersonaView(root, "mi", key=key)
def count(event, args):
    global left
    writes = event == "open" and isinstance(args[2], int) and args[2] & (os.O_WRONLY | os.O_RDWR)
    if writes or event in ("os.rename", "os.remove", "subprocess.Popen"):
        left -= 1
        if left < 0:
            os.kill(os.getpid(), signal.SIGKILL)
sys.addaudithook(count)
acts = {"encrypt": private_files.encrypt_all, "decrypt": private_files.decrypt_all}
acts["note"] = lambda persona: session_log.add_note(persona, "second")
acts[act](persona)
"""


@pytest.fixture(params=sorted(PROGRAMS))
def cipher(request, tmp_path, monkeypatch) -> str:
    monkeypatch.setenv("PATH", make_path(tmp_path / "programs", request.param))
    return str(request.param)


@pytest.fixture
def key(tmp_path, monkeypatch) -> Path:
    monkeypatch.setenv("XDG_CONFIG_HOME", str(tmp_path / "own"))
    return tmp_path / "own/mind-incarnation/persona.key"


def private(persona) -> dict[str, bytes]:
    folder = Path(persona.private)
    return {str(path.relative_to(folder)): path.read_bytes() for path in folder.rglob("*") if path.is_file()}


@pytest.mark.req("mx.publish.encrypt", "hub.private-encrypted")
def test_notes_are_encrypted_read_with_the_key_and_plain_again(persona, cipher, key):
    add_note(persona, f"likes {WORD}")
    put(persona, ".mi/private/deep/plan.md", f"{WORD} for all")
    put(persona, ".mi/private/.notes.md.swp", WORD)
    before = private(persona)
    assert encrypt_all(persona) == [".notes.md.swp", "deep/plan.md", "notes.md"]
    assert {*private(persona)} == {name + SUFFIX[cipher] for name in before}
    assert not any(WORD.encode() in content for content in private(persona).values())
    assert (key.stat().st_mode & 0o777, key.parent.stat().st_mode & 0o077) == (0o600, 0)
    assert add_note(persona, "second").endswith("notes.md" + SUFFIX[cipher])
    assert [one.split(" ", 1)[1] for one in read_notes(persona)] == [f"likes {WORD}", "second"]
    booted = boot(persona)
    assert (sorted(booted.private), booted.private_locked) == (["deep/plan.md", "notes.md"], False)
    made = key.read_bytes()
    assert (encrypt_all(persona), key.read_bytes()) == ([], made)
    assert sorted(decrypt_all(persona)) == sorted(before)
    assert private(persona)["deep/plan.md"] == before["deep/plan.md"]
    assert private(persona)["notes.md"].startswith(before["notes.md"])
    assert decrypt_all(persona) == []


@pytest.mark.req("hub.private-encrypted")
def test_notes_to_come_are_encrypted_where_there_were_none(persona, cipher, key):
    assert encrypt_all(persona) == []
    add_note(persona, WORD)
    assert [*private(persona)] == ["notes.md" + SUFFIX[cipher]]
    assert WORD in read_notes(persona)[0]


@pytest.mark.req("hub.private-encrypted")
def test_without_the_key_nothing_is_read_written_or_made_anew(persona, cipher, key):
    add_note(persona, WORD)
    encrypt_all(persona)
    before = private(persona)
    away = key.rename(key.with_name("away.key"))
    for act in (read_notes, encrypt_all, decrypt_all, lambda one: add_note(one, "more")):
        with pytest.raises(PrivateLocked) as caught:
            act(persona)
        assert (caught.value.code, str(key) in str(caught.value)) == ("private-locked", True)
    booted = boot(persona)
    assert (booted.private, booted.private_locked) == ({}, True)
    assert (private(persona), key.exists()) == (before, False)
    assert WORD in read_notes(persona._replace(key=str(away)))[0]


@pytest.mark.req("hub.private-encrypted")
def test_another_key_a_changed_file_and_an_open_key_are_refused(persona, cipher, key, tmp_path):
    add_note(persona, WORD)
    encrypt_all(persona)
    (path,) = list_encrypted(persona)
    other = persona._replace(key=str(tmp_path / "other.key"))
    encryption.make_key(find_key(other), encryption.find_cipher())
    whole = Path(path).read_bytes()
    for act in (read_notes, encrypt_all, decrypt_all):
        with pytest.raises(PrivateLocked, match="does not open it"):
            act(other)
    for changed in (whole[:-1] + bytes([whole[-1] ^ 1]), whole[: len(whole) - 8], b""):
        Path(path).write_bytes(changed)
        with pytest.raises(PrivateLocked, match="was changed"):
            read_notes(persona)
    Path(path).write_bytes(whole)
    key.chmod(0o644)
    with pytest.raises(PrivateLocked, match="chmod 600"):
        read_notes(persona)


def test_age_is_taken_first_and_a_missing_program_is_named(persona, key, tmp_path, monkeypatch):
    none, both = make_path(tmp_path / "none"), make_path(tmp_path / "both", "age", "openssl")
    monkeypatch.setenv("PATH", none)
    add_note(persona, WORD)
    with pytest.raises(MiError, match="apt install age"):
        encrypt_all(persona)
    assert [*private(persona)] == ["notes.md"]
    monkeypatch.setenv("PATH", both)
    encrypt_all(persona)
    assert [*private(persona)] == ["notes.md.age"]
    monkeypatch.setenv("PATH", make_path(tmp_path / "one", "openssl"))
    with pytest.raises(PrivateLocked, match="age is not installed"):
        read_notes(persona)


def test_two_windows_make_one_key(cipher, key):
    made = encryption.find_cipher()
    encryption.make_key(str(key), made)
    first = key.read_bytes()
    encryption.make_key(str(key), made)
    assert key.read_bytes() == first


def test_a_key_beside_what_it_opens_is_refused(persona, tmp_path, repository):
    repo = repository("repo")
    for place in (f"{persona.root}/my.key", f"{tmp_path}/home/my.key", f"{repo}/deep/my.key"):
        with pytest.raises(MiError, match="another place"):
            check_key_place(persona._replace(key=place), str(tmp_path / "home"))
    check_key_place(persona._replace(key=str(tmp_path / "stick/my.key")), str(tmp_path / "home"))


@pytest.mark.req("hub.private-encrypted")
def test_a_plain_file_beside_its_encrypted_one_loses_nothing(persona, cipher, key):
    add_note(persona, "first")
    put(persona, ".mi/private/data.bin", "one")
    encrypt_all(persona)
    put(persona, ".mi/private/notes.md", "- 2026-01-01T00:00:00Z by hand\n")
    assert [one.split(" ", 1)[1] for one in read_notes(persona)] == ["first", "by hand"]
    assert encrypt_all(persona) == ["notes.md"]
    assert [one.split(" ", 1)[1] for one in read_notes(persona)] == ["first", "by hand"]
    put(persona, ".mi/private/data.bin", "two")
    with pytest.raises(MiError, match="they differ"):
        encrypt_all(persona)
    assert private(persona)["data.bin"] == b"two"


def test_a_link_in_the_private_space_is_left_alone(persona, cipher, key, tmp_path):
    elsewhere = tmp_path / "elsewhere.md"
    elsewhere.write_text(WORD, "utf-8")
    put(persona, ".mi/private/own.md", "mine")
    (Path(persona.private) / "link.txt").symlink_to(elsewhere)
    assert encrypt_all(persona) == ["own.md"]
    assert elsewhere.read_text("utf-8") == WORD


@pytest.mark.req("hub.private-encrypted")
@pytest.mark.parametrize("act", ["encrypt", "note", "decrypt"])
def test_a_kill_at_any_point_loses_no_note(persona, cipher, key, act):
    put(persona, ".mi/private/plan.md", f"{WORD} for all")
    add_note(persona, "first")
    if act != "encrypt":
        encrypt_all(persona)
    start = private(persona)
    kills = 0
    while True:
        words = [sys.executable, "-c", KILLED, str(kills), act, persona.root, str(key)]
        ended = subprocess.run(words, check=False, capture_output=True, env=os.environ | {"PYTHONPATH": os.getcwd()})
        kept = boot(persona).private
        assert kept["plan.md"] == f"{WORD} for all", kills
        assert [one.split(" ", 1)[1] for one in read_notes(persona)] in (["first"], ["first", "second"]), kills
        if ended.returncode == 0:
            break
        assert ended.returncode == -signal.SIGKILL, ended.stderr
        kills += 1
        for name in private(persona):
            (Path(persona.private) / name).unlink()
        for name, content in start.items():
            put(persona, f".mi/private/{name}", "").write_bytes(content)
    assert kills >= 4
    assert all(name.endswith(".md") == (act == "decrypt") for name in private(persona))


@pytest.mark.req("hub.private-encrypted")
def test_what_a_kill_left_is_finished_by_the_next_time(persona, cipher, key):
    add_note(persona, "first")
    plain = private(persona)["notes.md"]
    encrypt_all(persona)
    put(persona, ".mi/private/notes.md", "").write_bytes(plain)
    put(persona, f".mi/private/notes.md{SUFFIX[cipher]}.tmp.99", "half")
    assert encrypt_all(persona) == ["notes.md"]
    assert [*private(persona)] == ["notes.md" + SUFFIX[cipher]]
    assert len(read_notes(persona)) == 1
