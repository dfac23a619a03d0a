"""What a report says, as plain data."""

from collections.abc import Sequence
from dataclasses import dataclass, field

from spacy_mtl.insight.weights import Weight
from spacy_mtl.learning.history import Evaluation

from .costliest import CostlyError
from .counts import LabelRow, Matrix
from .curve import CurvePoint
from .reliability import Reliability


@dataclass(frozen=True)
class TemplateLine:
    """A template. share: of the sum of all weights. norm: share of the sum of all norms. path: shares over the passes. dropped: by which pass."""

    name: str
    pattern: str
    share: float
    norm: float
    rows: int
    path: tuple[float, ...] = ()
    dropped: int | None = None


@dataclass(frozen=True)
class Errors:
    """The costliest ones. documents: that have errors. explained: how many of these were."""

    shown: Sequence[CostlyError] = ()
    documents: int = 0
    explained: int = 0


@dataclass(frozen=True)
class ComponentReport:
    """One component. what: its pieces are called. note: on how they are counted. settings: of its trainer. missing: what is not said, and why."""

    name: str
    factory: str
    what: str
    note: str
    settings: str
    scores: Sequence[tuple[str, float]]
    evaluations: Sequence[Evaluation]
    passes: Sequence[int]
    templates: Sequence[TemplateLine]
    labels: Sequence[LabelRow]
    matrix: Matrix | None
    confused: Sequence[tuple[str, str, int]]
    reliability: Sequence[Reliability]
    errors: Errors
    features: Sequence[tuple[str, Sequence[Weight]]]
    megabytes: float
    speed: float
    curve: Sequence[CurvePoint] = ()
    missing: Sequence[str] = field(default_factory=tuple)

    @property
    def equal(self) -> float:
        """The share that each template would have if all weighed the same."""
        return 1 / max(len(self.templates), 1)


@dataclass(frozen=True)
class Step:
    """A row of the training table. other: the scores behind the one that is weighed."""

    step: int
    score: float | None
    seconds: float | None
    other: Sequence[tuple[str, float]] = ()


@dataclass(frozen=True)
class ReportData:
    """A pipeline on a corpus. source: where it comes from. versions: of packages. config: as text."""

    title: str
    language: str
    source: str
    documents: int
    words: int
    components: Sequence[ComponentReport]
    steps: Sequence[Step]
    versions: Sequence[tuple[str, str]]
    config: str
