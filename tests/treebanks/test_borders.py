"""Where tokens begin, learned as corrections of another tokenizer."""

import random
import re
from itertools import pairwise

import pytest
import spacy

import spacy_mtl.treebanks.multiword  # noqa: F401 (registers the tokenizer)
from spacy_mtl.corpora.conllu import ConlluCorpus
from spacy_mtl.corpora.conllu_kept import raw_text
from spacy_mtl.stored.fault import StoredValueError
from spacy_mtl.treebanks.borders import LONGEST, Borders, Piece, _contexts, _runs, learn_borders

CONFIG = {
    "nlp": {"tokenizer": {"@tokenizers": "spacy_mtl.Multiword.v1", "tokenizer": {"@tokenizers": "spacy.Tokenizer.v1"}}}
}


def piece(gold, given):
    """Tokens with a bar between them."""
    places = [
        frozenset(sum(map(len, tokens[:k])) for k in range(1, len(tokens)))
        for tokens in (gold.split("|"), given.split("|"))
    ]
    return Piece(gold.replace("|", ""), *places)


def cut(borders, given):
    """The tokens that are found where the other tokenizer has these."""
    text, _, places = piece(given, given)
    ends = [0, *borders.of(text, sorted(places)), len(text)]
    return "|".join(text[a:b] for a, b in pairwise(ends))


@pytest.fixture
def borders():
    return learn_borders(
        [
            piece("uz-hof", "uz|-|hof"),
            piece("Dr.", "Dr|."),
            piece("Dr.", "Dr|."),
            piece("man|.", "man|."),
            piece("hunt|.", "hunt|."),
        ]
    )


def test_kinds_of_characters_decide_where_nothing_closer_was_seen(borders):
    assert cut(borders, "bi|-|gitai") == "bi-gitai"
    assert cut(borders, "6|-|7") == "6|-|7"
    assert cut(borders, "weg|.") == "weg|."


def test_letters_before_others_decide_if_they_were_seen_twice(borders):
    assert cut(borders, "dr|.") == "dr."
    assert cut(borders, "Dr|.|)") == "Dr|.|)"
    once = learn_borders([piece("Dr.", "Dr|."), piece("man|.", "man|."), piece("hunt|.", "hunt|.")])
    assert cut(once, "Dr|.") == "Dr|."


def test_marks_that_stand_alone_join_no_others_where_a_space_is_behind_every_token():
    """Such a corpus shows no border between letters and a quotation mark, however often there would be one."""
    alone = [piece(token, token) for token in [*'"().' * 3, *"--", "zei", "hij"]]
    glued = ['"oer"-woud', "(her)opbouw", "blz.", "uz-hof", "bi-gitai", "ga-daud"]
    spaced = learn_borders([*alone, *(piece(text, "|".join(re.findall(r"\w+|\W", text))) for text in glued)])
    for given in ('"|hallo|"', "(|in", "reeks|.", "er|)"):
        assert cut(spaced, given) == given
    assert cut(spaced, "zuid|-|west") == "zuid-west", "a hyphen is amid words more often than it stands alone"
    assert cut(learn_borders([*alone, *(piece("blz.", "blz|.") for _ in range(2))]), "blz|.") == "blz."
    told = learn_borders([*alone, piece("man|!", "man|!"), piece("blz.", "blz|.")])
    assert cut(told, "reeks|.") == "reeks.", "this corpus knows borders inside pieces"


def test_what_the_other_tokenizer_said_is_a_part_of_the_context(borders):
    """It knows that a word is an abbreviation; and of these the treebank said nothing."""
    assert cut(borders, "Prof.") == "Prof."
    more = learn_borders([piece("x|.", "x."), piece("y|.", "y."), piece("zz", "z|z")])
    assert cut(more, "w.") == "w|."
    assert cut(more, "w|.") == "w|."
    assert cut(more, "a|b") == "ab"
    joined = [piece(f"{word}-x", f"{word}|-|x") for word in ("ab", "cd", "ef")]
    both = learn_borders([*joined, piece("gh|-|x", "gh-x")])
    assert (cut(both, "ij|-|x"), cut(both, "ij-x")) == ("ij-x", "ij|-|x")


def test_half_decides_nothing():
    found = learn_borders([piece("a|-b", "a-b"), piece("c-|d", "c-d"), piece("e-f", "e-f"), piece("g|-|h", "g-h")])
    assert cut(found, "x-y") == "x-y"
    assert not any(key.startswith(("w", "n")) for key in found.said)


def test_a_corpus_that_the_other_tokenizer_gets_right_teaches_nothing():
    assert learn_borders([piece("man|.", "man|."), piece("Prof.", "Prof.")]) == Borders()


def test_what_is_left_out_changes_nothing():
    """Against the decision of the closest context of all that were counted."""
    draw = random.Random(5)
    pieces = []
    for _ in range(600):
        text = "".join(draw.choices("aB1.-'", k=draw.randint(1, 5)))
        gold, given = (frozenset(k for k in range(1, len(text)) if draw.random() < share) for share in (0.4, 0.5))
        pieces.append(Piece(text, gold, given))
    found, places, counts = learn_borders(pieces), [], {}
    for text, gold, given in pieces:
        runs = _runs(text, given)
        for i, place in enumerate(runs[1:-1], 1):
            keys = _contexts(text, runs, i, place in given)
            places.append((text, given, place, keys))
            for key in keys:
                counts.setdefault(key, []).append(place in gold)
    kept = 0
    for text, given, place, keys in places:
        known = [k for k in keys if 2 * sum(counts[k]) != len(counts[k]) and (k[0] in "wn" or len(counts[k]) > 1)]
        expected = 2 * sum(counts[known[0]]) > len(counts[known[0]]) if known else place in given
        assert (place in found.of(text, sorted(given))) == expected
        kept += sum(key in found.said for key in known)
    assert 0 < len(found.said) < len(counts)
    assert kept


def test_marks_belong_to_their_letters_and_long_pieces_are_left_alone(borders):
    assert _runs("e\u0301t-22..", ()) == [0, 3, 4, 6, 8]
    assert cut(borders, f"{'x' * LONGEST}|-|x") == f"{'x' * LONGEST}|-|x"
    assert learn_borders([piece(f"{'x' * LONGEST}-x", f"{'x' * LONGEST}|-|x")]) == Borders()


def test_stored(borders):
    assert Borders.from_dict(borders.to_dict(), "it") == borders
    for data in ({}, {"said": {"x": 1}}, {"said": []}, {"said": {}, "more": 1}):
        with pytest.raises(StoredValueError):
            Borders.from_dict(data, "it")


def row(number, form, misc="_"):
    return "\t".join([str(number), form, *["_"] * 7, misc])


def test_a_pipeline_learns_them_from_a_treebank(tmp_path):
    """The norms of tokens that stay are those of the other tokenizer."""
    path = tmp_path / "a.conllu"
    rows = [row(1, "uz-hof"), row(2, "'tis", "SpaceAfter=No"), row(3, "!")]
    path.write_text("\n".join(rows) + "\n\n", encoding="utf8")
    nlp = spacy.blank("xx", config=CONFIG)
    nlp.tokenizer.tokenizer.add_special_case("ok", [{65: "ok", 67: "okay"}])
    assert [token.text for token in nlp("bi-gitai")] == ["bi", "-", "gitai"]
    nlp.initialize(lambda: ConlluCorpus(path, keep=True)(nlp))
    doc = nlp("  bi-gitai ok 'tis!\n 'tis ga-daud! ")
    words = [token.text for token in doc if not token.is_space]
    assert words == ["bi-gitai", "ok", "'tis", "!", "'tis", "ga-daud", "!"]
    assert doc[2].norm_ == "okay"
    assert doc.text.split() == raw_text(doc).split() == ["bi-gitai", "ok", "'tis!", "'tis", "ga-daud!"]
    nlp.to_disk(tmp_path / "model")
    loaded = spacy.load(tmp_path / "model")
    assert [token.text for token in loaded("bi-gitai'tis")] == [token.text for token in nlp("bi-gitai'tis")]
    assert "bi-gitai" in [token.text for token in loaded("bi-gitai")]
