"""Which member of the team sits here: a person as the human they are bound to, an agent as an AI member."""

from typing import TYPE_CHECKING

from mi.app.home_context import HomeContext
from mi.app.team import build_persona

if TYPE_CHECKING:
    from mi.persona.members import Role
    from mi.persona.place import PersonaView


def build_member(context: HomeContext, member: str = "") -> "PersonaView":
    """Return the persona as whoever sits here sees it; Blocked when `member` is somebody else, or nobody knows them."""
    persona = build_persona(context, member)
    members = read_members(persona)
    if member or context.config.persona.member:
        _require_known(members, persona.member)
    if not _is_human(members, persona.member):
        return persona
    from mi.app.speaker import find_speaker, refuse

    speaker = find_speaker(context)
    if speaker.by == "terminal":
        _require_own(context, members, persona.member)
        return persona
    if member:
        refuse(context, speaker, f"--member {member}", f"mi … --member {member}", "cli")
    return build_agent_member(context)


def build_agent_member(context: HomeContext) -> "PersonaView":
    """Return the persona as an agent sees it: a human's name is no agent's."""
    persona = build_persona(context)
    members = read_members(persona)
    if not _is_human(members, persona.member):
        return persona
    return persona._replace(member=next((one.name for one in members if one.type == "ai"), "mi"))


def check_reviewer(context: HomeContext, persona: "PersonaView", by: str) -> str:
    """Return who decides: the name that was given, if it is theirs who sits here; else whoever that is."""
    from mi.app.speaker import find_speaker
    from mi.kernel.errors import Blocked

    members = read_members(persona)
    is_person = find_speaker(context).by == "terminal"
    name = by or (find_own_member(context, members) if is_person else "") or persona.member
    _require_known(members, name)
    if is_person and members and not _is_human(members, name):
        raise Blocked("member-is-ai", name=name)
    if is_person and members:
        _require_own(context, members, name)
    return name


def check_receiver(persona: "PersonaView", name: str) -> None:
    """Raise UsageError unless the team has this member."""
    _require_known(read_members(persona), name)


def find_own_member(context: HomeContext, members: "list[Role]") -> str:
    """Return the human whom the person is: the one they are bound to, else the only one; '' where nobody can tell."""
    settings = context.config.persona
    humans = [one.name for one in members if one.type == "human"] or ["human"]
    if settings.member in humans:
        return settings.member if settings.email in ("", read_email(context.choice.root)) else ""
    return humans[0] if len(humans) == 1 else ""


def bind_member(context: HomeContext, name: str) -> str:
    """Keep in the person's configuration who they are, bound to the e-mail that git has here; returns that e-mail."""
    from mi.kernel.config.edit import apply_part
    from mi.kernel.errors import UsageError

    members = read_members(build_persona(context))
    _require_known(members, name)
    if members and not _is_human(members, name):
        raise UsageError("member-not-human", name=name)
    email = read_email(context.choice.root)
    if not email:
        raise UsageError("member-no-email")
    apply_part(context.home, {"persona": {"member": name, "email": email}})
    return email


def read_members(persona: "PersonaView") -> "list[Role]":
    """Return the members that the persona's table names; none without a table."""
    import os

    from mi.persona.boot import CORE
    from mi.persona.members import read_roles
    from mi.persona.place import read_text

    if not os.path.isdir(persona.root):
        return []
    return read_roles(read_text(persona, persona.path(CORE[0])) or "")


def read_email(root: str) -> str:
    """Return the e-mail that git commits with here; '' where it has none."""
    from mi.kernel import git

    return git.run(root, "config", "--get", "user.email").output.strip()


def _is_human(members: "list[Role]", name: str) -> bool:
    from mi.persona.members import is_human

    return bool(members) and is_human(members, name)


def _require_known(members: "list[Role]", name: str) -> None:
    from mi.kernel.errors import UsageError

    if members and not _is_human(members, name) and all(one.name != name for one in members):
        raise UsageError("unknown-member", name=name, known=", ".join(one.name for one in members))


def _require_own(context: HomeContext, members: "list[Role]", name: str) -> None:
    from mi.kernel.errors import Blocked

    own, settings = find_own_member(context, members), context.config.persona
    if own == name:
        return
    if own:
        raise Blocked("member-not-you", name=name, own=own)
    if settings.member and settings.email:
        email = read_email(context.choice.root) or "-"
        raise Blocked("member-other-email", name=settings.member, bound=settings.email, email=email)
    raise Blocked("member-unbound", name=name)
