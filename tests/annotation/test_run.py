"""What follows where processes die, with workers that are played."""

from pathlib import Path

import pytest

from spacy_mtl.annotation.partitions import Partition
from spacy_mtl.annotation.run import AGAIN, Run
from spacy_mtl.annotation.work import Job
from spacy_mtl.cluster.executor import Outcome

PARTITION = Partition(0, "in.jsonl", Path("in.jsonl"), "jsonl", 0, 10, 10, 0)


class Played:
    """An executor whose outcomes are a list: "died", or what the work returns. asked: the purpose of each job."""

    def __init__(self, *outcomes):
        self.left, self.asked, self._jobs = list(outcomes), [], []

    def slots(self):
        return 1

    def submit(self, job):
        self.asked.append(job.purpose)
        self._jobs.append(job)

    def outcomes(self, seconds):
        for job in self._jobs[:]:
            self._jobs.remove(job)
            value = self.left.pop(0)
            yield Outcome(job, died="killed") if value == "died" else Outcome(job, value)


def annotated(*outcomes):
    played = Played(*outcomes)
    return Run(played, Job(None, PARTITION)).run([PARTITION]), played.asked


def test_a_partition_without_documents_is_written_after_kills():
    """There is no document to search for, so all that can be done is to write it again."""
    died = ["died"] * (AGAIN + 1)
    assert annotated(*died, 0, "done") == (["done"], ["write"] * (AGAIN + 1) + ["count", "write"])


def test_a_partition_that_ends_any_process_is_given_up():
    with pytest.raises(ValueError, match=r"M912.*killed"):
        annotated(*["died"] * 50)
