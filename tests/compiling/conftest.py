"""Kernels of these tests are compiled, also where an earlier run has left them in the cache."""

import pytest


@pytest.fixture(autouse=True)
def nothing_found_in_the_cache(request, monkeypatch):
    for value in vars(request.module).values():
        if hasattr(value, "py_func") and hasattr(value, "_cache"):
            monkeypatch.setattr(value._cache, "load_overload", lambda *_: None)
