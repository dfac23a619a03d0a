"""Features by name: every name is that of its key, and weights are those of the model."""

import json

import numpy as np
import pytest
import spacy
from spacy.cli import app
from typer.testing import CliRunner

import spacy_mtl.cli  # noqa: F401 (adds the commands)
from spacy_mtl.cli.insight.names import chosen
from spacy_mtl.insight.names import NODE, PAIR, FeatureNames
from spacy_mtl.insight.seen import name_features
from spacy_mtl.insight.weights import state_features, transitions

from ..explaining.test_sums import CASES, PERCEPTRON, examples_of
from ..pipelines import patterns

#: by name of the case: the component, and how many of its features are named at least
NAMED = {"ner-iob2": 1.0, "morphologizer": 1.0, "parser": 0.99, "parser-grandparents": 0.99, "constituents": 0.9}


@pytest.fixture(scope="module", params=NAMED)
def named(request, train, read_corpus, templates):
    component, texts, settings = CASES[request.param]
    nlp = spacy.blank("en")
    model = {"templates": patterns(texts or templates), "megabytes": None}
    nlp.add_pipe(component, config={"model": model, "trainer": PERCEPTRON, **settings})
    shown = examples_of(component, nlp, read_corpus)
    train(nlp, shown, passes=2)
    return request.param, nlp.get_pipe(component), name_features(nlp, component, shown), shown


def test_the_training_corpus_names_the_features(named):
    name, pipe, names, _ = named
    weights = pipe.explained_weights()
    total = weights.keys.size + weights.pair_keys.size
    assert NAMED[name] * total <= len(names) <= total
    for side, keys in ((NODE, weights.keys), (PAIR, weights.pair_keys)):
        assert set(names.names[side]) <= set(keys.tolist())
        assert len(set(names.names[side].values())) == len(names.names[side])  # a name for each, and each for one


@pytest.mark.parametrize("named", ["ner-iob2"], indirect=True)  # contributions of other structures are of whole parts
def test_weights_by_name_are_those_of_explanations(named):
    """A contribution is the weight for one label minus the weight for another, of the feature of that name."""
    _, pipe, names, shown = named
    table = {(w.label, w.feature): w.value for each in state_features(pipe, names, 0).values() for w in each}
    seen = 0
    for example in shown[:10]:
        for decision in pipe.explain(example.predicted).decisions:
            for each in decision.contributions:
                if each.template.startswith("U"):
                    winner, other = each.part.rsplit(": ", 1)[1].split(", not ")
                    feature = f"{each.template}:{each.feature}"
                    value = table.get((winner, feature), 0.0) - table.get((other, feature), 0.0)
                    assert each.value == pytest.approx(value, abs=1e-6)
                    seen += 1
    assert seen > 50


def test_largest_first(named):
    _, pipe, names, _ = named
    for side in (NODE, PAIR):
        for label, found in state_features(pipe, names, 5, side).items():
            sizes = [abs(weight.value) for weight in found]
            assert sizes == sorted(sizes, reverse=True)
            assert len(found) <= 5
            assert {weight.label for weight in found} <= {label}
    assert all(weight.feature.startswith("#") for found in state_features(pipe, None, 2).values() for weight in found)


def test_transitions_are_those_of_the_model(named):
    _, pipe, _, _ = named
    step = getattr(pipe.explained_weights(), "step", np.zeros((0, 0)))
    found = transitions(pipe)
    assert len(found) == np.count_nonzero(step)
    labels = pipe.explained_weights().labels
    assert all(step[labels.index(x), labels.index(y)] == value for x, y, value in found)


def test_written_and_read(named, tmp_path):
    _, _, names, _ = named
    names.write(tmp_path / "names.json")
    assert FeatureNames.read(tmp_path / "names.json") == names


@pytest.mark.parametrize(
    "content",
    [
        "", "[]", '{"component": "ner"}', '{"component": 1, "node": {"keys": [], "names": []}, "pair": {"keys": [], "names": []}}',
        '{"component": "a", "node": {"keys": [1], "names": []}, "pair": {"keys": [], "names": []}}',
        '{"component": "a", "node": {"keys": [-1], "names": ["x"]}, "pair": {"keys": [], "names": []}}',
    ],
)  # fmt: skip
def test_files_that_are_none(content, tmp_path):
    (tmp_path / "names.json").write_text(content)
    with pytest.raises(ValueError, match="M762"):
        FeatureNames.read(tmp_path / "names.json")


def invoke(*args):
    return CliRunner().invoke(app, ["mtl", *map(str, args)])


@pytest.fixture(scope="module")
def saved(tmp_path_factory, train, read_corpus):
    """A model, and its corpus as a .spacy file."""
    folder = tmp_path_factory.mktemp("saved")
    nlp = spacy.blank("es")
    nlp.add_pipe(
        "mtl_ner", name="ner", config={"model": {"templates": patterns(["U0:%x[0,LOWER]", "B"])}, "trainer": PERCEPTRON}
    )
    shown = read_corpus(nlp, limit=30, given=[])
    train(nlp, shown).to_disk(folder / "model")
    spacy.tokens.DocBin(docs=[example.reference for example in shown]).to_disk(folder / "train.spacy")
    return folder


def test_commands(saved, tmp_path):
    told = invoke("names", saved / "model", saved / "train.spacy", tmp_path / "names.json")
    assert told.exit_code == 0, told.output
    assert "features of ner occur in" in told.stdout
    shown = invoke(
        "features", saved / "model", "--names", tmp_path / "names.json", "--top", 3, "--json", tmp_path / "found.json"
    )
    assert shown.exit_code == 0, shown.output
    assert "U0:x[0,LOWER]=" in shown.stdout
    found = json.loads((tmp_path / "found.json").read_text())
    assert all(len(weights) <= 3 for weights in found["features"].values())
    assert found["transitions"]


def test_bad_input(saved, tmp_path):
    assert "[M762]" in invoke("features", saved / "model", "--names", saved / "nowhere.json").stderr
    assert "[M764]" in invoke("features", saved / "model", "--label", "B-NOPE").stderr
    refused = invoke("features", saved / "model", "--component", "parser").stderr
    assert "[M761]" in refused
    assert "has no component of the name 'parser' that belongs to this package" in refused
    FeatureNames("tagger", {NODE: {}, PAIR: {}}).write(tmp_path / "names.json")
    assert "[M763]" in invoke("features", saved / "model", "--names", tmp_path / "names.json").stderr


def test_one_of_several_components_must_be_named(saved):
    nlp = spacy.load(saved / "model")
    nlp.add_pipe("mtl_ner", name="other")
    with pytest.raises(ValueError, match=r"\[M752\] 'model' has several components .*: ner, other\. Name one"):
        chosen(nlp, "model", None)
    assert chosen(nlp, "model", "other") == "other"
    with pytest.raises(
        ValueError, match=r"\[M761\] 'model' has no component that belongs to this package; those that do: none"
    ):
        chosen(spacy.blank("es"), "model", None)
