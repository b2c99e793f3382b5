"""Plans on the site: from nothing, a release or a study; chosen, compared with what came, deleted; bad ones refused."""

import json
import random
from pathlib import Path
from typing import Any
from uuid import uuid4

import pytest
from django.test import Client

from annotation.models import Batch, Judgment, Pair, Study
from datasets.leaderboard.plan_came import promised_and_came
from datasets.models import Plan, Release
from datasets.planning.jobs import make_plan
from datasets.planning.services import Asked, ask_for_plan, choose_row
from datasets.planning.sources import led_with, sources_of
from foundation.infra.job_control import stop_job
from foundation.models import Account, AuditEntry, Collection, Membership
from foundation.refused import Refused
from tests.conftest import World, build_world
from tests.datasets.boards import board_of_file, lines, scored

MEASURE = "NDCG@10,IoU>=0.5"


@pytest.fixture
def world(db: None) -> World:
    return build_world(queries=2, candidates=3)


@pytest.fixture
def ada(world: World) -> Client:
    client = Client()
    client.force_login(Account.objects.get(username="ada"))
    return client


def truth(queries: int) -> list[dict[str, Any]]:
    rng = random.Random(1)
    return [
        {
            "query_id": f"{number}",
            "query": f"Query {number}.",
            "relevant_moment": [
                {"pair_id": f"{number}-{place}", "video_name": f"v{place}", "timestamp": [0, 5], "relevance": grade}
                for place, grade in enumerate(rng.choices(range(5), k=6))
            ],
        }
        for number in range(queries)
    ]


def system(rows: list[dict[str, Any]], noise: float, seed: int) -> bytes:
    """A run that ranks moments by grade and noise."""
    rng = random.Random(seed)
    answers = []
    for row in rows:
        moments = [(moment, moment["relevance"] + rng.gauss(0, noise)) for moment in row["relevant_moment"]]
        predictions = [
            {"video_name": moment["video_name"], "timestamp": moment["timestamp"], "score": score}
            for moment, score in sorted(moments, key=lambda both: -both[1])
        ]
        answers.append({"query_id": row["query_id"], "predictions": predictions})
    return lines(answers)


def release_with_runs(
    collection: Collection, folder: Path, *, queries: int = 40, noises: tuple[float, ...] = (1, 2, 3)
) -> Release:
    rows = truth(queries)
    (folder / "truth.json").write_text(json.dumps(rows))
    board = board_of_file(collection, folder / "truth.json", folder)
    release = board.release
    count = {"queries": queries, "pairs": 6 * queries, "pairs_undecided": 0}
    release.manifest["counts"] = {"test": count, "val": {**count, "queries": 0}, "training": {**count, "queries": 0}}
    Release.objects.filter(pk=release.pk).update(manifest=release.manifest)
    for number, noise in enumerate(noises):
        scored(board, f"system {number}", system(rows, noise, number))
    return Release.objects.get(pk=release.pk)


def planned(member: Membership, **asked: Any) -> Plan:
    plan = ask_for_plan(member=member, asked=Asked(**{"smallest": 0.05, **asked}), sources=led_with(member))
    make_plan(plan.pk)
    return Plan.objects.get(pk=plan.pk)


def test_without_any_variance_the_assumptions_are_named_with_their_range(world: World, ada: Client) -> None:
    # Decided, and no judgment is kept: that isn't known to take none.
    Pair.objects.update(status=Pair.Status.CONSENSUS, grade=1)
    page = ada.get("/c/paper/plans/").content.decode()
    assert "Your plans appear here" in page and "Nothing yet: what was seen elsewhere" in page
    answer = ada.post("/c/paper/plans/make", {"smallest": "0,02", "kappas": "0.4, 0,8", "depth": "20", "pay": "10"})
    plan = Plan.objects.get()
    assert answer.status_code == 302 and answer["Location"] == f"/c/paper/plans/{plan.pk}/"
    assert plan.asked["smallest"] == 0.02 and plan.asked["kappas"] == [0.4, 0.8] and plan.member == world["ada"]
    make_plan(plan.pk)
    page = ada.get(f"/c/paper/plans/{plan.pk}/").content.decode()
    assert "Nothing is known of such systems yet" in page and "deviates by 0.25" in page and "0.15 to 0.45" in page
    rows = json.loads(ada.get(f"/c/paper/plans/{plan.pk}/plan.json").content)["rows"]
    assert [row["kappa"] for row in rows] == [None, 0.4, 0.8] and rows[0]["pairs"] == 20
    for row in rows:
        assert row["fewest"] < row["queries"] < row["most"]
        assert row["judgments"] == 2.36
        assert row["cost"] == pytest.approx(10 * row["hours"]) and row["hours"] > 0
    assert rows[0]["queries"] > rows[1]["queries"] > rows[2]["queries"]
    table = ada.get(f"/c/paper/plans/{plan.pk}/plan.csv").content.decode().splitlines()
    assert table[0].startswith("measure,share,kappa,pairs") and len(table) == 4
    assert ada.get(f"/c/paper/plans/{plan.pk}/plan.txt").status_code == 404


def test_from_a_release_it_counts_its_systems_and_compares_depths(world: World, ada: Client, tmp_path: Path) -> None:
    release = release_with_runs(world.collection, tmp_path)
    source = f"release-{release.pk}-test"
    assert source in {one.key for one in sources_of(led_with(world["ada"]))}
    plan = planned(world["ada"], source=source, measure=MEASURE, depth=2, kappas=(0.6,))
    assert plan.state == Plan.State.DONE and plan.result is not None
    found = plan.result
    assert found["pilot"] == 40 and found["systems"] == 3 and not found["imitated"]
    pairs = {row["pairs"] for row in found["rows"]}
    assert max(pairs) == 6 and 2 <= min(pairs) < 6, "as judged, and the first two of each system"
    assert not found["depth_alike"]
    alike = planned(world["ada"], source=source, measure=MEASURE, depth=20, kappas=())
    assert alike.result is not None and len(alike.result["rows"]) == 2, "all judged: no other ways"
    assert "this depth leaves out nothing" in ada.get(f"/c/paper/plans/{alike.pk}/").content.decode()
    half, whole = (next(row for row in found["rows"] if row["share"] == share) for share in (0.5, 1.0))
    assert half["queries"] <= whole["queries"] and 0 < half["half_width"] < 0.05
    assert found["basis"]["judgments"] == "published", "the release has no raw judgments"


def test_a_study_says_what_its_own_people_took_and_one_judgment_a_pair_takes_more(world: World) -> None:
    made = build_world(queries=12, candidates=4, name="pilot")
    rng = random.Random(2)
    for pair in Pair.objects.filter(batch__collection=made.collection):
        grade = rng.randrange(5)
        for who, own in (("bo", grade), ("cy", max(0, grade - rng.randrange(2)))):
            given = {"grade": own, "round": 1, "key": uuid4(), "active_seconds": 12}
            Judgment.objects.create(pair=pair, annotator=made[who], **given)
        Pair.objects.filter(pk=pair.pk).update(status="consensus", grade=grade)
    Batch.objects.filter(collection=made.collection).update(status="decided")
    Collection.objects.filter(pk=made.collection.pk).update(study_of=world.collection, purpose="pilot")
    study = {"kind": "pilot", "number": 1, "queries": 12, "seed": 1, "depth": 4, "state": "made"}
    row = Study.objects.create(collection=world.collection, made=made.collection, **study)
    plan = planned(world["ada"], source=f"study-{row.pk}", measure=MEASURE, kappas=())
    assert plan.result is not None, plan.problem
    assert plan.result["imitated"] and plan.result["systems"] == 5 and plan.result["pilot"] == 12
    assert plan.result["seconds"] == pytest.approx(12) and plan.result["basis"]["seconds"] == "here"
    by_rule, by_one = ([row for row in plan.result["rows"] if row["judgments"] == number] for number in (2.0, 1.0))
    assert len(by_rule) == len(by_one) == 2
    assert all(one["queries"] >= rule["queries"] for rule, one in zip(by_rule, by_one, strict=True))


def test_what_the_chosen_plan_promised_stands_beside_what_came(world: World, ada: Client, tmp_path: Path) -> None:
    release = release_with_runs(world.collection, tmp_path)
    board = f"/c/paper/releases/{release.pk}/board/test/"
    assert "What the plan promised" not in ada.get(board).content.decode()
    plan = planned(world["ada"], source=f"release-{release.pk}-test", measure="NDCG@10,IoU>=0.5", kappas=())
    ada.post(f"/c/paper/plans/{plan.pk}/change", {"what": "choose", "row": "1"})
    plan.refresh_from_db()
    assert plan.chosen == 1 and plan.chosen_at is not None and plan.result is not None
    told = promised_and_came(world.collection, [release])
    assert told is not None and told["promised"]["share"] == 1.0
    came = told["boards"][0]["came"]
    assert came["queries"] == 40 and came["systems"] == 3 and came["orders"] == 3 and 0 <= came["settled"] <= 3
    # The half width goes with the square root of the queries: the plan's own pilot shows what it was planned from.
    half = told["promised"]["half_width"] * (plan.result["rows"][1]["queries"] / 40) ** 0.5
    assert came["widest"] == pytest.approx(half, rel=0.15)
    for page in (board, "/c/paper/plans/"):
        told = ada.get(page).content.decode()
        assert "What the plan promised and what came" in told and "fewer than two systems" not in told
        assert f"{came['half_width']:.3f}" in told and f"{came['settled']} of 3" in told
    bo = Client()
    bo.force_login(world["bo"].account)  # type: ignore[arg-type]
    assert "What the plan promised" not in bo.get(board).content.decode()
    another = planned(world["ada"])
    choose_row(plan=another, row=0)
    assert list(Plan.objects.exclude(chosen=None)) == [another], "one plan at a time"
    choose_row(plan=another, row=None)
    assert promised_and_came(world.collection, [release]) is None
    assert AuditEntry.objects.filter(table="datasets_plan").count() >= 4


def test_what_came_by_too_few_runs_or_another_measure_is_said(world: World, ada: Client, tmp_path: Path) -> None:
    release = release_with_runs(world.collection, tmp_path, noises=(1,))
    choose_row(plan=planned(world["ada"], kappas=()), row=0)
    page = ada.get("/c/paper/plans/").content.decode()
    assert "fewer than two systems" in page
    choose_row(plan=planned(world["ada"], kappas=(), measure="R@7,IoU>0.5"), row=0)
    told = promised_and_came(world.collection, [release])
    assert told is not None and told["boards"][0]["came"]["without_measure"]


def test_absurd_questions_are_refused_beside_their_field(world: World, ada: Client) -> None:
    for sent, field in (
        ({"smallest": "0"}, "smallest"),
        ({"smallest": "1"}, "smallest"),
        ({"smallest": ""}, "smallest"),
        ({"smallest": "nan"}, "smallest"),
        ({"kappas": "1"}, "kappas"),
        ({"kappas": "often"}, "kappas"),
        ({"kappas": "0.1 0.2 0.3 0.4 0.5 0.6"}, "kappas"),
        ({"power": "1"}, "power"),
        ({"level": "0.2"}, "level"),
        ({"measure": "NDCG"}, "measure"),
        ({"measure": "<b>"}, "measure"),
        ({"pay": "-1"}, "pay"),
        ({"pay": "inf"}, "pay"),
        ({"judgments": "0"}, "judgments"),
        ({"systems": "1"}, "systems"),
        ({"queries": "1"}, "queries"),
        ({"source": "release-999-test"}, "source"),
        ({"source": "release-" + "9" * 40 + "-test"}, "source"),
    ):
        answer = ada.post("/c/paper/plans/make", {"smallest": "0.02", **sent})
        assert answer.status_code == 400 and field in answer.context["form"].errors, (sent, answer.status_code)
    assert not Plan.objects.exists()


def test_one_system_alike_ones_and_few_queries_are_refused_by_the_job(world: World, tmp_path: Path) -> None:
    release = release_with_runs(world.collection, tmp_path, queries=40, noises=(1,))
    source = f"release-{release.pk}-test"
    assert "fewer than two systems" in planned(world["ada"], source=source).problem
    board = release.boards.get()
    scored(board, "the same", system(truth(40), 1, 0) + b"\n")
    assert "same scores on every query" in planned(world["ada"], source=source).problem
    plan = Plan.objects.order_by("-pk")[0]
    assert plan.state == Plan.State.REFUSED and plan.result is None
    with pytest.raises(Refused, match="no such row"):
        choose_row(plan=plan, row=0)


def test_another_collection_is_a_source_only_for_who_leads_it(world: World, tmp_path: Path) -> None:
    other = build_world(queries=1, candidates=1, name="other")
    release = release_with_runs(other.collection, tmp_path)
    key = f"release-{release.pk}-test"
    account = world["ada"].account_id
    assert Membership.objects.filter(collection=other.collection, account=account).exists()
    assert key in {one.key for one in sources_of(led_with(world["ada"]))}
    assert key not in {one.key for one in sources_of(led_with(world["ada"], here_alone=True))}
    Membership.objects.filter(collection=other.collection, account=account).update(role=Membership.Role.ANNOTATOR)
    with pytest.raises(Refused, match="expected one of this list"):
        ask_for_plan(member=world["ada"], asked=Asked(0.02, source=key), sources=led_with(world["ada"]))


def test_a_plan_is_stopped_and_deleted_and_another_waits_for_it(world: World, ada: Client) -> None:
    plan = ask_for_plan(member=world["ada"], asked=Asked(0.02), sources=led_with(world["ada"]))
    again = ada.post("/c/paper/plans/make", {"smallest": "0.02"})
    assert again.status_code == 400 and "Another plan is being made" in again.content.decode()
    ada.post(f"/c/paper/plans/{plan.pk}/change", {"what": "delete"})
    assert Plan.objects.filter(pk=plan.pk).exists(), "a worker may be at it"
    assert stop_job(plan)
    make_plan(plan.pk)
    assert Plan.objects.get(pk=plan.pk).result is None
    ada.post(f"/c/paper/plans/{plan.pk}/change", {"what": "delete"})
    assert not Plan.objects.exists()


def test_the_api_makes_chooses_and_removes_a_plan(world: World, ada: Client) -> None:
    at = "/api/v1/collections/paper/plans"

    def post(address: str, sent: dict[str, Any]) -> Any:
        return ada.post(address, json.dumps(sent), content_type="application/json")

    assert post(at, {"smallest": 0}).status_code in (409, 422)
    made = post(at, {"smallest": 0.05, "kappas": [0.7]})
    assert made.status_code == 202, made.content
    number = made.json()["plan"]
    make_plan(number)
    assert ada.get(f"{at}/{number}").json()["result"]["pilot"] == 0
    assert post(f"{at}/{number}/choose", {"row": 7}).status_code in (409, 422)
    assert post(f"{at}/{number}/choose", {"row": 1}).json()["chosen"] == 1
    came = ada.get("/api/v1/collections/paper/plan-came").json()
    assert came["plan"] == number and came["promised"]["kappa"] == 0.7 and came["boards"] == []
    assert ada.get("/api/v1/collections/paper/plan-sources").json()[-1]["key"] == "assumed"
    assert ada.get(at).json()["items"][0]["plan"] == number
    assert ada.delete(f"{at}/{number}").status_code == 204 and not Plan.objects.exists()
