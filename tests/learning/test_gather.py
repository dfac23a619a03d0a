import numpy as np
from hypothesis import given
from hypothesis import strategies as st
from spacy.tokens import Doc, Span
from spacy.vocab import Vocab

from spacy_mtl.learning.gather import Gatherer, Piece, concatenate, content_key

VOCAB = Vocab(strings=["PER", "LOC"])
GOLD = ("ENT_IOB", "ENT_TYPE")


def make_doc(words, ents=(), tags=None) -> Doc:
    doc = Doc(VOCAB, words=words, tags=tags)
    doc.set_ents([Span(doc, *ent) for ent in ents])
    return doc


def make_piece(key: str, value: int = 0, n: int = 2, starts=None) -> Piece:
    given_columns = np.full((2, n), value, np.uint64)
    return Piece(key.encode(), given_columns, np.array(starts or [0, n]), np.full(n, value % 3, np.int32))


def gatherer(keys: str) -> Gatherer:
    return Gatherer({key.encode(): keys.count(key) for key in keys})


def show(gathered: Gatherer, piece: Piece) -> int | None:
    return gathered.show(piece, gathered.find(piece.key, piece.given, piece.starts))


# --- keys ---


def test_key_is_words_and_gold():
    key = content_key(make_doc(["Ana", "come"], [(0, 1, "PER")]), GOLD)
    assert key == content_key(make_doc(["Ana", "come"], [(0, 1, "PER")], tags=["N", "V"]), GOLD)
    others = [
        make_doc(["Ana", "comía"], [(0, 1, "PER")]),
        make_doc(["Ana", "come"], [(0, 1, "LOC")]),
        make_doc(["Ana", "come"], [(0, 2, "PER")]),
        make_doc(["Ana", "come"]),
        Doc(VOCAB, words=["Ana", "come"]),
        make_doc([]),
    ]
    assert len({key, *(content_key(doc, GOLD) for doc in others)}) == 1 + len(others)


# --- passes ---


def test_pass_is_complete_when_every_document_has_been_shown():
    gathered = gatherer("abb")
    for name in "bab":
        assert not gathered.is_complete
        assert not gathered.repeats(name.encode())
        show(gathered, make_piece(name))
    assert gathered.is_complete
    assert gathered.repeats(b"b")


def test_document_that_comes_again_after_nearly_all_begins_another_pass():
    keys = "abcdefghijkl"  # l never comes
    gathered = gatherer(keys)
    for name in keys[:10]:
        show(gathered, make_piece(name))
        assert not gathered.repeats(name.encode())
    show(gathered, make_piece("k"))
    assert gathered.repeats(b"a")
    assert not gathered.repeats(b"l")
    assert not gathered.is_complete
    gathered.close()
    gathered.begin_pass()
    assert gathered.n_needed == 11
    assert not gathered.repeats(b"a")


def test_documents_drawn_at_random_make_passes_as_long_as_the_corpus():
    gathered = gatherer("abcd")
    drawn = [show(gathered, make_piece("a")) for _ in range(4)]
    assert drawn == [0] * 4
    assert gathered.is_complete
    assert len(gathered.pieces) == 1


def test_unknown_document_belongs_to_the_corpus_from_then_on():
    gathered = gatherer("ab")
    assert not gathered.knows(b"c")
    assert not gathered.repeats(b"c")
    assert show(gathered, make_piece("c")) == 0
    assert gathered.knows(b"c")
    show(gathered, make_piece("a"))
    assert gathered.is_complete  # as many as were known
    gathered.close()
    gathered.begin_pass()
    assert gathered.n_needed == 2
    assert gathered.n_expected == 3
    assert show(gathered, make_piece("c")) == 1


def test_without_a_corpus_every_batch_ends_a_pass():
    gathered = gatherer("")
    assert gathered.is_complete
    assert not gathered.repeats(b"a")


def test_copies_of_a_document_keep_slots_of_their_own_and_find_them_by_input():
    gathered = gatherer("aab")
    pieces = [make_piece("a", 1), make_piece("b", 7), make_piece("a", 2)]
    assert [show(gathered, piece) for piece in pieces] == [0, 1, 2]
    place = gathered.close()
    gathered.begin_pass()
    again = [gathered.find(piece.key, piece.given, piece.starts) for piece in reversed(pieces)]
    assert again == place[[2, 1, 0]].tolist()


def test_same_input_is_shown_twice_in_different_slots():
    gathered = gatherer("aa")
    assert [show(gathered, make_piece("a")) for _ in range(2)] == [0, 1]
    gathered.close()
    gathered.begin_pass()
    assert sorted(show(gathered, make_piece("a")) for _ in range(2)) == [0, 1]


def test_document_left_out_of_the_first_pass_is_taken_in_later_and_the_others_keep_their_slots():
    gathered = gatherer("abc")
    show(gathered, make_piece("c"))
    gathered.close()
    gathered.begin_pass()
    assert not gathered.grown
    assert [show(gathered, make_piece(name)) for name in "ba"] == [1, 2]
    assert gathered.grown
    assert gathered.close().tolist() == [0, 2, 1]
    gathered.begin_pass()
    assert not gathered.grown
    assert [show(gathered, make_piece(name)) for name in "abc"] == [1, 2, 0]


def test_many_twins_are_found_one_by_one():
    gathered = gatherer("a" * 300)
    for _ in range(2):
        assert sorted(show(gathered, make_piece("a")) for _ in range(300)) == list(range(300))
        gathered.begin_pass()


def test_other_input_replaces_a_document_and_is_noticed():
    gathered = gatherer("ab")
    first, second = make_piece("a", 1), make_piece("b", 1)
    show(gathered, first)
    show(gathered, second)
    gathered.close()
    gathered.begin_pass()
    gathered.show(second, gathered.find(b"b", second.given, second.starts))
    assert not gathered.changed
    other = make_piece("a", 2)
    slot = show(gathered, other)
    assert gathered.changed
    assert gathered.pieces[slot] is other
    gathered.begin_pass()
    assert not gathered.changed


PIECES = st.lists(
    st.builds(make_piece, st.sampled_from("ab"), st.integers(0, 2), st.just(2), st.sampled_from([[0, 2], [0, 1, 2]])),
    max_size=6,
)


@given(PIECES, st.randoms(use_true_random=False))
def test_order_after_the_first_pass_does_not_depend_on_the_order_of_showing(pieces, random):
    orders = []
    for _ in range(2):
        gathered = gatherer("".join(piece.key.decode() for piece in pieces))
        slots = [show(gathered, piece) for piece in pieces]
        place = gathered.close()
        assert [gathered.pieces[place[slot]] for slot in slots] == pieces
        orders.append([piece.sort_key for piece in gathered.pieces])
        random.shuffle(pieces)
    assert orders[0] == orders[1]


# --- concatenation ---


def test_concatenation_shifts_borders_and_skips_empty_documents():
    empty = Piece(b"e", np.empty((2, 0), np.uint64), np.array([0]), np.empty(0, np.int32))
    pieces = [empty, make_piece("a", 1, 3, [0, 2, 3]), empty, make_piece("b", 2, 1)]
    columns, starts, gold = concatenate(pieces)
    assert columns.tolist() == [[1, 1, 1, 2], [1, 1, 1, 2]]
    assert starts.tolist() == [0, 2, 3, 4]
    assert gold.tolist() == [1, 1, 1, 2]
