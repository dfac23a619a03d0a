"""The package's own registries, set on spaCy's so that ``@mtl_trainers`` and friends resolve in any config.

Third parties add to them by entry point: groups ``spacy_mtl_trainers``, ``spacy_mtl_templates`` and ``spacy_mtl_attributes``.
"""

import catalogue
from spacy.util import registry

for _name in ("trainers", "templates", "attributes"):
    if not hasattr(registry, f"mtl_{_name}"):
        setattr(registry, f"mtl_{_name}", catalogue.create("spacy_mtl", _name, entry_points=True))

__all__ = ["registry"]
