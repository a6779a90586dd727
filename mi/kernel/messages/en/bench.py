"""English texts of the bench area."""

TEXT: dict[str, str] = {
    "error.bench-nothing": "no scenario is called {value!r} (families: {known}; every id: mi bench judge --list)",
    "error.bench-no-proof": "this MI has no proof of its own to measure (use --mode events)",
    "error.bench-section": "{flag} {value!r} is no JSON object: {reason} (give the section as mi config show prints it)",
    "bench.progress": "{done} of {total} played, {wrong} wrong",
    "bench.proof": "with proof: {played} runs, {tricks} of them tricks",
    "bench.events": "by the agent's events alone: {played} runs, {tricks} of them tricks",
    "bench.proved": "{proved} of {done} done by MI's own run of the checks",
    "bench.family": "family",
    "bench.language": "language",
    "bench.runs": "runs",
    "bench.all": "all",
    "bench.goal-met": "✓ {mistakes}: {made} of {chances} (goal: at most {allowed})",
    "bench.goal-missed": "✗ {mistakes}: {made} of {chances} (goal: at most {allowed})",
    "bench.not-run": "not run: {count} scenario{count:s}, because {program} is not installed here",
}
