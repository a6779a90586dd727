"""The eleven tools of plan, tasks and history as `nx_*`, and the knowledge files of the repository as resources."""

from functools import partial
from typing import Any

import msgspec
from msgspec import Struct

from mi.app.nexus import build_nexus, record_nexus
from mi.kernel.errors import MiError
from mi.mcp.session import ToolSession
from mi.mcp.tool import Json, Resource, Resources, ResourceTemplate, Text, Tool, ToolFailure
from mi.nexus import answers
from mi.nexus.knowledge import KNOWLEDGE, list_files, read_text
from mi.nexus.toolset import TOOLS as NEXUS
from mi.nexus.toolset import NexusTool
from mi.nexus.toolset import call as run

INSTRUCTIONS = (
    "nx_* tools keep the plan and the history of this repository in .nexus/, shared by every agent. "
    "Begin with nx_context. Plan with nx_plan_start and nx_plan_decide; the project has one task list, and nx_task_* "
    "change it where it is kept in .nexus/; finish with nx_task_close. What the project learned is at "
    "nexus://memory/<name>."
)
_SCHEME = "nexus://"


class NexusFailure(ToolFailure):
    """A refusal in the shape that harnesses read: the text and the code as they are."""

    def content(self) -> Json:
        return {"error": self.message, "code": self.code}


class _Given(Struct, frozen=True):
    """The arguments as they came: the tool itself says what is wrong with them, in the contract's words."""

    arguments: Json


def _tool(tool: NexusTool) -> Tool[Any, Any]:
    output: type[Struct] = getattr(answers, tool.answer)

    def call(session: ToolSession, given: Any) -> Any:
        context = session.context
        _admit(session, tool, given.arguments)
        try:
            answer = run(build_nexus(context), tool.name, given.arguments, partial(record_nexus, context))
        except MiError as error:
            raise NexusFailure(error.code.upper().replace("-", "_"), error.line()) from None
        return msgspec.convert(answer, output)

    return Tool(
        name="nx_" + tool.name,
        title=tool.name.replace("_", " ").capitalize(),
        description=tool.summary,
        input=tool.params,
        output=output,
        call=call,
        parse=_Given,
        read_only=not tool.writes,
        destructive=tool.destructive,
        plain_error=True,
    )


def _admit(session: ToolSession, tool: NexusTool, arguments: Json) -> None:
    """Raise where the project has another task list, or its contract is enforced and not met."""
    from mi.contract.nexus_calls import admit_call, needs_admission
    from mi.hosts.installed import is_enforced

    context = session.context
    enforced = is_enforced(context.home, context.project.root, session.client, "contract")
    if not needs_admission(context.project.root, tool, enforced=enforced):
        return
    from mi.contract.session import Refused
    from mi.mcp.contract_session import open_contract

    try:
        admit_call(open_contract(session), tool, arguments, enforced=enforced)
    except Refused as refused:
        raise NexusFailure(refused.verdict.code, refused.line(context.quiet_language)) from None


TOOLS = [_tool(tool) for tool in NEXUS.values()]


def _list(session: ToolSession) -> list[Resource]:
    from urllib.parse import quote

    return [
        Resource(uri=f"{_SCHEME}{folder}/{quote(one.name)}", name=one.name, title=one.title, mime_type="text/markdown")
        for folder in KNOWLEDGE
        for one in list_files(build_nexus(session.context), folder)
    ]


def _read(session: ToolSession, uri: str) -> Text | None:
    """Return the file at an address; a memory that was read is counted for whoever is connected."""
    from urllib.parse import unquote

    folder, _, name = uri.removeprefix(_SCHEME).partition("/")
    if not uri.startswith(_SCHEME) or folder not in KNOWLEDGE:
        return None
    store = build_nexus(session.context)
    wanted = {name, unquote(name)}  # some clients write an address as it is, some escape it
    for one in list_files(store, folder):
        if wanted & {one.name, one.name.removesuffix(".md")}:
            said = read_text(one.path, one.size)
            if folder == "memory":
                from mi.nexus.access import observe_read

                observe_read(store, one.path, session.client)
            return Text(uri=uri, text=said, mime_type="text/markdown")
    return None


RESOURCES = Resources(
    list=_list,
    read=_read,
    templates=tuple(
        ResourceTemplate(uri_template=f"{_SCHEME}{folder}/{{name}}", name=folder, mime_type="text/markdown")
        for folder in KNOWLEDGE
    ),
)
