"""Tagged Docs as words of a grammar, and constituents as spans of Docs."""

from collections.abc import Iterator, Sequence

import numpy as np
from spacy.tokens import Doc, Span

from spacy_mtl.constituents.tree import SPANS_KEY, Constituent, Tree, tree_from
from spacy_mtl.sentences import borders
from spacy_mtl.templates.attributes.reader import AttributeReader
from spacy_mtl.templates.grammar import TemplateSet

from .features import Words


def words_from_docs(docs: Sequence[Doc], templates: TemplateSet) -> Words:
    """The words of Docs of one vocab, with the attributes that templates read. Sentences are those of the Docs; a Doc without borders is one."""
    reader = AttributeReader(templates.attributes, docs[0].vocab)
    starts = borders(docs)
    return Words(reader.read(docs, starts), reader.columns, starts, [token.tag_ for doc in docs for token in doc])


def set_constituents(docs: Sequence[Doc], found: Sequence[Sequence[Constituent]]) -> None:
    """Write constituents, a list for each sentence, to ``doc.spans["constituents"]``, in place of what was there."""
    sentences = iter(found)
    for doc in docs:
        starts = borders([doc])
        spans = [
            Span(doc, int(start) + c.start, int(start) + c.end, c.label)
            for start in starts[:-1]
            for c in next(sentences)
        ]
        doc.spans[SPANS_KEY] = spans


def trees_of(docs: Sequence[Doc]) -> Iterator[Tree]:
    """The trees of the sentences of Docs with ``doc.spans["constituents"]``, under a label of "".

    Raises ValueError for constituents that cross each other or a sentence border.
    """
    for doc in docs:
        starts = borders([doc])
        groups: list[list[Constituent]] = [[] for _ in starts[:-1]]
        for span in doc.spans.get(SPANS_KEY, []):
            s = int(np.searchsorted(starts, span.start, "right")) - 1
            groups[s].append(Constituent(span.label_, span.start - int(starts[s]), span.end - int(starts[s])))
        for s, group in enumerate(groups):
            words = [Tree(token.tag_, (), token.text) for token in doc[int(starts[s]) : int(starts[s + 1])]]
            yield tree_from(words, group)
