"""Habits of training in a notebook; documents that come late, a sample, labels alone and random draws are in ``tests/components/test_joining.py``."""

import random

import pytest
import spacy
from spacy.tokens import Doc
from spacy.training import Example
from spacy.util import minibatch

LABELS = ["LOC", "MISC", "ORG", "PER"]
TEMPLATES = ["U0:%x[0,LOWER]", "U1:%x[-1,LOWER]/%x[0,SHAPE]", "U2:%x[0,SUFFIX2]", "B"]


def entities(doc):
    return [(ent.start, ent.end, ent.label_) for ent in doc.ents]


def epochs(nlp, examples, n=5, size=8, **settings):
    """The loop of spaCy's documentation."""
    losses = {}
    for _ in range(n):
        random.Random(0).shuffle(examples)
        losses = {}
        for batch in minibatch(examples, size=size):
            nlp.update(batch, losses=losses, **settings)
    return losses


@pytest.fixture(scope="module")
def f1(make_nlp, read_corpus, train):
    nlp = make_nlp(TEMPLATES)
    shown = read_corpus(nlp, limit=30)
    return train(nlp, shown, 5).evaluate(shown)["ents_f"]


@pytest.fixture(scope="module")
def learnt(make_nlp, read_corpus, train):
    nlp = make_nlp(TEMPLATES)
    return train(nlp, read_corpus(nlp, limit=30))


def ready(make_nlp, read_corpus, **settings):
    nlp = make_nlp(TEMPLATES, **settings)
    shown = read_corpus(nlp, limit=30)
    nlp.initialize(lambda: shown)
    return nlp, shown


def test_minibatches_with_shuffling_and_without_an_optimizer(make_nlp, read_corpus, f1):
    nlp, shown = ready(make_nlp, read_corpus)
    losses = epochs(nlp, shown, sgd=False, drop=0.3)
    assert losses["mtl_ner"] > 0
    assert nlp.evaluate(shown)["ents_f"] == pytest.approx(f1)


@pytest.mark.filterwarnings("ignore::DeprecationWarning")
def test_examples_made_anew_in_each_epoch(make_nlp, read_corpus):
    nlp = make_nlp(TEMPLATES)
    ner = nlp.get_pipe("mtl_ner")
    texts = [
        (example.reference.text, {"entities": [(e.start_char, e.end_char, e.label_) for e in example.reference.ents]})
        for example in read_corpus(nlp, limit=30)
    ]
    make = lambda: [Example.from_dict(nlp.make_doc(text), gold) for text, gold in texts]  # noqa: E731
    nlp.begin_training(make)
    for _ in range(6):
        for batch in minibatch(iter(make()), size=7):
            nlp.update(batch)
    assert len(ner._learner.documents) == 30
    assert ner.report.passes == 6
    assert nlp.evaluate(make())["ents_f"] > 0.8


@pytest.mark.parametrize("trainer", ["MTLStruct", "Perceptron"])
def test_losses_after_every_batch(make_nlp, read_corpus, trainer):
    nlp, shown = ready(make_nlp, read_corpus, trainer={"@mtl_trainers": f"spacy_mtl.{trainer}.v1"})
    losses, seen = {}, [0.0]
    for _ in range(2):
        for batch in minibatch(shown, size=10):
            nlp.update(batch, losses=losses)
            seen.append(losses["mtl_ner"])
    assert seen == sorted(seen)
    assert len(set(seen)) == (7 if trainer == "MTLStruct" else len(set(seen)))
    assert seen[6] - seen[3] < seen[3]  # the second epoch costs less than the first


def test_stopping_amid_the_first_pass_leaves_a_model_of_what_was_seen(make_nlp, read_corpus, train, tmp_path):
    nlp, shown = ready(make_nlp, read_corpus)
    nlp.update(shown[:16])
    nlp.to_disk(tmp_path)
    alone = make_nlp(TEMPLATES)
    alone.get_pipe("mtl_ner").set_labels(LABELS)
    again = read_corpus(alone, limit=30)[:16]
    train(alone, again, 1)
    saved = spacy.load(tmp_path)
    texts = [example.reference.text for example in shown]
    wanted = [entities(doc) for doc in alone.pipe(texts)]
    assert any(wanted)
    assert [entities(doc) for doc in saved.pipe(texts)] == [entities(doc) for doc in nlp.pipe(texts)] == wanted


def test_saving_an_untrained_component_is_warned_of(make_nlp, read_corpus, tmp_path):
    nlp, shown = ready(make_nlp, read_corpus)
    with pytest.warns(UserWarning, match=r"^\[M459\] 'mtl_ner' is saved untrained"):
        nlp.to_disk(tmp_path)
    with pytest.warns(UserWarning, match="M459"):
        nlp.to_bytes()
    assert entities(spacy.load(tmp_path)(shown[0].text)) == []
    nlp.update(shown[:8])
    nlp.to_disk(tmp_path)  # without a warning, which would be an error here


@pytest.mark.parametrize("component", ["mtl_ner", "mtl_tagger"])
def test_looking_amid_the_first_pass_changes_nothing(component, read_corpus, tmp_path):
    def trained(looks):
        nlp = spacy.blank("es")
        config = {"known_words": 2} if component == "mtl_tagger" else {}
        pipe = nlp.add_pipe(component, config=config)
        shown = read_corpus(nlp, limit=20, given=())
        nlp.initialize(lambda: shown)
        for start in range(0, 20, 4):
            nlp.update(shown[start : start + 4])
            if looks:
                nlp(shown[0].reference.text)
                pipe.to_bytes()
        return pipe.to_bytes(exclude=["vocab"])

    assert trained(True) == trained(False)


def test_stopping_amid_a_later_pass_leaves_the_model_of_the_last(make_nlp, read_corpus):
    nlp, shown = ready(make_nlp, read_corpus)
    nlp.update(shown)
    before = nlp.get_pipe("mtl_ner").to_bytes(exclude=["vocab"])
    nlp.update(shown[:15])
    assert nlp.get_pipe("mtl_ner").to_bytes(exclude=["vocab"]) == before


def interrupted(examples):
    yield from examples[:1]
    raise KeyboardInterrupt


def test_interrupted_initialization_of_a_new_component_is_told_by_the_first_update(make_nlp, read_corpus):
    nlp = make_nlp(TEMPLATES)
    shown = read_corpus(nlp, limit=5)
    with pytest.raises(KeyboardInterrupt):
        nlp.initialize(lambda: interrupted(shown))
    with pytest.raises(ValueError, match=r"^\[M404\] 'mtl_ner' is not trained and has not been initialized"):
        nlp.update(shown)
    assert epochs(initialized(nlp, shown), shown, n=2)["mtl_ner"] > 0


def initialized(nlp, examples):
    nlp.initialize(lambda: examples)
    return nlp


def test_interrupted_initialization_of_a_trained_component_leaves_it_and_its_training(make_nlp, read_corpus):
    nlp, shown = ready(make_nlp, read_corpus)
    losses = epochs(nlp, shown, n=2)
    before = nlp.get_pipe("mtl_ner").to_bytes()
    with pytest.raises(KeyboardInterrupt):
        nlp.initialize(lambda: interrupted(shown))
    assert nlp.get_pipe("mtl_ner").to_bytes() == before
    assert 0 < epochs(nlp, shown, n=1)["mtl_ner"] < losses["mtl_ner"]


def test_initialization_that_is_interrupted_late_has_lost_the_old_model(make_nlp, read_corpus, monkeypatch):
    nlp, shown = ready(make_nlp, read_corpus)
    epochs(nlp, shown, n=1)
    ner = nlp.get_pipe("mtl_ner")

    def stop(*_):
        raise KeyboardInterrupt

    with monkeypatch.context() as patch:
        patch.setattr(type(ner), "collect_labels", stop)
        with pytest.raises(KeyboardInterrupt):
            nlp.initialize(lambda: shown)
    with pytest.raises(ValueError, match="M404"):
        nlp.update(shown)


def test_training_some_components_alone(make_nlp, read_corpus):
    nlp = make_nlp()
    nlp.add_pipe("tagger")
    shown = read_corpus(nlp, limit=10)
    nlp.initialize(lambda: shown)
    with nlp.select_pipes(enable=["mtl_ner"]):
        assert set(nlp.update(shown)) == {"mtl_ner"}
    with nlp.select_pipes(disable=["mtl_ner"]):
        assert set(nlp.update(shown)) == {"tagger"}


# --- what components before this one set ---


def tagged(nlp, read_corpus):
    """Docs whose words end in what tells their tag."""
    docs = []
    for example in read_corpus(nlp, limit=24, given=()):
        reference = example.reference
        for token in reference:
            token.tag_ = "UP" if token.text[0].isupper() else "LOW"
        docs.append(Example(example.predicted, reference))
    return docs


@pytest.mark.parametrize("annotates", [[], ["mtl_tagger"]])
@pytest.mark.parametrize("size", [24, 6])
def test_a_tagger_before_tags_in_training(make_nlp, read_corpus, annotates, size):
    nlp = make_nlp(["U0:%x[0,TAG]", "U1:%x[-1,TAG]/%x[0,TAG]/%x[0,LOWER]", "B"])
    nlp.add_pipe("mtl_tagger", first=True)
    shown = tagged(nlp, read_corpus)
    before = [example.predicted.to_bytes() for example in shown]
    nlp.initialize(lambda: shown)
    for _ in range(8):
        for batch in minibatch(shown, size=size):
            nlp.update(batch, annotates=annotates)
    assert nlp.evaluate(shown)["tag_acc"] > 0.9
    assert nlp.evaluate(shown)["ents_f"] > 0.6
    assert nlp.get_pipe("mtl_ner").report.passes == 8
    assert [example.predicted.to_bytes() for example in shown] == before


def test_a_sentencizer_before_sets_borders_in_training():
    nlp = spacy.blank("en")
    nlp.add_pipe("sentencizer")
    patterns = ["U0:%h[0,LOWER]/%m[0,LOWER]", "U1:%m[0,LOWER]/%d"]
    templates = {"@mtl_templates": "spacy_mtl.patterns.v1", "patterns": patterns}
    nlp.add_pipe("mtl_parser", config={"model": {"templates": templates}, "labelling": "none"})
    words = ["Dogs", "bark", ".", "Cats", "sleep", "."]
    gold = Doc(nlp.vocab, words=words, heads=[1, 1, 1, 4, 4, 4], deps=["nsubj", "ROOT", "punct"] * 2)
    shown = [Example(Doc(nlp.vocab, words=words), gold)]
    nlp.initialize(lambda: shown)
    for _ in range(3):
        nlp.update(shown)
    doc = nlp(Doc(nlp.vocab, words=words))
    assert [token.head.i for token in doc] == [1, 1, 1, 4, 4, 4]
    assert len(list(doc.sents)) == 2


# --- annotation that is there already ---


def test_entities_of_a_ruler_before_stay(learnt):
    nlp = spacy.blank("es")
    nlp.add_pipe("entity_ruler").add_patterns([{"label": "RULE", "pattern": "Osasuna"}])
    nlp.add_pipe("mtl_ner", source=learnt)
    doc = nlp("Osasuna no pierde en El Sadar .")
    assert (0, 1, "RULE") in entities(doc)


def test_blocked_and_outside_tokens_stay_so(learnt):
    doc = learnt.make_doc("Osasuna no pierde en Madrid .")
    doc.set_ents([], blocked=[doc[:1]], outside=[doc[1:-1]], default="missing")
    assert learnt.get_pipe("mtl_ner")(doc).ents == ()
    assert [token.ent_iob_ for token in doc][1:] == ["O"] * (len(doc) - 1)


def test_new_documents_of_another_vocabulary_are_refused(make_nlp, read_corpus):
    nlp, _ = ready(make_nlp, read_corpus)
    with pytest.raises(ValueError, match="M410"):
        nlp.update(read_corpus(make_nlp(TEMPLATES), limit=40)[30:])
