"""Ways to reach a person who is away: a command of their own, the desktop, ntfy, a webhook."""

import os
import subprocess
import sys
from collections.abc import Callable

from mi.kernel.config.types import NotifyTarget
from mi.kernel.jsontext import encode
from mi.kernel.messages import NestedText
from mi.kernel.named_tuple import NamedTuple
from mi.kernel.secrets import Redacted, redact
from mi.kernel.text import shorten

_COMMAND_S = 20.0
_DESKTOP_S = 5.0
_HTTP_S = 2.0
_SAID = 200  # characters of a program's complaint
_BODY = 3000  # characters: ntfy takes 4,096 bytes, and a phone shows less


class Notification(NamedTuple):
    """What the person is told; `facts` are the same things one by one, for programs."""

    title: Redacted
    body: Redacted
    event: str
    facts: dict[str, object]
    variables: dict[str, str] = {}  # for the environment of a command

    @property
    def text(self) -> Redacted:
        return Redacted(f"{self.title}\n{self.body}")


class NotSent(Exception):
    """A notification did not get through; `reason` is for the person."""

    def __init__(self, key: str, **details: object) -> None:
        super().__init__(key)
        self.reason = NestedText(f"notify.{key}", **details)


def send(target: NotifyTarget, note: Notification) -> None:
    """Tell the person by one way; NotSent when that fails."""
    _SENDERS[target.kind](target, note)


def _send_command(target: NotifyTarget, note: Notification) -> None:
    """Run the person's command with the text as its last argument."""
    import shlex

    try:
        words = shlex.split(target.command)
    except ValueError as error:
        raise NotSent("bad-command", value=target.command, reason=str(error)) from None
    if not words:
        raise NotSent("no-command")
    _run([*words, note.text], _COMMAND_S, "notify.command", note.variables)


def _send_desktop(target: NotifyTarget, note: Notification) -> None:
    if sys.platform == "darwin":
        script = "on run argv\ndisplay notification (item 2 of argv) with title (item 1 of argv)\nend run"
        _run(["osascript", "-e", script, note.title, note.body], _DESKTOP_S, "macOS")
    else:
        urgency = "critical" if note.event in ("question", "limit") else "normal"
        words = ["notify-send", "--app-name=MI", f"--urgency={urgency}", "--", note.title, note.body]
        _run(words, _DESKTOP_S, "apt install libnotify-bin")


def _run(words: list[str], seconds: float, way: str, variables: dict[str, str] | None = None) -> None:
    program = os.path.basename(words[0])
    try:
        ended = subprocess.run(
            words, env=os.environ | (variables or {}), timeout=seconds, capture_output=True, check=False
        )
    except FileNotFoundError:
        raise NotSent("not-installed", program=program, way=way) from None
    except subprocess.TimeoutExpired:
        raise NotSent("too-slow", program=program, seconds=f"{seconds:g}") from None
    except (OSError, ValueError) as error:
        raise NotSent("bad-command", value=program, reason=str(error)) from None
    if ended.returncode != 0:
        complaint = " ".join((ended.stderr or ended.stdout).decode("utf-8", "replace").split())
        raise NotSent("exit-code", program=program, code=ended.returncode, said=shorten(redact(complaint), _SAID))


def _send_ntfy(target: NotifyTarget, note: Notification) -> None:
    """Publish to a topic: the body as it is, the title in a header, which takes ASCII only."""
    from email.header import Header

    title = Header(note.title.replace("\n", " "), "utf-8", maxlinelen=10_000).encode()
    priority = "high" if note.event in ("question", "limit") else "default"
    _post(target, shorten(note.body, _BODY).encode(), {"Title": title, "Priority": priority})


def _send_webhook(target: NotifyTarget, note: Notification) -> None:
    content = {"event": note.event, "title": note.title, "text": note.body, **note.facts}
    _post(target, encode(content), {"Content-Type": "application/json"})


def _post(target: NotifyTarget, content: bytes, headers: dict[str, str]) -> None:
    """Send to a URL, two seconds for each answer; a redirection is no success: it would take the token along."""
    from http.client import HTTPException
    from urllib.error import HTTPError
    from urllib.parse import urlsplit
    from urllib.request import HTTPRedirectHandler, Request, build_opener

    class _Stay(HTTPRedirectHandler):
        def redirect_request(self, *args: object) -> None:
            return None

    try:
        place = urlsplit(target.url)
        host = place.hostname or ""
    except ValueError:
        place, host = urlsplit(""), ""
    if place.scheme not in ("http", "https") or not host:
        raise NotSent("bad-url", value=shorten(redact(target.url), 80))
    if target.token_env:
        token = os.environ.get(target.token_env, "")
        if not token:
            raise NotSent("no-token", value=target.token_env)
        headers = headers | {"Authorization": f"Bearer {token}"}
    try:
        with build_opener(_Stay).open(Request(target.url, content, headers, method="POST"), timeout=_HTTP_S):
            pass
    except HTTPError as error:
        raise NotSent("refused", host=host, code=error.code) from None
    except (OSError, ValueError, HTTPException) as error:
        raise NotSent("no-answer", host=host, reason=str(getattr(error, "reason", "") or error)) from None


_SENDERS: dict[str, Callable[[NotifyTarget, Notification], None]] = {
    "command": _send_command,
    "desktop": _send_desktop,
    "ntfy": _send_ntfy,
    "webhook": _send_webhook,
}
