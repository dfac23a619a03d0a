"""thinc's own entrance to a model (``from_bytes``) checks as much as a component's file."""

import pytest
import spacy
import srsly

from .rewriting import SAVED, Parts

pytestmark = pytest.mark.filterwarnings("ignore:.*W095")
PARTS = {
    "entities": "constraints",
    "tags": "constraints",
    "words": "constraints",
    "crossing-trees": "rules",
    "constituents": "rules",
}


@pytest.fixture(scope="module")
def models():
    return {name: spacy.load(SAVED / name, exclude=["tokenizer"]).pipeline[0][1].model for name in PARTS}


def of_weights(function):
    """Change the model file inside the bytes."""

    def change(message):
        parts = Parts(message["attrs"][0]["weights"])
        function(parts.header["settings"])
        message["attrs"][0]["weights"] = parts.to_bytes()

    return change


def masks(**changes):
    return of_weights(lambda settings: settings["constraints"].update(changes))


def rules(**changes):
    return of_weights(lambda settings: settings["rules"].update(changes))


def attributes(**changes):
    return lambda message: message["attrs"][0].update(changes)


def packed(value):
    return srsly.msgpack_dumps(value)


def cut(settings):
    settings["constraints"]["step"][3].pop()


EVERY = [
    (lambda message: message.update(attrs=[]), "a single model"),
    (lambda message: message.update(attrs=message["attrs"] * 2), "a single model"),
    (lambda message: message.update(attrs=[7]), "the attributes is 7, not an object"),
    (lambda message: message.pop("attrs"), "a single model"),
    (lambda message: message["attrs"][0].pop("weights"), "it has no weights"),
    (attributes(learned=packed([])), "learned is a list"),
    (attributes(learned=packed({"OTHER": {}})), "learned has an unknown entry 'OTHER'"),
    (attributes(learned=packed({"USUAL_TAG": {"a": 1}})), "has an item of type int"),
    (attributes(learned=packed({"USUAL_TAG": {1: "a"}})), "has an item of type int"),
    (attributes(learned=b"\xc1"), "learned cannot be unpacked"),
    (attributes(learned=3), "learned cannot be unpacked"),
    (attributes(megabytes=packed("x")), "megabytes is 'x'"),
    (of_weights(lambda settings: settings.clear()), "the settings lacks the entry"),
    (of_weights(lambda settings: settings.update(more=1)), "the settings has an unknown entry 'more'"),
]
CHAINS = [
    (of_weights(lambda settings: settings.update(constraints=None)), "it has weights without constraints"),
    (masks(start=[True]), "start has 1 items"),
    (masks(end=[]), "end has 0 items"),
    (masks(step=[[True]]), "step has 1 items"),
    (of_weights(cut), "an item of step has"),
    (masks(start=None), "start of the constraints is null"),
    (masks(forms=[5, 5]), "forms is not in ascending order"),
    (masks(forms=[-1]), "an item of forms of the constraints is -1"),
    (masks(forms=[1 << 64]), "an item of forms of the constraints"),
    (masks(forms=[0.5]), "forms of the constraints has an item of type float"),
    (masks(forms=[1], form_labels=[]), "form_labels has 0 items"),
    (masks(forms=[1], form_labels=[[True]]), "an item of form_labels has 1 items"),
    (masks(form_penalty=1e30), "form_penalty of the constraints is 1e\\+30"),
    (masks(form_penalty=None), "form_penalty of the constraints is null"),
    (masks(more=1), "the constraints has an unknown entry 'more'"),
]
TREES = [
    (of_weights(lambda settings: settings.update(rules=None)), "it has weights without rules"),
    (rules(margin="x"), "margin of rules of the settings is 'x'"),
    (rules(margin=None), "no attribute or no margin"),
    (rules(labelling="joint"), "templates look at dependents"),
    (rules(projective=1), "projective of rules of the settings is 1"),
]
GRAMMARS = [
    (of_weights(lambda settings: settings.update(rules=None)), "it has weights without rules"),
    (rules(margin="x"), "margin of rules of the settings is 'x'"),
    (rules(margin=101), "margin of rules of the settings is 101"),
    (rules(tags=[]), "word_scores has .* lines, not one for each of 0 tags"),
    (rules(tags=["a", "a"]), "tags of rules of the settings has the same item twice"),
    (rules(more=1), "rules of the settings has an unknown entry 'more'"),
]
CASES = [(name, *case) for name in PARTS for case in EVERY]
CASES += [("constituents", *case) for case in GRAMMARS]
CASES += [(name, *case) for name, kind in PARTS.items() if kind == "constraints" for case in CHAINS]
CASES += [("crossing-trees", *case) for case in TREES]
CASES += [("tags", attributes(learned=packed({})), "its templates read USUAL_TAG, for which it has no table")]


@pytest.mark.parametrize(("name", "change", "fault"), CASES, ids=[f"{name}-{fault[:50]}" for name, _, fault in CASES])
def test_bytes_are_refused_and_nothing_changes(models, name, change, fault):
    model = models[name]
    before = model.to_bytes()
    message = srsly.msgpack_loads(before)
    change(message)
    with pytest.raises(
        ValueError, match=rf"^\[M610\] The serialized model '\w+' is not a valid model: [^\n{{]*({fault})"
    ):
        model.from_bytes(packed(message))
    assert model.to_bytes() == before


@pytest.mark.parametrize("name", PARTS)
def test_bytes_of_another_structure_are_refused(models, name):
    other = "entities" if name == "crossing-trees" else "crossing-trees"
    with pytest.raises(ValueError, match=r"^\[M610\] .*it has the weights of another structure"):
        models[name].from_bytes(models[other].to_bytes())


@pytest.mark.parametrize("data", [b"", b"\xc1", b"\x80", packed([]), packed(7), packed({"nodes": []}), b"\x81" * 10**5])
def test_bytes_of_something_else_are_refused(models, data):
    with pytest.raises(ValueError, match=r"^\[M6(01|10)\] The serialized model"):
        models["entities"].from_bytes(data)


@pytest.mark.parametrize("name", PARTS)
def test_copies_check_too_and_bytes_come_back(models, name, tmp_path):
    model = models[name]
    copied = model.copy()
    assert copied.from_bytes(model.to_bytes()).to_bytes() == model.to_bytes()
    model.to_disk(tmp_path / "model")
    assert copied.from_disk(tmp_path / "model").to_bytes() == model.to_bytes()
    with pytest.raises(ValueError, match=r"^\[M601\]"):
        copied.from_bytes(b"")
    with pytest.raises(ValueError, match=r"^\[M605\]"):
        copied.from_disk(tmp_path / "nothing")
