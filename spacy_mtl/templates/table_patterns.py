"""Templates over clusters of words, lists of phrases and words of noisy text, for any set."""

from spacy_mtl.errors import Errors
from spacy_mtl.settings import is_list, shown

from .attributes.of_tables import is_cluster, table_of
from .attributes.of_tables import is_list as is_list_name
from .grammar import Observation

Pattern = tuple[Observation, ...]
#: How many bits of a path are read, besides all: coarse clusters are seen often, fine ones say more.
BITS = (4, 8, 12)
_WINDOW = (-2, -1, 0, 1, 2)


def named_tables(setting: str, value: bool | list[str], default: str) -> list[str]:
    """The names of tables that a setting asks for: none, the usual one, or those of a list. Raises ValueError (M133)."""
    if isinstance(value, bool):
        return [default] if value else []
    fits = _is_cluster_table if default == "CLUSTER" else is_list_name
    if not is_list(value) or not all(map(fits, value)) or len(set(value)) < len(value):
        expected = f"true, false, or distinct names of tables, such as {default}_name"
        raise ValueError(Errors.M133.format(setting=setting, expected=expected, value=shown(value)))
    return list(value)


def _is_cluster_table(name: str) -> bool:
    return is_cluster(name) and table_of(name) == name


def cluster_patterns(name: str) -> list[Pattern]:
    """Clusters of the words around at several depths, pairs of clusters, and a cluster with a form beside it. name: of the table."""
    depths = [name.replace("CLUSTER", f"CLUSTER{bits}", 1) for bits in BITS]
    pairs = [(-1, 0), (0, 1)]
    return [
        *((Observation(offset, attr),) for attr in (*depths, name) for offset in _WINDOW),
        *((Observation(a, name), Observation(b, name)) for a, b in pairs),
        (Observation(-1, "LOWER"), Observation(0, name)),
        (Observation(0, name), Observation(1, "LOWER")),
        (Observation(0, name), Observation(0, "SHAPE")),
    ]


def list_patterns(name: str) -> list[Pattern]:
    """What a list says of the words around, of pairs of words, and with the form and the shape of the word. name: of the list, or LIST for all."""
    return [
        *((Observation(offset, name),) for offset in _WINDOW),
        *((Observation(a, name), Observation(b, name)) for a, b in ((-1, 0), (0, 1))),
        (Observation(0, name), Observation(0, "SHAPE")),
        (Observation(-1, "LOWER"), Observation(0, name)),
        (Observation(0, name), Observation(1, "LOWER")),
    ]


def noisy_patterns() -> list[Pattern]:
    """What words of noisy text are like, and the words themselves without what makes them noisy."""
    return [
        *((Observation(offset, attr),) for attr in ("TOKEN_KIND", "SHORT_SHAPE", "BARE") for offset in (-1, 0, 1)),
        (Observation(-1, "SHORT_SHAPE"), Observation(0, "SHORT_SHAPE")),
        (Observation(0, "SHORT_SHAPE"), Observation(1, "SHORT_SHAPE")),
        (Observation(-1, "BARE"), Observation(0, "SHORT_SHAPE")),
        (Observation(0, "SHORT_SHAPE"), Observation(1, "BARE")),
        (Observation(-1, "TOKEN_KIND"), Observation(0, "TOKEN_KIND")),
        (Observation(0, "TOKEN_KIND"), Observation(0, "SHORT_SHAPE")),
    ]
