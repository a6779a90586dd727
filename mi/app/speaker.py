"""Who speaks: a person at their terminal, or an agent; what is a person's word is taken from nobody else."""

import os
import time
from collections.abc import Callable, Mapping, Sequence
from typing import TYPE_CHECKING, Literal, NoReturn

from mi.agents.leftovers import VARIABLE
from mi.agents.programs import MI, find_agent, find_agent_mark, is_shell, look_at
from mi.agents.registry import AGENTS
from mi.app.telling_runs import tell_runs
from mi.kernel.ancestry import ProcessInfo, read_ancestry, read_environment, sees_users
from mi.kernel.named_tuple import NamedTuple

if TYPE_CHECKING:
    from mi.app.home_context import HomeContext
    from mi.kernel.home import Home

ChainReader = Callable[[int | None], list[ProcessInfo] | None]
LetsIn = Callable[[str, int], bool]
_INIT = 1
_SYSTEM = ("/usr/", "/bin/", "/sbin/", "/lib", "/nix/store/", "/gnu/store/", "/snap/")
# Where a person comes in: by a log-in, or by a terminal of their desktop.
_LOG_INS = frozenset(
    """sshd sshd-session dropbear login mosh-server tailscaled xrdp-sesman gdm-session-worker sddm-helper lightdm
    SessionLeader""".split()
)
_TERMINALS = frozenset(
    """gnome-terminal-server ptyxis ptyxis-agent kgx gnome-console konsole yakuake xfce4-terminal
    mate-terminal lxterminal qterminal tilix terminator guake deepin-terminal xterm uxterm urxvt rxvt urxvtd st foot
    alacritty kitty wezterm-gui ghostty rio Terminal iTerm2 iTermServer code code-insiders codium""".split()
)
# Whoever may write a job for them has it begun by a process that stood before.
_JOB_STARTERS = frozenset("cron crond anacron fcron atd".split())
_LISTENS = "--listen"
_DELETED = " (deleted)"  # behind the name of a program that was replaced since, as by an upgrade


class Speaker(NamedTuple):
    """By which door a word comes; for one that is no person's: because of what or whom."""

    by: Literal["terminal", "agent", "unknown"]
    because: Literal["", "mark", "program", "run", "tool", "unreadable", "torn-off"] = ""
    what: str = ""
    pid: int = 0

    def is_of(self, host: str) -> bool:
        """Return whether the mark or the program that shows it is a host's: `CLAUDECODE`, `claude`."""
        return self.what.lower().startswith(host.partition("-")[0])

    def explain(self, language: str) -> str:
        """Return why it is no person's word, as far as it is known."""
        from mi.kernel.messages import text

        return text("speaker." + self.because, language, what=self.what)


def find_speaker(context: "HomeContext", read: ChainReader | None = None) -> Speaker:
    """Return who runs this command; `unknown` where the chain of its parents does not tell."""
    speaker = _judge(context.home, None, os.environ, read)
    if speaker.by == "terminal":
        tell_runs(context)
    return speaker


def is_persons_process(home: "Home", pid: int, lets_in: LetsIn | None = None) -> bool:
    """Return whether a person speaks through another process, by the same rules; `lets_in`: whose word counts there."""
    return _judge(home, pid, read_environment(pid), lets_in=lets_in).by == "terminal"


def _judge(
    home: "Home",
    pid: int | None,
    environment: Mapping[str, str],
    read: ChainReader | None = None,
    lets_in: LetsIn | None = None,
) -> Speaker:
    if mark := find_agent_mark(environment) or (VARIABLE if environment.get(VARIABLE) else ""):
        return Speaker("agent", "mark", mark)
    read = read or read_ancestry  # looked up now: tests speak as a person by putting another in its place
    chain = read(pid)
    if not chain:
        return Speaker("unknown", "unreadable")
    if pid is not None and (name := find_agent(chain[0])) not in ("", MI):
        return Speaker("agent", "program", name, pid)
    above = _find_above(home, chain[1:])
    return above or _find_torn_off(home, chain, read, lets_in=lets_in) or Speaker("terminal")


def require_person(context: "HomeContext", command: str, words: Sequence[str]) -> None:
    """Raise Blocked unless a person speaks at the command line."""
    speaker = find_speaker(context)
    if speaker.by != "terminal":
        refuse(context, speaker, command, " ".join(["mi", *words]), "cli")


def refuse(context: "HomeContext", speaker: Speaker, command: str, tried: str, door: str) -> NoReturn:
    """Raise Blocked for what is a person's word; that somebody tried is kept, where the person sees it."""
    from mi.kernel.errors import Blocked, MiError

    try:
        _keep_violation(context, speaker, command, tried, door)
    except (OSError, MiError):
        pass  # it is refused all the same, such as from a sandbox in which the home cannot be written
    why = speaker.explain(context.quiet_language)
    if speaker.by == "agent":
        raise Blocked("not-for-agents", command=command, why=why)
    raise Blocked("speaker-unknown", command=command, why=why)


def _keep_violation(context: "HomeContext", speaker: Speaker, command: str, tried: str, door: str) -> None:
    from mi.evidence.open_items import open_items
    from mi.evidence.records.governed import Violation
    from mi.evidence.records.questions import Question, QuestionOption
    from mi.kernel import ids
    from mi.kernel.messages import text
    from mi.kernel.secrets import redact
    from mi.kernel.text import fit_one_line

    if not context.home.exists():
        return
    context, language = context.for_agent(), context.quiet_language
    tried = fit_one_line(redact(tried), 500)
    log = context.open_agent_log()
    violation = Violation(
        id=ids.make_id("vi"),
        code="AGENT_AS_PERSON",
        boundary=door,
        mode="agent",
        outcome="blocked",
        details=tried,
        tool=command,
        client=" ".join(part for part in (speaker.what, f"pid {speaker.pid}" if speaker.pid else "") if part),
    )
    log.append(violation, sync=True)
    question = text("speaker.tried", language, command=command, why=speaker.explain(language))
    waiting = open_items(context.project_home.evidence, context.evidence_index, context.notices).events
    if any(isinstance(asked := event.record(), Question) and asked.text == question for event in waiting):
        return
    log.append(
        Question(
            id=ids.make_id("qu"),
            text=question,
            about="speaker",
            blocks=False,
            project_root=context.project.root,
            said=tried,
            options=[QuestionOption(key="seen")],
            default=text("speaker.default", language),
        )
    )


class ChatHost(NamedTuple):
    """The host that hands a prompt to a hook, and the process that it started for it."""

    host: ProcessInfo
    started: ProcessInfo

    @property
    def listens(self) -> bool:
        """Return whether the host is a server that others hand prompts to, and that outlives its screens."""
        return _LISTENS in self.host.words


def find_chat_host(context: "HomeContext", host: str, read: ChainReader | None = None) -> ChatHost | None:
    """Return the host whose chat a prompt comes from, by the processes above this hook; None where it is no person's.

    Nothing but that host stands above: no other agent, and no run of ours. One that listens, as the server behind
    Codex's screen does, is handed prompts by anybody (`codex queue`).
    """
    read = read or read_ancestry  # looked up now: tests speak as a person by putting another in its place
    chain = read(None) or []
    hosts = _find_hosts(chain)
    found = _take_host(chain, hosts[:1], host)
    if found is None or len(hosts) > 1 or found.listens or os.environ.get(VARIABLE):
        return None
    above = chain[hosts[0].top + 1 :]
    if _find_above(context.home, above) or _find_torn_off(context.home, [found.host, *above], read, found.host.pid):
        return None
    return found


class HostSession(NamedTuple):
    """A host, and the id of its session in which a command is run."""

    host: str
    session_id: str


def find_host_session(home: "Home") -> HostSession | None:
    """Return the session above this command, of a host whose hooks are ours; None where there is none."""
    from mi.autopilot.run_times import read_run_times

    above = {process.pid for process in read_ancestry(None) or []}
    found = [one.run_id for one in read_run_times(home, time.time()) if one.pid in above]
    host, _, session_id = found[-1].partition(" ") if found else ("", "", "")
    return HostSession(host, session_id) if session_id else None


def find_host(host: str) -> ChatHost | None:
    """Return the host that called this hook, whoever started it; None when anything else did."""
    chain = read_ancestry(None) or []
    return _take_host(chain, _find_hosts(chain)[:1], host)


def _take_host(chain: list[ProcessInfo], nearest: "list[_PlacedHost]", host: str) -> ChatHost | None:
    """Return the nearest agent as the host that it should be; nothing stands between but that host's own shell."""
    for one in nearest:
        name = AGENTS[one.name].host if one.name in AGENTS else one.name
        if name == host and one.by != "starter" and _is_hook_alone(chain[: one.place]):
            return ChatHost(chain[one.place], chain[one.place - 1])
    return None


class _PlacedHost(NamedTuple):
    name: str
    by: str
    place: int  # in the chain
    top: int  # of what started it


def _find_hosts(chain: list[ProcessInfo]) -> list[_PlacedHost]:
    """Return the agents above a process; what only starts an agent counts with it."""
    found: list[_PlacedHost] = []
    for place, process in enumerate(chain):
        name, by = look_at(process) if place else ("", "")
        if name and found and name == found[-1].name and _only_starts(by, found[-1], chain[found[-1].top + 1 : place]):
            found[-1] = found[-1]._replace(top=place)
        elif name:
            found.append(_PlacedHost(name, by, place, place))
    return found


def _only_starts(by: str, host: _PlacedHost, between: list[ProcessInfo]) -> bool:
    """Return whether a process was there only to start a host: `npx`, a wrapper, the script before a native program."""
    if by == "starter":
        return all(map(is_shell, between))
    native = host.name in AGENTS and bool(AGENTS[host.name].native)
    return by == "script" and native and not host.by and host.top == host.place and not between


def _is_hook_alone(below: list[ProcessInfo]) -> bool:
    """Return whether a host called the hook itself, by a shell at most that was given nothing else to do."""
    hook, *between = below
    if not between:
        return True
    from mi.hosts.hook_line import read_hook_line

    shell = between[0]
    if len(between) > 1 or not is_shell(shell) or len(shell.words) < 3 or shell.words[1] not in ("-c", "-lc"):
        return False
    words = read_hook_line(" ".join(shell.words[2:]))[1:]
    return len(words) > 1 and hook.words[-len(words) :] == tuple(words)


def _find_above(home: "Home", above: list[ProcessInfo]) -> Speaker | None:
    """Return the agent that stands above; None when none is seen."""
    for process in above:
        if name := find_agent(process):
            return Speaker("agent", "program", name, process.pid)
    from mi.autopilot.run_lock import find_running

    pids = {process.pid for process in above}
    owners = (run.owner for run in find_running(home) if run.owner.pid in pids)
    return next((Speaker("agent", "run", owner.run_id, owner.pid) for owner in owners), None)


def _find_torn_off(
    home: "Home", chain: list[ProcessInfo], read: ChainReader, host: int = 0, lets_in: LetsIn | None = None
) -> Speaker | None:
    """Return why a chain may have lost the agent above it; None when it begins where a person came in.

    `host`: the process whose own sessions do not count. A worker that a person's command left behind is the person's.
    """
    if not sees_users():
        return Speaker("unknown", "unreadable")
    first = next((one for one in reversed(chain) if not _is_manager(one)), chain[0])
    if _is_way_in(first) or any(map(_is_log_in, chain)):
        return None
    last = chain[-1]
    if last.pid != _INIT and last.parent not in (0, _INIT):  # the system hides what stands above
        return Speaker("unknown", "unreadable")
    suspects = [first, last] if last.pid == _INIT else [first]
    if last.pid != _INIT and last.parent == 0:  # it came from outside of this container, or of a room in it
        suspects = (read(_INIT) or [first])[-1:]
    from mi.autopilot.run_times import find_active_run, is_vouched

    run_id = find_active_run(home, [one.started for one in suspects], host)
    starts = {one.pid: one.started for one in chain if one.pid != _INIT}
    if not run_id or is_vouched(home, starts, lets_in or (lambda log, offset: True)):
        return None
    return Speaker("unknown", "torn-off", run_id)


def _is_manager(process: ProcessInfo) -> bool:
    """Return whether a process is init, the user's service manager, or begins jobs that anybody may have written."""
    if process.pid == _INIT or (process.name == "systemd" and "--user" in process.words):
        return True
    return process.owner == 0 and process.name.lower() in _JOB_STARTERS


def _is_way_in(process: ProcessInfo) -> bool:
    """Return whether a person comes in by this program, and it is none that only has the name of one."""
    return _is_log_in(process) or (_name(process) in _TERMINALS | _LOG_INS and _is_systems(process.program))


def _is_log_in(process: ProcessInfo) -> bool:
    """Return whether the system itself logged somebody in; where root asks, a name alone can be anybody's."""
    return process.owner == 0 and _name(process) in _LOG_INS and _is_in_place(process.program)


def _is_in_place(program: str) -> bool:
    """Return whether a program lies where the system keeps its own; only root could have put another one there."""
    return os.geteuid() != 0 or program.startswith(_SYSTEM)


def _name(process: ProcessInfo) -> str:
    return os.path.basename(process.program.removesuffix(_DELETED)) or process.name


def _is_systems(program: str) -> bool:
    """Return whether a program's file belongs to the system, not to whoever runs it."""
    if program.endswith(_DELETED):  # where only root can have put it
        return program.startswith(_SYSTEM)
    try:
        return os.stat(program).st_uid == 0 and _is_in_place(program)
    except OSError:
        return False
