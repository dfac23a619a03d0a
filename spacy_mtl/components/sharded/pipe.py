"""What a component does where its corpus is in shards: it counts what its own has, and learns what all shards have together."""

from collections.abc import Iterable, Sequence
from typing import Any, ClassVar

from spacy import util
from spacy.tokens import Doc
from spacy.training import Example

from spacy_mtl.components.protocol.updating import UpdatedPipe
from spacy_mtl.errors import Errors
from spacy_mtl.learning.gather import Gatherer, Piece
from spacy_mtl.learning.learner import Learner
from spacy_mtl.learning.streamed import Corpus
from spacy_mtl.models.chain.model import set_weights
from spacy_mtl.tables.phrases import PhraseList
from spacy_mtl.templates.attributes.learned import tables_of

#: So many documents are gathered at a time.
BATCH = 1000


class ShardedPipe(UpdatedPipe):
    """A component whose training can be shared out to workers, each with a shard of the corpus. Nothing here is used in other trainings.

    Each worker initializes its component on its shard. Then it tells what it has seen (:meth:`survey`), settles on what all have seen, gathers its
    documents, counts what depends on gold labels, and settles on that.
    """

    #: What the component counts of a corpus as a whole and cannot join, "" for nothing; and the learned attributes whose counts it can join.
    counts_as_whole: ClassVar[str] = ""
    joins: ClassVar[frozenset[str]] = frozenset()

    def check_shards(self) -> None:
        """Refuse what has to be counted of a corpus as a whole. Raises ValueError (M942)."""
        lists = [name for name, each in self.tables.items() if isinstance(each, PhraseList) and each.of_corpus]
        counted = [self.counts_as_whole] if self.counts_as_whole else []
        counted += ["the scales of vectors"] if self.templates.dense else []
        counted += sorted(tables_of(self.templates.attributes) - self.joins) + [f"the list '{name}'" for name in lists]
        if counted:
            raise ValueError(Errors.M942.format(name=self.name, what=counted[0]))

    def survey(self, references: Corpus[Doc]) -> dict[str, Any]:
        """What this shard has and others have to know, by name. Nothing by default. references: gone through several times."""
        return {}

    def settle(self, surveys: Sequence[dict[str, Any]]) -> None:
        """Hook: take over what all shards have, this one among them. Does nothing by default."""

    def count_pieces(self, pieces: Sequence[Piece]) -> dict[str, Any]:
        """What of the gathered documents others have to know. Nothing by default."""
        return {}

    def settle_pieces(self, counts: Sequence[dict[str, Any]]) -> None:
        """Hook: take over what all shards have counted. Does nothing by default."""

    def gathered(self, examples: Iterable[Example]) -> list[Piece]:
        """The documents as training sees them, in an order that does not depend on that in which they were read.

        Raises ValueError (M949) if they are not those that the component was initialized with.
        """
        assert self._gathered is not None
        gathered = Gatherer(self._gathered.expected)  # a worker may be asked more than once
        known = gathered.n_expected
        for batch in util.minibatch(examples, BATCH):
            for piece in self._expected(list(batch)):
                gathered.show(piece, None)
        if gathered.n_shown != known:
            raise ValueError(Errors.M949.format(name=self.name))
        gathered.close()
        self._gathered = gathered
        return gathered.pieces

    def _expected(self, examples: list[Example]) -> Iterable[Piece]:
        """The documents of a batch. Raises ValueError (M949) for one that the component was not initialized with."""
        assert self._gathered is not None
        keys = [self.key_of(example.reference) for example in examples]
        if not all(map(self._gathered.knows, keys)):
            raise ValueError(Errors.M949.format(name=self.name))
        examples = examples if self._before is None else self._before.annotated(examples)
        return self.pieces_of(keys, examples)

    def forget_documents(self) -> None:
        """Keep none of the gathered documents, once their features have been read."""
        self._gathered = None

    def exported(self, learner: Learner) -> bytes:
        """The component with the weights of a learner, as it is saved."""
        self.drop_of_weights()
        self.adopt(learner)
        set_weights(self.model, learner.export(self.model.attrs["megabytes"]), self.model_constraints())
        return self.to_bytes(exclude=["vocab"])
