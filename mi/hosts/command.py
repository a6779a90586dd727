"""How a host calls MI: the command of this very installation, with the home it works on."""

import os
import shutil
import sys

from mi.kernel.home import Home, find_default_root


def own_command(home: Home, project: str = "") -> list[str]:
    """Return the words before the command; hosts start it with a small environment, so a home of one's own is named.

    In the files of a `project`, which others clone, it is `mi` alone where that is this very installation and home.
    """
    script = os.path.join(os.path.dirname(sys.executable), "mi")
    words = [script] if os.access(script, os.X_OK) else [sys.executable, "-P", "-m", "mi"]
    usual = os.environ.get("MI_HOME") is None and home.root == Home(find_default_root()).root
    if not usual:
        return [*words, "--home", home.root]
    found = shutil.which("mi") if project else None
    is_this = found is not None and os.path.realpath(found) == os.path.realpath(script)
    return ["mi"] if is_this and not os.path.realpath(script).startswith(os.path.realpath(project) + os.sep) else words
