"""Documents that come after others have been learnt from: they join at the end of a pass, and what has been learnt stays, whatever the trainer."""

import numpy as np
import pytest
import spacy
from spacy.tokens import Doc
from spacy.training import Example

from spacy_mtl.corpora.segmented import SegmentedCorpus

from .bracketing import make_finder
from .bracketing import read as read_trees
from .parsing import FIRST_ORDER, GRANDPARENTS, LABELS, SIBLINGS, examples, make_parser, scores, treebank
from .test_every_trainer import (
    CASES,
    COMPONENTS,
    LANGUAGES,
    PAIRS,
    WORDS,
    identify,
    least_of,
    passes_of,
    read,
    untrained,
)


def learner_of(nlp):
    return nlp.get_pipe(nlp.pipe_names[-1])._learner


def begin_anew(training, monkeypatch):
    raise AssertionError("a training was begun anew")


@pytest.fixture
def never_anew(monkeypatch):
    """From a call on, beginning a training is an error; StructReg begins none when it cuts."""

    def forbid(trainer):
        monkeypatch.setattr(type(trainer), "begin", begin_anew)

    return forbid


#: M336, of batch EG after 100 passes, and M337, of "em" after its last round, tell of gaps; this is about what was learnt before.
SLOW = r"ignore:\[M336\] EG|\[M337\] L1M3N"


@pytest.mark.filterwarnings(SLOW)
@pytest.mark.parametrize("case", CASES, ids=identify)
def test_new_documents_join_what_has_been_learnt(case, read_corpus, never_anew):
    nlp = untrained("mtl_ner", case)
    shown = read("mtl_ner", nlp, read_corpus)[:24]
    known, new = shown[:14], shown[14:]
    nlp.get_pipe("mtl_ner").initialize(lambda: known, nlp=nlp, labels=["LOC", "MISC", "ORG", "PER"])
    for _ in range(passes_of(case)):
        nlp.update(known)
    before, unseen = nlp.evaluate(known)["ents_f"], nlp.evaluate(new)["ents_f"]
    assert before > least_of(case)
    training = learner_of(nlp).training
    passes = training.passes
    never_anew(nlp.get_pipe("mtl_ner").trainer)
    nlp.update(new)  # fewer than are known: the pass goes on
    assert training.passes == passes
    nlp.update(known)
    assert learner_of(nlp).training is training
    assert training.passes == passes + 1
    assert len(learner_of(nlp).documents) == 24
    if "batch_primal" not in identify(case):  # new documents begin where its weights put them, and these with them
        wrapped = case[0] == "StructReg" and nlp.get_pipe("mtl_ner").trainer.batch  # pieces are cut and learnt again
        assert nlp.evaluate(known)["ents_f"] > (0.5 if wrapped else before - 0.1)
    for _ in range(passes_of(case)):
        nlp.update(shown)
    assert nlp.evaluate(known)["ents_f"] > before - 0.15
    assert nlp.evaluate(new)["ents_f"] > max(unseen + 0.05, least_of(case) - 0.15)


@pytest.mark.parametrize("trainer", [{}, {"@mtl_trainers": "spacy_mtl.Perceptron.v1"}], ids=str)
def test_labels_alone_are_enough_to_begin(trainer, read_corpus, make_nlp):
    nlp = make_nlp(trainer=trainer)
    ner = nlp.get_pipe("mtl_ner")
    for label in ("LOC", "MISC", "ORG", "PER"):
        ner.add_label(label)
    nlp.initialize()
    shown = read_corpus(nlp, limit=30)
    assert nlp(shown[0].reference.text).ents == ()
    losses = [sum(nlp.update(shown[start : start + 10])["mtl_ner"] for start in (0, 10, 20)) for _ in range(8)]
    assert losses[0] > losses[1] > 0
    assert losses[0] > 5 * losses[-1]
    assert len(ner._learner.documents) == 30
    assert nlp.evaluate(shown)["ents_f"] > 0.8


def test_documents_drawn_with_replacement_are_learnt_without_beginning_anew(read_corpus, make_nlp, never_anew):
    nlp = make_nlp()
    shown = read_corpus(nlp, limit=30)
    nlp.initialize(lambda: shown)
    random = np.random.default_rng(0)
    for number in range(60):
        nlp.update([shown[k] for k in random.integers(0, 30, 5)])
        if number == 5:
            never_anew(nlp.get_pipe("mtl_ner").trainer)
    training = learner_of(nlp).training
    assert 8 <= training.passes <= 20  # 300 documents were drawn
    assert training.problem.n == 30
    assert nlp.evaluate(shown)["ents_f"] > 0.8


def test_documents_that_keep_coming_are_worth_one_warning(read_corpus, make_nlp):
    nlp = make_nlp(["U0:%x[0,ORTH]", "B"])
    shown = read_corpus(nlp, limit=40)
    nlp.get_pipe("mtl_ner").initialize(lambda: shown[:20], labels=["LOC", "MISC", "ORG", "PER"])
    nlp.update(shown[:20])
    for k in (20, 23):
        nlp.update([*shown[3:k], *shown[k : k + 3]])  # the first three never come again
    with pytest.warns(
        UserWarning, match=r"^\[M455\] 'mtl_ner' keeps receiving .* it now remembers 30\. If an augmenter"
    ):
        nlp.update([*shown[:26], *shown[26:30]])
    nlp.update(shown[:35])


@pytest.mark.parametrize("component", ["mtl_tagger", "mtl_segmenter", "mtl_parser", "mtl_constituents"])
def test_a_sample_is_enough_to_begin(component, read_corpus):
    nlp = untrained(component, ("MTLStruct", {}))
    shown = read(component, nlp, read_corpus)
    pipe = nlp.get_pipe(component)
    if component != "mtl_segmenter":
        pipe.set_labels(sorted({label for example in shown for label in pipe.labels_of(example.reference)}))
    nlp.initialize(lambda: shown[:5])
    for _ in range(12):
        nlp.update(shown)
    assert len(pipe._learner.documents) == len(shown)
    assert nlp.evaluate(shown)[COMPONENTS[component]] > 0.8


GRAMMAR_CASES = [case for component, case in PAIRS if component == "mtl_constituents"]


@pytest.mark.filterwarnings(SLOW, r"ignore:\[M340\] EG")
@pytest.mark.parametrize("case", GRAMMAR_CASES, ids=identify)
def test_new_trees_bring_symbols_and_rules_to_what_has_been_learnt(case, read_corpus, never_anew):
    """A larger grammar numbers all its symbols and rules anew."""
    component = "mtl_constituents"
    nlp = untrained(component, case)
    shown = read(component, nlp, read_corpus)
    known, new, pipe = shown[:8], shown[8:], nlp.get_pipe(component)
    labels = sorted({label for example in shown for label in pipe.labels_of(example.reference)})
    pipe.initialize(lambda: known, nlp=nlp, labels=labels)
    for _ in range(passes_of(case)):
        nlp.update(known)
    nlp.evaluate(known)
    before, symbols = nlp.evaluate(known)["constituents_f"], len(pipe.model_labels)
    assert before > least_of(case)
    training = learner_of(nlp).training
    never_anew(pipe.trainer)
    nlp.update(new)
    nlp.update(known)
    nlp.evaluate(known)
    assert learner_of(nlp).training is training
    assert len(pipe.model_labels) > symbols
    for _ in range(passes_of(case)):
        nlp.update(shown)
    assert nlp.evaluate(shown)["constituents_f"] > least_of(case)


def test_tags_that_change_change_the_forests(never_anew):
    nlp = make_finder()
    shown = read_trees(nlp, limit=24)
    random = np.random.default_rng(0)
    nlp.initialize(lambda: shown)
    edges = set()
    for share in (0.3, 0.2, 0.1, 0.1, 0.05, 0.0, 0.0, 0.0):
        retag(shown, random, share)
        nlp.update(shown)
        training = learner_of(nlp).training
        edges.add(training.problem.arrays.rule.size)
        never_anew(nlp.get_pipe("mtl_constituents").trainer)
    assert len(edges) > 3
    assert training.passes == 8
    assert nlp.evaluate(shown)["constituents_f"] > 0.9


def test_a_segmenter_can_begin_with_nothing():
    nlp = untrained("mtl_segmenter", ("MTLStruct", {}))
    nlp.get_pipe("mtl_segmenter").initialize(list)
    shown = list(SegmentedCorpus(WORDS, limit=20)(nlp))
    for _ in range(10):
        nlp.update(shown)
    assert LANGUAGES["mtl_segmenter"] == nlp.lang
    assert nlp.evaluate(shown)["token_f"] > 0.8


# --- tags that change ---

EG_OF_TREES = {"@mtl_trainers": "spacy_mtl.EG.v1"}


def retag(shown, random, share):
    """Give some words another tag, as a tagger that is still learning would."""
    for example in shown:
        tags = sorted({token.tag_ for other in shown for token in other.reference})
        for token, gold in zip(example.predicted, example.reference, strict=True):
            token.tag_ = gold.tag_ if random.random() >= share else str(random.choice(tags))


@pytest.mark.parametrize(
    "patterns", [[*FIRST_ORDER, *LABELS], [*FIRST_ORDER, *SIBLINGS, *GRANDPARENTS, *LABELS]], ids=["first", "second"]
)
def test_a_parser_goes_on_learning_when_tags_change_and_arcs_with_them(patterns, never_anew):
    nlp = make_parser(patterns, margin=1.0, filter_attr="TAG")
    shown = examples(nlp, treebank(24))
    random = np.random.default_rng(0)
    nlp.initialize(lambda: shown)
    arcs = set()
    for share in (0.5, 0.3, 0.2, 0.1, 0.1, 0.1, 0.05, 0.05):
        retag(shown, random, share)
        nlp.update(shown)
        training = learner_of(nlp).training
        arcs.add(training.problem.arrays.heads.size)
        never_anew(nlp.get_pipe("mtl_parser").trainer)
    assert len(arcs) > 3
    assert training.passes == 8
    assert 0 <= nlp.get_pipe("mtl_parser").report.gap < 1
    retag(shown, random, 0.0)
    assert scores(nlp, shown)["dep_uas"] > 0.9


def test_a_parser_trained_by_eg_says_how_much_begins_again_when_arcs_change():
    nlp = make_parser([*FIRST_ORDER, *LABELS], margin=1.0, filter_attr="TAG", trainer=EG_OF_TREES)
    shown = examples(nlp, treebank(24))
    nlp.initialize(lambda: shown)
    nlp.update(shown)
    nlp.update(shown)  # the same arcs: no warning
    retag(shown, np.random.default_rng(0), 0.3)
    with pytest.warns(UserWarning, match=r"^\[M340\] EG: \d+ of the 24 sentences"):
        nlp.update(shown)
    assert learner_of(nlp).training.passes == 3


def test_the_dual_bound_holds_where_words_have_become_known():
    """What a word had in an output of before may be what it can no longer have."""
    nlp = spacy.blank("es")
    templates = {"@mtl_templates": "spacy_mtl.patterns.v1", "patterns": ["U0:%x[-1,LOWER]", "U1:%x[0,SUFFIX2]", "B"]}
    trainer = {"@mtl_trainers": "spacy_mtl.SSVM.v1", "C": 5.0}
    tagger = nlp.add_pipe(
        "mtl_tagger", config={"model": {"templates": templates}, "trainer": trainer, "known_words": 3}
    )
    shown = []
    for words in np.random.default_rng(1).integers(0, 8, (9, 6)).tolist():
        reference = Doc(nlp.vocab, [f"w{k}xx" for k in words], tags=[f"T{k % 4}" for k in words])
        shown.append(Example(Doc(nlp.vocab, [token.text for token in reference]), reference))
    tagger.initialize(lambda: shown[:3], nlp=nlp, labels=["T0", "T1", "T2", "T3"])
    for _ in range(6):
        nlp.update(shown[:3])
    assert 0 < len(known := tagger.cfg["known"]) < 8
    nlp.update(shown)
    assert len(tagger.cfg["known"]) > len(known)
    bound = tagger.report.dual
    for _ in range(30):
        nlp.update(shown)
    assert bound <= tagger.report.primal + 1e-6
