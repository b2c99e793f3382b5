"""A goal, looks and the next queries by a program are those of the page."""

from annotation.batches.opening import open_annotation
from annotation.models import MachineJudge
from datasets.models import StoppingGoal
from datasets.stopping.jobs import look_now
from tests.api.callers import Caller
from tests.conftest import build_world
from tests.datasets.stopping.stopped_worlds import FAIR, GOOD, MEASURE, POOR, stopped_world

HERE = "/collections/stopped/stopping"


def test_a_program_sets_a_goal_looks_opens_and_ends(transactional_db: None) -> None:
    world = stopped_world()
    ada = Caller(world.ada)
    judge = MachineJudge.objects.get(collection=world.collection)
    assert ada.get(HERE).status_code == 404
    asked = {"first": 3, "measure": MEASURE, "judge": judge.pk}
    made = ada.post(f"{HERE}/goal", asked)
    assert made.status_code == 201, made.content
    told = made.json()
    assert (told["judge"], told["runs"], told["next_at"]) == (judge.name, [GOOD, FAIR, POOR], 30)
    assert (told["words"], told["looks"], told["settled"]) == ("nothing was looked at yet", [], False)
    early = ada.post(f"{HERE}/look")
    assert early.status_code == 409 and "The next look is at 30." in early.json()["detail"]
    assert ada.post(f"{HERE}/open", {"number": 12}).json() == {"drawn": 12}
    open_annotation(collection=world.collection)
    world.judge(31)
    job = ada.post(f"{HERE}/look")
    assert job.status_code == 202 and job.json()["kind"] == "look"
    look_now(job.json()["job"])
    told = ada.get(HERE).json()
    assert told["settled"] and told["next_at"] is None and told["judged"] == 31 and told["drawn"] == 32
    assert told["words"] == f"settled: {GOOD} > {FAIR} > {POOR}"
    assert [own["judged"] for own in told["looks"]] == [31] and len(told["pairs"]) == 3
    assert [ada.delete(f"{HERE}/goal").status_code, ada.get(HERE).status_code] == [204, 404]
    assert StoppingGoal.objects.get().ended_at is not None


def test_what_won_t_do_names_its_field_and_others_judges_aren_t_there(transactional_db: None) -> None:
    world = stopped_world()
    ada = Caller(world.ada)
    foreign = MachineJudge.objects.create(
        collection=build_world().collection, name="theirs", kind="file", model="m", family="f"
    )
    for sent, field in (
        ({"first": 1, "measure": MEASURE, "judge": foreign.pk}, "body.judge"),
        ({"first": 4, "measure": MEASURE}, "body.first"),
        ({"first": 1, "measure": "NDCG"}, "body.measure"),
        ({"first": 1, "measure": MEASURE, "split": "val"}, "body.split"),
        ({"first": 1, "measure": MEASURE, "margin": 2}, "body.margin"),
    ):
        answer = ada.post(f"{HERE}/goal", sent)
        assert (answer.status_code, answer.json()["errors"][0]["field"]) == (422, field), answer.json()
    assert not StoppingGoal.objects.exists()
    assert Caller(world.by_name["bo"]).get(HERE).status_code in (403, 404)
