"""The dispatcher: every method, every mistake a client can make, the same for all transports."""

import msgspec
import pytest
from jsonschema import Draft202012Validator

from mi.kernel.home import Home
from mi.mcp.dispatch import LATEST, VERSIONS
from tests.mcp.toolbox import call, dispatcher, exchange, initialize, raw_exchange


@pytest.fixture
def door(home: Home):
    made = dispatcher(home)
    yield made
    made.session.close()


@pytest.mark.parametrize(("asked", "given"), [*((one, one) for one in VERSIONS), ("1999-01-01", LATEST)])
def test_initialize_agrees_on_a_version(door, asked, given):
    answer = initialize(door, asked)
    assert answer["protocolVersion"] == given
    assert answer["capabilities"] == {
        "tools": {"listChanged": False},
        "resources": {"subscribe": False, "listChanged": False},
    }
    assert answer["instructions"] == "Look before you write."
    assert answer["serverInfo"]["name"] == "mind-incarnation"
    assert door.session.client == "tester"


def test_initialize_once(door):
    initialize(door)
    assert exchange(door, id=1, method="initialize", params={"protocolVersion": LATEST})["error"]["code"] == -32600


@pytest.mark.parametrize(
    ("data", "code", "message_id"),
    [
        (b"{", -32700, None),
        (b"\xff\xfe", -32700, None),
        (b'"text"', -32600, None),
        (b"[]", -32600, None),
        (b'[{"jsonrpc":"2.0","id":1,"method":"ping"}]', -32600, None),
        (b'{"id":1,"method":"ping"}', -32600, 1),
        (b'{"jsonrpc":"1.0","id":"a","method":"ping"}', -32600, "a"),
        (b'{"jsonrpc":"2.0","id":1.5,"method":"ping"}', -32600, None),
        (b'{"jsonrpc":"2.0","id":true,"method":"ping"}', -32600, None),
        (b'{"jsonrpc":"2.0","id":null,"method":"ping"}', -32600, None),
        (b'{"jsonrpc":"2.0","id":1,"method":7}', -32600, 1),
        (b'{"jsonrpc":"2.0","id":1}', -32600, 1),
        (b'{"jsonrpc":"2.0","id":1,"method":"ping","params":[1]}', -32602, 1),
        (b'{"jsonrpc":"2.0","id":1,"method":"prompts/list"}', -32601, 1),
        (b'{"jsonrpc":"2.0","id":1,"method":"server/discover"}', -32601, 1),
        (b'{"jsonrpc":"2.0","id":1,"method":"tools/list","params":{"cursor":"x"}}', -32602, 1),
        (b'{"jsonrpc":"2.0","id":1,"method":"tools/call","params":{}}', -32602, 1),
        (b'{"jsonrpc":"2.0","id":1,"method":"tools/call","params":{"name":"nope"}}', -32602, 1),
        (b'{"jsonrpc":"2.0","id":1,"method":"tools/call","params":{"name":"find","arguments":[]}}', -32602, 1),
        (b'{"jsonrpc":"2.0","id":1,"method":"resources/read","params":{"uri":"box:///two"}}', -32002, 1),
        (b'{"jsonrpc":"2.0","id":1,"method":"resources/read","params":{"uri":5}}', -32602, 1),
        (b'{"jsonrpc":"2.0","id":1,"method":"resources/subscribe","params":{"uri":"box:///one"}}', -32601, 1),
        (b"[" * 100_000, -32700, None),
    ],
)
def test_mistakes_are_named(door, data, code, message_id):
    initialize(door)
    answer = raw_exchange(door, data)
    assert (answer["error"]["code"], answer["id"]) == (code, message_id)
    assert answer["error"]["message"]


def test_what_a_client_cut_in_the_middle_of_a_character_is_answered(door):
    """JavaScript writes half an emoji as an escape; a request nobody answers would hang its client."""
    found = raw_exchange(
        door, b'{"jsonrpc":"2.0","id":5,"method":"tools/call","params":{"name":"a\\ud83d \\ud83d\\ude00"}}'
    )
    assert (found["id"], found["error"]["code"]) == (5, -32602)
    assert "\N{GRINNING FACE}" in found["error"]["message"]
    assert raw_exchange(door, b'{"id":5 \\ud83d')["error"]["code"] == -32700


def test_parameters_that_are_null_are_none(door):
    assert "result" in raw_exchange(door, b'{"jsonrpc":"2.0","id":1,"method":"tools/list","params":null}')


def test_unknown_tool_names_those_there_are(door):
    answer = exchange(door, id=1, method="tools/call", params={"name": "memory_wirte"})
    assert "memory_wirte" in answer["error"]["message"]
    assert "find" in answer["error"]["message"]


@pytest.mark.parametrize("message_id", [0, 7, -1, "a", "", "ünïcode", 2**53])
def test_ids_come_back_as_they_were(door, message_id):
    assert exchange(door, id=message_id, method="ping") == {"jsonrpc": "2.0", "id": message_id, "result": {}}


def test_notifications_and_answers_have_no_reply(door):
    for message in (b'{"jsonrpc":"2.0","method":"notifications/initialized"}', b'{"jsonrpc":"2.0","id":5,"result":{}}'):
        assert door.receive(message).run() is None


def test_tools_list_has_schemas_in_one_piece(door):
    tools = exchange(door, id=1, method="tools/list")["result"]["tools"]
    assert [one["name"] for one in tools] == ["find", "refuse", "lose", "break", "wait", "shout"]
    for one in tools:
        for schema in (one["inputSchema"], one["outputSchema"]):
            Draft202012Validator.check_schema(schema)
            assert schema["type"] == "object"
            assert "$ref" not in msgspec.json.encode(schema).decode()
        hints = {"readOnlyHint", "destructiveHint", "idempotentHint"}
        assert set(one["annotations"]) == hints | (set() if one["annotations"]["readOnlyHint"] else {"openWorldHint"})
    find = tools[0]["inputSchema"]
    assert find["required"] == ["query"]
    assert find["properties"]["query"]["description"] == "Words to look for."
    assert find["properties"]["parts"]["items"]["properties"]["kind"] == {"enum": ["a", "b"]}
    assert find["additionalProperties"] is False


def test_a_call_answers_structure_and_text(door):
    initialize(door)
    result = call(door, "find", query="x" * 10_000_000)
    assert result["isError"] is False
    assert result["structuredContent"]["client"] == "tester"
    assert len(result["structuredContent"]["query"]) == 10_000_000
    assert msgspec.json.decode(result["content"][0]["text"]) == result["structuredContent"]


@pytest.mark.parametrize(
    ("name", "code"), [("refuse", "RECALL_REQUIRED"), ("lose", "NO_SUCH_FOLDER"), ("break", "INTERNAL")]
)
def test_a_refusal_is_a_result_that_fits_the_schema(door, name, code):
    result = call(door, name)
    assert result["isError"] is True
    assert result["structuredContent"]["error"]["code"] == code
    tools = exchange(door, id=1, method="tools/list")["result"]["tools"]
    schema = next(one["outputSchema"] for one in tools if one["name"] == name)
    Draft202012Validator(schema).validate(result["structuredContent"])


def test_success_must_fit_the_schema_without_an_error(door):
    tools = exchange(door, id=1, method="tools/list")["result"]["tools"]
    validator = Draft202012Validator(tools[0]["outputSchema"])
    validator.validate(call(door, "find", query="x")["structuredContent"])
    assert not validator.is_valid({})


@pytest.mark.parametrize(
    ("arguments", "named"),
    [
        ({}, ("query", "missing")),
        ({"query": 5}, ("query", "5")),
        ({"query": ""}, ("query", '""')),
        ({"query": "x", "limit": "many"}, ("limit", '"many"')),
        ({"query": "x", "parts": [{"kind": "c"}]}, ("parts[0].kind", '"c"')),
        ({"query": "x", "prats": []}, ("prats", "parts")),
        ({"query": "x", "limit": "AKIA" + "IOSFODNN7EXAMPLQ"}, ("limit", "redacted")),
    ],
)
def test_bad_arguments_name_field_and_value(door, arguments, named):
    result = call(door, "find", **arguments)
    assert result["isError"] is True
    assert result["structuredContent"]["error"]["code"].startswith("BAD_ARGUMENTS")
    for word in named:
        assert word in result["structuredContent"]["error"]["message"]


def test_what_a_room_noticed_is_said_once(door):
    assert "/some/file" in call(door, "shout")["content"][1]["text"]
    assert len(call(door, "shout")["content"]) == 1


@pytest.mark.parametrize("version", ["2024-11-05", "2025-03-26"])
def test_batches_of_the_versions_that_have_them(door, version):
    initialize(door, version)
    assert raw_exchange(door, b"[]")["error"]["code"] == -32600
    batch = [
        {"jsonrpc": "2.0", "id": 1, "method": "ping"},
        {"jsonrpc": "2.0", "method": "notifications/initialized"},
        5,
        {
            "jsonrpc": "2.0",
            "id": "two",
            "method": "tools/call",
            "params": {"name": "find", "arguments": {"query": "x"}},
        },
    ]
    answers = raw_exchange(door, msgspec.json.encode(batch))
    assert [one["id"] for one in answers] == [1, None, "two"]
    assert raw_exchange(door, msgspec.json.encode(batch[1:2])) is None


def test_resources(door):
    assert exchange(door, id=1, method="resources/list")["result"]["resources"] == [
        {"uri": "box:///one", "name": "one", "mimeType": "text/plain"}
    ]
    templates = exchange(door, id=1, method="resources/templates/list")["result"]["resourceTemplates"]
    assert templates == [{"uriTemplate": "box:///{name}", "name": "box"}]
    read = exchange(door, id=1, method="resources/read", params={"uri": "box:///one"})["result"]
    assert read["contents"] == [{"uri": "box:///one", "text": "the one"}]


def test_a_cancelled_call_is_not_answered(door):
    asked = msgspec.json.encode(
        {"jsonrpc": "2.0", "id": 9, "method": "tools/call", "params": {"name": "find", "arguments": {"query": "x"}}}
    )
    job = door.receive(asked)
    exchange(door, method="notifications/cancelled", params={"requestId": 9, "reason": "no longer wanted"})
    assert job.run() is None
    assert door.receive(asked).run() is not None  # the next request with this id is another one
    exchange(door, method="notifications/cancelled", params={"requestId": 9})  # long answered
    assert door.receive(asked).run() is not None
