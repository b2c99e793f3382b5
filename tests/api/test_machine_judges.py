"""A program declares a judge, fetches what it is to judge, sends grades, and is told those of decided pairs alone."""

from typing import Any

import pytest

from annotation.machine_judges.jobs import judge_by_machine
from annotation.models import MachineJudge, MachineJudging, MachineJudgment, Pair
from tests.annotation.machine_judges.test_judges import declared
from tests.api.callers import Caller
from tests.conftest import World, build_world

pytestmark = pytest.mark.django_db
HERE = "/collections/paper/machine-judges"
NEW = {"name": "clipper", "model": "ViT-L/14", "family": "CLIP"}


@pytest.fixture
def ada(world: World) -> Caller:
    return Caller(world["ada"])


def fields_of(answer: Any) -> list[str]:
    return [error["field"] for error in answer.json()["errors"]]


def test_from_declaring_to_the_last_grade() -> None:
    world = build_world(candidates=22)
    ada = Caller(world["ada"])
    made = ada.post(HERE, {**NEW, "frames": 8, "parameters": {"seed": 1}})
    assert made.status_code == 201
    judge = made.json()
    assert (judge["kind"], judge["by"], judge["frames"], judge["said"]) == ("file", world["ada"].worker, 8, 0)
    assert ada.post(HERE, {**NEW, "frames": 8, "parameters": {"seed": 1}}).json()["judge"] == judge["judge"]
    other = ada.post(HERE, NEW)
    assert (other.status_code, fields_of(other)) == (422, ["body.name"])
    one = f"{HERE}/{judge['judge']}"
    while pairs := ada.get(f"{one}/pairs?limit=9").json()["items"]:
        assert set(pairs[0]) == {"pair_id", "query", "narrative", "video_name", "start", "end", "clip"}
        sent = [{"pair_id": pair["pair_id"], "distribution": [0, 0, 0, 0.9, 0.1]} for pair in pairs[1:]]
        brought = ada.post(
            f"{one}/grades", {"grades": [{"pair_id": pairs[0]["pair_id"], "abstained": "refused"}, *sent]}
        )
        assert brought.json()["added"] == len(pairs)
    told = ada.get(one).json()
    assert told["grades"] == [{"grade": grade, "pairs": 19 if grade == 3 else 0} for grade in range(5)]
    assert (told["abstained"], told["without"]) == ({"refused": 3}, 0)
    assert ada.get(HERE).json()["items"][0]["said"] == 22


def test_of_pairs_that_people_may_still_judge_no_grade_is_told(ada: Caller, world: World) -> None:
    judge = declared(world)
    pairs = list(Pair.objects.order_by("pk"))
    grades = [{"pair_id": str(pair.public_id), "grade": 4} for pair in pairs]
    assert ada.post(f"{HERE}/{judge.pk}/grades", {"grades": grades}).status_code == 200
    for status in ("open", "disputed", "withdrawn"):
        Pair.objects.update(status=status)
        assert ada.get(f"{HERE}/{judge.pk}/grades").json()["items"] == []
    Pair.objects.filter(pk=pairs[0].pk).update(status="consensus", grade=1)
    Pair.objects.filter(pk=pairs[1].pk).update(status="discarded")
    told = ada.get(f"{HERE}/{judge.pk}/grades?limit=1").json()
    assert told["items"] == [
        {"pair": str(pairs[0].public_id), "grade": 4, "distribution": None, "abstained": "", "people": 1}
    ]
    rest = ada.get(f"{HERE}/{judge.pk}/grades?cursor={told['next']}").json()
    assert [(one["pair"], one["people"]) for one in rest["items"]] == [(str(pairs[1].public_id), None)]


def test_wrong_grades_are_named_by_their_place_and_none_is_stored(ada: Caller, world: World) -> None:
    judge, name = declared(world), str(Pair.objects.order_by("pk")[0].public_id)
    good = {"pair_id": str(Pair.objects.order_by("pk")[1].public_id), "grade": 1}
    rows = [
        good,
        {"pair_id": name, "grade": 5},
        {"pair_id": name},
        {"pair_id": "nobody", "grade": 1},
        {"pair_id": good["pair_id"], "grade": 1},
        {"pair_id": name, "distribution": [0.5, 0.4, 0, 0, 0]},
    ]
    refused = ada.post(f"{HERE}/{judge.pk}/grades", {"grades": rows})
    assert refused.status_code == 422
    assert fields_of(refused) == [
        "body.grades.1.grade",
        "body.grades.2.grade",
        "body.grades.3.pair_id",
        "body.grades.4.pair_id",
        "body.grades.5.distribution",
    ]
    assert "the first is grades.0" in refused.json()["errors"][3]["reason"]
    assert not MachineJudgment.objects.exists()
    assert ada.post(f"{HERE}/{judge.pk}/grades", {"grades": [good]}).json()["added"] == 1
    changed = ada.post(f"{HERE}/{judge.pk}/grades", {"grades": [{**good, "grade": 2}]})
    assert (changed.status_code, fields_of(changed)) == (422, ["body.grades.0.grade"])
    assert ada.post(f"{HERE}/{judge.pk}/grades", {"grades": [good] * 1001}).status_code == 422
    assert ada.post(f"{HERE}/{judge.pk}/grades", {"grades": []}).json()["added"] == 0


def test_a_whole_file_is_a_job_and_uses_the_file_up(ada: Caller, world: World, transactional_db: None) -> None:
    judge = declared(world)
    rows = "".join(f"{name},3\n" for name in Pair.objects.values_list("public_id", flat=True))
    key = ada.send("/collections/paper", "grades.csv", f"pair_id,grade\n{rows}".encode())
    job = ada.post(f"{HERE}/{judge.pk}/judgings", {"file": key})
    assert (job.status_code, job.json()["kind"], job.json()["name"]) == (202, "machine-judging", "clipper")
    assert ada.get(f"/collections/paper/files/{key}").status_code == 404
    another = ada.send("/collections/paper", "more.csv", b"pair_id,grade\n")
    assert ada.post(f"{HERE}/{judge.pk}/judgings", {"file": another}).status_code == 409
    assert ada.get(f"/collections/paper/files/{another}").status_code == 200
    judge_by_machine(MachineJudging.objects.get().pk)
    assert ada.get(f"/collections/paper/jobs/machine-judging/{job.json()['job']}").json()["state"] == "done"
    assert ada.get(f"{HERE}/{judge.pk}").json()["said"] == 3


def test_a_retired_judge_and_one_that_is_asked_here_take_no_grades(ada: Caller, world: World) -> None:
    judge = declared(world)
    grades = {"grades": [{"pair_id": str(Pair.objects.all()[0].public_id), "grade": 3}]}
    assert ada.post(f"{HERE}/{judge.pk}/retire").json()["retired_at"]
    refused = ada.post(f"{HERE}/{judge.pk}/grades", grades)
    assert refused.status_code == 409 and "retired" in refused.json()["detail"]
    served = declared(world, name="served", kind="server")
    assert ada.post(f"{HERE}/{served.pk}/grades", grades).status_code == 409


@pytest.mark.parametrize(
    ("changed", "field"),
    [
        ({"name": ""}, "body.name"),
        ({"family": "\u200b"}, "body.family"),
        ({"guideline": 9}, "body.guideline"),
        ({"parameters": {"a": ["\ud83d"]}}, ""),
        ({"parameters": {"a": "x" * 20_001}}, "body.parameters"),
        ({"frames": 0}, "body.frames"),
    ],
)
def test_a_judge_that_will_not_do_is_refused_with_the_field(
    ada: Caller, world: World, changed: dict[str, Any], field: str
) -> None:
    refused = ada.post(HERE, NEW | changed)
    assert refused.status_code == 422
    assert not field or fields_of(refused) == [field]
    assert not MachineJudge.objects.exists()
