"""What may be looked at: no secret in output for people or --json, the stored bytes where they are asked for."""

import json
import os
import subprocess
from pathlib import Path

import pytest

from mi.evidence.records.hands import HandsInput
from mi.evidence.records.questions import Question
from mi.evidence.records.run import BatchEnd, RunStart
from mi.kernel.home import Home
from mi.project.identity import make_project_id
from tests.cli.conftest import Stage
from tests.conftest import MI
from tests.seals import unseal
from tests.starting import run_mi

BODY = ["MIIEvQIBADANBgkqhkiG9w0BAQEFAASCBKcwggSjAgEAAoIBAQC7VJTUt9Us8cKB" + str(number) for number in range(6)]
KEY = ["-----BEGIN PRIVATE KEY-----", *BODY, "q83vASNFZ4k=", "-----END PRIVATE KEY-----"]
SECRETS = {
    "vendor": ("use {} now", "ghp_" + "A1b2C3d4E5" * 4),
    "json": ('{{"password": "{}"}}', "correct-horse-battery"),
    "jwt": ("got {}", "eyJhbGciOiJIUzI1NiJ9.eyJzdWIiOiIxMjM0NTY3ODkwIn0.dozjgNryP4J3jVmNHl0w5N_XgL0n3I9PlFUP0THsR8U"),
    "url": ("clone https://me:{}@example.invalid/a.git", "s3cr3tpassw0rd"),
    "environment": ("export SERVICE_API_KEY={}", "0123456789abcdef0123456789abcdef"),
    "chinese": ("密码：{}", "Tr0ub4dor&3xyz"),
    "cut": ("x" * 88 + " {}", "ghp_" + "Z9y8X7w6V5" * 4),
    "torn by a colour": ("token \x1b[32m{}\x1b[0m", "ghp_" + "Q1w2E3r4T5" * 4),
}


EVIL = "\x1b[31mred\x1b[0m \x1b]0;title\x07 bell\x07 back\x08 \x9b31m \u202egnp.exe\u202c \r\nnext \x00 \x7f"
SHOWING = [
    *("tail", "tail --json", "tail --raw --redact", "show {id}", "show {id} --json", "show {id} --full"),
    *("show {id} --redact", "show {id} --json --redact", "show last", "show last --json", "show last --full"),
    *("show last --redact", "status", "status --json", "show hands", "show hands --json", "tail hands"),
    *("tail hands --json", "tail hands --jsonl --redact", "doctor"),
]


def store_everywhere(stage: Stage, text: str) -> str:
    """The text where it will be shown from: a batch, a question, a transcript."""
    sent, *_ = stage.append(
        HandsInput(batch_id="b0", input=text, light_injection=text),
        BatchEnd(batch_id="b0", last_message=text),
        Question(id="qu_1", text=text),
        RunStart(task=text),
    )
    fixed = {"ts": "2026-01-01T00:00:00.000Z", "stream": "stdout"}
    stage.transcript(
        "hands", "20260101T000000Z.jsonl", *[json.dumps(fixed | {"line": one}) for one in text.split("\n")]
    )
    return sent.event_id


@pytest.fixture(scope="module")
def shown(tmp_path_factory) -> dict[str, str]:
    """What every command that shows stored text makes of secrets and of text that would drive the terminal."""
    root, home = tmp_path_factory.mktemp("work"), Home(str(tmp_path_factory.mktemp("home")))
    own_id = make_project_id(f"path:{root}")
    stage = Stage(root, own_id, home.project(own_id))
    secrets = [form.format(secret) for form, secret in SECRETS.values()]
    event_id = store_everywhere(stage, "\n".join([*secrets, "cat id_rsa", *KEY, "after it", EVIL]))
    before = stage.log.read_bytes()
    odd = {"kind": "no\x1b[2Jte\nx", "event_id": "ev_\x1b[2J", "ts": "2026\x1b[1m\n", "batch_id": "\x07"}
    unseal(stage.log)
    with stage.log.open("a", encoding="utf-8") as file:
        file.write(json.dumps(odd) + "\n")
    found = {}
    for command in SHOWING:
        words = ["--home", home.root, "-C", str(root), *command.format(id=event_id).split()]
        done = run_mi(words, "", dict(os.environ), None, 60)
        assert done.returncode == 0, (command, done.stderr)
        found[command] = done.stdout + done.stderr
    assert stage.log.read_bytes().startswith(before)
    return found


@pytest.mark.req(
    "mi.fail.redact-json-keys",
    "mi.fail.redact-jwt",
    "mi.fail.redact-url",
    "mi.fail.redact-vendor",
    "mi.fail.json-redact",
    "mi.fail.one-scanner",
    "v1.cli.show-redact",
    "v1.cli.show-last-redact",
)
@pytest.mark.parametrize("command", SHOWING)
def test_no_secret_is_shown(shown, command):
    for name, (_, secret) in SECRETS.items():
        assert secret[:12] not in shown[command], name
    assert not any(line in shown[command] for line in BODY)
    if "--json" in command.split():
        json.loads(shown[command])
    if "hands" in command:
        assert "after it" in shown[command]


@pytest.mark.parametrize("command", SHOWING)
def test_stored_text_cannot_drive_the_terminal(shown, command):
    for char in "\x1b\x07\x08\x9b\u202e\u202c\r\x00\x7f":
        assert char not in shown[command]
    if command == "tail":
        assert len(shown[command].splitlines()) == 5


@pytest.mark.req("mi.fail.one-scanner")
def test_private_key_whose_beginning_is_not_shown(mi, stage: Stage):
    store_everywhere(stage, "\n".join(KEY))
    for command in ("tail hands -n 3", "show hands -n 3 --json", "tail hands -n 3 --jsonl --redact"):
        shown = mi(*command.split()).stdout
        assert not any(line in shown for line in BODY)


@pytest.mark.req("mi.fail.redact-json-keys", "v1.cli.show-redact")
def test_field_that_is_called_a_secret(mi, stage: Stage):
    stage.append(RunStart())
    unseal(stage.log)
    with stage.log.open("a", encoding="utf-8") as file:
        file.write(
            '{"kind":"note","event_id":"ev_n","password":"correct-horse-battery","api":{"token":"tk-77aa88bb99cc"}}\n'
        )
    for flags in ([], ["--json"]):
        shown = mi("show", "ev_n", *flags).stdout
        assert "correct-horse" not in shown
        assert "tk-77aa88bb99cc" not in shown
        assert "password" in shown


def test_stored_bytes_where_they_are_asked_for(stage: Stage):
    text = "\n".join(form.format(secret) for form, secret in SECRETS.values())
    store_everywhere(stage, text)
    raw = subprocess.run([MI, "tail", "--raw"], capture_output=True, check=True).stdout
    assert raw == stage.log.read_bytes()
    lines = subprocess.run([MI, "tail", "hands", "--jsonl"], capture_output=True, check=True).stdout
    (path,) = Path(stage.place.hands_transcripts).glob("*.jsonl")
    assert lines == path.read_bytes()


@pytest.mark.req("v1.cli.project-show-redact", "mi.fail.redact-url")
def test_project_with_a_secret_in_its_remote(mi, repository):
    repo = repository(origin="https://me:s3cr3tpassw0rd@example.invalid/team/app.git")
    for args in (
        ["project", "show", "--redact"],
        ["project", "show", "--json"],
        ["status"],
        ["project", "status"],
        ["doctor"],
    ):
        done = mi(*args, cwd=repo)
        assert "s3cr3tpassw0rd" not in done.stdout + done.stderr
    assert "git:origin:example.invalid/team/app" in mi("project", "show", cwd=repo).stdout


@pytest.mark.req("mi.fail.one-scanner")
def test_secret_in_the_command_line_is_not_repeated(mi):
    secret = SECRETS["vendor"][1]
    for args in (
        ["show", secret],
        ["status", "--cd", f"/no/{secret}"],
        ["--" + secret],
        ["config", "template", secret],
    ):
        done = mi(*args)
        assert done.returncode in (1, 2)
        assert secret not in done.stdout + done.stderr
        assert done.stderr.count("\n") == 1


def test_json_keeps_what_is_stored(mi, stage: Stage):
    event_id = store_everywhere(stage, EVIL)
    assert json.loads(mi("show", event_id, "--json").stdout)["input"] == EVIL


def test_words_of_the_command_line_cannot_drive_the_terminal(mi):
    for args in (
        ["show", EVIL.replace("\x00", "")],
        ["status", "--cd", "/no\x1b[2J\nsuch"],
        ["\x1b[2J"],
        ["config", "template", "a\nb"],
    ):
        done = mi(*args)
        assert "\x1b" not in done.stderr
        assert done.stderr.count("\n") == 1
