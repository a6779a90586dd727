"""The contract behind the tools: one session of it per connection, and its refusals as results."""

from collections.abc import Callable
from functools import wraps
from typing import Any, TypeVar

from msgspec import Struct

from mi.app.contract import build_contract
from mi.app.home_context import HomeContext
from mi.app.team_files import build_team_files
from mi.contract.session import ContractPlace, Refused
from mi.contract.session import ContractSession as Contract
from mi.mcp.session import ToolSession
from mi.mcp.tool import Tool, ToolFailure

I = TypeVar("I", bound=Struct)  # noqa: E741
O = TypeVar("O", bound=Struct)  # noqa: E741
_LOOKS = ("memory_check_task_authority", "task_list")


def governed(function: Callable[[Contract, I], O], title: str, description: str, **hints: Any) -> Tool[I, O]:
    """Return a function of the contract as the tool of its name."""

    @wraps(function)
    def call(session: ToolSession, given: I) -> O:
        try:
            return function(open_contract(session), given)
        except Refused as refused:
            raise _failure(refused, session) from None

    return Tool.of(call, function.__name__, title, description, **hints)


def open_contract(session: ToolSession) -> Contract:
    """Return the contract's session of a connection, opened at its first use."""
    return session.keep("contract", lambda: Contract.open(_build_place(session.context), session.client, "mcp"))


def _build_place(context: HomeContext) -> ContractPlace:
    build_team_files(context).pin()
    return build_contract(context)


def _failure(refused: Refused, session: ToolSession) -> ToolFailure:
    """Return a refusal with its checklist and the next call that is allowed.

    One that is not offered here leads nowhere.
    """
    details = refused.told()
    offered = session.offered
    if offered and details["next"] and details["next"]["tool"] not in offered:
        other = next((name for name in _LOOKS if name in offered), "")
        details["next"] = {"tool": other, "arguments": {}} if other else None
    return ToolFailure(refused.verdict.code, refused.line(session.context.quiet_language), **details)
