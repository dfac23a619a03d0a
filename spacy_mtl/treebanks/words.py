"""The words of a CoNLL-U file as they are scored: each with its place in the raw text."""

from bisect import bisect_right
from dataclasses import dataclass, field
from pathlib import Path

from spacy_mtl.corpora.conllu_read import TreeSentence, read_conllu
from spacy_mtl.errors import Errors

from .universal import FUNCTION, relation, universal_features

Span = tuple[int, int]
#: Heads that are no word: of a root, and of a word without a tree.
ROOT, NO_HEAD = -1, -2


@dataclass(slots=True)
class Words:
    """The N words of a file, and what it has beside them.

    text: the raw text without white space; spans are places in it, from (inclusive) to (exclusive). tokens, sentences: the spans of all tokens, where
    a multiword token is one, and of all sentences, in order.
    forms, lemmas, upos, xpos: N strings. feats: N strings, universal features alone. relations: N strings, without subtypes. heads: N indices of
    words in the file, or ROOT or NO_HEAD. children: for each of the N words, the indices of its function words, in order. spans: for each of the N
    words, that of its token. multiword: N, whether the word is of a multiword token. places: sentence id and line of each sentence.
    """

    tokens: list[Span] = field(default_factory=list)
    sentences: list[Span] = field(default_factory=list)
    places: list[tuple[str, int]] = field(default_factory=list)
    forms: list[str] = field(default_factory=list)
    lemmas: list[str] = field(default_factory=list)
    upos: list[str] = field(default_factory=list)
    xpos: list[str] = field(default_factory=list)
    feats: list[str] = field(default_factory=list)
    relations: list[str] = field(default_factory=list)
    heads: list[int] = field(default_factory=list)
    children: list[list[int]] = field(default_factory=list)
    spans: list[Span] = field(default_factory=list)
    multiword: list[bool] = field(default_factory=list)
    text: str = ""

    def __len__(self) -> int:
        return len(self.forms)

    def sentence_of(self, word: int) -> int:
        """The number of a word's sentence, from 0."""
        return bisect_right(self.sentences, self.spans[word][0], key=lambda span: span[1])


def read_words(path: str | Path, encoding: str = "utf8") -> Words:
    """Read a CoNLL-U file. White space within forms does not count, and neither do empty nodes. Sentences may have several roots, or no tree.

    Raises ValueError for what is wrong with the file (M501-M504, M513, M550-M559, M564) and for a token of white space alone (M559).
    """
    words = Words()
    texts: list[str] = []
    at = 0
    for sentence in read_conllu(path, "conllu", encoding, keep=True):
        tokens = _tokens(sentence)
        begin = at
        for form, size, line in tokens:
            if not form:
                raise ValueError(Errors.M559.format(line=line, path=path, sentence=sentence.id))
            span = (at, at + len(form))
            at = span[1]
            words.tokens.append(span)
            words.spans += [span] * max(size, 1)
            words.multiword += [size > 0] * max(size, 1)
            texts.append(form)
        words.sentences.append((begin, at))
        words.places.append((sentence.id, sentence.lines[0]))
        _add_columns(words, sentence)
    words.text = "".join(texts)
    return words


def _tokens(sentence: TreeSentence) -> list[tuple[str, int, int]]:
    """Form of each token without white space, its number of words if it is a multiword token, else 0, and its line."""
    assert sentence.source is not None
    others = zip(sentence.source.others, sentence.source.lines, strict=True)
    ranges = {at: (row[1], size, line) for (at, size, row), line in others if size > 0}
    tokens = []
    i = 0
    while i < len(sentence.words):
        form, size, line = ranges.get(i, (sentence.words[i], 0, sentence.lines[i]))
        tokens.append(("".join(form.split()), size, line))
        i += max(size, 1)
    return tokens


def _add_columns(words: Words, sentence: TreeSentence) -> None:
    assert sentence.source is not None
    first = len(words)
    forms = zip(sentence.words, words.multiword[first:], strict=True)
    words.forms += [
        form if multiword else "".join(form.split()) for form, multiword in forms
    ]  # as the shared task's script
    words.lemmas += sentence.lemma
    words.upos += sentence.upos
    words.xpos += sentence.xpos
    words.feats += [universal_features(feats) for feats in sentence.feats]
    words.relations += [relation(row[7]) for row in sentence.source.rows]
    heads = [NO_HEAD] * len(sentence.words) if sentence.heads is None else sentence.heads.tolist()
    words.heads += [first + head - 1 if head > 0 else ROOT if head == 0 else head for head in heads]
    words.children += [[] for _ in heads]
    for i in range(first, len(words)):
        if words.relations[i] in FUNCTION and words.heads[i] >= 0:
            words.children[words.heads[i]].append(i)
