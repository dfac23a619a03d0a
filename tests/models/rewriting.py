"""Saved models with parts exchanged and the checksum made anew: what anybody can do to a file."""

import copy
import json
import zlib
from hashlib import blake2b
from pathlib import Path

import numpy as np
import srsly

SAVED = Path(__file__).parents[1] / "data" / "saved"
#: The model file of each component among the saved pipelines.
FILES = {
    "entities": SAVED / "entities" / "mtl_ner" / "model",
    "tags": SAVED / "tags" / "mtl_tagger" / "model",
    "words": SAVED / "words" / "mtl_segmenter" / "model",
    "crossing-trees": SAVED / "crossing-trees" / "mtl_parser" / "model",
    "second-order-trees": SAVED / "second-order-trees" / "mtl_parser" / "model",
    "constituents": SAVED / "constituents" / "mtl_constituents" / "model",
}
_HEAD, _DIGEST = 6, 16


class Parts:
    """A model file taken apart. header: its JSON. chunks: the compressed arrays by name."""

    def __init__(self, data: bytes):
        begin = _HEAD + 8
        end = begin + int.from_bytes(data[_HEAD:begin], "little")
        self.head, self.header, self.chunks = data[:_HEAD], json.loads(data[begin:end]), {}
        for entry in self.header["arrays"]:
            begin, end = end, end + entry["bytes"]
            self.chunks[entry["name"]] = data[begin:end]

    @classmethod
    def of(cls, name: str) -> "Parts":
        return cls(FILES[name].read_bytes())

    @property
    def cfg(self) -> dict:
        return self.header["settings"]["cfg"]

    def copy(self) -> "Parts":
        return copy.deepcopy(self)

    def entry(self, name: str) -> dict:
        return next(entry for entry in self.header["arrays"] if entry["name"] == name)

    def array(self, name: str) -> np.ndarray:
        """An array as it lies in the file."""
        entry = self.entry(name)
        return np.frombuffer(zlib.decompress(self.chunks[name]), entry["dtype"]).reshape(entry["shape"]).copy()

    def put(self, name: str, array: np.ndarray) -> None:
        """Exchange an array, and its type and shape in the header."""
        self.entry(name).update(dtype=array.dtype.str, shape=list(array.shape))
        self.put_chunk(name, zlib.compress(array.tobytes()))

    def put_chunk(self, name: str, chunk: bytes) -> None:
        self.chunks[name] = chunk
        self.entry(name)["bytes"] = len(chunk)

    def to_bytes(self, text: str | None = None) -> bytes:
        """The file, with a checksum that fits. text: the header, if it is not the JSON of ``header``."""
        written = (json.dumps(self.header, ensure_ascii=False) if text is None else text).encode()
        body = b"".join([self.head, len(written).to_bytes(8, "little"), written, *self.chunks.values()])
        return body + blake2b(body, digest_size=_DIGEST).digest()


def load(component, data: bytes):
    """Load a model file into a component."""
    return component.from_bytes(srsly.msgpack_dumps({"model": data}), exclude=["vocab"])
