"""The team's persona, and who is about to do something in it."""

from typing import TYPE_CHECKING

from mi.app.home_context import HomeContext

if TYPE_CHECKING:
    from mi.persona.place import PersonaView
    from mi.project.permissions import Worker


def build_persona(context: HomeContext, member: str = "") -> "PersonaView":
    """Return the team's persona as a member sees it; asking makes nothing."""
    from mi.persona.place import check_member_name, find_view

    settings = context.config.persona
    name = check_member_name(member or settings.member or "mi")
    return find_view(settings.root, context.choice.root, context.home.root, name)._replace(key=settings.key)


def build_worker(context: HomeContext, folder: str = "", member: str = "") -> "Worker":
    """Return who is about to do something, and where: for the permission decision."""
    from mi.project.permissions import Worker

    persona = build_persona(context, member)
    return Worker(folder or context.choice.root, persona.member, persona.root)
