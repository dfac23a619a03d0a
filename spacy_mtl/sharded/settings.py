"""Which trainers can be shared out to workers."""

from spacy_mtl.errors import Errors
from spacy_mtl.trainers.base import Trainer
from spacy_mtl.trainers.mtlstruct.settings import MTLStructSettings


def check_trainer(name: str, trainer: Trainer) -> MTLStructSettings:
    """The settings of a trainer that can be shared out. Raises ValueError (M945) for another one."""
    if not isinstance(trainer, MTLStructSettings) or trainer.solver != "dual_ascent":
        raise ValueError(Errors.M945.format(name=name, trainer=type(trainer).__name__))
    return trainer
