"""Changing a permission: every step the rules allow or refuse."""

import pytest

from mi.review.permission_changes import SAFE_USES, PermissionChange, refusal

CHANGES = [
    (PermissionChange("edit", "ALLOW", "PROMPT", by_human=False), ""),
    (PermissionChange("edit", "ALLOW", "DENY", by_human=False), ""),
    (PermissionChange("push", "PROMPT", "DENY", by_human=False), ""),
    (PermissionChange("push", "PROMPT", "PROMPT", by_human=False), ""),
    (PermissionChange("production-data", "DENY", "ALLOW", reason="x"), "permission-two-steps"),
    (PermissionChange("production-data", "DENY", "PROMPT", reason="x"), ""),
    (PermissionChange("production-data", "DENY", "PROMPT", reason=" "), "permission-needs-reason"),
    (PermissionChange("production-data", "DENY", "PROMPT", reason="x", by_human=False), "permission-needs-human"),
    (
        PermissionChange("production-data", "PROMPT", "ALLOW", reason="x", may_relax=True, safe_uses=99),
        "permission-soft",
    ),
    (PermissionChange("force-push-main", "DENY", "PROMPT", reason="x"), "permission-hard"),
    (PermissionChange("push", "PROMPT", "ALLOW", reason="x"), "permission-relax-off"),
    (
        PermissionChange("push", "PROMPT", "ALLOW", reason="x", may_relax=True, safe_uses=SAFE_USES - 1),
        "permission-too-few-uses",
    ),
    (PermissionChange("push", "PROMPT", "ALLOW", reason="x", may_relax=True, safe_uses=SAFE_USES), ""),
    (
        PermissionChange("push", "PROMPT", "ALLOW", reason="", may_relax=True, safe_uses=SAFE_USES),
        "permission-needs-reason",
    ),
    (
        PermissionChange("push", "DENY", "ALLOW", reason="x", may_relax=True, safe_uses=SAFE_USES),
        "permission-two-steps",
    ),
]


@pytest.mark.req(
    "mx.perm.no-deny-to-allow", "mx.perm.deny-to-prompt", "mx.perm.prompt-to-allow", "mx.perm.tighten",
    "gov.perm.prompt-to-allow-off", "gov.perm.prompt-to-allow-recorded",
)  # fmt: skip
@pytest.mark.parametrize(("change", "code"), CHANGES)
def test_transitions_of_permissions(change, code):
    assert refusal(change) == code
