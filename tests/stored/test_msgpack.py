import gc

import pytest
import srsly

from spacy_mtl.stored.fault import StoredValueError
from spacy_mtl.stored.msgpack import read_msgpack


def test_what_is_packed_is_read():
    assert read_msgpack(srsly.msgpack_dumps({"a": [1, "x"]}), "it") == {"a": [1, "x"]}


@pytest.mark.parametrize("data", [b"\xc1garbage", b"", 7, None, b"\xdd\xff\xff\xff\xff"])
def test_what_is_not_is_refused_and_garbage_is_still_collected(data):
    with pytest.raises(StoredValueError, match=r"^it cannot be unpacked"):
        read_msgpack(data, "it")
    assert gc.isenabled()
