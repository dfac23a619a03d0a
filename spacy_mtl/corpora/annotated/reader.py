"""The reader ``spacy_mtl.TasksCorpus.v1``: texts with entities as annotation tools export them, and Docs of them."""

import warnings
from collections.abc import Iterator
from itertools import islice, pairwise
from pathlib import Path
from typing import ClassVar

from spacy.language import Language
from spacy.tokens import Doc, Span
from spacy.training import Example

from spacy_mtl.corpora.conll import corpus_paths
from spacy_mtl.corpora.kept import kept_examples
from spacy_mtl.corpora.settings import check_counts, check_text
from spacy_mtl.errors import Errors, Warnings
from spacy_mtl.registry import registry

from .tasks import Marked, read_tasks


@registry.readers("spacy_mtl.TasksCorpus.v1")
class TasksCorpus:
    """Examples from texts whose entities were annotated with Prodigy or Label Studio; calling it with a pipeline streams them, file after file.

    Both Docs of an Example have the tokens that the file names, or those of the pipeline's tokenizer. The *reference* has the entities. Where one
    begins or ends within a token, no gold is known of its tokens, as spaCy's alignment has it, and a warning says how many there are (M575).

    path: a file, a list of files, or a string of files separated by commas: a list of tasks in .json, or one on each line.
    limit: the largest number of Examples to read; 0 for all.
    encoding: of the files.

    Raises ValueError on construction for invalid settings (M511, M514) and files that do not exist (M501); while reading, for what is wrong with a
    file, with its line or task (M502, M513, M573, M574).
    """

    gives_words: ClassVar[bool] = True
    given: ClassVar[list[str]] = []

    def __init__(self, path: str | Path | list[str | Path] | None, limit: int = 0, encoding: str = "utf8"):
        self.paths = corpus_paths(path)
        check_counts(limit=limit)
        check_text(encoding=encoding)
        self.limit, self.encoding = limit, encoding
        for each in self.paths:
            read_tasks(each, encoding)  # checks the path at once, reads nothing yet

    def __call__(self, nlp: Language) -> Iterator[Example]:
        """Stream the Examples, with Docs in ``nlp.vocab``; in a training of spaCy, each file is read once (:mod:`spacy_mtl.corpora.kept`)."""
        return kept_examples(self, nlp)

    def read(self, nlp: Language) -> Iterator[Example]:
        """Stream the Examples, newly made."""
        return islice((each for path in self.paths for each in self._examples(path, nlp)), self.limit or None)

    def _examples(self, path: Path, nlp: Language) -> Iterator[Example]:
        crossing, first = 0, ""
        for place, marked in read_tasks(path, self.encoding):
            try:
                predicted = marked_doc(nlp, marked)
                reference, off = with_entities(predicted.copy(), marked)
            except UnicodeError:
                fault = "its text or one of its labels has half a character (a surrogate), which is not valid Unicode"
                raise ValueError(Errors.M573.format(place=place, path=path, fault=fault)) from None
            except ValueError as fault:
                if str(fault).startswith("["):  # spaCy's own, with a code
                    raise
                raise ValueError(Errors.M573.format(place=place, path=path, fault=fault)) from None
            crossing += len(off)
            first = first or (f"'{off[0].text}', {place.lower()}" if off else "")
            yield Example(predicted, reference)
        if crossing:
            warnings.warn(Warnings.M575.format(n=crossing, path=path, first=first), stacklevel=2)


def marked_doc(nlp: Language, marked: Marked) -> Doc:
    """The text as a Doc with its own tokens, or those of the tokenizer. Raises ValueError where tokens overlap, or leave out what is no space."""
    if marked.tokens is None:
        return nlp.make_doc(marked.text)
    words, spaces, before = list[str](), list[bool](), 0
    for start, end in marked.tokens:
        if start < before or marked.text[before:start].strip():
            raise ValueError(
                f"the tokens do not make up the text: one begins at {start}, the one before ends at {before}"
            )
        if gap := marked.text[before:start]:
            _add_gap(words, spaces, gap)
        words.append(marked.text[start:end])
        spaces.append(False)
        before = end
    if marked.text[before:].strip():
        raise ValueError(f"the tokens do not make up the text: the last one ends at {before} of {len(marked.text)}")
    if rest := marked.text[before:]:
        _add_gap(words, spaces, rest)
    return Doc(nlp.vocab, words=words, spaces=spaces)


def _add_gap(words: list[str], spaces: list[bool], gap: str) -> None:
    """Add space between tokens as spaCy has it: one belongs to the token before, more make a token."""
    if words and gap[0] == " ":
        spaces[-1] = True
        gap = gap[1:]
    if gap:
        words.append(gap)
        spaces.append(False)


def with_entities(doc: Doc, marked: Marked) -> tuple[Doc, list[Span]]:
    """The Doc with its entities, and those that begin or end within a token, whose tokens have no gold. Raises ValueError where entities overlap."""
    spans = sorted(marked.spans)
    for before, after in pairwise(spans):
        if after[0] < before[1]:
            a, b = (f"'{marked.text[start:end]}'" for start, end, _ in (before, after))
            raise ValueError(f"the entities {a} and {b} overlap")
    entities, off = list[Span](), list[Span]()
    for start, end, label in spans:
        span = doc.char_span(start, end, label=label)
        if span is None:
            expanded = doc.char_span(start, end, alignment_mode="expand")
            assert expanded is not None
            off.append(expanded)
        else:
            entities.append(span)
    unknown = {t for span in off for t in range(span.start, span.end)}
    doc.set_ents(entities, missing=[doc[t : t + 1] for t in sorted(unknown)], default="outside")
    return doc, off
