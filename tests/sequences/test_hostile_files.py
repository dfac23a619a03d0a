"""Model files made by hand: whatever they hold, loading is one coded error, and asks for no more memory than the file's size allows."""

import json
import subprocess
import sys
import zipfile

import numpy as np
import pytest
from scipy import sparse

from spacy_mtl.sequences import Categories, KernelBlock, load, problem_from_arrays, save
from spacy_mtl.sequences.archive import EXPANSION, SPARE
from spacy_mtl.structures.contract import Weights


@pytest.fixture
def path(letters, tmp_path):
    """A model with a block of every kind: 0 categories, 1 features, 2 dense and 3 sparse kernel vectors."""
    blocks = {
        "dense": letters.vectors,
        "near": KernelBlock(letters.vectors, "gaussian", sigma2=2.0, normalize=True),
        "square": KernelBlock(sparse.csr_array(letters.vectors), "quadratic", offset=1.0),
        "codes": Categories(letters.columns),
    }
    problem = problem_from_arrays(blocks, [("b", "a", "ä")[label] for label in letters.y], letters.lengths)
    rng = np.random.default_rng(0)
    model = problem.model(Weights(*(rng.normal(size=m.shape).astype(np.float32) for m in problem.zeros())))
    save(model, tmp_path / "model.npz")
    return tmp_path / "model.npz"


def arrays_of(path):
    with np.load(path) as file:
        return {name: file[name] for name in file.files}


def rewrite(path, **changes):
    """Write the file again. changes: name -> array (None: without it), or what makes it from the old one."""
    arrays = arrays_of(path)
    for name, change in changes.items():
        arrays[name] = change(arrays[name].copy()) if callable(change) else change
    np.savez_compressed(path, **{name: array for name, array in arrays.items() if array is not None})


def edit_header(path, edit):
    def changed(header):
        value = json.loads(header.tobytes())
        edit(value)
        return np.frombuffer(json.dumps(value).encode(), np.uint8)

    rewrite(path, header=changed)


def refused(path, code="M603"):
    with pytest.raises(ValueError, match=rf"^\[({code})\] .*model\.npz"):
        load(path)


def put(k, value):
    """What sets entry k of an array."""

    def change(array):
        array.reshape(-1)[k] = value
        return array

    return change


CHANGES = {
    "column beyond the table": {"3.indices": put(0, 6)},
    "last column just beyond the table": {"3.indices": put(-1, 6)},
    "column below 0": {"3.indices": put(0, -1)},
    "columns out of order": {"3.indices": lambda a: a[::-1].copy()},
    "first row does not begin at 0": {"3.indptr": put(0, 1)},
    "last row ends behind the entries": {"3.indptr": put(-1, 10**6)},
    "row ends before it begins": {"3.indptr": put(2, 10**6)},
    "row below 0": {"3.indptr": put(1, -3)},
    "rows of floats": {"3.indptr": lambda a: a.astype(float)},
    "more rows than borders": {"3.shape": put(0, 10**9)},
    "no columns": {"3.shape": put(1, 0)},
    "shape of three": {"3.shape": np.array([2, 3, 4])},
    "complex entries": {"3.data": lambda a: a.astype(complex)},
    "entries of half precision": {"3.data": lambda a: a.astype(np.float16)},
    "entry that is no number": {"3.data": put(0, np.nan)},
    "vector that is infinite": {"2.vectors": put(0, np.inf)},
    "vectors of strings": {"2.vectors": lambda a: a.astype(str)},
    "scale below 0": {"2.scale": put(0, -1)},
    "scale that is no number": {"2.scale": put(0, np.nan)},
    "weight that is no number": {"1.weights": put(0, np.nan)},
    "weight that is infinite": {"0.weights": put(0, -np.inf)},
    "weights of integers": {"1.weights": lambda a: a.astype(np.int32)},
    "pair that is no number": {"step": put(0, np.nan)},
    "pair whose sums are infinite": {"step": put(0, 3e38)},
    "reward for a label": {"start_mask": put(0, 1e9)},
    "values out of order": {"0.values1": lambda a: a[::-1].copy()},
    "values twice": {"0.values1": lambda a: a * 0},
    "values of booleans": {"0.values1": lambda a: a.astype(bool)},
    "labels twice": {"labels": np.array(["a", "a", "b"])},
    "labels of bytes": {"labels": np.array([b"a", b"b", b"c"])},
    "labels of numbers with fractions": {"labels": np.array([0.5, 1.5, 2.5])},
    "labels in rows": {"labels": np.array([["a", "b", "c"]])},
    "label of a character beyond Unicode": {"labels": np.array([0x110000, 97, 98], "<u4").view("<U1")},
}


@pytest.mark.parametrize("changes", CHANGES.values(), ids=CHANGES)
def test_arrays_out_of_range(path, changes):
    rewrite(path)
    assert load(path).labels.size == 3
    rewrite(path, **changes)
    refused(path, "M610")


@pytest.mark.parametrize("changes", [{"2.scale": None}, {"3.scale": np.ones(3)}, {"more": np.zeros(3)}])
def test_other_arrays(path, changes):
    rewrite(path, **changes)
    refused(path)


def set_in(k, key, value):
    return lambda header: header["blocks"][k].__setitem__(key, value)


def set_kernel(**settings):
    return lambda header: header["blocks"][2]["kernel"].update(settings)


HEADERS = {
    "something more": lambda header: header.update(more=1),
    "no blocks": lambda header: header.update(blocks=[]),
    "blocks by name": lambda header: header.update(blocks={"0": header["blocks"][0]}),
    "a block too many": lambda header: header["blocks"].append(header["blocks"][1]),
    "a block too few": lambda header: header["blocks"].pop(),
    "blocks in another order": lambda header: header["blocks"].reverse(),
    "unknown kind": set_in(1, "kind", "words"),
    "name that is a number": set_in(1, "name", 7),
    "name of another block": set_in(1, "name", "near"),
    "columns that are a float": set_in(1, "n_columns", 6.0),
    "columns that are true": set_in(1, "n_columns", True),
    "more columns than weights": set_in(1, "n_columns", 10**12),
    "names without end": set_in(0, "names", [str(k) for k in range(1000)]),
    "names that are one text": set_in(0, "names", "ab"),
    "sparse as a number": set_in(3, "sparse", 1),
    "dense that is sparse": set_in(3, "sparse", False),
    "block with more": set_in(1, "more", 1),
    "unknown kernel": set_kernel(name="cosine"),
    "kernel by a list": set_kernel(name=["linear"]),
    "width 0": set_kernel(sigma2=0.0),
    "width below 0": set_kernel(sigma2=-1.0),
    "width that is text": set_kernel(h="1"),
    "width that is infinite": set_kernel(h=float("inf")),
    "offset that is true": set_kernel(offset=True),
    "normalize as a number": set_kernel(normalize=1),
    "function in the file": set_kernel(function="print"),
}


@pytest.mark.parametrize("edit", HEADERS.values(), ids=HEADERS)
def test_headers_out_of_range(path, edit):
    edit_header(path, edit)
    refused(path, "M610|M603")  # M603 where the arrays would be others


@pytest.mark.parametrize(
    "text",
    [
        b"[" * 200_000,
        b'{"mark": "spacy_mtl.sequences", "format": 1, "blocks": ' + b"[" * 200_000,
        b'{"mark": "spacy_mtl.sequences", "format": ' + b"9" * 10_000 + b', "blocks": []}',
        '{"mark": "spacy_mtl.sequences"}'.encode("utf-16"),
        b"\xff",
        b"",
    ],
    ids=["nested", "nested inside", "digits", "utf-16", "no text", "empty"],
)
def test_headers_that_are_no_json(path, text):
    rewrite(path, header=np.frombuffer(text, np.uint8))
    refused(path, "M610")


@pytest.mark.parametrize("found", [1.0, True, "1", None])
def test_formats_that_are_no_integer(path, found):
    edit_header(path, lambda header: header.update(format=found))
    refused(path, "M602")


def test_a_header_that_is_too_long(path):
    rewrite(path, header=lambda header: np.concatenate([header, np.full(1 << 22, ord(" "), np.uint8)]))
    refused(path)


def repack(path, edit):
    """Write the zip again. edit: changes the members, name -> bytes, or returns what to write for one."""
    with zipfile.ZipFile(path) as file:
        members = {name: file.read(name) for name in file.namelist()}
    edit(members)
    with zipfile.ZipFile(path, "w", zipfile.ZIP_DEFLATED) as file:
        for name, content in members.items():
            file.writestr(name, content)


def npy(descr="<f4", shape="(3,)", content=b"", version=1, order="False"):
    text = f"{{'descr': '{descr}', 'fortran_order': {order}, 'shape': {shape}, }}"
    text += " " * (-(len(text) + 11) % 64) + "\n"
    return b"\x93NUMPY" + bytes([version, 0]) + len(text).to_bytes(2, "little") + text.encode() + content


BODIES = {
    "shape larger than the content": npy(shape="(1000000000000,)", content=bytes(12)),
    "shape smaller than the content": npy(shape="(1,)", content=bytes(12)),
    "shape whose product overflows": npy(shape="(4294967296, 4294967296)", content=b""),
}
TYPES = {
    "shape beyond 64 bits": npy(shape="(99999999999999999999, 99999999999999999999)", content=bytes(12)),
    "nothing of an enormous size": npy(shape="(999999999999999999, 0)", content=b""),
    "shape below 0": npy(shape="(-1, -3)", content=bytes(12)),
    "shape that is code": npy(shape="(__import__('os').getpid(),)", content=bytes(12)),
    "objects": npy("|O", content=b"cposix\nsystem\n(S'true'\ntR."),
    "fields": npy("[('a', '<f4')]", content=bytes(12)),
    "big endian": npy(">f4", content=bytes(12)),
    "another version": npy(version=9, content=bytes(12)),
    "no header": b"\x93NUMPY\x01\x00\xff\xff",
    "nothing": b"",
}


@pytest.mark.parametrize("body", BODIES.values(), ids=BODIES)
def test_members_of_another_size(path, body):
    repack(path, lambda members: None)
    assert load(path).labels.size == 3
    repack(path, lambda members: members.update({"start_mask.npy": body}))
    refused(path)


@pytest.mark.parametrize("body", TYPES.values(), ids=TYPES)
def test_members_that_are_no_arrays_of_a_model(path, body):
    repack(path, lambda members: members.update({"start_mask.npy": body}))
    refused(path, "M610")


def test_an_array_whose_columns_come_first(path):
    X = arrays_of(path)["1.weights"]
    rewrite(path, **{"1.weights": np.asfortranarray(X)})
    weights = load(path).weights[1]
    np.testing.assert_array_equal(weights, X)
    assert weights.flags.c_contiguous


def test_members_under_other_names_or_twice(path):
    repack(path, lambda members: members.update({"readme.txt": b"text"}))
    refused(path)
    repack(path, lambda members: members.pop("readme.txt"))
    load(path)
    with zipfile.ZipFile(path, "a") as file, pytest.warns(UserWarning, match="Duplicate"):
        file.writestr("step.npy", file.read("step.npy"))
    refused(path)


def test_other_ways_of_compression(path):
    with zipfile.ZipFile(path) as file:
        members = {name: file.read(name) for name in file.namelist()}
    for method in (zipfile.ZIP_BZIP2, zipfile.ZIP_LZMA):
        with zipfile.ZipFile(path, "w", method) as file:
            for name, content in members.items():
                file.writestr(name, content)
        refused(path)


def test_too_many_members(path):
    with zipfile.ZipFile(path, "a") as file:
        for k in range((1 << 16) + 1):
            file.writestr(f"{k}.npy", b"")
    refused(path)


#: Loads a file and prints the peak of memory of doing so, in megabytes.
MEASURE = """
import resource, sys
from spacy_mtl.sequences import load
before = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss
try:
    load(sys.argv[1])
except ValueError as error:
    print(str(error)[:6], (resource.getrusage(resource.RUSAGE_SELF).ru_maxrss - before) / 1024)
"""


@pytest.mark.parametrize("name", ["step.npy", "more.npy"])
@pytest.mark.parametrize("is_hidden", [False, True])
def test_a_small_file_does_not_become_a_large_array(path, name, is_hidden):
    """is_hidden: the directory of the zip says that the bomb has the size of an array of the model."""
    with zipfile.ZipFile(path) as file:
        members = {name: file.read(name) for name in file.namelist()}
    with zipfile.ZipFile(path, "w", zipfile.ZIP_DEFLATED) as file:
        for other, content in members.items():
            if other != name:
                file.writestr(other, content)
        with file.open(name, "w", force_zip64=True) as bomb:
            bomb.write(npy(shape="(8192, 8192)"))
            for _ in range(256):
                bomb.write(bytes(1 << 20))
        if is_hidden:
            file.getinfo(name).file_size = len(members["step.npy"])
    assert path.stat().st_size < 500_000
    done = subprocess.run([sys.executable, "-c", MEASURE, str(path)], capture_output=True, text=True, check=True)
    code, megabytes = done.stdout.split()
    assert code == ("[M603]" if is_hidden else "[M640]")
    assert float(megabytes) < 100


def test_a_model_of_zeros_can_be_loaded_again(tmp_path):
    """What compresses better than a reader believes is not compressed."""
    X = np.zeros((4, 3_000_000))
    X[0, :5] = 1
    problem = problem_from_arrays(sparse.csr_array(X), ["a", "b", "a", "b"], [4])
    model = problem.model(problem.zeros())
    save(model, tmp_path / "zeros.npz")
    assert tmp_path.joinpath("zeros.npz").stat().st_size > (model.weights[0].nbytes - SPARE) / EXPANSION
    np.testing.assert_array_equal(load(tmp_path / "zeros.npz").weights[0], model.weights[0])


def test_scores_that_overflow_are_one_coded_error(letters, path):
    rewrite(path, **{"1.weights": lambda weights: np.full_like(weights, 3e38)})
    model = load(path)
    X = {
        "dense": letters.vectors,
        "near": letters.vectors,
        "square": letters.vectors,
        "codes": Categories(letters.columns),
    }
    for predict in (model.predict, model.marginals):
        with pytest.raises(ValueError, match=r"^\[M641\] "):
            predict(X, letters.lengths)
