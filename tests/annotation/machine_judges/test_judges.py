"""A machine judge is declared once, says each thing once, and judges in the way of its kind."""

from typing import Any

import pytest

from annotation.machine_judges import ways
from annotation.machine_judges.jobs import judge_by_machine
from annotation.machine_judges.judges import (
    MachineGrade,
    WordChanged,
    declare_judge,
    grades_of,
    retire_judge,
    store_judgments,
)
from annotation.models import MachineJudge, MachineJudging, MachineJudgment
from foundation.infra.job_control import resume_job
from foundation.refused import Refused
from queries.models import Candidate
from tests.conftest import World

pytestmark = pytest.mark.django_db


def declared(world: World, **others: Any) -> MachineJudge:
    facts = {"name": "clipper", "kind": "file", "model": "ViT-B/32", "family": "CLIP"} | others
    return declare_judge(collection=world.collection, member=world["ada"], **facts)


def said(world: World, *grades: int) -> list[MachineGrade]:
    candidates = Candidate.objects.order_by("pk").values_list("pk", flat=True)
    return [MachineGrade(candidate, grade) for candidate, grade in zip(candidates, grades, strict=False)]


def test_declaring_the_same_judge_again_finds_it_and_another_of_its_name_is_refused(world: World) -> None:
    judge = declared(world, parameters={"seed": 1})
    assert declared(world, parameters={"seed": 1}) == judge
    with pytest.raises(Refused, match="declared already, with another parameters") as refused:
        declared(world, parameters={"seed": 2})
    assert refused.value.field == "name"
    with pytest.raises(Refused, match="another model, family"):
        declared(world, model="ViT-L/14", family="SigLIP", parameters={"seed": 1})
    assert MachineJudge.objects.count() == 1


def test_a_judge_that_lacks_something_is_refused_with_the_field(world: World) -> None:
    with pytest.raises(Refused) as refused:
        declared(world, name=" \u200b", model="x" * 201, family="", kind="oracle", frames=-1)
    assert set(refused.value.wrong) == {"name", "model", "family", "kind", "frames"}
    assert not MachineJudge.objects.exists()


def test_a_name_is_kept_as_one_line_of_what_can_be_stored(world: World) -> None:
    assert declared(world, name="  two\x00\n words ").name == "two words"


def test_what_was_said_is_stored_once_and_never_changes(world: World) -> None:
    judge = declared(world)
    assert store_judgments(judge=judge, rows=said(world, 3, 1)) == 2
    assert store_judgments(judge=judge, rows=said(world, 3, 1, 4)) == 1
    with pytest.raises(WordChanged, match="1 pair") as changed:
        store_judgments(judge=judge, rows=said(world, 2, 1))
    assert changed.value.candidates == [said(world, 2)[0].candidate]
    assert [row.grade for row in grades_of(judge)] == [3, 1, 4]
    other = declared(world, name="another")
    assert store_judgments(judge=other, rows=said(world, 2)) == 1


def test_distributions_and_abstentions_come_back_as_they_were_said(world: World) -> None:
    judge, (first, second) = declared(world), [row.candidate for row in said(world, 0, 0)]
    rows = [MachineGrade(first, 1, (0.2, 0.5, 0.1, 0.1, 0.1)), MachineGrade(second, abstained="refused")]
    store_judgments(judge=judge, rows=rows)
    assert list(grades_of(judge)) == rows == list(grades_of(judge, [first, second]))
    assert list(grades_of(judge, [second])) == rows[1:]


def test_a_retired_judge_keeps_its_grades_and_judges_no_more(world: World) -> None:
    judge = declared(world)
    store_judgments(judge=judge, rows=said(world, 3))
    retire_judge(judge=judge)
    retired_at = judge.retired_at
    retire_judge(judge=judge)
    assert judge.retired_at == retired_at is not None
    with pytest.raises(Refused, match="retired"):
        store_judgments(judge=judge, rows=said(world, 3, 2))
    with pytest.raises(Refused, match="retired"):
        declared(world)
    assert MachineJudgment.objects.count() == 1


def test_a_job_is_done_in_the_way_of_its_judges_kind(
    world: World, monkeypatch: pytest.MonkeyPatch, transactional_db: None
) -> None:
    done: list[MachineJudging] = []
    monkeypatch.setattr(ways, "_ways", {"server": lambda job, progress: done.append(job)})
    job = MachineJudging.objects.create(judge=declared(world, kind="server"))
    judge_by_machine(job.pk)
    job.refresh_from_db()
    assert done == [job]
    assert job.state == MachineJudging.State.DONE


def test_retiring_a_judge_stops_its_job_and_resuming_it_ends_with_why(world: World, transactional_db: None) -> None:
    judge = declared(world)
    job = MachineJudging.objects.create(judge=judge)
    retire_judge(judge=judge, by=world["ada"])
    judge_by_machine(job.pk)
    job.refresh_from_db()
    assert job.state == MachineJudging.State.STOPPED
    assert resume_job(job)
    judge_by_machine(job.pk)
    job.refresh_from_db()
    assert job.state == MachineJudging.State.REFUSED
    assert "retired" in job.problem
