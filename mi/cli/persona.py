"""`mi persona`: a team's shared mind in files."""

from typing import TYPE_CHECKING

from mi.app.home_context import HomeContext
from mi.app.members import build_member
from mi.app.team import build_persona
from mi.cli.arguments import Args, Group, Parser, add_cd, add_json
from mi.cli.output import Output

if TYPE_CHECKING:
    from mi.persona.boot import ReviewerHealth
    from mi.persona.cards import CardProblem


def build_parser(name: str) -> Parser:
    """Build the parser of the command."""
    group = Group("mi persona", "A team's principles, cards and session logs, shared in files.", "mi persona init")
    init = group.add("init", "make a persona: folders, core texts, .gitignore", "mi persona init --project", _init)
    init.add_argument("--project", action="store_true", help="in the project, shared by git (default: in the MI home)")
    boot = group.add("boot", "read the core, open a window, see what others do", "mi persona boot --json", _boot)
    member = group.add(
        "member", "who of the team you are, bound to git's e-mail", "mi persona member ada", _member, person_only=_binds
    )
    member.add_argument("name", nargs="?", default="", help="the member you are (default: show all)")
    add_cd(member)
    add_json(member)
    lint = group.add("lint", "check core files, cards, proposals, paths and secrets", "mi persona lint", _lint)
    note = group.add("note", "keep a private note", 'mi persona note "prefers short answers"', _note)
    note.add_argument("text", help="the note")
    notes = group.add("notes", "show your private notes", "mi persona notes", _notes)
    encrypt = group.add(
        "encrypt",
        "keep your private notes encrypted, by age or OpenSSL",
        "mi persona encrypt",
        _encrypt,
        person_only=True,
    )
    encrypt.add_argument("--yes", action="store_true", help="do not ask")
    decrypt = group.add(
        "decrypt", "make your private notes plain files again", "mi persona decrypt", _decrypt, person_only=True
    )
    conformance = group.add(
        "conformance",
        "what the persona's specification asks for, and the tests that prove it",
        "mi persona conformance",
        _conformance,
    )
    publish = group.add(
        "publish", "write what may be shared to a new folder", "mi persona publish ../shared-persona", _publish
    )
    publish.add_argument("target", metavar="folder", help="a folder that does not exist yet, or is empty")
    for one in (init, boot, lint, note, notes, encrypt, decrypt, conformance, publish):
        add_where(one)
    return group.parser


def add_where(parser: Parser) -> None:
    """Add the flags for project, member and form."""
    parser.add_argument(
        "--member", metavar="NAME", default="", help="act as this member (default: persona.member, else mi)"
    )
    add_cd(parser)
    add_json(parser)


def _init(context: HomeContext, args: Args) -> int:
    import os

    from mi.persona.make import make

    persona = build_persona(context, args.member)
    if args.project and not context.config.persona.root:
        persona = persona._replace(root=os.path.join(context.choice.root, "persona"), project=context.choice.root)
    made = make(persona)
    out = Output(context.language)
    if args.json:
        out.json({"root": persona.root, "made": made})
        return 0
    out.say("persona.made" if made else "persona.complete", path=persona.root, count=len(made))
    return 0


def _boot(context: HomeContext, args: Args) -> int:
    import msgspec

    from mi.app.inbox import look_at_inbox
    from mi.hosts.integrity import find_changed_hooks
    from mi.persona.boot import boot

    for file in find_changed_hooks(context.home, context.choice.root):
        context.notices.add("hooks-changed", file.path, missing=file.missing, entered=file.entered)
    booted = boot(build_member(context, args.member), lambda: check_reviewers(context))
    out = Output(context.language)
    waiting = look_at_inbox(context).describe(context.language)
    if args.json:
        out.json(msgspec.to_builtins(booted) | {"waiting": waiting})
        return 0
    out.say("persona.booted", member=booted.member, slot=booted.slot, sid=booted.sid, path=booted.log_path)
    if booted.first_boot:
        out.say("persona.first-boot")
        out.say("persona.ready")
    else:
        out.say("persona.last", path=booted.last_session)
        _list(out, booted.last_summary)
    if booted.private_locked:
        out.say("persona.private-locked")
    if booted.pending:
        out.say("persona.pending")
        _list(out, booted.pending)
    for one in booted.handoffs:
        out.say("persona.handoff", id=one.id, status=one.status, sender=one.sender, task=one.task)
    for window in booted.windows:
        out.say("persona.window", slot=window.slot or "-", day=window.day, count=len(window.completed))
        _list(out, [*window.completed, *window.decisions] or [one for one in [window.whole] if one])
    out.say("persona.cards", active=booted.index.get("total_active", 0), loaded=", ".join(booted.cards) or "-")
    if waiting:
        out.line(waiting)
    for health in booted.reviewers:
        key = "persona.reviewer-ok" if health.ok else "persona.reviewer-down"
        out.say(key, name=health.name, reason=health.reason)
    return 0


def check_reviewers(context: HomeContext) -> "list[ReviewerHealth]":
    """Return whether each configured reviewer can be asked."""
    from mi.persona.boot import ReviewerHealth

    if not context.config.governance.reviewers:
        return []
    from mi.review.calls import check_health

    return [ReviewerHealth(name=name, ok=not missing, reason=missing) for name, missing in check_health(context.config)]


def _list(out: Output, items: list[str]) -> None:
    from mi.kernel.safe_text import shorten_gist

    for item in items[:8]:
        out.line("  - " + shorten_gist(item, 100))
    if len(items) > 8:
        out.say("persona.more", count=len(items) - 8)


def offer_member(context: HomeContext, args: Args, out: Output) -> None:
    """Bind the person to the human they are: the only one, or the one they name; else say how it is done later."""
    from mi.app.members import bind_member, find_own_member, read_email, read_members
    from mi.cli.prompts import ask_person
    from mi.kernel.errors import MiError

    try:
        members = read_members(build_persona(context))
    except MiError:
        return  # `mi persona lint` says what is wrong with the table
    humans = [one.name for one in members if one.type == "human"]
    own = find_own_member(context, members)
    email = read_email(context.choice.root)
    if not humans or not email or (own and context.config.persona.email == email):
        return
    question = out.text("persona.ask-member", email=email, names=", ".join(humans))
    name = own or ("" if args.json else ask_person(context, question) or "")
    if name in humans:
        bind_member(context, name)
    if not args.json:
        key = "persona.bound" if name in humans else "persona.bind-later"
        out.say(key, name=name, email=email, names=", ".join(humans))


def _binds(context: HomeContext, args: Args) -> bool:
    """Return whether somebody says who they are."""
    return bool(args.name)


def _member(context: HomeContext, args: Args) -> int:
    from mi.app.members import bind_member, find_own_member, read_members
    from mi.persona.place import require_persona

    members = read_members(require_persona(build_persona(context)))
    out = Output(context.language)
    if args.name:
        email = bind_member(context, args.name)
        if args.json:
            out.json({"member": args.name, "email": email})
        else:
            out.say("persona.bound", name=args.name, email=email)
        return 0
    own = find_own_member(context, members)
    if args.json:
        out.json([{"name": one.name, "type": one.type, "you": one.name == own} for one in members])
        return 0
    for one in members:
        out.say("persona.you" if one.name == own else "persona.member", name=one.name, type=one.type)
    return 0


def _lint(context: HomeContext, args: Args) -> int:
    from mi.persona.place import require_persona
    from mi.persona.sharing import lint

    found = lint(require_persona(build_member(context, args.member)), _identities(context))
    out = Output(context.language)
    if args.json:
        out.json([{"path": one.path, "code": one.code, "text": _problem(out, one)} for one in found])
    else:
        for one in found:
            out.line(_problem(out, one))
        out.say("persona.lint", count=len(found))
    return 1 if found else 0


def _problem(out: Output, problem: "CardProblem") -> str:
    return out.text("error." + problem.code, **({"path": problem.path} | problem.details))


def _identities(context: HomeContext) -> tuple[str, ...]:
    """Return the real name that git knows; it belongs into no shared file."""
    from mi.kernel import git

    name = git.run(context.choice.root, "config", "user.name").output.strip()
    return (name,) if " " in name else ()


def _note(context: HomeContext, args: Args) -> int:
    from mi.persona.session_log import add_note

    path = add_note(build_member(context, args.member), args.text)
    out = Output(context.language)
    if args.json:
        out.json({"path": path})
    else:
        out.say("persona.noted", path=path)
    return 0


def _notes(context: HomeContext, args: Args) -> int:
    from mi.persona.session_log import read_notes

    notes = read_notes(build_member(context, args.member))
    out = Output(context.language)
    if args.json:
        out.json(notes)
        return 0
    for note in notes:
        out.line(note)
    if not notes:
        out.say("persona.no-notes")
    return 0


def _encrypt(context: HomeContext, args: Args) -> int:
    import os

    from mi.cli.prompts import ask_person, is_yes
    from mi.kernel.errors import Blocked
    from mi.persona.encryption import find_cipher
    from mi.persona.place import require_persona
    from mi.persona.private_files import check_key_place, encrypt_all, find_key, list_encrypted

    persona, out = require_persona(build_member(context, args.member)), Output(context.language)
    check_key_place(persona, context.home.root)
    key = find_key(persona)
    is_new = not os.path.lexists(key) and not list_encrypted(persona)
    if is_new:
        loss = out.text("persona.key-loss", key=key, program=find_cipher().program)
        if not args.yes and not is_yes(ask_person(context, f"{loss}\n{out.text('persona.ask-encrypt')}")):
            raise Blocked("encrypt-needs-yes", loss=loss)
    done = encrypt_all(persona)
    if args.json:
        out.json({"encrypted": done, "folder": persona.private, "key": key, "new_key": is_new})
        return 0
    if is_new and args.yes:
        out.line(loss)
    out.say("persona.encrypted", count=len(done), path=persona.private)
    return 0


def _decrypt(context: HomeContext, args: Args) -> int:
    from mi.persona.place import require_persona
    from mi.persona.private_files import decrypt_all, find_key

    persona, out = require_persona(build_member(context, args.member)), Output(context.language)
    done = decrypt_all(persona)
    if args.json:
        out.json({"decrypted": done, "folder": persona.private})
    elif done:
        out.say("persona.decrypted", count=len(done), path=persona.private, key=find_key(persona))
    else:
        out.say("persona.not-encrypted", path=persona.private)
    return 0


def _conformance(context: HomeContext, args: Args) -> int:
    from mi.persona.conformance import read_list

    out = Output(context.language)
    items = read_list()
    if args.json:
        out.json(items)
        return 0
    for one in items:
        tests = ", ".join(one.tests[:2]) + (f" +{len(one.tests) - 2}" if len(one.tests) > 2 else "")
        out.line(f"{one.level:<6} {one.text.removeprefix(one.level).strip()}")
        out.line("       " + (tests if one.supported else out.text("persona.not-supported", reason=one.reason)))
    held = sum(one.supported for one in items)
    out.say("persona.conformance", held=held, total=len(items))
    return 0


def _publish(context: HomeContext, args: Args) -> int:
    import os

    from mi.persona.sharing import publish

    persona = build_member(context, args.member)
    projects = os.path.dirname(context.choice.root)
    variables = {persona.root: "$PERSONA", projects: "$PROJECTS", os.path.expanduser("~"): "$HOME"}
    published = publish(persona, os.path.abspath(args.target), variables)
    out = Output(context.language)
    if args.json:
        out.json({"target": args.target, "written": published.written, "left_out": published.left_out})
        return 0
    out.say("persona.published", count=len(published.written), path=args.target, left=len(published.left_out))
    return 0
