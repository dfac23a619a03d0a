import pytest

from spacy_mtl.choosing.space import Dimension, changed, combinations, dimensions, present, shared_key

from ..pipelines import make_nlp


@pytest.fixture(scope="module")
def config():
    return dict(make_nlp(trainer={"p": 1.5}).get_pipe_config("mtl_ner").copy())


def test_usual_settings(config):
    C, p = dimensions(config, [])
    assert Dimension("C", ("trainer", "C"), (), 0.03, 10.0) == C
    assert C.log
    assert p == Dimension("p", ("trainer", "p"), (1, 1.1, 1.3333, 1.6, 2))
    without_p = {**config, "trainer": {"@mtl_trainers": "spacy_mtl.SSVM.v1"}}
    assert [each.name for each in dimensions(without_p, [])] == ["C"]


@pytest.mark.parametrize(
    ("text", "path"),
    [
        ("C=1:2", ("trainer", "C")),
        ("trainer.C=1:2", ("trainer", "C")),
        ("megabytes=1,null", ("model", "megabytes")),
        ("model.megabytes=1:3", ("model", "megabytes")),
        ("min_count=1:3", ("model", "templates", "min_count")),
        ("templates=tp1,spacy_mtl.ner.v1", ("model", "templates")),
        ("trainer=MTLStruct,spacy_mtl.CRF.v1", ("trainer",)),
        ("scheme=biluo,iob2", ("scheme",)),
        ("costs.*>O=1:3", ("costs", "*>O")),
    ],
)
def test_where_settings_stand(config, text, path):
    (found,) = dimensions(config, [text])
    assert found.path == path


def test_values(config):
    templates, count, cost, size = dimensions(
        config, ["templates=tp1,ner.v1", "average=1:3", "C=0.5:2", "megabytes=1,null"]
    )
    assert templates.values == ("spacy_mtl.tp1.v1", "spacy_mtl.ner.v1")
    assert (count.whole, cost.whole, cost.log) == (True, False, False)
    assert size.values == (1, None)


@pytest.mark.parametrize(
    ("asked", "code"),
    [
        (["C"], "M778"),
        (["C="], "M778"),
        (["C=2:1"], "M778"),
        (["C=a:b"], "M778"),
        (["C=1:NaN"], "M778"),
        (["D=1:2"], "M779"),
        (["C=1:2", "trainer.C=1:3"], "M779"),
        (["templates=best"], "M710"),
        (["trainer=best"], "M710"),
        (["trainer=CRF", "inner_iterations=1:2"], "M779"),
    ],
)
def test_what_cannot_be_searched(config, asked, code):
    with pytest.raises(ValueError, match=code):
        dimensions(config, asked)


def test_a_trainer_without_usual_settings(config):
    with pytest.raises(ValueError, match=r"M779.*nothing"):
        dimensions({**config, "trainer": {"@mtl_trainers": "spacy_mtl.Perceptron.v1"}}, [])


def test_settings_as_they_are(config):
    assert present(config, dimensions(config, ["C=0.5:2", "p=1,1.5"])) == {"C": 1.0, "p": 1}
    assert present(config, dimensions(config, ["C=2:3"])) is None
    assert present(config, dimensions(config, ["p=1,2"])) is None


def test_changes_leave_the_rest_and_the_original(config):
    before = repr(config)
    settings = {("trainer", "C"): 3.0, ("costs", "*>O"): 2.0, ("model", "templates"): "spacy_mtl.ner.v1"}
    new = changed(config, {**settings, ("model", "templates", "min_count"): 2})
    assert repr(config) == before
    assert (new["trainer"]["C"], new["trainer"]["p"], new["costs"]) == (3.0, 1.5, {"*>O": 2.0})
    assert new["model"]["templates"] == {"@mtl_templates": "spacy_mtl.ner.v1", "min_count": 2}


def test_trainers_to_choose_from_bring_their_settings(config):
    trainer, penalty, p = dimensions(config, ["trainer=MTLStruct,CRF", "penalty=l2,irw", "p=1,2"])
    assert trainer.values == ("spacy_mtl.MTLStruct.v1", "spacy_mtl.CRF.v1")
    assert (penalty.path, p.path) == (("trainer", "penalty"), ("trainer", "p"))
    with pytest.raises(ValueError, match="M779"):
        dimensions(config, ["penalty=l2,irw"])


def test_another_trainer_takes_what_means_the_same_to_it(config):
    own = {**config, "trainer": {**config["trainer"], "C": 0.3}}
    settings = {("trainer",): "spacy_mtl.CRF.v1", ("trainer", "p"): 2, ("trainer", "penalty"): "irw"}
    trainer = changed(own, settings)["trainer"]
    assert (trainer["@mtl_trainers"], trainer["C"], trainer["penalty"]) == ("spacy_mtl.CRF.v1", 0.3, "irw")
    assert "p" not in trainer
    assert changed(own, {("trainer",): "spacy_mtl.L1M3N.v1"})["trainer"]["C"] == 1.0  # is on another scale
    same = changed(own, {("trainer",): "spacy_mtl.MTLStruct.v1", ("trainer", "penalty"): "irw"})["trainer"]
    assert (same["C"], same["p"], "penalty" in same) == (0.3, 1.5, False)


def test_a_wrapped_trainer_comes_back_as_it_was(config):
    wrapped = changed(config, {("trainer",): "spacy_mtl.StructReg.v1", ("trainer", "size"): 3.5})
    assert wrapped["trainer"]["trainer"] == config["trainer"]
    assert changed(wrapped, {("trainer",): "spacy_mtl.MTLStruct.v1"})["trainer"].items() >= config["trainer"].items()


def test_the_first_trial_is_the_config_whatever_settings_other_trainers_have(config):
    space = dimensions(config, ["trainer=CRF,MTLStruct", "penalty=irw,l2", "p=1.5,2"])
    assert present(config, space) == {"trainer": 1, "penalty": 0, "p": 0}
    assert present(config, dimensions(config, ["trainer=CRF,SSVM"])) is None


def test_combinations_are_those_that_differ(config):
    space = dimensions(config, ["trainer=MTLStruct,CRF", "p=1,2", "scheme=biluo,iob2"])
    found = combinations(config, space, 6)
    assert len(found) == 6
    assert [each["scheme"] for each in found if each["trainer"] == 1] == [0, 1]
    assert combinations(config, space, 5) == []
    assert combinations(config, dimensions(config, ["p=1,2", "C=1:2"]), 100) == []


def test_features_are_shared_by_what_has_the_same(config):
    same = [{("trainer", "C"): 3.0}, {("model", "megabytes"): 1.0}]
    assert {shared_key(changed(config, each)) for each in same} == {shared_key(config)}
    others = [
        {("costs", "*>O"): 2.0},
        {("scheme",): "iob2"},
        {("trainer",): "spacy_mtl.CRF.v1"},
        {("model", "templates"): "spacy_mtl.ner.v1"},
    ]
    assert shared_key(config) not in {shared_key(changed(config, each)) for each in others}


def test_settings_of_a_template_set_are_left_out_of_others(config):
    own = changed(config, {("model", "templates"): "spacy_mtl.ner.v1"})
    space = dimensions(own, ["templates=ner,tp1", "noisy=false,true"])
    tp1 = {("model", "templates"): "spacy_mtl.tp1.v1", ("model", "templates", "noisy"): True}
    assert changed(own, tp1)["model"]["templates"] == {"@mtl_templates": "spacy_mtl.tp1.v1", "min_count": 1}
    found = combinations(own, space, 4)
    assert sorted((each["templates"], each["noisy"]) for each in found) == [(0, 0), (0, 1), (1, 0)]


def test_settings_of_a_template_set_that_is_searched_are_known(config):
    other = changed(config, {("model", "templates"): "spacy_mtl.tp1.v1"})
    space = dimensions(other, ["templates=tp1,ner", "noisy=false,true"])
    assert space[1].path == ("model", "templates", "noisy")
    found = combinations(other, space, 4)
    assert sorted((each["templates"], each["noisy"]) for each in found) == [(0, 0), (1, 0), (1, 1)]
    with pytest.raises(ValueError, match="M779"):
        dimensions(other, ["noisy=false,true"])
