"""How a machine orders runs of its family beside people's order."""

from __future__ import annotations

from math import isnan

import pytest

from evaluation.guarantees.board import Board, Interval, RunEstimate
from evaluation.guarantees.circularity import circularity


def board(**scores: tuple[float, float]) -> Board:
    """Args: scores: run -> by people alone, by the machine alone."""
    runs = tuple(
        RunEstimate(name, people, people, people, 1.0, Interval(people, people, people), machine)
        for name, (people, machine) in scores.items()
    )
    return Board("NDCG@10,IoU>=0.5", 30, 100, runs, (), None, None, 0)


FAIR = {"a": (0.9, 0.8), "b": (0.7, 0.6), "c": (0.5, 0.4)}


def test_a_machine_that_puts_its_own_run_first_is_suspect() -> None:
    found = circularity(board(**FAIR, own=(0.1, 0.95)), {"own": "clip "}, "CLIP")
    assert found.of_family == ("own",) and found.ranks_above == 3 and found.suspect
    assert found.tau_without == 1 and found.tau == pytest.approx(0)


def test_a_machine_that_orders_its_own_as_people_do_is_not() -> None:
    found = circularity(board(**FAIR, own=(0.1, 0.2)), {"own": "CLIP", "a": "BLIP"}, "CLIP")
    assert (found.tau, found.tau_without, found.ranks_above) == (1, 1, 0) and not found.suspect


def test_without_runs_of_the_family_nothing_is_compared() -> None:
    found = circularity(board(**FAIR), {"a": "", "b": "BLIP"}, "CLIP")
    assert not found.of_family and isnan(found.ranks_above) and not found.suspect
    undeclared = circularity(board(**FAIR), {}, "")
    assert not undeclared.of_family, "nobody who declares none is of one family with another who doesn't"


def test_where_all_runs_but_one_are_of_the_family_the_rest_has_no_order() -> None:
    found = circularity(board(**FAIR), {"a": "CLIP", "b": "CLIP"}, "CLIP")
    assert found.tau == 1 and isnan(found.tau_without) and not found.suspect
