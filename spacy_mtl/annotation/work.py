"""What a worker does with a partition: annotate it and write it, or only try a part of it, where some document ends the process."""

import os
import platform
import time
from collections.abc import Iterator, Mapping
from contextlib import contextmanager, nullcontext, suppress
from dataclasses import dataclass, field
from itertools import islice
from pathlib import Path
from typing import Any

from spacy.language import Language
from spacy.tokens import Doc

from spacy_mtl.errors import Errors
from spacy_mtl.files import writing_atomically
from spacy_mtl.files.disk import reason_of

from .documents import Document, Done, SetAside, Task
from .formats import binary, conllu, jsonl, parquet, text
from .manifest import part_path, write_done
from .model import loaded
from .partitions import Partition

FORMATS = {"text": text, "jsonl": jsonl, "parquet": parquet, "spacy": binary, "conllu": conllu}
#: So many documents go through the pipeline at once, or fewer with so many words.
_DOCUMENTS, _WORDS = 256, 1 << 16
#: Where the pipeline fails on so many documents of a partition and on all of them, it is the pipeline.
_TOO_MANY = 20


@dataclass(frozen=True, slots=True)
class Job:
    """purpose: "write" the partition, "count" its documents, or "try" those of a span without writing any. skip: documents, by their numbers
    within the partition, with the reason why they are set aside."""

    task: Task
    partition: Partition
    purpose: str = "write"
    span: tuple[int, int] = (0, 0)
    skip: Mapping[int, str] = field(default_factory=dict)


def work(job: Job) -> Done | int:
    """Do a job: what became of the partition, or the number of documents that were counted or tried.

    Raises ValueError where the partition cannot be read or the model not loaded, and OSError (M650-M652) where the part cannot be written.
    """
    try:
        job.partition.check_unchanged()
    except OSError as error:
        raise ValueError(_unreadable(job.partition, error)) from None
    nlp = loaded(job.task)
    # strings of a text are forgotten when it is written; features and tags that files bring along are not, as the vocab keeps them elsewhere
    zone = nlp.memory_zone() if job.partition.kind in ("text", "jsonl", "parquet") else nullcontext()
    with zone:
        if job.purpose == "write":
            return _write(nlp, job)
        documents = _documents(nlp, job)
        if job.purpose == "count":
            return sum(1 for _ in documents)
        return sum(1 for _ in annotated(nlp, islice(documents, *job.span)))


def _unreadable(partition: Partition, error: OSError) -> str:
    return Errors.M501.format(path=partition.path, reason=reason_of(error), cwd=Path.cwd())


def _documents(nlp: Language, job: Job) -> Iterator[Document | SetAside]:
    """What is read, without what is to be skipped. An error of the disk is told as one of the input, not of the output."""
    documents = FORMATS[job.partition.kind].read(job.partition, nlp, job.task)  # type: ignore[attr-defined]
    number = 0
    while True:
        try:
            found = next(documents, None)
        except OSError as error:
            raise ValueError(_unreadable(job.partition, error)) from None
        if found is None:
            return
        yield SetAside(found.id, job.skip[number]) if number in job.skip else found
        number += 1


def _write(nlp: Language, job: Job) -> Done:
    partition, task, begin = job.partition, job.task, time.process_time()
    done = Done(partition.number, partition.name, partition.begin, partition.end)
    path = part_path(task.folder, partition.number, task.output)
    with writing_atomically(path) as file:
        with _closed(FORMATS[task.output].Writer(file, nlp, task, partition)) as writer:  # type: ignore[attr-defined]
            for found in annotated(nlp, _documents(nlp, job)):
                if isinstance(found, SetAside):
                    done.set_aside.append(found)
                    continue
                document, doc = found
                try:
                    done.sentences += writer.add(document, doc)
                except ValueError as error:
                    done.set_aside.append(_failed(document, error))
                    continue
                done.documents += 1
                done.words += len(doc)
        _check_pipeline(done)
    done.bytes = path.stat().st_size
    done.cpu = round(time.process_time() - begin, 3)
    done.worker = f"process {os.getpid()} on {platform.node()}"
    write_done(task, done)
    return done


@contextmanager
def _closed(writer: Any) -> Iterator[Any]:
    """The writer, closed in the end. After an error its file is not kept, but one of Parquet that is left open ends in a traceback on stderr."""
    try:
        yield writer
    except Exception:
        with suppress(Exception):
            writer.close()
        raise
    writer.close()


def _check_pipeline(done: Done) -> None:
    """Raises ValueError (M934) where the pipeline fails on whatever it is given: then nothing is to be set aside."""
    failed = [each.reason for each in done.set_aside if each.reason.startswith("[M928]")]
    if not done.documents and len(failed) >= _TOO_MANY:
        raise ValueError(Errors.M934.format(n=len(failed), reason=failed[0]))


def annotated(nlp: Language, documents: Iterator[Document | SetAside]) -> Iterator[SetAside | tuple[Document, Doc]]:
    """Documents with their Docs, and those that are set aside. Where a batch fails, its documents are annotated one by one."""
    batch: list[tuple[Document, Doc]] = []
    words = 0
    for document in documents:
        if isinstance(document, SetAside):
            yield document
            continue
        try:
            doc = document.make()
        except (OSError, MemoryError):
            raise
        except Exception as error:  # a tokenizer may raise anything, too
            yield _failed(document, error)
            continue
        batch.append((document, doc))
        words += len(doc)
        if len(batch) == _DOCUMENTS or words >= _WORDS:
            yield from _batch(nlp, batch)
            batch, words = [], 0
    yield from _batch(nlp, batch)


def _batch(nlp: Language, batch: list[tuple[Document, Doc]]) -> Iterator[SetAside | tuple[Document, Doc]]:
    documents = [document for document, _ in batch]
    try:
        docs = list(nlp.pipe(doc for _, doc in batch))
        if len(docs) != len(documents):  # an error handler of the pipeline has left some out
            raise ValueError("a component left documents out")
    except (OSError, MemoryError):
        raise
    except Exception:  # a component may raise anything
        yield from (_one(nlp, document) for document in documents)
    else:
        yield from zip(documents, docs, strict=True)


def _one(nlp: Language, document: Document) -> SetAside | tuple[Document, Doc]:
    try:
        docs = list(nlp.pipe([document.make()]))
        if not docs:
            raise ValueError("a component left it out")
        return document, docs[0]
    except (OSError, MemoryError):
        raise
    except Exception as error:
        return _failed(document, error)


def _failed(document: Document, error: Exception) -> SetAside:
    """With the sentence of a coded error, or with what another one says."""
    told = " ".join(str(error).split())
    if not told.startswith("[M"):
        told = Errors.M928.format(reason=f"{type(error).__name__}: {told[:300]}".rstrip(": ."))
    return SetAside(document.id, told)
