"""mtl_ner: named entities as a linear chain of IOB2 or BILUO tags."""

from collections.abc import Callable, Iterable, Mapping, Sequence
from typing import TYPE_CHECKING, Any, ClassVar

import numpy as np
from spacy.attrs import ENT_ID, ENT_IOB, ENT_KB_ID, ENT_TYPE
from spacy.tokens import Doc
from spacy.training import Example
from spacy.vocab import Vocab
from thinc.api import Model

from spacy_mtl.errors import Errors
from spacy_mtl.models.by_vocab import share_strings
from spacy_mtl.models.chain.decode import Held
from spacy_mtl.sentences import borders
from spacy_mtl.settings import brief, is_choice, is_number
from spacy_mtl.stored.values import distinct_texts, number, one_of
from spacy_mtl.structures.chain.build import Constraints, hamming_cost
from spacy_mtl.trainers.base import Trainer

from .biased.entities import entity_counts, tag_bias
from .biased.pipe import BIAS_CHECK, BiasCounts, BiasedPipe, checked_bias
from .confidence.pipe import Told
from .entity_tags import (
    BEGIN,
    INSIDE,
    MISSING,
    OUTSIDE,
    PREFIXES,
    decode_tags,
    encode_tags,
    hold_tags,
    tag_constraints,
    tag_labels,
    tag_segments,
)
from .factories import make_ner  # noqa: F401  (earlier installations have it as their entry point)
from .protocol.chain import ChainPipe
from .protocol.labelled import LabelledPipe
from .protocol.settings import check_switches, refuse

if TYPE_CHECKING:
    from spacy_mtl.confidence.chain import ConsideredChains
    from spacy_mtl.confidence.result import Confidence
    from spacy_mtl.explaining.decision import Decision

_IOB_CODES = {"-": MISSING, "O": OUTSIDE, "B": BEGIN, "U": BEGIN, "I": INSIDE, "L": INSIDE}


class MTLEntityRecognizer(BiasedPipe, ChainPipe, LabelledPipe):
    """Entity recognizer over a linear chain. Raises ValueError: M407 unknown scheme, M409 invalid cost."""

    gold_attributes = ("ENT_IOB", "ENT_TYPE")
    label_key = "entity_types"
    fixed = ("scheme",)
    free = (*BiasedPipe.free, "threshold")
    outside = "O"
    decided = ("entity",)
    no_labels = Errors.M403
    cfg_checks: ClassVar = {
        "entity_types": distinct_texts,
        "scheme": one_of(*PREFIXES),
        "bias": BIAS_CHECK,
        "threshold": number(0, 1),
    }
    cfg_missing: ClassVar = {"bias": 0.0, "threshold": 0.0}

    def __init__(
        self,
        vocab: Vocab,
        model: Model,
        name: str = "mtl_ner",
        *,
        trainer: Trainer,
        scheme: str = "biluo",
        valid_only: bool = True,
        overwrite: bool = False,
        costs: dict[str, float] | None = None,
        bias: float = 0.0,
        threshold: float = 0.0,
        scorer: Callable | None = None,
    ):
        super().__init__(vocab, model, name, trainer=trainer, scorer=scorer)
        if not is_choice(scheme, PREFIXES):
            raise ValueError(Errors.M407.format(name=name, scheme=brief(scheme), known=", ".join(PREFIXES)))
        check_switches(name, valid_only=valid_only, overwrite=overwrite)
        if costs is not None and not isinstance(costs, Mapping):
            refuse(name, "costs", "a table of pairs of labels and their costs", costs)
        self.cfg = {"entity_types": [], "scheme": scheme, "bias": checked_bias(name, bias)}
        self.threshold = threshold
        self.valid_only = valid_only
        self.overwrite = overwrite
        self.costs = dict(costs or {})
        for pair, cost in self.costs.items():
            if not isinstance(pair, str) or pair.count(">") != 1 or not is_number(cost, 0, 1e9):
                raise ValueError(Errors.M409.format(name=name, pair=f"{brief(pair)} = {brief(cost)}"))

    def labels_of(self, doc: Doc) -> set[str]:
        return {ent.label_ for ent in doc.ents}

    def biases_of_labels(self, bias: float) -> np.ndarray:
        return tag_bias(self.chain_labels, bias)

    def bias_counts(self, examples: Sequence[Example]) -> BiasCounts:
        return entity_counts(self, examples)

    @property
    def threshold(self) -> float:
        """Entities with a smaller probability are left out. May be set at any time; ``spacy find-threshold`` finds a good one."""
        return self.cfg["threshold"]

    @threshold.setter
    def threshold(self, value: float) -> None:
        if not is_number(value, 0, 1):
            refuse(self.name, "threshold", "a number from 0 to 1", value)
        self.cfg["threshold"] = float(value)

    @property
    def wants_confidence(self) -> bool:
        return self.confidence or self.threshold > 0

    def considered(self, docs: Sequence[Doc], held: bool = True) -> "ConsideredChains":
        from spacy_mtl.confidence.chain import ConsideredChains

        found = self.predictor(docs[0].vocab).considered(
            docs, False, self.held(docs) if held else None, self.label_bias()
        )
        segments = tag_segments(self.chain_labels, self.cfg["scheme"])
        return ConsideredChains(self.decided[0], found, self.chain_labels, segments, self.labels)

    def predict(self, docs: Iterable[Doc]) -> list[np.ndarray]:
        """The best tags of each doc, without entities below the threshold: a list of int32[n_tokens]."""
        found = super().predict(docs)
        if not self.threshold or not isinstance(found, Told):
            return found
        outside = self.chain_labels.index(self.outside)
        for labels, confidence in zip(found, found.confidences, strict=True):
            for start, end, _, probability in confidence.spans:
                if probability < self.threshold:
                    labels[start:end] = outside
        return found

    def write_spans(self, doc: Doc, confidence: "Confidence") -> None:
        """Write all entities found, those below the threshold as well, to ``doc.spans`` under the component's name."""
        from .confidence.attributes import (
            write_spans,
        )  # which makes attributes known to spaCy that are not wanted otherwise

        write_spans(doc, self.name, confidence.of_spans)

    # --- the chain ---

    def labels_under(self, cfg: dict[str, Any]) -> tuple[str, ...]:
        return tag_labels(cfg["entity_types"], cfg["scheme"])

    def label_kind(self, label: str) -> tuple[str, str]:
        prefix, _, kind = label.partition("-")
        return prefix, kind

    def chain_constraints(self) -> Constraints:
        if self.valid_only:
            return tag_constraints(self.chain_labels, self.cfg["scheme"])
        return Constraints.none(len(self.chain_labels))

    def cost_matrix(self) -> np.ndarray:
        """Hamming cost float32[L, L], changed by ``costs`` in their order; each side names an entity type, O, or "*" for any label."""
        labels = self.chain_labels
        kinds = [label.partition("-")[2] or "O" for label in labels]
        cost = hamming_cost(len(labels))
        for pair, value in self.costs.items():
            gold, predicted = pair.split(">")
            unknown = {gold, predicted} - set(kinds) - {"*"}
            if unknown:
                raise ValueError(Errors.M409.format(name=self.name, pair=pair))
            rows = np.array([gold in ("*", kind) for kind in kinds])
            columns = np.array([predicted in ("*", kind) for kind in kinds])
            cost[np.ix_(rows, columns)] = value
        np.fill_diagonal(cost, 0)
        return cost

    def gold_labels(self, example: Example, starts: np.ndarray) -> np.ndarray:
        """Gold tag numbers int32[n] of the predicted Doc's tokens; -1 where the annotation is missing or does not align."""
        predicted, reference = example.predicted, example.reference
        if np.array_equal(predicted.to_array(["ORTH"]), reference.to_array(["ORTH"])):
            iob, kinds = reference.to_array(["ENT_IOB", "ENT_TYPE"]).reshape(len(reference), 2).T
        else:
            tags = [tag or "-" for tag in example.get_aligned_ner()]
            iob = np.array([_IOB_CODES[tag[0]] for tag in tags], np.uint64)
            kinds = np.array([self.vocab.strings[tag[2:]] if tag[1:] else 0 for tag in tags], np.uint64)
        return encode_tags(iob, kinds, starts, self._type_numbers(), self.cfg["scheme"])

    def _type_numbers(self) -> dict[int, int]:
        return {self.vocab.strings[label]: number for number, label in enumerate(self.labels)}

    def held(self, docs: Sequence[Doc]) -> Held | None:
        """The tags that tokens have already. Those of entities of other types than the model's are held to be outside of the model's entities."""
        if self.overwrite or not _codes(docs).any():
            return None
        first = np.cumsum([0, *map(len, docs)])[:-1].tolist()
        found = [(at, self._held_in(doc)) for at, doc in zip(first, docs, strict=True)]
        parts = [Held(at + held.at, held.labels) for at, held in found if held is not None]
        if not parts:
            return None
        return Held(*(np.concatenate([part[k] for part in parts]) for k in range(2)))

    def _held_in(self, doc: Doc) -> Held | None:
        iob = doc.to_array(ENT_IOB)
        if not iob.any() or not (present := _present(iob)).any():
            return None
        kinds = doc.to_array(ENT_TYPE)
        labels = encode_tags(iob, kinds, borders([doc]), self._type_numbers(), self.cfg["scheme"])
        numbers = np.where(present, np.maximum(labels, 0), -1)
        return hold_tags(numbers, self.chain_labels)

    def decisions(self, doc: Doc) -> "list[Decision]":
        """A decision for each entity that the model finds, whatever the document has."""
        return self.explained(doc).span_decisions(
            "entity", tag_segments(self.chain_labels, self.cfg["scheme"]), self.labels
        )

    def token_decisions(self, doc: Doc) -> "list[Decision]":
        """A decision for each token: its tag."""
        names = self.chain_labels
        return self.explained(doc).label_decisions("tag", np.eye(len(names), dtype=bool), lambda _, y: names[y])

    def set_annotations(self, docs: Iterable[Doc], scores: Sequence[np.ndarray]) -> None:
        """Write ``doc.ents``. scores: what :meth:`predict` returned.

        Unless ``overwrite``, existing entities and blocked tokens of a Doc stay, and so do tokens set to be outside where others are missing.
        """
        docs = list(docs)
        if not docs or not self.labels:
            return
        share_strings(docs, self.labels, self.vocab)
        starts = borders(docs)
        iob, kinds = decode_tags(np.concatenate(scores), starts, list(self._type_numbers()), self.cfg["scheme"])
        values, codes = np.stack([iob, kinds], axis=1), _codes(docs)
        annotated = bool(codes.any())  # most batches are not, and need no look at each Doc
        at = 0
        for doc in docs:
            end = at + len(doc)
            if annotated:
                _write(doc, values[at:end], codes[at:end], self.overwrite)
            elif len(doc):
                _set(doc, values[at:end])
            at = end
        self.write_confidence(docs, scores)


def _codes(docs: Sequence[Doc]) -> np.ndarray:
    """ENT_IOB of all tokens, uint64[N], 0 where nothing is known."""
    return np.concatenate([doc.to_array(ENT_IOB) for doc in docs]) if docs else np.zeros(0, np.uint64)


def _present(iob: np.ndarray) -> np.ndarray:
    """Which tokens are decided, bool[n]: those of entities, blocked ones, and those set to be outside. iob: uint64[n], ENT_IOB."""
    present = np.isin(iob, (BEGIN, INSIDE))
    if (iob == MISSING).any():  # otherwise all other tokens are outside because ``doc.ents`` was set
        present |= iob == OUTSIDE
    return present


def _write(doc: Doc, values: np.ndarray, codes: np.ndarray, overwrite: bool) -> None:
    """Write entities to one Doc. values: uint64[n, 2] of ENT_IOB and ENT_TYPE. codes: uint64[n], the Doc's own ENT_IOB."""
    if not len(doc):
        return
    present = _present(codes)
    if not present.any():
        _set(doc, values)
    elif overwrite:
        links = np.zeros((len(doc), 2), np.uint64)  # knowledge base links and ids belong to the old entities
        _set(doc, np.concatenate([values, links], axis=1))
    else:
        _add(doc, values, present)


def _set(doc: Doc, values: np.ndarray) -> None:
    """Set entity attributes. values: uint64[n, k], for the first k of ENT_IOB, ENT_TYPE, ENT_KB_ID and ENT_ID."""
    doc.from_array([ENT_IOB, ENT_TYPE, ENT_KB_ID, ENT_ID][: values.shape[1]], values)  # type: ignore[arg-type]


def _add(doc: Doc, values: np.ndarray, present: np.ndarray) -> None:
    """Add the entities that do not overlap ``present``: bool[n], tokens of existing entities, and those that are blocked or set to be outside."""
    kept = doc.ents
    in_entity = {token.i for ent in kept for token in ent}
    held = np.flatnonzero(np.isin(doc.to_array(ENT_IOB), (BEGIN, INSIDE))).tolist()
    blocked = [doc[i : i + 1] for i in held if i not in in_entity]
    _set(doc, values)
    new = [ent for ent in doc.ents if not present[ent.start : ent.end].any()]
    doc.set_ents([*kept, *new], blocked=blocked)
