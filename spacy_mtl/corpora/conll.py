"""The reader ``spacy_mtl.ConllCorpus.v1``: column files as spaCy Examples."""

from collections.abc import Iterator, Sequence
from itertools import chain, groupby, islice
from pathlib import Path
from typing import ClassVar

from spacy.language import Language
from spacy.tokens import Doc
from spacy.training import Example
from spacy.vocab import Vocab

from spacy_mtl.errors import Errors
from spacy_mtl.registry import registry
from spacy_mtl.settings import brief, is_choice, is_number, is_path, is_switch

from .columns import IGNORED, SCHEMES, Sentence, read_columns
from .docs import COLUMNS, Attributes, DocMaker, sentence_starts
from .kept import kept_examples
from .settings import check_counts, check_names, check_text, refuse

#: Endings of treebanks, whose lines have ten columns.
TREEBANKS = (".conllu", ".conllx")


@registry.readers("spacy_mtl.ConllCorpus.v1")
class ConllCorpus:
    """Examples from CoNLL column files; calling it with a pipeline streams them, file after file.

    Both Docs of an Example have the words of the file, never those of a tokenizer. The *reference* has all named
    columns and the sentence starts. The *predicted* Doc has the ``given`` columns, for templates to read, and also the
    sentence starts unless it is a single sentence (``group = 1``). Column files do not say where spaces are: see
    ``spaces`` and :func:`~spacy_mtl.corpora.docs.spaces_between`.

    path: a file, a list of files, or a string of files separated by commas.
    columns: names from left to right: ORTH (the word), TAG, POS (universal), LEMMA, ENT, ``_`` for a column to ignore.
    given: the columns that are input, not to be predicted.
    encoding, separator: as in :func:`~spacy_mtl.corpora.columns.read_columns`.
    scheme: of the ENT column, "iob1", "iob2", "biluo" or "auto"; "-" or "_" in that column means that gold is missing.
    group: sentences per Doc; 0 for one Doc per document (the text between two ``-DOCSTART-`` lines, or a whole file without
        them). A Doc never crosses a document border. Mind ``nlp.max_length``, spaCy's limit on characters.
    singles: with ``group`` other than 1, a share of the sentences, from 0 to 1, that are given once more, after the documents, each as a Doc of its
        own, so that one model is good at documents and at single sentences. They are spread evenly.
    limit: the largest number of Examples to read; 0 for all.
    spaces: True for spaces between words, False for none, None to follow the language's writing system, where only
        Chinese, Japanese and the like have none.

    Raises ValueError on construction for invalid settings (M505-M507, M509, M511, M514), for files that do not
    exist (M501) and for treebanks (M518); while reading, for what is wrong with a file, with its line (M502-M504, M508, M510, M512, M513, M955).
    """

    gives_words: ClassVar[bool] = True

    def __init__(
        self,
        path: str | Path | list[str | Path] | None,
        columns: Sequence[str] = ("ORTH", "TAG", "ENT"),
        given: Sequence[str] = ("TAG",),
        encoding: str = "utf8",
        scheme: str = "auto",
        separator: str | None = None,
        group: int = 1,
        limit: int = 0,
        spaces: bool | None = None,
        singles: float = 0.0,
    ):
        self.paths = corpus_paths(path)
        check_names(columns=columns, given=given)
        self.columns = list(columns)
        self.given = list(given)
        self.encoding = encoding
        self.scheme = scheme
        self.separator = separator
        self.group = group
        self.limit = limit
        self.spaces = spaces
        self.singles = singles
        self._check()

    def _check(self) -> None:
        for column in self.columns:
            if column not in ("ORTH", IGNORED, *COLUMNS):
                known = ", ".join(("ORTH", *COLUMNS))
                raise ValueError(
                    Errors.M506.format(column=brief(column), columns=brief(self.columns, 300), known=known)
                )
        for column in self.given:
            if column not in self.columns or column in ("ORTH", IGNORED):
                raise ValueError(Errors.M507.format(column=brief(column), columns=brief(self.columns, 300)))
        if not is_choice(self.scheme, SCHEMES):
            raise ValueError(Errors.M509.format(scheme=brief(self.scheme), known=", ".join(SCHEMES)))
        check_counts(group=self.group, limit=self.limit)
        check_text(encoding=self.encoding)
        if self.separator is not None and not isinstance(self.separator, str):
            refuse("separator", "a string such as a tab, or null", self.separator)
        if self.spaces is not None and not is_switch(self.spaces):
            refuse("spaces", "true, false or null", self.spaces)
        if not is_number(self.singles, 0, 1):
            refuse("singles", "a number from 0 to 1", self.singles)
        for path in self.paths:
            self._read(path)  # checks path and columns at once, reads nothing yet

    def _read(self, path: Path) -> Iterator[Sentence]:
        if path.suffix.lower() in TREEBANKS and len(self.columns) < 10:
            raise ValueError(Errors.M518.format(path=path, n=len(self.columns), columns=" ".join(self.columns)))
        return read_columns(path, self.columns, self.encoding, self.separator)

    def __call__(self, nlp: Language) -> Iterator[Example]:
        """Stream the Examples, with Docs in ``nlp.vocab``; in a training of spaCy, each file is read once (:mod:`spacy_mtl.corpora.kept`)."""
        return kept_examples(self, nlp)

    def read(self, nlp: Language) -> Iterator[Example]:
        """Stream the Examples, newly made."""
        for predicted, reference, _ in self.docs(nlp.vocab):
            yield Example(predicted, reference)

    def docs(self, vocab: Vocab) -> Iterator[tuple[Doc, Doc, int]]:
        """Stream predicted Doc, reference Doc and their number of sentences, in the order of the files."""
        maker = DocMaker(vocab, self.scheme, self.spaces)
        documents = (self._pair(maker, path, group) for path in self.paths for group in self._groups(path))
        alone = (self._pair(maker, path, [sentence]) for path, sentence in self._alone())
        return islice(chain(documents, alone), self.limit or None)

    def _groups(self, path: Path) -> Iterator[list[Sentence]]:
        for _, document in groupby(self._read(path), key=lambda sentence: sentence.document):
            while group := list(islice(document, self.group or None)):
                yield group

    def _alone(self) -> Iterator[tuple[Path, Sentence]]:
        """The sentences that are given once more: the k-th of all if a new whole number is reached at k times their share."""
        if self.group == 1 or not self.singles:
            return
        sentences = ((path, sentence) for path in self.paths for sentence in self._read(path))
        for k, (path, sentence) in enumerate(sentences):
            if int((k + 1) * self.singles) > int(k * self.singles):
                yield path, sentence

    def _pair(self, maker: DocMaker, path: Path, sentences: list[Sentence]) -> tuple[Doc, Doc, int]:
        words, spaces = maker.words(sentences)
        starts = sentence_starts(sentences)
        gold, given = dict(starts), dict(starts) if self.group != 1 else {}
        for column in COLUMNS:
            if column in self.columns:
                values: Attributes = maker.attributes(sentences, path, column)
                gold.update(values)
                given.update(values if column in self.given else {})
        return maker.make(words, spaces, given), maker.make(words, spaces, gold), len(sentences)


def corpus_paths(path: str | Path | Sequence[str | Path] | None) -> list[Path]:
    """The files that a setting names; a string that is the name of nothing is split at its commas. Raises ValueError (M511) for none at all."""
    if path is None or path in ("", [], ()):
        raise ValueError(Errors.M511)
    if not is_path(path) and not (isinstance(path, list | tuple) and all(map(is_path, path))):
        refuse("path", "a path or a list of paths", path)
    if isinstance(path, str | Path):
        names = [str(path)] if _is_there(Path(path)) else str(path).split(",")
        found = [Path(name.strip()) for name in names if name.strip()]
        if not found:
            raise ValueError(Errors.M511)
        return found
    return [Path(name) for name in path]


def _is_there(path: Path) -> bool:
    try:
        return path.exists()
    except (OSError, ValueError):  # too long a name, such as a list of many files
        return False
