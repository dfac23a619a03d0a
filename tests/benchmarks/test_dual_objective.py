"""The core of the benchmark of dual objectives, on a made-up corpus."""

import pytest

from benchmarks.trainers.dual_curves import Contestant, contestants, curve, largest_fall, summary
from benchmarks.trainers.dual_objective import draw, table

from ..trainers.reference import random_problem, solve_primal


@pytest.mark.filterwarnings("ignore:.*M331")  # as far as single precision goes
def test_every_contestant_rises_to_the_same_optimum():
    problem = random_problem(0)
    optimum, _ = solve_primal(problem, 2.0, 0.7)
    found = contestants([0.5], [3.0])
    assert len({contestant.name for contestant in found}) == len(found)
    for contestant in found:
        points = curve(problem, contestant.at(0.7), 40)
        duals = [point["dual"] for point in points]
        assert [point["passes"] for point in points] == list(range(41))[: len(points)]
        assert max(duals) <= optimum * (1 + 1e-5)
        assert all(point["primal"] >= optimum * (1 - 1e-5) for point in points)
        assert largest_fall(duals) < 1e-5
        assert duals[-1] > 0.95 * optimum or "safe" in contestant.name


def test_online_eg_ends_above_as_many_cutting_planes():
    """On sentences enough that one cut for all of them is coarse."""
    problem = random_problem(5, n_sentences=60)
    online, planes = (
        curve(problem, contestant.at(1.0), 8)[-1]["dual"]
        for contestant in contestants([], [])
        if contestant.name in ("EG online", "cutting plane")
    )
    assert online > planes


def test_smo_and_its_hybrids_come_with_pairs_of_every_position():
    names = [contestant.name for contestant in contestants([], [], [2])]
    assert names[-2:] == ["SMO", "EG online after 2 of SMO"]
    assert "SMO" not in [contestant.name for contestant in contestants([], [])]


def test_rates_are_those_of_the_training():
    problem = random_problem(0)
    for settings, rate in (({"mode": "online", "eta": 0.25}, 0.25), ({"mode": "batch", "eta": 0.25}, 0.25)):
        points = curve(problem, Contestant("EG", "EG", settings).at(1.0), 1)
        assert points[0]["rate"] == rate
        assert points[1]["rate"] in (rate, rate / 2)
    assert curve(problem, Contestant("", "MTLStruct", {"p": 2.0}).at(1.0), 1)[1]["rate"] is None


def test_largest_fall():
    assert largest_fall([1.0, 2.0, 3.0]) == 0
    assert largest_fall([1.0]) == 0
    assert largest_fall([1.0, 2.0, 1.0, 5.0, 4.0]) == pytest.approx(1.0)
    assert summary([{"dual": 2.0, "passes": 0}, {"dual": 1.0, "passes": 1}]) == {"dual": 1.0, "passes": 1, "fall": 1.0}


def test_table_and_picture(tmp_path):
    problem = random_problem(1)
    rows = [
        {"contestant": name, "points": curve(problem, Contestant(name, "EG", {"mode": name}).at(0.7), n)}
        for name, n in (("online", 2), ("batch", 3))
    ]
    columns, lines = table(rows)
    assert list(columns) == ["passes", "online", "batch"]
    assert [line["passes"] for line in lines] == [0, 1, 2, 3]
    assert lines[2]["online"] == rows[0]["points"][2]["dual"]
    assert "online" not in lines[3]
    for name in ("curves.png", "curves.svg"):
        draw(tmp_path / "new" / name, [(0.7, rows), (1.0, rows)])
        assert (tmp_path / "new" / name).stat().st_size > 1000
