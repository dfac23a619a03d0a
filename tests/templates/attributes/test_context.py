"""Context attributes against plain Python."""

import numpy as np
import pytest
import spacy
from hypothesis import given
from hypothesis import strategies as st
from spacy.strings import hash_string
from spacy.tokens import Doc

from spacy_mtl.templates.attributes.context import CONTEXT_ATTRIBUTES, case_pattern
from spacy_mtl.templates.attributes.reader import AttributeReader
from spacy_mtl.templates.extract import boundary, mix

WORDS = ["Ana", "ana", "ANA", "de", "casa", "Madrid", "MADRID", ".", '"', "X", "2024", "McAdam", "río", "A."]
TAGS = ["NC", "V", "NOUN", "P", "Num"]
NLP = spacy.blank("es")


def value(text: str) -> int:
    return NLP.vocab.strings.add(text)


LEFT_EDGE, RIGHT_EDGE = int(boundary(-1)), int(boundary(1))
OPENERS = set("\"':-«“—¿¡")


def is_capital(text):
    return text[0].isupper()


def is_headline(words):
    return 2 * sum(len(w) > 1 and w.isupper() for w in words) > len(words)


def is_inner(words, k):
    return k > 0 and words[k - 1] not in OPENERS


def nearest(words, accepts, k, side):
    places = range(k - 1, -1, -1) if side < 0 else range(k + 1, len(words))
    found = [value(words[j].lower()) for j in places if accepts(j)]
    return found[0] if found else LEFT_EDGE


def sentence_values(words, tags, k):
    def is_plain(j):
        return len(words[j]) > 3 and words[j].isalpha() and words[j].islower()

    def is_noun(j):
        return tags[j].startswith("N") and tags[j] != "Num" and not is_capital(words[j])

    return [nearest(words, accepts, k, side) for accepts in (is_plain, is_noun) for side in (-1, 1)]


def case_value(document, s, k):
    words = document[s]
    word, form = words[k], words[k].lower()
    if not word[0].isalpha():
        return 0
    lowered = any(w == form for other in document for w in other)
    marked = [
        (w, is_inner(other, j))
        for other in document
        if not is_headline(other)
        for j, w in enumerate(other)
        if w.lower() == form and w != form
    ]
    own = is_inner(words, k) and word != form
    bits = 1 + (not is_inner(words, k)) + 4 * lowered + 8 * (sum(inner for _, inner in marked) > own)
    bits += 16 * (any(w.isupper() and len(w) > 1 for w, _ in marked) and not (word.isupper() and len(word) > 1))
    return int(mix(np.uint64(hash_string(case_pattern(word))), np.uint64(bits)))


def elsewhere_values(document, s, k):
    word = document[s][k]
    if not is_capital(word):
        return [0, 0, 0]
    places = [(i, j) for i, other in enumerate(document) for j, w in enumerate(other) if w == word]
    others = [place for place in places[:2] if place != (s, k)]
    if len(places) < 2:
        return [1 + len(places), 0, 0]
    i, j = others[0]
    left = value(document[i][j - 1].lower()) if j else LEFT_EDGE
    right = value(document[i][j + 1].lower()) if j + 1 < len(document[i]) else RIGHT_EDGE
    return [1 + min(4, len(places)), left, right]


def longest_runs(document):
    best = {}
    for words in document:
        if is_headline(words):
            continue
        start = 0
        while start < len(words):
            end = start
            while end < len(words) and is_capital(words[end]):
                end += 1
            for k in range(start, end):
                form = words[k].lower()
                if form not in best or end - start > len(best[form][0]):
                    best[form] = ([w.lower() for w in words[start:end]], k - start)
            start = max(end, start + 1)
    return best


def run_values(document, s, k):
    word, best = document[s][k], longest_runs(document)
    if not is_capital(word) or word.lower() not in best:
        return [0] * 5
    run, at = best[word.lower()]
    before = value(run[at - 1]) if at else LEFT_EDGE
    after = value(run[at + 1]) if at + 1 < len(run) else RIGHT_EDGE
    return [value(run[0]), value(run[-1]), before, after, 1 + 8 * min(len(run), 5) + min(at, 3)]


def expected(documents, tags):
    columns = []
    for document, document_tags in zip(documents, tags, strict=True):
        for s, words in enumerate(document):
            for k in range(len(words)):
                near = sentence_values(words, document_tags[s], k)
                near = [near[0], near[1], near[2], near[3]]
                columns.append(
                    [
                        *near,
                        case_value(document, s, k),
                        *elsewhere_values(document, s, k),
                        *run_values(document, s, k),
                    ]
                )
    return np.array(columns, np.uint64).T


sentence = st.lists(st.sampled_from(WORDS), min_size=1, max_size=6)


@given(st.lists(st.lists(sentence, min_size=1, max_size=3), min_size=1, max_size=3), st.randoms(use_true_random=False))
def test_context_attributes_are_what_plain_python_finds(documents, random):
    tags = [[[random.choice(TAGS) for _ in words] for words in document] for document in documents]
    docs = [
        Doc(
            NLP.vocab,
            words=[w for words in document for w in words],
            tags=[t for words in document_tags for t in words],
            sent_starts=[k == 0 for words in document for k in range(len(words))],
        )
        for document, document_tags in zip(documents, tags, strict=True)
    ]
    lengths = [len(words) for document in documents for words in document]
    reader = AttributeReader(CONTEXT_ATTRIBUTES, NLP.vocab)
    columns = reader.read(docs, np.concatenate([[0], np.cumsum(lengths)]))
    rows = [reader.columns[attr] for attr in CONTEXT_ATTRIBUTES]
    np.testing.assert_array_equal(columns[rows], expected(documents, tags))


@pytest.mark.parametrize(
    ("text", "pattern"),
    [("casa", "x"), ("Casa", "Xx"), ("CASA", "XX"), ("C", "X"), ("C.", "XX"), ("McA", "XxX"), ("iPad", "xX"),
     ("25", "9"), (",", ","), ("...", "p")],
)  # fmt: skip
def test_case_pattern(text, pattern):
    assert case_pattern(text) == pattern


def test_only_what_is_needed_is_read():
    assert AttributeReader(["LEFT_WORD"], NLP.vocab).token_attributes == []
    assert AttributeReader(["LEFT_NOUN"], NLP.vocab).token_attributes == ["TAG"]
