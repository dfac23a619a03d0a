"""mtl_tagger: part-of-speech tags as a linear chain."""

from collections.abc import Callable, Iterable, Mapping, Sequence
from typing import TYPE_CHECKING, Any, ClassVar

import numpy as np
from spacy.attrs import POS, TAG
from spacy.parts_of_speech import IDS
from spacy.tokens import Doc
from spacy.training import Example
from spacy.vocab import Vocab
from thinc.api import Model

from spacy_mtl.errors import Errors
from spacy_mtl.learning.counted.known_words import constrain_words
from spacy_mtl.learning.counted.usual_tags import added_tags, count_usual_tags, tag_counts, usual_tags
from spacy_mtl.learning.streamed import Corpus, to_go_through
from spacy_mtl.models.by_vocab import share_strings
from spacy_mtl.models.chain.decode import Held
from spacy_mtl.morphology.parts import UNIVERSAL
from spacy_mtl.settings import brief, is_choice
from spacy_mtl.stored.values import distinct_texts, mapping, mapping_of, one_of
from spacy_mtl.structures.chain.build import Constraints
from spacy_mtl.templates.attributes.learned import USUAL_TAG, tables_of
from spacy_mtl.templates.attributes.reader import AttributeReader
from spacy_mtl.trainers.base import Trainer

from .columns.pipe import KnownWordsPipe, aligned
from .factories import make_tagger  # noqa: F401  (earlier installations have it as their entry point)
from .protocol.settings import check_count, check_switches, refuse

if TYPE_CHECKING:
    from spacy_mtl.explaining.decision import Decision


class MTLTagger(KnownWordsPipe):
    """Tagger over a linear chain. Raises ValueError: M419 a setting out of range, M421 a pos_map with a value that is not a part of speech."""

    gold_attributes = ("TAG",)
    label_key = "tags"
    decided = ("tag",)
    joins = frozenset({USUAL_TAG})
    no_labels = Errors.M420
    free = ("pos_map",)
    cfg_checks: ClassVar = {"tags": distinct_texts, "known": mapping, "pos_map": mapping_of(one_of(*UNIVERSAL))}

    def __init__(
        self,
        vocab: Vocab,
        model: Model,
        name: str = "mtl_tagger",
        *,
        trainer: Trainer,
        known_words: int = 0,
        pos_map: dict[str, str] | None = None,
        overwrite: bool = False,
        scorer: Callable | None = None,
    ):
        super().__init__(vocab, model, name, trainer=trainer, scorer=scorer)
        check_count(name, "known_words", known_words)
        check_switches(name, overwrite=overwrite)
        if pos_map is not None and not isinstance(pos_map, Mapping):
            refuse(name, "pos_map", "a table of tags and their parts of speech", pos_map)
        for tag, pos in (pos_map or {}).items():
            if not isinstance(tag, str) or not is_choice(pos, UNIVERSAL):
                raise ValueError(
                    Errors.M421.format(name=name, tag=brief(tag), pos=brief(pos), known=", ".join(UNIVERSAL))
                )
        self.cfg = {"tags": [], "known": {}, "pos_map": dict(pos_map or {})}
        self.known_words = known_words
        self.overwrite = overwrite

    def labels_of(self, doc: Doc) -> set[str]:
        return {self.vocab.strings[int(tag)] for tag in np.unique(doc.to_array([TAG])) if tag}

    def chain_constraints(self) -> Constraints:
        return constrain_words(Constraints.none(len(self.labels)), self.cfg["known"], self.vocab.strings)

    def make_reader(self) -> AttributeReader:
        return AttributeReader(self.templates.attributes, self.vocab, learned={USUAL_TAG: {}, **self.tables})

    def collect_labels(self, references: Iterable[Doc]) -> None:
        """Collect the tags and, if a template reads USUAL_TAG, the usual tags of words, from the references, whose tokens never change."""
        references = to_go_through(references)
        super().collect_labels(references)
        self.check_forms(references)
        self.learn_attribute(USUAL_TAG, lambda: count_usual_tags(references, self.labels))

    def survey(self, references: Corpus[Doc]) -> dict[str, Any]:
        found = super().survey(references)
        if USUAL_TAG in tables_of(self.templates.attributes):
            found["tags"] = tag_counts(references)
        return found

    def settle(self, surveys: Sequence[dict[str, Any]]) -> None:
        super().settle(surveys)
        self.learn_attribute(USUAL_TAG, lambda: usual_tags(added_tags(each["tags"] for each in surveys), self.labels))

    def gold_column(self, example: Example) -> np.ndarray:
        return aligned(example, self.label_column(example.reference))

    def label_column(self, reference: Doc) -> np.ndarray:
        return reference.to_array([TAG])

    def held(self, docs: Sequence[Doc]) -> Held | None:
        """The tags that tokens have already, if the model knows them, so that their neighbours' tags adapt."""
        return self.held_column(docs, TAG)

    def told_settings(self, cfg: dict[str, Any]) -> dict[str, Any]:
        return {**super().told_settings(cfg), "pos_map": cfg["pos_map"]}

    def decisions(self, doc: Doc) -> "list[Decision]":
        """A decision for each token."""
        same = np.eye(len(self.labels), dtype=bool)
        return self.explained(doc).label_decisions("tag", same, lambda _, tag: self.labels[tag])

    def set_annotations(self, docs: Iterable[Doc], scores: Sequence[np.ndarray]) -> None:
        """Write ``token.tag``, and ``token.pos`` for tags in ``pos_map``. scores: what :meth:`predict` returned."""
        if not self.labels:
            return
        docs = list(docs)
        share_strings(docs, self.labels, self.vocab)
        tags = self.hashes()
        parts = np.array([IDS[self.cfg["pos_map"].get(tag, "")] for tag in self.labels], np.uint64)
        for doc, labels in zip(docs, scores, strict=True):
            if len(doc):
                self.write(doc, TAG, tags[labels])
                if parts.any():
                    self.write(doc, POS, parts[labels])
        self.write_confidence(docs, scores)
