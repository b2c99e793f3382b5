"""A release as a plan's source: its systems, its raw judgments, and what is too little to plan from."""

from pathlib import Path

import pytest
from django.test import Client

from datasets.leaderboard.runs import open_board
from datasets.models import Plan
from datasets.planning.jobs import make_plan
from datasets.planning.services import Asked, ask_for_plan, choose_row
from datasets.planning.sources import led_with, read_source, sources_of
from datasets.releases.make_release import create_release
from evaluation.reading.judgments import read_judgments
from foundation.refused import Refused
from tests.datasets.boards import ground_truth, lines, perfect, reversed_run, scored
from tests.datasets.conftest import World


def test_a_release_s_raw_judgments_say_what_the_first_of_each_pair_was(judged: World, tmp_path: Path) -> None:
    release = create_release(collection=judged.collection, name="v1")
    with pytest.raises(Refused, match="fewer than two systems"):
        read_source(release, "test")
    queries = ground_truth(release, tmp_path / "v1")
    board = open_board(release=release, split="test")
    for name, rows in (("one", perfect(queries)), ("two", reversed_run(queries))):
        scored(board, name, lines(rows))
    material = read_source(release, "test")
    assert [run.name for run in material.runs] == ["one", "two"] and not material.imitated
    raw = read_judgments(tmp_path / "v1" / "raw_annotations.csv")
    assert material.judgments == pytest.approx(len(raw) / len(raw.pair_ids)) and material.judgments > 2
    assert material.single is not None and len(material.single.grade) == len(material.truth.grade)
    first = dict(zip(raw.pair_ids, raw.grades_by_pair(), strict=True))
    for pair, grade in zip(material.single.pair_ids, material.single.grade.tolist(), strict=True):
        assert grade == first[pair or ""][0]
    assert material.single.grade.tolist() != material.truth.grade.tolist()

    ada = judged.members["ada"]
    assert [one.key for one in sources_of(led_with(ada))] == [f"release-{release.pk}-test", "assumed"]
    asked = Asked(0.05, source=f"release-{release.pk}-test")
    plan = ask_for_plan(member=ada, asked=asked, sources=led_with(ada))
    make_plan(plan.pk)
    assert "found 2 and 2, expected at least 2 and 10" in Plan.objects.get(pk=plan.pk).problem

    other = ask_for_plan(member=ada, asked=Asked(0.05), sources=led_with(ada))
    make_plan(other.pk)
    choose_row(plan=Plan.objects.get(pk=other.pk), row=0)
    client = Client()
    client.force_login(ada.account)  # type: ignore[arg-type]
    page = client.get(f"/c/tiny/releases/{release.pk}/").content.decode()
    assert "What the plan promised and what came" in page and f"Plan {other.pk}" in page and "0 of 1" in page
