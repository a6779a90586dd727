"""Texts as vectors, offline: the word vectors of an installed wheel, read from its files; its Python is not loaded."""

import os
from binascii import crc32
from collections.abc import Sequence
from functools import cache
from importlib.util import find_spec

import numpy as np
from safetensors.numpy import load_file
from tokenizers import Tokenizer

from mi.kernel.files import read_bytes

Array = np.ndarray
_PACKAGE = "wordllama"
_WEIGHTS = "weights/l2_supercat_256.safetensors"
_TOKENIZER = "tokenizers/l2_supercat_tokenizer_config.json"
MAX_CHARS = 1000  # of a text that are read: a vector of a long one says little


class Model:
    """Word vectors, and what cuts a text into words."""

    def __init__(self, weights: str, tokenizer: str) -> None:
        self.name = f"{crc32(read_bytes(weights) or b''):08x}{crc32(read_bytes(tokenizer) or b''):08x}"  # what is in it
        self._words: Array = next(iter(load_file(weights).values()))
        self._tokenizer = Tokenizer.from_file(tokenizer)
        self._tokenizer.no_padding()
        self._tokenizer.no_truncation()
        self.size, self.dimensions = self._words.shape

    def cut(self, texts: Sequence[str]) -> list[list[int]]:
        """Return the numbers of the words in each text."""
        short = [text[:MAX_CHARS] for text in texts]
        return [found.ids for found in self._tokenizer.encode_batch(short, add_special_tokens=False)]

    def embed(self, texts: Sequence[str], weights: Array) -> Array:
        """Return a vector of length one for each text, of its words by their weights; all zero for a text of none."""
        found = [np.array(ids, dtype=np.int64) for ids in self.cut(texts)]
        sums = np.zeros((len(found), self.dimensions), dtype=np.float32)
        for at, ids in enumerate(found):
            if len(ids):
                sums[at] = weights[ids] @ self._words[ids].astype(np.float32)
        return to_length_one(sums)


def to_length_one(vectors: Array) -> Array:
    """Return vectors of the same direction and of length one."""
    lengths = np.linalg.norm(vectors, axis=1, keepdims=True)
    shortened: Array = vectors / np.where(lengths > 0, lengths, 1)
    return shortened


@cache
def load_model() -> Model:
    """Return the installed model; ModuleNotFoundError when there is none."""
    found = find_spec(_PACKAGE)
    if found is None or not found.submodule_search_locations:
        raise ModuleNotFoundError(name=_PACKAGE)
    folder = found.submodule_search_locations[0]
    return Model(os.path.join(folder, _WEIGHTS), os.path.join(folder, _TOKENIZER))
