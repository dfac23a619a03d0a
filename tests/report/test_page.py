"""The page as a whole: every component, hostile texts and labels, sizes, and what it says against what is known."""

import re
from collections import Counter
from dataclasses import replace
from html.parser import HTMLParser
from itertools import pairwise

import pytest
import spacy
from spacy.tokens import Doc, Span
from spacy.training import Example

from benchmarks.insight import small
from spacy_mtl.report import make_report
from spacy_mtl.report.counts import label_rows
from spacy_mtl.report.page import LIMITS, MOST_BYTES, Report
from spacy_mtl.report.pairs import Compared

from ..pipelines import make_nlp, read_corpus, train

EVIL = '<script>alert("x")</script>'


class Page(HTMLParser):
    """The elements of a page, and its text. Raises AssertionError where tags do not match."""

    VOID = frozenset({"meta", "input", "link", "br"})

    def __init__(self, html):
        super().__init__()
        self.tags, self.open, self.words = [], [], []
        self.feed(html)
        assert not self.open

    def handle_starttag(self, tag, attrs):
        self.tags.append((tag, dict(attrs)))
        if tag not in self.VOID:
            self.open.append(tag)

    def handle_startendtag(self, tag, attrs):
        self.tags.append((tag, dict(attrs)))

    def handle_endtag(self, tag):
        assert self.open.pop() == tag

    def handle_data(self, data):
        self.words.append(data)

    @property
    def text(self):
        return " ".join(" ".join(self.words).split())


@pytest.fixture(scope="module", params=small.COMPONENTS)
def reported(request):
    nlp = small.trained(request.param, "Perceptron", 3)
    examples = small.read(request.param, nlp, "dev")
    return request.param, nlp, examples, make_report(nlp, examples, train=small.read(request.param, nlp))


def test_every_component_has_a_page(reported):
    component, _, examples, report = reported
    html = report.to_html()
    page = Page(html)
    assert len(html.encode()) <= MOST_BYTES
    (part,) = report.data.components
    assert f"on {len(examples)} documents" in page.text
    assert [tag for tag, _ in page.tags].count("h1") == 1
    for row in part.labels:
        assert row.label in page.text
    assert part.templates[0].pattern.replace("<", "&lt;") in html
    assert part.features
    if component not in ("mtl_senter", "mtl_constituents"):  # which make none on these
        assert part.errors.documents
        assert part.errors.shown
    ids = [attrs["id"] for _, attrs in page.tags if "id" in attrs]
    assert len(ids) == len(set(ids))
    levels = [int(tag[1]) for tag, _ in page.tags if re.fullmatch(r"h[1-6]", tag)]
    assert all(b <= a + 1 for a, b in pairwise(levels))


def test_nothing_is_loaded_from_elsewhere(reported):
    html = reported[3].to_html()
    assert not re.search(r"""(?:src|href|action|data)\s*=\s*["']?(?:https?:)?//""", html)
    assert "url(" not in html
    assert "@import" not in html


def test_counts_are_those_of_the_scores(reported):
    component, _, _, report = reported
    (part,) = report.data.components
    scores = dict(part.scores)
    assert scores
    whole = part.labels[0]
    for key in ("ents", "token", "sents", "constituents"):
        if f"{key}_f" in scores:
            assert whole.f1 == pytest.approx(100 * scores[f"{key}_f"])
            assert whole.precision == pytest.approx(100 * scores[f"{key}_p"])
    for key in ("tag_acc", "lemma_acc"):
        if key in scores:
            assert whole.f1 == pytest.approx(100 * scores[key])
    assert component == part.factory
    assert whole.low <= whole.f1 <= whole.high


def test_scores_are_of_the_component_whatever_later_ones_do():
    nlp = small.trained("mtl_ner", "Perceptron", 3)
    examples = small.read("mtl_ner", nlp, "dev")
    before = make_report(nlp, examples).data.components[0].scores
    ruler = nlp.add_pipe("entity_ruler", config={"overwrite_ents": True})
    ruler.add_patterns([{"label": "RULE", "pattern": [{"IS_ALPHA": True}]}])
    after = make_report(nlp, examples).data.components[0].scores
    assert after == before
    assert nlp.evaluate(examples)["ents_f"] != dict(before)["ents_f"]


def test_errors_are_errors_and_add_up(reported):
    _, _, _, report = reported
    (part,) = report.data.components
    differences = [error.difference for error in part.errors.shown]
    assert differences == sorted(differences, reverse=True)
    for error in part.errors.shown:
        assert error.predicted != error.gold
        assert error.pictures
    assert part.errors.explained <= part.errors.documents


def test_the_same_page_again(reported):
    _, nlp, examples, _ = reported
    one, two = (make_report(nlp, examples[:3]) for _ in range(2))
    assert _but_speed(one) == _but_speed(two)


def _but_speed(report):
    """The page without the speed, which differs each time."""
    return re.sub(r'<td class="n">[\d,]+</td>\s*</tr>', "", report.to_html())


@pytest.fixture(scope="module")
def evil():
    """Texts and labels that would run a script where they are not escaped."""
    nlp = spacy.blank("es")
    templates = {"@mtl_templates": "spacy_mtl.patterns.v1", "patterns": ["U0:%x[0,ORTH]", "B"]}
    for name in ("ner", "tagger"):
        nlp.add_pipe(f"mtl_{name}", name=name, config={"model": {"templates": templates}})
    examples = []
    for word, label in ((EVIL, f"A{EVIL}"), ("<b>", "B&"), ('"x" onload=', "C'\"")):
        doc = Doc(nlp.vocab, [word, "y", word], tags=[label, "z", label])
        doc.set_ents([Span(doc, 0, 1, label)])
        examples.append(Example(Doc(nlp.vocab, [word, "y", word]), doc))
    nlp.initialize(lambda: examples)
    for _ in range(3):
        nlp.update(examples)
    for each, other in zip(examples, [*examples[1:], examples[0]], strict=True):  # so that there are errors
        label = other.reference[0].tag_
        each.reference.set_ents([Span(each.reference, 2, 3, label)])
        each.reference[0].tag_ = label
    nlp.meta["name"] = EVIL
    return make_report(nlp, examples, train=examples)


def test_what_comes_from_strangers_is_only_text(evil):
    html = evil.to_html()
    assert EVIL not in html
    page = Page(html)
    assert [tag for tag, _ in page.tags].count("script") == 1
    assert not [name for _, attrs in page.tags for name in attrs if name.startswith("on")]
    assert 'alert("x")' in page.text
    policy = next(attrs["content"] for tag, attrs in page.tags if attrs.get("http-equiv") == "Content-Security-Policy")
    assert "default-src 'none'" in policy
    assert "script-src 'sha256-" in policy


def test_a_notebook_shows_it_in_a_frame(evil):
    html = evil._repr_html_()
    assert html.startswith("<iframe ")
    assert EVIL not in html
    (tag, attrs) = Page(html).tags[0]
    assert (tag, attrs["sandbox"]) == ("iframe", "allow-scripts")
    assert attrs["srcdoc"] == evil.to_html()


def test_what_is_missing_is_said():
    nlp = make_nlp()
    train(nlp, read_corpus(nlp, limit=60), 2)
    nlp.get_pipe("mtl_ner").remembered = type(nlp.get_pipe("mtl_ner").remembered)()
    nlp.config["corpora"]["note"] = "x" * (2 * LIMITS["config"])
    bare = [Example(nlp.make_doc("Ana vive en Madrid"), nlp.make_doc("Ana vive en Madrid"))]
    with pytest.warns(UserWarning, match="M430"):
        text = Page(make_report(nlp, bare, curve=True).to_html()).text
    assert "no gold annotation for this component" in text
    assert "no history of its training" in text
    assert "no learning curve" in text
    assert "The rest of the config is left out" in text


def test_a_learning_curve():
    nlp = make_nlp()
    corpus = read_corpus(nlp, limit=40)
    train(nlp, corpus, 2)
    report = make_report(nlp, read_corpus(nlp, "dev", limit=20), train=corpus, curve=True)
    points = report.data.components[0].curve
    assert [point.documents for point in points] == [5, 10, 20, 40]
    assert all(0 <= point.score <= 100 for point in points)
    (part,) = report.data.components
    for evaluations in (part.evaluations, ()):
        html = Report(replace(report.data, components=[replace(part, evaluations=evaluations)])).to_html()
        assert html.count(f"Learning curve of {part.name}") == 1
        table = Page(html).text.partition("training documents score ")[2]
        assert table.startswith(" ".join(f"{point.documents} {point.score:.2f}" for point in points))


def test_names_of_the_report_differ_from_labels(evil):
    """Names that the report gives stand in italics, a label of the same spelling does not."""
    part = evil.data.components[0]
    rows = label_rows([Compared({"all": (1, 1, 1), "x": (1, 0, 0)}, Counter(), ())])
    html = Report(replace(evil.data, components=[replace(part, labels=rows)])).to_html()
    assert html.count('<th scope="row"><i>all</i></th>') == 1
    assert html.count('<th scope="row">all</th>') == 1


def test_a_page_stays_small(reported):
    component, _, _, report = reported
    (part,) = report.data.components
    many = Report(replace(report.data, components=[replace(part, name=f"c{k}") for k in range(12)]))
    html = many.to_html()
    assert len(html.encode()) <= MOST_BYTES
    if 12 * len(report.to_html()) > 2 * MOST_BYTES:
        assert html.count("Long tables are cut") == 1
    assert len(Page(html).tags) > 100
    assert all(f'<h2 id="c{k + 1}">c{k}</h2>' in html for k in range(12)), component


def test_what_cannot_be_reported(trained):
    nlp = trained
    corpus = read_corpus(nlp, "dev", limit=5)
    with pytest.raises(ValueError, match=r"\[M788\] .*'tagger'.*mtl_ner"):
        make_report(nlp, corpus, components=["tagger"])
    with pytest.raises(
        ValueError,
        match=r"\[M788\] The pipeline has no trained component that a report can be made of; those that it can: none",
    ):
        make_report(spacy.blank("es"), corpus)
    with pytest.raises(ValueError, match=r"\[M789\]"):
        make_report(nlp, [Example(nlp.make_doc(""), nlp.make_doc(""))])
    with pytest.raises(ValueError, match=r"\[M475\] 'mtl_ner' is not trained, so it has no weights"):
        make_report(make_nlp(), corpus)


def test_numbers_are_those_of_the_corpus_and_later_components_are_not_blamed(trained):
    nlp = spacy.blank("es")
    nlp.add_pipe("mtl_ner", source=trained)
    corpus = read_corpus(nlp, "dev", limit=20)
    empty = Example(nlp.make_doc(""), nlp.make_doc(""))
    alone = make_report(nlp, corpus)
    nlp.add_pipe("merge_entities")
    nlp.add_pipe("entity_ruler", config={"overwrite_ents": True}).add_patterns(
        [{"label": "X", "pattern": [{"ORTH": "."}]}]
    )
    both = make_report(nlp, [empty, empty, *corpus], components="mtl_ner")
    numbers = [[error.document for error in report.data.components[0].errors.shown] for report in (alone, both)]
    assert numbers[0]
    assert numbers[1] == [number + 2 for number in numbers[0]]
    assert both.data.components[0].labels == alone.data.components[0].labels
    assert make_report(nlp, corpus, components=["mtl_ner"] * 2).data.components[1:] == []
    with pytest.raises(ValueError, match=r"\[M788\]"):
        make_report(nlp, corpus, components=[])
    assert "?" in make_report(nlp, corpus, source="\udcff").to_html()


def test_long_documents_are_not_explained(trained):
    words = [token.text for example in read_corpus(trained, "dev") for token in example.reference]
    doc = Doc(trained.vocab, words, tags=["NN"] * len(words))
    gold = Doc(trained.vocab, words)
    gold.set_ents([Span(gold, 0, 1, "LOC")])
    report = make_report(trained, [Example(doc, gold)])
    (part,) = report.data.components
    assert part.errors.documents == 1
    assert part.errors.shown == []
    assert "1 document has errors, of which none is explained." in report.to_html()
    assert any("so none is explained" in sentence for sentence in part.missing)


def test_documents_stay_as_they_are(trained):
    corpus = read_corpus(trained, "dev", limit=5)
    before = [example.predicted.to_bytes() for example in corpus]
    make_report(trained, corpus)
    assert [example.predicted.to_bytes() for example in corpus] == before
    assert not trained.get_pipe("mtl_ner").calibrations
