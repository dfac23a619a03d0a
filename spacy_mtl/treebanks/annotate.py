"""Annotate texts and treebanks with a pipeline, and write CoNLL-U, document by document."""

from collections.abc import Sequence
from dataclasses import dataclass, replace
from pathlib import Path

from spacy.language import Language
from spacy.parts_of_speech import IDS as POS_IDS
from tqdm import tqdm

from spacy_mtl.corpora.conllu import GIVEN
from spacy_mtl.corpora.conllu_write import doc_to_conllu
from spacy_mtl.files import writing_atomically

from .inputs import Input, stream_docs
from .orphans import ending_with_this


@dataclass(slots=True)
class Counts:
    """Numbers of documents, sentences and words that were written."""

    documents: int = 0
    sentences: int = 0
    words: int = 0


def annotate(nlp: Language, paths: Sequence[Path], output: Path, settings: Input, n_process: int = 1) -> Counts:
    """Annotate files, in their order, and write one CoNLL-U file, atomically: an interrupt or error leaves what was there.

    Columns that the pipeline predicts are taken from it, others from the input: settings say "given", "tag" and "trees" only where the pipeline does
    not (:func:`input_of`). Only a few documents are in memory at a time. Progress goes to stderr if that is a terminal. n_process: processes of
    ``nlp.pipe``, which end with this one even if it is killed.

    Raises ValueError for what is wrong with an input (:func:`~spacy_mtl.treebanks.inputs.stream_docs`) and OSError where the output cannot be
    written: M650-M652.
    """
    settings = input_of(nlp, settings)
    tag = "upos" if settings.tag == "upos" else "xpos"
    counts = Counts()
    docs = stream_docs(nlp, paths, settings)
    bar = tqdm(unit=" words", disable=None, leave=False)
    with ending_with_this(nlp), writing_atomically(output) as file, bar:
        for doc, comments in nlp.pipe(docs, as_tuples=True, n_process=n_process):
            for sentence in doc_to_conllu(doc, tag, counts.sentences + 1, comments):
                file.write(f"{sentence}\n".encode())
                counts.sentences += 1
            counts.documents += 1
            counts.words += len(doc)
            bar.update(len(doc))
    return counts


def input_of(nlp: Language, settings: Input) -> Input:
    """Settings with what the pipeline does not predict as given. A tagger all of whose tags are universal writes column 4."""
    predicted = predicted_columns(nlp)
    tags = _tags(nlp)
    tag = settings.tag
    if tags:
        tag = "upos" if tags <= POS_IDS.keys() else "xpos"
    if tags and tag == "upos":
        predicted.add("POS")
    given = [column for column in settings.given if column in GIVEN and column not in predicted]
    return replace(settings, given=given, tag=tag, trees=settings.trees and "DEP" not in predicted)


def predicted_columns(nlp: Language) -> set[str]:
    """Those of TAG, POS, MORPH, LEMMA and DEP that a component sets. A tagger that has no table of parts of speech sets none."""
    found = set()
    for name, pipe in nlp.pipeline:
        for column in ("TAG", "POS", "MORPH", "LEMMA", "DEP"):
            unset = column == "POS" and not getattr(pipe, "cfg", {}).get("pos_map", True)
            if f"token.{column.lower()}" in nlp.get_pipe_meta(name).assigns and not unset:
                found.add(column)
    return found


def sets_borders(nlp: Language) -> bool:
    """Whether a component sets sentence borders."""
    assigned = {attribute for name in nlp.pipe_names for attribute in nlp.get_pipe_meta(name).assigns}
    return bool(assigned & {"token.is_sent_start", "doc.sents"})


def _tags(nlp: Language) -> set[str]:
    """The tags of all components that set TAG; in an analysis, the tag is behind a tab."""
    labels = nlp.pipe_labels
    return {
        label.rpartition("\t")[2]
        for name in nlp.pipe_names
        if "token.tag" in nlp.get_pipe_meta(name).assigns
        for label in labels.get(name, [])
    }
