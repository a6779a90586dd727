"""Every view of the page, in the order of its menu; to add one, add its module and its line here."""

from mi.web.view import ViewPlace

VIEWS = (
    ViewPlace("needs_you", "/"),
    ViewPlace("runs", "/runs"),
    ViewPlace("run", "/run/{run_id}", in_menu=False),
    ViewPlace("report", "/run/{run_id}/report/{form}", in_menu=False),
    ViewPlace("diff", "/run/{run_id}/diff", in_menu=False),
    ViewPlace("why", "/why/{ref}", in_menu=False),
    ViewPlace("values", "/values"),
    ViewPlace("knowledge", "/knowledge"),
    ViewPlace("tasks", "/tasks"),
    ViewPlace("costs", "/costs"),
    ViewPlace("health", "/health"),
)
