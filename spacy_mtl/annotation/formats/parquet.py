"""Parquet, by pyarrow (extra ``ray``): a row for each document; other columns stay as they are, with their types."""

from collections.abc import Iterator, Sequence
from dataclasses import replace
from itertools import groupby
from pathlib import Path
from typing import Any, BinaryIO

from spacy.language import Language
from spacy.tokens import Doc

from spacy_mtl.corpora.conllu_kept import given_text
from spacy_mtl.errors import Errors

from ..columns import arrow_schema, columns_of, row_of
from ..documents import Document, SetAside, Task, check_id
from ..partitions import Partition
from .jsonl import document_of, n_sentences

_ROWS = 1024


def import_parquet() -> Any:
    """The module ``pyarrow.parquet``. Raises ValueError (M927) where it is not installed."""
    try:
        import pyarrow.parquet as parquet
    except ImportError:
        raise ValueError(Errors.M927) from None
    return parquet


def _open(path: Path) -> Any:
    parquet = import_parquet()
    try:
        return parquet.ParquetFile(path)
    except (ValueError, OSError) as error:  # ArrowInvalid is a ValueError
        raise ValueError(Errors.M926.format(path=path, reason=_one_line(error))) from None


def _one_line(error: Exception) -> str:
    return " ".join(str(error).split())[:200].rstrip(".")


def row_groups(path: Path) -> list[int]:
    """The bytes of each row group, not compressed. Raises ValueError (M926, M927)."""
    with _open(path) as file:
        return [file.metadata.row_group(i).total_byte_size for i in range(file.num_row_groups)]


def check_schemas(paths: Sequence[Path], nlp: Language, task: Task) -> None:
    """Raises ValueError for a file without one column of texts (M923), a column of the annotation (M925), other columns than the first (M924), or
    several of one name that have to be looked at (M970).
    """
    import pyarrow as pa

    text = task.text
    first: dict[str, str] = {}
    for path in paths:
        with _open(path) as file:
            schema = file.schema_arrow
        found = {field.name: str(field.type) for field in schema}
        if schema.names.count(text) != 1 or not _is_text(pa, schema.field(text).type):
            raise ValueError(Errors.M923.format(path=path, column=text, known=", ".join(schema.names) or "none"))
        if taken := [name for name in columns_of(nlp) if name in found]:
            raise ValueError(Errors.M925.format(path=path, column=taken[0]))
        for name in _needed(schema.names, task):
            if (n := schema.names.count(name)) > 1:
                where = " in JSON lines" if task.output == "jsonl" else ""
                raise ValueError(Errors.M970.format(path=path, n=n, column=name, where=where))
        first = first or found
        if found != first:
            told, expected = (", ".join(f"{name} ({kind})" for name, kind in each.items()) for each in (found, first))
            raise ValueError(Errors.M924.format(path=path, found=told, first=paths[0], expected=expected))


def _is_text(pa: Any, kind: Any) -> bool:
    kind = _value_type(pa, kind)
    return pa.types.is_string(kind) or pa.types.is_large_string(kind) or pa.types.is_string_view(kind)


def _value_type(pa: Any, kind: Any) -> Any:
    return kind.value_type if pa.types.is_dictionary(kind) else kind


def read(partition: Partition, nlp: Language, task: Task) -> Iterator[Document | SetAside]:
    """The rows of a partition; ids are those of the column, or made of the file's name and the number of the row."""
    columns = columns_of(nlp)
    with _open(partition.path) as file:
        number = sum(file.metadata.row_group(i).num_rows for i in range(partition.begin))
        groups = list(range(partition.begin, partition.end))
        for batch in file.iter_batches(_ROWS, row_groups=groups) if groups else ():
            known = {name: batch.column(name).to_pylist() for name in _needed(batch.schema.names, task)}
            for i in range(len(batch)):
                row = {name: values[i] for name, values in known.items()}
                yield document_of(row, f"{partition.title}#{number}", nlp, task, columns, partition.name, (batch, i))
                number += 1


def _needed(names: list[str], task: Task) -> list[str]:
    """Those of the columns that are looked at: all if they are to be written as JSON lines; other formats have no place for them, or take them
    as they are.
    """
    return names if task.output == "jsonl" else [name for name in names if name in (task.text, task.id)]


class Writer:
    """Rows of the input, with the columns of the annotation behind them; from other formats, an id and the text before them."""

    def __init__(self, file: BinaryIO, nlp: Language, task: Task, partition: Partition):
        self._file, self._task, self._partition = file, task, partition
        self._columns = columns_of(nlp)
        self._kept: list[Document] = []
        self._rows: list[dict[str, Any]] = []
        self._writer: Any = None

    def add(self, document: Document, doc: Doc) -> int:
        """Take a document; returns its number of sentences. Raises ValueError (M796)."""
        check_id(document)
        self._rows.append(row_of(doc, self._columns))
        kept = document if document.row is not None else replace(document, row={self._task.text: given_text(doc)})
        self._kept.append(kept)
        if len(self._rows) == _ROWS:
            self._flush()
        return n_sentences(doc)

    def _flush(self) -> None:
        import pyarrow as pa

        table = self._before(pa)
        annotation = pa.Table.from_pylist(self._rows, arrow_schema(self._columns))
        for field in annotation.schema:
            table = table.append_column(field, annotation.column(field.name))
        if self._writer is None:
            self._writer = import_parquet().ParquetWriter(self._file, table.schema)
        self._writer.write_table(table)
        self._rows, self._kept = [], []

    def _before(self, pa: Any) -> Any:
        """The columns of the input, with an id."""
        ids = pa.array([document.id for document in self._kept], pa.string())
        if self._partition.kind != "parquet":
            texts = [(document.row or {})[self._task.text] for document in self._kept]
            return pa.table({self._task.id: ids, self._task.text: pa.array(texts, pa.string())})
        places = [document.place for document in self._kept if document.place is not None]
        if places:
            parts = [_taken(pa, list(run)) for _, run in groupby(places, key=lambda place: id(place[0]))]
            table = pa.concat_tables(parts)
        else:
            with _open(self._partition.path) as file:
                table = file.schema_arrow.empty_table()
        if self._task.id not in table.column_names:
            return table.add_column(0, self._task.id, ids)
        return _with_ids(pa, table, self._task.id, ids)

    def close(self) -> None:
        """Write what is left; a file without documents has the columns alone."""
        if self._rows or self._writer is None:
            self._flush()
        self._writer.close()


def _with_ids(pa: Any, table: Any, name: str, ids: Any) -> Any:
    """The table with an id in place of each null, as plain strings; a column that holds no strings stays as it is. ids: of all rows."""
    field = table.schema.field(name)
    if pa.types.is_null(field.type):
        field = field.with_type(pa.string())
    elif not _is_text(pa, field.type):
        return table
    field = field.with_type(_value_type(pa, field.type))
    return table.set_column(table.column_names.index(name), field, ids.cast(field.type))


def _taken(pa: Any, places: list[tuple[Any, int]]) -> Any:
    """Rows of one batch."""
    batch = places[0][0]
    return pa.Table.from_batches([batch.take(pa.array([i for _, i in places]))])
