"""A recognizer pruned to a few of its templates, beside the full one: what it scores, and how fast it is."""

from typing import Any

from benchmarks.common.measure import median
from benchmarks.ner.data import Data, Ours
from benchmarks.ner.ours import learn, scores, warm_up, words_per_second
from spacy_mtl.choosing.pruning import Limits, Pruning
from spacy_mtl.choosing.refit import Refit
from spacy_mtl.choosing.schedule import Schedule
from spacy_mtl.components.ner import MTLEntityRecognizer

#: Speeds are measured in turn, so many times.
TURNS = 5


def run(data: dict, ours: dict, templates: int) -> dict[str, Any]:
    """Train, prune on testa, score both on both parts."""
    the_data, settings = Data(**data), Ours(**ours)
    warm_up(the_data, settings)
    nlp, ner = settings.pipeline(the_data)
    parts = [the_data.part(nlp, part).examples() for part in ("train", "testa")]
    row: dict[str, Any] = {"contestant": "pruned"}
    row["cpu_full"] = learn(nlp, ner, settings, parts[0])["cpu"]
    row |= {f"full_{key}": value for part in ("testa", "testb") for key, value in scores(nlp, the_data, part).items()}
    schedule = Schedule((settings.passes // settings.inner_passes,), 0)
    pruning = Pruning(Refit(nlp, "mtl_ner", *parts, schedule), Limits(templates))
    point = pruning.run()
    row |= {"full_templates": len(pruning.templates.templates), "trainings": len(pruning.points)}
    row |= {"full_megabytes": pruning.full.megabytes, "megabytes": point.fitted.megabytes, "templates": point.templates}
    pruning.apply(point)
    small = nlp.get_pipe("mtl_ner")
    assert isinstance(small, MTLEntityRecognizer)
    row |= {key: value for part in ("testa", "testb") for key, value in scores(nlp, the_data, part).items()}
    texts = the_data.part(nlp, "testb").given
    turns = [(words_per_second(ner, texts, 1), words_per_second(small, texts, 1)) for _ in range(TURNS + 1)][1:]
    row |= {"full_words_per_second": median([a for a, _ in turns]), "words_per_second": median([b for _, b in turns])}
    row["times"] = median([b / a for a, b in turns])
    row["kept"] = [template.text for template in small.templates.templates]
    return row
