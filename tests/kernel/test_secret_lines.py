"""Lines that come one by one: what goes over several of them is hidden in each."""

import pytest

from mi.kernel.secret_lines import LineRedactor
from mi.kernel.secrets import find_secrets, redact, redact_end, redact_start
from tests.kernel.test_secrets import PASSWORD, PEM, PEM_BODY, fake

LONG = "\n".join(["-----BEGIN PRIVATE KEY-----", *[fake(64, seed=n) for n in range(400)], "-----END PRIVATE KEY-----"])


def hidden(text: str) -> str:
    redactor = LineRedactor()
    return "\n".join(map(redactor.hide, text.split("\n")))


@pytest.mark.req("safe.secrets.stream")
@pytest.mark.parametrize("margin", ["%s", "  %s", "+%s", "> %s", "12: %s", "2026-01-01T00:00:00Z app %s", '"%s\\n" +'])
@pytest.mark.parametrize("key", [PEM, LONG], ids=["short", "long"])
def test_every_line_of_a_key_is_hidden_and_what_follows_is_not(key: str, margin: str) -> None:
    lines = [margin % line for line in key.split("\n")]
    shown = hidden("\n".join(["before it", *lines, "after it", "supercalifragilistic words"]))
    assert not [line for line in key.split("\n")[1:-1] if line in shown]
    assert shown.startswith("before it\n")
    assert shown.endswith("\nafter it\nsupercalifragilistic words")


@pytest.mark.req("safe.secrets.stream")
def test_a_key_that_is_only_spoken_of_hides_nothing() -> None:
    text = 'if "-----BEGIN PRIVATE KEY-----" in text:\n    return found\nMIIEvQIBADANBgkqhkiG9w0BAQ is how it begins'
    assert hidden(text) == text


@pytest.mark.req("safe.secrets.cut-after")
@pytest.mark.parametrize("newline", ["\n", "\\n", "\n  ", "\n+"])
def test_the_end_of_a_key_whose_beginning_is_not_there_is_hidden(newline: str) -> None:
    tail = newline.join(PEM.split("\n")[3:])
    assert redact(f"$ tail key.pem{newline}{tail}{newline}bye").count("[redacted:private-key]") == 1
    assert not [line for line in PEM_BODY.split("\n") if line in redact(tail)]
    assert find_secrets("one two\n-----END PRIVATE KEY-----") == []


@pytest.mark.req("safe.secrets.cut-after")
def test_what_is_cut_was_hidden_before() -> None:
    token = "ghp_" + fake(36)
    for at in range(60):
        text = "x" * at + " " + token + " " + "y" * 30
        for cut in (redact_start(text, 50), redact_end(text, 50)):
            assert not [1 for n in range(len(token) - 8) if token[n : n + 8] in cut]
    assert redact_end(PEM, 300) == "[redacted:private-key]"
    assert len(redact_start(f"password={PASSWORD} " * 9000, 300)) == 300
