"""BorderedPipe: a component over whole sentences, whose borders come from another component or the reader and are never changed."""

from typing import ClassVar

import numpy as np
from spacy.attrs import SENT_START
from spacy.tokens import Doc
from spacy.training import Example

from spacy_mtl.errors import Errors
from spacy_mtl.sentences import has_borders

from .protocol.labelled import LabelledPipe


class BorderedPipe(LabelledPipe):
    """A component that takes a document of up to ``max_unsplit`` words without sentence borders as one sentence, and refuses longer ones."""

    also_reads: ClassVar[tuple[str, ...]] = ("SENT_START",)
    max_unsplit: int | None

    def check_borders(self, doc: Doc) -> None:
        """Refuse a long document without sentence borders. Raises ValueError (M440)."""
        if self.max_unsplit is not None and len(doc) > max(self.max_unsplit, 1) and not has_borders(doc):
            text, words = doc.text[:40], len(doc)
            raise ValueError(Errors.M440.format(name=self.name, text=text, words=words, most=self.max_unsplit))

    def check_gold_borders(self, example: Example) -> None:
        """Refuse a training document without sentence borders that is long, or has several annotated sentences. Raises ValueError (M440, M457)."""
        self.check_borders(example.predicted)
        sentences = (
            0 if has_borders(example.predicted) else np.count_nonzero(example.reference.to_array(SENT_START) == 1)
        )
        if sentences > 1:
            text = example.text[:40]
            raise ValueError(Errors.M457.format(name=self.name, text=text, sentences=sentences))
