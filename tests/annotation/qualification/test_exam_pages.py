"""Exam and practice over HTTP: what an applicant is told and when, and what only the lead may do."""

import json
import uuid
from typing import Any

import pytest
from django.test import Client

from annotation.models import Exam, ExamItem, ExamSitting, WorkedItem
from annotation.qualification.exam_results import exam_results
from annotation.qualification.exams import close_cohort, sitting_of
from corpus.models import Description, Moment, Video
from foundation.models import Membership
from tests.annotation.conftest import Hall
from tests.conftest import World

pytestmark = [pytest.mark.django_db, pytest.mark.usefixtures("school_of_the_file")]

ASKED = {"pair", "query", "clip", "poster"}
"""All that is said of an item before it is graded."""
TOLD = {"message", "tasks", "done", "total"}
AT = "/c/paper/exam/"


def post(client: Client, path: str, **sent: Any) -> Any:
    return client.post(path, json.dumps(sent), content_type="application/json")


def grade(client: Client, path: str, pair: str, value: int = 3, **more: Any) -> Any:
    return post(client, path, pair=pair, grade=value, key=str(uuid.uuid4()), played=1.0, **more)


@pytest.fixture
def bo(hall: Hall, client_of: Any) -> Client:
    """Bo's browser, with the exam begun; what must not be told are words found nowhere else."""
    Description.objects.update(text="Quaxolotl")
    Video.objects.update(name="zanzibar_s03e07")
    ExamItem.objects.update(why="Zyxwhy")
    client: Client = client_of(hall.world["bo"].account)
    assert client.post(AT + "begin")["Location"] == AT
    return client


class TestWhatAnApplicantIsTold:
    def assert_blind(self, answer: Any, *more: str) -> dict[str, Any]:
        body: dict[str, Any] = answer.json()
        assert set(body) <= {*TOLD, *more}
        assert all(set(task) == ASKED for task in body["tasks"])
        text = answer.content.decode() + str(answer.headers)
        for secret in ("Quaxolotl", "zanzibar", "Zyxwhy", '"truth"', "rank", "similarity", '"grade"', "w0"):
            assert secret not in text, secret
        return body

    def test_each_answer_of_the_exam_is_a_query_and_a_clip(self, bo: Client, hall: Hall) -> None:
        hall.sit("cy", lambda place: 0)
        hall.sit("di", lambda place: 4)
        body = self.assert_blind(post(bo, AT + "next"))
        for _ in range(12):
            body = self.assert_blind(grade(bo, AT + "grade", body["tasks"][0]["pair"]), "saved", "empty", "step")
        assert body["empty"].startswith("You have judged every clip") and not body["tasks"]
        assert body["step"] == {"text": "Hand in the exam", "address": AT + "hand-in", "changes": True}
        assert (body["done"], body["total"]) == (12, 12)
        body = self.assert_blind(post(bo, AT + "undo"))
        assert body["done"] == 11

    def test_nor_does_a_refusal_say_more(self, bo: Client, hall: Hall) -> None:
        hall.collection.top_grade = 3
        hall.collection.save()
        (first, *_) = post(bo, AT + "next").json()["tasks"]
        for answer in (
            grade(bo, AT + "grade", str(uuid.uuid4())),
            grade(bo, AT + "grade", first["pair"], 4),
            post(bo, AT + "undo"),
        ):
            assert answer.status_code == 409
            self.assert_blind(answer)
        answer = grade(bo, AT + "grade", first["pair"], 5)
        assert answer.status_code == 400
        assert answer.content.decode() == "found the grade 5, expected 0 to 4"

    def test_who_still_sits_it_learns_nothing_from_the_frozen_truth(self, bo: Client, hall: Hall) -> None:
        hall.sit("cy", lambda place: 0)
        hall.sit("di", lambda place: 4)
        close_cohort(exam=hall.exam)
        body = self.assert_blind(post(bo, AT + "next"))
        self.assert_blind(grade(bo, AT + "grade", body["tasks"][0]["pair"], 0), "saved")
        for path in ("feedback/", "again/"):
            assert bo.get(AT + path)["Location"] == "/c/paper/qualification/", path
        answer = self.assert_blind(post(bo, AT + "again/next"), "empty", "step")
        assert answer["step"]["text"] == "Go on with the exam"
        assert answer["tasks"] == []
        refused = grade(bo, AT + "again/grade", body["tasks"][0]["pair"])
        assert refused.status_code == 409
        self.assert_blind(refused, "empty", "step")
        assert "Zyxwhy" not in bo.get("/c/paper/qualification/").content.decode()

    def test_who_has_handed_in_waits_for_the_truth_then_sees_it(self, bo: Client, hall: Hall) -> None:
        hall.sit("cy", lambda place: 0)
        body = post(bo, AT + "next").json()
        while body["tasks"]:
            body = grade(bo, AT + "grade", body["tasks"][0]["pair"], 3).json()
        assert bo.post(AT + "hand-in")["Location"] == "/c/paper/qualification/"
        assert bo.get(AT + "feedback/").status_code == 302
        assert bo.get(AT).status_code == 302
        close_cohort(exam=hall.exam)
        page = bo.get(AT + "feedback/").content.decode()
        assert "12 of 12 grades were out" in page and "Zyxwhy" in page
        body = post(bo, AT + "again/next").json()
        assert body["tasks"][0]["feedback"] == {"grade": 3, "truth": 1.5, "out": True, "why": "Zyxwhy"}
        body = grade(bo, AT + "again/grade", body["tasks"][0]["pair"], 2).json()
        assert body["feedback"] == {"grade": 2, "truth": 1.5, "out": False, "why": "Zyxwhy"}
        assert (body["done"], body["total"]) == (1, 12)

    def test_practice_tells_its_grade_only_after_ones_own(self, school: World, client_of: Any) -> None:
        moment = Moment.objects.order_by("-pk")[0]
        description = moment.descriptions.get()
        WorkedItem.objects.create(
            collection=school.collection,
            use="practice",
            description=description,
            query="A pear is peeled.",
            moment=moment,
            grade=1,
            why="Zyxwhy",
        )
        di = client_of(school["di"].account)
        body = self.assert_blind(post(di, "/c/paper/practice/next"))
        answer = grade(di, "/c/paper/practice/grade", body["tasks"][0]["pair"], 3).json()
        assert answer["feedback"] == {"grade": 3, "truth": 1.0, "out": True, "why": "Zyxwhy"}

    def test_the_order_is_not_the_ranking(self, hall: Hall, client_of: Any) -> None:
        orders = set()
        for name in ("bo", "cy", "di"):
            client = client_of(hall.world[name].account)
            client.post(AT + "begin")
            tasks = post(client, AT + "next").json()["tasks"]
            ranks = dict(hall.exam.items.values_list("public_id", "rank"))
            orders.add(tuple(ranks[uuid.UUID(task["pair"])] for task in tasks))
        assert len(orders) > 1


class TestWhatOnlyTheLeadMayDo:
    @pytest.mark.parametrize(
        ("path", "sent"),
        [
            ("applicants/exam", {"step": "close"}),
            ("applicants/{member}/decide", {"decision": "admit"}),
            ("prepare/draw", {"what": "exam"}),
            ("prepare/exam/{item}/explain", {"why": "mine"}),
            ("prepare/{item}/explain", {"grade": "1", "use": "practice"}),
            ("invitations/", {"places": "1"}),
            ("guideline/edit/", {"source": "# Mine", "action": "publish"}),
        ],
    )
    @pytest.mark.parametrize("status", ["applicant", "admitted"])
    def test_an_annotator_is_refused_and_nothing_changes(
        self, bo: Client, hall: Hall, path: str, sent: dict[str, str], status: str
    ) -> None:
        Membership.objects.filter(pk=hall.world["bo"].pk).update(status=status)
        item = hall.exam.items.order_by("pk")[0]
        answer = bo.post("/c/paper/" + path.format(member=hall.world["bo"].pk, item=item.pk), sent)
        assert answer.status_code == 403
        assert Membership.objects.get(pk=hall.world["bo"].pk).status == status
        assert Exam.objects.get().frozen_at is None
        item.refresh_from_db()
        assert item.why == "Zyxwhy"
        assert not hall.collection.invitations.exists() and not hall.collection.guidelines.exists()

    def test_a_lead_neither_trains_nor_sits_the_exam(self, hall: Hall, client_of: Any) -> None:
        ada = client_of(hall.world["ada"].account)
        for path in ("qualification/", "training/", "practice/", "exam/", "exam/feedback/", "exam/again/"):
            assert ada.get(f"/c/paper/{path}").status_code == 403, path
        assert ada.post(AT + "begin").status_code == 403
        assert post(ada, AT + "next").status_code == 403
        assert not ExamSitting.objects.exists()

    def test_what_makes_no_sense_is_answered_and_changes_nothing(self, hall: Hall, client_of: Any) -> None:
        ada = client_of(hall.world["ada"].account)
        bo = hall.world["bo"]
        for path, sent, said in (
            ("applicants/exam", {"step": "burn"}, "Choose open or close."),
            ("applicants/exam", {"step": "close"}, "0 of at least 2 have handed in"),
            (f"applicants/{bo.pk}/decide", {"decision": "burn"}, "Choose admit or decline"),
            (f"applicants/{bo.pk}/decide", {"decision": "erase", "worker": "x"}, "type the worker id once more"),
            (f"applicants/{2**70}/decide", {"decision": "admit"}, "There is no such annotator"),
            (f"prepare/{2**70}/explain", {"grade": "1", "use": "practice"}, "There is no such item"),
            (f"prepare/exam/{2**70}/explain", {"why": "x"}, "There is no such item"),
        ):
            answer = ada.post(f"/c/paper/{path}", sent, follow=True)
            assert answer.status_code == 200
            assert said in answer.content.decode().replace("&#x27;", "'"), (path, sent)
        for queries in ("0", "many"):
            answer = ada.post("/c/paper/prepare/draw", {"what": "exam", "queries": queries, "seed": "7"})
            page = answer.content.decode()
            assert answer.status_code == 400 and 'value="7"' in page
            assert (
                f"Found “{queries}”, expected a whole number from 1 to 200."
                in page.split('id="field-queries-wrong"')[1]
            )
        assert Membership.objects.get(pk=bo.pk).status == "applicant"
        assert Exam.objects.get().pk == hall.exam.pk

    def test_closing_the_cohort_is_asked_about_first(self, hall: Hall, client_of: Any) -> None:
        ada = client_of(hall.world["ada"].account)
        close, move = "/c/paper/applicants/exam/close/", "/c/paper/applicants/exam"
        assert "0 of at least 2 have handed in" in ada.get(close).content.decode()
        hall.sit("cy", lambda place: 3)
        hall.sit("di", lambda place: 2)
        assert f'href="{close}"' in ada.get("/c/paper/applicants/").content.decode()
        assert ada.post(move, {"step": "close"})["Location"] == close
        page = ada.get(close).content.decode()
        assert "2 people" in page and "<b>12</b> in all" in page and "can't be undone" in page
        hall.sit("ed", lambda place: 2)
        for people in ("2", "x", "٢", ""):
            ada.post(move, {"step": "close", "people": people})
            assert Exam.objects.get().frozen_at is None, "not before the lead has seen that it is three"
        assert "3 have handed in by now, not 2" in str(
            ada.post(move, {"step": "close", "people": "2"}, follow=True).content.decode()
        )
        ada.post(move, {"step": "close", "people": "3"})
        assert Exam.objects.get().frozen_at is not None
        assert ExamSitting.objects.filter(cohort=True).count() == 3
        assert "The true grades were fixed on" in ada.get(close).content.decode()

    def test_after_a_word_on_an_item_one_is_where_one_was(self, hall: Hall, client_of: Any) -> None:
        ada = client_of(hall.world["ada"].account)
        item = hall.exam.items.order_by("pk")[0]
        answer = ada.post(f"/c/paper/prepare/exam/{item.pk}/explain", {"why": "Only a hat.\x00", "page": "1"})
        assert answer["Location"] == f"/c/paper/prepare/?part=exam&page=1#item-{item.pk}"
        item.refresh_from_db()
        assert item.why == "Only a hat."
        assert f'id="item-{item.pk}"' in ada.get(answer["Location"]).content.decode()


def test_whoever_is_out_is_drawn_as_out(hall: Hall) -> None:
    """Half a grade from a median of two: 1.5 away is out, 0.5 isn't."""
    hall.sit("cy", lambda place: 3)
    hall.sit("di", lambda place: 0 if place < 2 else 2)
    close_cohort(exam=hall.exam)
    cy, di = (person for person in exam_results(hall.collection).people if sitting_of(person.member) is not None)
    assert cy.differences == [0, 0, 0, 0, 0, 10, 2, 0, 0]
    assert di.differences == [0, 0, 2, 10, 0, 0, 0, 0, 0]
    assert [bar.far for bar in di.bars if bar.height] == [True, False]
    assert (cy.waiting, di.waiting) == (2, 2)
