"""Every setting of `config.json`, its type and its default. The types are the only list of settings there is."""

from typing import Literal

from msgspec import Struct, field

from mi.kernel.language import Code

Policy = Literal["values_judged", "ask", "allow"]
Capability = Literal["no_file_edit", "no_task_create", "no_task_update", "no_shell_exec"]


class HttpMind(Struct, frozen=True, kw_only=True):
    """A model behind HTTPS."""

    base_url: str = ""
    model: str = ""
    api_key_env: str = ""
    api_key: str = ""
    timeout_s: int = 60
    max_retries: int = 2
    max_tokens: int | None = None


class CliMind(Struct, frozen=True, kw_only=True):
    """A model behind an agent CLI with structured output."""

    path: str = ""
    model: str = ""
    timeout_s: int | None = None


class MindConfig(Struct, frozen=True, kw_only=True):
    """Who judges."""

    provider: Literal["auto", "rules", "codex_schema", "claude_schema", "openai_compatible", "anthropic"] = "auto"
    models: dict[str, str] = {}
    openai_compatible: HttpMind = field(default_factory=HttpMind)
    anthropic: HttpMind = field(default_factory=HttpMind)
    codex_schema: CliMind = field(default_factory=CliMind)
    claude_schema: CliMind = field(default_factory=CliMind)


class CodexConfig(Struct, frozen=True, kw_only=True):
    path: str = ""
    sandbox: Literal["read-only", "workspace-write", "danger-full-access"] = "workspace-write"
    args: tuple[str, ...] = ()


class Claude(Struct, frozen=True, kw_only=True):
    path: str = ""
    permission_mode: str = "acceptEdits"
    allowed_tools: tuple[str, ...] = ()
    args: tuple[str, ...] = ()


class Cli(Struct, frozen=True, kw_only=True):
    """Any agent CLI, wrapped."""

    exec: tuple[str, ...] = ()
    resume: tuple[str, ...] = ()
    prompt_mode: Literal["arg", "stdin"] = "arg"
    thread_id_regex: str = ""
    events: Literal["auto", "none", "codex", "claude", "jsonl"] = "auto"  # whose stream proves commands
    env: dict[str, str] = {}


class Replay(Struct, frozen=True, kw_only=True):
    file: str = ""


class HandsConfig(Struct, frozen=True, kw_only=True):
    """Who works."""

    provider: Literal["auto", "codex", "claude", "cli", "replay"] = "auto"
    continue_across_runs: bool = False
    leftovers: Literal["end", "tell", "leave"] = "tell"  # processes that an agent that ended well leaves running
    codex: CodexConfig = field(default_factory=CodexConfig)
    claude: Claude = field(default_factory=Claude)
    cli: Cli = field(default_factory=Cli)
    replay: Replay = field(default_factory=Replay)


class VerificationConfig(Struct, frozen=True, kw_only=True):
    no_tests_policy: Literal["ask_once_per_project_then_remember", "never_ask"] = "ask_once_per_project_then_remember"
    command: str = ""
    scope: Literal["all", "related"] = "all"  # related: the tests nearest to a change are enough
    prove_seconds: int = 900
    prove_network: bool = True


class ExternalActions(Struct, frozen=True, kw_only=True):
    network_policy: Policy = "values_judged"
    install_policy: Policy = "values_judged"


class Interrupt(Struct, frozen=True, kw_only=True):
    mode: Literal["off", "on_high_risk", "on_any_external"] = "off"
    signal_sequence: tuple[Literal["SIGINT", "SIGTERM", "SIGKILL"], ...] = ("SIGINT", "SIGTERM", "SIGKILL")
    escalation_ms: tuple[int, ...] = (2000, 5000)


class Transparency(Struct, frozen=True, kw_only=True):
    store_raw_transcript: bool = True
    store_evidence_log: bool = True
    ui_expandable_transcript: bool = True


class Workflows(Struct, frozen=True, kw_only=True):
    auto_mine: bool = True
    auto_enable: bool = True
    min_occurrences: int = 2
    allow_single_if_high_benefit: bool = True
    auto_sync_on_change: bool = True


class RecallTriggers(Struct, frozen=True, kw_only=True):
    run_start: bool = True
    before_ask_user: bool = True
    risk_signal: bool = True


class CrossProjectRecallConfig(Struct, frozen=True, kw_only=True):
    enabled: bool = True
    top_k: int = 3
    max_chars: int = 1800
    include_kinds: tuple[str, ...] = ("snapshot", "workflow", "claim", "node")
    exclude_current_project: bool = False
    prefer_current_project: bool = True
    triggers: RecallTriggers = field(default_factory=RecallTriggers)


class PreferenceMiningConfig(Struct, frozen=True, kw_only=True):
    auto_mine: bool = True
    min_occurrences: int = 2
    allow_single_if_high_benefit: bool = True
    min_confidence: float = 0.75
    max_suggestions: int = 3


class LearnUpdateConfig(Struct, frozen=True, kw_only=True):
    enabled: bool = True
    min_new_suggestions_per_run: int = 2
    min_active_learned_claims: int = 3
    min_confidence: float = 0.9
    max_claims: int = 6
    max_retracts: int = 6


class ViolationResponse(Struct, frozen=True, kw_only=True):
    auto_learn: bool = True
    ask_user_on_high_risk: bool = True
    ask_user_risk_severities: tuple[Literal["low", "medium", "high", "critical"], ...] = ("high", "critical")
    ask_user_risk_categories: tuple[str, ...] = ()
    ask_user_respect_should_ask_user: bool = True
    learn_update: LearnUpdateConfig = field(default_factory=LearnUpdateConfig)


class WhyTraceConfig(Struct, frozen=True, kw_only=True):
    auto_on_run_end: bool = False
    top_k: int = 12
    min_write_confidence: float = 0.7
    write_edges: bool = True


class ThoughtDb(Struct, frozen=True, kw_only=True):
    enabled: bool = True
    auto_mine: bool = True
    auto_materialize_nodes: bool = True
    min_confidence: float = 0.9
    max_claims_per_checkpoint: int = 6
    why_trace: WhyTraceConfig = field(default_factory=WhyTraceConfig)


class ProjectSelection(Struct, frozen=True, kw_only=True):
    auto_update_last: bool = True


class Injection(Struct, frozen=True, kw_only=True):
    max_chars: int = 2000


class RunLimits(Struct, frozen=True, kw_only=True):
    """What a run may spend; null is no limit. `wait`: until the agent vendor's own limit ends."""

    batches: int | None = 8
    minutes: float | None = None
    tokens: int | None = None
    cost_usd: float | None = None
    wait: bool = False


class Retry(Struct, frozen=True, kw_only=True):
    """How often an agent is started again after its vendor or the network failed, and how long is waited before."""

    attempts: int = 4
    wait_s: tuple[float, ...] = (5, 30, 120, 300)


class Runtime(Struct, frozen=True, kw_only=True):
    """How a run behaves."""

    verification: VerificationConfig = field(default_factory=VerificationConfig)
    external_actions: ExternalActions = field(default_factory=ExternalActions)
    interrupt: Interrupt = field(default_factory=Interrupt)
    transparency: Transparency = field(default_factory=Transparency)
    workflows: Workflows = field(default_factory=Workflows)
    cross_project_recall: CrossProjectRecallConfig = field(default_factory=CrossProjectRecallConfig)
    preference_mining: PreferenceMiningConfig = field(default_factory=PreferenceMiningConfig)
    violation_response: ViolationResponse = field(default_factory=ViolationResponse)
    thought_db: ThoughtDb = field(default_factory=ThoughtDb)
    project_selection: ProjectSelection = field(default_factory=ProjectSelection)
    injection: Injection = field(default_factory=Injection)
    limits: RunLimits = field(default_factory=RunLimits)
    retry: Retry = field(default_factory=Retry)
    autonomy: Literal["ask", "earned"] = "ask"  # earned: MI answers where it has been right about the person


class SnapshotConfig(Struct, frozen=True, kw_only=True):
    """The never-lose net: the work tree kept before each batch of a run."""

    enabled: bool = True
    max_file: int = 10_000_000  # bytes of an untracked file; a larger one is left out and named
    secrets: Literal["skip", "keep"] = "skip"  # untracked files in which a secret is found


class AgentBudget(Struct, frozen=True, kw_only=True):
    """What the queued runs of one agent may use; null is no limit."""

    jobs: int | None = None
    max_cost_per_day: float | None = None
    max_tokens_per_day: int | None = None


class FleetConfig(Struct, frozen=True, kw_only=True):
    """Many runs on one machine: what queued runs may use together, and those of one agent; null is no limit."""

    tick: Literal["merge", "done"] = "merge"  # when the list hears of a task that a run did in a work tree of its own
    jobs: int | None = None  # runs at a time, of all workers
    max_cost_per_day: float | None = None  # in USD
    max_tokens_per_day: int | None = None
    vendors: dict[str, AgentBudget] = {}  # by the agent's name: codex, claude, cli
    push: bool = False  # whether the work of runs of the hub's queue goes to the git remote, below refs/mi/


class HubConfig(Struct, frozen=True, kw_only=True):
    """What a home that joined a hub gives to it."""

    share: Literal["off", "team", "runs"] = "team"  # nothing, what the person said for the team, or also their runs
    devices: Literal["off", "on"] = "off"  # whether all that is known travels between the person's own homes


class MemoryConfig(Struct, frozen=True, kw_only=True):
    """How what is known is found."""

    semantic: Literal["off", "on"] = "off"  # on: by its meaning, too; needs mind-incarnation[semantic]


class ContractTasks(Struct, frozen=True, kw_only=True):
    verify: Literal["ask", "proceed"] = "proceed"


class ContractEvidence(Struct, frozen=True, kw_only=True):
    allow_command: bool = False
    commands: tuple[str, ...] = ()


class Contract(Struct, frozen=True, kw_only=True):
    """The agents' door."""

    tasks: ContractTasks = field(default_factory=ContractTasks)
    least_mode: Literal["GUARDED", "STRICT"] = "GUARDED"  # the least that an agent must declare to change something
    receipt_max_age_s: int = 3600
    evidence: ContractEvidence = field(default_factory=ContractEvidence)


class Governance(Struct, frozen=True, kw_only=True):
    preflight: Literal["off", "irreversible", "advise", "enforce"] = "irreversible"
    profile: Literal["light", "standard", "strict"] = "light"  # of permissions
    reviewers: tuple[str, ...] = ()
    urgency_words: tuple[str, ...] = ()
    preferred_speed: tuple[Literal[1, 2, 3, 4], ...] = ()  # levels beside S1 and S3 when something is urgent
    prompt_to_allow: bool = False  # whether a permission may ever be loosened from PROMPT to ALLOW


class PersonaConfig(Struct, frozen=True, kw_only=True):
    root: str = ""
    member: str = ""
    email: str = ""  # of git, to which the member is bound
    key: str = ""  # the file with the key to encrypted private notes; "" is ~/.config/mind-incarnation/persona.key


class MemoryGc(Struct, frozen=True, kw_only=True):
    """Three independent signals that a memory file is forgotten; null takes one away."""

    auto: bool = False
    days: int | None = 180
    cycles: int | None = 6
    accesses: int | None = 0


class Nexus(Struct, frozen=True, kw_only=True):
    harness_id: str = "mi"
    memory_gc: MemoryGc = field(default_factory=MemoryGc)
    memory_overlap: float = 0.5  # share of a new memory's words that an existing file must hold to take it in
    memory_categories: tuple[str, ...] = ()  # beside empirical, external and pattern
    agent_capabilities: dict[str, tuple[Capability, ...]] = {}  # agent → what it may not do beside its canonical ones


class Mcp(Struct, frozen=True, kw_only=True):
    tools: tuple[str, ...] = ("memory", "tasks")


class Hooks(Struct, frozen=True, kw_only=True):
    enforce: tuple[str, ...] = ("permissions",)


NotifyEvent = Literal["question", "done", "blocked", "failed", "limit", "drained"]


class NotifyTarget(Struct, frozen=True, kw_only=True):
    """One way to reach the person, and the events it is for."""

    kind: Literal["command", "desktop", "ntfy", "webhook"]
    command: str = ""
    url: str = ""
    token_env: str = ""  # the environment variable that holds the token
    events: tuple[NotifyEvent, ...] = ("question", "done", "blocked", "failed", "limit", "drained")


class Config(Struct, frozen=True, kw_only=True):
    """The whole of `config.json`."""

    version: Literal["v1"] = "v1"
    language: Literal["auto", Code] = "auto"
    profile: Literal["light", "team", "strict"] = "light"  # the defaults here are light's; config/profiles.py
    notify: str | tuple[NotifyTarget, ...] = ""  # one text is a command that is told of questions
    mind: MindConfig = field(default_factory=MindConfig)
    hands: HandsConfig = field(default_factory=HandsConfig)
    runtime: Runtime = field(default_factory=Runtime)
    snapshot: SnapshotConfig = field(default_factory=SnapshotConfig)
    fleet: FleetConfig = field(default_factory=FleetConfig)
    hub: HubConfig = field(default_factory=HubConfig)
    memory: MemoryConfig = field(default_factory=MemoryConfig)
    contract: Contract = field(default_factory=Contract)
    governance: Governance = field(default_factory=Governance)
    persona: PersonaConfig = field(default_factory=PersonaConfig)
    nexus: Nexus = field(default_factory=Nexus)
    mcp: Mcp = field(default_factory=Mcp)
    hooks: Hooks = field(default_factory=Hooks)
