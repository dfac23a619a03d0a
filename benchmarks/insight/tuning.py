"""Settings found by a search, beside those that people have chosen."""

from dataclasses import replace
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any

from benchmarks.common.measure import cpu_seconds
from benchmarks.common.significance import compare
from benchmarks.ner.data import Data, Ours
from benchmarks.ner.ours import learn, scores, warm_up
from benchmarks.outside.training import counts
from spacy_mtl.choosing.journal import n_ended
from spacy_mtl.choosing.refit import Refit
from spacy_mtl.choosing.schedule import Schedule
from spacy_mtl.choosing.space import dimensions
from spacy_mtl.choosing.tuning import Tuning, ended


def run(data: dict, ours: dict, trials: int, seed: int, start: dict[str, float]) -> dict[str, Any]:
    """Search C and p on testa, from those of ``start``; train with the best, and with those of ``ours``; score both, and compare them on testb."""
    the_data, chosen = Data(**data), Ours(**ours)
    warm_up(the_data, chosen)
    with TemporaryDirectory() as folder:
        nlp, _ = chosen.pipeline(the_data)
        refits = [Refit(nlp, "mtl_ner", *(the_data.part(nlp, part).examples() for part in ("train", "testa")))]
        refits[0].schedule = Schedule.passes(chosen.passes)
        config = refits[0].config()
        config["trainer"] = {**config["trainer"], **start, "inner_passes": 1}
        tuning = Tuning(refits, config, dimensions(config, []), Path(folder, "journal"), seed)
        cpu = cpu_seconds(lambda: tuning.run(trials))
        cpu_final = cpu_seconds(lambda: tuning.finish())
        winner, stays = tuning.finish()  # from the journal
        study = tuning.study()
        found, n = ended(study), n_ended(study)
    best = {path.rpartition(".")[2]: value for path, value in winner.settings.items()}
    row: dict[str, Any] = {
        "contestant": "tuned",
        "trials": n,
        "whole_trials": len(found),
        "cpu": cpu + cpu_final,
        "best": best,
    }
    row |= {
        "start": start,
        "stays": stays,
        "cpu_final": cpu_final,
        "dev_of_trial": winner.score,
        "dev_final": winner.final,
    }
    row["finals"] = [{**trial.settings, "final": trial.final} for trial in found if trial.final is not None]
    found_on_test = []
    for name, settings in (("chosen_", chosen), ("", replace(chosen, **best))):
        nlp, ner = settings.pipeline(the_data)
        learn(nlp, ner, settings, the_data.part(nlp, "train").examples())
        row |= {name + key: f1 for part in ("testa", "testb") for key, f1 in scores(nlp, the_data, part).items()}
        found_on_test.append(counts(nlp, the_data.part(nlp, "testb").examples()))
    by_hand, tuned = found_on_test
    verdict = compare(tuned, by_hand)
    return row | {"difference": verdict.difference, "p_value": verdict.p, "low": verdict.low, "high": verdict.high}
