"""Which tokens are several words, from those of a corpus."""

import random

import pytest

from spacy_mtl.stored.fault import StoredValueError
from spacy_mtl.treebanks.splitter import Splitter, learn

TOKENS = [
    ("al", ["a", "el"]),
    ("al", ["a", "el"]),
    ("del", ["de", "el"]),
    ("del", ["del"]),
    ("del", ["de", "el"]),
    ("verlo", ["ver", "lo"]),
    ("hacerlo", ["hacer", "lo"]),
    ("dilo", ["dilo"]),
    ("hilo", ["hilo"]),
    ("vámonos", ["vamos", "nos"]),
    ("mar", ["mar"]),
]


@pytest.fixture
def splitter():
    return learn(TOKENS)


def test_known_forms_are_split_as_usual(splitter):
    for form, words in TOKENS:
        if (form, words) != ("del", ["del"]):
            assert splitter.split(form) == words


def test_endings_of_unknown_forms(splitter):
    """More than half of a longest ending's forms decide: "-erlo" is split, "-ilo" is not, and neither is "-xlo", of which as many are as are not."""
    assert splitter.split("comerlo") == ["comer", "lo"]
    assert splitter.split("COMERLO") == ["COMER", "lo"]
    assert splitter.split("vilo") == ["vilo"]
    assert splitter.split("xlo") == ["xlo"]
    assert splitter.split("lo") == ["lo"]
    assert splitter.split("tomar") == ["tomar"]
    assert learn([*TOKENS, ("rozarlo", ["rozar", "lo"])]).split("xlo") == ["x", "lo"]


def test_words_whose_letters_change(splitter):
    assert splitter.split("sentémonos") == ["sentémonos"]
    assert learn([("dámelo", ["da", "me", "lo"])]).split("dámelo") == ["da", "me", "lo"]
    found = learn([("zum", ["zu", "dem"]), ("dumm", ["dumm"])])
    assert found.split("vum") == ["vu", "dem"]
    assert found.split("zumm") == ["zumm"]


def test_whole_tokens_are_never_cut_to_nothing():
    """The first word keeps at least one letter of a form that was not seen; "İ" becomes two letters in lower case."""
    found = learn([("xlo", ["x", "lo"]), ("ylo", ["y", "lo"])])
    assert found.split("lo") == ["lo"]
    assert found.split("İlo") == ["İlo"]
    assert learn([("İlo", ["İ", "lo"])]).split("İlo") == ["İ", "lo"]
    assert learn([]).split("a") == ["a"]


def test_what_the_rules_say_is_not_kept_as_well(splitter):
    assert "verlo" not in splitter.forms
    assert "mar" not in splitter.forms
    assert Splitter.from_dict(splitter.to_dict(), "it") == splitter


def test_a_token_of_one_word_keeps_its_form():
    """A range may be of a single word of another form, which is not what splitting is for."""
    found = learn([("y", ["x"]), ("al", ["a", "el"])])
    assert found.split("y") == ["y"]
    assert found.forms == {}


@pytest.mark.parametrize(
    "token", [("y", ["a"] * 17), ("y", ["a", "b" * 101]), ("y" * 101, ["a", "b"]), ("y\t", ["a", "b"])]
)
def test_what_no_file_may_have_is_not_learnt(token):
    found = learn([token])
    assert found.split(token[0]) == [token[0]]
    assert Splitter.from_dict(found.to_dict(), "it") == found


def test_words_that_end_in_white_space():
    found = learn([("a-", ["a\u3000", "b"])])
    assert found.split("a-") == ["a\u3000", "b"]
    assert Splitter.from_dict(found.to_dict(), "it") == found


def test_tokens_with_other_white_space_are_not_split():
    assert Splitter(endings={"a": ["0", "", "b"], "\n": ["0", "", "b"]}).split("a\n") == ["a\n"]
    assert Splitter(endings={"a": ["0", "", "b"]}).split("x\ta") == ["x\ta"]
    assert Splitter(endings={"a": ["0", "", "b"]}).split("x a") == ["x a", "b"]
    assert Splitter(endings={"a": ["1", "", "b"]}).split("\u3000a") == ["\u3000a"]


def test_letters_that_depend_on_what_comes_before_them():
    """A sigma in lower case at the end of a word is another than one alone."""
    found = learn([("ΟΔΟΣΤΟΣ", ["ΟΔΟΣΤ", "ΟΣ"]), ("ΑΝΔΡΟΣ", ["ΑΝΔΡ", "ΟΣ"])])
    assert found.forms == {}
    assert found.split("ΛΟΓΟΣ") == ["ΛΟΓ", "ΟΣ"]


def test_every_form_of_a_random_corpus_is_split_as_usual():
    draw = random.Random(2)
    usual = {}
    for _ in range(400):
        form = "".join(draw.choices("abAB", k=draw.randint(1, 10)))
        cut = draw.randint(1, len(form))
        usual[form] = (
            [form[:cut] + draw.choice(["", "a"]), *draw.choices(["a", "bb"], k=draw.randint(1, 2))]
            if draw.random() < 0.4
            else [form]
        )
    found = learn(usual.items())
    assert {form: found.split(form) for form in usual} == usual
    assert len(found.forms) < len(usual)


@pytest.mark.parametrize(
    "data",
    [
        [],
        {"forms": {}},
        {"forms": {"a": []}, "endings": {}},
        {"forms": {"a": ["", "b"]}, "endings": {}},
        {"forms": {"a": [1]}, "endings": {}},
        {"forms": {}, "endings": {"a": ["2", "", "b"]}},
        {"forms": {}, "endings": {"a": ["-1", "", "b"]}},
        {"forms": {}, "endings": {"a": ["1", ""]}},
        {"forms": {}, "endings": {"a": ["1", "", ""]}},
        {"forms": {"y": ["x"]}, "endings": {}},
        {"forms": {"y\t": ["a", "b"]}, "endings": {}},
        {"forms": {"y": ["a", "b\n"]}, "endings": {}},
        {"forms": {"y": ["a"] * 17}, "endings": {}},
        {"forms": {"y": ["a", "\u3000"]}, "endings": {}},
        {"forms": {"y": ["a", "b" * 101]}, "endings": {}},
        {"forms": {}, "endings": {"a": ["1", "", *["b"] * 16]}},
        {"forms": {}, "endings": {"a": ["1", "b" * 101, "b"]}},
        {"forms": {}, "endings": {"a": ["1", "\n", "b"]}},
        {"forms": {}, "endings": {"a": ["1"]}},
        {"forms": {}, "endings": {"a": ["1", "", "b\r"]}},
        {"forms": {}, "endings": {"a": ["x", "", "b"]}},
        {"forms": {}, "endings": {"a": "1"}},
        {"forms": {}, "endings": {}, "more": 1},
    ],
)
def test_damaged_data_is_refused(data):
    with pytest.raises(StoredValueError):
        Splitter.from_dict(data, "it")
