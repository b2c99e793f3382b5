"""Practice and exam are work: their time is bounded as judging's is, and paid where the lead says so."""

import csv
import io
import json
import uuid
from datetime import date, timedelta
from decimal import Decimal
from typing import Any

import pytest

from annotation.models import ExamAnswer, PracticeAnswer, WorkClock, WorkedItem
from annotation.people.timesheet import WorkDay, totals, work_days
from annotation.qualification.invitations import make_invitation
from annotation.qualification.next_step import next_step
from annotation.settings.services import configure
from corpus.models import Moment
from desk.pace import pay_for_judging
from foundation.models import Collection, Membership
from tests.annotation.conftest import Hall
from tests.conftest import World

pytestmark = [pytest.mark.django_db, pytest.mark.usefixtures("school_of_the_file")]

AT = "/c/paper/exam/"
FIRST, LAST = date(2020, 1, 1), date(2040, 1, 1)


def post(client: Any, path: str, **sent: Any) -> Any:
    return client.post(path, json.dumps(sent), content_type="application/json")


def grade(client: Any, part: str, pair: str, **said: Any) -> Any:
    sent = {"pair": pair, "grade": 2, "key": str(uuid.uuid4()), "played": 1.0} | said
    return post(client, f"/c/paper/{part}/grade", **sent)


def let_pass(seconds: float) -> None:
    """As if what the server saw last had been so much longer ago."""
    for clock in WorkClock.objects.all():
        WorkClock.objects.filter(pk=clock.pk).update(until=clock.until - timedelta(seconds=seconds))


def days(collection: Collection) -> list[WorkDay]:
    collection.refresh_from_db()
    return work_days(collection, first=FIRST, last=LAST)


@pytest.fixture
def bo(hall: Hall, client_of: Any) -> Any:
    configure(collection=hall.collection, changes={"pay_per_hour": "18", "currency": "EUR"})
    client = client_of(hall.world["bo"].account)
    client.post(AT + "begin")
    return client


def test_no_more_is_booked_than_the_server_saw_and_nothing_twice(bo: Any, hall: Hall) -> None:
    first, second, *_ = post(bo, AT + "next").json()["tasks"]
    let_pass(40)
    sent = {"active_ms": 86_400_000, "key": str(uuid.uuid4())}
    grade(bo, "exam", first["pair"], **sent)
    (answer,) = ExamAnswer.objects.all()
    assert answer.active_seconds == pytest.approx(40, abs=5), "what passed, and not the day that was claimed"
    let_pass(30)
    grade(bo, "exam", first["pair"], **sent)
    assert ExamAnswer.objects.count() == 1, "sent twice, and booked once"
    grade(bo, "exam", second["pair"], active_ms=10_000)
    bo.post(AT + "undo")
    (day,) = days(hall.collection)
    assert day.training == pytest.approx(50, abs=5), "what was taken back was work, too"
    assert (day.judgments, day.active) == (0, 0)


def test_the_night_before_is_no_work_on_the_first_clip(bo: Any, hall: Hall) -> None:
    post(bo, AT + "next")
    let_pass(8 * 3600)
    (task, *_) = post(bo, AT + "next").json()["tasks"]
    grade(bo, "exam", task["pair"], active_ms=600_000)
    (answer,) = ExamAnswer.objects.all()
    assert answer.active_seconds is not None and answer.active_seconds < 5


def test_it_is_paid_from_when_the_lead_says_so(bo: Any, hall: Hall, client_of: Any) -> None:
    tasks = post(bo, AT + "next").json()["tasks"]
    let_pass(300)
    grade(bo, "exam", tasks[0]["pair"], active_ms=290_000)
    (day,) = days(hall.collection)
    assert (day.hours, day.pay, round(day.training)) == (Decimal("0.00"), Decimal("0.00"), 290)
    configure(collection=hall.collection, changes={"pay_training": "yes"})
    let_pass(300)
    grade(bo, "exam", tasks[1]["pair"], active_ms=180_000)
    (day,) = days(hall.collection)
    assert (round(day.training), round(day.paid_training)) == (470, 180)
    assert (day.hours, day.pay) == (Decimal("0.05"), Decimal("0.90"))
    (total,) = totals([day])
    assert total.per_hour is None, "training is no judging"
    assert pay_for_judging([day]) == 0, "nor does it make the rest of the judging dearer"
    ada = client_of(hall.world["ada"].account)
    (row,) = csv.DictReader(io.StringIO(ada.get("/c/paper/time/csv").content.decode()))
    assert (row["active_seconds"], row["training_seconds"], row["paid_training_seconds"]) == ("0", "470", "180")
    assert row["pay"] == "0.90"
    assert "0.90 EUR" in ada.get("/c/paper/time/").content.decode()
    assert "0.90 EUR" in bo.get("/c/paper/judge/time/").content.decode()
    configure(collection=hall.collection, changes={"pay_training": "no"})
    assert days(hall.collection)[0].pay == Decimal("0.90"), "what was promised stays"


def test_practice_counts_once_a_clip(bo: Any, hall: Hall) -> None:
    moment = Moment.objects.order_by("-pk")[0]
    WorkedItem.objects.create(
        collection=hall.collection,
        use="practice",
        description=moment.descriptions.get(),
        query="A pear is peeled.",
        moment=moment,
        grade=1,
    )
    (task,) = post(bo, "/c/paper/practice/next").json()["tasks"]
    for _ in range(2):
        let_pass(20)
        answer = grade(bo, "practice", task["pair"], active_ms=15_000).json()
    assert answer["step"]["text"] == "Go on with the exam"
    (kept,) = PracticeAnswer.objects.all()
    assert kept.active_seconds == pytest.approx(15)


def test_the_next_step_is_told_at_every_point(hall: Hall, client_of: Any) -> None:
    def step() -> str:
        member = Membership.objects.select_related("collection").get(pk=hall.world["bo"].pk)
        next_one = next_step(member)
        return next_one.text if next_one else ""

    assert step() == "Start the exam"
    hall.begin("bo")
    assert step() == "Go on with the exam"
    hall.sit("bo", lambda place: 2)
    assert step() == "", "the others have their turn"
    Membership.objects.filter(pk=hall.world["bo"].pk).update(status="admitted")
    assert step() == "Start judging"


@pytest.mark.parametrize(
    ("changes", "said"),
    [
        ({}, "No pay is stated here"),
        ({"pay_per_hour": "12.5", "currency": "EUR"}, "Training isn&#x27;t paid. Judging is: 12.50 EUR"),
        ({"pay_per_hour": "12.5", "pay_training": "yes"}, "Training and judging are both paid: 12.50 USD"),
        ({"pay_per_hour": "12.5", "needs_exam": "no"}, "Judging is paid: 12.50 USD"),
    ],
)
def test_an_invitation_says_what_is_paid(school: World, client: Any, changes: dict[str, str], said: str) -> None:
    configure(collection=school.collection, changes=changes)
    made = make_invitation(lead=school["ada"])
    text = " ".join(client.get(f"/join/{made.token}/").content.decode().split())
    assert said in text.replace("isn't", "isn&#x27;t")
