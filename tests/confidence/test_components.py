"""Every component: confidence on documents, calibration, saving, and what is refused."""

import math

import numpy as np
import pytest
import spacy
from spacy.tokens import Doc, Span

from spacy_mtl.components.confidence import pipe as confident
from spacy_mtl.components.protocol.saved import CALIBRATIONS
from spacy_mtl.confidence.calibration import calibration_error, fit_temperature
from spacy_mtl.confidence.maps import Maps
from spacy_mtl.corpora.bracketed import BracketedCorpus

from ..components import parsing, segmenting
from ..components.bracketing import TREES
from ..explaining.test_sums import CASES, PERCEPTRON, examples_of
from ..pipelines import make_nlp, patterns

NAMES = [
    "ner-iob2", "tagger", "senter", "lemmatizer", "morphologizer", "segmenter", "parser", "parser-joint", "parser-grandparents",
    "constituents",
]  # fmt: skip
#: Some components make no mistake here.
pytestmark = pytest.mark.filterwarnings(r"ignore:\[M488\]")
CRF = {"@mtl_trainers": "spacy_mtl.CRF.v1", "algorithm": "sgd"}


def untrained(name, trainer=PERCEPTRON, **more):
    component, texts, settings = CASES[name]
    nlp = spacy.blank("zh" if component == "mtl_segmenter" else "en")
    plain = ["U0:%x[0,LOWER]", "U1:%x[-1,LOWER]/%x[0,SUFFIX2]", "U2:%x[1,SHAPE]", "B", "B1:%x[0,SHAPE]"]
    texts = texts or {"mtl_segmenter": segmenting.PATTERNS}.get(component, plain)
    nlp.add_pipe(component, config={"model": {"templates": patterns(texts)}, "trainer": trainer, **settings, **more})
    return nlp


def held_out(component, nlp) -> list:
    """Documents that training has not seen."""
    if component == "mtl_parser":
        return parsing.examples(nlp, parsing.treebank(24, seed=3, crossing=0.2), group=2)
    if component == "mtl_constituents":
        return list(BracketedCorpus(TREES / "dev.mrg", group=2, limit=12)(nlp))
    return []


@pytest.fixture(scope="module", params=NAMES)
def calibrated(request, train, read_corpus):
    """A component and its documents; without a calibration, and with one."""
    nlp = untrained(request.param)
    component = CASES[request.param][0]
    shown = examples_of(component, nlp, read_corpus)
    train(nlp, shown, passes=2)
    data = nlp.to_bytes()
    loaded = untrained(request.param).from_bytes(data)
    docs = [example.predicted.copy() for example in shown]
    found = nlp.get_pipe(component).calibrate([*shown, *held_out(component, nlp)])
    return request.param, component, nlp, loaded, docs, found


def annotated(docs) -> list:
    return [doc.to_json(underscore=[]) for doc in docs]


def test_temperatures_and_kinds(calibrated):
    name, component, nlp, _, _, found = calibrated
    assert set(found) == {
        "mtl_ner": {"entity"}, "mtl_tagger": {"tag"}, "mtl_senter": {"sentence"}, "mtl_lemmatizer": {"lemma"},
        "mtl_morphologizer": {"analysis"}, "mtl_segmenter": {"word"}, "mtl_constituents": {"constituent"},
        "mtl_parser": {"arc"} if "joint" in name else {"arc", "label"},
    }[component]  # fmt: skip
    assert all(1e-3 <= each.temperature <= 1e3 for each in found.values())
    assert nlp.get_pipe(component).temperature == next(iter(found.values())).temperature


def test_confidence_changes_no_prediction_and_is_kept(calibrated):
    """Documents with confidence have the same annotation as without, and keep the numbers in bytes, as do those from other processes."""
    _, component, nlp, _, docs, _ = calibrated
    pipe = nlp.get_pipe(component)
    plain = list(nlp.pipe([doc.copy() for doc in docs]))
    assert not any(doc._.mtl_confidence for doc in plain)
    pipe.confidence = True
    try:
        sure = list(nlp.pipe([doc.copy() for doc in docs], batch_size=7))
        others = list(nlp.pipe([doc.copy() for doc in docs[:4]], n_process=2, batch_size=2))
        probabilities = [pipe.probabilities(doc) for doc in docs]
    finally:
        pipe.confidence = False
    for without, doc, told in zip(plain, sure, probabilities, strict=True):
        assert [t.text for t in doc] == [t.text for t in without]
        for attr in ("tag_", "lemma_", "pos_", "ent_type_", "ent_iob_", "dep_", "is_sent_start"):
            assert [getattr(t, attr) for t in doc] == [getattr(t, attr) for t in without], attr
        assert [t.head.i for t in doc] == [t.head.i for t in without]
        assert doc._.mtl_log_probability[component] == pytest.approx(told.log_probability, abs=1e-4, nan_ok=True)
        again = Doc(nlp.vocab).from_bytes(doc.to_bytes())
        for each in (doc, again):
            if component != "mtl_constituents":
                values = each._.mtl_confidence[component]
                assert values.shape == (len(doc),)
                assert ((values >= 0) & (values <= 1.0001)).all()
                assert each[-1]._.mtl_confidence[component] == values[-1]
            if component in ("mtl_ner", "mtl_constituents"):
                spans = each.spans[pipe.spans_key if component == "mtl_constituents" else component]
                assert len(spans) == len(spans.attrs["scores"]) == len(told.spans)
                assert spans.attrs["scores"] == pytest.approx([span.probability for span in told.spans], abs=1e-4)
                assert [(s.start, s.end, s.label_) for s in spans] == [span[:3] for span in told.spans]
        assert ("mtl_parser.label" in doc._.mtl_confidence) == (component == "mtl_parser")
    for doc, other in zip(sure, others, strict=False):
        assert other._.mtl_log_probability == pytest.approx(doc._.mtl_log_probability, nan_ok=True, abs=1e-4)


def test_what_the_component_itself_has_found_is_not_certain(calibrated):
    """A document that has been through the pipeline is told the same as before; what it had from elsewhere stays certain."""
    _, component, nlp, _, docs, _ = calibrated
    pipe = nlp.get_pipe(component)
    if component != "mtl_segmenter":  # which makes other words
        for doc in docs[:8]:
            before, after = pipe.probabilities(doc), pipe.probabilities(pipe(doc.copy()))
            assert after.tokens == pytest.approx(before.tokens, abs=1e-6, nan_ok=True)
            assert after.log_probability == pytest.approx(before.log_probability, abs=1e-6, nan_ok=True)
            ways = [[each.log_probability for each in pipe.kbest(of, 2)[0]] for of in (doc, pipe(doc.copy()))]
            assert ways[0] == pytest.approx(ways[1], nan_ok=True)
    if component == "mtl_ner":
        doc = docs[0].copy()
        label = pipe.labels[-1]
        doc.set_ents([Span(doc, 0, 1, label)], default="missing")
        told = pipe.probabilities(doc).spans
        assert (0, 1, label, pytest.approx(1.0)) in [tuple(span) for span in told]


def test_calibrations_are_saved(calibrated, tmp_path):
    _, component, nlp, _, docs, found = calibrated
    nlp.to_disk(tmp_path)
    loaded = spacy.load(tmp_path).get_pipe(component)
    for kind, each in loaded.calibrations.items():
        assert each.to_dict() == found[kind].to_dict()
    told, again = (pipe.probabilities(docs[0]) for pipe in (nlp.get_pipe(component), loaded))
    assert told.tokens == pytest.approx(again.tokens, abs=1e-5)
    assert CALIBRATIONS in loaded.cfg
    assert set(found) <= set(loaded.decided)


def test_without_calibration_there_is_one_sentence(calibrated):
    _, component, _, loaded, docs, _ = calibrated
    pipe = loaded.get_pipe(component)
    doc = Doc(loaded.vocab).from_bytes(docs[0].to_bytes())
    for call in (pipe.probabilities, pipe.kbest):
        with pytest.raises(ValueError, match="M477"):
            call(doc)
    pipe.confidence = True
    with pytest.raises(ValueError, match="M477"):
        loaded(doc.copy())
    pipe.confidence = False
    loaded(doc.copy())


@pytest.mark.parametrize("name", ["ner-iob2", "tagger", "parser", "constituents", "morphologizer", "segmenter"])
def test_held_out_documents_without_a_mistake_make_no_decision_certain(name, train, read_corpus):
    """About half a decision is expected to be wrong, and a warning says that this is a guess."""
    nlp = untrained(name)
    component = CASES[name][0]
    pipe = train(nlp, examples_of(component, nlp, read_corpus), passes=2).get_pipe(component)
    docs = [example.predicted for example in examples_of(component, nlp, read_corpus)]
    right = [spacy.training.Example(doc, next(nlp.pipe([doc.copy()]))) for doc in docs]
    with pytest.warns(UserWarning, match=rf"\[M488\].*'{component}'.*\({pipe.decided[0]}: \d+\)"):
        found = pipe.calibrate(right)
    assert found
    considered, gold = pipe._held_out(right)
    for kind, each in found.items():
        outcomes = considered.outcomes(kind, gold, each.temperature)
        assert outcomes.correct.all()
        sure = considered.outcomes(kind, gold, 1e-3).probabilities
        assert (
            0.15 < np.nansum(1 - outcomes.probabilities[~(sure <= 0.5)]) < 0.51
        )  # the others score the same as another
        assert each.maps == Maps()


def test_mistakes_where_no_gold_can_be_made_are_expected_as_often_as_seen(train, read_corpus, monkeypatch):
    """The rules of known words do not make these lemmas, so no loss knows of them; a warning says that the temperature is a guess."""
    nlp = untrained("lemmatizer")
    pipe = train(nlp, examples_of("mtl_lemmatizer", nlp, read_corpus), passes=2).get_pipe("mtl_lemmatizer")
    docs = [example.predicted for example in examples_of("mtl_lemmatizer", nlp, read_corpus)]
    told = [spacy.training.Example(doc, next(nlp.pipe([doc.copy()]))) for doc in docs if len(doc)]

    def outcomes(examples, temperature):
        considered, gold = pipe._held_out(examples)
        return considered.outcomes("lemma", gold, temperature)

    told = [example for example in told if outcomes([example], 1.0).correct.all()]  # two rules may make the same lemma
    words = {token.text: token for example in told for token in example.reference}
    for text in ("heeft", "vogels", "appels"):
        words[text].lemma_ = text
    monkeypatch.setattr(confident, "fit_maps", lambda outcomes: Maps(None, np.zeros(1), np.ones(1)))
    with pytest.warns(UserWarning, match=r"\[M488\].*: 3 of its decisions .*\(lemma: \d+\)"):
        found = pipe.calibrate(told)["lemma"]
    assert (
        3 < np.nansum(1 - outcomes(told, found.temperature).probabilities) < 3.7
    )  # with some that score the same as others
    assert found.maps == Maps()  # though there would be one


@pytest.mark.filterwarnings("error:.*M488")
def test_mistakes_that_the_loss_knows_of_are_no_guess(train, read_corpus):
    nlp = untrained("tagger")
    pipe = train(nlp, read_corpus(nlp, limit=30, given=[]), passes=1).get_pipe("mtl_tagger")
    shown = read_corpus(nlp, given=[])
    found = pipe.calibrate(shown)["tag"]
    considered, gold = pipe._held_out(shown)
    assert not considered.outcomes("tag", gold, 1.0).correct.all()
    assert found.temperature == fit_temperature(lambda t: float(np.nansum(considered.losses("tag", gold, t))))


def test_training_ends_a_calibration(train, read_corpus):
    nlp = untrained("tagger")
    shown = read_corpus(nlp, limit=30, given=[])
    pipe = train(nlp, shown, passes=1).get_pipe("mtl_tagger")
    pipe.calibrate(shown)
    assert pipe.temperature is not None
    nlp.update(shown)
    assert pipe.temperature is None
    pipe.confidence = True
    with pytest.warns(UserWarning, match="M458"):
        doc = nlp(shown[0].predicted.copy())
    assert not doc._.mtl_confidence
    nlp(shown[0].predicted.copy())  # it warns once
    pipe.calibrate(shown)
    assert nlp(shown[0].predicted.copy())._.mtl_confidence
    nlp.initialize(lambda: shown)
    assert pipe.temperature is None


def test_random_fields_need_no_calibration(train, read_corpus):
    nlp = untrained("tagger", CRF, confidence=True)
    shown = read_corpus(nlp, limit=30, given=[])
    pipe = train(nlp, shown, passes=2).get_pipe("mtl_tagger")
    assert (pipe.temperature, pipe.calibrations) == (1.0, {})
    doc = nlp(shown[0].predicted.copy())
    assert len(doc._.mtl_confidence["mtl_tagger"]) == len(doc)
    wrapped = untrained("tagger", {"@mtl_trainers": "spacy_mtl.StructReg.v1", "trainer": CRF}).get_pipe("mtl_tagger")
    assert wrapped.temperature == 1.0


def test_what_cannot_be_calibrated(train, read_corpus):
    nlp = untrained("tagger")
    shown, pipe = read_corpus(nlp, limit=30, given=[]), nlp.get_pipe("mtl_tagger")
    with pytest.raises(ValueError, match="M479"):
        pipe.calibrate(shown)
    with pytest.raises(ValueError, match="M479"):
        pipe.probabilities(shown[0].predicted)
    train(nlp, shown, passes=1)
    with pytest.raises(ValueError, match="M478"):
        pipe.calibrate([])
    bare = [spacy.training.Example(each.predicted, each.predicted.copy()) for each in shown[:3]]
    with pytest.raises(ValueError, match="M478"):
        pipe.calibrate(bare)
    with pytest.raises(TypeError):
        pipe.calibrate(["text"])
    assert pipe.temperature is None
    pipe.calibrate(shown)
    for k in (0, -1, 1.5, "2", True, 10**9):
        with pytest.raises(ValueError, match="M419"):
            pipe.kbest(shown[0].predicted, k)
    with pytest.raises(ValueError, match="M419"):
        pipe.confidence = 1
    empty = Doc(nlp.vocab)
    assert pipe.kbest(empty) == []
    assert (pipe.probabilities(empty).log_probability, len(pipe.probabilities(empty).tokens)) == (0.0, 0)


@pytest.mark.parametrize("batch_size", [1, 7])
def test_a_document_without_words_is_told_the_same_in_every_batch(calibrated, batch_size):
    """It is certain to have nothing, beside others and alone."""
    _, component, nlp, _, docs, _ = calibrated
    pipe = nlp.get_pipe(component)
    pipe.confidence = True
    try:
        found = list(nlp.pipe([docs[0].copy(), Doc(nlp.vocab), nlp.make_doc("")], batch_size=batch_size))
        found = [*found[1:], nlp(""), pipe(Doc(nlp.vocab))]
    finally:
        pipe.confidence = False
    key = {"mtl_ner": component, "mtl_constituents": getattr(pipe, "spans_key", "")}.get(component)
    for doc in found:
        assert doc._.mtl_log_probability == {component: 0.0}
        assert not any(map(len, doc._.mtl_confidence.values()))
        assert {name: len(spans) for name, spans in doc.spans.items()} == ({key: 0} if key else {})
        if key:
            assert len(doc.spans[key].attrs["scores"]) == 0


def test_documents_without_words_and_of_another_vocabulary(train, read_corpus):
    nlp = untrained("tagger", CRF, confidence=True)
    train(nlp, read_corpus(nlp, limit=20, given=[]), passes=1)
    other = spacy.blank("en")
    docs = [nlp.make_doc("a b"), Doc(nlp.vocab), other.make_doc("a b c")]
    found = nlp.get_pipe("mtl_tagger").pipe(docs)
    assert [len(doc._.mtl_confidence.get("mtl_tagger", ())) for doc in found] == [2, 0, 3]


@pytest.fixture(scope="module")
def recognizer(train, read_corpus):
    nlp = make_nlp(trainer=PERCEPTRON)
    train(nlp, read_corpus(nlp, limit=100), passes=3)
    nlp.get_pipe("mtl_ner").calibrate(read_corpus(nlp, "dev", limit=0))
    return nlp


def test_a_threshold_leaves_out_entities_that_are_less_probable(recognizer, read_corpus):
    ner, docs = recognizer.get_pipe("mtl_ner"), [each.predicted for each in read_corpus(recognizer, "test", limit=0)]
    everything = [list(ner(doc.copy()).ents) for doc in docs]
    told = [ner.probabilities(doc) for doc in docs]
    sure = sorted(span.probability for each in told for span in each.spans)
    ner.threshold = sure[len(sure) // 2]
    try:
        kept = [ner(doc.copy()) for doc in docs]
        for doc, all_of, each in zip(kept, everything, told, strict=True):
            wanted = [span[:3] for span in each.spans if span.probability >= ner.threshold]
            assert [(ent.start, ent.end, ent.label_) for ent in doc.ents] == wanted
            assert len(all_of) == len(each.spans)
            assert not doc.spans  # confidence is off
    finally:
        ner.threshold = 0.0
    assert 0 < sum(len(doc.ents) for doc in kept) < len(sure)
    for value in (-0.1, 1.1, "high", float("nan"), True):
        with pytest.raises(ValueError, match="M419"):
            ner.threshold = value


def test_entities_that_are_held_are_sure(recognizer, read_corpus):
    ner = recognizer.get_pipe("mtl_ner")
    doc = read_corpus(recognizer, "test", limit=5)[0].predicted.copy()
    doc.set_ents([spacy.tokens.Span(doc, 2, 4, ner.labels[0])], default="missing")
    (span,) = (span for span in ner.probabilities(doc).spans if span.start == 2)
    assert (span.end, span.label, span.probability) == (4, ner.labels[0], pytest.approx(1.0))


def test_a_bias_finds_more_but_does_not_change_probabilities(recognizer, read_corpus):
    ner, docs = recognizer.get_pipe("mtl_ner"), [each.predicted for each in read_corpus(recognizer, "test", limit=20)]
    before = [ner.probabilities(doc) for doc in docs]
    ner.bias = 8.0
    try:
        after = [ner.probabilities(doc) for doc in docs]
    finally:
        ner.bias = 0.0
    assert sum(len(each.spans) for each in after) > sum(len(each.spans) for each in before)
    for one, two in zip(before, after, strict=True):
        assert one.marginals == pytest.approx(two.marginals, abs=1e-4)
        common = {span[:3]: span.probability for span in one.spans}
        assert all(
            common.get(span[:3], span.probability) == pytest.approx(span.probability, abs=1e-4) for span in two.spans
        )


def test_calibration_makes_probabilities_better(recognizer, read_corpus):
    """Scores of a perceptron are no log probabilities: as they are, entities are said to be surer than they are."""
    ner, examples = recognizer.get_pipe("mtl_ner"), read_corpus(recognizer, "test", limit=0)
    errors = []
    for calibrations in (ner.cfg[CALIBRATIONS], {"entity": {"temperature": 1.0, "given": [], "mapped": []}}):
        kept, ner.cfg[CALIBRATIONS] = ner.cfg[CALIBRATIONS], calibrations
        sure, right = [], []
        for each in examples:
            gold = {(ent.start, ent.end, ent.label_) for ent in each.reference.ents}
            for span in ner.probabilities(each.predicted).spans:
                sure.append(span.probability)
                right.append(span[:3] in gold)
        ner.cfg[CALIBRATIONS] = kept
        errors.append(calibration_error(np.array(sure), np.array(right)))
    assert errors[0] < errors[1]
    assert not math.isnan(errors[0])
