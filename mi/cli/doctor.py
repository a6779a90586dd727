"""`mi doctor`: what is there, what works, and how to mend what does not."""

import os
from collections.abc import Iterator, Mapping
from typing import Literal, NamedTuple

from mi.app import App
from mi.cli.arguments import Args, Parser, add_cd, add_json, command
from mi.cli.output import Output
from mi.kernel.errors import BadConfig

Level = Literal["ok", "warn", "fail"]
_MARKS = {"ok": "✓", "warn": "!", "fail": "✗"}


class Finding(NamedTuple):
    """One thing that was looked at; `fix` is the command or step that mends it."""

    area: str
    level: Level
    key: str
    details: Mapping[str, object]
    fix: str = ""


def parser(name: str) -> Parser:
    built = command(
        "mi doctor", "What is installed, what works, and how to fix what does not.", "mi doctor --json", _run
    )
    add_cd(built)
    add_json(built)
    return built


def _run(app: App, args: Args) -> int:
    out = Output(app.language)
    findings = [*_home(app), *_config(app), *_programs(app), *_sqlite(), *_project(app), *_logs(app), *_leftovers(app)]
    failed = any(finding.level == "fail" for finding in findings)
    if args.json:
        shown = [_shown(out, finding) for finding in findings]
        out.json({"ok": not failed, "findings": shown})
        return 1 if failed else 0
    for finding in findings:
        one = _shown(out, finding)
        out.line(f"{_MARKS[finding.level]} {finding.area:<9} {one['text']}")
        if finding.fix:
            out.line(f"  {'':<9} → {finding.fix}")
    return 1 if failed else 0


def _shown(out: Output, finding: Finding) -> dict[str, str]:
    text = out.text("doctor." + finding.key, **finding.details)
    return {"area": finding.area, "level": finding.level, "text": text, "fix": finding.fix}


def _home(app: App) -> Iterator[Finding]:
    root = app.home.root
    if not app.home.exists():
        yield Finding("home", "ok", "home-new", {"path": root})
        return
    if not os.access(root, os.W_OK | os.X_OK) or _is_read_only(root):
        yield Finding(
            "home", "fail", "home-not-writable", {"path": root}, f"chmod u+rwx {root}  |  mi --home <other folder> …"
        )
    elif os.stat(root).st_mode & 0o077:
        yield Finding("home", "warn", "home-open", {"path": root}, f"chmod 700 {root}")
    else:
        yield Finding("home", "ok", "home-ok", {"path": root})
    free = os.statvfs(root)
    megabytes = free.f_bavail * free.f_frsize // 1_000_000
    if megabytes < 100:
        yield Finding("home", "fail" if megabytes < 1 else "warn", "home-full", {"megabytes": megabytes, "path": root})


def _is_read_only(path: str) -> bool:
    return bool(os.statvfs(path).f_flag & os.ST_RDONLY)


def _config(app: App) -> Iterator[Finding]:
    path = app.home.config
    try:
        problems = app.loaded_config.problems
    except BadConfig as error:
        yield Finding("config", "fail", "config-broken", {"reason": error.line(app.language)}, "mi config init --force")
        return
    for problem in problems:
        level: Level = "warn" if problem.code == "api-key-in-file" else "fail"
        details = {"key": problem.path, "value": problem.value}
        yield Finding("config", level, "config-problem", details, "mi config validate")
    if not problems:
        yield Finding("config", "ok", "config-ok" if os.path.exists(path) else "config-none", {"path": path})


def _programs(app: App) -> Iterator[Finding]:
    from mi.cli.status import find_program, providers

    git = find_program("git")
    if git:
        yield Finding("git", "ok", "program", {"name": "git", "path": git})
    else:
        yield Finding("git", "warn", "no-git", {}, "apt-get install git  |  brew install git")
    for name, package in (("codex", "@openai/codex"), ("claude", "@anthropic-ai/claude-code")):
        path = find_program(name)
        if path:
            yield Finding("hands", "ok", "program", {"name": name, "path": path})
        else:
            yield Finding("hands", "warn", "no-program", {"name": name}, f"npm install -g {package}")
    chosen = providers(app)
    yield Finding("providers", "ok", "providers", chosen)
    if chosen["hands"] == "claude":
        from mi.hands.providers.claude import allowed_tools

        tools = allowed_tools(app.project.root, app.config.hands.claude.allowed_tools)
        yield Finding("hands", "ok", "claude-tools", {"tools": " ".join(tools)})


def _sqlite() -> Iterator[Finding]:
    import sqlite3

    with sqlite3.connect(":memory:") as db:
        try:
            db.execute("CREATE VIRTUAL TABLE probe USING fts5(text)")
            yield Finding("sqlite", "ok", "sqlite", {"version": sqlite3.sqlite_version})
        except sqlite3.OperationalError:
            yield Finding(
                "sqlite", "fail", "no-fts5", {"version": sqlite3.sqlite_version}, "python3 built with SQLite's FTS5"
            )
    db.close()


def _project(app: App) -> Iterator[Finding]:
    details = {"root": app.project.root, "id": app.project.project_id, "key": app.project.key}
    yield Finding("project", "ok", "project", details)


def _logs(app: App) -> Iterator[Finding]:
    """The whole of each log is read: doctor is the one command that may take its time."""
    from mi.evidence.reader import read_on
    from mi.kernel.notices import Notices

    for log in (app.project_home.evidence, app.home.evidence):
        if not os.path.exists(log):
            continue
        notices = Notices()
        count = sum(1 for _ in read_on(log, 0, notices))
        for notice in notices:
            yield Finding("evidence", "warn", "log-damaged", {"text": notice.line(app.language)})
        yield Finding("evidence", "ok", "log", {"path": log, "count": count})


def _leftovers(app: App) -> Iterator[Finding]:
    """Files that were set aside because they could not be read."""
    for folder, _, names in os.walk(app.home.root):
        for name in names:
            if ".corrupt." in name or ".torn." in name:
                yield Finding("state", "warn", "set-aside", {"path": os.path.join(folder, name)})
