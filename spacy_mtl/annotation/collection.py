"""Annotate a collection of files into a folder; what was interrupted goes on."""

import codecs
import time
from collections.abc import Callable, Sequence
from contextlib import AbstractContextManager
from dataclasses import dataclass, field, replace
from pathlib import Path

from spacy.language import Language

from spacy_mtl.cluster.executor import Executor
from spacy_mtl.errors import Errors
from spacy_mtl.files.folder_lock import lock_folder
from spacy_mtl.treebanks.annotate import input_of

from .documents import Done, Task
from .formats.jsonl import check_texts
from .formats.parquet import check_schemas
from .manifest import begin, finish, is_begun, part_path, read_done
from .partitions import SIZE, Partition
from .run import Run
from .split import input_files, left_out, split
from .work import Job

#: Seconds in which a shared disk must show what another machine has written.
_PATIENCE = 60.0


@dataclass(slots=True)
class Collection:
    """The partitions of a command. done: those that were when it began, by their numbers. left_out: files of folders that are not annotated."""

    task: Task
    partitions: list[Partition]
    size: int
    done: dict[int, Done] = field(default_factory=dict)
    left_out: Sequence[Path] = ()

    @property
    def left(self) -> list[Partition]:
        """What is to be annotated yet."""
        return [partition for partition in self.partitions if partition.number not in self.done]


def plan(nlp: Language, task: Task, inputs: Sequence[Path], size: int = SIZE) -> Collection:
    """Look at all inputs, and divide them. Nothing is written.

    task: its output is a format, or "same" as the inputs; of text that is CoNLL-U, since text has no room for annotation. size: bytes of a partition.
    Raises ValueError for inputs and columns that cannot be: M501, M513, M754, M755, M917-M919, M923-M927, M935, M970.
    """
    _check_encoding(task.input.encoding)
    partitions = split(input_files(inputs, task.input.kind), task.input.kind, size, task.input.documents == "file")
    kinds = sorted({partition.kind for partition in partitions})
    if task.output == "same":
        if len(kinds) > 1:
            raise ValueError(Errors.M935.format(kinds=", ".join(kinds)))
        task = replace(task, output="conllu" if kinds == ["text"] else kinds[0])
    tables = [partition.path for partition in partitions if partition.kind == "parquet"]
    if tables:
        check_schemas(list(dict.fromkeys(tables)), nlp, task)
    lines = [partition.path for partition in partitions if partition.kind == "jsonl"]
    check_texts(list(dict.fromkeys(lines)), task)
    if task.output == "parquet":
        from .formats.parquet import import_parquet

        import_parquet()
    task = replace(task, input=input_of(nlp, task.input), folder=task.folder.absolute())
    return Collection(task, partitions, size, left_out=left_out(inputs))


def _check_encoding(encoding: str) -> None:
    """Raises ValueError: M513 there is no such encoding, M917 its line ends are no bytes to go by."""
    try:
        codecs.lookup(encoding)
        fits = "a\n\nb".encode(encoding) == b"a\n\nb"
    except (LookupError, ValueError):
        raise ValueError(Errors.M513.format(encoding=encoding, path="the inputs")) from None
    if not fits:
        raise ValueError(Errors.M917.format(option=f"--encoding {encoding}", out="", hint=", and give files in UTF-8"))


def annotate_collection(
    collection: Collection,
    executor: Callable[[], AbstractContextManager[Executor]],
    tell: Callable[[Done, bool], object] = lambda *_: None,
) -> list[Done]:
    """Annotate what is left of a collection: what became of all partitions, in order.

    executor: is opened only if something is left; nothing is written before. tell: called with each partition, and whether it was done before; those
    come first.
    Each part is written atomically and each partition once; whoever is killed meanwhile, the same call goes on.
    Raises ValueError: M908, M910, M912-M915, M936; OSError where the folder cannot be written: M650-M652.
    """
    task = collection.task
    lock = lock_folder(task.folder)
    if isinstance(lock, str):
        raise ValueError(Errors.M915.format(path=task.folder, holder=lock))
    begun = is_begun(task, collection.partitions, collection.size)
    for partition in collection.partitions:
        if (done := read_done(task, partition)) is not None:
            collection.done[partition.number] = done
            tell(done, True)

    def take(done: Done) -> None:
        _check_seen(task, collection.partitions[done.partition], done)
        collection.done[done.partition] = done
        tell(done, False)

    if collection.left:
        with executor() as workers:
            if not begun:
                begin(task, collection.partitions, collection.size)
            Run(workers, Job(task, collection.partitions[0]), take).run(collection.left)
    found = [collection.done[number] for number in sorted(collection.done)]
    finish(task, found)
    del lock  # only now may another command take the folder
    return found


def _check_seen(task: Task, partition: Partition, done: Done) -> None:
    """Raises ValueError (M936) if what a worker has written is not to be seen here: then its folder is another one."""
    end = time.monotonic() + _PATIENCE
    while read_done(task, partition) is None:
        if time.monotonic() > end:
            path = part_path(task.folder, partition.number, task.output)
            raise ValueError(Errors.M936.format(worker=done.worker, number=partition.number, path=path))
        time.sleep(0.5)
