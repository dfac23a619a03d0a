"""Change a saved model at random places and use what loads: run as a program, so that a crash is the crash of a process.

Usage: python mutating.py PIPELINE FIRST LAST: seeds of the mutations. Prints one line of JSON for each: what was done, and what came of it.
"""

import json
import random
import sys
import warnings
from pathlib import Path

sys.path.insert(0, str(Path(__file__).parents[1] / "models"))

import numpy as np
import spacy
from rewriting import SAVED, Parts, load
from spacy.tokens import Doc

#: Values that belong nowhere, or somewhere else.
STRANGE = [
    None, True, False, 0, 1, -1, 2, 3, 7, 99, 255, 2**31, 2**63, -(2**63), 10**30, 0.0, 0.5, -2.5, 1e300, 1e-300, "", "x", "ORTH", "\0", "。", "我们",
    "U0:%x[0,ORTH]", "U9:%x[-100,SUFFIX9]/%x[100,LOWER]", "B7:%x[0,TAG]", "B", "U8:%h[0,TAG]/%m[0,TAG]/%d", "U6:%s[0,ORTH]/%m[0,ORTH]",
    "U5:%g[1,LOWER]/%h[-9,LOWER]", "B6:%m[0,TAG]/%c[LOWER]", "U4:%h[0,TAG]/%b[ORTH]", "U3:%d", "U2:%x[0,DOC_CASE]", [], {}, [[]], [0], [1, 0], ["a"],
    ["a", "a"], {"a": []}, {"a": [0]}, {"。": [99]}, {"O": "X"}, "TAG", "DOC_LEFT", "WORD_BEGIN",
    "joint", "none", "second_pass", "all", "iob2", "bie",
]  # fmt: skip


def places(value, path=()):
    """Paths to all values of a JSON value; of long lists and objects, to some."""
    yield path
    inner = (
        list(value.items()) if isinstance(value, dict) else list(enumerate(value)) if isinstance(value, list) else []
    )
    for key, item in inner[:: max(1, len(inner) // 12)]:
        yield from places(item, (*path, key))


def mutate_header(parts, rng) -> str:
    """Exchange, remove, repeat or add one value of the header."""
    path = rng.choice([path for path in places(parts.header) if path])
    inside = parts.header
    for key in path[:-1]:
        inside = inside[key]
    key, value = path[-1], inside[path[-1]]
    ways = ["strange", "remove", "twice"] + ["near"] * 2 * isinstance(value, int | float | str)
    way = rng.choice(ways)
    if way == "remove":
        del inside[key]
    elif way == "twice" and isinstance(inside, list):
        inside.insert(key, value)
    elif way == "twice":
        inside[f"{key}2"] = value
    elif way == "near":
        inside[key] = near(value, rng)
    else:
        inside[key] = rng.choice(STRANGE)
    return f"{way} {'.'.join(map(str, path))} {str(inside.get(key, '') if isinstance(inside, dict) else '')[:40]}"


def near(value, rng):
    """A value of the same type that is a little different."""
    if isinstance(value, bool):
        return not value
    if isinstance(value, str):
        at = rng.randrange(len(value) + 1)
        return rng.choice(
            [value[:at], value[at:], value[:at] + rng.choice("我x0[%/") + value[at:], value * 2, value[::-1]]
        )
    return rng.choice([value + 1, value - 1, value * 2, -value, value + 0.5, value * 10**9])


def mutate_array(parts, rng) -> str:
    """Exchange entries of an array, or its length."""
    name = rng.choice([entry["name"] for entry in parts.header["arrays"]])
    array = parts.array(name)
    way = rng.choice(["bytes", "cut", "more", "sort", "zero", "extreme"])
    if way == "bytes" and array.size:
        raw = array.reshape(-1).view(np.uint8)
        for _ in range(rng.choice([1, 3, 30])):
            raw[rng.randrange(raw.size)] = rng.randrange(256)
    elif way in ("cut", "more"):
        axis = rng.randrange(array.ndim)
        array = (
            np.delete(array, -1, axis) if way == "cut" and array.shape[axis] else np.concatenate([array, array], axis)
        )
    elif way == "sort":
        array = np.sort(array.reshape(-1)).reshape(array.shape)
    elif way == "zero":
        array = np.zeros_like(array)
    elif array.size:
        limits = np.finfo(array.dtype) if array.dtype.kind == "f" else np.iinfo(array.dtype)
        array.reshape(-1)[rng.randrange(array.size)] = rng.choice([limits.min, limits.max])
    parts.put(name, np.ascontiguousarray(array))
    return f"{way} {name}"


def use(nlp, component, given) -> None:
    """Predict, and see whether what comes out is an annotation of these documents."""
    docs = [doc if isinstance(doc, str) else Doc(nlp.vocab, **doc) for doc in given]
    texts = [doc if isinstance(doc, str) else doc.text for doc in docs]
    found = list(component.pipe(nlp.make_doc(doc) if isinstance(doc, str) else doc for doc in docs))
    assert [doc.text for doc in found] == texts
    for doc in found:
        assert all(sentence.root is not None for sentence in doc.sents) if doc.has_annotation("DEP") else True
        spans = doc.spans.get("constituents", ())
        assert all(0 <= span.start < span.end <= len(doc) and span.label_ for span in spans)
        assert all(0 <= ent.start < ent.end <= len(doc) for ent in doc.ents)


def main(name: str, first: int, last: int) -> None:
    warnings.simplefilter("ignore")
    nlp = spacy.load(SAVED / name, exclude=["tokenizer"])
    ((_, component),) = nlp.pipeline
    rows = json.loads((SAVED / name / "documents.json").read_text(encoding="utf8"))
    given = [row["doc"] for row in rows][:4]
    original = Parts.of(name)
    for seed in range(first, last):
        rng, parts = random.Random(seed), original.copy()
        arrays, others = rng.choice(
            [(0, 1), (1, 0), (1, 1), (0, 3)]
        )  # arrays first, while the header still describes them
        done = [mutate(parts, rng) for mutate in [mutate_array] * arrays + [mutate_header] * others]
        print(json.dumps({"seed": seed, "done": done}), flush=True)
        try:
            load(component, parts.to_bytes())
            use(nlp, component, given)
            outcome = "used"
        except ValueError as error:
            outcome = str(error)
        print(json.dumps({"seed": seed, "outcome": outcome}), flush=True)


if __name__ == "__main__":
    main(sys.argv[1], int(sys.argv[2]), int(sys.argv[3]))
