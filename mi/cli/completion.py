"""`mi completion`: what the shell offers after Tab, written from the commands themselves."""

import argparse
from collections.abc import Iterator

from mi.app.home_context import HomeContext
from mi.cli.arguments import Args, Parser, add_json, command
from mi.cli.output import Output
from mi.kernel.named_tuple import NamedTuple

_SHELLS = ("bash", "zsh", "fish")


class CompletionNode(NamedTuple):
    """A command's words, and what may follow them."""

    words: tuple[str, ...]
    follow: dict[str, str]  # subcommands and fixed choices, with their help
    flags: dict[str, str]
    choices: dict[str, tuple[str, ...]] = {}  # of a flag: the words it takes


def build_parser(name: str) -> Parser:
    """Build the parser of the command."""
    built = command(
        "mi completion",
        "Print a script that completes mi's commands and flags.",
        "mi completion bash > ~/.mi-completion",
        _run,
    )
    built.add_argument("shell", choices=_SHELLS, help="bash, zsh or fish")
    add_json(built)
    return built


def _run(context: HomeContext, args: Args) -> int:
    nodes = list(build_tree())
    if args.json:
        shown = [{"words": one.words, "follow": list(one.follow), "flags": list(one.flags)} for one in nodes]
        Output(context.language).json(shown)
        return 0
    script = {"bash": _bash, "zsh": _zsh, "fish": _fish}[args.shell](nodes)
    Output(context.language).raw(script.encode(), False)
    return 0


def build_tree() -> Iterator[CompletionNode]:
    """Yield every command and subcommand there is."""
    from mi.cli.commands import COMMANDS
    from mi.cli.main import build_parser
    from mi.cli.shorthand import SHOWN

    overview = {name: entry.summary.partition(";")[0] for name, entry in COMMANDS.items()}
    flags = ("--home", "--cd", "--here", "--help", "--version")
    yield CompletionNode((), overview | dict.fromkeys(SHOWN, ""), dict.fromkeys(flags, ""))
    for name in COMMANDS:
        yield from _below((name,), build_parser(name))


def _below(words: tuple[str, ...], parser: Parser) -> Iterator[CompletionNode]:
    from mi.kernel.config.keys import list_keys

    parser.format_help()  # adds the arguments that are added late
    follow: dict[str, str] = {}
    flags: dict[str, str] = {}
    inner: dict[str, Parser] = {}
    choices: dict[str, tuple[str, ...]] = {}
    settings: dict[str, tuple[str, ...]] = {}
    for action in parser._actions:
        if isinstance(action, argparse._SubParsersAction):
            inner = dict(action.choices)
            follow |= {one.dest: one.help or "" for one in action._choices_actions}
        elif action.option_strings:
            names = [option for option in action.option_strings if option.startswith("--")]
            flags |= dict.fromkeys(names, action.help or "")
            choices |= {option: tuple(map(str, action.choices)) for option in names if action.choices}
        elif hasattr(action, "completes"):
            settings = {key.path: key.choices for key in list_keys()}
            follow |= dict.fromkeys(settings, "")
        elif action.choices:
            follow |= {str(choice): "" for choice in action.choices}
    yield CompletionNode(words, follow, flags, choices)
    for path, taken in settings.items():
        if taken and words[-1] == "set":
            yield CompletionNode((*words, path), dict.fromkeys(taken, ""), {})
    for name, one in inner.items():
        yield from _below((*words, name), one)


def _bash(nodes: list[CompletionNode]) -> str:
    cases = "\n".join(f'    "{" ".join(one.words)}") words="{" ".join([*one.follow, *one.flags])}" ;;' for one in nodes)
    values = "\n".join(
        f'    "{" ".join(one.words)} {flag}") words="{" ".join(taken)}" ;;'
        for one in nodes
        for flag, taken in one.choices.items()
    )
    known = " ".join(f'"{" ".join(one.words)}"' for one in nodes if one.words)
    return f"""# mi: completion for bash. Use it with:  source <(mi completion bash)
_mi_known() {{ local one; for one in {known}; do [ "$one" = "$1" ] && return 0; done; return 1; }}
_mi() {{
  local current="${{COMP_WORDS[COMP_CWORD]}}" at=1 path="" word words
  while [ "$at" -lt "$COMP_CWORD" ]; do
    word="${{COMP_WORDS[at]}}"
    _mi_known "${{path:+$path }}$word" && path="${{path:+$path }}$word"
    at=$((at + 1))
  done
  case "$path" in
{cases}
  esac
  case "$path ${{COMP_WORDS[COMP_CWORD-1]}}" in
{values}
  esac
  COMPREPLY=($(compgen -W "$words" -- "$current"))
  [ "${{#COMPREPLY[@]}}" -gt 0 ] || COMPREPLY=($(compgen -f -- "$current"))
}}
complete -o default -o filenames -F _mi mi"""


def _zsh(nodes: list[CompletionNode]) -> str:
    head = "# mi: completion for zsh. Use it with:  source <(mi completion zsh)"
    _, _, script = _bash(nodes).partition("\n")
    loaded = "(( $+functions[compdef] )) || { autoload -U compinit && compinit -D; }"  # a bare zsh has none
    return f"{head}\n{loaded}\nautoload -U +X bashcompinit && bashcompinit\n{script}"


def _fish(nodes: list[CompletionNode]) -> str:
    """Files are offered only where nothing else can follow: a path, a transcript, an export."""
    lines = ["# mi: completion for fish. Use it with:  mi completion fish | source"]
    for node in nodes:
        condition = _fish_condition(node, nodes)
        if node.follow:
            lines.append(f"complete -c mi -n {condition} -f")
        for word, about in node.follow.items():
            lines.append(f"complete -c mi -n {condition} -a {_quoted(word)} -d {_quoted(about)}")
        for flag, about in node.flags.items():
            taken = node.choices.get(flag, ())
            values = f" -x -a {_quoted(' '.join(taken))}" if taken else ""
            lines.append(f"complete -c mi -n {condition} -l {flag.removeprefix('--')}{values} -d {_quoted(about)}")
    return "\n".join(lines)


def _fish_condition(node: CompletionNode, nodes: list[CompletionNode]) -> str:
    """Return the condition that holds after the node's words and before those below it; a path may come first."""
    seen = [f"__fish_seen_subcommand_from {word}" for word in node.words]
    deeper = [one.words[-1] for one in nodes if one.words[:-1] == node.words and one.words]
    return _quoted("; and ".join([*seen, *([f"not __fish_seen_subcommand_from {' '.join(deeper)}"] if deeper else [])]))


def _quoted(text: str) -> str:
    return "'" + text.replace("\\", "\\\\").replace("'", "\\'") + "'"
