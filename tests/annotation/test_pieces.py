"""Parts of files: together they have each line and each block once, wherever they are cut."""

from hypothesis import given
from hypothesis import strategies as st

from spacy_mtl.annotation import pieces
from spacy_mtl.annotation.pieces import blocks_between, lines_between

LINES = st.lists(
    st.sampled_from([b"", b" \t", b"a", b"bb b", "ñ\u3000".encode(), "\u3000".encode(), b"\r"]), max_size=12
)


def cuts(path, size):
    total = path.stat().st_size
    return [(begin, min(begin + size, total)) for begin in range(0, total, size)]


@given(LINES, st.booleans(), st.booleans(), st.integers(1, 9))
def test_parts_have_each_line_once(tmp_path_factory, lines, ends, bom, size):
    path = tmp_path_factory.mktemp("cut") / "file"
    data = b"\n".join(lines) + (b"\n" if ends else b"")
    path.write_bytes((b"\xef\xbb\xbf" if bom else b"") + data)
    found = [line for part in cuts(path, size) for _, line in lines_between(path, *part)]
    assert b"".join(found) == data
    assert found == data.splitlines(keepends=True) or b"\r" in data


@given(LINES, st.booleans(), st.booleans(), st.integers(1, 9))
def test_parts_have_each_block_once(tmp_path_factory, lines, ends, bom, size):
    path = tmp_path_factory.mktemp("cut") / "file"
    data = b"\n".join(lines) + (b"\n" if ends else b"")
    path.write_bytes((b"\xef\xbb\xbf" if bom else b"") + data)
    expected, block = [], []
    for line in [*data.split(b"\n"), b""]:
        if line.decode().strip():
            block.append(line)
        elif block:
            expected.append(block)
            block = []
    found = [(place, block) for part in cuts(path, size) for place, block in blocks_between(path, *part, "utf8")]
    assert [[line.rstrip(b"\n") for line in block] for _, block in found] == expected
    whole = path.read_bytes()
    assert all(whole[place:].removeprefix(b"\xef\xbb\xbf").startswith(b"".join(block)) for place, block in found)


def test_what_is_too_long_is_named_and_passed_over(tmp_path, monkeypatch):
    monkeypatch.setattr(pieces, "MOST", 8)
    path = tmp_path / "file"
    path.write_bytes(b"a\n" + b"x" * 30 + b"\nb\n\n" + b"12345\n12345\n\nc")
    for size in (3, 7, 100):
        lines = [line for part in cuts(path, size) for _, line in lines_between(path, *part)]
        assert lines == [b"a\n", None, b"b\n", b"\n", b"12345\n", b"12345\n", b"\n", b"c"]
        blocks = [block for part in cuts(path, size) for _, block in blocks_between(path, *part, "utf8")]
        assert blocks == [None, None, [b"c"]]
