"""Prune a component: keep the templates that weigh most and train with these alone, the two stages of Mao & Tsang (2013), section 3.3.

Weights of templates that are to go say little about the others. Where more than half of the templates go, they go by halves, and each half is weighed
anew, as in recursive feature elimination (Guyon et al. 2002, *Gene selection for cancer classification using support vector machines*, section 4.2).

How many templates stay follows from limits: of their number, of size, of speed, or of what the score may lose.
"""

from collections.abc import Callable, Mapping, Sequence
from copy import deepcopy
from dataclasses import dataclass
from typing import Any

from spacy.language import Language

from spacy_mtl.components.protocol.base import StructuredPipe
from spacy_mtl.components.protocol.chain import ChainPipe
from spacy_mtl.errors import Errors
from spacy_mtl.templates.attributes.of_tables import is_read
from spacy_mtl.templates.grammar import Template
from spacy_mtl.thresholds import LIVE

from .refit import Fitted, Refit

Told = Callable[[int], None]
#: How often a component that is too large is trained with less room for its weights, and by how much less than in proportion.
AGAIN, LESS = 2, 0.98


@dataclass(frozen=True)
class Limits:
    """What a pruned component may be at most, or must be at least; None for no limit.

    templates: how many. megabytes: of the saved component. speed: words per CPU second. loss: points of the dev score below that of the full model.
    """

    templates: int | None = None
    megabytes: float | None = None
    speed: float | None = None
    loss: float | None = None

    def told(self) -> str:
        """The limits in words."""
        parts = [
            f"{self.megabytes:g} MB" if self.megabytes is not None else "",
            f"{self.speed:,.0f} words/s" if self.speed is not None else "",
            f"a loss of {self.loss:g} points" if self.loss is not None else "",
        ]
        return " and ".join(filter(None, parts))


@dataclass(frozen=True)
class Point:
    """A component trained with so many templates."""

    templates: int
    fitted: Fitted


class Pruning:
    """The search for the templates that stay. points: everything that has been trained, by the number of templates.

    tell: told the number of templates before each training. Raises ValueError (M475) for an untrained component.
    """

    def __init__(self, refit: Refit, limits: Limits, tell: Told | None = None):
        self.refit, self.limits, self.tell = refit, limits, tell
        refit.pipe.explained_weights()
        self.full = refit.measure(refit.pipe)
        self.templates = refit.pipe.templates
        self.kinds = kinds_needed(refit.pipe)
        self.by_norm = refit.pipe.trainer.weighs_by_norm
        self.order = ranked(self.templates.templates, self.full, self.kinds, self.by_norm)
        self.least = len({template.is_edge for template in self.order} & self.kinds)
        self.live = max(n_live(self.full, self.by_norm), self.least)
        self.points: dict[int, Fitted] = {}
        self._configs: dict[int, dict[str, Any]] = {}

    def run(self) -> Point:
        """The pruned component. Raises ValueError: M774 there are no more templates than are to stay, M775 the limits cannot be met."""
        limits, n_all, least = self.limits, len(self.templates.templates), self.least
        if limits.templates is not None and not least <= limits.templates < n_all:
            raise ValueError(
                Errors.M774.format(name=self.refit.component, n=n_all, k=limits.templates, least=least, most=n_all - 1)
            )
        k = min(self.live, limits.templates or self.live)
        if (speed := limits.speed) is not None:
            k = self._largest(least, k, lambda fitted: fitted.speed >= speed)
        if limits.megabytes is not None:
            k = self._best(least, k)
        if limits.loss is not None:
            k = self._smallest(least, k, self._is_good)
        fitted = self.fit(k)
        if not self._fits(fitted):
            raise self._cannot(k)
        return Point(k, fitted)

    def _fits(self, fitted: Fitted) -> bool:
        return self.limits.megabytes is None or fitted.megabytes <= self.limits.megabytes

    def _is_good(self, fitted: Fitted) -> bool:
        return self._fits(fitted) and fitted.score >= self.full.score - (self.limits.loss or 0.0)

    def _staying(self, k: int) -> list[Template]:
        """The k templates that stay: the heaviest of the next larger half of a half ... of all live ones, trained with these alone."""
        half = self.live
        while half // 2 > k:
            half //= 2
        if half in (k, self.live):
            return self.order[:k]
        return ranked(self._staying(half), self.fit(half), self.kinds, self.by_norm)[:k]

    def fit(self, k: int) -> Fitted:
        """The component with k templates; each number of them is trained once."""
        if k not in self.points:
            self.points[k] = self._within(k)
        return self.points[k]

    def _within(self, k: int) -> Fitted:
        """Train with k templates; where the saved component is too large, again with less room for its weights.

        What it has besides them takes room, too.
        """
        most = room = self.limits.megabytes
        found = self._trained(k, room)
        for _ in range(AGAIN):
            if most is None or found.megabytes <= most:
                break
            room = self._configs[k]["model"]["megabytes"] * LESS * most / found.megabytes
            found = self._trained(k, room)
        return found

    def _trained(self, k: int, room: float | None) -> Fitted:
        config = self._made(k, room)  # which may train others before
        if self.tell is not None:
            self.tell(k)
        self._configs[k] = config
        return self.refit.fit(self._configs[k])

    def config(self, k: int) -> dict[str, Any]:
        """The settings with which the component was trained with k templates, a copy. Trains it where that has not been done."""
        self.fit(k)
        return deepcopy(self._configs[k])

    def _made(self, k: int, room: float | None) -> dict[str, Any]:
        """The settings of the component with k templates, in the order that they had. room: megabytes for its weights."""
        config = deepcopy(self.refit.config())
        templates = self.templates
        staying = self._staying(k)
        kept = [template.text for template in templates.templates if template in staying]
        block: dict[str, Any] = {"@mtl_templates": "spacy_mtl.patterns.v1", "patterns": kept}
        if templates.min_count != 1:
            block["min_count"] = templates.min_count
        if templates.label_min_count is not None:
            block["label_min_count"] = templates.label_min_count
        config["model"]["templates"] = block
        if room is not None:
            old = config["model"].get("megabytes")
            config["model"]["megabytes"] = room if old is None else min(room, old)
        return config

    def _largest(self, least: int, most: int, meets: Callable[[Fitted], bool]) -> int:
        """The largest number of templates that meets what fewer templates meet more easily, by bisection."""
        if meets(self.fit(most)):
            return most
        if not meets(self.fit(least)):
            raise self._cannot(least)
        while most - least > 1:
            middle = (least + most) // 2
            if meets(self.fit(middle)):
                least = middle
            else:
                most = middle
        return least

    def _smallest(self, least: int, most: int, meets: Callable[[Fitted], bool]) -> int:
        """The smallest number of templates that meets what more templates meet more easily, by bisection."""
        if not meets(self.fit(most)):
            raise self._cannot(most)
        least -= 1
        while most - least > 1:
            middle = (least + most) // 2
            if meets(self.fit(middle)):
                most = middle
            else:
                least = middle
        return most

    def _best(self, least: int, most: int) -> int:
        """Of all templates, half, a quarter, ..., the number with the best score of those that fit; where none does, that of the smallest component.

        It is few templates with all their features, or many with the strongest.
        """
        tried = [most]
        while tried[-1] // 2 >= least:
            tried.append(tried[-1] // 2)
        fitting = [k for k in reversed(tried) if self._fits(self.fit(k))]
        if not fitting:
            return min(tried, key=lambda k: self.fit(k).megabytes)
        return max(fitting, key=lambda k: self.fit(k).score)

    def _cannot(self, k: int) -> ValueError:
        found, full = self.fit(k), self.full.score
        has = f"{found.megabytes:.3g} MB, {found.speed:,.0f} words/s and a loss of {full - found.score:.2f} points"
        kept = "1 template" if k == 1 else f"{k} templates"
        return ValueError(Errors.M775.format(name=self.refit.component, limits=self.limits.told(), kept=kept, has=has))

    def apply(self, point: Point) -> Language:
        """Put the pruned component in the place of the old one, in the pipeline and its config. Returns the pipeline.

        If the old one was calibrated, so is the new one, on the dev corpus.
        """
        nlp, name, config = self.refit.nlp, self.refit.component, self.config(point.templates)
        before, factory = self.refit.pipe, config.pop("factory")
        nlp.replace_pipe(name, factory, config=config)
        pipe: Any = nlp.get_pipe(name)
        pipe.from_bytes(point.fitted.data, exclude=["vocab"])
        self.refit.calibrate_as(pipe, before)
        _drop_tables(nlp, name, pipe.templates.attributes)
        return nlp


def kinds_needed(pipe: StructuredPipe) -> set[bool]:
    """Kinds of templates that a component cannot do without: of labels, arcs or spans (False), and of labels of arcs or of rules (True).

    A chain can do without its transitions, which templates of single labels often make up for.
    """
    return {False} if isinstance(pipe, ChainPipe) else {False, True}


def ranked(templates: Sequence[Template], fitted: Fitted, kinds: set[bool], by_norm: bool = False) -> list[Template]:
    """Templates of a trained component, those first that weigh most; where all weigh the same, by the norms of their weights.

    The heaviest template of each of ``kinds`` leads. by_norm: rank by norms alone, see ``Trainer.weighs_by_norm``.
    """
    rows = {row["name"]: (0.0 if by_norm else row["weight"], row["norm"]) for row in fitted.templates}
    order = sorted(templates, key=lambda template: rows.get(template.name, (0.0, 0.0)), reverse=True)
    first = [next((template for template in order if template.is_edge is kind), None) for kind in sorted(kinds)]
    return [*filter(None, first), *(template for template in order if template not in first)]


def n_live(fitted: Fitted, by_norm: bool = False) -> int:
    """The number of templates with weight. by_norm: as of :func:`ranked`."""
    if by_norm:
        return sum(row["norm"] > 0 for row in fitted.templates)
    total = sum(row["weight"] for row in fitted.templates)
    return sum(row["weight"] > LIVE * total for row in fitted.templates)


def _drop_tables(nlp: Language, name: str, attributes: tuple[str, ...]) -> None:
    """Let the config of another training not give tables that no template reads any more, which it would refuse."""
    settings: Any = nlp.config["initialize"]["components"].get(name)
    tables = settings.get("tables") if isinstance(settings, Mapping) else None
    if isinstance(tables, Mapping):
        kept = {table: block for table, block in tables.items() if is_read(table, attributes)}
        settings["tables"] = kept
        if not kept:
            del settings["tables"]
