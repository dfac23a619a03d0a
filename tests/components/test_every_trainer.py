"""Every trainer with every component: trains, saves, loads, and predicts the same, in one process or two."""

import math
from pathlib import Path

import numpy as np
import pytest
import spacy
from spacy.tokens import Doc

from spacy_mtl.corpora.bracketed import BracketedCorpus
from spacy_mtl.corpora.conllu import ConlluCorpus
from spacy_mtl.corpora.segmented import SegmentedCorpus
from spacy_mtl.registry import mtl_trainers

from .bracketing import SPANS, TREES, constituents
from .parsing import FIRST_ORDER, LABELS, examples, treebank

WORDS = Path(__file__).parents[2] / "assets" / "zh-words" / "train.txt"

#: settings worth a test of their own, by trainer; each name that is registered must be here
SETTINGS = {
    "MTLStruct": [{}, {"p": 1.5, "average": 3}, {"solver": "cutting_plane"}],
    "SSVM": [{}],
    "L1M3N": [
        {"algorithm": "em", "C": 100.0},
        {"algorithm": "laplace"},
        {"algorithm": "subgradient", "radius": 30.0},
        {"algorithm": "cutting_plane"},
    ],
    "CRF": [{}, {"algorithm": "sgd"}, {"penalty": "l1"}, {"penalty": "irw"}],
    "EG": [{"mode": "batch", "C": 0.1}, {"mode": "batch_primal", "C": 0.3}, {"mode": "online"}],
    "OnlineMKL": [{}, {"loss": "log"}],
    "Perceptron": [{}],
    "MIRA": [{}, {"k": 3}],
    "StructReg": [{"trainer": {"@mtl_trainers": f"spacy_mtl.{name}.v1"}} for name in ("Perceptron", "MTLStruct")],
}
CASES = [(name, settings) for name, variants in SETTINGS.items() for settings in variants]
#: by component: its main score
COMPONENTS = {
    "mtl_ner": "ents_f",
    "mtl_tagger": "tag_acc",
    "mtl_senter": "sents_f",
    "mtl_morphologizer": "morph_acc",
    "mtl_lemmatizer": "lemma_acc",
    "mtl_segmenter": "token_f",
    "mtl_parser": "dep_las",
    "mtl_constituents": "constituents_f",
}
LANGUAGES = {
    "mtl_ner": "es",
    "mtl_tagger": "es",
    "mtl_senter": "nl",
    "mtl_morphologizer": "nl",
    "mtl_lemmatizer": "nl",
    "mtl_segmenter": "zh",
    "mtl_parser": "en",
    "mtl_constituents": "en",
}
TEMPLATES = [
    "U0:%x[0,LOWER]",
    "U1:%x[-1,LOWER]",
    "U2:%x[0,SUFFIX3]/%x[0,SHAPE]",
    "U3:%x[1,LOWER]",
    "B",
    "B1:%x[0,SHAPE]",
]
CHARACTERS = [
    "U0:%x[0,CHAR]",
    "U1:%x[-1,CHAR]/%x[0,CHAR]",
    "U2:%x[0,CHAR]/%x[1,CHAR]",
    "U3:%x[0,CHAR_CLASS]",
    "B",
    "B1:%x[0,CHAR_CLASS]",
]


#: components of columns of a treebank
COLUMNS = ("mtl_senter", "mtl_morphologizer", "mtl_lemmatizer")
PATTERNS = {
    "mtl_ner": TEMPLATES,
    "mtl_tagger": TEMPLATES,
    "mtl_senter": TEMPLATES,
    "mtl_morphologizer": TEMPLATES[:-1],  # without observed label pairs
    "mtl_lemmatizer": TEMPLATES,
    "mtl_segmenter": CHARACTERS,
    "mtl_parser": [*FIRST_ORDER, *LABELS],
    "mtl_constituents": SPANS,
}
#: trees of constituents cannot be cut into pieces
PAIRS = [(c, case) for c in COMPONENTS for case in CASES if (c, case[0]) != ("mtl_constituents", "StructReg")]


#: slow starters, by a setting of theirs; all others learn in ten passes
PASSES = {"cutting_plane": 25, "em": 40, "laplace": 40, "subgradient": 60, "batch": 80, "batch_primal": 80}


#: what a trainer has to reach on the corpus it learns from: subgradients are slow
LEAST = {"subgradient": 0.3}


def least_of(case) -> float:
    return min((LEAST[value] for value in case[1].values() if isinstance(value, str) and value in LEAST), default=0.6)


def passes_of(case) -> int:
    return max((PASSES[value] for value in case[1].values() if isinstance(value, str) and value in PASSES), default=10)


#: what reports cannot tell, by trainer or algorithm; all other values are numbers
UNKNOWN = {
    "Perceptron": {"primal", "dual", "gap"},
    "MIRA": {"primal", "dual", "gap"},
    "OnlineMKL": {"dual", "gap"},
    "sgd": {"dual", "gap"},
}


def unknown_of(case) -> set[str]:
    return set().union(*(UNKNOWN.get(word, set()) for word in identify(case).split("-")))


def identify(case):
    if isinstance(case[1], tuple):
        return f"{case[0]}-{identify(case[1])}"
    name, settings = case
    inner = settings.get("trainer", {}).get("@mtl_trainers", "")
    values = (value for value in settings.values() if not isinstance(value, dict))
    return "-".join([name, *map(str, values), *inner.split(".")[1:2]])


def untrained(component, case):
    """A blank pipeline with this component and trainer."""
    name, settings = case
    nlp = spacy.blank(LANGUAGES[component])
    model = {"templates": {"@mtl_templates": "spacy_mtl.patterns.v1", "patterns": PATTERNS[component]}}
    trainer = {"@mtl_trainers": f"spacy_mtl.{name}.v1", **settings}
    nlp.add_pipe(component, config={"model": model, "trainer": trainer})
    return nlp


def read(component, nlp, read_corpus) -> list:
    """Examples that are enough to learn something."""
    if component == "mtl_segmenter":
        return list(SegmentedCorpus(WORDS, limit=30)(nlp))
    if component == "mtl_parser":
        return examples(nlp, treebank(24), group=2)
    if component == "mtl_constituents":
        return list(BracketedCorpus(TREES / "train.mrg", group=2, limit=12)(nlp))
    if component in COLUMNS:
        sentences = {"limit": 8, "group": 5, "borders": False} if component == "mtl_senter" else {"limit": 30}
        return list(ConlluCorpus(WORDS.parents[1] / "nl-trees" / "train.conllu", given=[], **sentences)(nlp))
    return read_corpus(nlp, limit=30, given=["TAG"] if component == "mtl_ner" else [])


@pytest.fixture(scope="module", params=PAIRS, ids=identify)
def pipeline(request, train, read_corpus):
    """A pipeline trained by this trainer, and the examples it saw."""
    component, case = request.param
    nlp = untrained(component, case)
    shown = read(component, nlp, read_corpus)
    return component, train(nlp, shown, passes=passes_of(case)), shown, case


def annotations(docs) -> list:
    return [
        (
            [
                (
                    token.text,
                    token.ent_iob_,
                    token.ent_type_,
                    token.tag_,
                    token.dep_,
                    token.head.i,
                    token.lemma_,
                    token.pos_,
                    str(token.morph),
                    token.is_sent_start,
                )
                for token in doc
            ],
            constituents(doc) if "constituents" in doc.spans else None,
        )
        for doc in docs
    ]


def inputs(component, nlp, shown) -> list:
    """Texts, or for trees Docs with tags and sentences."""
    if component in ("mtl_parser", "mtl_constituents"):
        return [Doc(nlp.vocab).from_bytes(example.predicted.to_bytes()) for example in shown]
    return [example.reference.text for example in shown]


def test_every_registered_trainer_is_tested():
    ours = {name.split(".")[1] for name in mtl_trainers.get_all() if name.startswith("spacy_mtl.")}
    assert ours == set(SETTINGS)


def test_it_learns(pipeline):
    """The corpus it was trained on, from nothing: well above what a majority label gives."""
    component, nlp, shown, case = pipeline
    assert nlp.evaluate(shown)[COMPONENTS[component]] > least_of(case)


def test_its_report_is_true(pipeline):
    component, nlp, _, case = pipeline
    report = nlp.get_pipe(component).report
    assert report.passes > 0
    assert 0 < report.live_templates <= report.n_templates
    values = {name: getattr(report, name) for name in ("primal", "dual", "gap")}
    assert {name for name, value in values.items() if not math.isfinite(value)} == unknown_of(case)
    assert "primal" in unknown_of(case) or report.primal >= 0
    if not unknown_of(case):
        assert report.dual <= report.primal * (1 + 1e-4)
        assert report.gap * report.primal == pytest.approx(report.primal - report.dual, rel=1e-3, abs=1e-6)


def test_saved_and_loaded_it_predicts_the_same(pipeline, tmp_path):
    """In two processes as well; a forked process has the memory of all that was compiled, so one trainer's model stands for the others there."""
    component, nlp, shown, case = pipeline
    nlp.to_disk(tmp_path)
    loaded = spacy.load(tmp_path)
    wanted = annotations(nlp.pipe(inputs(component, nlp, shown)))
    assert annotations(loaded.pipe(inputs(component, loaded, shown))) == wanted
    assert loaded.get_pipe(component).to_bytes(exclude=["vocab"]) == nlp.get_pipe(component).to_bytes(exclude=["vocab"])
    if case == CASES[0]:
        assert annotations(loaded.pipe(inputs(component, loaded, shown), n_process=2)) == wanted


def test_explanations_sum_to_the_difference(pipeline):
    component, nlp, shown, _ = pipeline
    pipe = nlp.get_pipe(component)
    decisions = [decision for example in shown[:8] for decision in pipe.explain(example.predicted).decisions]
    told = [decision for decision in decisions if decision.runner_up is not None]
    assert told or component == "mtl_morphologizer"  # known words have a single analysis there
    for decision in told:
        assert decision.difference > -1e-4
        assert decision.total == pytest.approx(decision.difference, abs=1e-4, rel=1e-5)


def test_weights_of_templates(pipeline):
    component, nlp, _, _ = pipeline
    rows = nlp.get_pipe(component).template_weights()
    weights = np.array([row["weight"] for row in rows])
    assert np.isfinite(weights).all()
    assert (weights >= 0).all()
    assert weights.any()
    assert all(row["rows"] == 0 for row in rows if row["weight"] == 0)


@pytest.mark.parametrize("size", [1, 7])
@pytest.mark.parametrize("case", CASES, ids=identify)
def test_batches_of_any_size(case, size, read_corpus):
    """Batch methods give the same result; online methods see the same sentences, in another order."""
    nlp, whole = untrained("mtl_ner", case), untrained("mtl_ner", case)
    examples = read_corpus(nlp, limit=12)
    nlp.initialize(lambda: examples)
    for _ in range(2):
        for begin in range(0, len(examples), size):
            nlp.update(examples[begin : begin + size])
    pipe = nlp.get_pipe("mtl_ner")
    assert pipe.report.passes == 2 * case[1].get("inner_passes", 1)
    if pipe.trainer.batch:
        again = read_corpus(whole, limit=12)
        whole.initialize(lambda: again)
        for _ in range(2):
            whole.update(again)
        assert repr(whole.get_pipe("mtl_ner").report) == repr(pipe.report)  # reports, too, may rewrite weights exactly
        assert whole.get_pipe("mtl_ner").to_bytes(exclude=["vocab"]) == pipe.to_bytes(exclude=["vocab"])
