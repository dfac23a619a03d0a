"""Calibrate the components of a pipeline on held-out documents; the callback ``spacy_mtl.calibrate.v1`` does so whenever a training saves."""

import warnings
from collections.abc import Callable, Iterable, Sequence
from typing import Any

from spacy.language import Language
from spacy.training import Example

from spacy_mtl.errors import Errors
from spacy_mtl.registry import registry
from spacy_mtl.settings import is_list, is_switch, of_the_name, shown

#: Of each component the calibration of each kind of decision.
Found = dict[str, dict[str, Any]]


def able_to_calibrate(nlp: Language) -> list[str]:
    """The names of the components that can be calibrated."""
    return [name for name, pipe in nlp.pipeline if hasattr(pipe, "calibrate")]


def calibrate_pipeline(
    nlp: Language,
    examples: Sequence[Example],
    components: Sequence[str] | None = None,
    isotonic: bool = True,
    folds: Callable[[str], Iterable[tuple[Any, Sequence[Example]]]] | None = None,
) -> Found:
    """Calibrate these components, or all that can be, each on the documents as components before it leave them. Returns what was found.

    examples: held-out documents, which the training has not seen; the predicted ones stay as they are. folds: of a component by its name, more
    decisions to make maps from. Raises ValueError: M765 no such component, M478 no gold for it, M479 one that is not trained.
    """
    able = able_to_calibrate(nlp)
    missing = sorted(set(components or ()) - set(able))
    if missing or not able:
        raise ValueError(Errors.M765.format(named=of_the_name(*missing), names=", ".join(able) or "none"))
    docs, found = [example.predicted.copy() for example in examples], {}
    for name, pipe in nlp.pipeline:
        if name in (able if components is None else components):
            shown = [Example(doc, each.reference) for doc, each in zip(docs, examples, strict=True)]
            found[name] = pipe.calibrate(shown, isotonic, folds(name) if folds else ())  # type: ignore[attr-defined]
        if len(found) == len(able if components is None else set(components)):
            break
        docs = list(pipe.pipe(docs) if hasattr(pipe, "pipe") else map(pipe, docs))  # type: ignore[arg-type]
    return found


@registry.callbacks("spacy_mtl.calibrate.v1")
def create_calibrate(
    corpus: Callable[[Language], Iterable[Example]], components: list[str] | None = None, isotonic: bool = True
) -> Callable[[Language], Language]:
    """Make the callback with which ``spacy train`` saves calibrated components: for ``[training] before_to_disk``, or as ``callback`` of
    ``spacy_mtl.safe_save.v1``.

    corpus: a reader of held-out documents, such as ``${corpora.dev}``. components: the names of those to calibrate, null for all. Components that are
    not trained yet, or have a calibration for their weights already, are left as they are; names of no such component are warned of.
    isotonic: whether maps are tried besides temperatures.
    Raises ValueError (M766) for other settings.
    """

    for setting, value, expected, fine in (
        ("corpus", corpus, "a reader of a corpus", callable(corpus)),
        ("components", components, "a list of names of components, or null", components is None or is_list(components)),
        ("isotonic", isotonic, "true or false", is_switch(isotonic)),
    ):
        if not fine:
            raise ValueError(Errors.M766.format(setting=setting, expected=expected, value=shown(value)))

    def calibrate(nlp: Language) -> Language:
        able = able_to_calibrate(nlp)
        if missing := sorted(set(components or ()) - set(able)):
            known = ", ".join(able) or "none"
            warnings.warn(Errors.M765.format(named=of_the_name(*missing), names=known), stacklevel=2)
        pipes = {name: nlp.get_pipe(name) for name in able if components is None or name in components}
        wanted = [name for name, pipe in pipes.items() if pipe.is_trained and not pipe.calibrations]  # type: ignore[attr-defined]
        if wanted:
            try:
                calibrate_pipeline(nlp, list(corpus(nlp)), wanted, isotonic)
            except ValueError as error:  # the training goes on, and what it has learnt is saved
                warnings.warn(str(error), stacklevel=2)
        return nlp

    return calibrate
