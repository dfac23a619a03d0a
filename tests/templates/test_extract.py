"""The kernels against plain Python: tuples of what each template observes, compared as values."""

import numpy as np
from hypothesis import given, settings
from hypothesis import strategies as st

from spacy_mtl.templates.extract import boundary, mix, template_keys
from spacy_mtl.templates.grammar import Observation, Template, parse_templates
from spacy_mtl.templates.program import compile_program

COLUMNS = {"ORTH": 0, "TAG": 1}
VALUES = st.sampled_from([0, 1, 2, 2**63, 2**64 - 1])
SENTENCES = st.lists(st.lists(st.tuples(VALUES, VALUES), max_size=6), max_size=5)
OBSERVATIONS = st.builds(Observation, st.integers(-4, 4), st.sampled_from(["ORTH", "TAG"]))
TEMPLATES = st.lists(
    st.builds(Template, st.sampled_from(["U", "B"]), st.lists(OBSERVATIONS, max_size=3).map(tuple)),
    min_size=1,
    max_size=4,
    unique_by=lambda template: (template.is_edge, template.observations),
)


def arrays(sentences) -> tuple[np.ndarray, np.ndarray]:
    tokens = [token for sentence in sentences for token in sentence]
    columns = np.array(tokens, dtype=np.uint64).reshape(len(tokens), 2).T.copy()
    return columns, np.cumsum([0, *map(len, sentences)], dtype=np.int64)


def all_keys(sentences, templates) -> list[list[int]]:
    """Keys by template and token."""
    columns, starts = arrays(sentences)
    program = compile_program(templates, COLUMNS)
    out = np.empty((len(templates), columns.shape[1]), np.uint64)
    for t in range(len(templates)):
        template_keys(columns, starts, program, t, out[t])
    return out.tolist()


def observed(sentence, position, obs):
    """A value, or how far before or after the sentence."""
    at = position + obs.offset
    if at < 0:
        return "before", -at
    if at >= len(sentence):
        return "after", at - len(sentence) + 1
    return sentence[at][COLUMNS[obs.attr]]


@settings(deadline=None)
@given(SENTENCES, TEMPLATES)
def test_keys_are_equal_exactly_where_the_observations_are(sentences, templates):
    by_key, by_observation = {}, {}
    for t, (template, keys) in enumerate(zip(templates, all_keys(sentences, templates), strict=True)):
        tokens = ((sentence, i) for sentence in sentences for i in range(len(sentence)))
        for (sentence, i), key in zip(tokens, keys, strict=True):
            observation = (t, *(observed(sentence, i, obs) for obs in template.observations))
            assert by_key.setdefault(key, observation) == observation
            assert by_observation.setdefault(observation, key) == key


@settings(deadline=None)
@given(SENTENCES, TEMPLATES)
def test_a_sentence_has_the_same_keys_alone_as_among_others(sentences, templates):
    alone = [all_keys([sentence], templates) for sentence in sentences]
    joined = [[key for keys in alone for key in keys[t]] for t in range(len(templates))]
    assert all_keys(sentences, templates) == joined


def test_places_outside_the_sentence_have_values_of_their_own():
    distances = [*range(-100, 0), *range(1, 101)]
    values = {int(boundary(distance)) for distance in distances}
    assert len(values) == len(distances)
    assert not values & {0, 1, 2**64 - 1}


def test_distance_and_side_are_told_apart_in_a_sentence_of_one_token():
    templates = parse_templates([f"U{i + 9}:%x[{i},ORTH]" for i in range(-9, 10) if i])
    same_seed = [Template("U", template.observations) for template in templates]
    program = compile_program(same_seed, COLUMNS)
    program = program._replace(seed=np.full(len(same_seed), 7, np.uint64))  # only the observed value is left to differ
    columns, starts = arrays([[(5, 5)]])
    keys = np.empty((len(same_seed), 1), np.uint64)
    for t in range(len(same_seed)):
        template_keys(columns, starts, program, t, keys[t])
    assert np.unique(keys).size == len(same_seed)


def test_places_outside_are_counted_from_one():
    """Models that have been saved hold these keys."""
    columns, starts = arrays([[(5, 6)], [(7, 8)]])
    for offset, distances in ((-2, (-2, -2)), (-1, (-1, -1)), (1, (1, 1)), (2, (2, 2))):
        program = compile_program([Template("U", (Observation(offset, "TAG"),))], COLUMNS)
        keys = np.empty(2, np.uint64)
        template_keys(columns, starts, program, 0, keys)
        assert keys.tolist() == [mix(program.seed[0], boundary(distance)) for distance in distances]


@given(st.integers(0, 2**64 - 1), st.integers(0, 2**64 - 1))
@settings(deadline=None)
def test_mix_is_the_finalizer_in_64_bit_arithmetic(key, value):
    z = ((key ^ value) * 0x9E3779B97F4A7C15) % 2**64
    z = ((z ^ (z >> 30)) * 0xBF58476D1CE4E5B9) % 2**64
    z = ((z ^ (z >> 27)) * 0x94D049BB133111EB) % 2**64
    assert int(mix(np.uint64(key), np.uint64(value))) == z ^ (z >> 31)


def test_template_without_observations_has_one_key():
    assert len(set(all_keys([[(1, 2), (3, 4)], [(5, 6)]], [Template("B")])[0])) == 1
