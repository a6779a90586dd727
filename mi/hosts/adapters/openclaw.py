"""OpenClaw: skills only, as folders below `skills/` of its workspace."""

from mi.hosts.adapters import HOSTS, Scope
from mi.hosts.adapters.host import list_skill_artefacts, make_skill, refuse
from mi.hosts.artefacts import Agent, Artefact, HookEntry, McpEntry, Skill, Wish


class OpenClaw:
    name = "openclaw"
    skills = "skills"

    def artefacts(self, wish: Wish, scope: Scope) -> list[Artefact]:
        match wish:
            case Skill() | Agent():
                skill = make_skill(wish) if isinstance(wish, Agent) else wish
                skills = HOSTS[self.name].settings(scope, "skills") if scope == "user" else self.skills
                return list_skill_artefacts(self.name, skills, skill, scope)
            case HookEntry() | McpEntry():
                raise refuse(self.name, wish)


HOST = OpenClaw()
