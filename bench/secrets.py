"""How fast the scanner of secrets is, and how often it finds one in ordinary code and logs.

Reads up to 10 MB of each kind of text on this machine, and prints what it found for somebody to look at with `-v`.
Counted as false: all that is found in files that do not speak of credentials by their path. Files about tests,
logins, cookies, keys and the like hold made-up secrets on purpose and are left out of the sample.
"""

import os
import re
import sys
import sysconfig
import time
from collections.abc import Iterator

from mi.kernel.secrets import find_secrets, redact

_MOST = 10_000_000
_ABOUT_SECRETS = re.compile(
    r"test|example|sample|mock|fixture|oauth|auth|login|passw|passwd|secret|token|credential|cookie|jwt|crypt|ssl|tls|ssh"
    r"|pgp|gpg|pkcs|x509|cert|key|sign|vault|session|security|mi/kernel|detect_secrets",
    re.IGNORECASE,
)
_KINDS = {
    "Python": (("/usr/lib/python3", sysconfig.get_paths()["stdlib"], sysconfig.get_paths()["purelib"]), (".py",)),
    "JavaScript": (
        ("/usr/lib/node_modules", "/usr/share/nodejs", "/usr/local/lib/node_modules"),
        (".js", ".ts", ".json"),
    ),
    "documents and settings": (
        ("/usr/share", "/etc"),
        (".md", ".txt", ".xml", ".yml", ".yaml", ".conf", ".html", ".sh"),
    ),
    "logs and others": (
        ("/var/log", "/var/lib/dpkg/info", "/usr/include"),
        (".log", ".list", ".h", ".md5sums", ".postinst"),
    ),
}


def _sample(folders: tuple[str, ...], endings: tuple[str, ...]) -> Iterator[tuple[str, str]]:
    left = _MOST
    for folder in folders:
        for root, names, files in os.walk(folder):
            names.sort()
            for name in sorted(files):
                path = os.path.join(root, name)
                if left <= 0 or not name.endswith(endings) or os.path.islink(path) or _ABOUT_SECRETS.search(path):
                    continue
                try:
                    with open(path, encoding="utf-8", errors="replace") as file:
                        text = file.read(1_000_000)
                except OSError:
                    continue
                left -= len(text)
                yield path, text


def main() -> None:
    """Print a line for each kind of text."""
    redact("password = 'warm'")
    total = found_in_all = 0
    for kind, (folders, endings) in _KINDS.items():
        texts = list(_sample(folders, endings))
        size = sum(len(text) for _, text in texts)
        if not size:
            print(f"{kind}: none on this machine")
            continue
        began = time.process_time()
        found = [(path, text, one) for path, text in texts for one in find_secrets(text)]
        took = time.process_time() - began
        total, found_in_all = total + size, found_in_all + len(found)
        print(f"{kind}: {size / 1e6:.1f} MB, {size / 1e6 / took:.1f} MB/s, {len(found) / size * 1e6:.2f} found per MB")
        for path, text, one in found if "-v" in sys.argv else ():
            print(f"  {path}: {one.kind}: {text[max(0, one.start - 40) : one.end + 10][:160]!r}")
    print(f"all: {total / 1e6:.1f} MB, {found_in_all / max(total, 1) * 1e6:.2f} found per MB")


if __name__ == "__main__":
    main()
