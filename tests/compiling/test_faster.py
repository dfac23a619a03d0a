"""Settings of numba's compiler that are compared faster are equal when they were equal before."""

import pytest
from numba.core.compiler import Flags
from numba.core.errors import TypingError, termcolor

from spacy_mtl.compiling.faster import SUPPORTED, done_faster


def test_this_numba_has_the_internals_that_are_changed():
    assert SUPPORTED


def some_flags():
    plain, set_, default, other = Flags(), Flags(), Flags(), Flags()
    set_.nrt = default.nrt = True
    default.nrt = Flags().nrt  # set, but to what it is anyway
    other.boundscheck = True
    return [plain, set_, default, other, set_.copy()]


def test_settings_are_equal_as_before():
    flags = some_flags()
    before = [[a == b for b in flags] for a in flags]
    assert {True, False} == {value for row in before for value in row}
    hashes = [hash(a) for a in flags]
    with done_faster():
        assert [[a == b for b in flags] for a in flags] == before
        assert [hash(a) for a in flags] == hashes
        assert flags[0] != "flags"


def test_messages_are_as_they_are():
    with pytest.raises(TypingError, match=r"^wrong type\n?$"), done_faster():
        raise TypingError("wrong type")
    assert termcolor().errmsg("x") == termcolor().errmsg("x")
