"""Patterns that are slower than linear still, as the test names them: this list only becomes shorter."""

SUPERLINEAR = (
    "mi.project.checks.definitions  , (?![^<\\[{(]*[>\\]})])",
    "mi.project.checks.definitions (?:\\# \\[ [^]]* \\] )*(?:@\\S+ )*(?:(?:expo",
    "mi.project.sought_names.tokens ((?:\\# \\[ [^\\]]*\\] )*)(pub (?:\\( \\w+ \\) ",
)
