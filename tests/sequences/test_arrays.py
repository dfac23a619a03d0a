"""Problems made from arrays: their blocks, rows and entries, and what is refused before training."""

import numpy as np
import pytest
from scipy import sparse

from spacy_mtl.sequences import Categories, Constraints, KernelBlock, gram, problem_from_arrays
from spacy_mtl.structures.chain.build import chain_offers


def entries(problem, v):
    """Vector block v as a dense table: float[N, R]."""
    vectors, rows = problem.arrays.vectors, problem.blocks.node[-1]
    n, n_vectors = vectors.own.shape
    table = np.zeros((n, rows))
    for t in range(n):
        a, b = vectors.starts[t * n_vectors + v], vectors.starts[t * n_vectors + v + 1]
        assert (np.diff(vectors.rows[a:b]) > 0).all()
        assert (vectors.values[a:b] != 0).all()
        table[t, vectors.rows[a:b]] = vectors.values[a:b]
    first = problem.blocks.node[problem.arrays.rows.shape[1] + v]
    last = problem.blocks.node[problem.arrays.rows.shape[1] + v + 1]
    assert not table[:, :first].any()
    assert not table[:, last:].any()
    return table[:, first:last]


def gaussian(vectors, sigma2):
    return np.exp(-((vectors[:, None] - vectors[None]) ** 2).sum(axis=2) / (2 * sigma2))


@pytest.fixture
def blocks(letters):
    """A mapping of every kind of block, Categories not first."""
    return {
        "dense": letters.vectors,
        "near": KernelBlock(letters.vectors, "gaussian", sigma2=2.0),
        "codes": Categories(letters.columns),
        "sparse": sparse.csr_array(letters.vectors[:, :3]),
        "spline": KernelBlock(letters.vectors, "b1_spline", zeros=0.7),
        "single": Categories(letters.columns[:, 1] * 10),
    }


@pytest.fixture(params=[7, 1 << 21])
def chunk(request, monkeypatch):
    """Few values at a time, or all at once."""
    monkeypatch.setattr(gram, "CHUNK", request.param)


@pytest.mark.usefixtures("chunk")
def test_every_kind_of_block(letters, blocks):
    problem = problem_from_arrays(blocks, letters.y, letters.lengths)
    n = letters.y.size
    assert problem.blocks.names == ("codes0", "codes1", "single", "dense", "near", "sparse", "spline", "transitions")
    assert np.diff(problem.blocks.node).tolist() == [3, 4, 4, 6, n, 3, n]
    assert problem.blocks.pair.tolist() == [0, 1]
    assert (problem.node_width, problem.pair_width) == (3, 9)
    assert problem.n == letters.lengths.size
    np.testing.assert_array_equal(problem.arrays.gold, letters.y)
    np.testing.assert_allclose(entries(problem, 0), letters.vectors, rtol=1e-6)
    np.testing.assert_allclose(entries(problem, 1), gaussian(letters.vectors, 2.0), rtol=1e-5)
    np.testing.assert_allclose(entries(problem, 2), letters.vectors[:, :3], rtol=1e-6)
    spline = entries(problem, 3)
    assert (spline == 0).mean() == pytest.approx(0.7, abs=0.05)
    np.testing.assert_allclose(np.diagonal(spline), 1, rtol=1e-6)


def test_kernelised_positions_know_their_row(letters, blocks):
    problem = problem_from_arrays(blocks, letters.y, letters.lengths)
    n, first = letters.y.size, problem.blocks.node
    own = problem.arrays.vectors.own
    np.testing.assert_array_equal(own[:, 1], first[4] + np.arange(n))
    np.testing.assert_array_equal(own[:, 3], first[6] + np.arange(n))
    assert (own[:, [0, 2]] == -1).all()


def test_categories_have_a_row_for_each_value(letters, blocks):
    problem = problem_from_arrays(blocks, letters.y, letters.lengths)
    rows, first = problem.arrays.rows, problem.blocks.node
    np.testing.assert_array_equal(rows[:, 0], letters.columns[:, 0])
    np.testing.assert_array_equal(rows[:, 1], first[1] + letters.columns[:, 1])
    np.testing.assert_array_equal(rows[:, 2], first[2] + letters.columns[:, 1])


def test_a_single_array_is_a_block(letters):
    for X in (letters.vectors, sparse.coo_matrix(letters.vectors), letters.vectors.tolist()):
        problem = problem_from_arrays(X, letters.y, letters.lengths)
        assert problem.blocks.names == ("X", "transitions")
        np.testing.assert_allclose(entries(problem, 0), letters.vectors, rtol=1e-6)
        assert problem.offers == chain_offers()
    kernelised = problem_from_arrays(KernelBlock(letters.vectors), letters.y, letters.lengths)
    assert kernelised.offers == chain_offers() - {"features", "metric"}


def test_categories_alone_are_templates(letters):
    problem = problem_from_arrays(Categories(letters.columns, names=["shape", "noise"]), letters.y, letters.lengths)
    assert problem.blocks.names == ("shape", "noise", "transitions")
    assert problem.arrays.vectors is None


def test_transitions_are_optional(letters):
    problem = problem_from_arrays(letters.vectors, letters.y, letters.lengths, transitions=False)
    assert problem.blocks.names == ("X",)
    assert problem.arrays.pair_rows.shape == (letters.y.size, 0)


def test_labels_and_missing_gold(letters):
    y = [None if t == 4 else "abc"[label] for t, label in enumerate(letters.y)]
    problem = problem_from_arrays(letters.vectors, y, letters.lengths, labels=["c", "a", "b"])
    assert problem.labels.tolist() == ["c", "a", "b"]
    wanted = (letters.y + 1) % 3
    wanted[4] = -1
    np.testing.assert_array_equal(problem.arrays.gold, wanted)


def test_constraints_and_cost_go_through(letters):
    allowed = Constraints.none(4)
    allowed.step[3] = False
    cost = 2.0 * (1 - np.eye(4))
    y = letters.y.tolist()
    problem = problem_from_arrays(
        letters.vectors, y, letters.lengths, labels=[0, 1, 2, 9], constraints=allowed, cost=cost
    )
    assert (problem.arrays.step[3] < -1e8).all()
    assert not problem.arrays.step[:3].any()
    np.testing.assert_array_equal(problem.arrays.cost, cost)


def refused(code, X, letters, **changes):
    y, lengths = changes.pop("y", letters.y), changes.pop("lengths", letters.lengths)
    with pytest.raises(ValueError, match=rf"\[{code}\]") as error:
        problem_from_arrays(X, y, lengths, **changes)
    return str(error.value)


def test_arrays_that_do_not_fit(letters):
    n = letters.y.size
    assert f"sum to {n - 1}" in refused("M220", letters.vectors, letters, lengths=[n - 1])
    assert f"{n - 1} positions" in refused("M222", letters.vectors[1:], letters)
    assert "'b'" in refused("M222", {"a": letters.vectors, "b": letters.vectors[1:]}, letters)
    assert "'k'" in refused("M222", {"a": letters.vectors, "k": KernelBlock(letters.vectors[1:])}, letters)
    assert "'c'" in refused("M222", {"a": letters.vectors, "c": Categories(letters.columns[1:])}, letters)
    refused("M222", {}, letters)
    refused("M220", np.empty((0, 3)), letters, y=[], lengths=[])
    refused("M220", letters.vectors, letters, lengths=[])
    refused("M222", np.empty((0, 3)), letters)
    refused("M204", letters.vectors, letters, y=[None] * n, labels=["a"])
    assert "'9'" in refused("M231", letters.vectors, letters, y=["9"] * n, labels=["a"])


def test_who_disagrees_about_the_number_of_positions_is_named(letters):
    X, y, n = letters.vectors, letters.y, letters.y.size
    message = refused("M238", X, letters, y=y[1:])
    assert "y does not fit" in message
    assert f"X has {n} positions, y has {n - 1} and the lengths sum to {n}" in message
    blocks = {"k": KernelBlock(X), "c": Categories(letters.columns), "s": sparse.csr_array(X), "list": X.tolist()}
    assert "y does not fit" in refused("M238", blocks, letters, y=y[1:])
    assert "lengths of the sequences sum to 3" in refused("M220", blocks, letters, lengths=[1, 2])
    assert "X, y and lengths do not fit" in refused("M238", X[2:], letters, y=y[1:])
    message = refused("M238", {"a": X, "b": X[1:]}, letters, y=y[2:])
    assert "X, y and lengths do not fit" in message
    assert f"X has {n} ('a'), {n - 1} ('b') positions" in message
    assert "Block 'b'" in refused("M222", {"a": X, "b": X[1:]}, letters)


def test_blocks_that_are_refused(letters):
    vectors = letters.vectors.copy()
    vectors[3, 1] = np.nan
    for X in (vectors, sparse.csr_array(vectors), KernelBlock(vectors)):
        assert "position 3" in refused("M223", {"pixels": X}, letters)
    assert "'a'" in refused("M226", {"a": letters.vectors, "c": Categories(letters.columns, ["a", "b"])}, letters)
    assert "'transitions'" in refused("M226", {"transitions": letters.vectors}, letters)
    refused("M228", {"pixels": letters.vectors[:, 0]}, letters)
    refused("M229", {"codes": Categories(letters.columns - 1)}, letters)
    assert "1 names" in refused("M229", {"codes": Categories(letters.columns, ["one"])}, letters)
    assert "names = 5" in refused("M229", {"codes": Categories(letters.columns, 5)}, letters)
    named = problem_from_arrays(Categories(letters.columns, np.array(["a", "b"])), letters.y, letters.lengths)
    assert named.blocks.names == ("a", "b", "transitions")
    ragged = [[1, 2], *letters.vectors[1:].tolist()]
    for y in (letters.y, letters.y[1:]):
        refused("M228" if y.size == letters.y.size else "M238", ragged, letters, y=y)


@pytest.mark.parametrize(
    ("kernel", "settings", "named"),
    [
        ("gaussian", {}, "sigma2"),
        ("gaussian", {"sigma2": 0}, "sigma2"),
        ("gaussian", {"sigma2": -1.0}, "sigma2"),
        ("gaussian", {"sigma2": np.inf}, "sigma2"),
        ("gaussian", {"sigma2": np.nan}, "sigma2"),
        ("gaussian", {"sigma2": "5"}, "sigma2"),
        ("quadratic", {"offset": -1}, "offset"),
        ("b1_spline", {"h": 0}, "h"),
        ("b1_spline", {"zeros": 1.0}, "zeros"),
        ("b1_spline", {"zeros": -0.1}, "zeros"),
        ("b1_spline", {"zeros": "most"}, "zeros"),
        ("b1_spline", {"h": 1.0, "zeros": 7}, "zeros"),
        ("gaussian", {"sigma2": True}, "sigma2"),
        ("linear", {"normalize": "no"}, "normalize"),
        (lambda a, b: a @ b.T, {"normalize": 1}, "normalize"),
    ],
)
def test_settings_of_kernels(letters, kernel, settings, named):
    message = refused("M227", {"near": KernelBlock(letters.vectors, kernel, **settings)}, letters)
    assert f"setting {named} of the block 'near'" in message


@pytest.mark.parametrize(
    ("kernel", "settings", "named"),
    [
        ("linear", {"sigma2": -3}, "sigma2"),
        ("linear", {"zeros": 7}, "zeros"),
        ("gaussian", {"sigma2": 1, "h": 2}, "h"),
        ("b1_spline", {"offset": 1}, "offset"),
        (lambda a, b: a @ b.T, {"sigma2": 1}, "sigma2"),
    ],
)
def test_settings_that_a_kernel_does_not_have(letters, kernel, settings, named):
    message = refused("M240", {"near": KernelBlock(letters.vectors, kernel, **settings)}, letters)
    assert f"'near' does not have the setting {named}" in message


def test_switches_and_constraints(letters):
    for value in (2, "no", None, 1):
        assert "transitions" in refused("M239", letters.vectors, letters, transitions=value)
    assert "'none'" in refused("M239", letters.vectors, letters, constraints="none")
    problem = problem_from_arrays(letters.vectors, letters.y, letters.lengths, transitions=np.False_)
    assert problem.blocks.names == ("X",)


def test_kernels_that_are_none(letters):
    message = refused("M235", {"near": KernelBlock(letters.vectors, "cubic")}, letters)
    assert "'near'" in message
    assert "gaussian" in message
    assert "['linear']" in refused("M235", {"near": KernelBlock(letters.vectors, ["linear"])}, letters)
    refused("M224", {"near": KernelBlock(letters.vectors, lambda a, b: -(a @ b.T))}, letters)
    refused("M225", {"near": KernelBlock(letters.vectors, lambda a, b: a)}, letters)


def test_one_position_again_and_again_has_no_neighbours(letters):
    """All distances are 0: there is no width to find."""
    same = np.ones_like(letters.vectors)
    message = refused("M236", {"near": KernelBlock(same, "b1_spline")}, letters)
    assert "zeros = 0.95" in message
    assert "duplicates" in message


@pytest.mark.parametrize("number", [np.float32, np.float64, np.int64, int])
def test_settings_may_be_numbers_of_numpy(letters, number):
    problem = problem_from_arrays(
        KernelBlock(letters.vectors, "gaussian", sigma2=number(2)), letters.y, letters.lengths
    )
    np.testing.assert_allclose(entries(problem, 0), gaussian(letters.vectors, 2.0), rtol=1e-5)
    assert type(problem.fitted[0].kernel.sigma2) is float


def test_more_rows_than_there_are_numbers(letters):
    wide = sparse.csr_array((letters.y.size, 1 << 30), dtype=np.float32)
    assert "2147483648 features" in refused("M237", {"a": wide, "b": wide}, letters)


def test_no_gold_and_no_labels(letters):
    refused("M204", letters.vectors[:2], letters, y=[None, None], lengths=[2])


def test_constraints_are_true_or_false(letters):
    plain = Constraints.none(3)
    plain.step[2, 2] = False
    numbers = Constraints(*(part.astype(int) for part in (plain.start, plain.end, plain.step)))
    lists = Constraints(*(part.tolist() for part in (plain.start, plain.end, plain.step)))
    y = np.where(np.arange(letters.y.size) % 2, letters.y, 0)
    for given in (numbers, lists):
        problem = problem_from_arrays(letters.vectors, y, letters.lengths, labels=[0, 1, 2], constraints=given)
        np.testing.assert_array_equal(problem.arrays.step < 0, ~plain.step)
        assert not problem.arrays.start.any()
        assert problem.model(problem.zeros()).step_mask[2, 2] < 0
    for value in (2, -1, 0.5, np.nan):
        start = np.array([1, value, 1])
        message = refused("M234", letters.vectors, letters, constraints=Constraints(start, plain.end, plain.step))
        assert "the value" in message
    ragged = Constraints(plain.start, plain.end, [[True], [True, False], [True]])
    refused("M234", letters.vectors, letters, constraints=ragged)
    words = Constraints(["yes"] * 3, plain.end, plain.step)
    refused("M234", letters.vectors, letters, constraints=words)
    forms = Constraints(plain.start, plain.end, plain.step, np.array([7], np.uint64), np.ones((1, 3), bool))
    assert "by form" in refused("M234", letters.vectors, letters, constraints=forms)


def test_constraints_over_other_labels(letters):
    assert "(3,), (3,), (3, 3)" in refused("M234", letters.vectors, letters, constraints=Constraints.none(2))
    for cost in (np.zeros((2, 2)), [[0, 1, 1], [1, 0], [1, 1, 0]], "high", [[None] * 3] * 3):
        refused("M202", letters.vectors, letters, cost=cost)
    forbids = Constraints.none(3)
    forbids.start[:] = False
    refused("M201", letters.vectors, letters, constraints=forbids)
