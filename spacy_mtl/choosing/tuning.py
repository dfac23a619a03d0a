"""Search for settings with Optuna: each trial trains a component, on features that are made once for all trials that share them."""

import json
import time
from collections import OrderedDict
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import Any

import numpy as np
from spacy import registry

from spacy_mtl.components.protocol.base import StructuredPipe
from spacy_mtl.errors import Errors
from spacy_mtl.files.disk import reason_of
from spacy_mtl.stand_in import stand_in

from .finals import Final, chosen, finalists, train_finally
from .refit import Refit
from .space import Dimension, by_path, changed, present, shared_key

STUDY = "spacy_mtl"
#: Passes of a trial before each of its evaluations: those that fall behind the median of the others end early.
STEPS = (5, 5, 10)
#: As many trials are not judged by the others.
UNJUDGED = 5
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

    def run(self, n: int, tell: Callable[[], None] | None = None) -> None:
        """Make so many trials. An interrupt leaves those that have ended in the journal, and the next search goes on from there."""
        study = open_study(self.journal, self.config, self.space, self.seed)
        study.optimize(self._trial, n_trials=n, callbacks=[] if tell is None else [lambda *_: tell()])

    def _trial(self, trial: Any) -> float:
        import optuna

        begin = time.process_time()
        settings = {each.path: each.suggest(trial) for each in self.space}
        config = changed(self.config, settings)
        trial.set_user_attr("settings", {".".join(path): value for path, value in settings.items()})
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
        study = open_study(self.journal, self.config, self.space, self.seed)
        self._pipes.clear()
        trials = {trial.number: trial for trial in ended(study)}
        own = self._own(trials)
        finals = []
        for number in finalists(
            {k: t.score for k, t in trials.items()}, {k: t.settings for k, t in trials.items()}, own
        ):
            kept = study.user_attrs.get(f"final {number}")
            if kept is None:
                final = train_finally(self.refits, self.config, by_path(trials[number].settings), number)
                study.set_user_attr(f"final {number}", [final.score, final.without.tolist()])
            else:
                final = Final(number, kept[0], np.array(kept[1]))
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
        own = {".".join(each.path): each.suggest(fixed) for each in self.space}
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


def open_study(journal: Path, config: Mapping[str, Any], space: Sequence[Dimension], seed: int = 0) -> Any:
    """The study of a journal, new or to be continued. The settings as they are come first; trials that were cut off come again.

    Raises ValueError: M780 Optuna is not installed, M781 the journal is that of another search, M704 it cannot be written.
    """
    try:
        import optuna
        from optuna.storages import JournalStorage
        from optuna.storages.journal import JournalFileBackend
    except ImportError:
        raise ValueError(Errors.M780) from None
    optuna.logging.set_verbosity(optuna.logging.ERROR)  # its warning of an interrupted trial has a traceback
    try:
        journal.parent.mkdir(parents=True, exist_ok=True)
        study = optuna.create_study(
            study_name=STUDY,
            storage=JournalStorage(JournalFileBackend(str(journal))),
            pruner=optuna.pruners.MedianPruner(n_startup_trials=UNJUDGED),
            direction="maximize",
            load_if_exists=True,
        )
    except OSError as error:
        raise ValueError(Errors.M704.format(path=journal, reason=reason_of(error))) from None
    except (ValueError, KeyError, TypeError) as error:
        raise ValueError(Errors.M781.format(path=journal, reason=str(error).rstrip("."))) from None
    about = json.dumps([shared_key(config), [str(each) for each in space]])
    # a search that goes on does not draw the same again
    study.sampler = optuna.samplers.TPESampler(seed=seed + len(study.get_trials(deepcopy=False)), constant_liar=True)
    known = study.user_attrs.get("about")
    if known not in (None, about):
        raise ValueError(Errors.M781.format(path=journal, reason="its config or values are others"))
    if known is None:
        study.set_user_attr("about", about)
        if (first := present(config, space)) is not None:
            study.enqueue_trial(first)
    return study


def take_up(study: Any) -> None:
    """Let trials that a killed process has left come again. No other process must be at work."""
    from optuna.trial import TrialState

    for trial in study.get_trials(deepcopy=False, states=(TrialState.RUNNING,)):
        study.tell(trial.number, state=TrialState.FAIL)
        if parameters := trial.params or trial.system_attrs.get("fixed_params"):
            study.enqueue_trial(parameters)


def n_ended(study: Any) -> int:
    """How many trials have a score, or ended early."""
    from optuna.trial import TrialState

    return len(study.get_trials(deepcopy=False, states=(TrialState.COMPLETE, TrialState.PRUNED)))


def ended(study: Any) -> list[Trial]:
    """The trials that have a score, the best first."""
    from optuna.trial import TrialState

    found = [
        Trial(
            t.number,
            t.user_attrs["settings"],
            t.value,
            *(t.user_attrs[key] for key in ("megabytes", "speed", "cpu")),
            *study.user_attrs.get(f"final {t.number}", ())[:1],
        )
        for t in study.get_trials(deepcopy=False, states=(TrialState.COMPLETE,))
    ]
    return sorted(found, key=lambda trial: (-trial.score, trial.number))


def front(trials: Sequence[Trial]) -> list[Trial]:
    """The trials that no other beats: none is at least as good in score, size and speed, and better in one of them."""
    values = [(trial.score, -trial.megabytes, trial.speed) for trial in trials]

    def beaten(own: tuple[float, ...]) -> bool:
        return any(other != own and all(b >= a for a, b in zip(own, other, strict=True)) for other in values)

    return [trial for trial, own in zip(trials, values, strict=True) if not beaten(own)]
