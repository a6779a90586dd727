"""What a risky command is about, as the Mind and the person read it: `push: git push origin main`."""

from mi.governance.commands import classify
from mi.governance.operations import Level, gravest
from mi.kernel.config.types import ExternalActions, Policy


def signal_of(command: str) -> tuple[str, Level]:
    """Return the signal that a command raises and its level; '' and "none" when it raises none."""
    act = gravest(classify(command))
    about = act.text if " " in act.text else command  # a path alone says too little
    return (f"{act.category}: {about}", act.level) if act.level != "none" else ("", "none")


def policy_of(signal: str, external: ExternalActions) -> Policy:
    """What the person's configuration says about a signal; where it says nothing, the values are asked."""
    match signal.partition(":")[0]:
        case "network":
            return external.network_policy
        case "install":
            return external.install_policy
    return "values_judged"
