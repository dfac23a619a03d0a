"""Templates of word vectors and of doc.tensor: training, prediction, files, and what is refused."""

import numpy as np
import pytest
import spacy
from spacy.language import Language
from spacy.tokens import Doc
from spacy.training import Example

from spacy_mtl.models.chain.model import current_weights
from spacy_mtl.report import make_report
from spacy_mtl.sentences import borders
from spacy_mtl.templates.grammar import TemplateSet

from ..pipelines import patterns, train

WIDTH = 6
DENSE = ["V0:%v[0]", "V1:%v[-1]", "V2:%t[0]", "V3:%t[1]"]
TRAINERS = [
    {"@mtl_trainers": "spacy_mtl.MTLStruct.v1", "p": 1.3333, "C": 1.0, "average": 1},
    {"@mtl_trainers": "spacy_mtl.MTLStruct.v1", "p": 1.5, "C": 1.0, "solver": "cutting_plane", "average": 1},
    {"@mtl_trainers": "spacy_mtl.L1M3N.v1"},
    {"@mtl_trainers": "spacy_mtl.EG.v1"},
    {"@mtl_trainers": "spacy_mtl.OnlineMKL.v1"},
    {"@mtl_trainers": "spacy_mtl.CRF.v1"},
    {"@mtl_trainers": "spacy_mtl.Perceptron.v1"},
    {"@mtl_trainers": "spacy_mtl.MIRA.v1"},
    {"@mtl_trainers": "spacy_mtl.StructReg.v1", "trainer": {"@mtl_trainers": "spacy_mtl.MTLStruct.v1"}, "size": 3.0},
]
RANDOM = np.random.default_rng(0)
#: Words have vectors by their kinds, which decide their tags; templates see no word twice.
KINDS = RANDOM.normal(0, 40, (3, WIDTH)) + 1000
SENTENCES = [[(f"w{kind}x{s}x{t}", kind) for t, kind in enumerate(RANDOM.integers(0, 3, 5))] for s in range(30)]


@Language.component("dense_tensors", assigns=["doc.tensor"])
def set_tensors(doc):
    """Rows that tell the kind of a word, which its form says."""
    doc.tensor = np.array([np.eye(3, dtype="f")[int(token.text[1])] * 5 for token in doc], "f")
    return doc


def vector_of(word):
    kind, rest = int(word[1]), sum(map(ord, word)) % 7
    return (KINDS[kind] + rest).astype("f")


def make(texts, factory="mtl_tagger", **config):
    """A pipeline of tensors and a component, with vectors."""
    nlp = spacy.blank("es")
    for sentence in SENTENCES:
        for word, _ in sentence:
            nlp.vocab.set_vector(word, vector_of(word))
    nlp.add_pipe("dense_tensors")
    nlp.add_pipe(factory, name="own", config={"model": {"templates": patterns(texts)}, **config})
    return nlp


def examples_of(nlp, factory="mtl_tagger"):
    found = []
    for sentence in SENTENCES:
        words, kinds = zip(*sentence, strict=True)
        tags = [f"T{kind}" for kind in kinds]
        gold = {"tags": tags} if factory == "mtl_tagger" else {"ents": [["O", "B-X", "B-Y"][k] for k in kinds]}
        found.append(Example(Doc(nlp.vocab, list(words)), Doc(nlp.vocab, list(words), **gold)))
    return found


def tags(doc):
    return [token.tag_ for token in doc]


@pytest.fixture(scope="module")
def tagged():
    nlp = make([*DENSE, "U0:%x[0,SUFFIX1]", "B"])
    return train(nlp, examples_of(nlp), passes=5)


def test_scores_are_those_of_the_weights_times_the_vectors(tagged):
    """Standardised in training, and with 8 bits; around the token, within its sentence."""
    pipe, doc = tagged.get_pipe("own"), tagged(Doc(tagged.vocab, [word for word, _ in SENTENCES[0]]))
    predictor, starts = pipe.model.attrs["predictor"], borders([doc])
    given = predictor.reader.read_given([doc])
    nodes, _ = predictor.scores(given, starts, starts, doc.tensor)
    blocks = {block.template.text: block for block in current_weights(pipe.model).dense_blocks()}
    assert list(blocks) == DENSE
    dense = np.zeros_like(nodes)
    for text, (_, weights, constant) in blocks.items():
        rows = np.stack([token.vector for token in doc]) if "%v" in text else doc.tensor
        offset = int(text.split("[")[1][:-1])
        for t in range(len(doc)):
            if 0 <= t + offset < len(doc):
                dense[t] += rows[t + offset] @ weights + constant
    without = type(predictor)(current_weights(pipe.model).with_dense([]), *predictor._made_of[1:])
    sparse, _ = without.scores(given, starts, starts)
    assert np.abs(dense).max() > 0.1
    assert np.allclose(nodes, sparse + dense, atol=1e-3)


@pytest.mark.parametrize("trainer", TRAINERS, ids=lambda settings: settings["@mtl_trainers"].split(".")[1])
def test_every_trainer_learns_from_vectors_alone(trainer, tmp_path):
    nlp = make(DENSE, trainer=trainer)
    train(nlp, examples := examples_of(nlp), passes=8)
    assert nlp.evaluate(examples)["tag_acc"] > 0.9
    nlp.to_disk(tmp_path)
    texts = [example.text for example in examples]
    assert [tags(doc) for doc in spacy.load(tmp_path).pipe(texts)] == [tags(doc) for doc in nlp.pipe(texts)]


@pytest.mark.parametrize("factor", [2.0**-10, 2.0**12])
def test_the_scale_of_a_block_does_not_matter(factor):
    found = []
    for scale in (1.0, factor):
        nlp = make(["V0:%v[0]", "U0:%x[0,SUFFIX1]", "B"])
        nlp.vocab.vectors.data *= scale
        train(nlp, examples_of(nlp), passes=3)
        found.append([row["weight"] for row in nlp.get_pipe("own").template_weights()])
    assert np.allclose(*found, rtol=1e-3)


def test_words_without_a_vector_score_nothing(tagged):
    pipe = tagged.get_pipe("own")
    doc = Doc(tagged.vocab, ["w0", "w1"])
    doc.tensor = np.zeros((2, 3), "f")
    pipe.predict([doc])
    predictor, starts = pipe.model.attrs["predictor"], np.array([0, 2], np.int64)
    nodes, _ = predictor.scores(predictor.reader.read_given([doc]), starts, starts, doc.tensor)
    weights = current_weights(pipe.model)
    assert np.abs(weights.dense_constants).max() > 0
    plain = weights.with_dense([])
    assert not plain.dense_codes.size
    other = type(predictor)(plain, *predictor._made_of[1:])
    assert np.array_equal(nodes, other.scores(other.reader.read_given([doc]), starts, starts)[0])


@pytest.mark.parametrize("factory", ["mtl_ner", "mtl_morphologizer"])
def test_other_chains_read_vectors_too(factory):
    nlp = make(["V0:%v[0]", "V1:%t[0]", "B"], factory)
    examples = examples_of(nlp, factory)
    if factory == "mtl_morphologizer":
        for example, sentence in zip(examples, SENTENCES, strict=True):
            for token, (_, kind) in zip(example.reference, sentence, strict=True):
                token.pos_ = ["NOUN", "VERB", "ADJ"][kind]
                token.set_morph(["Number=Sing", "Tense=Past", ""][kind])
    train(nlp, examples, passes=6)
    scores = nlp.evaluate(examples)
    assert scores["ents_f" if factory == "mtl_ner" else "pos_acc"] > 0.9
    copy = make(["V0:%v[0]", "V1:%t[0]", "B"], factory).from_bytes(nlp.to_bytes())
    assert copy.evaluate(examples) | {"speed": 0} == scores | {"speed": 0}


def test_training_goes_on_with_documents_that_join():
    nlp = make(["V0:%v[0]", "V1:%t[0]", "B"])
    examples = examples_of(nlp)
    nlp.initialize(lambda: examples[:10])
    for _ in range(4):
        nlp.update(examples[:10])
    for _ in range(4):
        nlp.update(examples)
    assert nlp.evaluate(examples)["tag_acc"] > 0.9


def test_labels_may_be_added_to_a_trained_model(tagged):
    nlp = make([*DENSE, "U0:%x[0,SUFFIX1]", "B"]).from_bytes(tagged.to_bytes())
    texts = [" ".join(word for word, _ in sentence) for sentence in SENTENCES]
    before = [tags(doc) for doc in nlp.pipe(texts)]
    assert nlp.get_pipe("own").add_label("NEW")
    assert [tags(doc) for doc in nlp.pipe(texts)] == before


def test_documents_without_words_have_rows_of_no_width():
    nlp = make(["V0:%t[0]", "B"])
    examples = [*examples_of(nlp), Example(Doc(nlp.vocab, []), Doc(nlp.vocab, []))]
    train(nlp, examples, passes=4)
    assert nlp.evaluate(examples)["tag_acc"] > 0.9


def test_the_size_limit_of_several_factors_counts_vectors():
    sizes = []
    for megabytes in (None, 0.0005):
        nlp = make(["V0:%v[0]", "V1:%t[0]", "U0:%x[0,LOWER]", "U1:%x[-1,LOWER]", "B"], "mtl_morphologizer")
        pipe, examples = nlp.get_pipe("own"), examples_of(nlp, "mtl_morphologizer")
        for example, sentence in zip(examples, SENTENCES, strict=True):
            for token, (_, kind) in zip(example.reference, sentence, strict=True):
                token.pos_ = ["NOUN", "VERB", "ADJ"][kind]
        pipe.model.attrs["megabytes"] = megabytes
        train(nlp, examples, passes=2)
        weights = current_weights(pipe.model)
        dense = weights.dense_codes.size + 2 * weights.dense_scales.size
        sizes.append(dense + (8 + len(weights.labels)) * weights.keys.size)
        assert 0 < dense < sizes[-1]
    assert sizes[1] <= 500 < sizes[0]


# --- what is refused ---


def test_vectors_of_another_width_are_refused_before_any_work(tagged):
    nlp = make(DENSE).from_bytes(tagged.to_bytes(), exclude=["vocab"])
    nlp.vocab.reset_vectors(width=WIDTH + 1)
    with pytest.raises(ValueError, match=r"^\[M482\] .* 6 dimensions .* has 7"):
        nlp("w0 w1")
    empty = spacy.blank("es")
    with pytest.raises(ValueError, match=r"^\[M482\] .* has none"):
        nlp.get_pipe("own").predict([set_tensors(Doc(empty.vocab, ["w0"]))])


def test_vectors_that_are_replaced_in_use_count_at_once(tagged):
    """A word that has been scored with the vectors before is scored anew; those of another width are refused."""
    nlp, words = make(DENSE).from_bytes(tagged.to_bytes()), [word for word, _ in SENTENCES[0]]
    pipe, doc = nlp.get_pipe("own"), set_tensors(Doc(nlp.vocab, words))
    starts = borders([doc])

    def scores(predictor):
        return predictor.scores(predictor.reader.read_given([doc]), starts, starts, doc.tensor)[0]

    predictor = pipe.predictor(nlp.vocab)
    before = scores(predictor)
    nlp.vocab.reset_vectors(width=WIDTH)
    for word in words:
        nlp.vocab.set_vector(word, -vector_of(word))
    after = scores(predictor)
    assert not np.allclose(after, before)
    assert np.array_equal(after, scores(type(predictor)(*predictor._made_of)))
    nlp.vocab.reset_vectors(width=WIDTH + 1)
    with pytest.raises(ValueError, match=r"^\[M482\] .* has 7"):
        pipe.predict([doc])


@pytest.mark.parametrize("tensor", [np.zeros((0,), "f"), np.zeros((2, 4), "f"), np.zeros((1, 3), "f")])
def test_documents_without_the_tensor_of_training_are_refused(tagged, tensor):
    doc = Doc(tagged.vocab, ["w0", "w1"])
    doc.tensor = tensor
    with pytest.raises(ValueError, match=r"^\[M483\] .* rows of 3 numbers .*'w0 w1"):
        tagged.get_pipe("own").predict([doc])


def test_a_vocabulary_without_vectors_is_refused_before_training():
    nlp = spacy.blank("es")
    nlp.add_pipe("mtl_tagger", config={"model": {"templates": patterns(["V0:%v[0]", "B"])}})
    with pytest.raises(ValueError, match=r"^\[M484\]"):
        nlp.initialize(lambda: examples_of(nlp))


def test_a_training_document_without_a_tensor_is_refused():
    nlp = make(["V0:%t[0]", "B"])
    nlp.remove_pipe("dense_tensors")
    examples = examples_of(nlp)
    nlp.initialize(lambda: examples)
    with pytest.raises(ValueError, match=r"^\[M483\]"):
        nlp.update(examples)


def test_learning_on_is_refused(tagged):
    nlp = make([*DENSE, "U0:%x[0,SUFFIX1]", "B"]).from_bytes(tagged.to_bytes())
    nlp.resume_training()
    examples = examples_of(nlp)
    with pytest.raises(ValueError, match=r"^\[M485\]"):
        nlp.update(examples)


@pytest.mark.parametrize("factory", ["mtl_segmenter", "mtl_parser", "mtl_constituents"])
def test_structures_without_vectors_refuse_the_templates(factory):
    nlp = spacy.blank("es")
    with pytest.raises(ValueError, match=r"\[M1(29|30)\].*%v"):
        nlp.add_pipe(factory, config={"model": {"templates": patterns(["V0:%v[0]"])}})


@pytest.mark.parametrize("text", ["V0:%x[0,ORTH]", "U0:%v[0]", "B0:%t[0]", "V0:%v[0]/%v[1]", "V0:%v[0]/%x[0,ORTH]"])
def test_vectors_stand_alone_in_templates(text):
    with pytest.raises(ValueError, match=r"^\[M135\]"):
        TemplateSet.from_texts([text])


def test_templates_of_vectors_are_written_as_they_are_read():
    texts = ["V0:%v[0]", "V-x:%t[-2]", "U0:%x[0,ORTH]", "B"]
    templates = TemplateSet.from_texts(texts)
    assert templates.texts() == texts
    assert [t.name for t in templates.dense] == ["V0", "V-x"]
    assert [t.name for t in templates.node] == ["U0"]
    assert templates.attributes == ("ORTH",)
    for wrong in ("V0", "V0:%v", "V0:%v[a]", "V0:%v[0,ORTH]"):
        with pytest.raises(ValueError, match=r"^\[M10"):
            TemplateSet.from_texts([wrong])


def test_a_report_says_that_it_explains_nothing(tagged):
    examples = examples_of(tagged)
    for each in examples[:4]:
        each.reference[0].tag_ = "T0" if each.reference[0].tag_ != "T0" else "T1"
    (part,) = (report := make_report(tagged, examples)).data.components
    assert (part.errors.documents, part.errors.shown, part.features) == (4, (), [])
    assert "Its templates read vectors, so errors are not explained, and features not named." in report.to_html()
