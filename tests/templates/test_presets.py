from itertools import combinations

import pytest
from thinc.api import Config

import spacy_mtl.templates.presets  # noqa: F401 - registers the sets
from spacy_mtl.registry import registry
from spacy_mtl.templates.attributes.characters import WORD_ATTRIBUTES
from spacy_mtl.templates.attributes.context import CONTEXT_ATTRIBUTES
from spacy_mtl.templates.grammar import TemplateSet, parse_templates

NAMES = ["tp1", "tp2", "conll2002", "ner", "seg"]


def preset(name: str, **settings) -> TemplateSet:
    return registry.mtl_templates.get(f"spacy_mtl.{name}.v1")(**settings)


def shape_of(template) -> tuple:
    """The attributes read, with the offsets dropped."""
    return tuple(obs.attr for obs in template.observations)


def offsets_of(template) -> tuple:
    return tuple(obs.offset for obs in template.observations)


@pytest.mark.parametrize("name", NAMES)
def test_no_two_templates_observe_the_same(name):
    patterns = [template.pattern for template in preset(name).node]
    assert len(set(patterns)) == len(patterns)
    sets = [frozenset(template.observations) for template in preset(name).node]
    assert len(set(sets)) == len(sets)


@pytest.mark.parametrize("name", NAMES)
def test_transition_is_the_one_edge_template(name):
    assert [template.text for template in preset(name).edge] == ["B"]


@pytest.mark.parametrize("name", NAMES)
def test_min_count_is_1_or_as_set(name):
    assert preset(name).min_count == 1
    assert preset(name, min_count=3) == TemplateSet(preset(name).templates, 3)


TABLE_2_TP1 = """
U00:%x[-2,CHAR]
U01:%x[-1,CHAR]
U02:%x[0,CHAR]
U03:%x[1,CHAR]
U04:%x[2,CHAR]
U05:%x[-2,CHAR]/%x[-1,CHAR]/%x[0,CHAR]
U06:%x[-1,CHAR]/%x[0,CHAR]/%x[1,CHAR]
U07:%x[0,CHAR]/%x[1,CHAR]/%x[2,CHAR]
U08:%x[-1,CHAR]/%x[0,CHAR]
U09:%x[0,CHAR]/%x[1,CHAR]
"""
TABLE_2_TP2 = """
U10:%x[-2,CHAR]/%x[-1,CHAR]
U11:%x[1,CHAR]/%x[2,CHAR]
U12:%x[-2,CHAR]/%x[0,CHAR]
U13:%x[-1,CHAR]/%x[1,CHAR]
U14:%x[0,CHAR]/%x[2,CHAR]
U15:%x[-2,CHAR]/%x[1,CHAR]
U16:%x[-1,CHAR]/%x[2,CHAR]
"""


def test_tp1_is_table_2s():
    assert list(preset("tp1").templates) == parse_templates(TABLE_2_TP1 + "B")
    assert len(preset("tp1").templates) == 11


def test_tp2_is_table_2s():
    assert list(preset("tp2").templates) == parse_templates(TABLE_2_TP1 + TABLE_2_TP2 + "B")
    assert len(preset("tp2").templates) == 18


def test_conll2002_has_133_state_templates_in_their_groups():
    groups: dict[tuple, list[tuple]] = {}
    for template in preset("conll2002").node:
        groups.setdefault(shape_of(template), []).append(offsets_of(template))
    assert {shape: len(offsets) for shape, offsets in groups.items()} == {
        ("ORTH",): 7,
        ("ORTH", "ORTH"): 21,
        ("TAG",): 7,
        ("TAG", "TAG"): 21,
        ("ORTH", "TAG"): 42,
        ("TAG", "TAG", "TAG"): 35,
    }
    assert len(preset("conll2002").node) == 133


def test_conll2002_enumerates_the_window():
    window = range(-3, 4)
    node = preset("conll2002").node
    for shape in [("ORTH",), ("TAG",), ("ORTH", "ORTH"), ("TAG", "TAG"), ("TAG", "TAG", "TAG")]:
        assert [offsets_of(t) for t in node if shape_of(t) == shape] == list(combinations(window, len(shape)))
    assert {offsets_of(t) for t in node if shape_of(t) == ("ORTH", "TAG")} == {
        (i, j) for i in window for j in window if i != j
    }


def test_ner_reads_forms_affixes_shapes_and_tags():
    affixes = {f"{side}{n}" for side in ("PREFIX", "SUFFIX") for n in (1, 2, 3, 4)}
    unigrams = {(shape_of(t)[0], *offsets_of(t)) for t in preset("ner").node if len(t.observations) == 1}
    wide = {(attr, offset) for attr in ("LOWER", "SHAPE", "TAG") for offset in range(-2, 3)}
    assert wide | {(attr, offset) for attr in (*affixes, "ORTH", *CONTEXT_ATTRIBUTES) for offset in (0,)} <= unigrams
    assert set(preset("ner").attributes) == {"ORTH", "LOWER", "SHAPE", "TAG", *CONTEXT_ATTRIBUTES} | affixes


def test_ner_without_tag_is_the_same_set_less_tags():
    reduced = preset("ner").without("TAG").without("LEFT_NOUN").without("RIGHT_NOUN")
    assert preset("ner", tag=False) == reduced
    assert "TAG" not in preset("ner", tag=False).attributes
    assert len(preset("ner", tag=False).templates) < len(preset("ner").templates)


# --- the user's own ---


def test_patterns_from_a_list():
    expected = TemplateSet.from_texts(["U0:%x[0,ORTH]", "B"], 2)
    assert preset("patterns", patterns=["U0:%x[0,ORTH]", "# labels", "B"], min_count=2) == expected


@pytest.mark.parametrize("encoding", ["utf-8", "utf-8-sig"])
@pytest.mark.parametrize("kind", [str, lambda path: path], ids=["str", "Path"])
def test_patterns_from_a_file(tmp_path, encoding, kind):
    path = tmp_path / "palabras.txt"
    path.write_text("U_año:%x[0,ORTH]\n\n# labels\r\nB\n", encoding=encoding)
    assert preset("patterns", path=kind(path), min_count=2) == TemplateSet.from_texts(["U_año:%x[0,ORTH]", "B"], 2)


def test_fault_in_a_list_names_the_line():
    with pytest.raises(ValueError, match=r"^\[M106\] Bad template at patterns, line 2, column 9: "):
        preset("patterns", patterns=["B", "U0:%x[0,0]"])


def test_fault_in_a_file_names_the_file_and_line(tmp_path):
    path = tmp_path / "words.txt"
    path.write_text("# words\n\nU0:%x[0;ORTH]\n", encoding="utf-8")
    with pytest.raises(ValueError, match=r"^\[M104\] Bad template at .*words\.txt, line 3, column 7: "):
        preset("patterns", path=path)


@pytest.mark.parametrize(
    ("settings", "got"),
    [({}, "neither is set"), ({"patterns": ["B"], "path": "words.txt"}, "both are set")],
)
def test_exactly_one_source_must_be_set(settings, got):
    with pytest.raises(ValueError, match=rf"^\[M123\] .*'patterns' \(a list\) or from 'path' \(a file\), but {got}"):
        preset("patterns", **settings)


@pytest.mark.parametrize("lines", [[], ["# nothing"]])
def test_patterns_without_a_template_are_refused(lines):
    with pytest.raises(ValueError, match=r"^\[M121\] There is no template in patterns\."):
        preset("patterns", patterns=lines)


def test_missing_file_is_refused(tmp_path):
    with pytest.raises(ValueError, match=r"^\[M124\] Cannot read the template file '.*nowhere\.txt': no such file\."):
        preset("patterns", path=tmp_path / "nowhere.txt")


def test_folder_or_foreign_encoding_is_refused(tmp_path):
    with pytest.raises(ValueError, match=r"^\[M124\] Cannot read the template file "):
        preset("patterns", path=tmp_path)
    path = tmp_path / "latin.txt"
    path.write_bytes("U_año:%x[0,ORTH]".encode("latin-1"))
    with pytest.raises(ValueError, match=r"^\[M124\] .*latin\.txt': it is not UTF-8 text\."):
        preset("patterns", path=path)


@pytest.mark.parametrize(
    ("settings", "expected"),
    [
        ('@mtl_templates = "spacy_mtl.tp1.v1"', lambda: preset("tp1")),
        (
            '@mtl_templates = "spacy_mtl.ner.v1"\ntag = false\nmin_count = 2',
            lambda: preset("ner", tag=False, min_count=2),
        ),
        (
            '@mtl_templates = "spacy_mtl.patterns.v1"\npatterns = ["U0:%x[-1,LOWER]/%x[0,TAG]", "B"]',
            lambda: TemplateSet.from_texts(["U0:%x[-1,LOWER]/%x[0,TAG]", "B"]),
        ),
    ],
    ids=["tp1", "ner", "patterns"],
)
def test_resolves_in_a_config(settings, expected):
    config = Config().from_str(f"[templates]\n{settings}")
    written = Config().from_str(config.to_str())
    assert registry.resolve(written)["templates"] == expected()


def test_seg_counts_and_reach():
    templates = preset("seg").node
    assert len(templates) == 45
    assert len(preset("seg", breaks=True).node) == 50
    assert {obs.offset for template in templates for obs in template.observations} == set(range(-2, 3))
    shapes = [offsets_of(template) for template in templates if set(shape_of(template)) == {"CHAR"}]
    assert [len([s for s in shapes if len(s) == n]) for n in (1, 2, 3)] == [5, 7, 3]


def test_seg_without_dictionary_reads_nothing_of_a_corpus():
    of_corpus = {*WORD_ATTRIBUTES, "BREAK", "CHAR_GROUP"}
    assert not set(preset("seg", dictionary=False).attributes) & of_corpus
    assert of_corpus - {"BREAK"} < set(preset("seg").attributes)
    assert of_corpus < set(preset("seg", breaks=True).attributes)
    assert "BREAK" not in preset("seg").attributes
