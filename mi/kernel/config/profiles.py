"""What a profile sets: one word for how much MI asks and enforces; whatever stands in `config.json` itself wins."""

from typing import Any

PROFILES: dict[str, dict[str, Any]] = {
    "light": {
        "governance": {"preflight": "irreversible", "profile": "light"},
        "contract": {"least_mode": "GUARDED"},
        "mcp": {"tools": ["memory", "tasks"]},
        "hooks": {"enforce": ["permissions"]},
    },
    "team": {
        "governance": {"preflight": "advise", "profile": "standard"},
        "contract": {"least_mode": "GUARDED"},
        "mcp": {"tools": ["memory", "tasks", "nexus", "governance"]},
        "hooks": {"enforce": ["permissions", "contract", "nexus"]},
    },
    "strict": {
        "governance": {"preflight": "enforce", "profile": "strict"},
        "contract": {"least_mode": "STRICT"},
        "mcp": {"tools": ["memory", "tasks", "nexus", "governance"]},
        "hooks": {"enforce": ["permissions", "contract", "nexus"]},
    },
}
DEFAULT = "light"


def lay_under(raw: dict[str, Any], profile: str) -> dict[str, Any]:
    """Return a raw configuration with what a profile sets where it says nothing; an empty list says nothing."""
    laid = {name: value for name, value in raw.items() if name != "profile"} | {"profile": profile}
    for section, settings in PROFILES[profile].items():
        own = raw.get(section, {})
        if isinstance(own, dict):
            laid[section] = settings | {name: value for name, value in own.items() if value != []}
    return laid


def find_overrides(raw: dict[str, Any], profile: str) -> dict[str, Any]:
    """Return the settings of a raw configuration that differ from what the profile sets, by their path."""
    laid = lay_under(raw, profile)
    return {
        f"{section}.{name}": laid[section][name]
        for section, settings in PROFILES[profile].items()
        for name in settings
        if isinstance(laid[section], dict) and laid[section][name] != settings[name]
    }


def take_out(raw: dict[str, Any]) -> dict[str, Any]:
    """Return a configuration without what profiles set, so that the profile counts."""
    return {
        section: {name: one for name, one in value.items() if name not in PROFILES[DEFAULT][section]}
        if section in PROFILES[DEFAULT]
        else value
        for section, value in raw.items()
    }


def find_strictest(*profiles: str) -> str:
    """Return the strictest of some profiles; '' where none is named."""
    known = [name for name in PROFILES if name in profiles]  # from loose to tight
    return known[-1] if known else ""
