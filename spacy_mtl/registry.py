"""The package's own registries, added to spaCy's so that ``@mtl_trainers``, ``@mtl_templates``, ``@mtl_attributes`` and ``@mtl_tables``
resolve in any config.

Other packages add to them through entry points, in the groups ``spacy_mtl_trainers``, ``spacy_mtl_templates``, ``spacy_mtl_attributes`` and
``spacy_mtl_tables``.
"""

import catalogue
from spacy.util import registry


def _create(name: str) -> catalogue.Registry:
    """The registry ``mtl_<name>``, created once however often this module is imported."""
    if not hasattr(registry, f"mtl_{name}"):
        setattr(registry, f"mtl_{name}", catalogue.create("spacy_mtl", name, entry_points=True))
    return getattr(registry, f"mtl_{name}")


mtl_trainers = _create("trainers")
mtl_templates = _create("templates")
mtl_attributes = _create("attributes")
mtl_tables = _create("tables")

__all__ = ["mtl_attributes", "mtl_tables", "mtl_templates", "mtl_trainers", "registry"]
