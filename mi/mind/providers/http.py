"""One JSON request to a model's HTTP service, its failures told apart."""

import http.client
import json
import os
import time
import urllib.error
import urllib.request
from email.utils import parsedate_to_datetime
from queue import Empty, SimpleQueue
from threading import Thread
from typing import Any, NoReturn

from mi.agents.signals import StopFlag
from mi.kernel.config.types import HttpMind
from mi.kernel.secrets import redact_start
from mi.mind.provider import Kind, ProviderError

_MAX_REPLY = 8 << 20


class _NoRedirect(urllib.request.HTTPRedirectHandler):
    """A redirect would carry the key to another host."""

    def redirect_request(self, *args: Any, **kwargs: Any) -> None:
        return None


_OPENER = urllib.request.build_opener(_NoRedirect)


def api_key(settings: HttpMind, section: str) -> str:
    """Return the key from the named environment variable, else from the configuration."""
    key = os.environ.get(settings.api_key_env, "") if settings.api_key_env else settings.api_key
    if settings.api_key_env and not key:
        raise ProviderError("auth", f"mind.{section}.api_key_env: ${settings.api_key_env} is not set")
    return key


def post(
    url: str, headers: dict[str, str], body: dict[str, Any], timeout_s: float, stop: StopFlag | None = None
) -> Any:
    """Return the parsed JSON answer; ProviderError with its kind otherwise.

    The time is that of the whole exchange: a service that sends a byte now and then would never be late otherwise.
    """
    answers: SimpleQueue[Any] = SimpleQueue()

    def exchange() -> None:
        try:
            answers.put(_exchange(url, headers, body, timeout_s))
        except Exception as error:  # noqa: BLE001 - whoever waits raises it
            answers.put(error)

    Thread(target=exchange, daemon=True, name="mi-mind").start()
    until = time.monotonic() + timeout_s
    while (left := until - time.monotonic()) > 0:
        if stop is not None and stop.reason:
            raise ProviderError("stopped", stop.reason)
        try:
            answer = answers.get(timeout=min(left, 0.2))
        except Empty:
            continue
        if isinstance(answer, Exception):
            raise answer
        return answer
    raise ProviderError("timeout", f"{url} did not answer within {timeout_s:g} s")


def _exchange(url: str, headers: dict[str, str], body: dict[str, Any], timeout_s: float) -> Any:
    data = json.dumps(body, ensure_ascii=False).encode()
    try:
        request = urllib.request.Request(url, data, {"content-type": "application/json", **headers}, method="POST")
        with _OPENER.open(request, timeout=timeout_s) as response:
            return json.loads(response.read(_MAX_REPLY))
    except urllib.error.HTTPError as error:
        _raise_for_status(error)
    except TimeoutError:
        raise ProviderError("timeout", f"{url} did not answer within {timeout_s:g} s") from None
    except urllib.error.URLError as error:
        kind: Kind = "timeout" if isinstance(error.reason, TimeoutError) else "network"
        raise ProviderError(kind, f"{url}: {error.reason}") from None
    except (OSError, http.client.HTTPException) as error:  # also what is no HTTP at all
        raise ProviderError("network", f"{url}: {error}") from None
    except ValueError as error:  # a malformed address, or an answer that is no JSON
        raise ProviderError("protocol", f"{url}: {error}") from None


def _raise_for_status(error: urllib.error.HTTPError) -> NoReturn:
    with error:
        detail = error.read(20_000).decode("utf-8", "replace").strip()
    message = f"HTTP {error.code} {redact_start(detail, 300)}"
    if error.code in (429, 529):
        raise ProviderError("rate_limit", message, _retry_after(error)) from None
    kind: Kind = "auth" if error.code in (401, 403) else "network" if error.code >= 500 else "refused"
    raise ProviderError(kind, message) from None


def _retry_after(error: urllib.error.HTTPError) -> float | None:
    """Seconds to wait, which the header tells as such or as a date."""
    value = str(error.headers.get("retry-after") or "").strip()
    if value.replace(".", "", 1).isdigit():
        return float(value)

    try:
        return max(0.0, parsedate_to_datetime(value).timestamp() - time.time())
    except (ValueError, TypeError):
        return None


def text_at(answer: Any, *path: str | int) -> str:
    """Return the text at a place of a parsed answer; ProviderError when the answer has another form."""
    found = answer
    try:
        for step in path:
            found = found[step]
    except (KeyError, IndexError, TypeError):
        found = None
    if not isinstance(found, str):
        raise ProviderError("protocol", f"the answer has no text at {'.'.join(map(str, path))}")
    return found


def count_at(answer: Any, *path: str) -> int | None:
    """Return a figure of a parsed answer; None when it is not given."""
    found = answer
    for step in path:
        found = found.get(step) if isinstance(found, dict) else None
    return found if isinstance(found, int) else None
