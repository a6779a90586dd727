"""An "always" of the person: a change of permissions for one call, recorded before it holds."""

from typing import TYPE_CHECKING

from mi.app.home_context import HomeContext
from mi.kernel.secrets import redact_start

if TYPE_CHECKING:
    from mi.evidence.records.questions import HookCall, UserInput


def open_always(context: HomeContext, call: "HookCall | None", root: str, given: "UserInput") -> None:
    """Open the call that a question was about for good; the operation is asked about as before on other targets."""
    if call is None or not call.key:
        return
    from mi.evidence.records.governed import Override
    from mi.project.permissions import OpenedCall, open_call

    said = f"{given.question_id}: {given.answer}"
    scope = f"permission {call.operation}: always on {call.target}"
    context.open_global_log().append(Override(reason=redact_start(said, 500), scope=scope), sync=True)
    opened = OpenedCall(
        key=call.key, operation=call.operation, target=call.target, project_root=root, question_id=given.question_id
    )
    open_call(context.home, opened, context.notices)
