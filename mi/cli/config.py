"""`mi config`: providers and knobs in `config.json`."""

import os
from typing import Any

import msgspec

from mi.app.home_context import HomeContext
from mi.cli.arguments import Args, Group, Parser, add_json, add_keys
from mi.cli.output import Output
from mi.kernel.config.load import HIDDEN, ConfigProblem, read_raw, show_value
from mi.kernel.errors import BadConfig
from mi.kernel.jsontext import encode


def build_parser(name: str) -> Parser:
    """Build the parser of the command."""
    group = Group("mi config", "The configuration of MI: who works, who judges, and every knob.", "mi config validate")
    init = group.add("init", "write a configuration with every default", "mi config init", _init, person_only=True)
    init.add_argument("--force", action="store_true", help="replace the one that is there; it is kept as a backup")
    show = group.add("show", "print the effective configuration, keys hidden", "mi config show", _show)
    get = group.add("get", "print one setting as it is in force", "mi config get mind.provider", _get)
    set_ = group.add("set", "change one setting", "mi config set language zh", _set, person_only=True)
    unset = group.add(
        "unset",
        "take one setting out of the file: its default holds",
        "mi config unset language",
        _unset,
        person_only=True,
    )
    for one in (get, set_, unset):
        add_keys(one.add_argument("key", metavar="KEY", help="its name, as in `mi config show`: mind.provider"))
    set_.add_argument("value", metavar="VALUE", nargs="+", help="a word, a number or JSON; several words are a list")
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
    rollback = group.add("rollback", "undo the last change", "mi config rollback", _rollback, person_only=True)
    path = group.add("path", "print where the configuration is", "mi config path", _path)
    template.add_argument("name", help="one of `mi config examples`")
    apply.add_argument("name", help="one of `mi config examples`")
    for one in (init, show, get, set_, unset, validate, examples, template, apply, rollback, path):
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


def _get(context: HomeContext, args: Args) -> int:
    from mi.kernel.config.edit import find_value
    from mi.kernel.config.keys import find_key

    out = Output(context.quiet_language)
    value = find_value(_hide_keys(msgspec.to_builtins(context.needed_config)), args.key)
    if value is msgspec.UNSET:
        value = find_key(args.key).default
    if show_value(args.key, value) == HIDDEN:
        value = HIDDEN
    if args.json:
        own = find_value(read_raw(context.home.config), args.key) is not msgspec.UNSET
        out.json({"key": args.key, "value": value, "in_file": own})
    else:
        out.line(value if isinstance(value, str) else encode(value).decode())
    return 0


def _set(context: HomeContext, args: Args) -> int:
    from mi.kernel.config import edit
    from mi.kernel.config.keys import find_key, read_typed

    out = Output(context.quiet_language)
    value = read_typed(find_key(args.key), args.value)
    backup = edit.set_value(context.home, args.key, value)
    shown = value if isinstance(value, str) else encode(value).decode()
    return _wrote(context, args, out, "config.set", backup, key=args.key, value=shown)


def _unset(context: HomeContext, args: Args) -> int:
    from mi.kernel.config import edit
    from mi.kernel.config.keys import find_key

    out = Output(context.quiet_language)
    find_key(args.key)
    backup = edit.unset_value(context.home, args.key)
    return _wrote(context, args, out, "config.unset" if backup else "config.not-set", backup, key=args.key)


def _hide_keys(config: dict[str, Any]) -> dict[str, Any]:
    for section in config["mind"].values():
        if isinstance(section, dict) and section.get("api_key"):
            section["api_key"] = HIDDEN
    return config


def _wrote(context: HomeContext, args: Args, out: Output, message: str, backup: str, **details: str) -> int:
    """Say what was done, in the language that was configured before it."""
    if args.json:
        out.json({"path": context.home.config, "backup": backup or None, **details})
        return 0
    out.say(message, path=context.home.config, backup=backup, **details)
    if backup and message in ("config.written", "config.applied"):
        out.say("config.backup", backup=backup)
    return 0


def _show(context: HomeContext, args: Args) -> int:
    out = Output(context.quiet_language)
    out.json(_hide_keys(msgspec.to_builtins(context.needed_config)))
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
