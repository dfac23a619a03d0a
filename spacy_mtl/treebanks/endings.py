"""Files that their endings tell to be no text and no treebank."""

from pathlib import Path

from spacy_mtl.errors import Errors
from spacy_mtl.settings import brief

_COMPRESSED = (".gz", ".bz2", ".xz", ".zst", ".zip")
_TABLES = {".jsonl": "JSON lines", ".ndjson": "JSON lines", ".parquet": "Parquet", ".pq": "Parquet"}


def check_ending(path: Path, kind: str, tables: bool = False) -> None:
    """Refuse a file that would be taken for text, and is none. kind: what it is to be read as, "auto" for what its ending says.

    tables: whether JSON lines and Parquet can be read.
    Raises ValueError: M753 JSON lines or Parquet where they cannot be read, M754 a compressed file, M755 a file ending in .json. A kind that
    somebody has named is believed, but no Parquet or compressed file is text.
    """
    ending, told = path.suffix.lower(), brief(path, 300)
    if ending in _COMPRESSED:
        raise ValueError(Errors.M754.format(path=told))
    is_parquet = _TABLES.get(ending) == "Parquet"
    if ending in _TABLES and ((kind == "text" and is_parquet) or not (tables or kind == "text")):
        raise ValueError(Errors.M753.format(path=told, what=_TABLES[ending]))
    if ending == ".json" and kind == "auto":
        raise ValueError(Errors.M755.format(path=told))
