"""Which attributes components set on documents before a later one sees them, and which a component requires, for ``nlp.analyze_pipes``."""

import weakref
from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import replace
from typing import Any

from spacy.language import Language
from spacy.tokens import Doc
from spacy.training import Example

from spacy_mtl.templates.attributes.derived import base_of
from spacy_mtl.templates.attributes.reader import doc_attributes
from spacy_mtl.templates.grammar import TemplateSet

#: Names in a factory's ``assigns`` that differ from those of the attributes that they set.
_PLACES = {
    "doc.ents": ("ENT_IOB", "ENT_TYPE", "ENT_ID", "ENT_KB_ID"),
    "doc.sents": ("SENT_START",),
    "token.is_sent_start": ("SENT_START",),
}
#: What templates with %t read.
TENSOR = "TENSOR"
#: What taggers set.
TAGS = frozenset({"TAG", "POS", "MORPH"})
#: What a text behind a tagger has only where a component sets it.
OF_COMPONENTS = TAGS | {"LEMMA"}


def annotated(nlp: Language, names: Sequence[str]) -> frozenset[str] | None:
    """Attributes that these components set, according to their factories; None if a factory does not say."""
    found: set[str] = set()
    for name in names:
        places = nlp.get_pipe_meta(name).assigns if name in nlp.component_names else ()
        if not places:  # like the attribute ruler, which may set any attribute
            return None
        for place in places:
            found.update(_PLACES.get(place, (place.rpartition(".")[2].upper(),)))
    return frozenset(found)


def tell_meta(factory: str, templates: TemplateSet, assigns: Sequence[str] = ()) -> None:
    """Set ``requires`` for the component that this factory is making: what its templates read of Docs, while spaCy asks the factory alone.

    What they can do without is not required. assigns: what the component sets, if that depends on its settings.
    spaCy gives each component the meta that its factory has once the component has been made, so each keeps its own.
    """
    optional = {base_of(attr) for attr, _ in templates.fallbacks}
    read = [attr for attr in doc_attributes(templates.attributes) if attr not in optional]
    meta = Language.get_factory_meta(factory)
    tensor = ["doc.tensor"] if any(obs.place == "t" for t in templates.templates for obs in t.observations) else []
    names = ["token.is_sent_start" if attr == "SENT_START" else f"token.{attr.lower()}" for attr in read]
    Language.set_factory_meta(factory, replace(meta, requires=[*names, *tensor], assigns=list(assigns) or meta.assigns))


class ComponentsBefore:
    """Runs components on documents of ``update`` that lack what they set, as if they were listed in ``annotates``.

    Only components that say what they set (``assigns`` of their factories) and keep the tokens are run, and those that others listen to (tok2vec).
    The pipeline is looked at each time, so components may come, go, or be disabled.
    """

    def __init__(self, nlp: Language, name: str, needed: Sequence[str]):
        self._nlp = weakref.ref(nlp)
        self._name = name
        self._needed = tuple(needed)

    def promised(self) -> frozenset[str]:
        """The attributes that components before this one say that they set."""
        nlp = self._nlp()
        if nlp is None:
            return frozenset()
        return frozenset().union(*(annotated(nlp, [name]) or () for name, _ in self._before(nlp)))

    def sets_tags(self) -> bool:
        """Whether tags or morphology come from components before this one, all of which say what they set."""
        nlp = self._nlp()
        found = [] if nlp is None else [annotated(nlp, [name]) for name, _ in self._before(nlp)]
        return None not in found and not TAGS.isdisjoint(frozenset().union(*(some or () for some in found)))

    def annotated(self, examples: list[Example]) -> list[Example]:
        """The examples, with copies in place of those whose predicted Doc lacks something; the same list if none of them does."""
        nlp = self._nlp()
        lacking = [[attr for attr in self._needed if lacks(example.predicted, attr)] for example in examples]
        if nlp is None or not any(lacking) or not self.promised().intersection(self._needed):
            return examples
        new = [
            Example(example.predicted.copy(), example.reference) if attrs else example
            for example, attrs in zip(examples, lacking, strict=True)
        ]
        for name, component in self._before(nlp):
            listened_to = bool(getattr(component, "listener_map", None))
            found = annotated(nlp, [name]) or frozenset()
            run(
                component,
                [
                    example.predicted
                    for example, attrs in zip(new, lacking, strict=True)
                    if attrs and (listened_to or not found.isdisjoint(attrs))
                ],
            )
        return new

    def _before(self, nlp: Language) -> Iterator[tuple[str, Any]]:
        for name, component in nlp.pipeline:
            if name == self._name:
                return
            if not nlp.get_pipe_meta(name).retokenizes:
                yield name, component


def lacks(doc: Doc, attr: str) -> bool:
    """Whether no token of a document has the attribute, or the document no tensor."""
    if attr == TENSOR:
        return len(doc.tensor) != len(doc)
    return len(doc) > (attr == "SENT_START") and not doc.has_annotation(attr)


def run(component: Any, docs: Sequence[Doc]) -> None:
    """Run a component on documents, in place."""
    pipe: Callable | None = getattr(component, "pipe", None)
    if docs and pipe is not None:
        list(pipe(docs))
    else:
        for doc in docs:
            component(doc)


def docs_before(nlp: Language, name: str, docs: Sequence[Doc]) -> list[Doc]:
    """Copies of documents as the component of this name gets them in the pipeline."""
    stream: Iterable[Doc] = [doc.copy() for doc in docs]
    for other, pipe in nlp.pipeline:
        if other == name:
            break
        stream = pipe.pipe(stream) if hasattr(pipe, "pipe") else map(pipe, stream)
    return list(stream)
