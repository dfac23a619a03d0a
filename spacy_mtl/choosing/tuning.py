"""Search for settings with Optuna: each trial trains a component, on features that are made once for all trials that share them."""

import hashlib
import json
import time
from collections import OrderedDict
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import Any

import numpy as np
from confection import ConfigValidationError
from spacy import registry

from spacy_mtl.components.protocol.base import StructuredPipe
from spacy_mtl.errors import Errors
from spacy_mtl.models.dense import on_cpu
from spacy_mtl.settings import brief
from spacy_mtl.stand_in import stand_in
from spacy_mtl.tables.stored import digest, to_bytes

from .corpora import fingerprint
from .finals import Final, chosen, finalists, train_finally
from .journal import come_again, n_to_end, open_study, parameters_of
from .refit import Refit
from .space import CHOICES, Dimension, applies, by_name, by_path, changed, combinations, present, shared_key

#: Passes of a trial before each of its evaluations: those that fall behind the median of the others end early.
STEPS = (5, 5, 10)
#: Features of so many template sets are kept.
KEPT = 2


@dataclass(frozen=True)
class Trial:
    """A trial that has ended.

    settings: by their paths, joined by dots. speed: words per CPU second. final: the score when it was trained once more at the end of the search.
    """

    number: int
    settings: dict[str, Any]
    score: float
    megabytes: float
    speed: float
    cpu: float
    final: float | None = None


@dataclass
class Tuning:
    """A search. refits: one, or one for each fold. config: the component's settings. journal: the file that keeps the trials."""

    refits: Sequence[Refit]
    config: dict[str, Any]
    space: Sequence[Dimension]
    journal: Path
    seed: int = 0
    steps: tuple[int, ...] = STEPS
    _pipes: "OrderedDict[str, list[StructuredPipe]]" = field(default_factory=OrderedDict)
    _about: dict[str, str] | None = None

    def run(self, n: int, tell: Callable[[], None] | None = None) -> None:
        """Make so many trials. An interrupt leaves those that have ended in the journal, and the next search goes on from there."""
        study = self.study()
        study.optimize(self._trial, n_trials=n, callbacks=[] if tell is None else [lambda *_: tell()])

    def plan(self, n: int) -> int:
        """Where so many trials are enough for all combinations of what is searched, have each made once. Returns how many trials that are."""
        if not (all_of_them := combinations(self.config, self.space, n)):
            return n
        study = self.study()
        tried = parameters_of(study)
        for parameters in all_of_them:
            if parameters not in tried:
                study.enqueue_trial(parameters)
        return n_to_end(study)

    def check(self) -> None:
        """Refuse values that no component can be made with, before anything is trained: those of a trainer or a template set with each that has it.

        Raises ValueError: M793 for what the config's own checks refuse, and what components, trainers and templates raise.
        """
        searched = {each.path: each.values for each in self.space if each.path in CHOICES}
        for each in sorted(self.space, key=lambda each: each.path not in searched):
            places = {("trainer",), each.path[:-1]}
            others = [{place: name} for place in sorted(places & searched.keys()) for name in searched[place]]
            for value in each.ends:
                for base in (self.config, *(changed(self.config, other) for other in others)):
                    if applies(base, each.path):
                        self._check_value(base, each, value)

    def _check_value(self, base: Mapping[str, Any], each: Dimension, value: Any) -> None:
        try:
            self.refits[0].untrained(changed(base, {each.path: value}))
        except ConfigValidationError as error:
            reason = "; ".join(str(found.get("msg")) for found in error.errors) or "it is refused"
            raise ValueError(Errors.M793.format(name=each.name, value=brief(value), reason=reason)) from None

    def study(self) -> Any:
        """The study of the journal, see :func:`.open_study`. The settings as they are come first."""
        if self._about is None:
            self._about = self._described()
        return open_study(self.journal, self._about, present(self.config, self.space), self.seed)

    def _described(self) -> dict[str, str]:
        """What the search is of: trials of another config, or on other documents, cannot be compared with its own."""
        told = {
            "config": [self.refits[0].component, self.config, self.refits[0].weights],
            "schedule of training": [self.refits[0].schedule, self.steps],
            "--vary": [str(each) for each in self.space],
            "corpora or folds": [fingerprint(refit.train, refit.inputs, refit.references) for refit in self.refits],
        }
        tables, vectors = self.refits[0].tables, self.refits[0].nlp.vocab.vectors
        if tables or vectors.size:  # told only where there are any, as earlier journals have it
            told["tables and vectors"] = [digest(to_bytes(tables)), digest(on_cpu(vectors.data).tobytes())]
        return {
            name: hashlib.sha256(json.dumps(value, sort_keys=True, default=str).encode()).hexdigest()
            for name, value in told.items()
        }

    def _trial(self, trial: Any) -> float:
        try:
            return self._score_of(trial)
        except KeyboardInterrupt:
            come_again(trial.study, trial)
            raise

    def _score_of(self, trial: Any) -> float:
        import optuna

        begin = time.process_time()
        own = present(self.config, self.space) or {}
        settings = {each.path: each.suggest(trial, own.get(each.name)) for each in self.space}
        config = changed(self.config, settings)
        trial.set_user_attr("settings", by_name(config, settings))
        pipes = self._begun(config)
        score, last = 0.0, len(self.steps) - 1
        for number, passes in enumerate(self.steps):
            for refit, pipe in zip(self.refits, pipes, strict=True):
                pipe.update([stand_in(refit.train, passes)])
            score = self._score(pipes)
            trial.report(score, number)
            if all(pipe.finished for pipe in pipes):
                break
            if number < last and trial.should_prune():
                trial.set_user_attr("cpu", time.process_time() - begin)
                raise optuna.TrialPruned
        trial.set_user_attr("megabytes", len(pipes[0].to_bytes(exclude=["vocab"])) / 1e6)
        trial.set_user_attr("speed", self.refits[0].speed(pipes[0]))
        trial.set_user_attr("cpu", time.process_time() - begin)
        return score

    def finish(self, tell: Callable[[], object] | None = None) -> "tuple[Trial, bool]":
        """Train the best trials once more, see finals.py. Returns the one that is chosen, and whether it has the settings that the config had before.

        What has been trained is kept in the journal, so that after an interrupt the rest follows. At least one trial must have a score.
        """
        study = self.study()
        self._pipes.clear()
        trials = {trial.number: trial for trial in ended(study)}
        own = self._own(trials)
        finals = []
        for number in finalists(
            {k: t.score for k, t in trials.items()}, {k: t.settings for k, t in trials.items()}, own
        ):
            final = final_of(study, number)
            if final is None:
                final = train_finally(self.refits, self.config, by_path(trials[number].settings), number)
                study.set_user_attr(f"final {number}", [final.score, final.without.tolist()])
            finals.append(final)
            if tell is not None:
                tell()
        best = chosen(finals, own)
        return replace(trials[best.number], final=best.score), best.number == own

    def _own(self, trials: Mapping[int, Trial]) -> int | None:
        """The number of the trial with the settings of the config."""
        from optuna.trial import FixedTrial

        if (parameters := present(self.config, self.space)) is None:
            return None
        fixed = FixedTrial(parameters)
        own = by_name(self.config, {each.path: each.suggest(fixed, parameters[each.name]) for each in self.space})
        return next((number for number, trial in trials.items() if trial.settings == own), None)

    def _score(self, pipes: Sequence[StructuredPipe]) -> float:
        found = [refit.score(pipe) for refit, pipe in zip(self.refits, pipes, strict=True)]
        return sum(found) / len(found)

    def _begun(self, config: Mapping[str, Any]) -> list[StructuredPipe]:
        """Components of each fold at the beginning of a training with these settings, with features that an earlier trial has made if it can be."""
        key = shared_key(config)
        if key in self._pipes:
            self._pipes.move_to_end(key)
            trainer = registry.resolve({"trainer": dict(config["trainer"])})["trainer"]
            for pipe in self._pipes[key]:
                pipe.begin_again(trainer, config["model"].get("megabytes"))
        else:
            while len(self._pipes) >= KEPT:
                self._pipes.popitem(last=False)
            self._pipes[key] = [refit.make(config) for refit in self.refits]
        return self._pipes[key]


def ended(study: Any) -> list[Trial]:
    """The trials that have a score, the best first."""
    from optuna.trial import TrialState

    found = []
    for t in study.get_trials(deepcopy=False, states=(TrialState.COMPLETE,)):
        megabytes, speed, cpu = (t.user_attrs.get(key) for key in ("megabytes", "speed", "cpu"))
        if isinstance(settings := t.user_attrs.get("settings"), dict) and None not in (megabytes, speed, cpu):
            final = final_of(study, t.number)
            score = None if final is None else final.score
            found.append(Trial(t.number, settings, t.value, megabytes, speed, cpu, score))
    return sorted(found, key=lambda trial: (-trial.score, trial.number))


def final_of(study: Any, number: int) -> Final | None:
    """The training at the end of a search that the journal keeps of a trial, if there is one."""
    match study.user_attrs.get(f"final {number}"):
        case [float() | int() as score, [*without]]:
            return Final(number, score, np.array(without, float))
    return None


def front(trials: Sequence[Trial]) -> list[Trial]:
    """The trials that no other beats: none is at least as good in score, size and speed, and better in one of them."""
    values = [(trial.score, -trial.megabytes, trial.speed) for trial in trials]

    def beaten(own: tuple[float, ...]) -> bool:
        return any(other != own and all(b >= a for a, b in zip(own, other, strict=True)) for other in values)

    return [trial for trial, own in zip(trials, values, strict=True) if not beaten(own)]
