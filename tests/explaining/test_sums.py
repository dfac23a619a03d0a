"""Every component: contributions sum to the score difference, and no other analysis scores more than what is predicted."""

import json
import math

import pytest
import spacy

from spacy_mtl.corpora.bracketed import BracketedCorpus
from spacy_mtl.corpora.conllu import ConlluCorpus
from spacy_mtl.explaining.chain import KNOWN
from spacy_mtl.templates.presets import ner

from ..components import parsing, segmenting
from ..components.bracketing import SPANS, TREES
from ..components.parsing import FIRST_ORDER, GRANDPARENTS, LABELS, SIBLINGS
from ..pipelines import ASSETS, patterns

PERCEPTRON = {"@mtl_trainers": "spacy_mtl.Perceptron.v1"}
TREEBANK = ASSETS.parent / "nl-trees" / "train.conllu"
DEPENDENTS = "B3:%h[0,TAG]/%c[TAG]"
PAIRS = [*FIRST_ORDER, *SIBLINGS, *LABELS]
#: by name: component, patterns, settings of the component
CASES = {
    "ner-iob2": ("mtl_ner", None, {"scheme": "iob2"}),
    "ner-any-sequence": ("mtl_ner", None, {"valid_only": False}),
    "ner-context": ("mtl_ner", [template.text for template in ner().templates], {}),
    "tagger": ("mtl_tagger", None, {"known_words": 3}),
    "senter": ("mtl_senter", None, {}),
    "lemmatizer": ("mtl_lemmatizer", None, {}),
    "morphologizer": (
        "mtl_morphologizer",
        ["U0:%x[0,LOWER]", "U1:%x[0,SUFFIX3]", "U2:%x[-1,USUAL_TAG]", "B"],
        {"known_words": 0},
    ),
    "segmenter": ("mtl_segmenter", None, {}),
    "parser": ("mtl_parser", [*FIRST_ORDER, *LABELS, DEPENDENTS], {}),
    "parser-unlabelled": ("mtl_parser", FIRST_ORDER, {"labelling": "none"}),
    "parser-joint": ("mtl_parser", [*FIRST_ORDER, *LABELS], {"labelling": "joint"}),
    "parser-crossing": ("mtl_parser", [*FIRST_ORDER, *LABELS], {"projective": False}),
    "parser-siblings": ("mtl_parser", PAIRS, {}),
    "parser-siblings-joint": ("mtl_parser", PAIRS, {"labelling": "joint"}),
    "parser-grandparents": ("mtl_parser", [*FIRST_ORDER, *GRANDPARENTS, *LABELS], {}),
    "parser-both-crossing": ("mtl_parser", [*PAIRS, *GRANDPARENTS], {"projective": False}),
    "constituents": ("mtl_constituents", SPANS, {}),
}
KINDS = {
    "mtl_ner": {"entity"}, "mtl_tagger": {"tag"}, "mtl_senter": {"sentence"}, "mtl_lemmatizer": {"lemma"}, "mtl_morphologizer": {"analysis"},
    "mtl_segmenter": {"border"}, "mtl_parser": {"arc", "label"}, "mtl_constituents": {"constituent"},
}  # fmt: skip


def examples_of(component, nlp, read_corpus) -> list:
    if component == "mtl_segmenter":
        return [segmenting.example(nlp, sentence) for sentence in segmenting.SENTENCES]
    if component == "mtl_parser":
        return parsing.examples(nlp, parsing.treebank(24, crossing=0.2), group=2)
    if component == "mtl_constituents":
        return list(BracketedCorpus(TREES / "train.mrg", group=2, limit=12)(nlp))
    if component in ("mtl_senter", "mtl_morphologizer", "mtl_lemmatizer"):
        grouped = {"limit": 8, "group": 5, "borders": False} if component == "mtl_senter" else {"limit": 40}
        return list(ConlluCorpus(TREEBANK, given=[], **grouped)(nlp))
    return read_corpus(nlp, limit=30, given=["TAG"] if component == "mtl_ner" else [])


@pytest.fixture(scope="module", params=CASES)
def explained(request, train, read_corpus, templates):
    """A component, and its explanations of documents that it was trained on."""
    component, texts, settings = CASES[request.param]
    nlp = spacy.blank("zh" if component == "mtl_segmenter" else "en")
    if texts is None:
        plain = ["U0:%x[0,LOWER]", "U1:%x[-1,LOWER]/%x[0,SUFFIX2]", "U2:%x[1,SHAPE]", "B", "B1:%x[0,SHAPE]"]
        texts = {"mtl_segmenter": segmenting.PATTERNS, "mtl_ner": templates}.get(component, plain)
    nlp.add_pipe(component, config={"model": {"templates": patterns(texts)}, "trainer": PERCEPTRON, **settings})
    shown = examples_of(component, nlp, read_corpus)
    pipe = train(nlp, shown, passes=4).get_pipe(component)
    return component, pipe, [(example.predicted, pipe.explain(example.predicted)) for example in shown[:12]]


def decisions_of(explained):
    return [decision for _, explanation in explained[2] for decision in explanation.decisions]


def test_contributions_sum_to_the_difference(explained):
    decisions = [decision for decision in decisions_of(explained) if decision.runner_up is not None]
    assert len(decisions) > 10
    assert {decision.kind for decision in decisions} <= KINDS[explained[0]]
    for decision in decisions:
        assert decision.total == pytest.approx(decision.difference, abs=1e-4, rel=1e-5), decision
        assert math.fsum(decision.by_template().values()) == pytest.approx(decision.total)


def test_what_is_predicted_scores_most(explained):
    least = min(decision.difference for decision in decisions_of(explained))
    exact = all(decision.exact for decision in decisions_of(explained))
    assert exact == ("climb" not in explained_by(explained[1]))
    assert least > -1e-4 or not exact


def explained_by(pipe) -> str:
    """How runner-ups are found: exactly, or by climbing."""
    rules = getattr(pipe, "rules", None)
    second = any(obs.place in "sg" for template in pipe.templates.templates for obs in template.observations)
    return "climb" if rules is not None and not rules.projective and second else "exactly"


def test_a_decision_without_alternative_says_so(explained):
    for decision in decisions_of(explained):
        assert (decision.runner_up is None) == math.isinf(decision.difference)
        assert decision.runner_up is not None or not decision.contributions
        assert decision.winner != decision.runner_up  # also where two scripts make the same lemma


def test_the_document_stays_as_it_is(explained):
    _, pipe, found = explained
    for doc, explanation in found[:3]:
        before = doc.to_bytes()
        assert pipe.explain(doc) == explanation
        assert doc.to_bytes() == before


def test_plain_values_and_html(explained):
    for _, explanation in explained[2][:2]:
        again = json.loads(json.dumps(explanation.to_dict(), allow_nan=False))
        assert [each["winner"] for each in again["decisions"]] == [each.winner for each in explanation.decisions]
        html = explanation._repr_html_()
        assert html.count("<details>") == sum(decision.runner_up is not None for decision in explanation.decisions)


def test_every_feature_is_one_of_its_template(explained):
    patterns_of = {template.name: template for template in explained[1].templates.templates}
    for decision in decisions_of(explained):
        for each in decision.contributions:
            if each.template == KNOWN:  # the score of a tag that a mark was not seen with
                continue
            observations = patterns_of[each.template].observations
            assert all(f"{str(obs)[1:]}=" in each.feature for obs in observations)
            assert bool(each.feature) == bool(observations)
            assert "#" not in each.feature
