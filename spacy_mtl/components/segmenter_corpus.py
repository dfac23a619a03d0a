"""What the segmenter counts of its corpus: words for its dictionary, breaks between characters, groups of characters, tags of marks."""

from collections.abc import Iterable, Sequence
from typing import Any

from spacy.tokens import Doc

from spacy_mtl.errors import Errors
from spacy_mtl.learning.counted.known_words import added_counts, label_counts
from spacy_mtl.learning.gather import Piece
from spacy_mtl.learning.streamed import Corpus, to_go_through
from spacy_mtl.segmentation.boundaries import TAG_SETS
from spacy_mtl.segmentation.character_groups import added_characters, count_characters, group_characters, groups_of
from spacy_mtl.segmentation.characters import CharacterTable, doc_text
from spacy_mtl.segmentation.corpus_breaks import CorpusBreaks, count_breaks, table_of
from spacy_mtl.segmentation.corpus_words import CorpusWords
from spacy_mtl.segmentation.known_marks import count_known_marks, known_marks_of
from spacy_mtl.templates.attributes.characters import BREAK, word_table
from spacy_mtl.templates.attributes.learned import CHAR_GROUP, tables_of

from .protocol.chain import ChainPipe


class WordsOfCorpus(ChainPipe):
    """A component that counts words and characters. known, hidden, folds, known_marks: settings of :class:`.MTLSegmenter`."""

    joins = frozenset({CHAR_GROUP})
    of_training = (*ChainPipe.of_training, "_corpus_words", "_corpus_breaks")
    known: int
    hidden: float
    folds: int
    known_marks: int
    _characters: CharacterTable
    _corpus_words: CorpusWords | None
    _corpus_breaks: CorpusBreaks | None

    def prepare(self, pieces: Sequence[Piece]) -> None:
        """Count the tags of frequent marks."""
        strings, tags = self._characters.vocab.strings, self.cfg["tags"]
        earlier, least = self._earlier_cfg.get("known", {}), self.known_marks
        self.cfg["known"] = count_known_marks(pieces, strings, tags, least, earlier) if least or earlier else {}

    def collect_labels(self, references: Iterable[Doc]) -> None:
        """Count the words of the corpus and the breaks between characters, and group its characters. Raises ValueError (M413) if it has no word."""
        references = to_go_through(references)
        assert self._reader is not None
        corpus = CorpusWords(references, self.folds, self.gold_attributes)
        if references and not corpus.words:
            raise ValueError(Errors.M413.format(name=self.name, n=len(references)))
        self._corpus_words = corpus
        self._corpus_breaks = None
        context = self._reader.characters
        if context is not None and BREAK in context.attributes:
            self._corpus_breaks = count_breaks(references, self._characters, corpus.folds, self.folds)
        self._take_counts()
        self.learn_attribute(CHAR_GROUP, lambda: group_characters(map(doc_text, references)))

    def _take_counts(self) -> None:
        """Make the dictionary and the breaks of what has been counted."""
        assert self._reader is not None
        assert self._corpus_words is not None
        corpus, breaks = self._corpus_words, self._corpus_breaks
        context = self._reader.characters
        wanted = context is not None and context.wants_words
        self.cfg["lexicon"] = " ".join(sorted(corpus.known(self.known))) if wanted else ""
        self.cfg["breaks"], self.cfg["known"] = [], {}
        if context is not None:
            context.words = corpus.table(self.known, self.hidden)
        if context is not None and breaks is not None:
            context.breaks, self.cfg["breaks"] = breaks.table(), breaks.written()

    def survey(self, references: Corpus[Doc]) -> dict[str, Any]:
        assert self._corpus_words is not None
        found: dict[str, Any] = {**super().survey(references), "words": self._corpus_words.counted()}
        if self._corpus_breaks is not None:
            found["breaks"] = self._corpus_breaks.counted()
        if CHAR_GROUP in tables_of(self.templates.attributes):
            found["characters"] = count_characters(map(doc_text, references))
        return found

    def settle(self, surveys: Sequence[dict[str, Any]]) -> None:
        assert self._corpus_words is not None
        super().settle(surveys)
        self._corpus_words.join([each["words"] for each in surveys])
        if self._corpus_breaks is not None:
            self._corpus_breaks.join([each["breaks"] for each in surveys])
        self._take_counts()
        self.learn_attribute(CHAR_GROUP, lambda: groups_of(added_characters([each["characters"] for each in surveys])))

    def count_pieces(self, pieces: Sequence[Piece]) -> dict[str, Any]:
        found = super().count_pieces(pieces)
        if self.known_marks:
            strings, n_tags = self._characters.vocab.strings, len(TAG_SETS[self.cfg["tags"]])
            found["marks"] = label_counts(pieces, strings, n_tags)
        return found

    def settle_pieces(self, counts: Sequence[dict[str, Any]]) -> None:
        super().settle_pieces(counts)
        if self.known_marks:
            added = added_counts([each["marks"] for each in counts], len(TAG_SETS[self.cfg["tags"]]))
            self.cfg["known"] = known_marks_of(added, self.cfg["tags"], self.known_marks)

    def before_features(self, pieces: Sequence[Piece]) -> None:
        assert self._reader is not None
        if self._reader.characters is not None and self._corpus_words is not None:
            self._reader.characters.parts = self._corpus_words.parts(pieces)

    def _end_training(self) -> None:
        super()._end_training()
        self._corpus_words = None
        self._corpus_breaks = None

    def read_as_before(self) -> None:
        """Read the dictionary and the breaks of the first corpus, which stay: words of another corpus are unknown to them, as those of a text are."""
        if self._reader is not None and (context := self._reader.characters) is not None:
            context.words, context.breaks = word_table(self.cfg["lexicon"].split()), table_of(self.cfg["breaks"])
