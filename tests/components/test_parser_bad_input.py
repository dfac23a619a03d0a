"""Input that a parser cannot do with gets one clear sentence."""

from contextlib import nullcontext

import pytest
import spacy
from spacy.tokens import Doc, Span
from spacy.training import Example

from spacy_mtl.components.parser import MTLParser
from spacy_mtl.models.tree.model import template_tree
from spacy_mtl.templates.grammar import TemplateSet
from spacy_mtl.trainers.mtlstruct.trainer import MTLStruct

from .parsing import FIRST_ORDER, LABELS, bare_doc, examples, gold_doc, make_parser, train, treebank


def error_of(function, *args, **kwargs) -> str:
    with pytest.raises(ValueError, match=r"^\[M\d+\] ") as info:
        function(*args, **kwargs)
    message = str(info.value)
    assert "\n" not in message
    assert "{" not in message
    return message


# --- settings ---


def make_component(texts=(*FIRST_ORDER, *LABELS), **settings) -> MTLParser:
    """Without a config, where settings may be anything."""
    model = template_tree(TemplateSet.from_texts(texts))
    return MTLParser(spacy.blank("en").vocab, model, "x", trainer=MTLStruct(), **settings)


@pytest.mark.parametrize(
    ("settings", "start"),
    [
        ({"roots": "two"}, "[M441] The setting 'roots' of 'x' must be auto or one or several, but it is two."),
        ({"labelling": "first"}, "[M441] The setting 'labelling' of 'x' must be second_pass or joint or none"),
        ({"support": "some"}, "[M441] The setting 'support' of 'x' must be gold or all, but it is some."),
        ({"margin": 0.0}, "[M441] The setting 'margin' of 'x' must be above 0, or null, but it is 0.0."),
        ({"margin": float("nan")}, "[M441] The setting 'margin' of 'x'"),
        (
            {"filter_attr": "POS"},
            "[M441] The setting 'filter_attr' of 'x' must be an attribute that the templates read",
        ),
        ({"texts": FIRST_ORDER}, "[M441] The setting 'labelling' of 'x' must be \"none\", since no template scores"),
        (
            {"texts": ["U0:%h[0,TAG]", "U1:%x[0,TAG]"]},
            "[M129] Template 'U1:%x[0,TAG]' looks at %x, but 'x' scores arcs: use %h, %m, %s, %g, %b, %c and %d.",
        ),
        ({"texts": ["U0:%m[0,TAG]/%x[-1,TAG]"]}, "[M129] Template 'U0:%m[0,TAG]/%x[-1,TAG]'"),
        ({"texts": ["U0:%s[0,TAG]/%b[TAG]"]}, "[M130] Template 'U0:%s[0,TAG]/%b[TAG]' has both %s and %b"),
        ({"texts": ["B0:%s[0,TAG]"]}, "[M130] Template 'B0:%s[0,TAG]' scores labels by a sibling"),
        ({"texts": ["U0:%h[0,TAG]/%m[0,TAG]", "U1:%m[0,TAG]/%h[0,TAG]"]}, "[M126] The templates 'U0' and 'U1'"),
        (
            {"texts": ["U0:%h[0,TAG]", "B0:%c[TAG]"], "labelling": "joint"},
            "[M130] Template 'B0:%c[TAG]' looks at the tree, which labelling = \"joint\" does not have yet",
        ),
        ({"texts": ["U0:%h[0,TAGS]"]}, "[M110] Unknown attribute 'TAGS' in template 'U0:%h[0,TAGS]'."),
    ],
)
def test_setting_is_refused_when_the_component_is_made(settings, start):
    assert error_of(make_component, **settings).startswith(start)


@pytest.mark.parametrize("factory", ["mtl_ner", "mtl_tagger", "mtl_segmenter"])
@pytest.mark.parametrize(
    "pattern", ["%h[0,TAG]", "%x[0,CHAR]/%m[0,CHAR]", "%s[0,TAG]", "%g[0,TAG]", "%b[TAG]", "%c[TAG]", "%d"]
)
def test_chains_refuse_templates_of_arcs(factory, pattern):
    nlp = spacy.blank("zh" if factory == "mtl_segmenter" else "es")
    templates = {"@mtl_templates": "spacy_mtl.patterns.v1", "patterns": ["B", f"U7:{pattern}"]}
    message = error_of(nlp.add_pipe, factory, name="chain", config={"model": {"templates": templates}})
    found = next(place for place in ("%h", "%m", "%s", "%g", "%b", "%c", "%d") if place in pattern)
    assert message.startswith(f"[M129] Template 'U7:{pattern}' looks at {found}, but 'chain' scores positions of a")


@pytest.mark.parametrize("projective", [True, False])
def test_grandparents_and_a_trainer_that_needs_sums(projective):
    patterns, trainer = [*FIRST_ORDER, "U9:%g[0,TAG]", "B0:%m[0,TAG]"], {"@mtl_trainers": "spacy_mtl.EG.v1"}
    nlp = make_parser(patterns=patterns, projective=projective, trainer=trainer)
    message = error_of(nlp.initialize, lambda: examples(nlp, treebank(3)))
    assert message.startswith("[M301] EG cannot train a dependency tree: the structure does not offer marginals")


def test_trees_of_the_second_order_cannot_be_cut():
    inner, patterns = (
        {"@mtl_trainers": "spacy_mtl.Perceptron.v1"},
        [*FIRST_ORDER, "U9:%s[0,TAG]/%m[0,TAG]", "B0:%m[0,TAG]"],
    )
    nlp = make_parser(patterns=patterns, trainer={"@mtl_trainers": "spacy_mtl.StructReg.v1", "trainer": inner})
    message = error_of(nlp.initialize, lambda: examples(nlp, treebank(3)))
    assert message.startswith(
        "[M301] StructReg cannot train a dependency tree: the structure does not offer cut (training sentences"
    )


# --- corpora ---


@pytest.fixture
def parser():
    return make_parser()


def test_no_labels(parser):
    docs = [bare_doc(parser, treebank(3))]
    shown = [Example(doc, doc.copy()) for doc in docs]
    start = "[M443] There is no dependency label in the 1 examples that 'mtl_parser' was initialized with."
    assert error_of(parser.initialize, lambda: shown).startswith(start)


def test_no_whole_tree(parser):
    """The input joins all sentences to one, which then has several roots."""
    [example] = examples(parser, treebank(5), 5)
    for token in example.predicted:
        token.is_sent_start = token.i == 0
    parser.initialize(lambda: [example])
    message = error_of(parser.update, [example])
    assert message.startswith("[M442] None of the ")


def test_tags_are_missing_in_training(parser):
    sentences = treebank(3)
    shown = [Example(bare_doc(parser, sentences, tags=False), gold_doc(parser, sentences))]
    start = "[M111] Template 'U0:%h[0,TAG]/%m[0,TAG]' reads the attribute 'TAG', which no input document carries."
    assert error_of(parser.initialize, lambda: shown).startswith(start)


def test_several_roots_where_one_is_asked_for():
    nlp = make_parser(roots="one")
    shown = examples(nlp, treebank(10, double=1.0))
    assert error_of(nlp.initialize, lambda: shown).startswith("[M445] The corpus has sentences with several roots")


# --- prediction ---


@pytest.fixture(scope="module")
def trained():
    nlp = make_parser()
    return train(nlp, examples(nlp, treebank(6)), 1)


def test_no_sentence_borders(trained):
    """A document of up to ``max_unsplit`` words is one sentence; a longer one is refused."""
    parser = trained.get_pipe("mtl_parser")
    doc = bare_doc(trained, treebank(1), borders=False)
    assert len(list(parser(doc).sents)) == 1
    long = bare_doc(trained, treebank(40), borders=False)
    start = f"[M440] 'mtl_parser' parses inside given sentences, but the document that begins with '{long.text[:40]}' has {len(long)} words and no "
    assert error_of(parser.predict, [long]).startswith(start)
    parser.max_unsplit = None
    with pytest.warns(UserWarning, match="M450") if len(long) > parser.max_words else nullcontext():
        assert parser.predict([long])[0].shape == (2, len(long))
    parser.max_unsplit = 100


def test_the_longest_document_that_is_one_sentence():
    assert "max_unsplit must be a whole number" in error_of(make_parser, max_unsplit=-1)


def test_no_sentence_borders_in_training():
    nlp = make_parser()
    shown = examples(nlp, treebank(3))
    nlp.initialize(lambda: shown)
    shown[0] = Example(bare_doc(nlp, treebank(3), borders=False), gold_doc(nlp, treebank(3)))
    message = error_of(nlp.update, shown)
    assert message.startswith(
        "[M457] 'mtl_parser' parses inside given sentences, but the training document that begins with "
    )
    assert "has 3 annotated sentences" in message


def test_trees_of_other_documents_are_not_written(trained):
    docs = [bare_doc(trained, treebank(1)), bare_doc(trained, treebank(2))]
    parser = trained.get_pipe("mtl_parser")
    found = parser.predict(docs)
    with pytest.raises(ValueError, match=r"M446.* to documents of"):
        parser.set_annotations(docs, found[::-1])
    with pytest.raises(ValueError, match=r"M446.* to documents of"):
        parser.set_annotations(docs, found[:1])


def test_one_word_needs_no_borders(trained):
    doc = trained(Doc(trained.vocab, ["cat"], tags=["NOUN"]))
    assert [token.dep_ for token in doc] == ["ROOT"]


def missing(attr: str, doc: Doc) -> str:
    text = doc.text[:40]
    return f"[M444] The templates read '{attr}', but no word of the document that begins with '{text}' has it."


def test_tags_are_missing(trained):
    doc = bare_doc(trained, treebank(1), tags=False)
    assert error_of(trained.get_pipe("mtl_parser").predict, [doc]).startswith(missing("TAG", doc))


def test_tags_are_missing_in_one_document_of_many(trained):
    tagged, doc = bare_doc(trained, treebank(1)), bare_doc(trained, treebank(1, 1), tags=False)
    empty, predict = Doc(trained.vocab), trained.get_pipe("mtl_parser").predict
    assert error_of(predict, [empty, tagged, empty, doc, tagged]).startswith(missing("TAG", doc))
    assert [found.shape[1] for found in predict([empty, tagged, empty])] == [0, len(tagged), 0]


def test_short_tags_are_missing():
    nlp = make_parser(["U0:%h[0,TAG_PREFIX1]/%m[0,TAG_PREFIX1]", "B0:%m[0,LOWER]"])
    train(nlp, examples(nlp, treebank(6)), 1)
    doc = bare_doc(nlp, treebank(1), tags=False)
    assert error_of(nlp.get_pipe("mtl_parser").predict, [doc]).startswith(missing("TAG_PREFIX1", doc))


def test_entities_and_lemmas_may_be_missing():
    """A document may well have no entity, and one of numbers no lemma."""
    nlp = make_parser([*FIRST_ORDER, "U7:%h[0,ENT_TYPE]/%m[0,TAG]", "U8:%m[0,LEMMA]", "B0:%m[0,TAG]"])
    shown = examples(nlp, treebank(6))
    for example in shown:
        example.predicted.set_ents([Span(example.predicted, 0, 1, label="PER")])
        for token in example.predicted:
            token.lemma_ = token.text
    train(nlp, shown, 2)
    [doc] = nlp.pipe([bare_doc(nlp, treebank(1))])
    assert doc.has_annotation("DEP")


def test_a_model_of_another_component_is_refused(trained, tmp_path):
    trained.get_pipe("mtl_parser").to_disk(tmp_path / "parser")
    other = spacy.blank("es").add_pipe("mtl_tagger")
    assert error_of(other.from_disk, tmp_path / "parser", exclude=["vocab"]).startswith("[M604] ")


def test_labels_cannot_be_added_to_a_parser_in_training(trained):
    assert error_of(trained.get_pipe("mtl_parser").add_label, "new").startswith(
        "[M408] 'mtl_parser' is being trained for"
    )
