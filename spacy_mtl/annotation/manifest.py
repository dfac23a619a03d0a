"""The folder of an annotation: what was begun, which partitions are done, and the parts themselves.

``manifest.json`` says what is annotated, and how. A partition is done once ``done/NUMBER.json`` is there: its worker writes that, atomically, when
the part is on disk. So whoever is killed leaves partitions that are done, and others that are made anew.
"""

import json
from collections.abc import Mapping, Sequence
from dataclasses import asdict
from pathlib import Path
from typing import Any

from spacy_mtl.errors import Errors
from spacy_mtl.files import write_atomically

from .differences import check_same
from .documents import Done, SetAside, Task
from .partitions import Partition

MANIFEST, SUMMARY, ASIDE = "manifest.json", "summary.json", "set-aside.jsonl"
_ENDINGS = {"text": "txt"}
_VERSION = 1


def part_path(folder: Path, number: int, kind: str) -> Path:
    """Where a partition is written."""
    return folder / f"part-{number:06d}.{_ENDINGS.get(kind, kind)}"


def done_path(folder: Path, number: int) -> Path:
    """What says that a partition is done."""
    return folder / "done" / f"{number:06d}.json"


def is_begun(task: Task, partitions: Sequence[Partition], size: int) -> bool:
    """Whether the folder has this annotation already, or nothing.

    Raises ValueError: M908 it has this one, but an input has changed since, M913 it has something else, M914 another annotation.
    """
    path = task.folder / MANIFEST
    if path.exists():
        found = _read(path)
        if found is None:
            raise ValueError(Errors.M913.format(path=task.folder))
        check_same(task.folder, found, _manifest(task, partitions, size))
        return True
    if any(each.name[0] != "." for each in task.folder.iterdir()):
        raise ValueError(Errors.M913.format(path=task.folder))
    return False


def begin(task: Task, partitions: Sequence[Partition], size: int) -> None:
    """Write the manifest. Raises OSError: M650-M652."""
    write_atomically(task.folder / MANIFEST, _json(_manifest(task, partitions, size)))


def _manifest(task: Task, partitions: Sequence[Partition], size: int) -> dict[str, Any]:
    files = {each.path: {"name": each.name, "bytes": each.bytes, "modified": each.modified} for each in partitions}
    settings = {key: value for key, value in asdict(task.input).items() if key != "given"}
    return {
        "version": _VERSION,
        "model": task.fingerprint,
        "output": task.output,
        "settings": {**settings, "text": task.text, "id": task.id},
        "partition size": size,
        "list of inputs": list(files.values()),
        "number of partitions": len(partitions),
    }


def _json(data: Mapping[str, Any]) -> bytes:
    return _encoded(json.dumps(data, ensure_ascii=False, indent=1) + "\n")


def _encoded(text: str) -> bytes:
    """JSON as UTF-8. Half characters, as of a file name that is no UTF-8, are escaped, so that they are read as they were."""
    return text.encode("utf8", "backslashreplace")


def _read(path: Path) -> dict[str, Any] | None:
    """An object of JSON; None if it is none."""
    try:
        found = json.loads(path.read_bytes())
    except (OSError, ValueError, RecursionError):
        return None
    return found if isinstance(found, dict) else None


def write_done(task: Task, done: Done) -> None:
    """Say that a partition is done. Raises OSError: M650-M652."""
    write_atomically(done_path(task.folder, done.partition), _json(asdict(done)))


def read_done(task: Task, partition: Partition) -> Done | None:
    """What became of a partition; None if it is not done: it was not finished, or its part is not there as it was written."""
    found = _read(done_path(task.folder, partition.number))
    try:
        done = Done(**found) if found is not None else None
        if done is None or part_path(task.folder, partition.number, task.output).stat().st_size != done.bytes:
            return None
        done.set_aside = [SetAside(str(each["id"]), str(each["reason"])) for each in done.set_aside]  # type: ignore[index]
        counts = (done.documents, done.sentences, done.words)
        whole = all(isinstance(count, int) for count in counts) and isinstance(done.cpu, int | float)
    except (OSError, TypeError, KeyError):
        return None
    return done if whole and (done.partition, done.begin, done.end) == _place(partition) else None


def _place(partition: Partition) -> tuple[int, int, int]:
    return partition.number, partition.begin, partition.end


def finish(task: Task, all_done: Sequence[Done]) -> None:
    """Write what was set aside, and the sums. Raises OSError: M650-M652."""
    aside = [
        {"id": each.id, "partition": done.partition, "path": done.path, "reason": each.reason}
        for done in all_done
        for each in done.set_aside
    ]
    lines = "".join(json.dumps(each, ensure_ascii=False) + "\n" for each in aside)
    write_atomically(task.folder / ASIDE, _encoded(lines))
    sums = {name: sum(getattr(done, name) for done in all_done) for name in ("documents", "sentences", "words", "cpu")}
    write_atomically(task.folder / SUMMARY, _json({"partitions": len(all_done), **sums, "set_aside": len(aside)}))
