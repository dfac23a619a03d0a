import builtins
from xml.etree import ElementTree

import pytest

from spacy_mtl.cli.insight.plot import MOST_BARS, check_plot, plot_templates

LIVE = 1e-5


def row(name, weight, pattern="%x[0,ORTH]"):
    return {"name": name, "pattern": pattern, "weight": weight}


def texts(path):
    return [element.text for element in ElementTree.parse(path).iter("{http://www.w3.org/2000/svg}text")]


def test_live_templates_and_their_shares(tmp_path):
    rows = [row("U1", 0.75, "%x[-1,TAG]/%x[0,TAG]"), row("B", 0.25, ""), row("U2", 1e-6)]
    plot_templates(tmp_path / "new" / "weights.svg", {"ner": rows, "chunker": rows[:1]}, LIVE)
    found = texts(tmp_path / "new" / "weights.svg")
    assert "[-1,TAG]/[0,TAG]" in found
    assert "label pair" in found
    assert "[0,ORTH]" not in found
    assert "ner: 2 of 3 templates are live" in found
    assert "chunker: 1 of 1 templates are live" in found
    assert "% of the sum of template weights; dashed: equal weights" in found


@pytest.mark.parametrize("scale", [1e-6, 1e6])
def test_templates_are_live_by_their_shares(tmp_path, scale):
    rows = [row("U1", 0.75 * scale), row("B", 0.25 * scale, ""), row("U2", 5e-6 * scale)]
    plot_templates(tmp_path / "weights.svg", {"ner": rows}, LIVE)
    assert "ner: 2 of 3 templates are live" in texts(tmp_path / "weights.svg")


def test_only_the_heaviest_are_drawn(tmp_path):
    rows = [row(f"U{i}", 1.0, f"%x[0,A{i}]") for i in range(2 * MOST_BARS)]
    plot_templates(tmp_path / "weights.svg", {"ner": rows}, LIVE)
    found = texts(tmp_path / "weights.svg")
    assert f"[0,A{MOST_BARS - 1}]" in found
    assert f"[0,A{MOST_BARS}]" not in found
    assert f"% of the sum of template weights; the other {MOST_BARS} share 50%; dashed: equal weights" in found


@pytest.mark.parametrize("rows", [[], [row("U0", 0.0)]])
def test_nothing_live(tmp_path, rows):
    plot_templates(tmp_path / "weights.png", {"ner": rows}, LIVE)
    assert (tmp_path / "weights.png").read_bytes().startswith(b"\x89PNG")


def test_the_same_weights_give_the_same_file(tmp_path):
    for name in ("one", "two"):
        plot_templates(tmp_path / f"{name}.svg", {"ner": [row("U0", 1.0)]}, LIVE)
    assert (tmp_path / "one.svg").read_bytes() == (tmp_path / "two.svg").read_bytes()


def test_a_file_that_cannot_be_written(tmp_path):
    (tmp_path / "file").touch()
    with pytest.raises(ValueError, match="M704"):
        plot_templates(tmp_path / "file" / "weights.svg", {"ner": [row("U0", 1.0)]}, LIVE)


def test_refused_before_any_work(tmp_path, monkeypatch):
    with pytest.raises(ValueError, match="M708"):
        check_plot(tmp_path / "weights.pdf")
    check_plot(tmp_path / "weights.svg")
    load = builtins.__import__

    def without_matplotlib(name, *args, **kwargs):
        if name == "matplotlib":
            raise ModuleNotFoundError(name)
        return load(name, *args, **kwargs)

    monkeypatch.setattr(builtins, "__import__", without_matplotlib)
    with pytest.raises(ValueError, match="M707"):
        check_plot(tmp_path / "weights.svg")
