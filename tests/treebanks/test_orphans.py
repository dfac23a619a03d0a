"""Watching for the end of the parent leaves a pipeline as it was; tests/cli/test_annotate.py kills the parent."""

import spacy

from spacy_mtl.treebanks.orphans import ending_with_this


def test_errors_are_handled_as_before():
    nlp = spacy.blank("xx")
    told = []
    nlp.set_error_handler(lambda *error: told.append(error))
    before = nlp.default_error_handler
    with ending_with_this(nlp):
        nlp.default_error_handler("name", None, [], ValueError())
    assert [error[0] for error in told] == ["name"]
    assert nlp.default_error_handler is before
