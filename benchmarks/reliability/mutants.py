"""Model files changed by structure: each mutant is made from a file of the package and a seed, and its checksum fits."""

import json
from typing import Any

import numpy as np

from .formats import Stored, put_together, signed, unsigned, whole_header
from .mutate_arrays import mutate_arrays
from .mutate_json import mutate_json

#: Shares of mutants whose arrays, header or bytes are changed; the rest is the file of another component, or a cut one.
_ARRAYS, _HEADER, _BYTES = 0.42, 0.84, 0.95


def mutant(files: list[Stored], own: int, seed: int) -> tuple[bytes, str, int]:
    """A changed file, what was done to it, and the bytes that it declares. files: of all components; own: which is changed."""
    rng = np.random.default_rng(seed)
    stored, done = files[own].copy(), []
    others = [file for k, file in enumerate(files) if k != own]
    draw = rng.random()
    rounds = min(int(rng.geometric(0.6)), 4)
    if draw < _ARRAYS and not stored.arrays:
        draw = _ARRAYS  # JSON alone
    if draw < _ARRAYS:
        done += [mutate_arrays(stored, others, rng) for _ in range(rounds)]
    header, chunks = whole_header(stored)
    text = None
    if _ARRAYS <= draw < _HEADER:
        for _ in range(rounds):
            header, what, text = mutate_json(header, [file.header for file in others], rng)
            done.append(what)
            if text is not None:
                break
    if text is None:
        text = json.dumps(header).encode("utf8", "surrogatepass")
    data = put_together(stored, text, chunks)
    if _HEADER <= draw < _BYTES:
        data, what = _bytes_changed(stored, data, rng)
        done.append(what)
    elif draw >= _BYTES:
        data, what = _cut_or_swapped(stored, others, data, rng)
        done.append(what)
    declared = sum(array.declared for array in stored.arrays) + len(data)
    return data, "; ".join(done), declared


def _bytes_changed(stored: Stored, data: bytes, rng: Any) -> tuple[bytes, str]:
    """A few bytes flipped anywhere, or the header's length, or the format number."""
    changed = bytearray(unsigned(data) if stored.kind == "model" else data)
    end = len(changed)
    if stored.kind == "model" and rng.random() < 0.3:
        length = int(rng.choice([0, 1, 2**31, 2**62, 2**63 - 1, end, end + 1, int(rng.integers(end))]))
        changed[6:14] = length.to_bytes(8, "little")
        what = f"the header's length is {length}"
    else:
        places = rng.integers(0, end, int(rng.integers(1, 6)))
        for place in places:
            changed[place] ^= int(rng.integers(1, 256))
        what = f"bytes {sorted(places.tolist())} flipped"
    return (signed(bytes(changed)) if stored.kind == "model" else bytes(changed)), what


def _cut_or_swapped(stored: Stored, others: list[Stored], data: bytes, rng: Any) -> tuple[bytes, str]:
    """The file of another component, cut short, or followed by more."""
    draw = rng.random()
    if draw < 0.3:
        other = others[int(rng.integers(len(others)))]
        header, chunks = whole_header(other)
        return put_together(other, json.dumps(header).encode(), chunks), "the file of another component"
    body = unsigned(data) if stored.kind == "model" else data
    if draw < 0.7:
        cut = int(rng.integers(len(body)))
        body, what = body[:cut], f"cut after {cut} bytes"
    else:
        more = int(rng.integers(1, 10_000))
        body, what = body + bytes(more), f"{more} bytes behind its end"
    return (signed(body) if stored.kind == "model" else body), what
