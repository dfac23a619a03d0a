import json

import pytest
import spacy
from spacy.cli import app
from spacy.language import Language
from typer.testing import CliRunner

from spacy_mtl import cli

ROWS = [
    {"name": "U00", "pattern": "%x[-1,LOWER]/%x[0,TAG]", "weight": 0.25, "norm": 1.0, "rows": 1200},
    {"name": "U01", "pattern": "%x[0,ORTH]", "weight": 0.75, "norm": 3.0, "rows": 34},
    {"name": "B00", "pattern": "", "weight": 0.0, "norm": 0.0, "rows": 81},
]


@Language.factory("templates_of_a_test")
class Weighed:
    def __init__(self, nlp, name):
        self.name = name

    def __call__(self, doc):
        return doc

    def template_weights(self):
        return ROWS


def invoke(*args):
    return CliRunner().invoke(app, ["mtl", "templates", *map(str, args)])


def save(path, *names):
    nlp = spacy.blank("es")
    for name in names:
        nlp.add_pipe("templates_of_a_test", name=name)
    nlp.add_pipe("sentencizer")
    nlp.to_disk(path)
    return path


@pytest.fixture
def model(tmp_path):
    return save(tmp_path / "model", "ner")


def test_registered_with_spacy():
    assert cli.mtl in [group.typer_instance for group in app.registered_groups]


def test_heaviest_live_templates_first(model):
    result = invoke(model)
    assert (result.exit_code, result.stderr) == (0, "")
    lines = result.stdout.splitlines()
    assert [line.split()[0] for line in lines if line.startswith("U")] == ["U01", "U00"]
    assert "%x[-1,LOWER]/%x[0,TAG]" in result.stdout
    assert "B00" not in result.stdout
    (first,) = [line.split() for line in lines if line.startswith("U01")]
    assert first[1:5] == ["%x[0,ORTH]", "0.7500", "75.00", "34"]
    assert first[5].startswith("█")
    assert "2 of 3 templates are live" in result.stdout
    assert "1,200" in result.stdout


@pytest.mark.parametrize("scale", [1e-6, 1.0, 1e6])
def test_the_scale_of_the_weights_does_not_matter(model, monkeypatch, scale):
    """A template is live by its share of all weights, as in the training table."""
    rows = [{**row, "weight": scale * weight} for row, weight in zip(ROWS, (0.25, 0.75, 5e-6), strict=True)]
    monkeypatch.setattr(Weighed, "template_weights", lambda self: rows)
    assert "2 of 3 templates are live" in invoke(model).stdout


def test_all_shows_the_dropped_ones(model):
    assert "B00" in invoke(model, "--all").stdout


def test_json_holds_all_templates(model, tmp_path):
    assert invoke(model, "--json", tmp_path / "new" / "weights.json").exit_code == 0
    data = json.loads((tmp_path / "new" / "weights.json").read_text())
    found = data["components"]["ner"]
    assert (found["live_templates"], found["n_templates"]) == (2, 3)
    assert [row["name"] for row in found["templates"]] == ["U01", "U00", "B00"]
    assert found["templates"][0] == {**ROWS[1], "share": 0.75}


def test_one_component_of_several(tmp_path):
    model = save(tmp_path / "model", "ner", "chunker")
    both = invoke(model).stdout
    assert both.count("templates are live") == 2
    one = invoke(model, "--component", "chunker").stdout
    assert one.count("templates are live") == 1
    assert "chunker" in one


def test_component_switched_off_is_still_shown(tmp_path):
    nlp = spacy.load(save(tmp_path / "model", "ner"), disable=["ner"])
    nlp.to_disk(tmp_path / "off")
    assert invoke(tmp_path / "off").exit_code == 0


def test_no_norm_at_all(model, monkeypatch):
    monkeypatch.setattr(Weighed, "template_weights", lambda self: [{**ROWS[2], "weight": 0.0}])
    assert "0 of 1 templates are live" in invoke(model).stdout
    assert "0.00" in invoke(model, "--all").stdout


def check_refused(result, code):
    assert result.exit_code == 1
    assert result.stderr.startswith(f"[{code}]")
    assert len(result.stderr.splitlines()) == 1


def test_bad_input_is_one_message_and_a_failure(model, tmp_path):
    check_refused(invoke(tmp_path / "nowhere"), "M701")
    (tmp_path / "damaged").mkdir()
    check_refused(invoke(tmp_path / "damaged"), "M701")
    check_refused(invoke(save(tmp_path / "none")), "M702")
    check_refused(invoke(model, "--component", "tagger"), "M703")
    check_refused(invoke(model, "--json", model / "meta.json" / "x.json"), "M704")


def test_reasons_are_told_whole(model, tmp_path):
    """A config error begins with its heading, and a file that fails says nothing about the pipeline."""
    code = tmp_path / "code.py"
    code.write_text("import nothing_of_this_name\n")
    result = invoke(model, "--code", code)
    check_refused(result, "M717")
    assert f"'{code}' of --code cannot be imported: ModuleNotFoundError: No module named" in result.stderr
    nlp = spacy.blank("es")
    nlp.add_pipe("mtl_ner")
    with pytest.warns(UserWarning, match="M459"):
        nlp.to_disk(tmp_path / "ner")
    config = (tmp_path / "ner" / "config.cfg").read_text().replace("\nC = 0.3\n", '\nC = "0,5"\n')
    (tmp_path / "ner" / "config.cfg").write_text(config)
    result = invoke(tmp_path / "ner")
    check_refused(result, "M701")
    assert "C: '0,5' is not float" in result.stderr
    assert result.stderr.endswith(".\n")


def test_no_more_than_the_heaviest(model):
    result = invoke(model, "--top", 1)
    assert "U00" not in result.stdout
    assert "2 of 3 templates are live, showing the 1 heaviest" in result.stdout
    assert "heaviest" not in invoke(model, "--top", 2).stdout


def test_picture(model, tmp_path):
    result = invoke(model, "--plot", tmp_path / "weights.png")
    assert result.exit_code == 0
    assert f"Written: {tmp_path / 'weights.png'}" in result.stdout
    assert (tmp_path / "weights.png").read_bytes().startswith(b"\x89PNG")
    check_refused(invoke(tmp_path / "nowhere", "--plot", tmp_path / "weights.pdf"), "M708")


@pytest.fixture(scope="module")
def learnt(tmp_path_factory):
    """A pipeline trained with a norm that drops templates, and one with other templates."""
    from ..pipelines import make_nlp, read_corpus, train

    folder = tmp_path_factory.mktemp("learnt")
    for name, settings in (("one", {}), ("two", {"texts": ["U0:%x[0,ORTH]", "U9:%x[1,ORTH]", "B"]})):
        nlp = make_nlp(trainer={"C": 0.003}, **settings)
        train(nlp, read_corpus(nlp, limit=60), 8).to_disk(folder / name)
    return folder


def test_the_path_over_the_passes(learnt, tmp_path):
    plot = tmp_path / "path.svg"
    result = invoke(learnt / "one", "--path", "--json", tmp_path / "path.json", "--plot", plot)
    assert (result.exit_code, result.stderr) == (0, "")
    assert "mtl_ner: passes 1 to 8" in result.stdout
    found = json.loads((tmp_path / "path.json").read_text())["components"]["mtl_ner"]
    assert found["passes"] == list(range(1, 9))
    assert found["dropped"]
    for name, when in found["dropped"].items():
        (line,) = [line for line in result.stdout.splitlines() if line.split()[:1] == [name]]
        assert line.split()[-1] == str(when)
        assert not line.rstrip(" 0123456789").endswith("█")
    kept = [name for name in found["shares"] if name not in found["dropped"]]
    assert f"{len(found['dropped'])} of {len(found['shares'])} templates were dropped by pass 8" in result.stdout
    (line,) = [line for line in result.stdout.splitlines() if line.split()[:1] == kept[:1]]
    assert f"{100 * found['shares'][kept[0]][-1]:.2f}" in line
    assert "equal weights" in plot.read_text()


def test_two_models_side_by_side(learnt, tmp_path):
    result = invoke(learnt / "one", "--compare", learnt / "two", "--json", tmp_path / "both.json")
    assert (result.exit_code, result.stderr) == (0, "")
    rows = json.loads((tmp_path / "both.json").read_text())["components"]["mtl_ner"]
    by_pattern = {row["pattern"]: row for row in rows}
    assert by_pattern["%x[1,ORTH]"]["share"] is None
    assert by_pattern["%x[-1,LOWER]"]["other"] is None
    assert sum(row["share"] or 0 for row in rows) == pytest.approx(1)
    assert [abs(row["difference"]) for row in rows] == sorted((abs(row["difference"]) for row in rows), reverse=True)
    moved = 50 * sum(abs(row["difference"]) for row in rows)
    assert f"mtl_ner: {moved:.1f}% of the weight is on other templates" in result.stdout
    same = invoke(learnt / "one", "--compare", learnt / "one").stdout
    assert "mtl_ner: 0.0% of the weight is on other templates" in same


def test_a_single_component_is_compared_whatever_it_is_called(learnt, model):
    result = invoke(learnt / "one", "--compare", model)
    assert (result.exit_code, result.stderr) == (0, "")
    assert "mtl_ner: 100.0% of the weight is on other templates" in result.stdout


def test_what_cannot_be_shown_over_time(learnt, model, tmp_path):
    check_refused(invoke(model, "--path"), "M785")
    check_refused(invoke(learnt / "one", "--path", "--compare", learnt / "two"), "M786")
    check_refused(invoke(learnt / "one", "--compare", learnt / "two", "--plot", tmp_path / "x.svg"), "M787")
    check_refused(invoke(learnt / "one", "--compare", save(tmp_path / "several", "ner", "tagger")), "M703")
    check_refused(invoke(learnt / "one", "--compare", tmp_path / "nowhere"), "M701")


def test_an_untrained_component_has_no_weights_to_show(tmp_path):
    nlp = spacy.blank("es")
    nlp.add_pipe("mtl_ner", name="ner")
    with pytest.warns(UserWarning, match="M459"):
        nlp.to_disk(tmp_path / "model")
    result = invoke(tmp_path / "model")
    assert (result.exit_code, result.stdout) == (1, "")
    assert result.stderr.startswith("[M475] 'ner' is not trained, so it has no weights")
