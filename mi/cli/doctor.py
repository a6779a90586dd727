"""`mi doctor`: what is there, what works, and how to mend what does not."""

import os
from collections.abc import Callable, Iterator, Mapping
from typing import TYPE_CHECKING

from mi.app.home_context import HomeContext
from mi.app.nexus import build_nexus
from mi.cli.arguments import Args, Parser, add_cd, add_json, command
from mi.cli.doctor_finding import DoctorFinding, Level
from mi.cli.output import Output
from mi.kernel.errors import BadConfig, MiError, from_os_error

if TYPE_CHECKING:
    from mi.hosts.installed import Installed

_MARKS = {"ok": "✓", "warn": "!", "fail": "✗"}


def build_parser(name: str) -> Parser:
    """Build the parser of the command."""
    built = command(
        "mi doctor", "What is installed, what works, and how to fix what does not.", "mi doctor --json", _run
    )
    built.add_argument("--security", action="store_true", help="who could read, write or speak in MI's place instead")
    built.add_argument("--fix", action="store_true", help="first mend what MI can mend itself (as mi repair --apply)")
    add_cd(built)
    add_json(built)
    return built


def _run(context: HomeContext, args: Args) -> int:
    out = Output(context.quiet_language)
    if args.fix:
        from mi.cli.repair import mend_all, mend_and_tell

        mend_all(context) if args.json else mend_and_tell(context, out)
    findings = [
        finding for area, look in _looks(args.security).items() for finding in _looked(context, out, area, look)
    ]
    failed = any(finding.level == "fail" for finding in findings)
    if args.json:
        shown = [_shown(out, finding) for finding in findings]
        out.json({"ok": not failed, "findings": shown})
        return 1 if failed else 0
    for finding in findings:
        one = _shown(out, finding)
        out.beside(f"{_MARKS[finding.level]} {finding.area:<9} ", one["text"])
        if finding.fix:
            out.line(f"  {'':<9} → {finding.fix}")
    return 1 if failed else 0


def _looks(security: bool) -> "Mapping[str, Look]":
    if not security:
        return _LOOKS
    from mi.cli.doctor_security import LOOKS

    return LOOKS


def _looked(context: HomeContext, out: Output, area: str, look: "Look") -> list[DoctorFinding]:
    """Return what one look found; that it failed is a finding, too, and no reason not to look further."""
    try:
        return list(look(context, out))
    except OSError as error:
        failure: MiError = from_os_error(error)
    except MiError as error:
        failure = error
    return [DoctorFinding(area, "fail", "as-is", {"text": failure.line(out.language)})]


def _shown(out: Output, finding: DoctorFinding) -> dict[str, str]:
    text = out.text("doctor." + finding.key, **finding.details)
    return {"area": finding.area, "level": finding.level, "text": text, "fix": finding.fix}


def _home(context: HomeContext, out: Output) -> Iterator[DoctorFinding]:
    root = context.home.root
    place = _existing(root)
    elsewhere = f"chmod u+rwx {place}  |  mi --home DIR …"
    if not os.path.isdir(place):
        yield DoctorFinding(
            "home", "fail", "home-is-file", {"path": place}, f"mv {place} {place}.old  |  mi --home DIR …"
        )
        return
    if not os.access(place, os.R_OK | os.W_OK | os.X_OK) or os.statvfs(place).f_flag & os.ST_RDONLY:
        yield DoctorFinding("home", "fail", "home-not-writable", {"path": place}, elsewhere)
    elif place != root:
        yield DoctorFinding("home", "ok", "home-new", {"path": root})
    elif os.stat(root).st_mode & 0o077:
        yield DoctorFinding("home", "warn", "home-open", {"path": root}, f"mi doctor --fix  |  chmod 700 {root}")
    else:
        yield DoctorFinding("home", "ok", "home-ok", {"path": root})
    free = os.statvfs(place)
    megabytes = free.f_bavail * free.f_frsize // 1_000_000
    if megabytes < 100:
        yield DoctorFinding(
            "home", "fail" if megabytes < 1 else "warn", "home-full", {"megabytes": megabytes, "path": place}
        )


def _existing(path: str) -> str:
    """Return the path, or the nearest one above it that exists: where the first write would begin."""
    while not os.path.lexists(path):
        path = os.path.dirname(path)
    return path


def _config(context: HomeContext, out: Output) -> Iterator[DoctorFinding]:
    from mi.cli.config import describe_problem

    path = context.home.config
    try:
        problems = context.loaded_config.problems
    except BadConfig as error:
        yield DoctorFinding("config", "fail", "as-is", {"text": error.line(out.language)}, "mi config init --force")
        return
    for problem in problems:
        level: Level = "fail" if problem in context.config_errors else "warn"
        yield DoctorFinding("config", level, "as-is", {"text": describe_problem(out, problem)}, "mi config validate")
    if not problems:
        yield DoctorFinding("config", "ok", "config-ok" if os.path.exists(path) else "config-none", {"path": path})


def _reach(context: HomeContext, out: Output) -> Iterator[DoctorFinding]:
    """Yield how the person was not reached, until they have looked."""
    from mi.evidence.inbox import list_waiting

    waiting, _ = list_waiting(context.home, context.evidence_index, {}, context.notices, lambda done, total: None)
    for one in waiting:
        if one.item.kind == "notification":
            yield DoctorFinding("reach", "warn", "as-is", {"text": one.item.question}, "mi notify test")


def _seal(context: HomeContext, out: Output) -> Iterator[DoctorFinding]:
    """Yield what in MI's own files is not MI's."""
    from mi.app.seal import list_unaccepted

    for one in list_unaccepted(context):
        text = out.text(f"seal.{one.kind}", path=one.path, count=one.number)
        yield DoctorFinding("seals", "warn", "as-is", {"text": text}, "mi seal show  |  mi seal accept")


def _programs(context: HomeContext, out: Output) -> Iterator[DoctorFinding]:
    from mi.agents.registry import AGENTS, VENDORS, load
    from mi.cli.doctor_providers import list_missing
    from mi.cli.status import find_providers
    from mi.kernel.programs import find_on_path

    git = find_on_path("git")
    if git:
        yield DoctorFinding("git", "ok", "program", {"name": "git", "path": git})
    else:
        yield DoctorFinding("git", "warn", "no-git", {}, "apt-get install git  |  brew install git")
    for agent in VENDORS:
        path = find_on_path(agent.name)
        if path:
            yield DoctorFinding("hands", "ok", "program", {"name": agent.name, "path": path})
        else:
            yield DoctorFinding("hands", "warn", "no-program", {"name": agent.name}, f"npm install -g {agent.package}")
    chosen = find_providers(context)
    missing = list_missing(context.config, chosen["hands"], chosen["mind"])
    if chosen["hands"] == "none":
        yield DoctorFinding("providers", "warn", "no-hands", chosen)
    elif not missing:
        yield DoctorFinding("providers", "ok", "providers", chosen)
    for error in missing:
        told = error.line(out.language)
        yield DoctorFinding("providers", "fail", "as-is", {"text": told}, "mi config apply-template  |  mi config path")
    chosen_agent = AGENTS.get(chosen["hands"])
    if chosen_agent and chosen_agent.unasked_tools:
        settings = getattr(context.config.hands, chosen_agent.name)
        tools = load(chosen_agent.unasked_tools)(context.project.root, settings.allowed_tools)
        yield DoctorFinding("hands", "ok", "claude-tools", {"tools": " ".join(tools)})


def _installed(context: HomeContext, out: Output) -> Iterator[DoctorFinding]:
    """Yield the commands that agent hosts start: they name this installation by its path."""
    from mi.hosts.adapters import HOSTS
    from mi.hosts.installed import find_installed_commands

    for one in find_installed_commands(context.home, context.notices):
        details: dict[str, object] = {"owner": one.owner, "root": one.root, "program": one.program}
        what, host = one.owner.split(" ")[:2]
        if one.works:
            asked = what == "hook" and host in HOSTS and HOSTS[host].trusts_hooks
            yield _trusted(context, one, details) if asked else DoctorFinding("hosts", "ok", "host-command", details)
        else:
            of_project = one.owner.split(" ")[2:]  # a server of one project, in the person's own file
            fix = f"mi -C {of_project[0]} setup {host}" if of_project else f"mi -C {one.root} {what} install {host}"
            yield DoctorFinding("hosts", "fail", "host-command-gone", details, fix)
    yield from _setup(context)


def _trusted(context: HomeContext, one: "Installed", details: dict[str, object]) -> DoctorFinding:
    """Codex skips hooks that it does not trust, in silence: an entry that is there may bind nobody."""
    from mi.hooks.codex_trust import find_trusted, is_persons

    try:
        found = find_trusted(context, one.root, one.program)
    except MiError as error:
        details |= {"reason": error.line(context.quiet_language)}
        return DoctorFinding("hosts", "warn", "host-untold", details, "codex → /hooks")
    if found.seen and found.trusted == found.seen:
        return DoctorFinding("hosts", "ok", "host-command", details)
    own = is_persons(one.root)
    fix = "mi hook install codex --user" if own else f"mi -C {one.root} hook install codex --trust"
    return DoctorFinding("hosts", "warn", "host-untrusted", details | found._asdict(), fix)


def _setup(context: HomeContext) -> Iterator[DoctorFinding]:
    """Yield whether each host has all that it was set up with, and what the project's own files would do in a clone."""
    from mi.cli.setup import find_changes, list_pieces
    from mi.hosts.setups import read_setups

    for host, profile in read_setups(context.home, context.notices).get(context.project.root, {}).items():
        changes = find_changes(context, host, profile, list_pieces(context, host, profile))
        details = {"host": host, "profile": profile, "paths": ", ".join([*changes["changed"], *changes["removed"]])}
        if details["paths"]:
            yield DoctorFinding("setup", "warn", "setup-incomplete", details, f"mi setup {host} --profile {profile}")
        else:
            yield DoctorFinding("setup", "ok", "setup-ok", details)
    yield from _committed(context)


def _committed(context: HomeContext) -> Iterator[DoctorFinding]:
    import shutil

    from mi.hosts.installed import find_installed_commands, find_project_entries
    from mi.kernel import git

    root, mine = context.project.root, shutil.which("mi") or ""
    tracked = git.run(root, "ls-files").output.splitlines()
    entries = list(find_project_entries(root))
    served = {one.owner for one in find_installed_commands(context.home, context.notices)}
    served |= {f"mcp {one.host}" for one in entries if one.kind == "mcp"}
    found: dict[tuple[str, str], DoctorFinding] = {}
    for one in entries:
        details = {"path": one.path, "program": one.words[0], "host": one.host}
        key, fix = "", f"mi setup {one.host} --profile team"
        if one.words[0] != "mi":
            key = "setup-not-portable" if one.path in tracked else ""
        elif not mine or os.path.abspath(mine).startswith(os.path.join(root, "")):
            key, fix = "setup-own-mi" if mine else "setup-no-mi", "pipx install mind-incarnation"
            details["program"] = mine
        elif "contract" in one.enforced and f"mcp {one.host}" not in served:
            key = "setup-no-server"
        if key:
            found[key, one.path] = DoctorFinding("setup", "warn", key, details, fix)
    yield from found.values()


def _team(context: HomeContext, out: Output) -> Iterator[DoctorFinding]:
    """Yield what the team wrote down that is too much to bind."""
    from mi.app.team_files import build_team_files
    from mi.kernel.notices import Notice
    from mi.knowledge.search.team import MOST_BINDING

    team = build_team_files(context)
    team.list_always_known()
    if team.unseen:
        said = Notice("team-unseen", context.project.root, {"count": team.unseen, "most": MOST_BINDING})
        yield DoctorFinding("team", "warn", "as-is", {"text": said.line(out.language)})


def _nexus(context: HomeContext, out: Output) -> Iterator[DoctorFinding]:
    """Yield what the hosts cannot do for a repository whose agents share a plan."""
    if os.path.isdir(build_nexus(context).place.folder):
        from mi.hosts.adapters import HOOK_HOSTS

        for host in HOOK_HOSTS:
            yield DoctorFinding("nexus", "ok", "nexus-" + host, {})


def _sqlite(context: HomeContext, out: Output) -> Iterator[DoctorFinding]:
    import sqlite3

    with sqlite3.connect(":memory:") as db:
        try:
            db.execute("CREATE VIRTUAL TABLE probe USING fts5(text)")
            db.execute("SELECT * FROM json_each('[]')")
            yield DoctorFinding("sqlite", "ok", "sqlite", {"version": sqlite3.sqlite_version})
        except sqlite3.OperationalError:
            fix = out.text("doctor.fix-fts5")
            yield DoctorFinding("sqlite", "fail", "no-fts5", {"version": sqlite3.sqlite_version}, fix)
    db.close()


def _project(context: HomeContext, out: Output) -> Iterator[DoctorFinding]:
    details = {"root": context.project.root, "id": context.project.project_id, "key": context.project.key}
    yield DoctorFinding("project", "ok", "project", details)


def _logs(context: HomeContext, out: Output) -> Iterator[DoctorFinding]:
    """Yield what is wrong in the logs, which are read whole: doctor may take its time."""
    from mi.evidence.reader import read_on
    from mi.kernel.notices import Notices

    for log in (context.project_home.evidence, context.home.evidence):
        if not os.path.exists(log):
            continue
        notices = Notices()
        try:
            count = sum(1 for _ in read_on(log, 0, notices))
        except OSError as error:
            error.filename = log
            yield DoctorFinding("evidence", "fail", "as-is", {"text": from_os_error(error).line(out.language)})
            continue
        for notice in notices:
            yield DoctorFinding("evidence", "warn", "as-is", {"text": notice.line(out.language)})
        yield DoctorFinding("evidence", "ok", "log", {"path": log, "count": count})


def _leftovers(context: HomeContext, out: Output) -> Iterator[DoctorFinding]:
    """Files that were set aside because they could not be read."""
    for folder, _, names in os.walk(context.home.root):
        for name in names:
            if ".corrupt." in name or ".torn." in name:
                yield DoctorFinding("state", "warn", "set-aside", {"path": os.path.join(folder, name)})


def _damage(context: HomeContext, out: Output) -> Iterator[DoctorFinding]:
    """Yield what `mi repair` can mend."""
    from mi.app.merge_repair import find_merge_damage
    from mi.evidence.damage import find_damage

    for one in (*find_damage(context.home), *find_merge_damage(context)):
        text = out.text("repair." + one.key, path=one.path, **one.details)
        if one.key != "open-home":  # said with the home
            yield DoctorFinding("state", "warn", "as-is", {"text": text}, "mi doctor --fix" if one.mend else "")


def _trees(context: HomeContext, out: Output) -> Iterator[DoctorFinding]:
    from mi.cli.doctor_trees import look_at_trees

    yield from look_at_trees(context, out)


def _queue(context: HomeContext, out: Output) -> Iterator[DoctorFinding]:
    """Yield whether the queue can be used, and whether somebody works on what is in it."""
    from mi.app.queue import build_queue, has_worker

    queue = build_queue(context)
    if not queue.exists():
        return
    try:
        counts, is_left = queue.counts(), queue.has_ready()
    except MiError as error:
        yield DoctorFinding("queue", "fail", "as-is", {"text": error.line(out.language)}, "mi queue rebuild")
        return
    details = {name: counts.get(name, 0) for name in ("queued", "running", "waiting")}
    if (is_left or details["running"]) and not has_worker(context):
        yield DoctorFinding("queue", "warn", "queue-idle", details, "mi worker --drain")
    else:
        yield DoctorFinding("queue", "ok", "queue", details)


Look = Callable[[HomeContext, Output], Iterator[DoctorFinding]]
_LOOKS: dict[str, Look] = {
    "home": _home,
    "config": _config,
    "queue": _queue,
    "trees": _trees,
    "seals": _seal,
    "reach": _reach,
    "hands": _programs,
    "hosts": _installed,
    "nexus": _nexus,
    "team": _team,
    "sqlite": _sqlite,
    "project": _project,
    "evidence": _logs,
    "state": _leftovers,
    "damage": _damage,
}
