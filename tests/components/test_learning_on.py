"""Learning on: a trained component learns more, new labels included; what it knows already stays where new documents say nothing else."""

from copy import deepcopy
from dataclasses import replace

import numpy as np
import pytest
import spacy
from spacy.tokens import Doc
from spacy.training import Example

from spacy_mtl.models import shrink
from spacy_mtl.models.chain.model import current_weights

TRAINER = {"@mtl_trainers": "spacy_mtl.MTLStruct.v1", "p": 1.3333, "C": 1.0}
PATTERNS = {
    "@mtl_templates": "spacy_mtl.patterns.v1",
    "patterns": ["U0:%x[0,LOWER]", "U1:%x[-1,LOWER]", "U2:%x[1,LOWER]", "U3:%x[0,SHAPE]", "B0"],
}
NER = {"model": {"@architectures": "spacy_mtl.TemplateChain.v1", "templates": PATTERNS}, "trainer": TRAINER}
PEOPLE = ["ana", "luis", "marta", "pedro", "rosa"]
CITIES = ["madrid", "lima", "quito", "bogota", "sevilla"]
FIRMS = ["acme", "initech", "globex", "umbra", "stark"]


def example(nlp, words, ents=()):
    doc = Doc(nlp.vocab, words=words)
    reference = doc.copy()
    reference.ents = [spacy.tokens.Span(reference, a, b, label) for a, b, label in ents]
    return Example(doc, reference)


def people(nlp, names=PEOPLE):
    return [
        example(nlp, ["hoy", name, "come", "en", city], [(1, 2, "PER"), (4, 5, "LOC")])
        for name in names
        for city in CITIES[:3]
    ]


def firms(nlp, names=FIRMS):
    return [example(nlp, ["la", "empresa", name, "crece"], [(2, 3, "ORG")]) for name in names]


def trained(make_examples=people, factory="mtl_ner", config=NER):
    nlp = spacy.blank("es")
    nlp.add_pipe(factory, config=config)
    examples = make_examples(nlp)
    nlp.initialize(lambda: examples)
    for _ in range(8):
        nlp.update(examples)
    return nlp


def loaded(nlp):
    """The pipeline as it is after saving and loading."""
    return spacy.blank("es").from_config(nlp.config).from_bytes(nlp.to_bytes())


def entities(nlp, words):
    doc = nlp(Doc(nlp.vocab, words=words))
    return [(ent.text, ent.label_) for ent in doc.ents]


SENTENCE, FIRM = ["hoy", "rosa", "come", "en", "lima"], ["la", "empresa", "acme", "crece"]


@pytest.fixture(scope="module")
def before():
    return trained().to_bytes()


@pytest.fixture
def nlp(before):
    nlp = spacy.blank("es")
    nlp.add_pipe("mtl_ner", config=NER)
    return nlp.from_bytes(before)


def learn(nlp, examples, passes=6):
    for _ in range(passes):
        nlp.update(examples)


def test_a_loaded_component_learns_a_new_label_and_keeps_the_old_ones(nlp):
    nlp.resume_training()
    learn(nlp, firms(nlp))
    assert nlp.get_pipe("mtl_ner").labels == ("LOC", "PER", "ORG")
    assert entities(nlp, FIRM) == [("acme", "ORG")]
    assert entities(nlp, SENTENCE) == [("rosa", "PER"), ("lima", "LOC")]


def test_a_component_of_another_pipeline_learns_on_as_one_of_the_same_vocabulary(nlp, tmp_path):
    nlp.to_disk(tmp_path)

    def learnt(source):
        other.add_pipe("mtl_ner", name="first", source=source)
        other.resume_training()
        learn(other, firms(other))
        return other.get_pipe("first").to_bytes(exclude=["vocab"])

    other = spacy.blank("es")
    apart = learnt(spacy.load(tmp_path))
    assert other.get_pipe("first").vocab is other.vocab
    assert entities(other, FIRM) == [("acme", "ORG")]
    assert entities(loaded(other), SENTENCE) == [("rosa", "PER"), ("lima", "LOC")]
    other = spacy.blank("es")
    assert learnt(spacy.load(tmp_path, vocab=other.vocab)) == apart


def test_a_batch_of_two_vocabularies_is_refused(nlp):
    with pytest.raises(ValueError, match=r"^\[M410\]"):
        nlp.update([*firms(nlp), *firms(spacy.blank("es"))])


def test_what_has_been_learnt_is_an_ordinary_model(nlp, tmp_path):
    learn(nlp, firms(nlp))
    nlp.to_disk(tmp_path)
    again = spacy.load(tmp_path)
    assert entities(again, FIRM) == entities(nlp, FIRM) == [("acme", "ORG")]
    learn(again, firms(again, ["umbra", "delta"]))  # and learns on
    assert entities(again, FIRM) == [("acme", "ORG")]
    assert entities(again, SENTENCE) == [("rosa", "PER"), ("lima", "LOC")]


def test_the_same_documents_give_the_same_bytes(before):
    def run():
        nlp = spacy.blank("es")
        nlp.add_pipe("mtl_ner", config=NER)
        nlp.from_bytes(before)
        learn(nlp, firms(nlp))
        return nlp.get_pipe("mtl_ner").to_bytes(exclude=["vocab"])

    assert run() == run()


def test_what_the_model_gets_right_with_a_margin_changes_nothing(nlp):
    ner = nlp.get_pipe("mtl_ner")
    ner.learn_on(prior_weight=100.0)  # margins of 100 times those of before
    nlp.update(people(nlp)[:2])
    assert ner.report.primal == 0
    assert ner.report.live_templates >= 0
    assert entities(nlp, SENTENCE) == [("rosa", "PER"), ("lima", "LOC")]


def test_new_labels_change_no_prediction_before_they_are_learnt(nlp):
    ner = nlp.get_pipe("mtl_ner")
    texts = [["hoy", name, "come", "en", city] for name in [*PEOPLE, "zoe"] for city in [*CITIES, "paris"]]
    found = [entities(nlp, words) for words in texts]
    assert ner.add_label("ORG") == 1
    assert ner.add_label("ORG") == 0
    assert [entities(nlp, words) for words in texts] == found
    assert loaded(nlp).get_pipe("mtl_ner").labels == ("LOC", "PER", "ORG")


def between_known_labels(pipe) -> dict[int, np.ndarray]:
    """The differences of all rows between LOC and PER labels."""
    weights = current_weights(pipe.model)
    rows, names = weights.node_rows(), weights.labels
    pairs = [(names.index(label), names.index(label.replace("LOC", "PER"))) for label in names if "LOC" in label]
    found = {int(key): row for key, row in zip(weights.keys, rows, strict=True)}
    return {key: np.array([row[a] - row[b] for a, b in pairs]) for key, row in found.items()}


@pytest.mark.parametrize("told", ["", "told", "saved", "copied"])
@pytest.mark.parametrize("credible", [False, True])
def test_a_new_label_from_few_sentences_hardly_changes_how_known_ones_differ(nlp, monkeypatch, credible, told):
    """As far as the new sentences are believed; here not at all, or in full. told: of the new label before training, saved or copied since then."""
    ner = nlp.get_pipe("mtl_ner")
    before = between_known_labels(ner)
    monkeypatch.setattr(shrink, "LEAST", float(credible))
    monkeypatch.setattr(shrink, "SENTENCES", 10**9)
    if told:
        ner.add_label("ORG")
    if told == "saved":
        nlp = loaded(nlp)
    elif told == "copied":
        nlp = deepcopy(nlp)
    ner = nlp.get_pipe("mtl_ner")
    wrong = [example(nlp, ["hoy", "come", "en", city], [(3, 4, "PER")]) for city in CITIES[:3]]
    learn(nlp, [*firms(nlp), *wrong])
    after = between_known_labels(ner)
    change = max(abs(after[key] - before[key]).max() for key in before)
    assert (change > 0.1) == credible
    assert entities(nlp, FIRM)[:1] == [("acme", "ORG")]
    assert "unlearnt" not in ner.cfg


def test_without_new_labels_nothing_is_shrunk(nlp, monkeypatch):
    monkeypatch.setattr(shrink, "LEAST", 0.0)
    monkeypatch.setattr(shrink, "SENTENCES", 10**9)
    wrong = [example(nlp, ["hoy", "come", "en", city], [(3, 4, "PER")]) for city in CITIES[:3]]
    before = between_known_labels(nlp.get_pipe("mtl_ner"))
    learn(nlp, wrong)
    after = between_known_labels(nlp.get_pipe("mtl_ner"))
    assert max(abs(after[key] - before[key]).max() for key in before) > 0.1


def test_labels_that_come_later_begin_the_training_again(nlp):
    learn(nlp, people(nlp)[:3], 2)
    learn(nlp, [*people(nlp)[:3], *firms(nlp)])
    assert entities(nlp, FIRM) == [("acme", "ORG")]
    with pytest.raises(ValueError, match="M408"):
        nlp.get_pipe("mtl_ner").add_label("EVENT")


def test_rehearsal_keeps_what_the_model_predicted(nlp):
    """Documents that call cities people, at any price: rehearsed ones stay as they were."""
    wrong = [example(nlp, ["hoy", "come", "en", city], [(3, 4, "PER")]) for city in CITIES[:3]]
    kept = [example(nlp, ["hoy", name, "come", "en", "lima"]) for name in PEOPLE]
    nlp.resume_training()
    for _ in range(8):
        nlp.rehearse(kept)
        nlp.update(wrong)
    assert entities(nlp, SENTENCE) == [("rosa", "PER"), ("lima", "LOC")]
    assert all(not each.reference.ents for each in kept)


def test_copies_in_a_batch_are_documents_of_one_pass(nlp):
    """A round of new documents and rehearsed ones is a pass, although some are the same, word for word."""
    new, kept = firms(nlp) * 2, people(nlp) * 3
    nlp.resume_training()
    nlp.update(new)
    nlp.rehearse(kept)
    ner = nlp.get_pipe("mtl_ner")
    assert ner.report.passes == 2  # the first batch is the corpus until others join
    for rounds in range(1, 4):
        nlp.update(new)
        nlp.rehearse(kept)
        assert ner.report.passes == 2 + rounds
    assert len(ner._gathered.pieces) == len(new) + len(kept)


def test_a_weight_of_the_prior_says_how_much_the_old_model_counts(nlp):
    ner = nlp.get_pipe("mtl_ner")
    before = current_weights(ner.model)
    ner.trainer = replace(ner.trainer, C=1e-6)  # so that there is next to nothing new
    ner.learn_on(prior_weight=0.5)
    nlp.update(people(nlp))
    now = current_weights(ner.model)
    at = np.searchsorted(now.keys, before.keys)
    np.testing.assert_array_equal(now.keys[at], before.keys)
    np.testing.assert_allclose(now.node_rows()[at], 0.5 * before.node_rows(), atol=1e-3)
    np.testing.assert_allclose(now.step, 0.5 * before.step, atol=1e-3)


def test_initialize_takes_a_prior_from_a_folder(nlp, tmp_path):
    nlp.to_disk(tmp_path)
    new = spacy.blank("es")
    ner = new.add_pipe("mtl_ner", config={**NER, "trainer": {**TRAINER, "C": 0.5}})
    examples = firms(new)
    ner.initialize(lambda: examples, nlp=new, prior=tmp_path)
    learn(new, examples)
    assert entities(new, FIRM) == [("acme", "ORG")]
    assert entities(new, SENTENCE) == [("rosa", "PER"), ("lima", "LOC")]


@pytest.mark.parametrize(
    ("config", "settings", "code"),
    [
        ({"scheme": "iob2"}, {}, "M470"),
        ({"model": {**NER["model"], "templates": {**PATTERNS, "patterns": ["U0:%x[0,LOWER]", "B0"]}}}, {}, "M471"),
        ({}, {"labels": ["LOC"]}, "M472"),
        ({}, {"prior_weight": 0}, "M473"),
        ({}, {"prior_weight": "much"}, "M473"),
    ],
)
@pytest.mark.filterwarnings("ignore:.*M459")
def test_a_prior_that_does_not_fit_is_refused(nlp, tmp_path, config, settings, code):
    nlp.to_disk(tmp_path)
    new = spacy.blank("es")
    ner = new.add_pipe("mtl_ner", config={**NER, **config})
    before = ner.to_bytes(exclude=["vocab"])
    with pytest.raises(ValueError, match=code):
        ner.initialize(lambda: firms(new), nlp=new, prior=tmp_path, **settings)
    assert ner.to_bytes(exclude=["vocab"]) == before


def test_examples_that_do_not_fit_leave_a_component_without_the_prior(nlp, tmp_path):
    nlp.to_disk(tmp_path)
    new = spacy.blank("es")
    ner = new.add_pipe("mtl_ner", config=NER)
    for examples, code in (([], "M402"), (firms(spacy.blank("es")), "M410")):
        with pytest.raises(ValueError, match=code):
            ner.initialize(lambda examples=examples: examples, nlp=new, prior=tmp_path)
        assert (ner.labels, ner._gathered, current_weights(ner.model).is_trained) == ((), None, False)


@pytest.mark.parametrize("setting", ["bias", "threshold"])
@pytest.mark.parametrize(("given", "wanted"), [(0.0, 0.5), (0.75, 0.75)])
def test_a_bias_or_threshold_of_the_config_counts_more_than_that_of_the_prior(nlp, tmp_path, setting, given, wanted):
    setattr(nlp.get_pipe("mtl_ner"), setting, 0.5)
    nlp.to_disk(tmp_path)
    new = spacy.blank("es")
    ner = new.add_pipe("mtl_ner", config={**NER, setting: given})
    ner.initialize(lambda: firms(new), nlp=new, prior=tmp_path)
    assert getattr(ner, setting) == wanted


@pytest.mark.parametrize("prior", ["nowhere", "."])
def test_a_prior_that_is_no_model_is_named_as_it_was_given(prior, tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    nlp = spacy.blank("es")
    ner = nlp.add_pipe("mtl_ner", config=NER)
    with pytest.raises(ValueError, match=rf"^\[M757\] The setting 'prior' of 'mtl_ner' is '{prior}', where"):
        ner.initialize(lambda: firms(nlp), nlp=nlp, prior=prior)


def test_a_pipeline_without_the_component_is_no_prior(nlp, tmp_path):
    """What it has is named, since one of another name may do; the folder of that one is taken."""
    nlp.to_disk(tmp_path)
    new = spacy.blank("es")
    ner = new.add_pipe("mtl_ner", name="names", config=NER)
    with pytest.raises(ValueError, match=r"^\[M487\] 'names' cannot go on from .*, a pipeline .* It has: mtl_ner\. "):
        ner.initialize(lambda: firms(new), nlp=new, prior=tmp_path)
    ner.initialize(lambda: firms(new), nlp=new, prior=tmp_path / "mtl_ner")
    assert "PER" in ner.labels


def test_nothing_to_go_on_from_is_refused():
    nlp = spacy.blank("es")
    ner = nlp.add_pipe("mtl_ner", config=NER)
    with pytest.raises(ValueError, match="M404"):
        nlp.update(firms(nlp))
    with pytest.raises(ValueError, match="M404"):
        ner.learn_on()
    examples = firms(nlp)
    nlp.initialize(lambda: examples)
    with pytest.raises(ValueError, match="M474"):
        nlp.rehearse(examples)


def test_settings_that_a_loaded_model_was_not_trained_with_are_told(nlp, tmp_path):
    nlp.to_disk(tmp_path)
    with pytest.warns(UserWarning, match=r"^\[M758\] The config gives 'mtl_ner' scheme = 'iob2', but its model"):
        again = spacy.load(tmp_path, config={"components": {"mtl_ner": {"scheme": "iob2"}}})
    assert entities(again, SENTENCE) == entities(nlp, SENTENCE) == [("rosa", "PER"), ("lima", "LOC")]


def test_settings_that_may_change_after_training_are_not_told(nlp, tmp_path):
    nlp.to_disk(tmp_path)
    spacy.load(tmp_path, config={"components": {"mtl_ner": {"threads": 2, "trainer": {**TRAINER, "C": 7.0}}}})
