"""Every view of the page, in the order of its menu; to add one, add its module and its line here."""

from mi.web.views import costs, diff, health, knowledge, needs_you, report, run, runs, tasks, values, why

VIEWS = (
    needs_you.VIEW,
    runs.VIEW,
    run.VIEW,
    report.VIEW,
    diff.VIEW,
    why.VIEW,
    values.VIEW,
    knowledge.VIEW,
    tasks.VIEW,
    costs.VIEW,
    health.VIEW,
)
