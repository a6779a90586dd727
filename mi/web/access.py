"""Who is let in to the page: a browser that came by a one-time link, at the page's own address, from no other page.

Cookies are sent to every port of a host, so the session's cookie is bound to a path that no other page knows: what
listens at another port, such as an agent's development server, never sees it.
"""

import asyncio
import hashlib
import hmac
import secrets

from starlette.datastructures import Headers
from starlette.responses import Response

from mi.kernel.named_tuple import NamedTuple

_SECRET_BYTES = 24
_LINK_LETTERS = "0123456789abcdefghjkmnpqrstvwxyz"  # none that is misread: a link may be typed on a phone
_LINK_GROUPS = 3  # of four: sixty bits, for a link that is good once
_MOST_SESSIONS = 50
_MOST_LINKS = 20
_MOST_SAID = 20
_MOST_ACTS = 50
_READS = ("GET", "HEAD")


class Session:
    """One browser that was let in."""

    def __init__(self) -> None:
        self.token = secrets.token_urlsafe(_SECRET_BYTES)  # stands in every form: no other page can know it
        self._said: dict[str, list[str]] = {}
        self._acts: dict[str, asyncio.Task[Response]] = {}  # by what was posted: the same form pressed twice acts once
        self._count = 0

    def keep_said(self, lines: list[str]) -> str:
        """Keep what came of an act for the look after it; return the name under which it is found."""
        name = secrets.token_hex(4)
        self._said[name] = lines
        if len(self._said) > _MOST_SAID:
            del self._said[next(iter(self._said))]
        return name

    def find_said(self, name: str) -> list[str]:
        """Return what came of an act; nothing when that is long ago."""
        return self._said.get(name, [])

    @property
    def form_token(self) -> str:
        """Return the token for a form that is shown now; once something was done, later forms have another one."""
        return f"{self.token}.{self._count}"

    def knows(self, token: str) -> bool:
        """Return whether a form is one of this session's."""
        return hmac.compare_digest(token.partition(".")[0].encode("utf-8", "replace"), self.token.encode())

    def find_act(self, posted: str) -> "asyncio.Task[Response] | None":
        """Return what is done, or was, by exactly what was posted."""
        return self._acts.get(posted)

    def keep_act(self, posted: str, task: "asyncio.Task[Response]") -> None:
        """Remember what is done by something that was posted."""
        self._acts[posted] = task
        self._count += 1
        if len(self._acts) > _MOST_ACTS:
            del self._acts[next(iter(self._acts))]

    def forget_act(self, posted: str) -> None:
        """Let something be tried again: it came to nothing."""
        self._acts.pop(posted, None)


class Doorway:
    """The links that wait to be used, and the browsers that used one; gone with the process."""

    def __init__(self, port: int) -> None:
        self.cookie = f"mi-{port}"
        self._links: dict[str, str] = {}  # where each leads, by the digest of its token
        self._sessions: dict[str, Session] = {}

    def make_link(self, to: str = "/") -> str:
        """Return the token of a new link, good for one browser, that leads to a view."""
        token = "-".join("".join(secrets.choice(_LINK_LETTERS) for _ in range(4)) for _ in range(_LINK_GROUPS))
        self._links[_digest(token)] = to
        if len(self._links) > _MOST_LINKS:
            del self._links[next(iter(self._links))]
        return token

    def use_link(self, token: str) -> tuple[str, str] | None:
        """Return the secret of a new session and where the link leads; None when it was used or never made."""
        to = self._links.pop(_digest(token.lower()), None)
        if to is None:
            return None
        secret = secrets.token_urlsafe(_SECRET_BYTES)
        self._sessions[_digest(secret)] = Session()
        if len(self._sessions) > _MOST_SESSIONS:
            del self._sessions[next(iter(self._sessions))]
        return secret, to

    def find_session(self, headers: Headers) -> Session | None:
        """Return the session of a request; another page can add cookies of the same name, so each is looked at."""
        for header in headers.getlist("Cookie"):
            for part in header.split(";"):
                name, _, value = part.strip().partition("=")
                session = self._sessions.get(_digest(value)) if name == self.cookie else None
                if session is not None:
                    return session
        return None

    def write_cookie(self, secret: str, path: str, is_secure: bool) -> str:
        """Return the header that gives a browser its session."""
        secure = "; Secure" if is_secure else ""
        return f"{self.cookie}={secret}; Path={path}; HttpOnly; SameSite=Strict{secure}"


class Origin(NamedTuple):
    """Where the page is served: its scheme, and every Host that may be asked for, exactly."""

    scheme: str
    hosts: tuple[str, ...]

    def find_fault(self, method: str, headers: Headers) -> str:
        """Return why a request is none of the page's own; '' when it may be."""
        hosts = headers.getlist("Host")
        if len(hosts) != 1 or hosts[0].lower() not in self.hosts:
            return f"Host {', '.join(hosts)!r} is not this page's"
        own = f"{self.scheme}://{hosts[0].lower()}"
        for origin in headers.getlist("Origin"):
            if origin.lower() != own:
                return f"Origin {origin!r} is not this page's"
        return _find_foreign(method, headers)


def _find_foreign(method: str, headers: Headers) -> str:
    """Return why a browser's own words show that another page asks; '' when they do not."""
    site = headers.get("Sec-Fetch-Site", "")
    if method not in _READS:
        known = site or ("same-origin" if "Origin" in headers else "")
        return "" if known == "same-origin" else "only the page itself may do something (Sec-Fetch-Site)"
    if site in ("", "same-origin", "none"):
        return ""
    walks_in = headers.get("Sec-Fetch-Mode") == "navigate" and headers.get("Sec-Fetch-Dest") == "document"
    return "" if walks_in else "another page may not read this one (Sec-Fetch-Site)"


def _digest(token: str) -> str:
    return hashlib.sha256(token.encode("utf-8", "replace")).hexdigest()
