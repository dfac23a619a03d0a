"""spacy_mtl.Multiword.v1: a tokenizer whose tokens are split into the words of a treebank, as "al" into "a" and "el"."""

import base64
import json
from collections.abc import Callable, Iterable, Iterator
from itertools import chain
from pathlib import Path
from typing import Any

from spacy.attrs import NORM
from spacy.language import Language
from spacy.scorer import Scorer
from spacy.tokenizer import Tokenizer
from spacy.tokens import Doc, Token
from spacy.training import Example
from spacy.vocab import Vocab

from spacy_mtl.corpora.conllu_kept import Kept, keep_token, kept_sentences
from spacy_mtl.errors import Errors
from spacy_mtl.files import write_atomically
from spacy_mtl.models import store
from spacy_mtl.registry import registry
from spacy_mtl.stored.fault import StoredValueError
from spacy_mtl.stored.json import read_json
from spacy_mtl.stored.values import fields, one_of
from spacy_mtl.stored.values import text as text_value

from .splitter import Splitter, learn

FORMAT = "spacy_mtl.Multiword.v1"


@registry.tokenizers("spacy_mtl.Multiword.v1")
def create_multiword_tokenizer(
    tokenizer: Callable[[Language], Tokenizer],
) -> Callable[[Language], "MultiwordTokenizer"]:
    """Make a tokenizer that splits the tokens of another one into words.

    tokenizer: the other one, such as ``spacy.Tokenizer.v1``. Which tokens are several words is learned in ``nlp.initialize`` from the reference Docs
    of a corpus that is read with ``keep``.
    """
    return lambda nlp: MultiwordTokenizer(tokenizer(nlp), nlp.vocab)


class MultiwordTokenizer:
    """Splits the tokens of another tokenizer. The Doc has the words, with spaces between those of a multiword token, so that ``doc.text`` is not the
    text; :func:`~spacy_mtl.corpora.conllu_kept.raw_text` is, and CoNLL-U is written with its ranges. Docs that have words already are not split.
    """

    def __init__(self, tokenizer: Tokenizer, vocab: Vocab):
        self.tokenizer = tokenizer
        self.vocab = vocab
        self.splitter = Splitter()

    def __call__(self, text: str) -> Doc:
        """Make a Doc of words."""
        doc = self.tokenizer(text)
        words = [self.splitter.split(token.text) for token in doc]
        return doc if all(len(found) == 1 for found in words) else self._split(doc, words)

    def pipe(self, texts: Iterable[str], batch_size: int = 1000) -> Iterator[Doc]:
        """Make a Doc of each text, in order."""
        for text in texts:
            yield self(text)

    def _split(self, doc: Doc, words: list[list[str]]) -> Doc:
        """The Doc with these words for each token."""
        spaces = [space for t, found in zip(doc, words, strict=True) for space in _spaces(t, len(found))]
        split = Doc(self.vocab, words=list(chain.from_iterable(words)), spaces=spaces)
        norms = split.to_array([NORM])
        begin = 0
        for token, found in zip(doc, words, strict=True):
            if len(found) > 1:
                keep_token(split, begin, begin + len(found), token.text)
            else:
                norms[begin] = token.norm
            begin += len(found)
        split.from_array([NORM], norms.reshape(-1, 1))  # type: ignore[arg-type]
        return split

    def initialize(
        self,
        get_examples: Callable[[], Iterable[Example]] | None = None,
        *,
        nlp: Language | None = None,
        corpus: Callable[[Language], Iterable[Example]] | None = None,
    ) -> None:
        """Learn from the reference Docs of a corpus that was read with ``keep``.

        corpus: a reader of one, in place of the training corpus, as where that one has been written without its multiword tokens. Raises ValueError
        (M490) if no reference Doc has kept anything, and what the reader raises; then what was learned before stays.
        """
        if corpus is not None and nlp is not None:
            examples = corpus(nlp)
        elif get_examples is not None:
            examples = get_examples()
        else:
            return
        entries = ((example.reference, kept_sentences(example.reference)[0]) for example in examples)
        found = [(doc, kept) for doc, kept in entries if kept]
        if not found:
            raise ValueError(Errors.M490)
        self.splitter = learn(token for doc, kept in found for token in _tokens(doc, kept))

    def score(self, examples: Iterable[Example], **kwargs: Any) -> dict[str, Any]:
        """Precision, recall and F1 of tokens, as of spaCy's own tokenizer."""
        return Scorer.score_tokenization(examples)

    def to_bytes(self, *, exclude: Iterable[str] = ()) -> bytes:
        """The other tokenizer and what was learned, as JSON."""
        inner = base64.b64encode(self.tokenizer.to_bytes(exclude=["vocab"])).decode("ascii")
        data = {"format": FORMAT, "tokenizer": inner, "splitter": self.splitter.to_dict()}
        return json.dumps(data, ensure_ascii=False).encode("utf8")

    def from_bytes(self, bytes_data: bytes, *, exclude: Iterable[str] = ()) -> "MultiwordTokenizer":
        """Load what :meth:`to_bytes` returned. Raises ValueError (M606)."""
        return self._load(bytes_data, "The serialized tokenizer")

    def to_disk(self, path: str | Path, *, exclude: Iterable[str] = ()) -> None:
        """Write one file, completely or not at all."""
        write_atomically(path, self.to_bytes())

    def from_disk(self, path: str | Path, *, exclude: Iterable[str] = ()) -> "MultiwordTokenizer":
        """Load what :meth:`to_disk` wrote. Raises ValueError naming the file: M605, M606."""
        return self._load(store.read(Path(path)), str(path))

    def _load(self, data: bytes, where: str) -> "MultiwordTokenizer":
        checks = {"format": one_of(FORMAT), "tokenizer": text_value, "splitter": lambda value, name: value}
        try:
            found = fields(read_json(data, "the file"), "the file", checks)
            splitter = Splitter.from_dict(found["splitter"], "splitter")
            inner = base64.b64decode(found["tokenizer"], validate=True)
        except (StoredValueError, ValueError) as fault:
            raise ValueError(Errors.M606.format(where=where, reason=fault)) from None
        before = self.tokenizer.to_bytes(exclude=["vocab"])
        try:
            self.tokenizer.from_bytes(inner, exclude=["vocab"])
        except Exception:  # msgpack and the regular expressions of spaCy raise errors of their own
            self.tokenizer.from_bytes(before, exclude=["vocab"])  # some of it has been changed
            raise ValueError(Errors.M606.format(where=where, reason="spaCy cannot read its tokenizer")) from None
        self.splitter = splitter
        return self


def _spaces(token: Token, n: int) -> list[bool]:
    """Whether a space follows each of the n words of a token."""
    return [True] * (n - 1) + [bool(token.whitespace_)]


def _tokens(doc: Doc, kept: list[Kept]) -> Iterator[tuple[str, list[str]]]:
    """The tokens of a Doc that was read from a file, form and words of each."""
    ranges = {begin: (end, cells.partition("\t")[0]) for each in kept for begin, end, cells in each.ranges()}
    i = 0
    while i < len(doc):
        end, form = ranges.get(i, (i + 1, doc[i].text))
        yield form, [token.text for token in doc[i:end]]
        i = end
