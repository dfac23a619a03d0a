"""What can be trained in shards: which components, with which trainers."""

from collections.abc import Mapping, Sequence
from typing import Any

from spacy.language import Language
from spacy.tokens import Doc

from spacy_mtl.components.protocol.annotated import annotated
from spacy_mtl.components.protocol.base import StructuredPipe
from spacy_mtl.errors import Errors
from spacy_mtl.templates.attributes.reader import doc_attributes
from spacy_mtl.trainers.base import Trainer
from spacy_mtl.trainers.mtlstruct.settings import MTLStructSettings


def check_trainer(name: str, trainer: Trainer) -> MTLStructSettings:
    """The settings of a trainer that can be shared out. Raises ValueError (M945) for another one."""
    if not isinstance(trainer, MTLStructSettings) or trainer.solver != "dual_ascent":
        raise ValueError(Errors.M945.format(name=name, trainer=type(trainer).__name__))
    return trainer


def trained_components(nlp: Language, training: dict[str, Any]) -> list[str]:
    """The components that are to be trained, in their order.

    Raises ValueError: M942 and M945 one cannot be trained on workers, M943 one is not of this package, M946 one annotates for others, M947 none is.
    """
    frozen = training.get("frozen_components") or []
    names = []
    for name, pipe in nlp.pipeline:
        if name in frozen or not getattr(pipe, "is_trainable", False):
            continue
        if not isinstance(pipe, StructuredPipe):
            raise ValueError(Errors.M943.format(name=name))
        check_trainer(name, pipe.trainer)
        pipe.check_shards()
        names.append(name)
    if not names:
        raise ValueError(Errors.M947)
    annotating = [name for name in training.get("annotating_components") or [] if name in names]
    if annotating:
        raise ValueError(Errors.M946.format(names=annotating))
    return names


def check_frozen(nlp: Language, names: Sequence[str], doc: Doc) -> None:
    """Refuse components that are not to be trained (all but ``names``) and do not work. Raises ValueError (M951)."""
    for name, pipe in nlp.pipeline:
        if name not in names:
            try:
                pipe(doc.copy())
            except Exception as error:  # a component of another package may raise anything
                reason = " ".join(str(error).split()).rstrip(".") or type(error).__name__
                raise ValueError(Errors.M951.format(name=name, reason=reason)) from None


def check_independent(nlp: Language, names: Sequence[str], block: Mapping[str, Any]) -> None:
    """Refuse a component that reads what another one of these would predict: they are trained one after the other, each on the corpus as it is.

    block: of the reader of the training corpus. Raises ValueError (M950).
    """
    given = set(block.get("given") or ()) | ({"SENT_START"} if block.get("borders", True) else set())
    for k, name in enumerate(names):
        pipe: Any = nlp.get_pipe(name)
        reads = {*doc_attributes(pipe.templates.attributes), *pipe.also_reads} - given
        for before in names[:k]:
            both = sorted(reads.intersection(annotated(nlp, [before]) or ()))
            if both:
                raise ValueError(Errors.M950.format(name=name, before=before, attributes=", ".join(both)))
