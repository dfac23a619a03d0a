"""One local cluster of two processes for all tests, as starting it takes ten seconds."""

import warnings

import pytest

from spacy_mtl.cluster.connect import connect


@pytest.fixture(scope="session")
def cluster():
    pytest.importorskip("ray")
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")  # what Ray's own modules say while they are imported
        with connect("local", cpus=2, seconds=60) as joined:
            yield joined
