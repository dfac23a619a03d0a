"""The reader ``spacy_mtl.SegmentedCorpus.v1``: segmented texts in the format of the SIGHAN bakeoffs, as spaCy Examples."""

import unicodedata
import warnings
from collections.abc import Iterator
from itertools import islice
from pathlib import Path
from typing import ClassVar

from spacy.lang.zh import ChineseTokenizer
from spacy.language import Language
from spacy.tokens import Doc
from spacy.training import Example
from spacy.util import get_words_and_spaces
from spacy.vocab import Vocab

from spacy_mtl.errors import Errors, Warnings
from spacy_mtl.registry import registry

from .conll import corpus_paths
from .docs import Ids
from .kept import kept_examples
from .lines.text import text_lines
from .settings import check_counts, check_file, check_text

#: Characters that separate words as a space does: tab and ideographic space.
_SEPARATORS = dict.fromkeys(map(ord, "\t\u3000"), " ")
BYTE_ORDER_MARK = "\ufeff"
#: Longer texts are split into characters in pieces of about this length.
PIECE = 4096


def read_segmented(path: str | Path, encoding: str = "utf8") -> Iterator[list[str]]:
    """Stream the sentences of a segmented text as lists of words: one sentence per line, with spaces between words.

    Words are separated by any run of spaces, tabs and ideographic spaces (U+3000). Every other character belongs to its word, except control
    characters and byte-order marks, which are dropped wherever they occur (a word made only of them is not counted). Lines without a word are
    skipped. The path is checked at once, the lines as they are read.

    Raises ValueError where the file cannot be read (M501), contains no words (M520) or cannot be decoded (M502, M513).
    """
    path = Path(path)
    check_file(path)
    return _sentences(path, encoding)


def _sentences(path: Path, encoding: str) -> Iterator[list[str]]:
    empty = True
    for line in text_lines(path, encoding):
        if words := split_words(line):
            empty = False
            yield words
    if empty:
        raise ValueError(Errors.M520.format(path=path))


def split_words(line: str) -> list[str]:
    """Split a segmented line into its words, as :func:`read_segmented` does."""
    line = line.rstrip("\r\n").translate(_SEPARATORS)
    if not line.isprintable():
        line = "".join(character for character in line if not _is_noise(character))
    # str.split() would also split at no-break spaces, which belong to words
    return [word for word in line.split(" ") if word]


def _is_noise(character: str) -> bool:
    return character == BYTE_ORDER_MARK or unicodedata.category(character) == "Cc"


def _make_doc(nlp: Language, text: str) -> Doc:
    """What ``nlp.make_doc`` makes, in linear time for texts of any length: spaCy's own split into characters takes quadratic time."""
    tokenizer = nlp.tokenizer
    by_character = type(tokenizer) is ChineseTokenizer and tokenizer.segmenter == "char"
    if not by_character or not PIECE < len(text) <= nlp.max_length:
        return nlp.make_doc(text)
    words: list[str] = []
    spaces: list[bool] = []
    for piece in _pieces(text):
        found = get_words_and_spaces(list(piece), piece)
        words += found[0]
        spaces += found[1]
    return Doc(nlp.vocab, words=words, spaces=spaces)


def _pieces(text: str) -> Iterator[str]:
    """Cut a text into pieces of at least ``PIECE`` characters that do not begin with white space, since it is one token with what is before it."""
    begin = 0
    for end in range(1, len(text)):
        if end - begin >= PIECE and not text[end].isspace():
            yield text[begin:end]
            begin = end
    yield text[begin:]


@registry.readers("spacy_mtl.SegmentedCorpus.v1")
class SegmentedCorpus:
    """Examples from segmented texts in the format of the bakeoffs; calling it with a pipeline streams them, file after file.

    Each line becomes one Doc. The *reference* has the words of the file and no spaces: the raw texts of the bakeoffs have none, not even between two
    Latin words, so the raw text is the concatenation of the words. The *predicted* Doc is ``nlp.make_doc`` of that raw text.

    path: a file, a list of files, or a string of files separated by commas.
    encoding: of the files, any that Python knows, such as "gb18030".
    limit: the largest number of Examples to read; 0 for all.

    Raises ValueError on construction for invalid settings (M511, M514) and files that do not exist (M501); while reading, for what is wrong
    with a file (M502, M513, M520). Warns of a file without any space (M956).
    """

    gives_words: ClassVar[bool] = False

    def __init__(self, path: str | Path | list[str | Path] | None, encoding: str = "utf8", limit: int = 0):
        self.paths = corpus_paths(path)
        self.encoding = encoding
        self.limit = limit
        check_counts(limit=limit)
        check_text(encoding=encoding)
        for file in self.paths:
            read_segmented(file, encoding)  # checks the path at once, reads nothing yet

    def __call__(self, nlp: Language) -> Iterator[Example]:
        """Stream the Examples, with Docs in ``nlp.vocab``; in a training of spaCy, each file is read once (:mod:`spacy_mtl.corpora.kept`)."""
        return kept_examples(self, nlp)

    def read(self, nlp: Language) -> Iterator[Example]:
        """Stream the Examples, newly made."""
        for reference in self.references(nlp.vocab):
            yield Example(_make_doc(nlp, reference.text), reference)

    def references(self, vocab: Vocab) -> Iterator[Doc]:
        """Stream the reference Docs, in the order of the files."""
        ids = Ids(vocab.strings.add)  # Docs are made ten times faster from ids than from strings
        for words in islice(self._read(), self.limit or None):
            yield Doc(vocab, words=[ids[word] for word in words], spaces=[False] * len(words))

    def _read(self) -> Iterator[list[str]]:
        for path in self.paths:
            lines = words = 0
            for sentence in read_segmented(path, self.encoding):
                lines += 1
                words += len(sentence)
                yield sentence
            if lines == words > 1:
                warnings.warn(Warnings.M956.format(path=path, n=lines), stacklevel=2)
