"""spacy_mtl.Multiword.v1: a tokenizer that finds the tokens of a treebank, and splits them into its words, as "al" into "a" and "el"."""

import base64
import json
from bisect import bisect_left, bisect_right
from collections.abc import Callable, Iterable, Iterator
from itertools import accumulate, chain, pairwise
from pathlib import Path
from typing import Any, NamedTuple
from warnings import catch_warnings, simplefilter

from spacy.attrs import NORM
from spacy.language import Language
from spacy.scorer import Scorer
from spacy.tokenizer import Tokenizer
from spacy.tokens import Doc, Token
from spacy.training import Example
from spacy.vocab import Vocab

from spacy_mtl.corpora.conllu_kept import Kept, keep_token, kept_sentences, surface_text
from spacy_mtl.errors import Errors
from spacy_mtl.files import write_atomically
from spacy_mtl.models import store
from spacy_mtl.registry import registry
from spacy_mtl.stored.fault import StoredValueError
from spacy_mtl.stored.json import read_json
from spacy_mtl.stored.values import fields, one_of
from spacy_mtl.stored.values import text as text_value

from .borders import Borders, Piece, learn_borders
from .joins import Joins, learn_joins
from .splitting.learn import learn
from .splitting.splitter import Splitter

FORMAT = "spacy_mtl.Multiword.v1"
#: A no-break space, a figure space and a narrow no-break space, of which spaCy's tokenizer makes tokens.
_NO_BREAK = frozenset(("\u00a0", "\u2007", "\u202f"))


@registry.tokenizers("spacy_mtl.Multiword.v1")
def create_multiword_tokenizer(
    tokenizer: Callable[[Language], Tokenizer],
) -> Callable[[Language], "MultiwordTokenizer"]:
    """Make a tokenizer that corrects the tokens of another one, and splits them into words.

    tokenizer: the other one, such as ``spacy.Tokenizer.v1``, or one that has a method ``learn``, such as ``spacy_mtl.Segmenter.v1``, where words
    stand without spaces. Where tokens begin, and which of them are several words, is learned in ``nlp.initialize`` from the reference Docs of a
    corpus that is read with ``keep``.
    """
    return lambda nlp: MultiwordTokenizer(tokenizer(nlp), nlp.vocab)


class _Token(NamedTuple):
    """Text, whether white space follows, and the norm if it is a token of the other tokenizer."""

    text: str
    space: bool
    norm: int | None


class MultiwordTokenizer:
    """Corrects and splits the tokens of another tokenizer. The Doc has the words, with spaces between those of a multiword token, so that
    ``doc.text`` is not the text; :func:`~spacy_mtl.corpora.conllu_kept.raw_text` is, and CoNLL-U is written with its ranges. Docs that have words
    already stay as they are.
    """

    def __init__(self, tokenizer: Tokenizer, vocab: Vocab):
        self.tokenizer = tokenizer
        self.vocab = vocab
        self.borders = Borders()
        self.joins = Joins()
        self.splitter = Splitter()

    def __call__(self, text: str) -> Doc:
        """Make a Doc of words."""
        return self._words(self.tokenizer(text))

    def pipe(self, texts: Iterable[str], batch_size: int = 1000) -> Iterator[Doc]:
        """Make a Doc of each text, in order."""
        pipe = getattr(self.tokenizer, "pipe", None)
        docs = map(self.tokenizer, texts) if pipe is None else pipe(texts, batch_size=batch_size)
        yield from map(self._words, docs)

    def _words(self, doc: Doc) -> Doc:
        """The words of a Doc of the other tokenizer."""
        tokens = self._joined(list(self._tokens(doc)))
        words = [[token.text] if " " in token.text else self.splitter.split(token.text) for token in tokens]
        if all(token.norm is not None for token in tokens) and all(len(found) == 1 for found in words):
            return doc
        return self._doc(tokens, words)

    def _tokens(self, doc: Doc) -> Iterator[_Token]:
        """The tokens of a Doc of the other tokenizer, corrected."""
        for tokens in _pieces(doc):
            if len(tokens) == 1 and tokens[0].is_alpha:  # nearly always, and nothing to correct
                yield _Token(tokens[0].text, bool(tokens[0].whitespace_), tokens[0].norm)
                continue
            text = "".join(token.text for token in tokens)
            given = [token.idx - tokens[0].idx for token in tokens]
            own = dict(zip(given, tokens, strict=True))
            ends = [*self.borders.of(text, given[1:]), len(text)]
            for begin, end in pairwise([0, *ends]):
                same = begin in own and len(own[begin]) == end - begin
                space = end == len(text) and bool(tokens[-1].whitespace_)
                yield _Token(text[begin:end], space, own[begin].norm if same else None)

    def _joined(self, tokens: list[_Token]) -> list[_Token]:
        """The tokens, those that are one word with spaces inside put together."""
        if not self.joins.words:  # as in most treebanks
            return tokens
        sizes = self.joins.sizes([token.text for token in tokens], [token.space for token in tokens])
        ends = list(accumulate(sizes))
        return [
            _Token(" ".join(token.text for token in tokens[begin:end]), tokens[end - 1].space, None)
            if end - begin > 1
            else tokens[begin]
            for begin, end in pairwise([0, *ends])
        ]

    def _doc(self, tokens: list[_Token], words: list[list[str]]) -> Doc:
        """A Doc with these words for each token."""
        spaces = [space for t, found in zip(tokens, words, strict=True) for space in _spaces(t, len(found))]
        doc = Doc(self.vocab, words=list(chain.from_iterable(words)), spaces=spaces)
        norms = doc.to_array([NORM])
        begin = 0
        for token, found in zip(tokens, words, strict=True):
            if len(found) > 1:
                keep_token(doc, begin, begin + len(found), token.text)
            elif token.norm is not None:
                norms[begin] = token.norm
            begin += len(found)
        doc.from_array([NORM], norms.reshape(-1, 1))  # type: ignore[arg-type]
        return doc

    def initialize(
        self,
        get_examples: Callable[[], Iterable[Example]] | None = None,
        *,
        nlp: Language | None = None,
        corpus: Callable[[Language], Iterable[Example]] | None = None,
        pkuseg_model: str | None = None,
        pkuseg_user_dict: str | None = None,
    ) -> None:
        """Learn from the reference Docs of a corpus that was read with ``keep``.

        corpus: a reader of one, in place of the training corpus, as where that one has been written without its multiword tokens. pkuseg_model,
        pkuseg_user_dict: have no effect; spaCy has them in every config of Chinese. Raises ValueError (M490) if no reference Doc has kept anything,
        and what the reader raises; then what was learned before stays.
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
        joins = learn_joins(_spaced(doc, kept) for doc, kept in found)
        splitter = learn(token for doc, kept in found for token in _tokens(doc, kept))
        learner = getattr(self.tokenizer, "learn", None)
        if learner is None:
            pieces = (piece for doc, kept in found for piece in _learned_from(doc, kept, self.tokenizer))
            borders = learn_borders(pieces)
        else:
            borders = Borders()  # it knows all borders of the corpus, so there is nothing to correct
            learner([token_doc(doc, kept) for doc, kept in found])
        self.borders, self.joins, self.splitter = borders, joins, splitter

    def score(self, examples: Iterable[Example], **kwargs: Any) -> dict[str, Any]:
        """Precision, recall and F1 of tokens, as of spaCy's own tokenizer."""
        return Scorer.score_tokenization(examples)

    def to_bytes(self, *, exclude: Iterable[str] = ()) -> bytes:
        """The other tokenizer and what was learned, as JSON."""
        inner = base64.b64encode(self.tokenizer.to_bytes(exclude=["vocab"])).decode("ascii")
        learned = {
            "borders": self.borders.to_dict(),
            "joins": self.joins.to_list(),
            "splitter": self.splitter.to_dict(),
        }
        data = {"format": FORMAT, "tokenizer": inner, **learned}
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
        unchecked = {name: lambda value, _: value for name in ("borders", "joins", "splitter")}
        checks = {"format": one_of(FORMAT), "tokenizer": text_value, **unchecked}
        try:
            content = read_json(data, "the file")
            if isinstance(content, dict):
                content.setdefault("joins", [])  # files of before have none
            found = fields(content, "the file", checks)
            borders = Borders.from_dict(found["borders"], "borders")
            joins = Joins.from_list(found["joins"], "joins")
            splitter = Splitter.from_dict(found["splitter"], "splitter")
            inner = base64.b64decode(found["tokenizer"], validate=True)
        except (StoredValueError, ValueError) as fault:
            raise ValueError(Errors.M606.format(where=where, reason=fault)) from None
        with catch_warnings():
            simplefilter("ignore")  # of a tokenizer that has learnt nothing yet
            before = self.tokenizer.to_bytes(exclude=["vocab"])
        try:
            self.tokenizer.from_bytes(inner, exclude=["vocab"])
        except Exception:  # msgpack and the regular expressions of spaCy raise errors of their own
            self.tokenizer.from_bytes(before, exclude=["vocab"])  # some of it has been changed
            raise ValueError(Errors.M606.format(where=where, reason="spaCy cannot read its tokenizer")) from None
        self.borders, self.joins, self.splitter = borders, joins, splitter
        return self


def _spaces(token: _Token, n: int) -> list[bool]:
    """Whether a space follows each of the n words of a token."""
    return [True] * (n - 1) + [token.space]


def _pieces(doc: Doc) -> Iterator[list[Token]]:
    """The tokens of a Doc between white space; tokens that have white space in them are alone, but for a no-break space amid a number."""
    piece: list[Token] = []
    ended = False
    for token in doc:
        # nearly all are letters alone
        alone = not token.is_alpha and len(token.text.split()) != 1 and not _is_amid_number(token)
        if piece and (ended or alone):
            yield piece
            piece = []
        piece.append(token)
        ended = alone or bool(token.whitespace_)
    if piece:
        yield piece


def _is_amid_number(token: Token) -> bool:
    """Whether a token is a no-break space between two digits."""
    if token.text not in _NO_BREAK or not 0 < token.i < len(token.doc) - 1:
        return False
    before, after = token.nbor(-1), token.nbor()
    spaced = before.whitespace_ or token.whitespace_
    return not spaced and before.text[-1].isdigit() and after.text[0].isdigit()


def _text(doc: Doc, kept: list[Kept]) -> str:
    """The raw text of a Doc that was read from a file."""
    return surface_text(doc, 0, len(doc), [found for each in kept for found in each.ranges()])


def _learned_from(doc: Doc, kept: list[Kept], tokenizer: Tokenizer) -> Iterator[Piece]:
    """The pieces of the raw text of a Doc that was read from a file."""
    text = _text(doc, kept)
    gold = [
        begin for _, begin in _placed(doc, kept, text)
    ]  # in order, so that time is not quadratic in the length of a Doc
    for tokens in _pieces(tokenizer(text)):
        begin, given = tokens[0].idx, frozenset(token.idx - tokens[0].idx for token in tokens[1:])
        end = tokens[-1].idx + len(tokens[-1])
        inside = gold[bisect_right(gold, begin) : bisect_left(gold, end)]
        yield Piece(text[begin:end], frozenset(place - begin for place in inside), given)


def _spaced(doc: Doc, kept: list[Kept]) -> tuple[list[str], list[bool]]:
    """The tokens of a Doc that was read from a file, and whether a space follows each in its raw text."""
    text = _text(doc, kept)
    placed = list(_placed(doc, kept, text))
    return [form for form, _ in placed], [text.startswith(" ", begin + len(form)) for form, begin in placed]


def token_doc(doc: Doc, kept: list[Kept]) -> Doc:
    """A Doc of the raw text of a Doc that was read from a file, and of its tokens; those with white space in them are cut there."""
    words, spaces = [], []
    for form, space in zip(*_spaced(doc, kept), strict=True):
        parts = form.split()
        words += parts
        spaces += [*[True] * (len(parts) - 1), space][: len(parts)]
    return Doc(doc.vocab, words=words, spaces=spaces)


def _placed(doc: Doc, kept: list[Kept], text: str) -> Iterator[tuple[str, int]]:
    """The tokens of a Doc that was read from a file, and where each begins in its raw text."""
    at = 0
    for form, *_ in _tokens(doc, kept):
        at = text.index(form, at)
        yield form, at
        at += len(form)


def _tokens(doc: Doc, kept: list[Kept]) -> Iterator[tuple[str, list[str], str]]:
    """The tokens of a Doc that was read from a file: form, words, and tag of the first word."""
    ranges = {begin: (end, cells.partition("\t")[0]) for each in kept for begin, end, cells in each.ranges()}
    i = 0
    while i < len(doc):
        end, form = ranges.get(i, (i + 1, doc[i].text))
        yield form, [token.text for token in doc[i:end]], doc[i].tag_
        i = end
