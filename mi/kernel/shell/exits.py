"""What an exit code says by itself."""

from mi.kernel.messages import text

NOT_INSTALLED = 127
_TOLD = {126: "end.exit-not-runnable", NOT_INSTALLED: "end.exit-not-installed"}


def describe_exit(code: int | None, language: str) -> str:
    """Return an exit code, with what a shell means by it where that is no program's own."""
    if code is None:
        return text("end.exit-unknown", language)
    return text(_TOLD[code], language) if code in _TOLD else str(code)
