"""Machine grades stay apart: no figure of people moves, no task changes, no release has them."""

import json
from datetime import date
from pathlib import Path
from typing import Any

import pytest
from django.core.management import call_command

from annotation.agreement.paper_figure_counts import appendix_of
from annotation.assignment.next_tasks import next_tasks
from annotation.judging.progress import own_progress
from annotation.machine_judges.judges import MachineGrade, store_judgments
from annotation.models import Batch, Judgment, MachineJudge, MachineJudging, MachineJudgment, Pair, Repeat
from annotation.people.erasure import erase_account
from annotation.people.own_data import own_data
from annotation.people.people_figures import compute_people
from annotation.people.timesheet import work_days
from annotation.review.automatic_review import apply_policy
from datasets.content.statistics import release_statistics
from foundation.models import AuditEntry, Membership
from queries.models import Candidate
from queries.pooling.candidates import fetch_candidates
from tests.annotation.machine_judges.test_judges import declared
from tests.annotation.reviewed_worlds import DISCARDED, grade_batch
from tests.conftest import World, build_world

pytestmark = pytest.mark.django_db


def judged_world() -> World:
    """A query that people have decided, with a discarded pair, and one that waits for them."""
    world = build_world(queries=2, candidates=25)
    grade_batch(
        world, world.queries[0].batches.get(), lambda rank: DISCARDED if rank == 3 else (rank % 4, rank % 4 + 1)
    )
    return world


def judged_by_machine(world: World) -> MachineJudge:
    """It contradicts people wherever it can, and has judged everything."""
    judge = declared(world)
    grades = dict(Pair.objects.values_list("candidate", "grade"))
    rows = [MachineGrade(pk, 4 - (grades.get(pk) or 0)) for pk in Candidate.objects.values_list("pk", flat=True)]
    store_judgments(judge=judge, rows=rows, judging=MachineJudging.objects.create(judge=judge, state="done"))
    return judge


def figures_of(world: World) -> dict[str, Any]:
    """Whatever is computed of judgments, and what annotators are told and given."""
    here = world.collection
    people = [world[name] for name in ("bo", "cy", "di", "ed", "flo")]
    return {
        "people": compute_people(here) | {"recent_from": None},
        "agreement": appendix_of(here),
        "time and pay": work_days(here, first=date(2000, 1, 1), last=date(2100, 1, 1)),
        "progress": [own_progress(member) for member in people],
        "own data": ["".join(own_data(member.account)) for member in people if member.account],
        "tasks": [[task.pair for task in next_tasks(member=member)] for member in people],
        "pairs": list(Pair.objects.order_by("pk").values()),
        "batches": list(Batch.objects.order_by("pk").values()),
        "judgments": list(Judgment.objects.order_by("pk").values()),
        "repeats": Repeat.objects.count(),
        "review": apply_policy(collection=here),
        "members": list(Membership.objects.order_by("pk").values("pk", "worker", "role", "status")),
    }


def test_no_figure_task_or_decision_of_people_changes() -> None:
    world = judged_world()
    figures_of(world)  # seats are taken
    before, statistics = figures_of(world), release_statistics(world.collection)
    judged_by_machine(world)
    after = figures_of(world)
    for name, value in before.items():
        assert repr(after[name]) == repr(value), name
    assert json.dumps(release_statistics(world.collection)) == json.dumps(statistics)


@pytest.mark.long
def test_a_release_has_the_same_grades_and_no_word_of_a_machine(
    tmp_path: Path, settings: Any, transactional_db: None
) -> None:
    settings.MEDIA_ROOT = str(tmp_path / "stored")
    world = judged_world()
    fetch_candidates(collection=world.collection)
    before, after = tmp_path / "before", tmp_path / "after"
    call_command(
        "export_release", "paper", str(before), "--release", "v1", "--format", "tvr-ranking", "--format", "trec"
    )
    judged_by_machine(world)
    call_command(
        "export_release", "paper", str(after), "--release", "v2", "--format", "tvr-ranking", "--format", "trec"
    )
    for name in ("val.json", "test.json", "raw_annotations.csv"):
        assert (after / name).read_bytes() == (before / name).read_bytes()
    qrels = [path.relative_to(before) for path in before.rglob("*qrels*") if path.is_file()]
    assert qrels
    assert [(after / name).read_bytes() for name in qrels] == [(before / name).read_bytes() for name in qrels]


def test_who_declared_a_judge_is_told_to_themselves_and_stays_as_a_worker_id() -> None:
    world = judged_world()
    judge = judged_by_machine(world)
    ada = world["ada"].account
    assert ada is not None
    (place,) = json.loads("".join(own_data(ada)))["collections"]
    assert place["led"]["annotation.MachineJudge.member"] == 1
    Membership.objects.filter(pk=world["bo"].pk).update(role="owner")
    erase_account(account=ada)
    judge.refresh_from_db()
    assert judge.member is not None and judge.member.account is None
    assert judge.judgments.count() == 50


def test_declaring_and_retiring_are_in_the_trail_of_changes_and_grades_are_not() -> None:
    world = judged_world()
    MachineJudge.objects.filter(pk=judged_by_machine(world).pk).update(retired_at="2026-01-01T00:00Z")
    trail = AuditEntry.objects.filter(table__startswith="annotation_machine")
    assert set(trail.values_list("collection", flat=True)) == {world.collection.pk}
    changes = trail.filter(table="annotation_machinejudge").order_by("pk").values_list("operation", flat=True)
    assert list(changes) == ["insert", "update"]
    assert {"annotation_machinejudge", "annotation_machinejudging"} == set(trail.values_list("table", flat=True))


def test_candidates_that_go_take_what_machines_said_of_them_along() -> None:
    world = judged_world()
    judge = judged_by_machine(world)
    gone = Candidate.objects.filter(pair=None)
    number = gone.count()
    gone.delete()
    assert MachineJudgment.objects.filter(judge=judge).count() == 50 - number
