"""Joining a cluster: addresses, time limits, versions; and a package that works without Ray."""

import socket
import subprocess
import sys
import time
from pathlib import Path

import pytest

from spacy_mtl.cluster import connect as connecting
from spacy_mtl.cluster.connect import check_versions, compare_versions, connect, versions_here

PACKAGE = Path(__file__).parents[2] / "spacy_mtl"


def test_nothing_imports_ray():
    """All modules, in a process where Ray and its companions cannot be imported, as without the extra."""
    modules = [
        ".".join(("spacy_mtl", *path.relative_to(PACKAGE).with_suffix("").parts)).removesuffix(".__init__")
        for path in PACKAGE.rglob("*.py")
    ]
    code = f"""
import importlib, sys
blocked = ("ray", "pyarrow", "pyspark", "pandas")
for name in blocked:
    sys.modules[name] = None
for name in {modules!r}:
    importlib.import_module(name)
from typer.testing import CliRunner
from spacy.cli import app
assert CliRunner().invoke(app, ["mtl", "annotate", "--help"]).exit_code == 0
assert not any(sys.modules.get(name) for name in blocked)
"""
    run = subprocess.run([sys.executable, "-W", "ignore", "-c", code], capture_output=True, text=True)
    assert run.returncode == 0, run.stderr


def test_without_the_extra_one_sentence_says_what_to_install(monkeypatch):
    monkeypatch.setitem(sys.modules, "ray", None)
    with pytest.raises(ValueError, match=r"M901.*spacy-mtl\[ray\]"), connect("local"):
        pass


@pytest.mark.parametrize("address", ["", "here", "host", "host:", "host:0", "host:65536", "ray://host:10001", "a b:1"])
def test_what_is_no_address(address):
    with pytest.raises(ValueError, match="M902"), connect(address):
        pass


def test_an_address_that_nobody_listens_at():
    pytest.importorskip("ray")
    with socket.socket() as taken:  # bound, but nobody listens
        taken.bind(("127.0.0.1", 0))
        with pytest.raises(ValueError, match=r"M903.*refused"), connect(f"127.0.0.1:{taken.getsockname()[1]}"):
            pass


def test_an_address_where_somebody_listens_but_does_not_answer():
    pytest.importorskip("ray")
    begin = time.monotonic()
    with socket.create_server(("127.0.0.1", 0)) as silent:
        address = f"127.0.0.1:{silent.getsockname()[1]}"
        with (
            pytest.raises(ValueError, match=f"M903.*'{address}' within 2 seconds: no answer"),
            connect(address, seconds=2),
        ):
            pass
    assert time.monotonic() - begin < 10


def test_versions_that_differ_are_told_with_the_worker():
    here = versions_here()
    assert {"Python", "spacy-mtl", "spacy", "numba"} <= here.keys()
    assert "none" not in here.values()
    compare_versions("The worker a", here, here)
    with pytest.raises(ValueError, match=r"M905. The worker a has numba 0.1, but this machine has numba 0.2"):
        compare_versions("The worker a", {"numba": "0.1", "spacy": "3"}, {"numba": "0.2", "spacy": "3"})
    with pytest.raises(ValueError, match="has spacy none, but"):
        compare_versions("The worker a", {}, {"spacy": "3"})


def test_the_reader_of_versions_needs_nothing_of_this_package():
    """It goes to workers where the package may be missing or another."""
    ray = pytest.importorskip("ray")
    sent = ray.cloudpickle.dumps(connecting._version_reader())
    code = f"""
import sys
sys.modules["spacy_mtl"] = None
import ray.cloudpickle
print(ray.cloudpickle.loads({sent!r})()["Python"])
"""
    run = subprocess.run([sys.executable, "-W", "ignore", "-c", code], capture_output=True, text=True, check=True)
    assert run.stdout.split() == [versions_here()["Python"]]


def test_a_cluster_is_joined_and_its_workers_are_compared(cluster):
    (worker,) = cluster.workers
    assert worker.cpus == cluster.cpus == 2
    assert cluster.worker(worker.node) == str(worker)
    assert worker.host in str(worker)
    check_versions(cluster, 30)
    with pytest.raises(ValueError, match=f"M905. The worker {worker.host} .*numba .*, but this machine has numba 0.1"):
        check_versions(cluster, 30, {**versions_here(), "numba": "0.1"})


def test_a_worker_that_does_not_answer_in_time(cluster):
    with pytest.raises(ValueError, match=r"M906. The worker .* no answer within 0 seconds"):
        check_versions(cluster, 0)


def test_a_cluster_that_asks_for_a_token(monkeypatch):
    """As Ray's own command says it, which is all that is looked at before joining."""
    pytest.importorskip("ray")
    refused = subprocess.CompletedProcess(
        [], 1, b"", b"ray.exceptions.AuthenticationError: RPC error: InvalidAuthToken"
    )
    monkeypatch.setattr(subprocess, "run", lambda *args, **settings: refused)
    with pytest.raises(ValueError, match=r"M907.*'auto' asks for a token"), connect("auto"):
        pass
