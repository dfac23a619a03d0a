"""A plugin of pytest for runs of mutants: cached kernels are valid as long as the files that they are made of are.

``spacy_mtl.kernels`` compiles everything of a part of the package again when any file of it changes, which is safe and simple. Here a kernel depends
on its module and all that this imports, and where a problem is among its arguments, on the files of that structure. The place in the cache is told
by the path from the root of the checkout, so that all copies share kernels. Importing this module makes it so.

Hypothesis does not look for the simplest example, since any that fails will do.
"""

from pathlib import Path
from typing import Any

from hypothesis import Phase, settings
from numba.core import caching

from spacy_mtl import kernels

from .dependencies import ROOT, closure, digest_of, state_of_module


def stamp(compiled: Any, _: str) -> None:
    """As ``kernels._stamp``."""
    index: Any = getattr(getattr(compiled, "_cache", None), "_cache_file", None)
    if hasattr(index, "_source_stamp"):
        index._source_stamp = state_of_module(Path(compiled.py_func.__code__.co_filename))


def signature_key(signature: Any) -> tuple[str, ...]:
    """As ``kernels._signature_key``, with the state of the structures in the signature: kernels of trainers call them without importing them."""
    modules = {cls.__module__ for value in signature for cls in kernels._classes(value)}
    folders = {ROOT.joinpath(*module.split(".")).parent for module in modules if ".structures." in module}
    files = [closure(path) for folder in folders for path in folder.rglob("*.py")]
    return *plain_key(signature), digest_of(frozenset().union(*files))


def cache_subpath(_: type, file: str) -> str:
    """A folder name for a source file that is the same in every copy."""
    path = Path(file).resolve()
    return str(path.relative_to(ROOT).parent).replace("/", "_") if ROOT in path.parents else path.parent.name


def pytest_configure() -> None:
    """After conftest.py has chosen its profile."""
    settings.register_profile("mutants", deadline=None, database=None, phases=[Phase.explicit, Phase.generate])
    settings.load_profile("mutants")


plain_key = kernels._signature_key
kernels._signature_key, kernels._stamp = signature_key, stamp
caching._CacheLocator.get_suitable_cache_subpath = classmethod(cache_subpath)
