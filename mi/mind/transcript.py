"""What was asked and answered, stored as it happens, so that a crash loses no prompt."""

import os

import msgspec

from mi.kernel import clock, ids, jsonl
from mi.kernel.home import Home


class MindTranscript:
    """The file of one question: header, prompt, every answer, every failure."""

    def __init__(self, home: Home, folder: str, prompt: str, provider: str) -> None:
        name = f"{clock.filename_stamp()}-{prompt}-{ids.make_id('q')[-8:]}.jsonl"
        self._path = os.path.join(folder, name)
        self.ref = home.relative(self._path)
        header = {
            "type": "mi.transcript.header",
            "v": 1,
            "ts": clock.now(),
            "kind": "mind",
            "cwd": "",
            "argv": [provider, prompt],
        }
        jsonl.append(self._path, msgspec.json.encode(header))

    def add(self, stream: str, text: str) -> None:
        """Store one entry: prompt, answer, error or meta."""
        jsonl.append(self._path, msgspec.json.encode({"v": 1, "ts": clock.now(), "stream": stream, "line": text}))
