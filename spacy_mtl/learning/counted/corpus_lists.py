"""Lists of the entities of the training corpus.

If such a list knew every entity of the corpus, training would trust it blindly: what is in the list is an entity, and what is not is none. So the
corpus is divided into consecutive folds, and each fold knows the entities of the other folds only.
"""

from collections import Counter
from collections.abc import Iterable, Mapping, Sequence

import numpy as np
from spacy.tokens import Doc

from spacy_mtl.learning.gather import Piece
from spacy_mtl.learning.streamed import Corpus
from spacy_mtl.tables.phrases import OfCorpus, PhraseList, can_be_phrase
from spacy_mtl.templates.attributes.lists import Folds, folded_phrase


class CorpusLists:
    """The entities of a corpus, for lists that depend on them.

    references: the documents. keys: what identifies each. lists: by their names, all of which depend on the corpus.
    folds: by the name of each list, which parts of the corpus know which entities. missing: the lists whose label no entity has, with that label.
    undivided: the lists for which all documents are in one part, as a single document is, so that training finds none of their phrases.
    """

    def __init__(self, references: Corpus[Doc], keys: Sequence[bytes], lists: Mapping[str, PhraseList]):
        self._n = len(references)
        self._place_of: dict[bytes, int] = {}
        # identical texts go into the same fold, so that neither knows its entities from the other
        entities = [
            (self._place_of.setdefault(key, i), _entities(doc))
            for i, (key, doc) in enumerate(zip(keys, references, strict=True))
        ]
        self.folds: dict[str, Folds] = {}
        self.missing: dict[str, str] = {}
        self.undivided: list[str] = []
        for name, table in lists.items():
            how = table.of_corpus or OfCorpus()
            self.folds[name] = self._fill(table, how, entities)
            if not self.folds[name].known:
                self.missing[name] = how.label
            if len({place * how.folds // self._n for place, _ in entities}) < 2:
                self.undivided.append(name)

    def _fill(self, table: PhraseList, how: OfCorpus, entities: Iterable[tuple[int, list[tuple[str, str]]]]) -> Folds:
        """Which folds know which entities, of those that the list is about; they are added to it if it wants to be filled."""
        counts: dict[str, np.ndarray] = {}
        spellings: dict[str, str] = {}
        for place, found in entities:
            for text, label in found:
                if how.label in ("", label):
                    key = spellings[text] = folded_phrase(text, table.attr)
                    counts.setdefault(key, np.zeros(how.folds, np.int64))[place * how.folds // self._n] += 1
        if how.filled:
            table.update(text for text, key in spellings.items() if counts[key].sum() >= how.least)
        return Folds(how.folds, {key: each.sum() - each >= how.least for key, each in counts.items()})

    def parts(self, pieces: Sequence[Piece]) -> dict[str, np.ndarray]:
        """By the name of each list, the fold of each sentence of the pieces, int64[S]."""
        places = np.array([self._place_of.get(piece.key, 0) for piece in pieces], np.int64)
        sentences = np.repeat(places, [piece.starts.size - 1 for piece in pieces])
        return {name: sentences * folds.n // self._n for name, folds in self.folds.items()}


def list_without(table: PhraseList, left: Iterable[Doc], out: Iterable[Doc]) -> PhraseList:
    """A copy of a list that depends on its corpus, as it would be if the corpus had not the documents ``out``, but those that are ``left``.

    Phrases that the corpus as a whole does not have, which somebody has added, stay.
    """
    how = table.of_corpus or OfCorpus()
    counts, lost = (
        Counter(
            folded_phrase(text, table.attr)
            for doc in docs
            for text, label in _entities(doc)
            if how.label in ("", label)
        )
        for docs in (left, out)
    )
    keys = {phrase: folded_phrase(phrase, table.attr) for phrase in table}
    phrases = [phrase for phrase, key in keys.items() if counts[key] >= how.least or key not in lost]
    return PhraseList(phrases, table.fold_case, table.fold_accents, table.of_corpus)


def _entities(doc: Doc) -> list[tuple[str, str]]:
    """Words, separated by spaces, and label of each entity that can be in a list."""
    found = [(" ".join(token.text for token in ent if not token.is_space), ent.label_) for ent in doc.ents]
    return [(text, label) for text, label in found if can_be_phrase(text)]
