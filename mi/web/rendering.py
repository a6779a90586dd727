"""Templates filled in: whatever stands in records is escaped, free of escapes and secrets, and never a link."""

import hashlib
import os
import time
from collections.abc import Callable
from functools import cached_property, lru_cache, partial
from urllib.parse import quote, urlencode

from jinja2 import Environment, FileSystemLoader, StrictUndefined
from markupsafe import Markup, escape

from mi.kernel import clock, messages
from mi.kernel.safe_text import make_safe
from mi.kernel.secrets import LOOK_AHEAD
from mi.web.plain_words import say_plainly, say_reason, say_record, say_span
from mi.web.view import identify

FOLDER = os.path.dirname(__file__)
STATIC = {
    "style.css": "text/css; charset=utf-8",
    "page.js": "text/javascript; charset=utf-8",
    "enter.js": "text/javascript; charset=utf-8",
    "icon.svg": "image/svg+xml",
}
_LONGEST = 20_000  # characters of a text: more is read by `mi show`
_SHORT = 400  # characters of a text that is kept once it was made safe


class Pages:
    """The templates and the files beside them; made once, at the first look."""

    def __init__(self, place: str) -> None:
        self._place = place

    def render(self, template: str, language: str, is_fragment: bool = False, **values: object) -> str:
        """Return a template filled in; a fragment is what stands in `main` alone."""
        layout = "fragment.html" if is_fragment else "base.html"
        tools = {
            "say": make_say(language),
            "word": partial(say_plainly, language=language),
            "headline": partial(say_record, language=language),
            "reason": partial(say_reason, language=language),
            "span": partial(say_span, language=language),
            "language": language,
            "layout": layout,
        }
        return self._environment.get_template(template).render(tools | values)

    def read_templates(self) -> None:
        """Compile all templates before they are asked for, so that no first look waits for that."""
        for name in self._environment.list_templates(["html"]):
            self._environment.get_template(name)

    def link(self, *parts: object, **query: object) -> str:
        """Return the address of a view: `link("run", run_id, batch="b2")`."""
        path = "".join(f"/{quote(str(part), safe='')}" for part in parts if part != "")
        asked = urlencode({name: value for name, value in query.items() if value})
        return f"{self._place}{path or '/'}{'?' + asked if asked else ''}"

    def static(self, name: str) -> str:
        """Return the address of a file beside the templates; a changed file has another one."""
        return self.link("static", name, v=_read_static(name)[1])

    @cached_property
    def _environment(self) -> Environment:
        made = Environment(
            loader=FileSystemLoader(os.path.join(FOLDER, "templates")),
            autoescape=True,
            undefined=StrictUndefined,
            finalize=_show,
            trim_blocks=True,
            lstrip_blocks=True,
            auto_reload=False,
        )
        made.globals |= {"link": self.link, "static": self.static, "when": show_time}
        made.filters |= {"truncate": shorten_clean, "identify": identify}
        return made


def read_static(name: str) -> bytes:
    """Return a file beside the templates; KeyError when there is no such one."""
    STATIC[name]  # nothing else is served
    return _read_static(name)[0]


@lru_cache
def _read_static(name: str) -> tuple[bytes, str]:
    with open(os.path.join(FOLDER, "static", name), "rb") as file:
        content = file.read()
    return content, hashlib.sha256(content).hexdigest()[:12]


def make_say(language: str) -> Callable[..., Markup]:
    """Return the catalogue as a function of templates."""

    def say(key: str, /, **details: object) -> Markup:
        return escape(_clean(messages.text(key, language, **details)))

    return say


def _show(value: object) -> object:
    """Return a value as it may stand in a page; what a template itself made is Markup, and passes."""
    if isinstance(value, str) and not isinstance(value, Markup):
        return _clean(value)
    return "" if value is None else value


def _clean(text: str) -> str:
    if len(text) <= _SHORT:
        return _clean_short(text)
    safe = make_safe(text[: _LONGEST + LOOK_AHEAD])  # a secret that was cut would not be recognised
    return safe if len(safe) <= _LONGEST else safe[:_LONGEST] + "…"


def shorten_clean(text: str | None, most: int) -> str:
    """Return the beginning of a text, its secrets hidden before it is cut: half a secret would not be recognised."""
    safe = _clean(text or "")
    return safe if len(safe) <= most else safe[: most - 1] + "…"


@lru_cache(20_000)
def _clean_short(text: str) -> str:
    return make_safe(text)


def show_time(stamp: str) -> Markup:
    """Return a stored time as the person's own clock shows it."""
    try:
        shown = time.strftime("%Y-%m-%d %H:%M", time.localtime(clock.parse(stamp)))
    except (ValueError, OverflowError):
        return escape(_clean(stamp))
    return Markup('<time datetime="{}">{}</time>').format(stamp, shown)
