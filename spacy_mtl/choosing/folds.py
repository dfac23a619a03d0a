"""Train a component again on parts of its training corpus, for decisions about documents that it has not seen."""

from collections.abc import Iterator, Sequence
from typing import Any

from spacy.language import Language
from spacy.training import Example

from spacy_mtl.components.protocol.annotated import docs_before
from spacy_mtl.components.protocol.base import StructuredPipe
from spacy_mtl.errors import Errors

from .refit import Refit

#: The most trainings on parts of the training corpus.
MOST_FOLDS = 20


def check_folds(command: str, folds: int) -> None:
    """Refuse numbers of folds that are out of range; 0 is for none. Raises ValueError (M419)."""
    if folds not in (0, *range(2, MOST_FOLDS + 1)):
        expected = f"0, or from 2 to {MOST_FOLDS}"
        raise ValueError(Errors.M419.format(name=command, setting="--folds", expected=expected, value=folds))


def trained_on_folds(
    nlp: Language, component: str, train: Sequence[Example], dev: Sequence[Example], folds: int
) -> Iterator[tuple[Any, list[Example]]]:
    """For each fold of consecutive documents a component with the same settings, trained on the others, and the fold as it gets it.

    Its training goes on as the config says, with ``dev`` as dev corpus. There are at most as many folds as documents, and none whose other documents
    have nothing to learn from. Raises ValueError: M954 a single document, M772 a dev corpus without gold annotation for the component.
    """
    if len(train) < 2:
        raise ValueError(Errors.M954)
    folds, before = min(folds, len(train)), nlp.get_pipe(component)
    assert isinstance(before, StructuredPipe)
    inputs = docs_before(nlp, component, [example.predicted for example in train])
    for fold in range(folds):
        begin, end = fold * len(train) // folds, (fold + 1) * len(train) // folds
        rest = [*train[:begin], *train[end:]]
        if not any(before.is_annotated(each.reference) for each in rest):
            continue
        refit = Refit(nlp, component, rest, dev, left_out=train[begin:end])
        pipe = refit.make(refit.config())
        refit.fit_pipe(pipe)
        yield (
            pipe,
            [Example(doc, each.reference) for doc, each in zip(inputs[begin:end], train[begin:end], strict=True)],
        )
