"""Models as files: the same predictions after a round trip, and files that are none or damaged are refused."""

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy import sparse

from spacy_mtl.sequences import Categories, Constraints, KernelBlock, load, problem_from_arrays, save
from spacy_mtl.sequences.store import FORMAT
from spacy_mtl.structures.contract import Weights


def product(a, b):
    return a @ b.T


def blocks_of(data):
    return {
        "dense": data.vectors,
        "near": KernelBlock(data.vectors, "gaussian", sigma2=2.0, normalize=True),
        "codes": Categories(data.columns),
        "square": KernelBlock(sparse.csr_array(data.vectors), "quadratic", offset=1.0),
        "own": KernelBlock(data.vectors, product, normalize=True),
    }


def some_model(data, names=("c", "b", "ä"), blocks=None):
    allowed = Constraints.none(3)
    allowed.step[0, 0] = False
    y = [None if t % 2 else names[label] for t, label in enumerate(data.y)]
    blocks = blocks_of(data) if blocks is None else blocks
    problem = problem_from_arrays(blocks, y, data.lengths, labels=list(names), constraints=allowed)
    rng = np.random.default_rng(0)
    return problem.model(Weights(*(rng.normal(size=m.shape).astype(np.float32) for m in problem.zeros())))


@pytest.mark.parametrize("names", [("c", "b", "ä"), (5, -7, 0)])
def test_round_trip(letters, new_letters, tmp_path, names):
    model = some_model(letters, names)
    path = tmp_path / "new" / "model.npz"
    save(model, path)
    again = load(path, functions={"own": product})
    X = blocks_of(new_letters)
    np.testing.assert_array_equal(again.scores(X), model.scores(X))
    np.testing.assert_array_equal(again.predict(X, new_letters.lengths), model.predict(X, new_letters.lengths))
    assert again.labels.dtype == model.labels.dtype
    assert [file.name for file in path.parent.iterdir()] == ["model.npz"]


def test_only_models_are_saved(letters, tmp_path):
    problem = problem_from_arrays(letters.vectors, letters.y, letters.lengths)
    for value in (problem, problem.zeros(), None):
        with pytest.raises(ValueError, match=r"\[M768\].*problem\.model"):
            save(value, tmp_path / "model.npz")


def test_the_users_function_must_be_given_again(letters, tmp_path):
    save(some_model(letters), tmp_path / "model.npz")
    for functions in (None, {"other": product}):
        with pytest.raises(ValueError, match=r"\[M221\].*model\.npz.*'own'"):
            load(tmp_path / "model.npz", functions)


def test_no_model_file(tmp_path):
    with pytest.raises(ValueError, match=r"\[M605\].*nothing\.npz"):
        load(tmp_path / "nothing.npz")
    (tmp_path / "text.npz").write_text("not a model")
    with pytest.raises(ValueError, match=r"\[M601\].*text\.npz"):
        load(tmp_path / "text.npz")
    np.savez(tmp_path / "arrays.npz", a=np.ones(3))
    with pytest.raises(ValueError, match=r"\[M601\].*arrays\.npz"):
        load(tmp_path / "arrays.npz")


def rewrite(path, **changes):
    """The file with some arrays changed, or left out where None."""
    with np.load(path) as file:
        arrays = {name: file[name] for name in file.files}
    arrays |= changes
    np.savez(path, **{name: array for name, array in arrays.items() if array is not None})


def header_with(path, old, new):
    with np.load(path) as file:
        text = file["header"].tobytes().decode("utf8")
    assert old in text
    return np.frombuffer(text.replace(old, new).encode("utf8"), np.uint8)


def test_files_of_another_kind(letters, tmp_path):
    path = tmp_path / "model.npz"
    save(some_model(letters, blocks={"x": letters.vectors}), path)
    rewrite(path, header=header_with(path, f'"format": {FORMAT}', '"format": 99'))
    with pytest.raises(ValueError, match=r"\[M602\].*99"):
        load(path)
    rewrite(path, header=header_with(path, '"format": 99, ', ""))
    with pytest.raises(ValueError, match=r"\[M602\]"):
        load(path)
    rewrite(path, header=header_with(path, "spacy_mtl.sequences", "something"))
    with pytest.raises(ValueError, match=r"\[M601\]"):
        load(path)


@pytest.mark.parametrize(
    "changes",
    [
        {"0.weights": np.zeros((2, 3), np.float32)},
        {"0.weights": np.zeros((6, 3))},
        {"labels": np.array(["a"])},
        {"start_mask": np.zeros(5, np.float32)},
        {"1.vectors": np.zeros((2, 6))},
        {"1.scale": np.zeros(2)},
    ],
)
def test_arrays_that_do_not_fit_each_other(letters, tmp_path, changes):
    path = tmp_path / "model.npz"
    blocks = {"x": letters.vectors, "near": KernelBlock(letters.vectors, normalize=True)}
    save(some_model(letters, blocks=blocks), path)
    rewrite(path)
    load(path)
    rewrite(path, **changes)
    with pytest.raises(ValueError, match=r"\[M610\]"):
        load(path)


@pytest.mark.parametrize("name", ["step", "0.weights"])
def test_an_array_that_is_missing(letters, tmp_path, name):
    path = tmp_path / "model.npz"
    save(some_model(letters, blocks={"x": letters.vectors}), path)
    rewrite(path, **{name: None})
    with pytest.raises(ValueError, match=r"\[M603\]"):
        load(path)


def test_nothing_is_unpickled(letters, tmp_path):
    path = tmp_path / "model.npz"
    save(some_model(letters, blocks={"x": letters.vectors}), path)
    rewrite(path, labels=np.array(["a", "b", None], object))
    with pytest.raises(ValueError, match=r"\[M610\]"):
        load(path)


@settings(max_examples=100)
@given(place=st.floats(0, 0.999), flip=st.integers(1, 255), cut=st.booleans())
def test_damage_is_noticed(make_letters, tmp_path_factory, place, flip, cut):
    """A flipped byte gives the same arrays (it may be one that says nothing) or is refused; a file cut short is refused."""
    data = make_letters(0, 4)
    path = tmp_path_factory.mktemp("damage") / "model.npz"
    save(some_model(data, blocks={"X": data.vectors}), path)
    whole, wanted = bytearray(path.read_bytes()), load(path).scores(data.vectors)
    at = int(place * len(whole))
    if cut:
        whole = whole[:at]
    else:
        whole[at] ^= flip
    path.write_bytes(whole)
    refusal = ""
    try:
        scores = load(path).scores(data.vectors)
    except ValueError as error:
        refusal = str(error)
    if refusal:
        assert refusal.startswith(("[M601]", "[M602]", "[M603]", "[M640]"))
    else:
        assert not cut
        np.testing.assert_array_equal(scores, wanted)
