import random

import numpy as np
import pytest
import spacy
from spacy.strings import hash_string
from spacy.tokens import Doc

from spacy_mtl.sentences import borders
from spacy_mtl.tables.clusters import ClusterTable
from spacy_mtl.tables.phrases import PhraseList
from spacy_mtl.templates.attributes import lists as lists_module
from spacy_mtl.templates.attributes.lists import Folds, folded, phrase_table
from spacy_mtl.templates.attributes.of_tables import (
    check_given,
    is_cluster,
    is_list,
    is_read,
    kind_of_name,
    table_of,
    without_table,
)
from spacy_mtl.templates.attributes.reader import AttributeReader, Lexicon


@pytest.fixture(name="vocab")
def _vocab():
    return spacy.blank("xx").vocab


def read(vocab, attr, lists, words, starts=()):
    doc = Doc(vocab, words, sent_starts=[k in starts for k in range(len(words))] if starts else None)
    reader = AttributeReader([attr], vocab, learned=lists)
    return reader.read([doc], borders([doc]))[reader.columns[attr]].tolist()


def test_the_longest_phrase_counts_and_positions_are_told(vocab):
    lists = {"LIST_x": PhraseList(["New York", "New York City Hall", "York City", "a"])}
    words = ["a", "New", "York", "City", "Hall", "New", "York", "City", "in"]
    assert read(vocab, "LIST_x", lists, words) == [4, 1, 2, 2, 3, 1, 3, 0, 0]


def test_what_is_added_while_the_table_is_made_is_found_next_time(vocab, monkeypatch):
    phrases = PhraseList(["York"])

    def made_slowly(*arguments):
        table = phrase_table(*arguments)
        phrases.add("Hall")  # by another thread
        return table

    doc = Doc(vocab, ["York", "Hall"])
    reader = AttributeReader(["LIST_x"], vocab, learned={"LIST_x": phrases})
    monkeypatch.setattr(lists_module, "phrase_table", made_slowly)
    found = [reader.read([doc], borders([doc]))[reader.columns["LIST_x"]].tolist() for _ in range(2)]
    assert found == [[4, 0], [4, 4]]


def test_phrases_do_not_cross_sentences(vocab):
    lists = {"LIST_x": PhraseList(["New York"])}
    assert read(vocab, "LIST_x", lists, ["New", "York", "New", "York"], {0, 1, 2}) == [0, 0, 1, 3]


def test_case_and_accents_are_folded_where_the_list_says_so(vocab):
    words = ["MALAGA", "Málaga", "málaga", "Malaga"]
    expected = {
        (False, False): [0, 4, 0, 0],
        (True, False): [0, 4, 4, 0],
        (False, True): [0, 4, 0, 4],
        (True, True): [4] * 4,
    }
    for (case, accents), values in expected.items():
        lists = {"LIST_x": PhraseList(["Málaga"], case, accents)}
        assert read(vocab, "LIST_x", lists, words) == values


def test_matches_are_those_of_a_search_word_by_word(vocab):
    rng = random.Random(0)
    for _ in range(50):
        phrases = {" ".join(rng.choices("ab", k=rng.randint(1, 4))) for _ in range(rng.randint(1, 5))}
        words = rng.choices("abc", k=12)
        expected, t = [0] * 12, 0
        while t < 12:
            n = max((n for n in range(1, 5) if t + n <= 12 and " ".join(words[t : t + n]) in phrases), default=0)
            for u in range(t, t + n):
                expected[u] = 4 if n == 1 else 1 if u == t else 3 if u == t + n - 1 else 2
            t += max(n, 1)
        assert read(vocab, "LIST_x", {"LIST_x": PhraseList(sorted(phrases))}, words) == expected


def test_a_part_knows_its_own_phrases_only(vocab):
    phrases = PhraseList(["a", "b"])
    reader = AttributeReader(["LIST_x"], vocab, learned={"LIST_x": phrases})
    known = {"a": np.array([True, False]), "b": np.array([False, True])}
    reader.lists.folds["LIST_x"] = Folds(2, known)
    reader.lists.parts["LIST_x"] = np.array([0, 1])
    doc = Doc(vocab, ["a", "b", "c", "a", "b", "c"], sent_starts=[k % 3 == 0 for k in range(6)])
    assert reader.read([doc], borders([doc]))[reader.columns["LIST_x"]].tolist() == [4, 0, 0, 0, 4, 0]
    phrases.add("c")  # which the corpus does not have
    assert reader.read([doc], borders([doc]))[reader.columns["LIST_x"]].tolist() == [4, 0, 4, 0, 4, 4]


def test_parts_that_have_changed_are_seen(vocab):
    """Wherever the new ones are kept: what is forgotten first may leave its place to them."""
    reader = AttributeReader(["LIST_x"], vocab, learned={"LIST_x": PhraseList(["a"])})
    reader.lists.parts["LIST_x"] = np.array([0])
    doc = Doc(vocab, ["a"])
    for k in range(50):
        reader.lists.folds.clear()
        reader.lists.folds["LIST_x"] = Folds(1, {"a": np.array([k % 2 == 0])})
        assert bool(reader.read([doc], borders([doc]))[reader.columns["LIST_x"]][0]) == (k % 2 == 0)


def test_phrases_that_are_one_when_folded_are_known_to_the_same_parts():
    folds = Folds(2, {"rome": np.array([True, False])})
    table = phrase_table(["Rome", "ROME", "rome x"], "LOWER", folds)
    assert table.known.tolist() == [[False, False], [True, False], [True, True]]


def test_a_no_break_space_is_in_a_word_or_between_two(vocab):
    lists = {"LIST_x": PhraseList(["10\u00a0000 euros"], fold_case=True)}
    words = ["10\u00a0000", "Euros", "10", "000", "euros"]
    assert read(vocab, "LIST_x", lists, words) == [1, 3, 1, 2, 3]


def test_both_readings_of_a_phrase_are_known_to_the_same_parts():
    folds = Folds(2, {"10\u00a0000": np.array([True, False])})
    table = phrase_table(["10\u00a0000"], "LOWER", folds)
    assert table.known.tolist() == [[False, False], [True, False], [True, False]]


def test_all_lists_together_tell_which_of_them_knows_a_word(vocab):
    lists = {"LIST_x": PhraseList(["a", "both"]), "LIST_y": PhraseList(["b", "both", "a b"])}
    none, a, b, both, again = read(vocab, "LIST", lists, ["none", "a", "b", "both", "both"])
    # "a b" of y begins at a
    assert none == 0
    assert read(vocab, "LIST", lists, ["none", "nothing"]) == [0, 0]
    assert len({a, b, both, 0}) == 4
    assert both == again
    assert read(vocab, "LIST", dict(reversed(lists.items())), ["none", "a", "b", "both", "both"])[1:] == [
        a,
        b,
        both,
        both,
    ]


def test_a_list_can_be_changed_while_it_is_read(vocab):
    phrases = PhraseList(["a"])
    reader = AttributeReader(["LIST_x"], vocab, learned={"LIST_x": phrases})
    doc = Doc(vocab, ["a", "b"])

    def column():
        return reader.read([doc], borders([doc]))[reader.columns["LIST_x"]].tolist()

    assert column() == [4, 0]
    phrases.add("b")
    assert column() == [4, 4]
    phrases.replace(["b"])
    assert column() == [0, 4]


def test_words_are_folded():
    word = "Málaga"
    assert [folded(word, attr) for attr in ("ORTH", "LOWER", "UNACCENTED", "LOWER_UNACCENTED")] == [
        "Málaga", "málaga", "Malaga", "malaga",
    ]  # fmt: skip


def test_clusters_are_read_to_the_bits_that_are_asked_for(vocab):
    tables = {"CLUSTER": ClusterTable.of([("rio", "0110101")]), "CLUSTER_x": ClusterTable.of([("rio", "1")])}
    attrs = ["CLUSTER", "CLUSTER4", "CLUSTER10", "CLUSTER_x", "CLUSTER4_x"]
    reader = AttributeReader(attrs, vocab, learned=tables)
    doc = Doc(vocab, ["Rio", "none"])
    columns = reader.read([doc], borders([doc]))
    found = [vocab.strings.add(path) for path in ("0110101", "0110", "0110101", "1", "1")]
    assert [int(columns[reader.columns[attr]][0]) for attr in attrs] == found
    assert [int(columns[reader.columns[attr]][1]) for attr in attrs] == [hash_string("")] * 5


def test_a_table_of_clusters_is_looked_through_once_for_all_its_attributes(vocab, monkeypatch):
    asked = []
    found = ClusterTable.numbers_of
    monkeypatch.setattr(ClusterTable, "numbers_of", lambda self, forms: asked.append([*forms]) or found(self, forms))
    tables = {"CLUSTER": ClusterTable.of([("rio", "0110101"), ("b", "1")]), "CLUSTER_x": ClusterTable.of([("b", "01")])}
    attrs = ["CLUSTER4", "SUFFIX2", "CLUSTER8", "CLUSTER", "CLUSTER_x", "CLUSTER1_x", "LOWER"]
    reader = AttributeReader(attrs, vocab, learned=tables)
    doc = Doc(vocab, ["Rio", "none", "b", "Rio"])
    columns = reader.read([doc], borders([doc]))
    assert [sorted(forms) for forms in asked] == [["Rio", "b", "none"]] * 2
    for attr in attrs:
        of = reader.lexicon.functions[reader.lexicon.attributes.index(attr)] or str.lower
        assert columns[reader.columns[attr]].tolist() == [hash_string(of(word.text)) for word in doc]


def test_clusters_without_a_table_are_nothing(vocab):
    lexicon = Lexicon(["CLUSTER4", "CLUSTER"], vocab)
    ids = lexicon.ids(np.array([vocab.strings.add("rio")], np.uint64))
    assert lexicon.values[ids].tolist() == [[hash_string("")] * 2]


def test_names_of_attributes_and_tables():
    assert [attr for attr in ("CLUSTER", "CLUSTER4", "CLUSTER4_a", "CLUSTER0", "CLUSTER65", "CLUSTERa", "LIST") if is_cluster(attr)] == [
        "CLUSTER", "CLUSTER4", "CLUSTER4_a",
    ]  # fmt: skip
    assert [attr for attr in ("LIST", "LIST_a", "LISTa", "LIST_") if is_list(attr)] == ["LIST", "LIST_a"]
    assert [table_of(attr) for attr in ("CLUSTER", "CLUSTER6", "CLUSTER6_a", "LIST_a")] == [
        "CLUSTER", "CLUSTER", "CLUSTER_a", "LIST_a",
    ]  # fmt: skip
    assert [kind_of_name(name) for name in ("CLUSTER", "CLUSTER6", "LIST_a", "LIST", "TAG")] == [
        ClusterTable, None, PhraseList, None, None,
    ]  # fmt: skip
    assert is_read("LIST_a", ["LIST"])
    assert not is_read("CLUSTER", ["LIST", "CLUSTER4_a"])
    assert without_table(["LOWER", "LIST", "CLUSTER4"], {"LIST_a": PhraseList()}) == "CLUSTER4"
    assert without_table(["LIST"], {"CLUSTER": ClusterTable.of([])}) == "LIST"


@pytest.mark.parametrize(
    ("tables", "code"),
    [
        ({"CLUSTER": PhraseList()}, "M811"),
        ({"LIST_a": ClusterTable.of([])}, "M811"),
        ({"CLUSTER_b": ClusterTable.of([])}, "M810"),
        ({"TAG": PhraseList()}, "M812"),
        ({3: PhraseList()}, "M812"),
    ],
)
def test_tables_that_no_template_reads_or_that_are_none_are_refused(tables, code):
    with pytest.raises(ValueError, match=code):
        check_given("ner", tables, ["CLUSTER4", "LIST_a"])


def test_a_reader_without_its_table_is_refused(vocab):
    with pytest.raises(ValueError, match=r"M809.*CLUSTER4"):
        AttributeReader(["CLUSTER4"], vocab)
