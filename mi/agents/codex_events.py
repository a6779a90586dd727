"""The JSONL stream of `codex exec --json` as events."""

from collections import Counter
from typing import Any

from mi.agents import events
from mi.agents.events import Event, cut_excerpt
from mi.agents.limits import find_vendor_limit
from mi.agents.stream import as_mapping, find_text, join_whole, parse_json_object
from mi.agents.transcript import Captured

_CHANGES = {"add": "add", "update": "update", "delete": "delete"}


class CodexEvents:
    """Interprets one run of Codex."""

    def __init__(self) -> None:
        self.event_counts: Counter[str] = Counter()
        self.item_counts: Counter[str] = Counter()
        self._last_limit = ""

    @staticmethod
    def recognises(raw: dict[str, Any]) -> bool:
        return str(raw.get("type", "")).startswith(("thread.", "turn.", "item."))

    def feed(self, line: Captured) -> list[Event]:
        raw = parse_json_object(line) if line.stream == "stdout" else None
        return self.read(raw) if raw is not None else []

    def read(self, raw: dict[str, Any]) -> list[Event]:
        """Return the events of one line that is already parsed."""
        kind = str(raw.get("type", ""))
        self.event_counts[kind] += 1
        match kind:
            case "thread.started":
                return [events.ThreadStarted(thread_id=str(raw.get("thread_id", "")))]
            case "item.started" | "item.updated" | "item.completed":
                return self._item(as_mapping(raw.get("item")), kind)
            case "turn.completed":
                return [_usage(as_mapping(raw.get("usage"))), events.AgentEnd(ok=True)]
            case "turn.failed":
                message = find_text(raw.get("error"))
                return [*self._limit(message), events.AgentEnd(ok=False, message=cut_excerpt(message))]
            case "error":
                message = find_text(raw.get("message"))
                return [*self._limit(message), events.Error(message=cut_excerpt(message), transient=True)]
        return []

    def end(self) -> list[Event]:
        return []

    def _limit(self, message: str) -> list[Event]:
        """Return one event for what the vendor says twice, as error and as failed turn."""
        limit = find_vendor_limit(message)
        if limit is None or limit.message == self._last_limit:
            return []
        self._last_limit = limit.message
        return [limit]

    def _item(self, item: dict[str, Any], kind: str) -> list[Event]:
        what = str(item.get("type", ""))
        if kind == "item.completed":
            self.item_counts[what] += 1
        match what:
            case "agent_message" | "reasoning" if kind == "item.completed":
                return [events.AgentMessage(text=find_text(item.get("text")), reasoning=what == "reasoning")]
            case "command_execution" if kind != "item.updated":
                return _command(item, kind)
            case "file_change" if kind == "item.completed" and item.get("status") != "failed":
                return [_change(change) for change in item.get("changes") or [] if isinstance(change, dict)]
            case "mcp_tool_call" | "collab_tool_call" | "web_search" if kind != "item.updated":
                return [_tool(item, kind)]
            case "error" if kind == "item.completed":
                return [events.Error(message=cut_excerpt(find_text(item.get("message"))), transient=True)]
        return []


def _command(item: dict[str, Any], kind: str) -> list[Event]:
    declined = item.get("status") == "declined"
    command = events.Command(
        id=str(item.get("id", "")),
        state="started" if kind == "item.started" else "ended",
        text=str(item.get("command", "")),
        exit_code=join_whole(item.get("exit_code")),
        output=cut_excerpt(str(item.get("aggregated_output") or "")),
        refused=declined,
    )
    return [command, events.Denied(id=command.id)] if declined else [command]


def _change(change: dict[str, Any]) -> Event:
    kind = _CHANGES.get(str(change.get("kind")), "update")
    return events.FileChange(path=str(change.get("path", "")), kind=kind)  # type: ignore[arg-type]


def _tool(item: dict[str, Any], kind: str) -> Event:
    name = ".".join(str(item[key]) for key in ("server", "tool") if item.get(key)) or str(item.get("type"))
    return events.ToolCall(
        id=str(item.get("id", "")),
        state="started" if kind == "item.started" else "ended",
        name=name,
        failed=item.get("status") == "failed",
        detail=cut_excerpt(find_text(item.get("error")) or str(item.get("query") or "")),
    )


def _usage(usage: dict[str, Any]) -> Event:
    return events.AgentUsage(
        input_tokens=join_whole(usage.get("input_tokens")),
        cached_input_tokens=join_whole(usage.get("cached_input_tokens")),
        output_tokens=join_whole(usage.get("output_tokens")),
        is_total=True,
    )
