"""OpenClaw: skills only, as folders below `skills/` of its workspace."""

from mi.hosts.adapters import Scope
from mi.hosts.adapters.host import as_skill, below_home, cannot, skill_artefacts
from mi.hosts.artefacts import Agent, Artefact, HookEntry, McpEntry, Skill, Wish


class OpenClaw:
    name = "openclaw"
    skills = "skills"

    def artefacts(self, wish: Wish, scope: Scope) -> list[Artefact]:
        match wish:
            case Skill() | Agent():
                skill = as_skill(wish) if isinstance(wish, Agent) else wish
                skills = below_home("OPENCLAW_STATE_DIR", ".openclaw", "skills") if scope == "user" else self.skills
                return skill_artefacts(self.name, skills, skill, scope)
            case HookEntry() | McpEntry():
                raise cannot(self.name, wish)


HOST = OpenClaw()
