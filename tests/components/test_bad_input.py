"""Bad input gets one clear sentence, before any long work."""

import pytest
import spacy
from spacy.tokens import Doc
from spacy.training import Example

from spacy_mtl.components.ner import MTLEntityRecognizer
from spacy_mtl.models.chain.model import template_chain
from spacy_mtl.templates.grammar import TemplateSet
from spacy_mtl.trainers.mtlstruct.trainer import MTLStruct


def error_of(function, *args, **kwargs) -> str:
    with pytest.raises(ValueError, match=r"^\[M\d+\] ") as info:
        function(*args, **kwargs)
    message = str(info.value)
    assert "\n" not in message
    assert "{" not in message
    return message


@pytest.fixture(autouse=True)
def no_training(monkeypatch):
    """No test here gets as far as training."""
    monkeypatch.setattr(MTLStruct, "_begin", lambda *_: pytest.fail("training began"))


# --- settings ---


@pytest.mark.parametrize(
    ("config", "start"),
    [
        ({"texts": ["U0:%x[0,ORTH]", "U7:%x[1,SHAP]"]}, "[M110] Unknown attribute 'SHAP' in template 'U7:%x[1,SHAP]'."),
        ({"texts": ["U0:%x[0,HEAD]"]}, "[M110] Unknown attribute 'HEAD'"),
        ({"texts": ["U0:%x[0,ORTH]", "U1:%x[0,ORTH]"]}, "[M126] The templates 'U0' and 'U1' observe the same"),
        (
            {"trainer": {"p": 0.9}},
            "[M303] MTLStruct: the exponent p of the block norm must be finite and at least 1, but is 0.9.",
        ),
        ({"trainer": {"C": 0.0}}, "[M302] MTLStruct: C must be a finite number above 0, but is 0.0."),
        ({"trainer": {"C": -1.0}}, "[M302]"),
        ({"trainer": {"inner_passes": 0}}, "[M305] MTLStruct: inner_passes"),
        ({"trainer": {"solver": "newton"}}, "[M304] MTLStruct: unknown solver 'newton'."),
        ({"megabytes": 0}, "[M401] The size of a saved model must be above 0 megabytes, but is 0"),
        ({"megabytes": -2.5}, "[M401]"),
        ({"scheme": "bmewo"}, "[M407] 'mtl_ner': unknown tag scheme 'bmewo'. Choose one of iob2, biluo."),
        ({"costs": {"PER": 1.0}}, "[M409] 'mtl_ner': the cost 'PER = 1.0' is not valid."),
        ({"costs": {"PER>O>X": 1.0}}, "[M409]"),
        ({"costs": {"PER>O": -1.0}}, "[M409] 'mtl_ner': the cost 'PER>O = -1.0'"),
    ],
)
def test_setting_is_refused_when_the_component_is_made(make_nlp, config, start):
    assert error_of(make_nlp, **config).startswith(start)


def make_component(megabytes=None, scheme="iob2", costs=None, **trainer) -> MTLEntityRecognizer:
    """Without a config, where numbers may be anything."""
    model = template_chain(TemplateSet.from_texts(["U0:%x[0,ORTH]"]), megabytes)
    vocab = spacy.blank("es").vocab
    return MTLEntityRecognizer(vocab, model, "x", trainer=MTLStruct(**trainer), scheme=scheme, costs=costs)


@pytest.mark.parametrize(
    ("settings", "start"),
    [
        ({"scheme": "io"}, "[M407] 'x': unknown tag scheme 'io'."),
        ({"p": float("nan")}, "[M303]"),
        ({"p": float("inf")}, "[M303]"),
        ({"C": float("nan")}, "[M302] MTLStruct: C must be a finite number above 0, but is nan."),
        ({"tol": float("inf")}, "[M302] MTLStruct: tol"),
        ({"megabytes": float("nan")}, "[M401]"),
        ({"costs": {"PER>O": float("nan")}}, "[M409] 'x': the cost 'PER>O = nan' is not valid."),
        ({"costs": {"PER>O": float("inf")}}, "[M409]"),
    ],
)
def test_component_made_in_python_is_checked_too(settings, start):
    assert error_of(make_component, **settings).startswith(start)


def test_template_that_cannot_be_read_is_shown_where_it_goes_wrong(make_nlp):
    with pytest.raises(ValueError, match=r"^\[M106\] Bad template at patterns, line 2, column 9: .*\n.*\n +\^$"):
        make_nlp(["B", "U0:%x[0,]"])


# --- corpora ---


def initialize(nlp, examples, **settings) -> str:
    return error_of(nlp.get_pipe("mtl_ner").initialize, lambda: examples, nlp=nlp, **settings)


@pytest.mark.parametrize("make", [list, iter])
def test_empty_corpus(make_nlp, make):
    nlp = make_nlp()
    assert initialize(nlp, make([])) == (
        "[M402] 'mtl_ner' cannot be trained: the corpus has no examples. Check the path in [corpora.train]."
    )


def test_corpus_with_no_entity(make_nlp):
    nlp = make_nlp(["U0:%x[0,ORTH]"])
    examples = [Example.from_dict(nlp.make_doc("Hola a todos"), {"entities": []}) for _ in range(3)]
    message = initialize(nlp, examples)
    assert message.startswith("[M403] 'mtl_ner' cannot be trained: none of the 3 training examples has an annotated ")


@pytest.mark.parametrize(
    ("texts", "template"),
    [
        (["U0:%x[0,ORTH]", "U1:%x[0,ORTH]/%x[-1,TAG]"], "U1:%x[0,ORTH]/%x[-1,TAG]"),
        (["U0:%x[0,ORTH]", "B1:%x[0,TAG]"], "B1:%x[0,TAG]"),
        (["U0:%x[0,DOC_CASE]", "U1:%x[0,LEFT_NOUN]", "B"], "U1:%x[0,LEFT_NOUN]"),
    ],
)
def test_attribute_that_is_never_set(make_nlp, read_corpus, texts, template):
    nlp = make_nlp(texts)
    message = initialize(nlp, read_corpus(nlp, given=()))
    assert message.startswith(
        f"[M111] Template '{template}' reads the attribute 'TAG', which no input document carries."
    )
    assert "reader set it as a given column" in message
    assert "annotating_components" in message


def test_cost_of_a_label_that_the_corpus_does_not_have(make_nlp, read_corpus):
    nlp = make_nlp(costs={"PERSON>O": 2.0})
    message = initialize(nlp, read_corpus(nlp))
    assert message.startswith("[M409] 'mtl_ner': the cost 'PERSON>O' is not valid.")


@pytest.mark.parametrize(
    ("epochs", "trainer"), [(-1, "MTLStruct"), ("${system.seed}", "MTLStruct"), (-1, "Perceptron")]
)
def test_stream(make_nlp, read_corpus, epochs, trainer):
    nlp = make_nlp(trainer={"@mtl_trainers": f"spacy_mtl.{trainer}.v1"})
    nlp.config["system"]["seed"] = -1
    nlp.config["training"]["max_epochs"] = epochs
    message = initialize(nlp, read_corpus(nlp))
    assert message.startswith(
        "[M406] 'mtl_ner' indexes features over the whole corpus, which is read before training, and "
    )


@pytest.mark.parametrize("bad", [None, [], lambda: None, lambda: 5, lambda: ["text"], lambda: iter(["text"])])
def test_examples_that_are_none(make_nlp, bad):
    nlp = make_nlp()
    with pytest.raises(TypeError, match=r"\[E9\d\d\].*MTLEntityRecognizer.initialize"):
        nlp.get_pipe("mtl_ner").initialize(bad, nlp=nlp)


# --- updates ---


def test_update_before_initialize(make_nlp, read_corpus):
    nlp = make_nlp()
    message = error_of(nlp.update, read_corpus(nlp))
    assert message.startswith(
        "[M404] 'mtl_ner' is not trained and has not been initialized: call nlp.initialize() with training "
    )


def test_update_with_labels_that_initialize_was_not_told_of(make_nlp, read_corpus):
    nlp = make_nlp()
    nlp.initialize(lambda: read_corpus(nlp))
    strange = Example.from_dict(nlp.make_doc("Hola a Ana"), {"entities": [(7, 10, "WHO"), (0, 4, "PER")]})
    message = error_of(nlp.update, [strange])
    assert message.startswith(
        "[M456] 'mtl_ner' was initialized for the labels LOC, MISC, ORG, PER, but a training document has WHO. Give "
    )


def test_update_with_what_is_no_example(make_nlp, read_corpus):
    nlp = make_nlp()
    nlp.initialize(lambda: read_corpus(nlp))
    with pytest.raises(TypeError, match=r"\[E978\].*MTLEntityRecognizer.update"):
        nlp.get_pipe("mtl_ner").update([Doc(nlp.vocab, words=["Hola"])])


ARCHITECTURES = {
    **dict.fromkeys(["ner", "tagger", "senter", "morphologizer", "lemmatizer", "segmenter"], "TemplateChain"),
    "parser": "TemplateTree",
    "constituents": "TemplateGrammar",
}


@pytest.mark.parametrize("component", ARCHITECTURES)
def test_a_model_of_another_architecture_is_refused(component):
    """As it is left where a config with one of spaCy's components gets another factory."""
    wanted = f"spacy_mtl.{ARCHITECTURES[component]}.v1"
    other = "Tree" if component != "parser" else "Chain"
    templates = {"@mtl_templates": "spacy_mtl.patterns.v1", "patterns": ["U0:%x[0,LOWER]"]}
    models = [
        {"@architectures": "spacy.Tagger.v2", "tok2vec": {"@architectures": "spacy.Tok2VecListener.v1", "width": 8}},
        {"@architectures": f"spacy_mtl.Template{other}.v1", "templates": templates},
    ]
    for model in models:
        with pytest.raises(ValueError, match=rf'^\[M759\] The model of \'name\' must have the architecture "{wanted}"'):
            spacy.blank("zh").add_pipe(f"mtl_{component}", name="name", config={"model": model})
