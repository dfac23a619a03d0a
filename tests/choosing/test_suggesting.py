from itertools import pairwise, product

import numpy as np
import pytest
import spacy

from spacy_mtl.choosing.suggesting import Wanted, choose
from spacy_mtl.choosing.uncertain import ENTROPY, MARGIN, Unsure, binary, fill_uncertainty, temperature, uncertainty

from ..pipelines import make_nlp, read_corpus, train


def by_enumeration(nodes, pairs, margin):
    """Entropy of each label, or 1 minus the margin, from all label sequences."""
    n, n_labels = nodes.shape
    probabilities = np.zeros((n, n_labels))
    total = 0.0
    for labels in product(range(n_labels), repeat=n):
        step = [pairs[t if len(pairs) > 1 else 0, labels[t - 1], labels[t]] for t in range(1, n)]
        weight = np.exp(nodes[range(n), labels].sum() + sum(step))
        total += weight
        probabilities[range(n), labels] += weight
    probabilities /= total
    ordered = np.sort(probabilities, axis=1)
    entropy = -np.sum(probabilities * np.log(probabilities), axis=1)
    return 1 - (ordered[:, -1] - ordered[:, -2]) if margin else entropy


@pytest.mark.parametrize("margin", [False, True])
@pytest.mark.parametrize("observed", [False, True])
def test_entropy_and_margin_are_those_of_all_sequences(margin, observed):
    random = np.random.default_rng(3)
    starts = np.array([0, 3, 3, 4, 8])
    nodes = random.normal(size=(8, 3)).astype(np.float32)
    pairs = random.normal(size=(8 if observed else 1, 3, 3)).astype(np.float32)
    found = np.zeros(8)
    fill_uncertainty(starts, nodes, pairs, margin, found)
    for a, b in pairwise(starts.tolist()):
        if a < b:
            own = pairs[a:b] if observed else pairs
            assert found[a:b] == pytest.approx(by_enumeration(nodes[a:b], own, margin), abs=1e-6)


def texts(*values, forms=None):
    """Texts whose words have these values, all of different forms unless these are given."""
    made, at = [], 0
    for k, own in enumerate(values):
        names = range(at, at + len(own)) if forms is None else forms[k]
        made.append(Unsure(np.array(names, np.uint64), np.array(own, float)))
        at += len(own)
    return made


def numbers(found):
    return [choice.number for choice in found]


def test_the_most_unsure_come_first_for_what_they_cost():
    made = texts([1.0, 1.0, 1.0, 1.0], [3.0, 0.0], [0.5])
    assert numbers(choose(made, [4, 2, 1], Wanted(3))) == [1, 0, 2]
    assert numbers(choose(made, [4, 2, 1], Wanted(3, per_token=False))) == [0, 1, 2]
    assert numbers(choose(made, [4, 2, 1], Wanted(2))) == [1, 0]
    # a text costs 10 tokens more: long ones are worth it
    assert numbers(choose(made, [4, 2, 1], Wanted(3, overhead=10.0))) == [0, 1, 2]


def test_words_that_were_chosen_count_less():
    made = texts([2.0], [1.9], [1.5], forms=[[7], [7], [8]])
    assert numbers(choose(made, [1, 1, 1], Wanted(3, diversity=0.0))) == [0, 1, 2]
    found = choose(made, [1, 1, 1], Wanted(3, diversity=0.5))
    assert numbers(found) == [0, 2, 1]
    assert [choice.value for choice in found] == pytest.approx([2.0, 1.5, 0.95])
    (repeated,) = choose(texts([1.0, 1.0, 1.0], forms=[[7, 7, 7]]), [3], Wanted(1))
    assert repeated.value == pytest.approx((1 + 0.5 + 0.25) / 3)


def test_lazy_choice_is_the_greedy_one():
    random = np.random.default_rng(5)
    forms = [random.integers(0, 12, size=random.integers(1, 9)).tolist() for _ in range(40)]
    made = texts(*(random.random(len(own)).tolist() for own in forms), forms=forms)
    sizes = [len(own) for own in forms]
    counts, left, expected = dict.fromkeys(range(12), 0), set(range(40)), []
    for _ in range(15):

        def worth(k):
            seen, total = dict(counts), 0.0
            for form, value in zip(forms[k], made[k].values, strict=True):
                total += value * 0.7 ** seen[form]
                seen[form] += 1
            return total / sizes[k]

        best = max(sorted(left), key=worth)
        expected.append(best)
        left.remove(best)
        for form in forms[best]:
            counts[form] += 1
    assert numbers(choose(made, sizes, Wanted(15, diversity=0.3))) == expected


def test_no_more_tokens_than_asked_for():
    made = texts([9.0] * 5, [1.0] * 3, [0.5] * 2, [])
    assert numbers(choose(made, [5, 3, 2, 0], Wanted(9, tokens=5))) == [0]
    assert numbers(choose(made, [5, 3, 2, 0], Wanted(9, tokens=4))) == [1]
    assert numbers(choose(made, [5, 3, 2, 0], Wanted(9))) == [0, 1, 2]


@pytest.mark.parametrize("by", [ENTROPY, MARGIN])
def test_new_texts_are_less_sure_than_those_learnt(by):
    nlp = make_nlp(["U0:%x[0,LOWER]", "U1:%x[-1,LOWER]", "B"])
    examples = read_corpus(nlp)
    train(nlp, examples, 10)
    pipe = nlp.get_pipe("mtl_ner")
    docs = [example.predicted for split in ("train", "dev") for example in read_corpus(nlp, split)]
    found = uncertainty(pipe, docs, by)
    assert [each.forms.tolist() for each in found] == [doc.to_array("ORTH").tolist() for doc in docs]
    assert all((each.values >= 0).all() for each in found)
    known, new = (np.concatenate([each.values for each in part]).mean() for part in (found[:40], found[40:]))
    assert new > 1.2 * known
    if by == ENTROPY:
        assert np.concatenate([each.values for each in found]).mean() == pytest.approx(0.1, rel=1e-3)


def test_the_order_of_the_texts_changes_nothing(monkeypatch):
    monkeypatch.setattr("spacy_mtl.choosing.uncertain.BATCH", 7)
    nlp = make_nlp(["U0:%x[0,LOWER]", "U1:%x[-1,LOWER]", "B"])
    train(nlp, read_corpus(nlp), 10)
    pipe = nlp.get_pipe("mtl_ner")
    docs = [example.predicted for split in ("train", "dev") for example in read_corpus(nlp, split)]
    told = []
    found = [each.values for each in uncertainty(pipe, docs, tell=told.append)]
    other = [each.values for each in uncertainty(pipe, docs[::-1])][::-1]
    assert np.concatenate(found) == pytest.approx(np.concatenate(other), rel=1e-4, abs=1e-9)
    assert sum(told) == len(docs)
    assert max(told) == 7


def test_the_temperature_does_not_depend_on_the_scale():
    gaps = np.random.default_rng(1).exponential(size=400)
    found = [temperature(lambda t, k=k: binary(k * gaps / t, False)) for k in (0.01, 1.0, 100.0)]
    assert found == pytest.approx([found[1] / 100, found[1], found[1] * 100], rel=1e-4)
    assert binary(gaps / found[1], False).mean() == pytest.approx(0.1, rel=1e-4)


@pytest.mark.parametrize("by", [ENTROPY, MARGIN])
def test_other_components_are_asked_for_their_decisions(by):
    from spacy_mtl.corpora.conllu import ConlluCorpus

    nlp = spacy.blank("nl")
    nlp.add_pipe("mtl_parser", config={"trainer": {"@mtl_trainers": "spacy_mtl.Perceptron.v1"}})
    examples = list(ConlluCorpus("assets/nl-trees/train.conllu", limit=15)(nlp))
    train(nlp, examples, 2)
    docs = [example.predicted for example in examples[:3]]
    pipe = nlp.get_pipe("mtl_parser")
    every = [[each for each in pipe.explain(doc).decisions if each.runner_up is not None] for doc in docs]
    every_gap = np.array([each.difference for told in every for each in told])
    scale = temperature(lambda t: binary(every_gap / t, False))
    seen = []
    for doc, told, found in zip(docs, every, uncertainty(pipe, docs, by, seen.append), strict=True):
        other = 1 / (1 + np.exp([min(each.difference / scale, 500) for each in told]))
        expected = 2 * other if by == MARGIN else -other * np.log(other) - (1 - other) * np.log(1 - other)
        assert found.values == pytest.approx(expected, rel=1e-4, abs=1e-9)
        assert found.forms.tolist() == [doc[each.start].orth for each in told]
    assert seen == [1, 1, 1]
    with pytest.raises(ValueError, match="M444"):
        uncertainty(pipe, [nlp.make_doc("zonder labels")])


def test_an_untrained_component_is_refused():
    nlp = make_nlp()
    with pytest.raises(ValueError, match="M475"):
        uncertainty(nlp.get_pipe("mtl_ner"), [nlp.make_doc("Ana vive")])
