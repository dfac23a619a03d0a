"""From column files to spaCy's own corpus format."""

from dataclasses import dataclass
from pathlib import Path
from typing import Any

import spacy
from spacy.tokens import DocBin

from ..errors import Errors
from ..files import write_atomically
from .conll import ConllCorpus

GIVEN_KEY = "spacy_mtl.given"


@dataclass(frozen=True, slots=True)
class Counts:
    """What a converted corpus holds."""

    documents: int
    sentences: int
    tokens: int
    entities: int


def convert_columns(
    input_path: str | Path | list[str | Path], output_path: str | Path, lang: str, **settings: Any
) -> Counts:
    """Write column files as one ``.spacy`` file (a DocBin), atomically; returns what it holds.

    lang: the language code of the vocab, for the lexical attributes.
    settings: those of :class:`~spacy_mtl.corpora.conll.ConllCorpus`, by name.

    Docs are the references of that reader; ``user_data["spacy_mtl.given"]`` lists the columns that are given, since a
    ``.spacy`` file itself does not part input from gold.

    Raises ValueError for an output of another name (M516), an unknown language (M515) and all that the reader refuses,
    an empty file among them (M504); nothing is written then.
    """
    output_path = Path(output_path)
    if output_path.suffix != ".spacy":
        raise ValueError(Errors.M516.format(path=output_path))
    corpus = ConllCorpus(input_path, **settings)
    try:
        vocab = spacy.blank(lang).vocab
    except ImportError as error:
        raise ValueError(Errors.M515.format(lang=lang, reason=str(error).splitlines()[0].rstrip("."))) from None
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
