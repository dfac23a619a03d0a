"""One Example that stands for a whole corpus, so that a step of spaCy's loop copies one empty Doc instead of all documents.

``nlp.update`` copies the predicted Doc of every Example, but hands on the same reference Doc. The corpus therefore travels in the reference.
"""

from collections.abc import Sequence

from spacy.tokens import Doc
from spacy.training import Example


class StandIn(Doc):
    """A reference Doc without words that stands for a corpus.

    examples: all Examples of the corpus, which whoever gets them must not change. As long as it is the same list, it holds the same Examples, but
    perhaps in another order. passes: how often the corpus is to be learned from.
    """

    examples: list[Example]
    passes: int


class StandInExample(Example):
    """An Example around a :class:`StandIn`, with a length that spaCy's loop counts as the words that it has seen."""

    def __len__(self) -> int:
        corpus = self.reference
        assert isinstance(corpus, StandIn)
        return corpus.passes * sum(map(len, corpus.examples))


def stand_in(examples: list[Example], passes: int) -> Example:
    """The Example that stands for ``examples``, at least one, ``passes`` times."""
    vocab = examples[0].predicted.vocab
    corpus = StandIn(vocab)
    corpus.examples, corpus.passes = examples, passes
    return StandInExample(Doc(vocab), corpus)


def stood_for(examples: Sequence[Example]) -> StandIn | None:
    """What a batch stands for; None if it is an ordinary one."""
    found = examples[0].reference if len(examples) == 1 else None
    return found if isinstance(found, StandIn) else None
