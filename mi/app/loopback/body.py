"""The body of a request, within the limits of size and time."""

import asyncio

from starlette.exceptions import HTTPException
from starlette.requests import ClientDisconnect, Request

from mi.app.loopback.limits import Limits

_CLOSE = {"Connection": "close"}  # the rest of the body stays unread


async def read_body(request: Request, limits: Limits) -> bytes:
    """Return the body; HTTPException when its length is not said, too much, or it does not come."""
    length = request.headers.get("Content-Length", "")
    if not length:
        raise HTTPException(411, "Content-Length is missing", _CLOSE)
    if int(length) > limits.body_bytes:  # the server took digits alone, and few of them
        raise HTTPException(413, f"at most {limits.body_bytes} bytes", _CLOSE)
    try:
        async with asyncio.timeout(limits.body_s):
            return await request.body()
    except TimeoutError:
        raise HTTPException(408, f"the body did not come within {limits.body_s:g} s", _CLOSE) from None
    except ClientDisconnect:
        raise HTTPException(400, "the body broke off", _CLOSE) from None
