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
    "nx_* tools keep the plan, the tasks and the history of this repository in .nexus/, shared by every agent. "
    "Begin with nx_context. Plan with nx_plan_start and nx_plan_decide, work with nx_task_list and nx_task_update, "
    "finish with nx_task_close. What the project learned is at nexus://memory/<name>."
)
_SCHEME = "nexus://"


class _Given(Struct, frozen=True):
    """The arguments as they came: the tool itself says what is wrong with them, in the contract's words."""

    arguments: Json


def _tool(tool: NexusTool) -> Tool[Any, Any]:
    output: type[Struct] = getattr(answers, tool.answer)

    def call(session: ToolSession, given: Any) -> Any:
        context = session.context
        try:
            answer = run(build_nexus(context), tool.name, given.arguments, partial(record_nexus, context))
        except MiError as error:
            raise ToolFailure(error.code.upper().replace("-", "_"), error.line()) from None
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
    )


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
