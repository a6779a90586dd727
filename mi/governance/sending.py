"""Whether commands carry credentials away: a secret, a secret file or the environment into something that sends."""

import itertools
import re

from mi.governance import paths
from mi.kernel.secrets import find_secrets
from mi.kernel.shell import Simple

_SENDERS = ("curl", "wget", "nc", "ncat", "netcat", "scp", "sftp", "rsync", "ftp", "mail", "sendmail", "http", "ssh")
_CLOUD_SENDERS = ("aws", "gsutil", "gcloud", "rclone", "gh", "codex", "claude", "gemini", "llm")
_LOGIN_WITH = ("-i", "--key", "--cert", "-E", "--cacert", "--identity", "--netrc-file")  # used, not sent
_DUMPS = ("env", "printenv", "set", "export")
_LOCAL = re.compile(r"(?:https?://)?(?:localhost|127\.0\.0\.1|\[::1\])(?:[:/]|$)")


def sends_credentials(commands: list[Simple]) -> list[str]:
    """The commands that would send a credential out of this machine, without the credential."""
    return [_shown(one) for one in commands if _is_sender(one) and _gets_credentials(one, commands)]


def _is_sender(one: Simple) -> bool:
    if one.name in ("scp", "rsync", "sftp"):
        return any(re.match(r"(?:[\w.-]+@)?[\w.-]+:(?!\\)", word) for word in one.argv[1:])
    return one.name in (*_SENDERS, *_CLOUD_SENDERS) and not any(_LOCAL.match(word) for word in one.argv[1:])


def _gets_credentials(one: Simple, commands: list[Simple]) -> bool:
    if find_secrets(" ".join(one.argv)):
        return True
    pairs = itertools.pairwise(one.argv)
    if one.name != "ssh" and any(_names_secret_file(word) for before, word in pairs if before not in _LOGIN_WITH):
        return True
    earlier = [two for two in commands if two.pipeline == one.pipeline and two.place < one.place]
    return any(two.name in _DUMPS or any(_names_secret_file(word) for word in two.argv[1:]) for two in earlier)


def _names_secret_file(word: str) -> bool:
    """`.env`, `@.env`, `file=@.env`, `-T.env`."""
    if word.startswith("--") and "=" in word:
        word = word.partition("=")[2]
    return paths.is_secret(word.rpartition("@")[2] if "@" in word else word.removeprefix("-T"))


def _shown(one: Simple) -> str:
    from mi.kernel.secrets import redact

    return redact(" ".join(one.argv))
