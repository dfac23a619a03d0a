"""Convert column files, segmented texts, dependency trees, bracketed trees and annotated tasks to spaCy's own corpus format."""

from collections.abc import Callable, Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from spacy.tokens import Doc, DocBin
from spacy.vocab import Vocab

from spacy_mtl.errors import Errors
from spacy_mtl.files import write_atomically
from spacy_mtl.languages import blank, vocab_of

from .annotated.reader import TasksCorpus
from .binary import GIVEN_KEY, stored_docs
from .bracketed import BracketedCorpus
from .conll import ConllCorpus, corpus_paths
from .conllu import ConlluCorpus
from .conllu_write import write_conllu
from .segmented import SegmentedCorpus


@dataclass(frozen=True, slots=True)
class Counts:
    """Numbers of documents, sentences, tokens and entities in a converted corpus."""

    documents: int
    sentences: int
    tokens: int
    entities: int


def convert_columns(
    input_path: str | Path | list[str | Path], output_path: str | Path, lang: str, **settings: Any
) -> Counts:
    """Write column files to one ``.spacy`` file (a DocBin), atomically, and return the counts.

    lang: the language code of the vocab, for the lexical attributes.
    settings: those of :class:`~spacy_mtl.corpora.conll.ConllCorpus`, by name.

    The Docs are the references of that reader; ``user_data["spacy_mtl.given"]`` lists the given columns, since a
    ``.spacy`` file itself does not separate input from gold.

    Raises ValueError, and writes nothing, for an output that does not end in ``.spacy`` (M516), an unknown language (M515) and everything
    that the reader refuses, such as an empty file (M504).
    """
    return _convert(ConllCorpus(input_path, **settings), _output(output_path), vocab_of(lang))


def convert_conllu(
    input_path: str | Path | list[str | Path], output_path: str | Path, lang: str, **settings: Any
) -> Counts:
    """Write files of dependency trees to one ``.spacy`` file, as :func:`convert_columns` does.

    settings: those of :class:`~spacy_mtl.corpora.conllu.ConlluCorpus`, by name; with ``keep``, :func:`export_conllu` makes the same files of it.
    Raises ValueError: M515, M516 and the errors of that reader.
    """
    return _convert(ConlluCorpus(input_path, **settings), _output(output_path), vocab_of(lang))


def convert_bracketed(
    input_path: str | Path | list[str | Path], output_path: str | Path, lang: str, **settings: Any
) -> Counts:
    """Write files of bracketed trees to one ``.spacy`` file, as :func:`convert_columns` does.

    settings: those of :class:`~spacy_mtl.corpora.bracketed.BracketedCorpus`, by name. Raises ValueError: M515, M516 and the errors of that reader.
    """
    return _convert(BracketedCorpus(input_path, **settings), _output(output_path), vocab_of(lang))


def _convert(corpus: ConllCorpus | ConlluCorpus | BracketedCorpus, output_path: Path, vocab: Vocab) -> Counts:
    packed = DocBin(store_user_data=True)
    sentences = tokens = entities = 0
    for _, reference, n_sentences in corpus.docs(vocab):
        reference.user_data[GIVEN_KEY] = tuple(corpus.given)  # as it comes back from the file
        packed.add(reference)
        sentences += n_sentences
        tokens += len(reference)
        entities += len(reference.ents)
    write_atomically(output_path, packed.to_bytes())
    return Counts(len(packed), sentences, tokens, entities)


def export_conllu(input_path: str | Path | list[str | Path], output_path: str | Path, lang: str) -> Counts:
    """Write the Docs of ``.spacy`` files to one CoNLL-U file, atomically, and return their counts. lang: the language code of the vocab.

    Raises ValueError for no file (M511), a file that cannot be read (M501) or is of another format (M705), and an unknown language (M515).
    """
    vocab = vocab_of(lang)
    documents = tokens = 0

    def counted() -> Iterator[Doc]:
        nonlocal documents, tokens
        for path in corpus_paths(input_path):
            for doc in stored_docs(path, vocab):
                documents += 1
                tokens += len(doc)
                yield doc

    sentences = write_conllu(counted(), output_path)
    return Counts(documents, sentences, tokens, 0)


def convert_segmented(
    input_path: str | Path | list[str | Path], output_path: str | Path, lang: str, **settings: Any
) -> Counts:
    """Write segmented texts to one ``.spacy`` file (a DocBin), atomically, and return the counts.

    lang: the language code of the vocab. settings: those of :class:`~spacy_mtl.corpora.segmented.SegmentedCorpus`, by name.

    The Docs are the references of that reader, without spaces, so that spaCy's own reader gives a pipeline their raw text to segment.

    Raises ValueError, and writes nothing, for an output that does not end in ``.spacy`` (M516), an unknown language (M515) and everything
    that the reader refuses, such as an empty file (M520).
    """
    output_path = _output(output_path)
    corpus = SegmentedCorpus(input_path, **settings)
    vocab = vocab_of(lang)
    packed = DocBin(store_user_data=True)
    tokens = 0
    for reference in corpus.references(vocab):
        reference.user_data[GIVEN_KEY] = ()
        packed.add(reference)
        tokens += len(reference)
    write_atomically(output_path, packed.to_bytes())
    return Counts(len(packed), len(packed), tokens, 0)


def convert_tasks(
    input_path: str | Path | list[str | Path], output_path: str | Path, lang: str, **settings: Any
) -> Counts:
    """Write texts whose entities were annotated with Prodigy or Label Studio to one ``.spacy`` file, as :func:`convert_columns` does.

    lang: the language code of the tokenizer, where tasks have no tokens. settings: those of
    :class:`~spacy_mtl.corpora.annotated.reader.TasksCorpus`, by name. Raises ValueError: M515, M516, M767 and the errors of that reader.
    """
    output_path, corpus, nlp = _output(output_path), TasksCorpus(input_path, **settings), blank(lang)
    packed = DocBin(store_user_data=True)
    tokens = entities = 0
    for example in corpus.read(nlp):
        example.reference.user_data[GIVEN_KEY] = ()
        packed.add(example.reference)
        tokens += len(example.reference)
        entities += len(example.reference.ents)
    write_atomically(output_path, packed.to_bytes())
    return Counts(len(packed), len(packed), tokens, entities)


#: By format.
CONVERTERS: dict[str, Callable[..., Counts]] = {
    "columns": convert_columns,
    "segmented": convert_segmented,
    "conllu": convert_conllu,
    "bracketed": convert_bracketed,
    "tasks": convert_tasks,
}


def _output(path: str | Path) -> Path:
    path = Path(path)
    if path.suffix != ".spacy":
        raise ValueError(Errors.M516.format(path=path))
    return path
