"""Shell text as the commands it would run, read by the grammar of bash."""

from mi.kernel.shell.commands import Commands, Simple, simple_commands
from mi.kernel.shell.state import TOP
from mi.kernel.shell.tree import Work
from mi.kernel.shell.wrappers import GIT_WITH_VALUE, SHELLS

__all__ = ["GIT_WITH_VALUE", "SHELLS", "TOP", "Commands", "Simple", "Work", "simple_commands"]
