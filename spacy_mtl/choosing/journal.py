"""The journal of a search: the file of Optuna's that keeps the trials, for all processes at work and for the next search."""

import json
import os
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from pathlib import Path
from typing import Any

from spacy_mtl.errors import Errors
from spacy_mtl.files.disk import reason_of
from spacy_mtl.files.locks import Lock

STUDY = "spacy_mtl"
#: So many trials are not judged by the others.
UNJUDGED = 5


@contextmanager
def lead(journal: Path) -> Iterator[None]:
    """Meanwhile, this process and those that it starts are alone at work on a journal, as far as there are locks.

    An unfinished line at its end, as full disks leave, is cut off.
    Raises ValueError: M791 another process leads the search, M704 the journal cannot be written.
    """
    try:
        journal.parent.mkdir(parents=True, exist_ok=True)
        lock = Lock(os.open(journal, os.O_RDWR | os.O_CREAT, 0o666))
    except OSError as error:
        raise ValueError(Errors.M704.format(path=journal, reason=reason_of(error))) from None
    try:
        if not _taken(lock) or not lock.is_on(journal):
            raise ValueError(Errors.M791.format(path=journal))
        _cut_unfinished(lock.descriptor)
        try:
            yield
        finally:
            if not os.fstat(lock.descriptor).st_size:  # nothing was begun
                journal.unlink(missing_ok=True)
    finally:
        lock.close()


def _taken(lock: Lock) -> bool:
    try:
        return lock.take()
    except OSError:  # there are no locks here
        return True


def _cut_unfinished(descriptor: int) -> None:
    """Cut a file after its last line break."""
    size = end = os.fstat(descriptor).st_size
    while end > 0:
        begin = max(0, end - 4096)
        if (at := os.pread(descriptor, end - begin, begin).rfind(b"\n")) >= 0:
            end = begin + at + 1
            break
        end = begin
    if end < size:
        os.ftruncate(descriptor, end)


def check_installed() -> None:
    """Refuse to search without Optuna. Raises ValueError (M780)."""
    try:
        import optuna  # noqa: F401
    except ImportError:
        raise ValueError(Errors.M780) from None


def open_study(journal: Path, about: Mapping[str, str], first: Mapping[str, Any] | None, seed: int = 0) -> Any:
    """The study of a journal, new or to be continued.

    about: what a search is of, by names for messages. first: parameters of the first trial of a new search, None for any.
    Raises ValueError: M780 Optuna is not installed, M781 the journal is that of another search, M792 it is damaged, M704 it cannot be written.
    """
    check_installed()
    import optuna

    optuna.logging.set_verbosity(optuna.logging.ERROR)  # its warning of an interrupted trial has a traceback
    try:
        study = _study(journal)
        known = study.user_attrs.get("about")
    except OSError as error:
        raise ValueError(Errors.M704.format(path=journal, reason=reason_of(error))) from None
    except (ValueError, KeyError, TypeError, AttributeError, IndexError, AssertionError) as error:
        reason = str(error).rstrip(".") or "a line is not what Optuna writes"
        raise ValueError(Errors.M792.format(path=journal, reason=reason)) from None
    # a search that goes on does not draw the same again
    study.sampler = optuna.samplers.TPESampler(seed=seed + len(study.get_trials(deepcopy=False)), constant_liar=True)
    if known is None:
        study.set_user_attr("about", dict(about))
        if first is not None:
            study.enqueue_trial(first)
    elif known != about:
        others = [name for name in about if not isinstance(known, Mapping) or known.get(name) != about[name]]
        raise ValueError(Errors.M781.format(path=journal, other=" and ".join(others) or "search"))
    return study


def _study(journal: Path) -> Any:
    import optuna
    from optuna.storages import JournalStorage
    from optuna.storages.journal import JournalFileBackend

    journal.parent.mkdir(parents=True, exist_ok=True)
    if journal.exists():
        with journal.open("rb") as file:
            for number, line in enumerate(file, start=1):
                if line.endswith(b"\n") and not _is_record(line):
                    raise ValueError(f"line {number} is not what Optuna writes")
    return optuna.create_study(
        study_name=STUDY,
        storage=JournalStorage(JournalFileBackend(str(journal))),
        pruner=optuna.pruners.MedianPruner(n_startup_trials=UNJUDGED),
        direction="maximize",
        load_if_exists=True,
    )


def _is_record(line: bytes) -> bool:
    try:
        record = json.loads(line)
    except ValueError:
        return False
    return isinstance(record, dict) and isinstance(record.get("op_code"), int)


def take_up(study: Any) -> None:
    """Let trials that killed processes have left come again. No other process must be at work."""
    from optuna.trial import TrialState

    for trial in study.get_trials(deepcopy=False, states=(TrialState.RUNNING,)):
        study.tell(trial.number, state=TrialState.FAIL)
        come_again(study, trial)


def come_again(study: Any, trial: Any) -> None:
    """Let a trial that has been cut off come again, as far as its values are known."""
    if parameters := trial.params or trial.system_attrs.get("fixed_params"):
        study.enqueue_trial(parameters)


def n_ended(study: Any) -> int:
    """How many trials have a score, or ended early."""
    from optuna.trial import TrialState

    return len(study.get_trials(deepcopy=False, states=(TrialState.COMPLETE, TrialState.PRUNED)))


def n_to_end(study: Any) -> int:
    """How many trials there will be when those that wait have ended, too."""
    from optuna.trial import TrialState

    return n_ended(study) + len(study.get_trials(deepcopy=False, states=(TrialState.WAITING,)))


def parameters_of(study: Any) -> list[dict[str, Any]]:
    """The parameters of trials that have ended, run or wait; those of trials that failed are not among them."""
    from optuna.trial import TrialState

    trials = study.get_trials(deepcopy=False)
    return [t.params or t.system_attrs.get("fixed_params", {}) for t in trials if t.state != TrialState.FAIL]
