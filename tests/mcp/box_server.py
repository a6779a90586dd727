"""A server on standard input and output that offers the tests' own toolset."""

import sys

from mi.app.home_context import HomeContext
from mi.kernel.home import Home, find_default_root
from mi.mcp.session import ToolSession
from mi.mcp.stdio import serve
from tests.mcp.toolbox import offer

sys.exit(serve(ToolSession(HomeContext(Home(find_default_root())).for_agent()), offer()))
