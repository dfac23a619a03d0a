import numpy as np
import pytest

from spacy_mtl.models.chain.export import ROW_BYTES, export_chain
from spacy_mtl.models.chain.weights import short_keys
from spacy_mtl.structures.contract import Weights
from spacy_mtl.structures.problem import Blocks
from spacy_mtl.templates.grammar import TemplateSet

LABELS = ("O", "B-X")
TEMPLATES = TemplateSet.from_texts(["U0:%x[0,ORTH]", "U1:%x[0,TAG]", "B", "B1:%x[0,TAG]", "B2:%x[0,ORTH]"])
#: 3 + 2 node rows, 1 + 2 + 1 pair rows
BLOCKS = Blocks(np.array([0, 3, 5]), np.array([0, 1, 3, 4]), ("U0", "U1", "B", "B1", "B2"))
NODE = np.array([[1, -3], [0, 0], [0.5, 0.25], [0, 0], [-2, 0]], np.float32)
PAIR = np.array([[1, 2, 3, 4], [0, 0, 0, 0], [8, 0, 0, -4], [0, 1, 0, 0]], np.float32)
KEYS = np.array([50, 40, 30, 20, 10], np.uint64), np.array([0, 7, 6, 5], np.uint64)
MU = np.array([0.4, 0.3, 0.2, 0.1, 0.0])
NORMS = np.array([4.0, 2, 5, 9, 1])


def export(megabytes=None, mu=MU, taken=0):
    return export_chain(
        Weights(NODE, PAIR), mu, NORMS, BLOCKS, (*TEMPLATES.node, *TEMPLATES.edge), KEYS, LABELS, megabytes, taken=taken
    )


def rows(weights) -> dict[int, list[float]]:
    return dict(zip(weights.keys.tolist(), weights.node_rows().tolist(), strict=True))


def test_rows_that_are_not_zero_are_kept_in_order_of_their_keys():
    weights = export()
    assert weights.keys.tolist() == [10, 30, 50]
    assert weights.pair_keys.tolist() == [5, 6]
    assert np.allclose(weights.node_rows(), NODE[[4, 2, 0]], atol=3 / 200)
    assert np.allclose(weights.pair_rows(), PAIR[[3, 2]], atol=8 / 200)


@pytest.mark.parametrize("scale", [1e-9, 1.0, 1e9])
def test_rows_of_dead_templates_are_not_kept_whatever_the_unit_of_template_weights(scale):
    mu = scale * np.array([0.4, 1e-6, 0.2, 0.1, 0.0])
    assert export(mu=mu).keys.tolist() == [30, 50]


def test_transitions_without_observation_become_the_step_matrix():
    assert export().step.tolist() == [[1, 2], [3, 4]]


def test_report_has_a_line_per_template():
    report = export().templates
    assert [row.text for row in report] == [*TEMPLATES.texts()]
    assert [row.weight for row in report] == MU.tolist()
    assert [row.norm for row in report] == NORMS.tolist()
    assert [row.rows for row in report] == [2, 1, 1, 1, 1]


@pytest.mark.filterwarnings("ignore:.*M433")
@pytest.mark.parametrize(
    ("budget", "keys", "pair_keys"),
    [
        (10**6, [10, 30, 50], [5, 6]),
        (3 * (ROW_BYTES + 2) + 2 * (ROW_BYTES + 4), [10, 30, 50], [5, 6]),
        (3 * (ROW_BYTES + 2) + 2 * (ROW_BYTES + 4) - 1, [10, 50], [5, 6]),  # the weakest row goes first
        (2 * (ROW_BYTES + 2) + (ROW_BYTES + 4), [10, 50], [6]),
        (ROW_BYTES + 4, [], [6]),
        (1, [], []),
    ],
)
def test_strongest_rows_of_both_kinds_share_the_budget(budget, keys, pair_keys):
    weights = export(budget / 1e6)
    assert weights.keys.tolist() == keys
    assert weights.pair_keys.tolist() == pair_keys
    assert weights.step.any()
    assert [row.rows for row in weights.templates] == [
        sum(key in (50, 40, 30) for key in keys), sum(key in (20, 10) for key in keys),
        1, sum(key in (7, 6) for key in pair_keys), sum(key == 5 for key in pair_keys),
    ]  # fmt: skip


def test_what_others_take_is_no_budget_of_rows_and_is_told():
    budget = 2 * (ROW_BYTES + 2) + (ROW_BYTES + 4)
    weights = export((budget + 10**6) / 1e6, taken=10**6)
    assert weights.keys.tolist() == [10, 50]
    assert weights.pair_keys.tolist() == [6]
    with pytest.warns(UserWarning, match=r"\[M433\] .* leaves 0 of the 5 .* takes 2\.00 megabytes\)"):
        weights = export(1.0, taken=2 * 10**6)
    assert weights.keys.size == weights.pair_keys.size == 0


def test_templates_without_pairs_have_no_transitions():
    templates = TEMPLATES.node
    blocks = Blocks(BLOCKS.node, np.array([0]), ("U0", "U1"))
    pair = np.empty((0, 4), np.float32), np.empty(0, np.uint64)
    weights = export_chain(
        Weights(NODE, pair[0]), MU[:2], NORMS[:2], blocks, templates, (KEYS[0], pair[1]), LABELS, None
    )
    assert weights.step.tolist() == [[0, 0], [0, 0]]
    assert weights.pair_keys.size == 0
    assert [row.rows for row in weights.templates] == [2, 1]


@pytest.mark.filterwarnings("ignore:.*M433")
def test_trained_model_keeps_to_its_size(make_nlp, read_corpus, train):
    nlp = make_nlp()
    ner = train(nlp, read_corpus(nlp), passes=1).get_pipe("mtl_ner")
    full = ner._learner.export(None)
    width = len(full.labels)
    assert full.keys.size * (ROW_BYTES + width) + full.pair_keys.size * (ROW_BYTES + width**2) > 0.02 * 1e6
    for megabytes in (0.02, 0.005, 0.001):
        cut = ner._learner.export(megabytes)
        assert 0 < cut.keys.size + cut.pair_keys.size < full.keys.size + full.pair_keys.size
        assert cut.keys.size * (ROW_BYTES + width) + cut.pair_keys.size * (ROW_BYTES + width**2) <= megabytes * 1e6
        assert np.isin(cut.keys, full.keys).all()
        assert np.isin(cut.pair_keys, full.pair_keys).all()
    assert np.array_equal(short_keys(full.keys), full.keys)
