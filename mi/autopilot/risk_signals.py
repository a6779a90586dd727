"""What a risky command is about, as the Mind and the person read it: `push: git push origin main`."""

from mi.agents.command_risk import command_risk
from mi.kernel.config.types import ExternalActions, Policy

# Words of a marker → the category of the risk; the first that fits.
_CATEGORIES = (
    ("privilege", ("sudo", "su", "doas")),
    ("publish", ("publish", "unpublish", "upload", "yank", "release", "deploy", "nuget", "deprecate")),
    ("push", ("git push", "push", "pr merge", "pr create")),
    (
        "delete",
        ("rm -r", "delete", "destroy", "DROP", "TRUNCATE", "DELETE", "dd", "mkfs", "prune", "terminate", "uninstall"),
    ),
    ("network", ("| sh", "curl", "wget", "ssh", "scp", "sftp", "clone", "fetch", "pull", "login", "download")),
    ("install", ("install", "add", "ci", "sync", "update", "upgrade", "require", "-S", "npm i", "pnpm i", "get")),
)


def signal_of(command: str) -> str:
    """The signal a command raises; '' when it raises none."""
    risk = command_risk(command)
    return f"{category(risk.marker)}: {risk.command}" if risk else ""


def policy_of(signal: str, external: ExternalActions) -> Policy:
    """What the person's configuration says about a signal; where it says nothing, the values are asked."""
    match signal.partition(":")[0]:
        case "network":
            return external.network_policy
        case "install":
            return external.install_policy
    return "values_judged"


def category(marker: str) -> str:
    """The category of a risk marker such as `git push` or `rm -r`."""
    words = marker.split()
    for name, signs in _CATEGORIES:
        if any(sign == marker or sign in words or (" " in sign and sign in marker) for sign in signs):
            return name
    return "other"
