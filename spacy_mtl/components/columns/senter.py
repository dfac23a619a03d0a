"""mtl_senter: sentence borders as a linear chain over the tokens of a document."""

from collections.abc import Callable, Iterable, Sequence
from typing import TYPE_CHECKING, Any, ClassVar

import numpy as np
from spacy.attrs import DEP, SENT_START
from spacy.tokens import Doc
from spacy.training import Example
from spacy.vocab import Vocab
from thinc.api import Model

from spacy_mtl.components.biased.pipe import BIAS_CHECK, BiasCounts, BiasedPipe, checked_bias
from spacy_mtl.components.biased.sentences import sentence_counts
from spacy_mtl.components.protocol.chain import ChainPipe
from spacy_mtl.components.protocol.settings import check_switches
from spacy_mtl.errors import Errors
from spacy_mtl.learning.streamed import to_go_through
from spacy_mtl.models.chain.decode import Held, one_label_each
from spacy_mtl.models.chain.model import current_weights
from spacy_mtl.structures.chain.build import Constraints
from spacy_mtl.templates.attributes.reader import AttributeReader
from spacy_mtl.trainers.base import Trainer

from .pipe import write_where_unset

if TYPE_CHECKING:
    from spacy_mtl.explaining.decision import Decision

#: A token inside a sentence, and one that begins a sentence.
INSIDE, START = 0, 1
LABELS = ("I", "S")
#: SENT_START of a token that begins no sentence.
_NO_START = np.uint64(2**64 - 1)


class MTLSenter(BiasedPipe, ChainPipe):
    """Finds where sentences begin. The chain covers a whole document, whatever borders it has. Raises ValueError: M419 a setting out of range."""

    gold_attributes = ("SENT_START",)
    cfg_checks: ClassVar = {"bias": BIAS_CHECK}
    cfg_missing: ClassVar = {"bias": 0.0}
    whole = True

    decided = ("sentence",)

    def __init__(
        self,
        vocab: Vocab,
        model: Model,
        name: str = "mtl_senter",
        *,
        trainer: Trainer,
        overwrite: bool = False,
        bias: float = 0.0,
        scorer: Callable | None = None,
    ):
        super().__init__(vocab, model, name, trainer=trainer, scorer=scorer)
        check_switches(name, overwrite=overwrite)
        self.cfg = {"bias": checked_bias(name, bias)}
        self.overwrite = overwrite

    # --- labels and gold ---

    @property
    def labels(self) -> tuple[str, ...]:
        """The labels of the chain, which are always the same."""
        return LABELS

    def labels_under(self, cfg: dict[str, Any]) -> tuple[str, ...]:
        return LABELS

    def set_labels(self, labels: Sequence[str]) -> None:
        """Do nothing: the labels are fixed."""

    def _labels_in_cfg(self) -> Sequence[str]:
        return LABELS

    def chain_constraints(self) -> Constraints:
        """A document begins with a sentence."""
        free = Constraints.none(len(LABELS))
        return Constraints(np.array([False, True]), free.end, free.step)

    @property
    def knows_labels(self) -> bool:
        """Without a corpus nothing can be learnt, although the labels are known."""
        return False

    def is_annotated(self, reference: Doc) -> bool:
        return bool(_borders(reference).any())

    def collect_labels(self, references: Iterable[Doc]) -> None:
        """Check that there is something to learn. Raises ValueError (M428)."""
        references = to_go_through(references)
        if not any(self.is_annotated(doc) for doc in references):
            raise ValueError(Errors.M428.format(name=self.name, n=len(references)))

    def read_input(self, reader: AttributeReader, docs: Sequence[Doc]) -> list[tuple[np.ndarray, np.ndarray]]:
        """As in the base class; each document is one sequence, even if it has borders already."""
        found = super().read_input(reader, docs)
        return [(given, np.unique([0, len(doc)])) for (given, _), doc in zip(found, docs, strict=True)]

    def gold_labels(self, example: Example, starts: np.ndarray) -> np.ndarray:
        """Whether each token of the predicted Doc begins a sentence, int32[n]; -1 where the annotation does not say."""
        predicted, reference = example.predicted, example.reference
        if np.array_equal(predicted.to_array(["ORTH"]), reference.to_array(["ORTH"])):
            marks = reference.to_array([SENT_START])
            gold = np.select([marks == 1, marks == _NO_START], [START, INSIDE], -1).astype(np.int32)
        else:
            gold = _aligned_marks(example)
        gold[:1] = START if reference.has_annotation("SENT_START") else -1
        return gold

    # --- prediction ---

    def biases_of_labels(self, bias: float) -> np.ndarray:
        return np.array([bias if label == LABELS[START] else 0.0 for label in LABELS], np.float32)

    def bias_counts(self, examples: Sequence[Example]) -> BiasCounts:
        return sentence_counts(self, examples)

    def held(self, docs: Sequence[Doc]) -> Held | None:
        """Tokens that have been said to begin a sentence, or not to."""
        marks = np.concatenate([doc.to_array([SENT_START]) for doc in docs])
        first = np.cumsum([0, *map(len, docs[:-1])])
        numbers = np.select([marks == 1, marks == _NO_START], [START, INSIDE], -1)
        numbers[first[first < numbers.size]] = -1  # a document begins with a sentence, whatever it says
        return None if self.overwrite else one_label_each(numbers, len(LABELS))

    def decisions(self, doc: Doc) -> "list[Decision]":
        """A decision for each token but the first, which begins a sentence in any case."""
        shown = ("inside", "start")
        return self.explained(doc).label_decisions(
            "sentence", np.eye(len(LABELS), dtype=bool), lambda _, label: shown[label], first=1
        )

    def set_annotations(self, docs: Iterable[Doc], scores: Sequence[np.ndarray]) -> None:
        """Write ``token.is_sent_start``. scores: what :meth:`predict` returned.

        A document with a parse stays as it is, since its trees tell its sentences; and so does any document while nothing has been learnt.
        """
        if not current_weights(self.model).is_trained:
            return
        docs = list(docs)
        for doc, labels in zip(docs, scores, strict=True):
            if len(doc) and not doc.has_annotation("DEP"):
                write_where_unset(doc, SENT_START, np.where(labels == START, np.uint64(1), _NO_START), self.overwrite)
        self.write_confidence(docs, scores)

    def annotated_before(self, docs: Sequence[Doc]) -> list[Doc]:
        """Copies of documents with the borders that the model finds, whatever they have; a parse would keep it from setting any."""
        copies = [doc.copy() for doc in docs]
        for doc in copies:
            doc.from_array([DEP, SENT_START], np.zeros((len(doc), 2), np.uint64))  # type: ignore[arg-type]
        return list(self.pipe(copies))


def _borders(doc: Doc) -> np.ndarray:
    """Which tokens but the first begin a sentence, bool[n - 1]."""
    return doc.to_array([SENT_START])[1:] == 1


def _aligned_marks(example: Example) -> np.ndarray:
    """Whether each token of the predicted Doc is the first of a sentence of the reference, int32[n]; -1 where that has no borders.

    spaCy fails on a sentence whose first token, such as white space, is not in the predicted Doc; here the sentence begins with its next token.
    """
    reference, n = example.reference, len(example.predicted)
    if not reference.has_annotation("SENT_START"):
        return np.full(n, -1, np.int32)
    gold, there = np.full(n, INSIDE, np.int32), example.alignment.y2x
    for sentence in reference.sents:
        gold[there[sentence.start : sentence.end][:1]] = START
    return gold
