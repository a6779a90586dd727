"""What the page says of knowledge, tasks, costs and health."""

TEXT: dict[str, str] = {
    "web.costs": "Costs",
    "web.grouped": "Grouped by",
    "web.measure": "Measured in",
    "web.span": "Span",
    "web.span-days": "{count} days",
    "web.span-all": "all",
    "web.costs-caption": "What runs cost together; what a run does not tell is unknown.",
    "web.at-least": "{figure} + unknown",
}
