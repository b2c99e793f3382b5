"""The whole way of a platform's person over HTTP: from the platform's address to its page at the end."""

import json
import re
import uuid
from typing import Any

import pytest
from django.test import Client

from annotation.models import Judgment, Recruit, Recruitment, RecruitSession
from annotation.qualification.exams import close_cohort
from annotation.recruiting import entry_views, platforms
from annotation.recruiting.platforms import PREVIEW, Ids, signature_of
from annotation.recruiting.recruitments import change_recruitment, secret_of
from annotation.recruiting.sessions import session_rows, sessions_of
from foundation.models import Account, AuditEntry, Collection, Membership, Session
from tests.annotation.conftest import Hall
from tests.annotation.recruiting.platform import entry, platform, recruit
from tests.conftest import World, build_world

pytestmark = pytest.mark.django_db
OWN = "/c/paper/session/"


@pytest.fixture
def world(db: None) -> World:
    """Twelve pairs, and no exam."""
    world = build_world(candidates=12)
    world.collection.needs_exam = False
    world.collection.save()
    return world


def post(client: Client, path: str, **sent: Any) -> Any:
    return client.post(path, json.dumps(sent), content_type="application/json")


def judge(client: Client, number: int) -> dict[str, Any]:
    """Judge so many clips, as the page would. Returns: the last answer."""
    body: dict[str, Any] = post(client, "/c/paper/judge/next").json()
    for _ in range(number):
        pair = body["tasks"][0]["pair"]
        body = post(client, "/c/paper/judge/grade", pair=pair, grade=3, key=str(uuid.uuid4()), played=1.0).json()
    return body


def enter(recruitment: Recruitment, *ids: str, client: Client | None = None) -> Client:
    """Come by the platform's address, and go on."""
    client = client or Client()
    address = entry(recruitment, *ids)
    assert client.get(address).status_code == 200
    answer = client.post(address)
    assert answer.status_code == 302, answer.content.decode()
    return client


def text_of(answer: Any) -> str:
    return str(answer.content.decode())


def test_from_prolific_and_back(world: World, settings: Any) -> None:
    settings.DEBUG = True
    with platform() as prolific:
        asked = recruit(world["ada"], return_address=prolific.origin + "/submissions/complete?cc={code}")
        bo = enter(asked)
        body = judge(bo, 1)
        assert body["tasks"]
        shown = text_of(bo.get(OWN))
        assert "1 of 2 clips are judged" in shown and "1 more clip" in shown and "DONE1" not in shown
        refused = bo.post(OWN, follow=True)
        assert "1 more clip, and you get your code" in text_of(refused) and "DONE1" not in text_of(refused)
        body = judge(bo, 1)
        assert body["tasks"] == [] and "Finish it on its page" in body["empty"]
        assert "DONE1" not in text_of(bo.get(OWN)), "looking ends nothing"
        done = text_of(bo.post(OWN, follow=True))
        assert "DONE1" in done
        prolific.press(done)
        assert prolific.heard == [("GET", "/submissions/complete", {"cc": ["DONE1"]})]
    assert post(bo, "/c/paper/judge/next").json()["empty"].startswith("Your session has ended")
    assert text_of(bo.post(OWN, follow=True)).count("DONE1") == 2, "once more is the same"
    assert RecruitSession.objects.get().outcome == "complete"


def test_to_mechanical_turk_goes_a_form(world: World, monkeypatch: pytest.MonkeyPatch) -> None:
    with platform() as turk:
        monkeypatch.setattr(platforms, "MTURK_HOSTS", {turk.origin})
        monkeypatch.setattr(entry_views, "MTURK_HOSTS", {turk.origin})
        asked = recruit(world["ada"], platform="mturk", name="HIT")
        address = entry(asked, "A1", "3X", "3H") + f"&turkSubmitTo={turk.origin}"
        preview = Client().get(entry(asked, "", PREVIEW, "3H") + f"&turkSubmitTo={turk.origin}")
        assert "Accept the task" in text_of(preview) and "<form method" not in text_of(preview)
        framed = Client(headers={"Sec-Fetch-Dest": "iframe"}).get(address)
        assert 'target="_blank"' in text_of(framed) and "<form method" not in text_of(framed)
        assert f"frame-ancestors {turk.origin};" in framed["Content-Security-Policy"]
        assert "X-Frame-Options" not in framed
        worker = Client()
        assert worker.post(address)["Location"] == "/c/paper/judge/"
        judge(worker, 2)
        end = worker.post(OWN, follow=True)
        assert f"form-action 'self' {turk.origin};" in end["Content-Security-Policy"]
        assert "frame-ancestors 'none'" in end["Content-Security-Policy"]
        turk.press(text_of(end))
        sent = {"assignmentId": ["3X"], "workerId": ["A1"], "code": ["DONE1"], "outcome": ["complete"]}
        assert turk.heard == [("POST", "/mturk/externalSubmit", sent)]
    assert "form-action 'self';" in worker.get("/c/paper/guideline/")["Content-Security-Policy"]


def test_who_comes_again_is_the_same_worker_and_stays_in_the_session(world: World) -> None:
    asked = recruit(world["ada"])
    enter(asked)
    judge(again := enter(asked), 1)
    assert Recruit.objects.count() == 1 and RecruitSession.objects.count() == 1
    judge(again, 1)
    again.post(OWN)
    answer = Client().post(entry(asked))
    assert answer["Location"] == OWN, "a session that has ended shows its code again"
    assert Judgment.objects.values("annotator").distinct().count() == 1


def test_a_second_session_begins_only_where_the_cap_allows_it(world: World) -> None:
    once, twice = recruit(world["ada"]), recruit(world["ada"], most_sessions=2, name="Second wave")
    judge(bo := enter(once), 2)
    bo.post(OWN)
    answer = Client().post(entry(once, "pid1", "s2"))
    assert answer.status_code == 410 and "all that one person can do" in text_of(answer)
    judge(enter(twice, "pid1", "s3", client=bo), 2)
    bo.post(OWN)
    judge(enter(twice, "pid1", "s4", client=bo), 1)
    enter(twice, "pid1", "s5", client=bo)
    outcomes = list(RecruitSession.objects.order_by("pk").values_list("outcome", flat=True))
    assert outcomes == ["complete", "complete", "left", ""]
    assert Recruit.objects.count() == 1, "the same person to the whole collection: nobody judges a pair twice"
    judge(bo, 2)
    bo.post(OWN)
    assert Client().post(entry(twice, "pid1", "s6")).status_code == 410


def test_the_cap_of_judgments_completes_a_session_half_way(world: World) -> None:
    asked = recruit(world["ada"], amount=4, most_sessions=5, most_judgments=6)
    judge(bo := enter(asked), 4)
    bo.post(OWN)
    enter(asked, "pid1", "s2", client=bo)
    assert "0 of 2 clips" in text_of(bo.get(OWN))
    assert judge(bo, 2)["tasks"] == []
    bo.post(OWN)
    assert Client().post(entry(asked, "pid1", "s3")).status_code == 410


def test_what_was_judged_offline_counts_when_it_comes(db: None) -> None:
    # Several queries: of one, a person is given a part by lot.
    world = build_world(queries=6, candidates=12)
    Collection.objects.update(needs_exam=False)
    asked = recruit(Membership.objects.get(pk=world["ada"].pk))
    bo = enter(asked)
    tasks = post(bo, "/c/paper/judge/next", ahead=12).json()["tasks"]
    answers = [
        post(bo, "/c/paper/judge/grade", pair=task["pair"], grade=2, key=str(uuid.uuid4()), played=1.0)
        for task in tasks[:3]
    ]
    assert [answer.status_code for answer in answers] == [200, 200, 200], (
        "the page had more at hand than were asked for"
    )
    assert answers[-1].json()["tasks"] == []
    bo.post(OWN)
    late = post(bo, "/c/paper/judge/grade", pair=tasks[3]["pair"], grade=2, key=str(uuid.uuid4()), played=1.0)
    assert late.status_code == 200 and Judgment.objects.count() == 4, "nothing that was judged is lost"


def test_taking_back_opens_the_session_s_work_again(world: World) -> None:
    bo = enter(recruit(world["ada"]))
    judge(bo, 2)
    assert post(bo, "/c/paper/judge/undo").json()["tasks"]
    assert "1 of 2 clips" in text_of(bo.get(OWN))


def test_one_too_many_finds_no_place(world: World) -> None:
    asked = recruit(world["ada"], people=1)
    enter(asked)
    answer = Client().post(entry(asked, "pid2", "s2"))
    assert answer.status_code == 410 and "places of this study are taken" in text_of(answer)
    assert Recruit.objects.count() == 1 and not Account.objects.filter(username__startswith="part").exclude(
        memberships__recruited=True
    )
    enter(asked)


def test_closed_it_takes_nobody_and_lets_who_is_in_finish(world: World) -> None:
    asked = recruit(world["ada"])
    bo = enter(asked)
    change_recruitment(lead=world["ada"], recruitment_id=asked.pk, closed=True)
    answer = Client().post(entry(asked, "pid2", "s2"))
    assert answer.status_code == 410 and "is over" in text_of(answer)
    assert "is over" in text_of(Client().get(entry(asked)))
    enter(asked)
    judge(bo, 2)
    assert "DONE1" in text_of(bo.post(OWN, follow=True))


def test_wrong_parameters_say_what_was_found(world: World) -> None:
    asked = recruit(world["ada"])
    for address, said in (
        (f"/take-part/{asked.token}/", "needs PROLIFIC_PID once"),
        (entry(asked) + "&PROLIFIC_PID=pid2", "has it 2 times"),
        (entry(asked, "{{%25PROLIFIC_PID%25}}"), "expected an id"),
        (entry(asked, "<b>me</b>"), "&lt;b&gt;me&lt;/b&gt;"),
    ):
        for answer in (Client().get(address), Client().post(address)):
            assert answer.status_code == 400 and said in text_of(answer), address
            assert answer["X-Robots-Tag"] == "noindex, nofollow"
    unknown = Client().get("/take-part/" + "x" * 43 + "/?PROLIFIC_PID=1")
    assert unknown.status_code == 404 and "incomplete or unknown" in text_of(unknown)
    assert not Recruit.objects.exists()


def test_guessing_addresses_is_slowed_down(world: World) -> None:
    asked = recruit(world["ada"])
    answers = [Client().get(f"/take-part/guess{number}/").status_code for number in range(31)]
    assert answers == [404] * 30 + [429]
    assert Client().get(entry(asked)).status_code == 200, "a good address is never held up"


def test_nobody_enters_somebody_else_s_session_or_without_the_signature(world: World) -> None:
    asked = recruit(world["ada"])
    enter(asked, "pid1", "s1")
    forged = Client().post(entry(asked, "pid2", "s1"))
    assert forged.status_code == 410 and "another participant" in text_of(forged)
    signed = recruit(world["ada"], signed=True, name="signed")
    answer = Client().post(entry(signed, "pid3", "s3"))
    assert answer.status_code == 400 and "signed" in text_of(answer)
    proof = "&signature=" + signature_of(secret_of(signed), Ids("pid3", "s3", "st1"))
    assert Client().post(entry(signed, "pid3", "s3") + proof).status_code == 302
    assert Client().post(entry(signed, "pid4", "s3") + proof).status_code == 400


def test_only_ids_of_the_list_enter(world: World) -> None:
    asked = recruit(world["ada"], known="pid1\npid2,a note\n\n")
    enter(asked, "pid2")
    answer = Client().post(entry(asked, "pid3", "s3"))
    assert answer.status_code == 410 and "isn&#x27;t on its list" in text_of(answer)
    row = [str(value) for value in Recruitment.objects.values_list().get()]
    assert not any("pid1" in value for value in row), "of who never comes nothing is stored"


def test_a_form_from_elsewhere_begins_nothing(world: World) -> None:
    asked = recruit(world["ada"])
    answer = Client(enforce_csrf_checks=True).post(entry(asked))
    assert answer.status_code == 403 and not Recruit.objects.exists()


def test_looking_stores_nothing_and_entering_stores_the_id_alone(world: World) -> None:
    asked = recruit(world["ada"])
    browser = Client(headers={"User-Agent": "Telltale/1.0"}, REMOTE_ADDR="203.0.113.7")
    browser.get(entry(asked))
    assert not Recruit.objects.exists() and not Session.objects.exists()
    browser.post(entry(asked))
    browser.get(OWN)
    judge(browser, 1)
    account = Account.objects.get(memberships__recruited=True)
    assert (account.email, account.first_name, account.last_name, account.language) == ("", "", "", "")
    assert not account.has_usable_password() and "pid1" not in account.username
    session = Session.objects.get()
    assert (session.account_id, session.device, session.address) == (account.pk, "", "")
    told = json.dumps(list(AuditEntry.objects.values("address", "before", "after")))
    assert "203.0.113.7" not in told and "pid1" not in told


def test_the_page_speaks_the_browser_s_language(world: World) -> None:
    asked = recruit(world["ada"])
    german = Client(headers={"Accept-Language": "de"})
    german.post(entry(asked))
    assert 'lang="de"' in text_of(german.get(OWN))


def test_with_no_work_left_a_session_is_complete(world: World) -> None:
    asked = recruit(world["ada"], amount=50)
    bo = enter(asked)
    judge(bo, 12)
    assert "12 of 50 clips" in text_of(bo.get(OWN))
    assert "DONE1" in text_of(bo.post(OWN, follow=True))
    assert RecruitSession.objects.get().outcome == "short"


@pytest.mark.parametrize(("top", "step", "truth", "near", "far"), [(4, 1, 2, 2, 4), (100, 1, 50, 70, 80)])
def test_the_exam_screens_without_the_lead(hall: Hall, top: int, step: int, truth: int, near: int, far: int) -> None:
    Collection.objects.update(top_grade=top, grade_step=step)
    for name in ("cy", "di"):
        hall.world[name].refresh_from_db()
        hall.sit(name, lambda place: truth)
    hall.exam.refresh_from_db()
    close_cohort(exam=hall.exam)
    asked = recruit(hall.world["ada"], most_out=50, screened_code="NOT1")
    good, bad = enter(asked, "good", "s1"), enter(asked, "bad", "s2")
    assert good.get("/c/paper/qualification/").status_code == 200
    for client, grade in ((good, near), (bad, far)):
        client.post("/c/paper/exam/begin")
        body = post(client, "/c/paper/exam/next").json()
        while body["tasks"]:
            pair = body["tasks"][0]["pair"]
            body = post(client, "/c/paper/exam/grade", pair=pair, grade=grade, key=str(uuid.uuid4()), played=1.0).json()
        client.post("/c/paper/exam/hand-in")
    assert judge(good, 2)["tasks"] == []
    assert "DONE1" in text_of(good.post(OWN, follow=True))
    end = text_of(bad.get(OWN))
    assert "NOT1" in end and "DONE1" not in end and "cc=NOT1" in end
    again = Client().post(entry(asked, "bad", "s9"))
    assert again.status_code == 410
    states = dict(Membership.objects.filter(recruited=True).values_list("recruit__person", "status"))
    assert states == {"good": "admitted", "bad": "declined"}
    asked.collection.refresh_from_db()
    rows = session_rows(asked.collection, list(sessions_of(asked.collection, asked)))
    assert {row.person: row.exam_out for row in rows} == {"good": 0.0, "bad": 1.0}


def test_a_screening_alone_ends_with_the_exam(hall: Hall) -> None:
    asked = recruit(hall.world["ada"], until="screening", amount=None)
    bo = enter(asked)
    assert "Hand in the exam" in text_of(bo.get(OWN))
    member = Membership.objects.get(recruited=True)
    hall.world.people["new"] = member
    hall.sit("new", lambda place: 1)
    assert "DONE1" in text_of(bo.post(OWN, follow=True)), "whether they are admitted is the lead's to decide"


def test_who_is_erased_comes_back_as_somebody_new(world: World) -> None:
    asked = recruit(world["ada"], people=2)
    bo = enter(asked)
    judge(bo, 1)
    first = Recruit.objects.get()
    name = Account.objects.get(memberships__recruited=True).username
    assert bo.post("/account/erase/", {"username": name}).status_code == 302
    first.refresh_from_db()
    assert first.person == "" and first.sessions.get().session == ""
    assert first.member.worker and first.member.account_id is None
    assert bo.get(OWN).status_code == 302, "logged out"
    enter(asked)
    assert Recruit.objects.count() == 2
    assert Client().post(entry(asked, "pid2", "s2")).status_code == 410, "a place that was used isn't free again"


def test_a_lead_s_page_has_ids_and_figures_and_the_files(world: World, client_of: Any) -> None:
    ada = client_of(world["ada"].account)
    made = ada.post(
        "/c/paper/recruiting/",
        {
            **{"platform": "prolific", "label": "Wave", "until": "judgments", "amount": "2", "paid_by": "judgment"},
            **{"rate": "0,75", "reward": "1.00", "currency": "GBP", "code": "DONE1", "most_sessions": ""},
        },
    )
    asked = Recruitment.objects.get()
    assert made["Location"] == f"/c/paper/recruiting/{asked.pk}/"
    judge(bo := enter(asked, "pid7", "sess7"), 2)
    bo.post(OWN)
    page = text_of(ada.get(made["Location"]))
    assert "{{%PROLIFIC_PID%}}" in page and "pid7" in page and "sess7" in page and "approve" in page
    csv = text_of(ada.get(f"{made['Location']}sessions.csv"))
    assert "pid7" in csv and ",1.50,1.00,0.50,GBP" in csv
    assert text_of(ada.get(f"{made['Location']}approve.csv")).split() == ["pid7"]
    assert text_of(ada.get(f"{made['Location']}bonus.csv")).split() == ["pid7,0.50"]
    assert ada.get(f"{made['Location']}nothing.csv").status_code == 404
    for address in ("/c/paper/people/", "/c/paper/members/", "/c/paper/time/", "/c/paper/applicants/"):
        assert not re.search(r"pid7|sess7", text_of(ada.get(address))), address


@pytest.mark.parametrize(
    ("sent", "said"),
    [
        ({"amount": ""}, "Enter how many judgments"),
        ({"until": "screening"}, "The exam is off"),
        ({"most_out": "20"}, "The exam is off"),
        ({"return_address": "http://evil.example/{code}"}, "expected an address such as"),
        ({"return_address": "https://x.org/{worker}"}, "{worker} in the return address"),
        ({"person_parameter": "a b"}, "expected a parameter"),
        ({"code": "X", "screened_code": "X"}, "another code"),
        ({"first_day": "2999-01-02", "last_day": "2999-01-01"}, "last day"),
        ({"last_day": "2020-01-01"}, "today or a later day"),
        ({"known": "pid1\nnot an id"}, "Line 2: found"),
        ({"rate": "-1"}, "greater than or equal"),
        ({"languages": "!!"}, "expected codes such as"),
        ({"platform": "facebook"}, "Select a valid choice"),
    ],
    ids=str,
)
def test_a_form_that_is_not_right_says_so_and_makes_nothing(
    world: World, client_of: Any, sent: dict[str, str], said: str
) -> None:
    form = {"platform": "prolific", "label": "Wave", "until": "judgments", "amount": "2", "paid_by": "session", **sent}
    answer = client_of(world["ada"].account).post("/c/paper/recruiting/", form)
    assert answer.status_code == 400 and said in text_of(answer)
    assert not Recruitment.objects.exists()
