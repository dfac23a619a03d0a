"""Which documents are explained: those whose gold has the largest losses, for every component."""

import numpy as np
import pytest
from spacy.training import Example

from benchmarks.insight import small
from spacy_mtl.report.costliest import Case, worst_first
from spacy_mtl.report.pairs import task_of


def own_loss(pipe, case):
    """The largest loss in a document that is looked at alone."""
    considered = pipe.considered([case.inputs], held=False)
    gold = pipe.told_gold(Example(case.inputs, case.example.reference), considered.borders[0])
    losses = considered.losses(considered.kinds[0], [gold], 1.0)
    assert losses.shape == considered.loss_places(considered.kinds[0]).shape
    return np.nan_to_num(losses, nan=-np.inf, posinf=0.0).max(initial=-np.inf)


@pytest.mark.parametrize("component", small.COMPONENTS)
def test_documents_whose_gold_loses_most_come_first(component):
    nlp = small.trained(component, "Perceptron", 1)
    pipe = nlp.get_pipe(nlp.pipe_names[-1])
    examples = small.read(component, nlp, "dev")[:12]
    task = task_of(pipe)
    cases = []
    for number, example in enumerate(examples, start=1):
        doc = next(iter(pipe.pipe([example.predicted.copy()])))
        shown = Example(doc, example.reference)
        cases.append(Case(number, example.predicted, shown, task.compare(shown)))
    found = [own_loss(pipe, case) for case in worst_first(pipe, cases)]
    assert found == pytest.approx(sorted(found, reverse=True), abs=1e-4)
    assert found != [own_loss(pipe, case) for case in cases]  # which are not in this order by chance


def test_a_sentence_that_is_not_parsed_moves_no_losses():
    nlp = small.trained("mtl_constituents", "Perceptron", 3)
    pipe = nlp.get_pipe("mtl_constituents")
    examples = sorted(small.read("mtl_constituents", nlp, "dev")[:12], key=lambda each: -len(each.predicted))
    pipe.max_words = len(examples[0].predicted) - 1
    cases = [Case(k, e.predicted, e, task_of(pipe).compare(e)) for k, e in enumerate(examples)]
    assert worst_first(pipe, cases)[-1].number == 0
