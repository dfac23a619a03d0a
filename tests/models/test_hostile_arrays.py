"""Arrays of model files that no training writes are refused on load, whatever the checksum says, without taking time or memory."""

import resource
import time
import zlib
from hashlib import blake2b

import numpy as np
import pytest

from spacy_mtl.models import store
from spacy_mtl.models.chain.weights import ChainWeights, TemplateRow

from .rewriting import FILES, Parts

CHAINS, TREES = ("entities", "tags", "words"), ("crossing-trees", "second-order-trees")


def refused(data: bytes, fault: str) -> None:
    with pytest.raises(ValueError, match=rf"^\[M610\] the file is not a valid model: [^\n{{]*({fault})"):
        store.from_bytes(data, "the file")


def entry(of, **changes):
    return lambda parts: parts.entry(of).update(changes)


def changed(name, function):
    """Exchange an array by what a function makes of it."""
    return lambda parts: parts.put(name, function(parts.array(name)))


def at(place, value):
    """A function that returns an array with one other entry."""

    def change(array):
        array[place] = value
        return array

    return change


def one_more(array):
    return np.append(array, np.zeros(1, array.dtype))


def with_distance_15(planes):
    """Keys in a file are differences, so the second key becomes the first but for its distance."""
    planes[:, 0], planes[:, 1] = 0, (15, 0, 0, 0, 0, 0)
    return planes


def without(name):
    def change(parts):
        parts.header["arrays"].remove(parts.entry(name))
        del parts.chunks[name]

    return change


def twice(name):
    def change(parts):
        parts.header["arrays"].append(dict(parts.entry(name)))
        parts.chunks[f"{name} again"] = parts.chunks[name]

    return change


def chunk(name, function):
    return lambda parts: parts.put_chunk(name, function(parts.chunks[name]))


#: the sign and exponent of a number, the upper half of a float32, that is not finite, or too large
NAN, INFINITE, MINUS, HUGE = 0x7FC0, 0x7F80, 0xFF80, 0x7F00
EVERY = [
    (without("pair_keys"), "the array 'pair_keys' is missing"),
    (twice("keys"), "list of arrays has (8|11) items"),
    (entry("keys", name="other"), "an array 'other', unknown"),
    (entry("keys", dtype="|i1"), "'keys' has the type '|i1', not '|u1'"),
    (entry("keys", dtype="|O"), "'keys' has the type '|O'"),
    (entry("keys", shape=[5, 1]), "'keys' has 5 entries on an axis of 6"),
    (entry("keys", shape=[6]), "'keys' has 1 dimensions, not 2"),
    (entry("keys", shape=[6, 1]), "does not have the 6 bytes of its shape"),
    (entry("keys", shape=[6, 1.0]), "a whole number"),
    (entry("keys", shape=[6, True]), "a whole number"),
    (entry("keys", shape=[6, -1]), "a whole number"),
    (entry("keys", shape=[6, 1 << 40]), "'keys' is too large for its"),
    (entry("keys", bytes=5), "do not fill the file"),
    (entry("keys", bytes=1 << 40), "do not fill the file"),
    (entry("keys", bytes=-5), "a whole number"),
    (changed("keys", lambda keys: keys[:, :-1]), "has the shape"),
    (changed("keys", lambda keys: keys * 0), "keys is not in ascending order"),
    (changed("keys", lambda keys: keys * 0 + 255), "keys has a number outside|keys is not in ascending order"),
    (changed("pair_keys", lambda keys: np.append(keys, np.ones((6, 1), np.uint8), axis=1)), "has the shape"),
    (changed("pair_codes", lambda codes: codes[:, 1:]), "'pair_codes' has .* entries on an axis of|pair_codes has the shape"),
    (changed("pair_codes", lambda codes: codes.astype("<i2")), "'pair_codes' has the type"),
    (changed("pair_scales", one_more), "pair_scales has the shape"),
    (chunk("keys", lambda data: data + b"\0"), "does not have the .* bytes of its shape"),
    (chunk("keys", lambda data: data[:-1]), "does not have the .* bytes of its shape"),
    (chunk("keys", lambda data: b"?" + data), "cannot be decompressed"),
]  # fmt: skip
OF_CHAINS = [
    (changed("codes", lambda codes: codes[1:]), "codes has the shape"),
    (changed("scales", at(3, NAN)), "scales has a number that is not finite"),
    (changed("scales", at(3, INFINITE)), "scales has a number that is not finite"),
    (changed("scales", at(3, MINUS)), "scales has a number that is not finite"),
    (changed("scales", at(3, HUGE)), "scales has a number above"),
    (changed("step", at((0, 1), np.nan)), "step has a number that is not finite"),
    (changed("step", at((1, 0), np.inf)), "step has a number that is not finite"),
    (changed("step", at((1, 0), -1e30)), "step has a number above 1e\\+20"),
    (changed("step", lambda step: step[:-1, :-1]), "'step' has .* entries on an axis of"),
    (changed("step", lambda step: step.astype("<f8")), "'step' has the type '<f8', not '<f4'"),
    (changed("step", lambda step: step.astype(">f4")), "'step' has the type '>f4', not '<f4'"),
]
OF_TREES = [
    (changed("values", at(0, np.nan)), "values has a number that is not finite"),
    (changed("values", at(0, -np.inf)), "values has a number that is not finite"),
    (changed("values", lambda values: values[1:]), "values has the shape"),
    (changed("pair_scales", at(0, NAN)), "pair_scales has a number that is not finite"),
    (changed("keys", with_distance_15), "distances of keys has a number outside 0 to 14"),
    (changed("filter_tags", lambda tags: np.arange(47, dtype="<u8")), "number of filter_tags has a number outside 0 to 46"),
    (changed("filter_tags", one_more), "filter_values has the shape"),
    (changed("filter_values", one_more), "filter_values has the shape"),
]  # fmt: skip
OF_GRAMMARS = [
    (changed("codes", lambda codes: codes[:, 1:]), "'codes' has .* entries on an axis of"),
    (changed("scales", at(3, NAN)), "scales has a number that is not finite"),
    (changed("pair_scales", at(0, HUGE)), "pair_scales has a number above"),
    (changed("rules", at((0, 0), -1)), "rules has a number outside 0 to"),
    (changed("rules", at((0, 2), 1 << 20)), "rules has a number outside 0 to"),
    (changed("rules", lambda rules: rules[::-1].copy()), "rules are not in ascending order"),
    (changed("rules", lambda rules: rules[np.r_[0, 0, 2 : len(rules)]]), "rules are not in ascending order"),
    (changed("rules", lambda rules: rules[:, :2].copy()), "'rules' has 2 entries on an axis of 3"),
    (changed("rules", lambda rules: rules.astype("<i8")), "'rules' has the type '<i8', not '<i4'"),
    (changed("rules", lambda rules: rules[1:]), "pair_codes has the shape"),
    (changed("rule_scores", one_more), "rule_scores has the shape"),
    (changed("rule_scores", at(0, np.nan)), "rule_scores has a number that is not finite"),
    (changed("rule_scores", at(0, 0.5)), "rule_scores has a log probability above 0"),
    (changed("word_scores", at((0, 0), -np.inf)), "word_scores has a number that is not finite"),
    (changed("word_scores", at((0, 0), -1e10)), "word_scores has a number above 1e\\+09 in absolute value"),
    (changed("word_scores", lambda scores: scores[:0]), "its grammar has no tags"),
    (changed("word_scores", lambda scores: scores[:, 1:].copy()), "'word_scores' has .* entries on an axis of"),
    (changed("root_scores", lambda scores: scores * 0 - 1e9), "no symbol that may be the root"),
    (changed("root_scores", one_more), "'root_scores' has .* entries on an axis of"),
]  # fmt: skip
CASES = [(name, *case) for name in (*CHAINS, *TREES, "constituents") for case in EVERY]
CASES += [("constituents", *case) for case in OF_GRAMMARS]
CASES += [(name, *case) for name in CHAINS for case in OF_CHAINS]
CASES += [(name, *case) for name in TREES for case in OF_TREES]
CASES += [("crossing-trees", changed("filter_values", at(9, np.inf)), "filter_values has a number that is not finite")]


@pytest.mark.parametrize(("name", "change", "fault"), CASES, ids=[f"{name}-{fault[:50]}" for name, _, fault in CASES])
def test_array_is_refused(name, change, fault):
    parts = Parts.of(name)
    change(parts)
    refused(parts.to_bytes(), fault)


@pytest.mark.parametrize("name", FILES)
def test_files_as_they_were_saved_are_read(name):
    data = FILES[name].read_bytes()
    assert Parts(data).to_bytes() == data
    store.from_bytes(data, "the file")


@pytest.mark.parametrize(
    ("name", "left"),
    [(name, left) for name in FILES for left in ("labels", "arrays")] + [(name, "templates") for name in CHAINS],
)
def test_nothing_but_labels_or_templates_or_weights_is_no_untrained_model(name, left):
    """A model without labels or templates counts as untrained, and would be loaded without a word."""
    untrained = Parts(store.to_bytes(type(store.from_bytes(FILES[name].read_bytes(), "x")[0])(), {}))
    store.from_bytes(untrained.to_bytes(), "the file")
    parts = untrained.copy()
    if left == "arrays":
        parts.put("keys", np.array([[1], [0], [0], [0], [0], [0]], np.uint8))
    else:
        parts.header[left] = Parts.of(name).header[left][:1]
    refused(parts.to_bytes(), "too large|entries on an axis|no templates|has the shape")


def test_labels_without_templates_are_no_model():
    """Not even if there are no weights, either, so that all shapes fit."""
    weights = ChainWeights(
        ("O", "X"), (), codes=np.zeros((0, 2), np.int8), pair_codes=np.zeros((0, 4), np.int8), step=np.zeros((2, 2), np.float32),
        dense_codes=np.zeros((0, 2), np.int8), dense_constants=np.zeros((0, 2), np.float32),
    )  # fmt: skip
    refused(store.to_bytes(weights, {}), "it has labels but no templates")


def test_vectors_of_one_kind_have_one_width():
    """Otherwise no document could be scored with all of its blocks."""

    def weights(*templates):
        rows = tuple(TemplateRow(text, 1.0, 1.0, n) for text, n in templates)
        n, constants = sum(row.rows for row in rows), np.zeros((len(rows), 2), np.float32)
        return ChainWeights(
            ("O", "X"), rows, codes=np.zeros((0, 2), np.int8), pair_codes=np.zeros((0, 4), np.int8), step=np.zeros((2, 2), np.float32),
            dense_codes=np.ones((n, 2), np.int8), dense_scales=np.ones(n, np.float32), dense_constants=constants,
        )  # fmt: skip

    refused(store.to_bytes(weights(("V0:%t[0]", 3), ("V1:%t[1]", 2)), {}), "several widths")
    store.from_bytes(store.to_bytes(weights(("V0:%t[0]", 3), ("V1:%t[1]", 3), ("V2:%v[0]", 2)), {}), "the file")


def cost(function) -> tuple[float, float]:
    """Seconds of CPU, and megabytes by which the largest memory of the process grew."""
    before, begin = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss, time.process_time()
    function()
    return time.process_time() - begin, (resource.getrusage(resource.RUSAGE_SELF).ru_maxrss - before) / 1024


def bomb(parts):
    """An array that declares little and expands to 1 GB."""
    stream = zlib.compressobj(9)
    parts.put_chunk("keys", b"".join([*(stream.compress(bytes(1 << 24)) for _ in range(64)), stream.flush()]))


def wide(parts):
    """An array that declares more than its bytes can hold."""
    parts.entry("keys")["shape"] = [6, 1 << 33]


def unused(parts):
    parts.header["arrays"].append(
        {"name": "spare", "dtype": "|u1", "shape": [1 << 30], "bytes": len(parts.chunks["keys"])}
    )
    parts.chunks["spare"] = parts.chunks["keys"]


def many_keys(parts):
    """Sorted keys whose differences are all 1 compress a thousandfold; tables made of them take many times their size."""
    planes = np.zeros((6, 1 << 23), np.uint8)
    planes[0] = 1
    parts.put("keys", planes)


@pytest.mark.parametrize("attack", [bomb, wide, unused, many_keys])
def test_small_files_cost_little(attack):
    parts = Parts.of("entities")
    attack(parts)
    data = parts.to_bytes()
    seconds, megabytes = cost(lambda: refused(data, "keys|list of arrays"))
    assert seconds < 1
    assert megabytes < 50


@pytest.mark.parametrize(
    "text",
    [
        "[" * 200_000,
        '{"settings":' * 100_000,
        '{"labels": ' + "9" * 10**6 + "}",
        '{"a": NaN}',
        '{"a": 1, "a": 1}',
        "[]",
        "null",
    ],
)
def test_header_that_is_hostile_json_is_refused_at_once(text):
    data = Parts.of("entities").to_bytes(text)
    seconds, _ = cost(lambda: refused(data, "the header"))
    assert seconds < 1


def test_header_that_is_longer_than_the_file():
    parts = Parts.of("entities")
    data = parts.to_bytes()
    for length in (len(data), 1 << 40, (1 << 64) - 1):
        body = data[:6] + length.to_bytes(8, "little") + data[14:-16]
        refused(body + blake2b(body, digest_size=16).digest(), "the header is longer than the file")


def test_a_model_that_compresses_too_well_to_be_believed_is_saved_less_compressed():
    """What was saved must load again."""
    n = 1 << 18
    keys = np.arange(n, dtype=np.uint64)
    weights = ChainWeights(
        ("O",), (TemplateRow("U:%x[0,ORTH]", 1.0, 1.0, n),), keys=keys, codes=np.ones((n, 1), np.int8), scales=np.ones(n, np.float32),
        pair_codes=np.zeros((0, 1), np.int8), step=np.zeros((1, 1), np.float32),
    )  # fmt: skip
    data = store.to_bytes(weights, {})
    assert len(data) > 6 * n
    np.testing.assert_array_equal(store.from_bytes(data, "the file")[0].keys, keys)


@pytest.mark.parametrize(
    "rows", [{"n": (1 << 14) + 1, "text": "U:%x[0,ORTH]"}, {"n": 3, "text": "U:%x[0,ORTH]" + "/%x[0,ORTH]" * 40_000}]
)
def test_templates_are_limited(rows):
    parts = Parts.of("entities")
    parts.header["templates"] = [parts.header["templates"][0] | {"text": rows["text"]}] * rows["n"]
    refused(parts.to_bytes(), "it has more than 16384 templates, or 1 megabytes of them")
