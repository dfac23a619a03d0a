"""Every error and warning of the package, with a code as in spaCy: each says what is wrong, where, and what to do.

Codes are grouped by part of the package, a file each: M1xx templates, M2xx structures, M3xx trainers, M4xx and M757 to M759 components,
M5xx, M756 and M955 to M957 corpora and training support, M6xx and M768 saved models, M7xx, M953, M954, M958 and M959 commands,
M8xx and M960 to M969 tables of words, M900 to M952 and M970 clusters.
"""

from .cluster import ClusterErrors
from .commands import CommandErrors
from .components import ComponentErrors, ComponentWarnings
from .corpora import CorpusErrors, CorpusWarnings
from .models import ModelErrors
from .structures import StructureErrors
from .tables import TableErrors, TableWarnings
from .templates import TemplateErrors
from .trainers import TrainerErrors, TrainerWarnings


class _Codes(type):
    """Prefix each message with its code when it is read: ``Errors.M101`` gives ``"[M101] ..."``."""

    def __getattribute__(cls, name: str):
        value = super().__getattribute__(name)
        if name.startswith("M") and name[1:].isdigit():
            return f"[{name}] {value}"
        return value


class Errors(
    TemplateErrors,
    StructureErrors,
    TrainerErrors,
    ComponentErrors,
    CorpusErrors,
    ModelErrors,
    CommandErrors,
    TableErrors,
    ClusterErrors,
    metaclass=_Codes,
):
    """Errors by their codes."""


class Warnings(TrainerWarnings, ComponentWarnings, CorpusWarnings, TableWarnings, metaclass=_Codes):
    """Warnings by their codes."""
