"""A server on standard input and output that offers the tests' own toolset."""

import sys

from mi.app import App
from mi.kernel.home import Home, default_root
from mi.mcp.session import Session
from mi.mcp.stdio import serve
from tests.mcp.toolbox import offer

sys.exit(serve(Session(App(Home(default_root())).for_agent()), offer()))
