"""The stream-json output of `claude -p` as events."""

import re
from collections import Counter
from typing import Any

from mi.agents import events
from mi.agents.events import Event, cut_excerpt
from mi.agents.limits import find_vendor_limit, format_time
from mi.agents.stream import as_mapping, find_text, join_whole, parse_json_object
from mi.agents.transcript import Captured

_EXIT = re.compile(r"\A(?:Error: )?Exit code (\d{1,3})\b")
_BACKGROUND = re.compile(
    r"\ACommand (?:is )?running in (?:the )?background\b|\ACommand was (?:manually )?backgrounded\b"
)
_WRITERS = {"Write": "add", "Edit": "update", "MultiEdit": "update", "NotebookEdit": "update"}
_ASK = "AskUserQuestion"


class ClaudeEvents:
    """Interprets one run of Claude Code."""

    def __init__(self) -> None:
        self.event_counts: Counter[str] = Counter()
        self.item_counts: Counter[str] = Counter()
        self._thread = ""
        self._said = False
        self._calls: dict[str, tuple[str, dict[str, Any]]] = {}
        self._denied: list[str] = []
        self._used: dict[str, events.AgentUsage] = {}  # by message: each part of a message repeats what it used

    @staticmethod
    def recognises(raw: dict[str, Any]) -> bool:
        return raw.get("type") in ("system", "assistant", "user", "result") and bool(
            {"session_id", "message"} & set(raw)
        )

    def feed(self, line: Captured) -> list[Event]:
        raw = parse_json_object(line) if line.stream == "stdout" else None
        return self.read(raw) if raw is not None else []

    def read(self, raw: dict[str, Any]) -> list[Event]:
        """Return the events of one line that is already parsed."""
        kind, subtype = str(raw.get("type", "")), str(raw.get("subtype") or "")
        self.event_counts[f"{kind}/{subtype}" if subtype else kind] += 1
        found = self._started(raw)
        match kind:
            case "assistant":
                return [*found, *self._assistant(raw)]
            case "user":
                return [*found, *self._results(raw)]
            case "result":
                return [*found, *self._result(raw)]
            case "rate_limit_event":
                return [*found, *_rate_limit(as_mapping(raw.get("rate_limit_info")))]
            case "system" if subtype == "api_retry":
                message = f"retry {raw.get('attempt')}: {raw.get('error_status')} {find_text(raw.get('error'))}"
                return [*found, events.Error(message=message, transient=True)]
        return found

    def end(self) -> list[Event]:
        return []

    def _started(self, raw: dict[str, Any]) -> list[Event]:
        """Return the session's id, once; a failed resume names a fresh id that leads nowhere, so only `init` counts."""
        thread = raw.get("session_id")
        if self._thread or not isinstance(thread, str) or not thread or raw.get("is_error"):
            return []
        self._thread = thread
        return [events.ThreadStarted(thread_id=thread)]

    def _assistant(self, raw: dict[str, Any]) -> list[Event]:
        found: list[Event] = []
        message = as_mapping(raw.get("message"))
        if as_mapping(message.get("usage")):
            self._used[str(message.get("id"))] = _usage(message)
            found.append(_sum_of(list(self._used.values())))
        for block in map(as_mapping, message.get("content") or []):
            kind = str(block.get("type", ""))
            self.item_counts[kind] += 1
            if kind == "text" and raw.get("error"):  # the client's own words about a failed request
                found.append(events.Error(message=cut_excerpt(find_text(block.get("text"))), transient=True))
            elif kind == "text":
                self._said = True
                found.append(events.AgentMessage(text=find_text(block.get("text"))))
            elif kind == "thinking":
                found.append(events.AgentMessage(text=find_text(block.get("thinking")), reasoning=True))
            elif kind == "tool_use":
                found += self._call(str(block.get("id")), str(block.get("name")), as_mapping(block.get("input")))
        return found

    def _call(self, call: str, name: str, given: dict[str, Any]) -> list[Event]:
        self._calls[call] = (name, given)
        if name == "Bash":
            return [events.Command(id=call, state="started", text=str(given.get("command", "")))]
        if name == _ASK or name in _WRITERS:
            return []  # told when it is known what became of it
        return [events.ToolCall(id=call, state="started", name=name, detail=cut_excerpt(_detail(given), 400))]

    def _results(self, raw: dict[str, Any]) -> list[Event]:
        found: list[Event] = []
        content = as_mapping(raw.get("message")).get("content")
        for block in map(as_mapping, content if isinstance(content, list) else []):
            call = str(block.get("tool_use_id"))
            if block.get("type") == "tool_result" and call in self._calls:
                found += self._ended(call, find_text(block.get("content")), bool(block.get("is_error")))
        return found

    def _ended(self, call: str, output: str, failed: bool) -> list[Event]:
        name, given = self._calls[call]
        if name == "Bash":
            told = _EXIT.match(output)
            # What goes on in the background has not ended: that it was started says nothing about its end.
            goes_on = given.get("run_in_background") is True or _BACKGROUND.match(output)
            code = None if goes_on else int(told[1]) if told else None if failed else 0
            command = str(given.get("command", ""))
            return [
                events.Command(
                    id=call,
                    state="ended",
                    text=command,
                    exit_code=code,
                    output=cut_excerpt(output),
                    refused=failed and not told,
                )
            ]
        if name in _WRITERS:
            path = str(given.get("file_path") or given.get("notebook_path") or "")
            return [] if failed else [events.FileChange(path=path, kind=_WRITERS[name])]  # type: ignore[arg-type]
        if name == _ASK:
            return self._asked(call, given)
        return [events.ToolCall(id=call, state="ended", name=name, failed=failed, detail=cut_excerpt(output, 400))]

    def _asked(self, call: str, given: dict[str, Any]) -> list[Event]:
        """Return the questions of a call that print mode cannot put to anybody."""
        if call in self._denied:
            return []
        self._denied.append(call)
        asked = [as_mapping(one) for one in given.get("questions") or [] if isinstance(one, dict)] or [given]
        return [
            events.AgentQuestion(id=call, text=find_text(one.get("question")), options=_options(one))
            for one in asked
            if find_text(one.get("question"))
        ]

    def _result(self, raw: dict[str, Any]) -> list[Event]:
        found: list[Event] = []
        for denial in map(as_mapping, raw.get("permission_denials") or []):
            call = str(denial.get("tool_use_id"))
            if denial.get("tool_name") == _ASK:
                found += self._asked(call, as_mapping(denial.get("tool_input")))
            elif denial.get("tool_name") == "Bash":
                found.append(events.Denied(id=call))
        failed = bool(raw.get("is_error")) or str(raw.get("subtype", "")).startswith("error")
        message = find_text(raw.get("result")) or find_text(raw.get("errors")) or str(raw.get("subtype", ""))
        if failed:
            limit = find_vendor_limit(message, certain=raw.get("api_error_status") == 429)
            found += [limit] if limit else []
        elif message and not self._said:
            found.append(events.AgentMessage(text=message))
        # A stream cut in the middle is reported as success, but without a reason to have stopped.
        cut = not failed and "stop_reason" in raw and raw["stop_reason"] is None
        return [*found, _usage(raw), events.AgentEnd(ok=not failed, message=cut_excerpt(message), cut=cut)]


def _sum_of(used: list[events.AgentUsage]) -> events.AgentUsage:
    """Return what the messages so far used together; the end of the run tells it again, with what it cost."""
    return events.AgentUsage(
        input_tokens=sum(one.input_tokens or 0 for one in used),
        output_tokens=sum(one.output_tokens or 0 for one in used),
        model=used[-1].model if used else "",
    )


def _usage(raw: dict[str, Any]) -> events.AgentUsage:
    usage = as_mapping(raw.get("usage"))
    parts = [
        join_whole(usage.get(key)) for key in ("input_tokens", "cache_read_input_tokens", "cache_creation_input_tokens")
    ]
    known = [part for part in parts if part is not None]
    cost = _cost(raw)
    return events.AgentUsage(
        input_tokens=sum(known) if known else None,
        cached_input_tokens=parts[1],
        output_tokens=join_whole(usage.get("output_tokens")),
        cost_usd=cost,
        model=_name_models(raw),
    )


def _name_models(raw: dict[str, Any]) -> str:
    """Return the model of a message, or those of a run that ended; a small one may work beside the large one."""
    used = as_mapping(raw.get("model_usage_since_last_result")) or as_mapping(raw.get("modelUsage"))
    return " + ".join(sorted(used)) or find_text(raw.get("model"))


def _cost(raw: dict[str, Any]) -> float | None:
    """Return the cost of this run.

    Newer versions tell the whole session's as total, and this run's by model beside it.
    """
    costs = [raw.get("total_cost_usd")]
    if since := as_mapping(raw.get("model_usage_since_last_result")):
        costs = [as_mapping(model).get("costUSD") for model in since.values()]
    known = [float(cost) for cost in costs if isinstance(cost, int | float)]
    return sum(known) if known else None


def _rate_limit(info: dict[str, Any]) -> list[Event]:
    if info.get("status") != "rejected":
        return []
    reset = info.get("resetsAt")
    kind = str(info.get("rateLimitType") or "usage")
    return [
        events.VendorLimit(
            message=f"{kind} limit reached", resets_at=format_time(reset) if isinstance(reset, int | float) else ""
        )
    ]


def _options(question: dict[str, Any]) -> tuple[str, ...]:
    labels = [
        find_text(as_mapping(option).get("label")) or find_text(option) for option in question.get("options") or []
    ]
    return tuple(label for label in labels if label)


def _detail(given: dict[str, Any]) -> str:
    return next(
        (str(given[key]) for key in ("file_path", "path", "pattern", "query", "url", "prompt") if given.get(key)), ""
    )
