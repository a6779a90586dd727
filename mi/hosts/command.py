"""How a host calls MI: the command of this very installation, with the home it works on."""

import os
import sys

from mi.kernel.home import Home, find_default_root


def own_command(home: Home) -> list[str]:
    """Return the words before the command; hosts start it with a small environment, so a home of one's own is named."""
    script = os.path.join(os.path.dirname(sys.executable), "mi")
    words = [script] if os.access(script, os.X_OK) else [sys.executable, "-P", "-m", "mi"]
    usual = os.environ.get("MI_HOME") is None and home.root == Home(find_default_root()).root
    return words if usual else [*words, "--home", home.root]
