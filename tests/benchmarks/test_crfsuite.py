"""The search of python-crfsuite's constants."""

from benchmarks.common.crfsuite import constants_of, search


def test_each_method_is_given_its_own_constant():
    given = {"c2": [0.1, 1.0], "c": [0.01]}
    assert constants_of("lbfgs", given) == [{"c2": 0.1}, {"c2": 1.0}]
    assert constants_of("pa", given) == [{"c": 0.01}]
    assert constants_of("ap", given) == [{}]
    assert constants_of("lbfgs", {"c": [0.01]}) == [{}]


def test_every_constant_is_searched_until_its_score_has_peaked():
    scores = {0.1: [1, 5, 4, 3, 2, 9], 1.0: [1, 2, 3, 4, 5, 6]}
    called = []

    def train(values, count):
        called.append((values["c"], count))
        return {"score": scores[values["c"]][count - 1], "iterations": count}

    points = search(train, [{"c": 0.1}, {"c": 1.0}], [1, 2, 3, 4, 5, 6], "score")
    assert called == [(0.1, n) for n in range(1, 6)] + [(1.0, n) for n in range(1, 7)]
    assert [point["constants"]["c"] for point in points] == [c for c, _ in called]
    assert max(points, key=lambda point: point["score"])["iterations"] == 6
