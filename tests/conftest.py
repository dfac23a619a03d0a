"""Settings of the whole suite: how kernels are compiled and cached, which worker runs what, and how hypothesis runs."""

import gc
import os
import shutil
import tempfile
import time
from functools import cache
from pathlib import Path
from typing import Any

import pytest
from hypothesis import settings
from xdist.remote import Producer
from xdist.scheduler import LoadScopeScheduling

WEEK = 7 * 24 * 3600


def cache_root() -> Path:
    """Where the compiled kernels live, of all states of the sources (see spacy_mtl/kernels.py): the user's cache, or else the temporary directory."""
    for base in (os.environ.get("XDG_CACHE_HOME"), os.path.expanduser("~/.cache"), tempfile.gettempdir()):
        if base and os.path.isabs(base):
            root = Path(base, "spacy-mtl-tests")
            try:
                root.mkdir(parents=True, exist_ok=True)
            except OSError:
                continue
            if os.access(root, os.W_OK):
                return root
    return Path(tempfile.mkdtemp())


def use_cache(root: Path) -> None:
    """Have compiled kernels kept under ``root``, here and in processes that tests start; drop folders that nothing was added to for a week.

    Runs of mutants keep kernels of their own, in the folder SPACY_MTL_TEST_KERNELS.
    """
    if "SPACY_MTL_TEST_KERNELS" in os.environ:
        os.environ["NUMBA_CACHE_DIR"] = os.environ["SPACY_MTL_TEST_KERNELS"]
        return
    cache = root / f"O{os.environ['NUMBA_OPT']}"
    cache.mkdir(exist_ok=True)
    os.environ["NUMBA_CACHE_DIR"] = str(cache)
    for old in (*root.iterdir(), *cache.iterdir()):
        if old != cache and old.stat().st_mtime < time.time() - WEEK:
            shutil.rmtree(old, ignore_errors=True)


# Compiling takes most of the time of the suite, and LLVM's optimizer up to two fifths of that. It changes no result, as there is no fast maths;
# NUMBA_OPT=3 tests with it.
os.environ.setdefault("NUMBA_OPT", "0")
use_cache(cache_root())  # before any test module imports numba
settings.register_profile("spacy_mtl", deadline=None)
settings.load_profile("spacy_mtl")

import catalogue  # noqa: E402
from spacy.lang.tokenizer_exceptions import BASE_EXCEPTIONS  # noqa: E402
from spacy.util import get_lang_class  # noqa: E402

# Of the exceptions of these languages' tokenization, 4,700 for Dutch, which take up to a quarter of a second in each of hundreds of pipelines,
# most tests need none.
DEFAULTS = [get_lang_class(lang).Defaults for lang in ("da", "en", "es", "nl")]
EXCEPTIONS = [defaults.tokenizer_exceptions for defaults in DEFAULTS]
for defaults in DEFAULTS:
    defaults.tokenizer_exceptions = dict(BASE_EXCEPTIONS)


@cache
def _entry_points(group: str) -> Any:
    return catalogue.AVAILABLE_ENTRY_POINTS.select(group=group)


# Registries look through all entry points of the environment, a hundred times in each pipeline.
catalogue.Registry._get_entry_points = lambda self: _entry_points(self.entry_point_namespace)  # type: ignore[method-assign]

from .clusters import cluster  # noqa: E402, F401
from .pipelines import (  # noqa: E402, F401  (fixtures of the whole suite; the cache must be set before they import numba)
    _corpus_path,
    _entities,
    _make_nlp,
    _read_corpus,
    _templates,
    _train,
    trained,
)

#: What is compiled for trees and what for chains goes to a worker each, so that neither compiles what the other compiles at that moment; and all
#: that needs a cluster to a single one, so that one is started. By what is in the names of tests, the first that fits.
GROUPS = {
    "cluster": ("tests/annotation/", "on_cluster", "tests/cluster/"),
    "trees": ("tree", "pars"),
    "chains": ("test_every_trainer", "tests/trainers/", "structures/chain"),
}
#: Begun in this order. Files that take minutes come before the others, or they would keep one worker busy when the other has nothing left to do.
FIRST = (
    "trees",
    "chains",
    "cluster",
    "tests/docs/test_blocks.py",
    "tests/test_project.py",
    "tests/benchmarks/test_ud.py",
)


def group_of(nodeid: str) -> str:
    """The group of tests that one worker runs together: one of GROUPS, or a file."""
    fitting = (name for name, marks in GROUPS.items() if any(mark in nodeid for mark in marks))
    return next(fitting, nodeid.partition("::")[0])


class GroupScheduling(LoadScopeScheduling):
    """One group after another, to whichever worker is free."""

    def _split_scope(self, nodeid: str) -> str:
        return group_of(nodeid)


@pytest.hookimpl(optionalhook=True)
def pytest_xdist_make_scheduler(config: pytest.Config, log: Producer) -> GroupScheduling:
    config.option.loadscopereorder = False  # the order below, and not files with many tests first
    return GroupScheduling(config, log)


def pytest_collection_modifyitems(items: list[pytest.Item]) -> None:
    """Those of FIRST come first."""
    groups = {item.nodeid: group_of(item.nodeid) for item in items}
    items.sort(key=lambda item: FIRST.index(groups[item.nodeid]) if groups[item.nodeid] in FIRST else len(FIRST))


@pytest.fixture
def tokenized_as_by_users(monkeypatch):
    """With all exceptions of tokenization."""
    for defaults, exceptions in zip(DEFAULTS, EXCEPTIONS, strict=True):
        monkeypatch.setattr(defaults, "tokenizer_exceptions", exceptions)


@pytest.fixture(scope="session", autouse=True)
def _rough_speeds():
    """Where commands measure how fast components are, a tenth of the words will do: measuring took a sixteenth of the suite."""
    from spacy_mtl.choosing import refit

    refit.LEAST_WORDS //= 10


@pytest.fixture(scope="module", autouse=True)
def _out_of_sight_of_the_collector():
    """What a file of tests leaves behind, compiled kernels above all, is not looked at whenever a later one collects garbage."""
    yield
    gc.collect()
    gc.freeze()
