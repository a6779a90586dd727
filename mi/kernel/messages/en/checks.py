"""English texts of the checks of a project."""

TEXT: dict[str, str] = {
    "checks.none": "no check was found in the files of this project (say one with mi checks set COMMAND)",
    "checks.any": "any language",
    "checks.strength-test": "its tests verify",
    "checks.strength-build": "no tests: its build verifies",
    "checks.strength-lint": "a lint, which verifies nothing",
    "checks.from-person": "your own word, {source}",
    "checks.from-guide": "named in {source}",
    "checks.from-CI": "run by CI, {source}",
    "checks.from-recipe": "recipe of {source}",
    "checks.from-manifest": "by {source}",
    "checks.from-runner": "suggested by {source}",
    "checks.set": "from now on this must be green: {checks} (in {file}; mi checks clear takes it back)",
    "checks.cleared": "the project's own files say again what must be green (in {file})",
    "checks.ended": "exit code {code}: {check}",
    "error.check-outside": "{folder} is outside of the project (name a folder in it)",
    "error.check-unreadable": "cannot tell from {check!r} what would have to succeed (no `||`, `;` or background at its end; put it into a script)",
    "error.check-no-folder": "no folder {folder!r} in {root} (mi checks lists the packages)",
    "notice.checks-broken": "{path} cannot be read ({reason}); going on by what the project's files tell (mend it, or mi checks set COMMAND)",
    "notice.checks-entry": '{path}: {entry} is no check, it needs command = "…" and a kind of test or build; left out',
    "notice.checks-no-program": "{path} names {program!r}, which is not there ({check}); going on by what the project's files tell (install it, or mi checks set COMMAND)",
}
