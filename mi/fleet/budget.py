"""What may run at present, by the budgets for all queued runs and for those of one agent."""

from collections.abc import Mapping

from mi.fleet.queue import ClaimRules, Spending
from mi.kernel.config.types import AgentBudget, FleetConfig

ALL = "*"


def choose_rules(config: FleetConfig, reached: Mapping[str, str]) -> ClaimRules:
    """Return the rules for claims while some budgets are spent."""
    most_of = {name: budget.jobs for name, budget in config.vendors.items() if budget.jobs is not None}
    most = 0 if ALL in reached else config.jobs
    held = {name: why for name, why in reached.items() if name != ALL}
    return ClaimRules(most=most, most_of=most_of, held=held)


def find_reached(config: FleetConfig, spent: Mapping[str, Spending]) -> dict[str, str]:
    """Return the settings whose budget of a day is spent, by agent; `*` is that of all. Unknown reaches no limit."""
    total = Spending(sum(one.cost_usd or 0.0 for one in spent.values()), sum(one.tokens or 0 for one in spent.values()))
    whole = AgentBudget(max_cost_per_day=config.max_cost_per_day, max_tokens_per_day=config.max_tokens_per_day)
    limits = [(ALL, "fleet", whole, total)]
    limits += [
        (name, f"fleet.vendors.{name}", budget, spent.get(name, Spending(0.0, 0)))
        for name, budget in config.vendors.items()
    ]
    found: dict[str, str] = {}
    for name, path, budget, used in limits:
        for limit in ("max_cost_per_day", "max_tokens_per_day"):
            most = getattr(budget, limit)
            amount = used.cost_usd if limit == "max_cost_per_day" else used.tokens
            if most is not None and (amount or 0) >= most:
                found[name] = f"{path}.{limit} = {most:g}"
    return found
