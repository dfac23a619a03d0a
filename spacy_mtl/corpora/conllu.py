"""The reader ``spacy_mtl.ConlluCorpus.v1``: dependency trees in CoNLL-U or CoNLL-X, as spaCy Examples."""

from collections.abc import Callable, Iterator, Sequence
from itertools import chain, groupby, islice
from pathlib import Path
from typing import ClassVar, NamedTuple

import numpy as np
from spacy.attrs import LEMMA, MORPH, POS, SENT_START, TAG
from spacy.language import Language
from spacy.parts_of_speech import IDS as POS_IDS
from spacy.tokens import Doc
from spacy.training import Example
from spacy.vocab import Vocab

from spacy_mtl.errors import Errors
from spacy_mtl.registry import registry
from spacy_mtl.roots import set_trees, start_marks
from spacy_mtl.settings import brief, is_choice, is_switch

from .conll import corpus_paths
from .conllu_kept import TREE, keep_source, kept_columns
from .conllu_read import MISSING, Layout, TreeSentence, is_features, read_conllu
from .conllu_write import place_tag, plain_rows
from .docs import Attributes, Ids, spaces_between
from .kept import kept_examples
from .settings import check_counts, check_names, check_text, refuse

GIVEN = ("TAG", "POS", "MORPH", "LEMMA")
TAG_COLUMNS = ("auto", "xpos", "upos")
_ATTRIBUTES = {"TAG": TAG, "POS": POS, "MORPH": MORPH, "LEMMA": LEMMA}


@registry.readers("spacy_mtl.ConlluCorpus.v1")
class ConlluCorpus:
    """Examples from files of dependency trees; calling it with a pipeline streams them, file after file.

    Both Docs of an Example have the words of the file, never those of a tokenizer, and its sentence starts, since the parser works within given
    sentences. The *reference* has TAG, POS, MORPH, LEMMA, HEAD and DEP, the *predicted* Doc only those of the first four that are ``given``.

    Trees: a word with head 0 is labelled ROOT, whatever its label in the file; if a sentence has several roots, the others are attached to the
    first (:mod:`spacy_mtl.roots`). Non-projective trees are read as they are. A sentence whose heads are all ``_`` has no gold tree, and is never
    put into one Doc with sentences that have one. POS is column 4 where that is a universal part-of-speech tag; MORPH is column 6 where it is written
    as in Universal Dependencies (Key=Value), and is left unset in CoNLL-X.

    A Doc has the words of multiword tokens (ranges such as 1-2) with spaces between them, and after the last one a space if one follows the range.
    With ``keep``, what a Doc has no place for is in ``doc.user_data``, so that the file can be written again (:mod:`.conllu_kept`): the reference has
    all of it, the predicted Doc does not have the cells of columns that are to be predicted.

    path: a file, a list of files, or a string of files separated by commas.
    format: "conllu", "conllx" or "auto", see :func:`~spacy_mtl.corpora.conllu_read.read_conllu`. CoNLL-X does not say where spaces are: see
        :func:`~spacy_mtl.corpora.docs.spaces_between`.
    given: those of TAG, POS, MORPH and LEMMA that are input, not to be predicted.
    group: sentences per Doc; 0 for one Doc per file. Mind ``nlp.max_length``, spaCy's limit on characters.
    limit: the largest number of Examples to read; 0 for all.
    tag: where TAG comes from: "xpos" (column 5), "upos" (column 4), or "auto" (column 5 unless it is unused in the file's first 1,000 lines).
    encoding: of the files.
    broken: "error"; "skip" to leave out sentences whose heads do not form a tree, or "treeless" to read them without a tree, with one warning per
        file (M560, M567).
    keep: whether to keep comments, multiword tokens, empty nodes, enhanced dependencies, MISC and whatever else cannot be told from a Doc. Training
        needs none of it, and it takes memory and time.
    borders: whether the predicted Doc has the sentence starts, too; false where the pipeline finds them (``mtl_senter``).

    Raises ValueError on construction for invalid settings (M511, M514, M558) and files that do not exist (M501); while reading, for
    what is wrong with a file, with line and sentence (M502, M504, M513, M550-M555, M557, M559, M564). Warns of features and ``text`` comments as
    :func:`~spacy_mtl.corpora.conllu_read.read_conllu` does (M563, M566).
    """

    gives_words: ClassVar[bool] = True

    def __init__(
        self,
        path: str | Path | list[str | Path] | None,
        format: str = "auto",
        given: Sequence[str] = GIVEN,
        group: int = 1,
        limit: int = 0,
        tag: str = "auto",
        encoding: str = "utf8",
        broken: str = "error",
        keep: bool = False,
        borders: bool = True,
    ):
        self.paths = corpus_paths(path)
        self.format = format
        check_names(given=given)
        self.given = list(given)
        self.group = group
        self.limit = limit
        self.tag = tag
        self.encoding = encoding
        self.broken = broken
        self.keep = keep
        self.borders = borders
        self._check()

    def _check(self) -> None:
        for column in self.given:
            if column not in GIVEN:
                raise ValueError(Errors.M558.format(setting="given", value=column, known=", ".join(GIVEN)))
        if not is_choice(self.tag, TAG_COLUMNS):
            raise ValueError(Errors.M558.format(setting="tag", value=brief(self.tag), known=", ".join(TAG_COLUMNS)))
        check_counts(group=self.group, limit=self.limit)
        check_text(encoding=self.encoding)
        for setting, value in (("keep", self.keep), ("borders", self.borders)):
            if not is_switch(value):
                refuse(setting, "true or false", value)
        for path in self.paths:
            self._read(path)  # checks path and format at once, reads nothing yet

    def _read(self, path: Path) -> Iterator[TreeSentence]:
        return read_conllu(path, self.format, self.encoding, self.broken, self.keep)

    def __call__(self, nlp: Language) -> Iterator[Example]:
        """Stream the Examples, with Docs in ``nlp.vocab``; in a training of spaCy, each file is read once (:mod:`spacy_mtl.corpora.kept`)."""
        return kept_examples(self, nlp)

    def read(self, nlp: Language) -> Iterator[Example]:
        """Stream the Examples, newly made."""
        for predicted, reference, _ in self.docs(nlp.vocab):
            yield Example(predicted, reference)

    def docs(self, vocab: Vocab) -> Iterator[tuple[Doc, Doc, int]]:
        """Stream predicted Doc, reference Doc and their number of sentences, in the order of the files."""
        maker = TreeDocMaker(vocab, self.tag, self.keep)
        pairs = (maker.pair(group, self.given, self.borders) for path in self.paths for group in self._groups(path))
        return islice(pairs, self.limit or None)

    def _groups(self, path: Path) -> Iterator[list[TreeSentence]]:
        for _, run in groupby(self._read(path), key=lambda sentence: sentence.heads is None):
            while group := list(islice(run, self.group or None)):
                yield group


class _Parts(NamedTuple):
    """What Docs of the same sentences are made of. starts: int64[S], first words. words: ids. values: by column, ids of each word."""

    sentences: Sequence[TreeSentence]
    starts: np.ndarray
    words: list[int]
    spaces: list[bool]
    values: dict[str, np.ndarray]


class TreeDocMaker:
    """Makes Docs of one vocab from lists of sentences with trees. tag: which column TAG comes from; keep: as in :class:`ConlluCorpus`."""

    def __init__(self, vocab: Vocab, tag: str = "auto", keep: bool = False):
        self._vocab = vocab
        self._tag = tag
        self._keep = keep
        self._has_spaces = vocab.writing_system.get("has_letters", True)
        self._words = Ids(vocab.strings.add)
        self._strings = Ids(vocab.strings.add)
        self._morphs = Ids(lambda features: vocab.morphology.add(features) if is_features(features) else 0)
        self._strings.update(dict.fromkeys(MISSING, 0))
        # "_" means that a word has no features, not that they are unknown
        self._morphs.update(dict.fromkeys(MISSING, vocab.morphology.add("_")))

    def pair(
        self, sentences: Sequence[TreeSentence], given: Sequence[str], has_borders: bool = True
    ) -> tuple[Doc, Doc, int]:
        """The predicted Doc, with sentence borders or without, the reference Doc and their number of sentences.

        Either all or none of the sentences must have gold trees.
        """
        parts = self._parts(sentences)
        return self._doc(parts, given, has_borders), self._doc(parts, [*GIVEN, *TREE]), len(sentences)

    def doc(
        self, sentences: Sequence[TreeSentence], given: Sequence[str], has_tree: bool, has_borders: bool = True
    ) -> Doc:
        """A Doc of these sentences with the given ones of TAG, POS, MORPH and LEMMA, and with trees and sentence borders or without."""
        return self._doc(self._parts(sentences), [*given, *(TREE if has_tree else ())], has_borders)

    def _parts(self, sentences: Sequence[TreeSentence]) -> "_Parts":
        starts = np.cumsum([0, *(len(sentence.words) for sentence in sentences[:-1])])
        words = [self._words[word] for sentence in sentences for word in sentence.words]
        values = {name: self._column(sentences, name) for name in GIVEN}
        return _Parts(sentences, starts, words, self._spaces(sentences), values)

    def _doc(self, parts: "_Parts", given: Sequence[str], has_borders: bool = True) -> Doc:
        attributes = {_ATTRIBUTES[name]: parts.values[name] for name in given if name in parts.values}
        if has_borders:
            attributes[SENT_START] = start_marks(parts.starts, len(parts.words))
        doc = self._make(parts.words, parts.spaces, attributes)
        if TREE.issubset(given):
            self._set_trees(doc, parts.sentences, parts.starts)
        if self._keep:
            self._keep_source(doc, parts.sentences, given)
        return doc

    def _keep_source(self, doc: Doc, sentences: Sequence[TreeSentence], given: Sequence[str]) -> None:
        """Add what the Doc has no place for. given: columns that the Doc has, and those of the tree if it has one."""
        tag = self._field("TAG", sentences)
        rows = [place_tag(row, tag) for row in plain_rows(doc)]
        keep_source(doc, sentences, rows, kept_columns(given, tag), tag)

    def _spaces(self, sentences: Sequence[TreeSentence]) -> list[bool]:
        if sentences[0].layout.format == "conllu":
            spaces = [space for sentence in sentences for space in sentence.spaces]
            return [*spaces[:-1], False]
        words = [word for sentence in sentences for word in sentence.words]
        return spaces_between(words) if self._has_spaces else [False] * len(words)

    def _column(self, sentences: Sequence[TreeSentence], name: str) -> np.ndarray:
        layout = sentences[0].layout
        field = self._field(name, sentences)
        find: Callable[[str], int] = self._strings.__getitem__
        if name == "POS":
            find = _part_of_speech
        elif name == "MORPH":
            find = self._morphs.__getitem__
        texts = list(chain.from_iterable(getattr(sentence, field) for sentence in sentences))
        if name == "MORPH" and not (layout.format == "conllu" and _has_features(layout, texts)):
            return np.zeros(len(texts), np.uint64)
        return np.array([find(text) for text in texts], np.uint64)

    def _field(self, name: str, sentences: Sequence[TreeSentence]) -> str:
        """The column that an attribute comes from."""
        field = {"POS": "upos", "MORPH": "feats", "LEMMA": "lemma", "TAG": self._tag}[name]
        if field == "auto":
            field = "xpos" if "xpos" in sentences[0].layout.columns else "upos"
        return field

    def _set_trees(self, doc: Doc, sentences: Sequence[TreeSentence], starts: np.ndarray) -> None:
        heads = [sentence.heads for sentence in sentences if sentence.heads is not None]
        if heads:
            labels = np.array([self._strings[label] for sentence in sentences for label in sentence.labels], np.uint64)
            set_trees(doc, np.concatenate(heads), labels, starts)

    def _make(self, words: list[int], spaces: list[bool], attributes: Attributes) -> Doc:
        doc = Doc(self._vocab, words=words, spaces=spaces)  # type: ignore[arg-type]
        if attributes:
            doc.from_array(list(attributes), np.array(list(attributes.values())).T)
        return doc


def _has_features(layout: Layout, texts: Sequence[str]) -> bool:
    """Whether "_" says that a word has no features, and not that nobody has said: the file has some at its beginning, or these words have."""
    return "feats" in layout.columns or any(text not in MISSING for text in texts)


def _part_of_speech(name: str) -> int:
    return POS_IDS.get(name, 0)
