"""Which hooks Codex sees in a folder and whether it trusts them, asked of its own app server."""

import os
import subprocess
from threading import Timer
from typing import Any

import msgspec
from msgspec import Struct

from mi import __version__
from mi.kernel.errors import MiError
from mi.kernel.messages import NestedText

_PATIENCE_S = 30.0


class CodexHook(Struct, frozen=True, kw_only=True, rename="camel"):
    """A hook as Codex lists it; untrusted ones are skipped in silence."""

    key: str
    command: str = ""
    current_hash: str = ""
    trust_status: str = ""


def list_hooks(codex: str, folder: str) -> list[CodexHook]:
    """The hooks that apply in a folder; those of a project that Codex does not trust are not among them."""
    try:
        process = subprocess.Popen(
            [codex, "app-server"],
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            stderr=subprocess.DEVNULL,
            start_new_session=True,
        )
    except OSError as error:
        raise MiError("codex-hooks", reason=error.strerror or str(error)) from None
    watchdog = Timer(_PATIENCE_S, process.kill)
    watchdog.start()
    try:
        about = {"name": "mind-incarnation", "version": __version__}
        _ask(process, 1, "initialize", {"clientInfo": about})
        found = _ask(process, 2, "hooks/list", {"cwds": [os.path.realpath(folder)]})
        return [msgspec.convert(hook, CodexHook) for part in found["data"] for hook in part["hooks"]]
    except (KeyError, TypeError, OSError, msgspec.MsgspecError) as error:
        raise MiError("codex-hooks", reason=f"{type(error).__name__}: {error}") from None
    finally:
        watchdog.cancel()
        process.kill()
        process.communicate()


def _ask(process: "subprocess.Popen[bytes]", number: int, method: str, params: dict[str, Any]) -> dict[str, Any]:
    assert process.stdin is not None
    assert process.stdout is not None
    process.stdin.write(msgspec.json.encode({"jsonrpc": "2.0", "id": number, "method": method, "params": params}))
    process.stdin.write(b"\n")
    process.stdin.flush()
    for line in process.stdout:
        answer = msgspec.json.decode(line, type=dict[str, Any])
        if answer.get("id") == number:
            if "result" not in answer:
                raise MiError("codex-hooks", reason=msgspec.json.encode(answer.get("error")).decode())
            result: dict[str, Any] = answer["result"]
            return result
    raise MiError("codex-hooks", reason=NestedText("reason.no-answer", to=method))
