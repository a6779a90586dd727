"""Recognising a failure of the vendor or the network that may be over in a moment."""

import re
import time

from mi.agents.events import VendorLimit
from mi.kernel import clock

_TRANSIENT = re.compile(
    r"reconnecting|stream (?:disconnected|closed|ended|error|was cut)|before (?:completion|response\.completed)"
    r"|connection (?:was )?(?:reset|refused|aborted|error|closed|lost|timed out|terminated)|error sending request"
    r"|unable to connect|could not connect|failed to connect|connect(?:ion)? ?error|fetch failed|socket hang up"
    r"|network error"
    r"|\bE(?:CONNRESET|CONNREFUSED|CONNABORTED|TIMEDOUT|AI_AGAIN|NOTFOUND|PIPE|HOSTUNREACH|NETUNREACH)\b"
    r"|name resolution|could ?n[o']t resolve|getaddrinfo|dns (?:error|lookup|failure)|failed to lookup address"
    r"|overloaded|at capacity|high demand|temporarily unavailable|service unavailable|bad gateway|gateway time-?out"
    r"|internal server error|server_error|api_error|request timed out|operation timed out|too many requests|rate.?limit"
    r"|(?:status|error|code|http)\W{0,4}(?:code\W{0,3}|status\W{0,3})?(?:429|5\d\d)\b|\b(?:429|50[0-4]|529)\b \W?[a-z]",
    re.IGNORECASE,
)
# What waiting does not mend: the account's own limit, a wrong key, a request that is refused as such.
_LASTING = re.compile(
    r"usage limit|quota|hit your (?:\w+ )?limit|limit reached|billing|credit balance|invalid.{0,12}api.?key"
    r"|unauthorized|\b(?:400|401|403|404)\b",
    re.IGNORECASE,
)
_SOON_S = 600.0  # a limit that ends within this time is waited for like any other failure


def is_transient(message: str) -> bool:
    """Return whether a failure, by what was said of it, may be over when the same is tried again."""
    return bool(_TRANSIENT.search(message)) and not _LASTING.search(message)


def ends_soon(limit: VendorLimit) -> bool:
    """Return whether a limit is a moment's throttling rather than the end of what the account may use."""
    if _LASTING.search(limit.message):
        return False
    return not limit.resets_at or clock.parse(limit.resets_at) - time.time() <= _SOON_S
