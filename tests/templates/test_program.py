import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from spacy_mtl.templates.grammar import Observation, Template, parse_template, parse_templates
from spacy_mtl.templates.program import compile_program

COLUMNS = {"ORTH": 0, "TAG": 1, "LOWER": 2}
TEMPLATES = st.lists(
    st.builds(
        Template,
        st.sampled_from(["U", "B"]),
        st.lists(st.builds(Observation, st.integers(-3, 3), st.sampled_from(sorted(COLUMNS))), max_size=3).map(tuple),
    ),
    max_size=8,
    unique_by=lambda template: (template.is_edge, template.observations),
)


def seeds(*texts: str) -> list[int]:
    return compile_program([parse_template(text) for text in texts], COLUMNS).seed.tolist()


def test_arrays_follow_the_templates():
    program = compile_program(parse_templates(["U0:%x[-1,TAG]/%x[2,ORTH]", "B", "U1:%x[0,LOWER]"]), COLUMNS)
    assert program.first.tolist() == [0, 2, 2, 3]
    assert program.offset.tolist() == [-1, 2, 0]
    assert program.column.tolist() == [1, 0, 2]
    assert program.seed.shape == (3,)
    assert [array.dtype for array in program] == [np.int64, np.int64, np.int64, np.uint64]


@given(TEMPLATES)
def test_program_can_be_read_back(templates):
    names = {column: attr for attr, column in COLUMNS.items()}
    program = compile_program(templates, COLUMNS)
    for t, template in enumerate(templates):
        span = slice(program.first[t], program.first[t + 1])
        read = zip(program.offset[span].tolist(), program.column[span].tolist(), strict=True)
        assert tuple(Observation(offset, names[column]) for offset, column in read) == template.observations


@given(TEMPLATES)
def test_seeds_are_distinct(templates):
    program = compile_program(templates, COLUMNS)
    assert np.unique(program.seed).size == len(templates)


def test_no_templates_make_an_empty_program():
    program = compile_program([], COLUMNS)
    assert program.first.tolist() == [0]
    assert program.seed.size == program.offset.size == program.column.size == 0


def test_seed_does_not_depend_on_the_name():
    assert seeds("U0:%x[0,TAG]", "B") == seeds("Utag:%x[0,TAG]", "B-transition")


def test_seed_does_not_depend_on_columns_or_neighbours():
    template = parse_template("U0:%x[0,TAG]/%x[1,ORTH]")
    alone = compile_program([template], {"TAG": 0, "ORTH": 5})
    among = compile_program([parse_template("B"), template, parse_template("U1:%x[0,LOWER]")], COLUMNS)
    assert alone.seed[0] == among.seed[1]


def test_seed_depends_on_kind_and_on_every_observation_in_order():
    texts = [
        "U:%x[0,TAG]",
        "B:%x[0,TAG]",
        "B",
        "U:%x[1,TAG]",
        "U:%x[-1,TAG]",
        "U:%x[0,ORTH]",
        "U:%x[0,TAG]/%x[1,ORTH]",
        "U:%x[1,ORTH]/%x[0,TAG]",
    ]
    assert len({seeds(text)[0] for text in texts}) == len(texts)


def test_seeds_stay_what_saved_models_were_built_with():
    expected = [10725796258214726538, 16577174901051566363]
    assert seeds("U0:%x[-1,LOWER]/%x[0,TAG]", "B") == expected


def test_attribute_without_a_column_is_refused():
    with pytest.raises(
        ValueError, match=r"^\[M125\] Template 'U0:%x\[0,SHAPE\]' reads the attribute 'SHAPE', but the "
    ):
        compile_program([parse_template("U0:%x[0,SHAPE]")], COLUMNS)
