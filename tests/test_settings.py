"""Bad values for every setting of everything that a config can name: each is accepted, or refused with one coded sentence."""

import inspect
import re
from importlib import import_module
from pathlib import Path

import pytest
import spacy
from hypothesis import given
from hypothesis import strategies as st
from spacy.language import Language

from spacy_mtl.settings import brief, is_choice, is_list, is_number, is_path, is_switch, is_whole, shown
from spacy_mtl.templates.presets import mst, tp1
from spacy_mtl.trainers.base import Trainer, fit
from spacy_mtl.trainers.eg.trainer import EG
from spacy_mtl.trainers.mtlstruct.trainer import MTLStruct

from .test_habits import PROJECT
from .trainers.reference import random_problem

NAN, INF = float("nan"), float("inf")
BAD = [
    None, True, False, NAN, INF, -INF, 1e308, -1e308, 1e-320, 0, -1, 10**9, 10**30, -(10**30), 10**400, 0.5, 2.5, 1 + 2j, "", "x", "1", "\0", "a\nb",
    "x" * 10_000, "😀" * 50, "\ud800", [], [1], ["x"], [None], [[]], ["x"] * 5000, {}, {"x": 1}, {"l2": "x"}, {"l2": NAN}, {1: 2}, set(), (),
    b"x", object(), int, Path("/no/such/file"),
]  # fmt: skip
GROUPS = ("trainers", "templates")
ENTRIES = {
    name: value
    for group, entries in PROJECT["entry-points"].items()
    if group.startswith("spacy_") and group not in ("spacy_cli", "spacy_factories")
    for name, value in entries.items()
}
FACTORIES = PROJECT["entry-points"]["spacy_factories"]


def load(entry):
    module, name = entry.split(":")
    return getattr(import_module(module), name)


def given_values(name, tmp_path):
    """Values for the settings without a default."""
    (tmp_path / "corpus").write_text("a\n\n", encoding="utf8")
    templates = tp1() if "Chain" in name else mst()
    return {
        "trainer": MTLStruct(),
        "path": str(tmp_path / "corpus"),
        "templates": templates,
        "lang": "es",
        "corpus": lambda nlp: [],
    }


def coded(error):
    """Whether an error is a single coded sentence (or two), not too long, that can be printed."""
    text = str(error)
    text.encode("utf8", "backslashreplace")
    return type(error) is ValueError and re.match(r"\[M\d{3}\] ", text) and len(text) < 700


def uncoded(make, values, names):
    """The bad values of these settings that raise anything else, and those that are accepted."""
    faults, accepted = [], []
    for name in names:
        for value in BAD:
            try:
                accepted.append((name, value, make(**{**values, name: value})))
            except Exception as error:
                if not coded(error):
                    faults.append((name, shown(value), repr(error)[:100]))
    return faults, accepted


@pytest.mark.filterwarnings("ignore:.*M850")  # of the empty line
@pytest.mark.parametrize("name", ENTRIES)
def test_settings_of_what_is_registered(name, tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    make, values = load(ENTRIES[name]), given_values(name, tmp_path)
    parameters = inspect.signature(make).parameters
    needed = {key: value for key, value in values.items() if key in parameters}
    if "lexicon" in parameters or "patterns" in parameters:
        needed.pop("path", None)
    assert uncoded(make, needed, parameters)[0] == []


@pytest.mark.parametrize("name", FACTORIES)
def test_settings_of_components(name):
    make = load(FACTORIES[name])
    config = Language.get_factory_meta(name).default_config
    kept = {key: value for key, value in config.items() if key not in ("model", "trainer", "scorer")}
    templates = load(ENTRIES[config["model"]["templates"]["@mtl_templates"]])()
    model = load(ENTRIES[config["model"]["@architectures"]])(templates)
    values = {**kept, "nlp": spacy.blank("xx"), "name": "x", "model": model, "trainer": MTLStruct(), "scorer": None}
    assert uncoded(make, values, [*kept, "trainer", "scorer"])[0] == []


@pytest.mark.filterwarnings(r"ignore:\[M339\]")  # a learning rate that is accepted, but absurd
@pytest.mark.parametrize("trainer", ["spacy_mtl.MTLStruct.v1", "spacy_mtl.Perceptron.v1", "spacy_mtl.OnlineMKL.v1"])
def test_what_is_accepted_trains(trainer):
    make = load(ENTRIES[trainer])
    problem = random_problem(0)
    _, accepted = uncoded(make, {}, inspect.signature(make).parameters)
    assert len(accepted) >= 4
    for name, value, settings in accepted:
        if name == "inner_passes" or getattr(settings, "solver", "") == "cutting_plane":
            continue
        training = fit(settings, problem, 2)
        assert isinstance(settings, Trainer)
        assert all(abs(part).max() < 1e30 for part in training.weights if part.size), (name, value)


@pytest.mark.parametrize(
    ("make", "settings", "code"),
    [
        (MTLStruct, {"C": 1e308}, r"\[M370\] MTLStruct: C must be a number from 1e-09 to 1e\+09, but is 1e\+308\."),
        (MTLStruct, {"C": 1e-320}, r"\[M370\]"),
        (MTLStruct, {"p": 1e308}, r"\[M370\] MTLStruct: p must be a number from 1 to 10000"),
        (MTLStruct, {"inner_passes": 10**9}, r"\[M371\] MTLStruct: inner_passes .* at most 10000, but is 1000000000\."),
        (MTLStruct, {"average": 10**30}, r"\[M371\]"),
        (EG, {"inner_passes": 10**9}, r"\[M371\] EG: inner_passes"),
        (EG, {"eta": True}, r"\[M307\]"),
        (tp1, {"min_count": True}, r"\[M122\]"),
        (tp1, {"min_count": 10**30}, r"\[M133\]"),
    ],
)
def test_limits(make, settings, code):
    with pytest.raises(ValueError, match=code):
        make(**settings)


@pytest.mark.parametrize("value", [1e-9, 1e-4, 1e6, 1e9])
def test_values_of_c_that_are_in_use_are_allowed(value):
    assert MTLStruct(C=value).C == EG(C=value).C == value


@given(st.from_type(type).flatmap(st.from_type) | st.text() | st.lists(st.text()) | st.complex_numbers())
def test_checks_of_values_never_raise(value):
    assert len(shown(value)) < 70
    assert len(brief(value)) < 70
    for check in (is_number, is_whole, is_switch, is_path, is_list):
        assert check(value) in (True, False)
    assert is_choice(value, ("x",)) == (value == "x" and isinstance(value, str))
