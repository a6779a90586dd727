"""The permission decision: what someone is about to do, by the profile's rules and the person's own settings."""

import re
from collections.abc import Mapping
from types import MappingProxyType
from typing import Any

from mi.governance import paths
from mi.governance.authority import MAX_FILES, Authority, find_authority, name_action
from mi.governance.command_tables import MAIN, names_production
from mi.governance.file_acts import path_acts
from mi.governance.operations import OPERATIONS, STATES, Act, Denial, Profile, State
from mi.governance.surroundings import NOWHERE, Surroundings
from mi.kernel.jsontext import BadJson, decode
from mi.kernel.messages import text
from mi.kernel.named_tuple import NamedTuple
from mi.kernel.secrets import find_secrets, redact_start

BATCH_LIMIT = 5  # change units
_NO_SETTINGS: Mapping[str, State] = MappingProxyType({})
# What the tools of agent hosts do; a name that is not here is told by its operation.
_TOOLS = {
    "bash": "run",
    "shell": "run",
    "exec_command": "run",
    "local_shell": "run",
    "write_stdin": "run",
    "read": "read",
    "view_image": "read",
    "notebookread": "read",
    "grep": "read",
    "glob": "read",
    "ls": "read",
    "edit": "edit",
    "multiedit": "edit",
    "notebookedit": "edit",
    "write": "edit",
    "apply_patch": "patch",
    "webfetch": "fetch",
    "websearch": "fetch",
}
_OURS = "mcp__mi__"
# Programs that may be named as the tool itself, with their words as the target.
_PROGRAMS = frozenset(
    "git gh ssh scp rsync curl wget nc kubectl docker helm terraform aws gcloud az psql mysql".split()
)
VERBS = ("run", "read", "edit", "write", "create", "delete", "patch", "send", "fetch", "call")
_PATCHED = re.compile(r"^\*\*\* (Add File|Update File|Delete File|Move to): (.*\S)", re.M)


_CHANGING = (
    "edit",
    "create",
    "local-command",
    "delete-products",
)  # free within the limit; the caller tells which commands change files


class PermissionVerdict(NamedTuple):
    """ALLOW, PROMPT or DENY, and about what; `incident`: an override was used, which must be logged."""

    decision: State
    denial: Denial | None
    operation: str
    target: str
    incident: bool = False
    over_batch: bool = False  # asked only because the batch is full
    authority: Authority = "autonomous"  # who decides about it, before anybody said anything
    files: int = 0  # so many, where it is asked only because they are too many for an agent to decide

    def reason(self, language: str = "en") -> str:
        """Why it is decided so, in one sentence."""
        if self.over_batch:
            return text("permission.over-batch", language, limit=BATCH_LIMIT)
        if self.files:
            return text("permission.over-files", language, files=self.files, limit=MAX_FILES)
        if self.incident:
            return text("permission.overridden", language, effect=self.effect(language))
        return text(_REASONS[self.decision], language, effect=self.effect(language))

    def effect(self, language: str = "en") -> str:
        """Return what would happen."""
        return text("effect." + self.operation, language)

    def alternative(self, language: str = "en") -> str:
        """Return the nearest safe way; '' where none is needed."""
        if self.over_batch or self.files:
            return text("instead.over-batch", language)
        if self.operation in _WITH_ALTERNATIVE:
            return text("instead." + self.operation, language)
        return text("instead.ask-person", language) if self.decision == "DENY" else ""


_REASONS: dict[State, str] = {
    "ALLOW": "permission.allow",
    "PROMPT": "permission.prompt",
    "DENY": "permission.deny",
}
_WITH_ALTERNATIVE = {name for name, entry in OPERATIONS.items() if entry.denial} | {
    "force-push",
    "push-main",
    "read-secrets",
}


def permit(
    tool: str,
    operation: str,
    target: str,
    *,
    profile: Profile = "standard",
    member: str = "",
    override: str = "",
    settings: Mapping[str, State] = _NO_SETTINGS,
    here: Surroundings = NOWHERE,
    change_units: int = 0,
    files: int = 0,
) -> PermissionVerdict:
    """Decide over (tool, operation, target).

    `operation` is a verb (run, read, edit, create, delete, patch, send, fetch, call), the name of a rule, or '' where
    the tool says it. `override` is the person's reason: it lifts a SOFT denial to PROMPT, a HARD one never.
    `settings` are the person's own states by operation, within the bounds; `change_units` those of the batch so far,
    `files` those that it changes with this call. What the table of authority leaves to the person is asked about,
    unless they set the operation themselves.
    """
    states = {
        act: state_of(act.operation, profile, settings)
        for act in acts_of(tool, operation, target, here._replace(member=member))
    }
    act = max(states, key=lambda one: (STATES.index(states[one]), one.weight))
    state = states[act]
    authority = find_authority(name_action(act.operation), files if act.operation in _CHANGING else 0)
    is_full = change_units > BATCH_LIMIT and profile != "light"
    verdict = _decide(act, state, override, is_full)._replace(authority=authority)
    is_persons = authority != "autonomous" and profile != "light" and act.operation not in settings
    if verdict.decision == "ALLOW" and is_persons:
        return verdict._replace(decision="PROMPT", files=files if act.operation in _CHANGING else 0)
    return verdict


def _decide(act: Act, state: State, override: str, is_full: bool) -> PermissionVerdict:
    if state == "DENY":
        denial: Denial = OPERATIONS[act.operation].denial or "soft"
        if override and denial == "soft":
            return PermissionVerdict("PROMPT", denial, act.operation, act.text, incident=True)
        return PermissionVerdict("DENY", denial, act.operation, act.text)
    over = is_full and state == "ALLOW" and act.operation in _CHANGING
    return PermissionVerdict("PROMPT" if over else state, None, act.operation, act.text, over_batch=over)


def state_of(operation: str, profile: Profile, settings: Mapping[str, State]) -> State:
    """Return what holds for an operation: the person's setting, else the profile's or a tighter one of its whole."""
    entry = OPERATIONS[operation]
    whole = settings.get(entry.part_of, "ALLOW")
    return bound_text(operation, settings.get(operation, max(entry.of(profile), whole, key=STATES.index)))


def bound_text(operation: str, state: State) -> State:
    """Return a state within the operation's bounds: HARD stays DENY, SOFT is at least PROMPT."""
    floor: dict[Denial | None, State] = {"hard": "DENY", "soft": "PROMPT", None: "ALLOW"}
    least = floor[OPERATIONS[operation].denial]
    return max(state, least, key=STATES.index)


def is_known(tool: str) -> bool:
    """Return whether a tool's name tells what it does."""
    return tool.lower() in _TOOLS


def acts_of(tool: str, operation: str, target: str, here: Surroundings) -> list[Act]:
    """Return what is about to be done, as operations."""
    if operation in OPERATIONS and operation not in VERBS:
        return [Act(_aimed(operation, target), target), *path_acts(target, "read", here, named_only=True)]
    verb = operation if operation in VERBS else _TOOLS.get(tool.lower(), "call")
    match verb:
        case "run":
            from mi.governance.commands import classify  # the start of a hook counts, and most calls run nothing

            by_program = classify(f"{tool} {target}", here) if tool.lower() in _PROGRAMS else []
            return [*classify(target, here), *by_program]
        case "patch":
            return _patch_acts(target, here)
        case "send":
            return [_sent(target), *path_acts(target, "read", here, named_only=True)]
        case "fetch":
            return [Act("credentials-out" if _holds_secret(target) else "fetch", target)]
        case "call":
            return _call_acts(tool, target, here)
        case "delete" if tool.lower() not in _TOOLS and names_production(target) and not _names_file(target):
            return [Act("production-data", target)]
    return _file_acts(verb, target, here)


def _call_acts(tool: str, given: str, here: Surroundings) -> list[Act]:
    """Return the acts of a server's tool by the texts it is given: files, commands, secrets that would leave."""
    texts = _texts(given)
    verb = "edit" if re.search(r"write|edit|creat|delet|remov|mov|renam|updat|put|patch|append", tool, re.I) else "read"
    named = [text for text in texts if len(text) < 500 and not re.search(r"\s", text)]
    acts = [act for path in named for act in path_acts(path, verb, here)]
    ours = tool.startswith(_OURS)  # they have a gate of their own, refuse secrets themselves, and look for them
    acts += [Act("credentials-out", "")] if not ours and any(_holds_secret(text) for text in texts) else []
    return [Act("read-command" if ours else "local-command", redact_start(given, 200)), *acts]


def _texts(given: str) -> list[str]:
    """Return the texts of a call's arguments, as JSON; of other text itself."""
    try:
        found: object = decode(given.encode("utf-8", "replace"), dict[str, Any])
    except BadJson:
        return [given]
    texts, rest = list[str](), [found]
    while rest:
        one = rest.pop()
        if isinstance(one, dict | list):
            rest += one.values() if isinstance(one, dict) else one
        elif isinstance(one, str):
            texts.append(one)
    return texts


def _aimed(operation: str, target: str) -> str:
    """Return a push that is named as such, by the branch it names: `force-push` of `origin main` is one to main."""
    names = {word.rpartition(":")[2].lstrip("+").removeprefix("refs/heads/") for word in target.split()}
    return f"{operation}-main" if operation in ("push", "force-push") and names & {*MAIN} else operation


def _names_file(target: str) -> bool:
    return "/" in target or bool(re.search(r"\.\w{1,5}$", target))


def _file_acts(verb: str, path: str, here: Surroundings) -> list[Act]:
    special = path_acts(path, "read" if verb == "read" else "edit", here)
    operation = {"read": "read", "create": "create", "delete": "delete-file"}.get(verb, "edit")
    return special if special and verb != "delete" else [Act(operation, path), *special]


def _patch_acts(patch: str, here: Surroundings) -> list[Act]:
    verbs = {"Add File": "create", "Update File": "edit", "Delete File": "delete", "Move to": "create"}
    found = [act for verb, path in _PATCHED.findall(patch) for act in _file_acts(verbs[verb], path, here)]
    return found or [Act("edit", redact_start(patch, 200))]


def _sent(message: str) -> Act:
    secret = _holds_secret(message) or any(paths.is_secret(word) for word in message.split())
    return Act("credentials-out", "") if secret else Act("remote-write", message)


def _holds_secret(message: str) -> bool:
    return any(one.kind != "public-ip" for one in find_secrets(message))
