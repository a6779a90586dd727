"""The smallest MCP server there can be: one tool, `note`, over stdio."""

import json
import sys

_TOOL = {
    "name": "note",
    "description": "Keep a note",
    "inputSchema": {"type": "object", "properties": {"text": {"type": "string"}}, "required": ["text"]},
    "annotations": {"readOnlyHint": True},
}


def answer(method: str, params: dict[str, object]) -> dict[str, object]:
    if method == "initialize":
        server = {"name": "notes", "version": "1"}
        return {"protocolVersion": params["protocolVersion"], "capabilities": {"tools": {}}, "serverInfo": server}
    if method == "tools/list":
        return {"tools": [_TOOL]}
    if method == "tools/call":
        return {"content": [{"type": "text", "text": f"noted {json.dumps(params['arguments'])}"}]}
    return {}


for line in sys.stdin:
    message = json.loads(line)
    if "id" in message and "method" in message:
        result = answer(message["method"], message.get("params") or {})
        print(json.dumps({"jsonrpc": "2.0", "id": message["id"], "result": result}), flush=True)
