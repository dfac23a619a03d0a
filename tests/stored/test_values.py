import pytest

from spacy_mtl.stored.fault import StoredValueError
from spacy_mtl.stored.values import (
    boolean,
    distinct_texts,
    fields,
    integer,
    integers,
    list_of,
    mapping,
    number,
    numbers,
    numbers_by_name,
    one_of,
    optional,
    text,
    texts,
    texts_by_name,
)


def name_of(value):
    return "check" if callable(value) else repr(value)[:20]


CASES = [
    (text, ["", "ñ"], [1, None, b"x", ["x"]]),
    (boolean, [True, False], [0, 1, "true", None]),
    (integer(-1, 5), [-1, 0, 5], [-2, 6, 10**99, True, 1.0, "1", None]),
    (number(0, 2), [0, 2, 0.5], [-0.1, 3, True, "1", None, float("nan"), float("inf"), 10**310]),
    (one_of("a", 1, True), ["a", 1, True], ["b", 1.0, False, None, []]),
    (optional(text), [None, "x"], [1, []]),
    (list_of(integer(0, 1), 1, 2), [[0], [0, 1]], [[], [0, 0, 0], [2], [True], (0,), "0", {}]),
    (texts, [[], ["a", "a"]], [["a", 1], "a", None, {"a": "b"}]),
    (integers(0, 3), [[], [0, 3]], [[4], [-1], [1.0], [True], 1, None, {"a": 1}]),
    (numbers(0, 3), [[], [0, 2.5]], [[3.5], [-0.1], [True], ["1"], [float("nan")], [0, float("nan")], [0, float("inf")], [10**310], 1]),
    (distinct_texts, [[], ["a", "b"]], [["a", "a"], [1, 2]]),
    (mapping, [{}, {"a": 1}], [[], None, "a"]),
    (texts_by_name, [{}, {"a": [], "b": ["x"]}], [[], {"a": "xy"}, {"a": [1]}, {"a": ["x"], "b": None}]),
    (numbers_by_name(3), [{}, {"a": [], "b": [0, 3]}], [[], {"a": 1}, {"a": [4]}, {"a": [-1]}, {"a": [1.0]}, {"a": [True]}]),
    (
        lambda value, name: fields(value, name, {"a": text, "b": boolean}, {"b": False}),
        [{"a": "x"}, {"a": "x", "b": True}],
        [{}, {"b": True}, {"a": 1}, {"a": "x", "b": 0}, {"a": "x", "c": 1}, [], None],
    ),
]  # fmt: skip


@pytest.mark.parametrize(
    ("check", "good"), [(check, value) for check, values, _ in CASES for value in values], ids=name_of
)
def test_what_is_allowed(check, good):
    found = check(good, "it")
    assert found == good or found == {"b": False, **good}


@pytest.mark.parametrize(
    ("check", "bad"), [(check, value) for check, _, values in CASES for value in values], ids=name_of
)
def test_what_is_refused_is_named_in_one_line(check, bad):
    with pytest.raises(StoredValueError, match=r"^[^\n{]*\bit\b[^\n{]*$"):
        check(bad, "it")


def test_long_values_are_cut():
    with pytest.raises(StoredValueError) as info:
        boolean("x\n" * 10**6, "it")
    assert len(str(info.value)) < 120


def test_entries_that_an_older_file_lacks():
    assert fields({"a": "x"}, "it", {"a": text, "b": boolean}, {"b": False}) == {"a": "x", "b": False}
