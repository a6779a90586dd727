"""The contract behind the tools: one session of it per connection, and its refusals as results."""

from collections.abc import Callable
from typing import TypeVar

import msgspec
from msgspec import Struct

from mi.contract.session import Refused
from mi.contract.session import Session as Contract
from mi.mcp.session import Session
from mi.mcp.tool import ToolFailure

I = TypeVar("I", bound=Struct)  # noqa: E741
O = TypeVar("O", bound=Struct)  # noqa: E741


def governed(function: Callable[[Contract, I], O]) -> Callable[[Session, I], O]:
    """A function of the contract as a tool's call."""

    def call(session: Session, given: I) -> O:
        contract = session.keep("contract", lambda: _opened(session))
        try:
            return function(contract, given)
        except Refused as refused:
            raise failure(refused, session.app.quiet_language) from None

    return call


def _opened(session: Session) -> Contract:
    return Contract.open(session.app.contract_place(), session.client, "mcp")


def failure(refused: Refused, language: str) -> ToolFailure:
    """A refusal with its checklist and the next call that is allowed."""
    verdict = refused.verdict
    checklist = [msgspec.to_builtins(one) for one in verdict.checklist]
    missing = [one.item for one in verdict.checklist if not one.done]
    details = {"checklist": checklist, "missing": missing, "next": msgspec.to_builtins(verdict.next)}
    if refused.proposal:
        details["proposal"] = refused.proposal
    return ToolFailure(verdict.code, refused.line(language), **details)
