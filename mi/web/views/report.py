"""The report of a run as a file: Markdown, or one page to send."""

from mi.app.report import build_report, write_report
from mi.kernel.errors import UsageError
from mi.web.view import Download, PageRequest, PageView

_TYPES = {"md": "text/markdown; charset=utf-8", "html": "text/html; charset=utf-8"}


def _show(request: PageRequest) -> Download:
    form, run_id = request.params["form"], request.params["run_id"]
    if form not in _TYPES:
        raise UsageError("no-such-choice", name="report", value=repr(form), known=", ".join(_TYPES), hint="mi report")
    report = build_report(request.context, run_id, lambda done, total: None)
    content = write_report(report, form, request.language).encode()
    return Download(f"{report.story.run_id}.{form}", _TYPES[form], content)


VIEW = PageView(_show)
