"""`mi config`: providers and knobs in `config.json`."""

import os
from typing import Any

import msgspec

from mi.app.home_context import HomeContext
from mi.cli.arguments import Args, Group, Parser, add_json
from mi.cli.output import Output
from mi.kernel.config.load import ConfigProblem
from mi.kernel.errors import BadConfig


def build_parser(name: str) -> Parser:
    """Build the parser of the command."""
    group = Group("mi config", "The configuration of MI: who works, who judges, and every knob.", "mi config validate")
    init = group.add("init", "write a configuration with every default", "mi config init", _init, person_only=True)
    init.add_argument("--force", action="store_true", help="replace the one that is there; it is kept as a backup")
    show = group.add("show", "print the effective configuration, keys hidden", "mi config show", _show)
    validate = group.add("validate", "name every mistake in the file", "mi config validate --json", _validate)
    examples = group.add("examples", "list the templates", "mi config examples", _examples)
    template = group.add("template", "print a template", "mi config template claude", _template)
    apply = group.add(
        "apply-template",
        "merge a template into the configuration",
        "mi config apply-template codex",
        _apply,
        person_only=True,
    )
    rollback = group.add("rollback", "undo the last apply-template", "mi config rollback", _rollback, person_only=True)
    path = group.add("path", "print where the configuration is", "mi config path", _path)
    template.add_argument("name", help="one of `mi config examples`")
    apply.add_argument("name", help="one of `mi config examples`")
    for one in (init, show, validate, examples, template, apply, rollback, path):
        add_json(one)
    return group.parser


def _init(context: HomeContext, args: Args) -> int:
    from mi.kernel.config import edit

    out = Output(context.quiet_language)
    return _wrote(context, args, out, "config.written", edit.init(context.home, args.force))


def _apply(context: HomeContext, args: Args) -> int:
    from mi.kernel.config import edit

    out = Output(context.quiet_language)
    return _wrote(context, args, out, "config.applied", edit.apply_template(context.home, args.name), name=args.name)


def _rollback(context: HomeContext, args: Args) -> int:
    from mi.kernel.config import edit

    out = Output(context.quiet_language)
    return _wrote(context, args, out, "config.rolled-back", edit.roll_back(context.home))


def _wrote(context: HomeContext, args: Args, out: Output, key: str, backup: str, **details: str) -> int:
    """Say what was done, in the language that was configured before it."""
    if args.json:
        out.json({"path": context.home.config, "backup": backup or None, **details})
        return 0
    out.say(key, path=context.home.config, backup=backup, **details)
    if backup and key != "config.rolled-back":
        out.say("config.backup", backup=backup)
    return 0


def _show(context: HomeContext, args: Args) -> int:
    out = Output(context.quiet_language)
    config = msgspec.to_builtins(context.needed_config)
    for section in config["mind"].values():
        if isinstance(section, dict) and section.get("api_key"):
            section["api_key"] = "[redacted]"
    out.json(config)
    return 0


def _validate(context: HomeContext, args: Args) -> int:
    out = Output(context.quiet_language)
    try:
        problems = context.loaded_config.problems
    except BadConfig as error:
        if not args.json:
            raise
        return _report(context, out, [{"code": error.code, "text": error.line(out.language), **error.details}], False)
    errors = context.config_errors
    if args.json:
        shown = [problem._asdict() | {"text": describe_problem(out, problem)} for problem in problems]
        return _report(context, out, shown, not errors)
    for problem in problems:
        out.line(describe_problem(out, problem))
    if not errors:
        out.say("config.valid" if os.path.exists(context.home.config) else "config.none", path=context.home.config)
    return 1 if errors else 0


def _report(context: HomeContext, out: Output, problems: list[dict[str, Any]], ok: bool) -> int:
    out.json({"path": context.home.config, "ok": ok, "problems": problems})
    return 0 if ok else 1


def describe_problem(out: Output, problem: ConfigProblem) -> str:
    """Return what is wrong with one setting."""
    return out.text("config." + problem.code, path=problem.path, value=problem.value, hint=problem.hint)


def _examples(context: HomeContext, args: Args) -> int:
    from mi.kernel.config.templates import TEMPLATES

    out = Output(context.quiet_language)
    texts = {name: out.text("template." + name) for name in TEMPLATES}
    if args.json:
        out.json(texts)
    else:
        for name, text in texts.items():
            out.line(f"{name:<12} {text}")
        out.say("config.examples-next")
    return 0


def _template(context: HomeContext, args: Args) -> int:
    from mi.kernel.config.edit import template

    Output(context.quiet_language).json(template(args.name))
    return 0


def _path(context: HomeContext, args: Args) -> int:
    out = Output(context.quiet_language)
    if args.json:
        out.json({"path": context.home.config})
    else:
        out.line(context.home.config)
    return 0
