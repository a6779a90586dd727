"""Every question to a Mind: the module `<name>` holds the prompt `<name>`, and being here registers it."""

from importlib import import_module
from pkgutil import iter_modules
from typing import Any

from mi.mind.prompt import Prompt


def all_prompts() -> dict[str, Prompt[Any, Any]]:
    """Return every prompt by its name."""
    names = sorted(module.name for module in iter_modules(__path__))
    return {name: getattr(import_module(f"{__name__}.{name}"), name) for name in names}
