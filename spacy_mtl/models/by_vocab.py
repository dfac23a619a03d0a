"""Documents of several vocabularies, as of pipelines that share a component: a predictor is made for one of them, which takes a while."""

from collections.abc import Callable, Sequence
from typing import Any, TypeVar

from spacy.tokens import Doc
from spacy.vocab import Vocab
from thinc.api import Model

#: A model keeps the predictors of so many vocabularies, those that it has met last.
KEPT = 2

Found = TypeVar("Found")


class Earlier:
    """The predictors of a model before the last one, the latest first. Copies and other processes do without them."""

    def __init__(self, predictors: Sequence[Any] = ()):
        self.predictors = tuple(predictors)

    def __reduce__(self) -> tuple:
        return Earlier, ()


def no_predictors() -> dict[str, Any]:
    """The entries of a model's attributes that have all predictors made anew, since weights or tables are others."""
    return {"predictor": None, "earlier": Earlier()}


def predictor_for(model: Model, vocab: Vocab, make: Callable[[], Any]) -> Any:
    """The predictor of a model for documents of a vocabulary: the last one, an earlier one, or a new one, which is made."""
    last = model.attrs["predictor"]
    if last is not None and last.vocab is vocab:
        return last
    earlier = model.attrs.get("earlier", Earlier()).predictors  # models of earlier versions have none
    found = next((each for each in earlier if each.vocab is vocab), None)
    kept = [each for each in (last, *earlier) if each is not None and each is not found]
    found = make() if found is None else found
    model.attrs.update(predictor=found, earlier=Earlier(kept[: KEPT - 1]))
    return found


def vocabs_of(docs: Sequence[Doc]) -> list[Vocab]:
    """The vocabularies of documents, each once."""
    return list({id(doc.vocab): doc.vocab for doc in docs}.values())


def by_vocab(docs: Sequence[Doc], predict: Callable[[list[Doc]], Sequence[Found]]) -> list[Found]:
    """What is predicted for each document. predict: called with documents of one vocabulary at a time."""
    found: dict[int, Found] = {}
    for vocab in vocabs_of(docs):
        places = [k for k, doc in enumerate(docs) if doc.vocab is vocab]
        found.update(zip(places, predict([docs[k] for k in places]), strict=True))
    return [found[k] for k in range(len(docs))]


def share_strings(docs: Sequence[Doc], texts: Sequence[str], own: Vocab | None = None) -> None:
    """Let the vocabularies of documents know these strings. own: one that knows them already."""
    for vocab in vocabs_of(docs):
        if vocab is not own:
            for text in texts:
                vocab.strings.add(text)
