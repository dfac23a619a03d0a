"""A parser that reads morphology where there is any: only cases tell subjects from objects here."""

import numpy as np
import pytest
import spacy
from spacy.tokens import Doc
from spacy.training import Example

from .parsing import parse

CASES = {"Nom": "nsubj", "Acc": "obj", "Dat": "iobj"}
#: Leaves out pairs, which are not needed here, and morphology.
PARSE = {"@mtl_templates": "spacy_mtl.parse.v1", "morph": False, "siblings": False, "grandparents": False}


def corpus(nlp, n, seed=0, morphs=True, pos=True, lemmas=False):
    """Sentences of a verb after two nouns or three, in any order, of forms that occur once. lemmas: that say the case."""
    random = np.random.default_rng(seed)
    found = []
    for i in range(n):
        cases = random.permutation(list(CASES))[: random.integers(2, 4)].tolist()
        size = len(cases)
        words = [f"w{seed}-{i}-{k}" for k in range(size)] + ["v"]
        given = {
            "words": words,
            "tags": ["N"] * size + ["V"],
            "sent_starts": [True] + [False] * size,
            "morphs": [f"Case={case}|Number=Sing" for case in cases] + ["_"] if morphs else None,
            "pos": ["NOUN"] * size + ["VERB"] if pos else None,
            "lemmas": [f"{case.lower()}-noun" for case in cases] + ["v"] if lemmas else None,
        }
        deps = [CASES[case] for case in cases] + ["ROOT"]
        found.append(Example(Doc(nlp.vocab, **given), Doc(nlp.vocab, **given, heads=[size] * (size + 1), deps=deps)))
    return found


def trained(shown, nlp=None, passes=6, **templates):
    if nlp is None:
        nlp = spacy.blank("xx")
        nlp.add_pipe("mtl_parser", config={"model": {"templates": {**PARSE, **templates}}})
    examples = shown(nlp)
    nlp.initialize(lambda: examples)
    for _ in range(passes):
        nlp.update(examples)
    return nlp


def right(nlp, shown):
    """The share of labels that are right."""
    pairs = [
        (a.dep_, b.dep_)
        for doc, e in zip(parse(nlp, shown), shown, strict=True)
        for a, b in zip(doc, e.reference, strict=True)
    ]
    return np.mean([a == b for a, b in pairs])


def read(nlp):
    """The attributes that the weights are for."""
    lines = nlp.get_pipe("mtl_parser").template_weights()
    return {
        name
        for name in ("TAG", "POS", "LEMMA", "MORPH", "MORPH_Case", "MORPH_Number")
        for line in lines
        if f",{name}]" in line["pattern"]
    }


def test_cases_tell_subjects_from_objects():
    nlp = trained(lambda nlp: corpus(nlp, 40), morph=True)
    assert right(nlp, corpus(nlp, 20, seed=1)) == 1
    assert {"MORPH", "MORPH_Case"} <= read(nlp)
    blind = trained(lambda nlp: corpus(nlp, 40))
    assert right(blind, corpus(blind, 20, seed=1)) < 0.8
    assert not {"MORPH", "MORPH_Case"} & read(blind)


def test_lemmas_tell_what_forms_do_not():
    nlp = trained(lambda nlp: corpus(nlp, 40, morphs=False, lemmas=True))
    assert right(nlp, corpus(nlp, 20, seed=1, morphs=False, lemmas=True)) == 1
    assert "LEMMA" in read(nlp)
    blind = trained(lambda nlp: corpus(nlp, 40, morphs=False, lemmas=True), lemma=False)
    assert right(blind, corpus(blind, 20, seed=1, morphs=False, lemmas=True)) < 0.8
    assert "LEMMA" not in read(blind)


def test_what_says_nothing_is_left_out():
    """Parts of speech that say what the tags say, and a number that is always the same; not the case."""
    nlp = trained(lambda nlp: corpus(nlp, 20), morph=True)
    assert nlp.get_pipe("mtl_parser").cfg["absent"] == [
        "POS",
        "LEMMA",
        "MORPH_Gender",
        "MORPH_Person",
        "MORPH_VerbForm",
    ]
    assert read(nlp) == {"TAG", "MORPH", "MORPH_Case", "MORPH_Number"}


def test_a_corpus_without_morphology(tmp_path):
    """The same templates and trees as if no morphology had been asked for, also after saving, and when learning goes on."""
    nlp = trained(lambda nlp: corpus(nlp, 20, morphs=False, pos=False), morph=True)
    assert read(nlp) == {"TAG"}
    other = trained(lambda nlp: corpus(nlp, 20, morphs=False, pos=False), coarse=None)
    shown = [corpus(pipeline, 10, 1, False, False) for pipeline in (nlp, other)]
    trees = [
        [doc.to_array(["HEAD", "DEP"]).tolist() for doc in parse(*pair)]
        for pair in zip((nlp, other), shown, strict=True)
    ]
    assert trees[0] == trees[1]
    nlp.to_disk(tmp_path / "saved")
    loaded = spacy.load(tmp_path / "saved")
    again = corpus(loaded, 10, 1, False, False)
    assert [doc.to_array(["HEAD", "DEP"]).tolist() for doc in parse(loaded, again)] == trees[0]
    assert loaded.get_pipe("mtl_parser").to_bytes() == nlp.get_pipe("mtl_parser").to_bytes()
    loaded.resume_training()
    loaded.update(corpus(loaded, 5, 2, False, False))
    assert read(loaded) == {"TAG"}


def test_a_new_corpus_is_looked_at_anew():
    nlp = trained(lambda nlp: corpus(nlp, 10, morphs=False), morph=True)
    assert "MORPH_Case" not in read(nlp)
    trained(lambda nlp: corpus(nlp, 10), nlp)
    assert "MORPH_Case" in read(nlp)
    assert "POS" not in read(nlp)


def test_what_a_component_before_will_set_is_not_left_out():
    nlp = spacy.blank("xx")

    @spacy.Language.component("sets_morphology", assigns=["token.morph"])
    def sets_morphology(doc):
        for token in doc:
            token.set_morph("Case=Nom" if token.text.endswith("0") else "Case=Acc")
        return doc

    nlp.add_pipe("sets_morphology")
    nlp.add_pipe("mtl_parser", config={"model": {"templates": {**PARSE, "morph": True}}})
    trained(lambda nlp: corpus(nlp, 10, morphs=False), nlp)
    assert "MORPH_Case" in read(nlp)


def test_documents_without_morphology_are_refused_later():
    nlp = trained(lambda nlp: corpus(nlp, 10), morph=True)
    [example] = corpus(nlp, 1, 1, morphs=False)
    with pytest.raises(ValueError, match=r"\[M444\].*MORPH"):
        nlp.get_pipe("mtl_parser").predict([example.predicted])


def test_documents_without_lemmas_are_warned_of_later():
    nlp = trained(lambda nlp: corpus(nlp, 10, morphs=False, lemmas=True))
    assert "LEMMA" in read(nlp)
    with_lemmas, without = (corpus(nlp, 1, 1, morphs=False, lemmas=lemmas)[0].predicted for lemmas in (True, False))
    parser = nlp.get_pipe("mtl_parser")
    assert len(parser.predict([with_lemmas, without])) == 2  # words of treebanks need not have lemmas
    with pytest.warns(UserWarning, match=r"\[M430\].*LEMMA"):
        assert len(parser.predict([without])) == 1


def test_a_file_that_names_other_attributes_is_refused():
    nlp = trained(lambda nlp: corpus(nlp, 10), morph=True)
    parser = nlp.get_pipe("mtl_parser")
    parser.cfg["absent"] = ["POS", 3]
    with pytest.raises(ValueError, match="M6"):
        parser.from_bytes(parser.to_bytes())


def test_behind_a_tagger_only_what_it_sets_is_read():
    """Training documents have morphology and parts of speech, too, but a text behind this tagger will have tags alone."""

    def behind(pos_map):
        nlp = spacy.blank("xx")
        nlp.add_pipe("mtl_tagger", config={"pos_map": pos_map})
        nlp.add_pipe("mtl_parser", config={"model": {"templates": {**PARSE, "morph": True}}})
        examples = corpus(nlp, 10)
        nlp.initialize(lambda: examples)
        nlp.update(examples)
        return nlp

    nlp = behind({})
    assert read(nlp) == {"TAG"}
    nlp.add_pipe("sentencizer", first=True)
    assert [token.dep_ for token in nlp("a b v")].count("ROOT") == 1
    assert read(behind({"N": "NOUN", "V": "VERB"})) == {"TAG", "POS"}
    assert "MORPH" in read(trained(lambda nlp: corpus(nlp, 10), morph=True))


@pytest.mark.parametrize("lemmatizer", [False, True])
def test_behind_a_tagger_lemmas_are_read_only_if_a_component_sets_them(lemmatizer):
    nlp = spacy.blank("xx")

    @spacy.Language.component("sets_lemmas", assigns=["token.lemma"])
    def sets_lemmas(doc):
        for token in doc:
            token.lemma_ = token.text
        return doc

    nlp.add_pipe("mtl_tagger", config={"pos_map": {}})
    if lemmatizer:
        nlp.add_pipe("sets_lemmas")
    nlp.add_pipe("mtl_parser", config={"model": {"templates": PARSE}})
    trained(lambda nlp: corpus(nlp, 10, morphs=False, lemmas=True), nlp)
    assert ("LEMMA" in read(nlp)) == lemmatizer
    nlp.add_pipe("sentencizer", first=True)
    assert [token.dep_ for token in nlp("a b v")].count("ROOT") == 1
