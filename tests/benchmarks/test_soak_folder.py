"""A soak that was ended goes on: what its folder keeps comes back as it was, and another folder is refused."""

import json
import random
from collections import deque
from datetime import timedelta
from pathlib import Path

import pytest

from benchmarks.soaking.ledger import SAVED, Books, Sent, seconds_of
from benchmarks.soaking.people import Person, Tab, Waiting
from benchmarks.soaking.soak_folder import NotTheFolder, SoakFolder, Underway

PLAN = {"people": 2, "seed": 1}


def test_books_tabs_and_figures_come_back_as_they_were(tmp_path: Path) -> None:
    books = Books(acknowledged=3)
    books.of("bo").judgments["k1"] = Sent("p1", 4, SAVED)
    books.of("bo").flagged.add("p2")
    books.mishaps["clocks set"] += 2
    books.took("grade", 0.0123)
    bo = Person("bo", "cookies", "token", random.Random(1), timedelta(seconds=90))
    gone = Person("cy", "cookies", "token", random.Random(2), timedelta(), gone=True)
    waiting = Waiting("p3", "k2", {"grade": 1})
    tabs = [Tab(bo, hand=["p4"], queue=deque([waiting]), undo="k1", asked="grade"), Tab(gone, due=float("inf"))]
    with SoakFolder(tmp_path, PLAN).open() as kept:
        kept.totals.acknowledged, kept.totals.runs = 1000, 1
        kept.totals.calm.seconds, kept.totals.kills["web"] = 2.5, 3
        kept.totals.submits[123] += 1
        kept.totals.add_processes({"web": {"processes": 2, "most_mib": 150, "kib_a_judgment": None}})
        kept.keep(Underway("soak2", books, tabs))

    with SoakFolder(tmp_path, PLAN).open() as again:
        assert again.totals == kept.totals
        again.totals.add_processes({"web": {"processes": 1, "most_mib": 120, "kib_a_judgment": 0.1}})
        assert again.totals.processes["web"] == {"processes": 3, "most_mib": 150, "kib_a_judgment": 0.1}
        assert again.underway is not None
        logins = {"bo": ("new cookies", "new token"), "cy": ("", "")}
        underway = Underway.of(again.underway, logins, random.Random(3))
    assert (underway.name, underway.books) == ("soak2", books)
    assert list(seconds_of(underway.books.submits)) == [0.0123]
    first, second = underway.tabs
    assert (first.person.cookies, first.person.clock, first.person.gone) == (
        "new cookies",
        timedelta(seconds=90),
        False,
    )
    # As a page that is loaded anew: what waits is sent, what was at hand is asked for.
    assert (first.queue, first.undo, first.hand, first.asked) == (deque([waiting]), "k1", [], "")
    assert second.person.gone and second.due == float("inf")


def test_another_plan_another_run_and_other_folders_are_refused(tmp_path: Path) -> None:
    with (
        SoakFolder(tmp_path / "own", PLAN).open(),
        pytest.raises(NotTheFolder, match="another run is going on there"),
        SoakFolder(tmp_path / "own", PLAN).open(),
    ):
        pass
    with pytest.raises(NotTheFolder, match="has people 2 and not 3: expected the same"):
        SoakFolder(tmp_path / "own", {**PLAN, "people": 3})._read()

    (tmp_path / "photos").mkdir()
    (tmp_path / "photos" / "cat.png").touch()
    (tmp_path / "file").touch()
    (tmp_path / "broken").mkdir()
    (tmp_path / "broken" / "soak.json").write_text(json.dumps({"plan": PLAN}))
    for name, said in (
        ("photos", "holds cat.png and no soak.json; expected a new or empty folder"),
        ("file", "File exists; expected a folder"),
        ("broken", "can't be read as an earlier run's"),
    ):
        with pytest.raises(NotTheFolder, match=said), SoakFolder(tmp_path / name, PLAN).open():
            pass
