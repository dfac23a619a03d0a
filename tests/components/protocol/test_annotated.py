import pytest

from spacy_mtl.components.protocol.annotated import annotated


@pytest.mark.parametrize(
    ("attr", "annotating", "code"),
    [
        ("TAG", ["tagger"], None),
        ("TAG_PREFIX2", ["tagger"], None),
        ("ENT_TYPE", ["entity_ruler"], None),
        ("LEMMA", ["tagger", "entity_ruler"], "M111"),
        ("LEMMA", ["tagger", "attribute_ruler"], None),  # which does not say what it sets
    ],
)
def test_what_annotating_components_say_that_they_set(make_nlp, read_corpus, attr, annotating, code):
    nlp = make_nlp(["U0:%x[0,ORTH]", f"U1:%x[0,{attr}]"])
    for name in annotating:
        nlp.add_pipe(name, first=True)
    nlp.config["training"]["annotating_components"] = annotating
    examples, ner = read_corpus(nlp, limit=5, given=()), nlp.get_pipe("mtl_ner")
    if code is None:
        return ner.initialize(lambda: examples, nlp=nlp)
    with pytest.raises(ValueError, match=rf"^\[{code}\] Template 'U1:%x\[0,{attr}\]' reads the attribute '{attr}'"):
        ner.initialize(lambda: examples, nlp=nlp)


def test_components_from_elsewhere_do_not_say(make_nlp):
    nlp = make_nlp()
    assert annotated(nlp, ["a tagger that learns too"]) is None
    assert annotated(nlp, []) == frozenset()
    assert annotated(nlp, ["mtl_ner"]) == {"ENT_IOB", "ENT_TYPE", "ENT_ID", "ENT_KB_ID"}
