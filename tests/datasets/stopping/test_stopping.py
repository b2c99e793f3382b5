"""A collection's goal: who judges what, when looks are made, what they find, and what leads see of it."""

from __future__ import annotations

from typing import Any

import pytest
from django.db import transaction
from django.urls import reverse

from annotation.batches.opening import open_annotation
from annotation.models import Batch, MachineJudge, MachineJudgment, SampledUnit
from datasets.models import StoppingGoal, StoppingLook
from datasets.stopping.goals import current_goal, end_goal, open_queries
from datasets.stopping.jobs import ask_for_look, ask_when_due, look_now
from datasets.stopping.looking import judged_first
from datasets.stopping.selectors import line_of, state_of
from foundation.deletion.rows import delete_rows
from foundation.models import AuditEntry
from foundation.refused import Refused
from queries.models import PoolRun, PoolRunAnswer
from tests.datasets.stopping.stopped_worlds import (
    FAIR,
    GOOD,
    MEASURE,
    POOR,
    QUERIES,
    World,
    a_goal,
    drawn,
    grade_of,
    looked,
    stopped_world,
)


@pytest.fixture
def world(transactional_db: None) -> World:
    return stopped_world()


def test_a_look_is_made_when_it_is_time_to_and_finds_what_is_settled(world: World) -> None:
    goal = a_goal(world)
    assert line_of(world.collection) == "nothing was looked at yet"
    open_queries(goal=goal, number=30)
    open_annotation(collection=world.collection)
    world.judge(29)
    with pytest.raises(Refused, match=r"The first 29 queries of the random order are judged\. The next look is at 30"):
        ask_for_look(goal=goal)
    world.judge(30)
    job = looked(goal)
    assert job.state == "done" and job.judged == 30, job.problem
    assert job.result["chain"] == f"{GOOD} > {FAIR} > {POOR}" and line_of(world.collection) == job.said
    state = state_of(goal)
    assert state.settled and state.next_at is None and state.judged == 30 and state.queries == QUERIES
    assert {(own.first, own.relation, own.second) for own in state.pairs} == {
        (FAIR, "<", GOOD),
        (FAIR, ">", POOR),
        (GOOD, ">", POOR),
    }
    with pytest.raises(Refused, match="The goal is reached"):
        ask_for_look(goal=goal)


def test_a_query_after_a_gap_waits(world: World) -> None:
    goal = a_goal(world)
    first, second, third = drawn(world)[:3]
    world.finish([first, third])
    assert judged_first(goal) == [first]
    Batch.objects.filter(query=second).update(status=Batch.Status.DECIDED)
    assert judged_first(goal) == [first], "a lead may still extend it"
    world.finish([second])
    assert judged_first(goal) == [first, second, third]


def test_the_machine_s_grades_help_and_people_s_alone_decide(world: World) -> None:
    judge = MachineJudge.objects.get(collection=world.collection)
    goal = a_goal(world, judge=judge)
    open_queries(goal=goal, number=30)
    open_annotation(collection=world.collection)
    world.judge(30)
    helped = looked(goal)
    alone = looked(a_goal(world))
    assert helped.state == alone.state == "done", (helped.problem, alone.problem)

    def width(job: StoppingLook) -> float:
        return max(own["high"] - own["low"] for own in job.result["pairs"])

    assert width(helped) < width(alone)
    # A machine that says the opposite moves no order.
    rows = list(MachineJudgment.objects.filter(judge=judge).select_related("candidate"))
    for row in rows:
        row.grade = 4 - grade_of(row.candidate)
    MachineJudgment.objects.bulk_update(rows, ["grade"])
    assert looked(a_goal(world, judge=judge)).result["order"] == [GOOD, FAIR, POOR]


def test_the_next_queries_are_the_next_of_the_random_order(world: World) -> None:
    goal = a_goal(world)
    before = drawn(world)
    whole = list(SampledUnit.objects.order_by("number", "pk").values_list("query_id", flat=True))
    assert before == whole[:20]
    assert open_queries(goal=goal, number=7, member=world.ada) == 7
    open_annotation(collection=world.collection)
    assert drawn(world) == whole[:27]
    assert Batch.objects.filter(collection=world.collection).count() == 27
    assert open_queries(goal=goal, number=500) == 33
    with pytest.raises(Refused, match="All queries are drawn already"):
        open_queries(goal=goal, number=1)
    with pytest.raises(Refused, match="expected one from 1 to 10,000"):
        open_queries(goal=goal, number=0)


def test_a_worker_looks_and_opens_by_itself_until_the_goal_is_reached(world: World) -> None:
    goal = a_goal(world, open_next=15)
    ask_when_due()
    assert len(drawn(world)) == 20 and not goal.looks.exists(), "enough are left to judge"
    world.judge(20)
    ask_when_due()
    assert len(drawn(world)) == 35
    open_annotation(collection=world.collection)
    world.judge(35)
    ask_when_due()
    job = goal.looks.get()
    ask_when_due()
    assert goal.looks.count() == 1, "one at a time"
    look_now(job.pk)
    ask_when_due()
    assert goal.looks.count() == 1 and len(drawn(world)) == 35, "the goal is reached"


def test_another_goal_ends_the_one_before_and_its_look_that_is_under_way(world: World) -> None:
    goal = a_goal(world)
    open_queries(goal=goal, number=30)
    open_annotation(collection=world.collection)
    world.judge(30)
    job = ask_for_look(goal=goal)
    assert ask_for_look(goal=goal) == job
    other = a_goal(world, first=1)
    job.refresh_from_db()
    goal.refresh_from_db()
    assert job.state == "stopped" and goal.ended_at is not None and current_goal(world.collection) == other
    assert not other.looks.exists()
    end_goal(collection=world.collection)
    assert current_goal(world.collection) is None and line_of(world.collection) == ""


def test_a_removed_run_is_told(world: World) -> None:
    goal = a_goal(world)
    open_queries(goal=goal, number=30)
    open_annotation(collection=world.collection)
    world.judge(30)
    run = PoolRun.objects.get(collection=world.collection, system="poor")
    run.answers.all().delete()
    run.delete()
    job = looked(goal)
    assert job.state == "refused" and job.problem.startswith("A run of this goal was removed")
    assert job.result is None and line_of(world.collection) == "nothing was looked at yet"


WRONG: tuple[tuple[dict[str, Any], str], ...] = (
    ({"first": 0}, "Found 0, expected a whole number from 1 to 3"),
    ({"first": 4}, "Found 4, expected a whole number from 1 to 3"),
    ({"measure": "NDCG"}, "'NDCG'"),
    ({"measure": "uAP,IoU>=0.5"}, "no value for each query"),
    ({"split": "test"}, "A design by split takes a split"),
    ({"level": 1.0}, "expected a level from 0.5 to 0.999"),
    ({"level": float("nan")}, "expected a level from 0.5 to 0.999"),
    ({"margin": -1.0}, "expected a margin between 0 and 1"),
    ({"open_next": 10_001}, "expected one from 0 to 10,000"),
)


def test_a_goal_that_won_t_do_is_refused(world: World) -> None:
    before = a_goal(world)
    for wrong, said in WRONG:
        with pytest.raises(Refused, match=said):
            a_goal(world, **wrong)
    assert current_goal(world.collection) == before


def test_without_a_design_or_runs_there_is_no_goal(world: World) -> None:
    PoolRunAnswer.objects.exclude(run__system="good").delete()
    PoolRun.objects.exclude(system="good").delete()
    with pytest.raises(Refused, match="Found 1 runs in the pool, expected at least 2"):
        a_goal(world)
    SampledUnit.objects.all().delete()
    world.collection.sampling_design.delete()
    with pytest.raises(Refused, match="Looks need a sampling design that draws queries"):
        a_goal(world)


def test_the_page_sets_a_goal_looks_opens_and_ends(world: World, client_of: Any) -> None:
    ada = client_of(world.ada.account)
    here = reverse("stopping", args=["stopped"])
    page = ada.get(here).content.decode()
    assert "Set a goal" in page and "Look now" not in page
    sent = {"first": "3", "measure": MEASURE, "level": "0,95", "margin": "", "open_next": "0", "split": "", "judge": ""}
    bad = ada.post(reverse("stopping-goal", args=["stopped"]), {**sent, "level": "many", "first": "x"})
    assert bad.status_code == 400
    assert "Found “many”, expected a number." in bad.content.decode() and not StoppingGoal.objects.exists()
    bad = ada.post(reverse("stopping-goal", args=["stopped"]), {**sent, "measure": "NDCG@x"})
    assert bad.status_code == 400
    assert ada.post(reverse("stopping-goal", args=["stopped"]), sent).status_code == 302
    goal = StoppingGoal.objects.get()
    assert goal.level == 0.95 and goal.judge is None and goal.member == world.ada
    change = reverse("stopping-change", args=["stopped"])
    told = ada.post(change, {"what": "look"}, follow=True).content.decode()
    assert "The next look is at 30." in told
    told = ada.post(change, {"what": "open", "number": "10"}, follow=True).content.decode()
    assert "10 queries more are drawn" in told
    open_annotation(collection=world.collection)
    world.judge(30)
    assert "Look now" in ada.get(here).content.decode()
    ada.post(change, {"what": "look"})
    look_now(goal.looks.get().pk)
    page = ada.get(here).content.decode()
    assert f"Settled: {GOOD} &gt; {FAIR} &gt; {POOR}" in page and "Error spent" in page
    overview = ada.get(reverse("overview", args=["stopped"])).content.decode()
    assert f"Settled: {GOOD} &gt; {FAIR} &gt; {POOR}" in overview
    told = ada.post(change, {"what": "else"}, follow=True).content.decode()
    assert "expected something this page offers" in told
    ada.post(change, {"what": "end"})
    assert "No goal is set." in ada.post(change, {"what": "end"}, follow=True).content.decode()
    changed = set(AuditEntry.objects.filter(collection=world.collection.pk).values_list("table", flat=True))
    assert {"datasets_stoppinggoal", "datasets_stoppinglook"} <= changed


def test_annotators_see_nothing_of_it(world: World, client_of: Any) -> None:
    a_goal(world)
    bo = client_of(world.by_name["bo"].account)
    for name in ("stopping", "stopping-goal", "stopping-change"):
        address = reverse(name, args=["stopped"])
        assert bo.get(address).status_code in (403, 404, 405) and bo.post(address).status_code in (403, 404, 405)


def test_goals_and_looks_go_with_their_collection(world: World) -> None:
    goal = a_goal(world, judge=MachineJudge.objects.get(collection=world.collection))
    open_queries(goal=goal, number=30)
    open_annotation(collection=world.collection)
    world.judge(30)
    looked(goal)
    with transaction.atomic():
        delete_rows([world.collection.pk], lambda tables: None)
    assert not StoppingGoal.objects.exists() and not StoppingLook.objects.exists()
