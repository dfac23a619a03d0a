"""Looking at a training does not change it: whoever predicts, evaluates, saves or asks for reports in between saves the same bytes in the end."""

import pytest

from .test_every_trainer import PAIRS, identify, inputs, read, untrained


def look(nlp, component, examples):
    """Everything that does not train."""
    pipe = nlp.get_pipe(component)
    list(nlp.pipe(inputs(component, nlp, examples[:3])))
    nlp.evaluate(examples[:3])
    pipe.to_bytes()
    pipe.template_weights()
    assert pipe.report is not None


def trained(component, case, read_corpus, looks):
    """The bytes of a component amid its sixth pass, each in two batches; ``looks`` after each batch but the last."""
    nlp = untrained(component, case)
    examples = read(component, nlp, read_corpus)[:16]
    nlp.initialize(lambda: examples)
    pipe = nlp.get_pipe(component)
    for number in range(11):
        nlp.update(examples[number % 2 :: 2])
        if 1 <= number < 10:  # the first pass gathers the corpus
            looks(nlp, component, examples)
    return pipe.to_bytes(exclude=["vocab"])


#: of each way of training a few with grammars, whose learners are one kind
LOOKED_AT = [pair for pair in PAIRS if pair[0] in ("mtl_ner", "mtl_parser")]
LOOKED_AT += [pair for pair in PAIRS if pair[0] == "mtl_constituents" and pair[1][0] in ("MTLStruct", "Perceptron")]


@pytest.mark.parametrize("pair", LOOKED_AT, ids=identify)
def test_looking_changes_nothing(pair, read_corpus):
    assert trained(*pair, read_corpus, look) == trained(*pair, read_corpus, lambda *_: None)
