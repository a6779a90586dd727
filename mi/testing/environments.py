"""The environments in which real agents talk to a scripted model and to nobody else."""

from __future__ import annotations

import os
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from mi.testing.server import ScriptedServer

KEY = "scripted-key"
_KEY_NAME = "SCRIPTED_KEY"
_NOBODY = "http://127.0.0.1:9"

_CODEX_CONFIG = """\
model = "{model}"
model_provider = "scripted"
web_search = "disabled"
check_for_update_on_startup = false

[analytics]
enabled = false

[features]
plugins = false
apps = false
unbounded_connection_retries = false

[tools.update_plan]
enabled = true

[model_providers.scripted]
name = "scripted"
base_url = "{base_url}"
env_key = "{key_name}"
wire_api = "responses"
request_max_retries = {retries}
stream_max_retries = {retries}
stream_idle_timeout_ms = {idle_ms}
"""


def codex_environment(
    server: ScriptedServer | str,
    folder: str,
    *,
    model: str = "gpt-5.5",
    key: str = KEY,
    retries: int = 0,
    idle_ms: int = 20_000,
    extra: str = "",
) -> dict[str, str]:
    """Write a CODEX_HOME below `folder` and give the whole environment for Codex; `extra` is more of its TOML."""
    environment = _environment(folder)
    home = os.path.join(folder, "codex")
    os.makedirs(home, exist_ok=True)
    base_url = server if isinstance(server, str) else server.base_url
    config = _CODEX_CONFIG.format(model=model, base_url=base_url, key_name=_KEY_NAME, retries=retries, idle_ms=idle_ms)
    with open(os.path.join(home, "config.toml"), "w", encoding="utf-8") as file:
        file.write(config + extra)
    return environment | {"CODEX_HOME": home, _KEY_NAME: key}


def claude_environment(
    server: ScriptedServer | str, folder: str, *, key: str = KEY, retries: int = 0
) -> dict[str, str]:
    """Return the whole environment for Claude Code, with its configuration below `folder`."""
    environment = _environment(folder)
    config = os.path.join(folder, "claude")
    os.makedirs(config, exist_ok=True)
    return environment | {
        "CLAUDE_CONFIG_DIR": config,
        "ANTHROPIC_BASE_URL": server if isinstance(server, str) else server.base_url,
        "ANTHROPIC_API_KEY": key,
        "CLAUDE_CODE_MAX_RETRIES": str(retries),
        **({} if retries else {"CLAUDE_CODE_DISABLE_NONSTREAMING_FALLBACK": "1"}),  # it asks again without a stream
        "CLAUDE_CODE_DISABLE_NONESSENTIAL_TRAFFIC": "1",
        "DISABLE_TELEMETRY": "1",
        "DISABLE_AUTOUPDATER": "1",
        "DISABLE_ERROR_REPORTING": "1",
    }


def _environment(folder: str) -> dict[str, str]:
    """Return nothing of the person's own environment but where programs are and how text is written.

    The proxy is a port where nobody listens: a request to any other place fails at once.
    """
    kept = {name: os.environ[name] for name in ("PATH", "LANG", "LC_ALL") if name in os.environ}
    for name in ("user", "tmp"):
        os.makedirs(os.path.join(folder, name), exist_ok=True)
    proxies = dict.fromkeys(("HTTP_PROXY", "HTTPS_PROXY", "http_proxy", "https_proxy"), _NOBODY)
    return (
        kept
        | proxies
        | {
            "NO_PROXY": "127.0.0.1",
            "no_proxy": "127.0.0.1",
            "HOME": os.path.join(folder, "user"),
            "TMPDIR": os.path.join(folder, "tmp"),
        }
    )
