"""Boards estimated with a machine's help: what holds, what is refused, who sees it."""

import csv
import io
import json
from io import StringIO
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from django.core.management import CommandError, call_command
from django.test import Client
from django.utils import timezone

from annotation.models import MachineJudge, MachineJudgment, SampledUnit, SamplingDesign, SamplingStratum
from benchmarks.worlds.assisted import TOP, Assisted, add_board_run, add_judge, build_assisted_world
from datasets.guarantees.estimate import ask_for_estimate, estimate_board
from datasets.models import BoardEstimate, Release
from datasets.releases.make_release import create_release
from evaluation import GroundTruth, JudgedMoment, Prediction, evaluate
from evaluation import Run as RunRead
from foundation.models import Account, Collection
from foundation.refused import Refused
from tests.snapshots import begin_with

MEASURE = "NDCG@10,IoU>=0.5"
QUERIES, JUDGED, POOL = 160, 60, 6
NOISE = {"good": 0.6, "middle": 1.6, "like it": 1.7}
ADDRESS = "/c/assisted/releases/{}/board/test/estimates/"


@pytest.fixture(autouse=True)
def media(settings: Any, tmp_path: Path) -> None:
    settings.MEDIA_ROOT = tmp_path / "media"


def make_world() -> None:
    world = build_assisted_world("assisted", queries=QUERIES, judged=JUDGED, pool=POOL)
    release = create_release(collection=world.collection, name="v1")
    for seed, (name, noise) in enumerate(NOISE.items()):
        add_board_run(release, name, world.run(noise, seed=seed), family="CLIP" if name == "good" else "")
    people = world.grades
    drawn = np.random.default_rng(3)
    noisy = np.clip(people + np.rint(drawn.normal(0.4, 0.7, people.shape)).astype(int), 0, TOP)
    noisy[::9, 2] = -1
    add_judge(world, "noisy", noisy, family=" clip")


@pytest.fixture
def world(transactional_db: None) -> Assisted:
    begin_with("assisted board", make_world)
    grades = build_grades()
    return Assisted(Collection.objects.get(name="assisted"), grades, JUDGED)


def build_grades() -> np.ndarray:
    rng = np.random.default_rng(1)
    richness = rng.beta(0.8, 1.4, QUERIES)
    return rng.binomial(TOP, richness[:, None] * rng.beta(1, 1.5, (QUERIES, POOL)))


@pytest.fixture
def release(world: Assisted) -> Release:
    return Release.objects.get()


@pytest.fixture
def ada(world: Assisted) -> Client:
    client = Client()
    client.force_login(Account.objects.get(username="ada"))
    return client


def judge_named(name: str = "noisy") -> MachineJudge:
    return MachineJudge.objects.get(name=name)


def estimated(release: Release, judge: MachineJudge, **families: str) -> dict[str, Any]:
    job = ask_for_estimate(release=release, split="test", judge=judge, families=families)
    estimate_board(job.pk)
    job.refresh_from_db()
    assert job.state == "done", job.problem
    assert job.result is not None
    return job.result


def true_score(world: Assisted, content: bytes) -> float:
    """By people's grades of all queries, which nobody but the test knows."""
    truth = GroundTruth.of(
        (f"q{query}", [JudgedMoment(f"v{query}", 10 * p, 10 * p + 8, float(g)) for p, g in enumerate(row)])
        for query, row in enumerate(world.grades.tolist())
    )
    rows = [json.loads(line) for line in content.decode().splitlines()]
    answers = [
        (row["query_id"], [Prediction(p["video_name"], *p["timestamp"], p["score"]) for p in row["predictions"]])
        for row in rows
    ]
    (record,) = evaluate(truth, [RunRead.of("run", answers)], [MEASURE])
    return record.value


def test_intervals_hold_and_say_what_is_settled(world: Assisted, release: Release) -> None:
    result = estimated(release, judge_named())
    board = result["boards"][MEASURE]
    assert (board["queries"], board["judged"]) == (QUERIES, JUDGED) and result["sample"]["kind"] == "in order"
    assert board["chain"].startswith("good > ") and 0 < board["machine_above"] < 1
    for seed, (name, noise) in enumerate(NOISE.items()):
        own = next(own for own in board["runs"] if own["run"] == name)
        assert own["low"] <= true_score(world, world.run(noise, seed=seed)) <= own["high"], name
    machine = result["machine"]
    assert machine["abstained"] == len(range(0, QUERIES, 9)) and machine["depth"] is None
    assert machine["pairs"] + machine["abstained"] == QUERIES * POOL
    assert result["what"] == "estimated with a machine's help, no ground truth"


def test_a_hostile_judge_moves_no_interval_off_the_truth(world: Assisted, release: Release) -> None:
    """It gives the best grade to whatever the worst run has first, in every query, and 0 to all else."""
    content = world.run(NOISE["like it"], seed=2)
    promoted = np.zeros_like(world.grades)
    for query, line in enumerate(content.decode().splitlines()):
        for best in json.loads(line)["predictions"][:2]:
            promoted[query, int(best["timestamp"][0]) // 10] = TOP
    judge = add_judge(world, "hostile", promoted, family="Promoters")
    result = estimated(release, judge, **{"like it": "promoters"})
    board = result["boards"][MEASURE]
    by_name = {own["run"]: own for own in board["runs"]}
    assert by_name["like it"]["machine_only"] > 0.9, "by its grades alone it would have won"
    assert board["runs"][0]["run"] == "good"
    for seed, (name, noise) in enumerate(NOISE.items()):
        own = by_name[name]
        assert own["low"] <= true_score(world, world.run(noise, seed=seed)) <= own["high"], name
        width = own["people_only"]["high"] - own["people_only"]["low"]
        assert own["high"] - own["low"] <= 1.05 * width, "it costs no more than 5 % of the width"
    family = board["family"]
    assert family["of_family"] == ["like it"] and family["ranks_above"] >= 1 and family["suspect"]
    assert family["tau_without"] == 1 and family["tau"] < 1


def test_the_page_begins_with_words_and_never_calls_it_ground_truth(ada: Client, release: Release) -> None:
    at = ADDRESS.format(release.pk)
    first = ada.get(at).content.decode()
    assert "together say more than these people alone" in first
    ada.post(f"{at}ask", {"judge": "noisy", "run": ["good", "middle"], "family": ["CLIP", "CLIP"]})
    job = BoardEstimate.objects.get()
    assert (job.state, job.families) == ("queued", {"good": "CLIP", "middle": "CLIP", "like it": ""})
    assert "is under way" in ada.post(f"{at}ask", {"judge": "noisy"}).content.decode()
    estimate_board(job.pk)
    page = ada.get(at, {"measure": MEASURE}).content.decode()
    places = [
        page.index(part) for part in ("orders are settled: good &gt; ", "noisy grades 0.", 'class="drawing"', "<table")
    ]
    assert places == sorted(places)
    assert "no ground truth" in page and page.count("ground truth") == page.count("no ground truth")
    assert "the first in the order of a random draw" in page and "It abstained on 18" in page
    assert "(clip: good, middle)" in page.replace("( clip", "(clip")
    assert "more queries that people judge settle the rest" in page
    told = ada.get(f"/c/assisted/estimates/{job.pk}.json").json()
    assert told == BoardEstimate.objects.get().result
    rows = list(csv.DictReader(io.StringIO(ada.get(f"/c/assisted/estimates/{job.pk}.csv").content.decode())))
    assert {row["how"] for row in rows} == {"estimated with a machine's help, no ground truth"}
    assert len(rows) == len(told["measures"]) * (3 + 3)
    assert ada.get(f"/c/assisted/estimates/{job.pk}.svg").content.startswith(b"<svg")
    assert ada.get(f"/c/assisted/estimates/{job.pk}.txt").status_code == 404
    board = ada.get(f"/c/assisted/releases/{release.pk}/board/test/").content.decode()
    assert "estimates/" in board and "0." + str(told["boards"][MEASURE]["runs"][0]["estimate"])[2:6] not in board


def test_other_queries_than_a_random_draw_are_warned_of(ada: Client, world: Assisted) -> None:
    from annotation.models import Pair

    Pair.objects.filter(candidate__query__position=3).update(status="open", grade=None)
    release = create_release(collection=world.collection, name="v2")
    add_board_run(release, "good", world.run(0.6, seed=0))
    result = estimated(release, judge_named())
    assert result["sample"] == {"kind": "unknown", "judged": JUDGED - 1, "queries": QUERIES, "skipped": 1}
    page = ada.get(ADDRESS.format(release.pk)).content.decode()
    assert "are a random draw from all: 1 before the last judged one" in page
    assert "There is one run" in page

    design = SamplingDesign.objects.create(collection=world.collection, unit="query", seed=1)
    stratum = SamplingStratum.objects.create(design=design, name="", place=0, size=QUERIES, drawn=JUDGED - 1)
    for query in world.collection.queries.order_by("position"):
        drawn = query.position <= JUDGED and query.position != 3
        SampledUnit.objects.create(
            design=design,
            stratum=stratum,
            query=query,
            number=0.5,
            probability=(JUDGED - 1) / QUERIES,
            stage=1 if drawn else None,
            drawn_at=timezone.now() if drawn else None,
        )
    assert estimated(release, judge_named())["sample"]["kind"] == "plan"
    SamplingDesign.objects.update(unit="pair")
    job = ask_for_estimate(release=release, split="test", judge=judge_named())
    estimate_board(job.pk)
    job.refresh_from_db()
    assert "some pairs of each query" in job.problem and job.result is None


def test_a_judge_has_to_have_answered_for_the_queries_that_people_haven_t_judged(
    world: Assisted, release: Release
) -> None:
    said = MachineJudgment.objects.filter(judge=judge_named())
    said.filter(candidate__query__position=100, candidate__rank__gt=3).delete()
    machine = estimated(release, judge_named())["machine"]
    assert (machine["depth"], machine["deeper"]) == (3, (QUERIES - 1) * 3), "alike for every query"
    said.filter(candidate__query__position__gt=JUDGED).delete()
    job = ask_for_estimate(release=release, split="test", judge=judge_named())
    estimate_board(job.pk)
    job.refresh_from_db()
    assert job.state == "refused" and "noisy has said nothing of the first pair of query 'q60'" in job.problem


def test_runs_made_for_the_judged_queries_alone_are_left_out(world: Assisted, release: Release) -> None:
    add_board_run(release, "short", world.run(0.1, seed=9, queries=JUDGED))
    result = estimated(release, judge_named())
    assert result["left_out"] == [{"run": "short", "judged": JUDGED, "others": 0}]
    assert {own["run"] for own in result["boards"][MEASURE]["runs"]} == set(NOISE)
    other = create_release(collection=world.collection, name="v2")
    add_board_run(other, "short", world.run(0.1, seed=9, queries=JUDGED))
    job = ask_for_estimate(release=other, split="test", judge=judge_named())
    estimate_board(job.pk)
    job.refresh_from_db()
    assert "short, for instance, answers 60 of these 60 and 0 of the other 100" in job.problem


def test_what_can_t_be_is_refused(world: Assisted, release: Release) -> None:
    def refused(why: str, **other: Any) -> None:
        with pytest.raises(Refused, match=why):
            ask_for_estimate(**{"release": release, "split": "test", "judge": judge_named(), **other})

    refused("There is no run 'nobody' of test", families={"nobody": "CLIP"})
    refused("101 characters, expected at most 100", families={"good": "x" * 101})
    refused("There is no run of val", split="val")
    MachineJudge.objects.update(retired_at=timezone.now())
    refused("noisy is retired")
    assert not BoardEstimate.objects.exists()


def test_the_command_says_and_prints_it(world: Assisted, release: Release) -> None:
    said = StringIO()
    line = ("estimate_board", "assisted", "v1", "test", "--judge", "noisy", "--measure", MEASURE)
    call_command(*line, "--family", "middle=CLIP", stdout=said)
    text = said.getvalue()
    assert text.startswith("v1 test, estimated with a machine's help, no ground truth\nnoisy grades 0.")
    assert "of 3 orders; good > " in text and ": good, middle)" in text
    said = StringIO()
    call_command(*line, "--json", stdout=said)
    assert json.loads(said.getvalue())["boards"][MEASURE]["judged"] == JUDGED
    with pytest.raises(CommandError, match="There is no machine judge 'other' here"):
        call_command(*line[:4], "--judge", "other")
    with pytest.raises(CommandError, match="--family"):
        call_command(*line, "--family", "middle")


def test_the_api_says_the_same(ada: Client, release: Release) -> None:
    at = f"/api/v1/collections/assisted/releases/{release.pk}/boards/test/estimates"

    def post(**body: Any) -> Any:
        return ada.post(at, json.dumps(body), content_type="application/json")

    made = post(judge=judge_named().pk, families={"good": "other"})
    assert made.status_code == 202, made.content
    assert post(judge=judge_named().pk).status_code == 409
    assert post(judge=10**6).status_code == 404
    estimate_board(made.json()["estimate"])
    listed = ada.get(at).json()["items"]
    assert [one["judge"] for one in listed] == ["noisy"] and "result" not in listed[0]
    found = ada.get(f"/api/v1/collections/assisted/estimates/{made.json()['estimate']}").json()
    assert found["state"] == "done" and found["families"]["good"] == "other"
    assert found["result"]["boards"][MEASURE]["judged"] == JUDGED
