"""Columns against spaCy's own values and plain Python."""

import numpy as np
import pytest
import spacy
from catalogue import REGISTRY
from hypothesis import given, settings
from hypothesis import strategies as st
from spacy.attrs import IDS
from spacy.strings import hash_string
from spacy.tokens import Doc, Span

from spacy_mtl.registry import mtl_attributes
from spacy_mtl.templates.attributes.characters import char_type
from spacy_mtl.templates.attributes.context import CONTEXT_ATTRIBUTES
from spacy_mtl.templates.attributes.reader import (
    AttributeReader,
    Lexicon,
    check_attributes,
    lexical,
    lexical_function,
)

NLP = spacy.blank("es")
REFUSED = {"", "ID", "HEAD", "PROB", "LANG"}
WORDS = ["El", "niño", "de", "los", "25", "€", "fue", "a", "www.x.es", "(", "sí", ")", "¿", "QUÉ", "?"]


@pytest.fixture(scope="module")
def doc() -> Doc:
    """A document with every annotation."""
    n = len(WORDS)
    doc = Doc(
        NLP.vocab,
        words=WORDS,
        spaces=[i % 3 > 0 for i in range(n)],
        tags=[f"T{i % 4}" for i in range(n)],
        pos=["NOUN" if i % 2 else "VERB" for i in range(n)],
        morphs=["Number=Sing" if i % 2 else "Number=Plur" for i in range(n)],
        lemmas=[word.lower() for word in WORDS],
        heads=[max(i - 1, 0) if i < 9 else max(i - 1, 9) for i in range(n)],
        deps=["dep" if i not in (0, 9) else "ROOT" for i in range(n)],
    )
    doc.set_ents([Span(doc, 1, 3, "PER", kb_id="Q1", span_id="rule"), Span(doc, 7, 8, "LOC")])
    doc[2].norm_ = "other"
    return doc


def borders(docs) -> np.ndarray:
    return np.cumsum([0, *map(len, docs)], dtype=np.int64)


def column(attr, *docs) -> list[int]:
    reader = AttributeReader([attr], NLP.vocab)
    return reader.read(docs, np.unique(borders(docs)))[reader.columns[attr]].tolist()


# --- spaCy's attributes ---


@pytest.mark.parametrize("attr", sorted(set(IDS) - REFUSED))
def test_attribute_of_spacy_reads_as_spacy_does(doc, attr):
    check_attributes([attr], str)
    assert column(attr, doc) == doc.to_array([attr]).ravel().tolist()
    assert column(attr, doc, Doc(NLP.vocab), doc) == 2 * doc.to_array([attr]).ravel().tolist()


def test_annotations_are_there_to_be_read(doc):
    attrs = "TAG POS MORPH LEMMA DEP NORM ENT_TYPE ENT_IOB ENT_KB_ID ENT_ID SENT_START IDX"
    assert all(len(set(column(attr, doc))) > 1 for attr in attrs.split())


@pytest.mark.parametrize(
    "attr",
    [
        *sorted(REFUSED),
        "LOWERCASE",
        "lower",
        "PREFIX0",
        "SUFFIX-1",
        "PREFIX1.5",
        "XSHAPE",
        "STEM0",
        "STEM",
        "INNER4",
        "INNER4_0",
        "INNER_2",
    ],
)
def test_attribute_that_does_not_exist_is_refused(attr):
    with pytest.raises(ValueError, match=r"^\[M110\] Unknown attribute '.*' in template 'U7:%x\[0,A\]'\. Use a spaCy "):
        check_attributes(["ORTH", attr], lambda _: "U7:%x[0,A]")


# --- attributes of our own ---


@pytest.mark.parametrize("size", [1, 2, 3, 10])
def test_affixes_of_any_length(doc, size):
    assert column(f"PREFIX{size}", doc) == [hash_string(word[:size]) for word in WORDS]
    assert column(f"SUFFIX{size}", doc) == [hash_string(word[-size:]) for word in WORDS]
    assert column(f"STEM{size}", doc) == [hash_string(word.lower()[:size]) for word in WORDS]


def test_parts_in_front_of_an_ending():
    doc = Doc(NLP.vocab, ["Yaşamadınız", "ab", "Oturun"])
    assert column("INNER5_3", doc) == [hash_string(part) for part in ("dı", "", "tu")]
    assert column("INNER2_1", doc) == [hash_string(part) for part in ("ı", "a", "u")]


@pytest.mark.parametrize(
    ("text", "types"),
    [("Abc12", "LuLlNd"), ("ABC", "Lu"), ("", ""), ("中国", "Han"), ("㐀a国", "HanLlHan"), ("...", "Po")],
)
def test_character_types(text, types):
    assert char_type(text) == types


def test_character_types_are_a_column(doc):
    assert column("CHAR_TYPE", doc) == [hash_string(char_type(word)) for word in WORDS]


@pytest.fixture
def register():
    """Put a function into ``mtl_attributes`` for one test."""
    names = []

    def put(function, name="test_attribute") -> str:
        mtl_attributes.register(name, func=function)
        names.append(name)
        return name

    yield put
    for name in names:
        del REGISTRY[(*mtl_attributes.namespace, name)]


@pytest.mark.parametrize(
    ("function", "expected"),
    [
        (str.title, [hash_string(word.title()) for word in WORDS]),
        (len, [len(word) for word in WORDS]),
        (str.islower, [word.islower() for word in WORDS]),
        (lambda text: -len(text), [2**64 - len(word) for word in WORDS]),
        (lambda text: np.int16(len(text)), [len(word) for word in WORDS]),
        (lambda text: np.bool_(text == "de"), [word == "de" for word in WORDS]),
        (lambda text: "", [hash_string("")] * len(WORDS)),
    ],
)
def test_functions_of_the_word_form(doc, register, function, expected):
    calls = []
    attr = register(lexical(lambda text: calls.append(text) or function(text)))
    check_attributes([attr], str)
    assert lexical_function(attr) is not None
    assert column(attr, doc, doc) == 2 * expected
    assert sorted(calls) == sorted(WORDS)  # once for each form


@pytest.mark.parametrize("function", [len, str.isupper, bool], ids=repr)
def test_functions_that_python_has_built_in(doc, register, function):
    attr = register(lexical(function))
    assert lexical_function(attr) is not None
    assert column(attr, doc) == [int(function(word)) for word in WORDS]


def test_functions_of_the_document(doc, register):
    attr = register(lambda doc: [f"{token.i}/{len(doc)}" for token in doc])
    check_attributes([attr], str)
    assert lexical_function(attr) is None
    short = Doc(NLP.vocab, words=["a", "b"])
    expected = [hash_string(f"{i}/{n}") for n in (len(doc), 2) for i in range(n)]
    assert column(attr, doc, Doc(NLP.vocab), short) == expected


@pytest.mark.parametrize("change", [-1, 1])
def test_function_that_returns_another_number_of_values_is_refused(doc, register, change):
    attr = register(lambda doc: [1] * (len(doc) + change))
    with pytest.raises(
        ValueError, match=rf"^\[M112\] The function .* '{attr}' .* returned {len(WORDS) + change} values "
    ):
        column(attr, doc)


@pytest.mark.parametrize("value", [None, 0.5, b"bytes"])
@pytest.mark.parametrize("of_form", [True, False])
def test_function_that_returns_another_type_is_refused(doc, register, value, of_form):
    attr = register(lexical(lambda text: value) if of_form else lambda doc: [value] * len(doc))
    with pytest.raises(ValueError, match=rf"^\[M113\] The function registered as '{attr}' in 'mtl_attributes' "):
        column(attr, doc)


def test_a_function_of_the_word_form_that_has_no_more_values_is_an_error(register):
    """And does not give all forms the value of the first."""
    values = iter(["only one"])
    attr = register(lexical(lambda text: next(values)))
    with pytest.raises(StopIteration):
        column(attr, Doc(NLP.vocab, ["a", "b", "c"]))


@pytest.mark.parametrize("value", [None, 5, "text", False])
def test_function_of_the_document_that_returns_no_values_is_refused(doc, register, value):
    attr = register(lambda doc: value)
    with pytest.raises(ValueError, match=rf"^\[M114\] .* '{attr}' .* returned {value!r} for a document"):
        column(attr, doc)


def test_functions_may_return_strings_of_numpy(doc, register):
    attr = register(lambda doc: np.array([token.text for token in doc]))
    assert column(attr, doc) == [token.orth for token in doc]
    of_form = register(lexical(lambda text: np.str_(text)), "test_other")
    assert column(of_form, doc) == [token.orth for token in doc]


# --- several attributes, several documents ---

LEXICAL = {
    "LOWER": lambda token: token.lower,
    "SHAPE": lambda token: token.shape,
    "SUFFIX2": lambda token: hash_string(token.text[-2:]),
    "IS_TITLE": lambda token: int(token.is_title),
}
GIVEN = {"ORTH": lambda token: token.orth, "TAG": lambda token: token.tag, "NORM": lambda token: token.norm}
ATTRIBUTES = LEXICAL | GIVEN
TEXTS = st.lists(st.lists(st.sampled_from([*WORDS, "Ñu", "x-Y", "33", "zz"]), max_size=6), max_size=4)


def make_docs(texts) -> list[Doc]:
    return [Doc(NLP.vocab, words=words, tags=[f"T{len(word)}" for word in words] or None) for words in texts]


@settings(deadline=None)
@given(st.lists(TEXTS, max_size=3), st.permutations(sorted(ATTRIBUTES)), st.integers(1, 7))
def test_columns_are_those_of_a_loop_however_small_the_lexicon(batches, attributes, limit):
    reader = AttributeReader(attributes, NLP.vocab)
    reader.lexicon.limit = limit
    assert set(reader.columns) == set(ATTRIBUTES)
    for texts in batches:
        docs = make_docs(texts)
        columns = reader.read(docs, np.unique(borders(docs)))
        tokens = [token for doc in docs for token in doc]
        assert columns.dtype == np.uint64
        assert columns.shape == (len(ATTRIBUTES), len(tokens))
        for attr, function in ATTRIBUTES.items():
            assert columns[reader.columns[attr]].tolist() == [function(token) for token in tokens]
        assert len(set(reader.lexicon.orths[: reader.lexicon.size].tolist())) == reader.lexicon.size


def test_the_lexicon_takes_no_more_room_than_its_limit():
    reader = AttributeReader(["SHAPE"], NLP.vocab)
    reader.lexicon.limit = 1500
    for n in (900, 500):
        words = [f"{n}w{i}" for i in range(n)]
        reader.lexicon.ids(np.array([NLP.vocab.strings.add(word) for word in words], np.uint64))
    assert reader.lexicon.size == 1400
    assert len(reader.lexicon.orths) == len(reader.lexicon.values) == 1500


def test_given_columns_come_first_and_are_all_the_doc_is_asked_for(doc):
    reader = AttributeReader(["SHAPE", "TAG", "LOWER", "ORTH"], NLP.vocab)
    assert list(reader.columns) == ["ORTH", "TAG", "SHAPE", "LOWER"]
    given_columns = reader.read_given([doc])
    assert given_columns.shape == (reader.n_given, len(doc)) == (2, len(doc))
    ids = reader.lexicon.ids(given_columns[0])
    assert reader.lexicon.values[ids].T.tolist() == [column("SHAPE", doc), column("LOWER", doc)]


def test_only_the_columns_wanted_are_filled(doc):
    reader = AttributeReader(["SHAPE", "TAG", "LOWER"], NLP.vocab)
    given_columns = reader.read_given([doc])
    columns = reader.expand(given_columns, borders([doc]), borders([doc]), wanted=["LOWER"])
    assert columns[reader.columns["LOWER"]].tolist() == column("LOWER", doc)
    assert columns[: reader.n_given].tolist() == given_columns.tolist()


def test_no_documents_make_empty_columns():
    reader = AttributeReader(["LOWER", "TAG"], NLP.vocab)
    assert reader.read([], np.zeros(1, np.int64)).shape == (3, 0)
    assert reader.unset(reader.read_given([])) == []


def test_attributes_that_no_token_carries_are_known(doc, register):
    attr = register(lambda doc: [0] * len(doc))
    reader = AttributeReader(["ORTH", "TAG", "LEMMA", "SPACY", "IDX", "NORM", "LOWER", "IS_TITLE", attr], NLP.vocab)
    bare = Doc(NLP.vocab, words=["a"], spaces=[False])
    assert reader.unset(reader.read_given([bare])) == ["TAG", "LEMMA"]
    assert reader.unset(reader.read_given([bare, doc])) == []


def test_context_attributes_name_what_they_are_made_from():
    for attr in CONTEXT_ATTRIBUTES:
        check_attributes([attr], str)
    reader = AttributeReader(["DOC_CASE", "LEFT_NOUN", "LEFT_WORD", "SAME_1", "SHAPE"], NLP.vocab)
    assert [attr for attr in ("DOC_CASE", "LEFT_NOUN", "LEFT_WORD", "SAME_1") if "TAG" in reader.reads(attr)] == [
        "LEFT_NOUN"
    ]
    assert "LOWER" in reader.reads("DOC_CASE")
    assert reader.reads("SAME_1") == ("CHAR",)
    assert reader.reads("SHAPE") == ("SHAPE",)
    assert reader.unset(reader.read_given([Doc(NLP.vocab, words=["a"])])) == ["TAG"]


# --- the lexicon ---


def orths(words) -> np.ndarray:
    return np.array([NLP.vocab.strings.add(word) for word in words], np.uint64)


def test_lexicon_grows_as_forms_are_met():
    lexicon = Lexicon(["SUFFIX2"], NLP.vocab)
    words = [f"palabra{i}" for i in range(5000)]
    seen = {}
    for start in range(0, 5000, 700):
        batch = words[max(start - 100, 0) : start + 700]
        for word, row in zip(batch, lexicon.ids(orths(batch)).tolist(), strict=True):
            assert seen.setdefault(word, row) == row
        assert lexicon.size == len(seen) == min(start + 700, 5000)
    assert lexicon.generation == 1
    ids = lexicon.ids(orths(words))
    assert sorted(ids.tolist()) == list(range(5000))
    assert lexicon.values[ids, 0].tolist() == [hash_string(word[-2:]) for word in words]


def test_lexicon_starts_afresh_at_its_limit():
    lexicon = Lexicon(["LOWER"], NLP.vocab, limit=10)
    words = [f"W{i}" for i in range(40)]
    for start in range(0, 40, 4):
        batch = words[start : start + 4]
        ids = lexicon.ids(orths(batch))
        assert lexicon.size <= 10
        assert lexicon.values[ids, 0].tolist() == [hash_string(word.lower()) for word in batch]
    assert lexicon.generation == 5


def test_lexicon_takes_one_batch_beyond_its_limit():
    lexicon = Lexicon(["LOWER"], NLP.vocab, limit=3)
    words = [f"W{i}" for i in range(20)]
    for _ in range(2):
        assert sorted(lexicon.ids(orths(words)).tolist()) == list(range(20))
    assert lexicon.generation == 1
    assert lexicon.ids(orths(["neu", "W3"])).tolist() in ([0, 1], [1, 0])
    assert lexicon.generation == 2
