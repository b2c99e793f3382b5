"""What the entry page says and asks before anything is stored, and what a session is when people withdraw or avoid."""

from typing import Any

import pytest
from django.test import Client

from annotation.consent.standing import withdraw_consent
from annotation.consent.survey import ask_question
from annotation.consent.texts import publish_consent
from annotation.models import ConsentAct, Recruit, RecruitSession, Repeat
from annotation.recruiting.files import file_of
from annotation.recruiting.platforms import PREVIEW
from annotation.recruiting.sessions import session_rows, sessions_of
from corpus.content.marks import mark_video
from corpus.models import Video
from foundation.models import Account, Collection, Membership, Session
from tests.annotation.gold_worlds import gold_world, make_gold
from tests.annotation.recruiting.platform import entry, recruit
from tests.annotation.recruiting.test_walk import OWN, enter, judge, post, text_of
from tests.conftest import World, build_world, find_world

pytestmark = pytest.mark.django_db


@pytest.fixture
def world(db: None) -> World:
    """Twelve pairs, no exam; a consent text, a minimum age, and a video with blood."""
    world = build_world(candidates=12)
    Collection.objects.update(needs_exam=False, minimum_age=18)
    mark_video(video=Video.objects.all()[0], content="blood", minimum_age="")
    publish(world, "We store *grades*.")
    return find_world()


def publish(world: World, source: str) -> None:
    publish_consent(lead=find_world()["ada"], source=source, note="more", on_withdrawal="kept")


def came() -> Membership:
    return Membership.objects.select_related("collection", "account").get(recruited=True)


def test_nothing_is_stored_before_the_consent_text_is_confirmed(world: World) -> None:
    asked, browser = recruit(world["ada"]), Client()
    page = text_of(browser.get(entry(asked)))
    assert "We store <em>grades</em>." in page and "version 1 of the consent text" in page
    assert "at least 18 years old" in page and "not want to see: blood" in page
    for consent in ({}, {"consent": "2"}, {"consent": "x"}, {"consent": ""}):
        refused = browser.post(entry(asked), consent)
        assert refused.status_code == 400 and 'role="alert"' in text_of(refused), text_of(refused)
        assert not Recruit.objects.exists() and not Session.objects.exists()
        assert not Account.objects.filter(username__startswith="participant-").exists()
    ask_question(lead=find_world()["ada"], kind="language", text="Which language?", options=[])
    assert browser.post(entry(asked), {"consent": "1"})["Location"] == "/c/paper/survey/"
    assert came().agrees and came().age == 18
    assert list(ConsentAct.objects.values_list("annotator", "kind", "version")) == [(came().pk, "confirmed", 1)]
    assert judge(browser, 2)["empty"].startswith("You have done what")


def test_who_agreed_isn_t_asked_again_until_there_is_a_new_version(world: World) -> None:
    asked, browser = recruit(world["ada"], most_sessions=3), Client()
    browser.post(entry(asked), {"consent": "1"})
    assert "consent text" not in text_of(browser.get(entry(asked)))
    assert browser.post(entry(asked))["Location"] == "/c/paper/judge/"
    publish(world, "Other words.")
    assert "consent text" not in text_of(browser.get(entry(asked))), "who is in a session goes on, and confirms there"
    page = text_of(browser.get(entry(asked, session="s2")))
    assert "Other words." in page
    assert browser.post(entry(asked, session="s2"), {"consent": "1"}).status_code == 400
    assert RecruitSession.objects.get().outcome == "", "and the session before goes on"
    assert browser.post(entry(asked, session="s2"), {"consent": "2"}).status_code == 302
    assert came().consent_confirmed == 2


def test_a_preview_shows_the_text_and_a_frame_only_the_way_to_it(world: World) -> None:
    asked = recruit(world["ada"], platform="mturk")
    turk = "&turkSubmitTo=https://www.mturk.com"
    preview = text_of(Client().get(entry(asked, "", PREVIEW, "3H") + turk))
    assert "We store <em>grades</em>." in preview and 'name="consent"' not in preview
    framed = text_of(Client(headers={"Sec-Fetch-Dest": "iframe"}).get(entry(asked, "A1", "3X") + turk))
    assert "We store" not in framed and 'target="_blank"' in framed


def test_without_a_text_age_and_kinds_the_page_says_nothing_of_them(db: None) -> None:
    world = build_world(candidates=12)
    Collection.objects.update(needs_exam=False)
    page = text_of(Client().get(entry(recruit(world["ada"]))))
    assert "years old" not in page and "not want to see" not in page and "onsent" not in page


def test_who_withdraws_has_no_code_without_the_work(world: World) -> None:
    asked, browser = recruit(world["ada"]), Client()
    browser.post(entry(asked), {"consent": "1"})
    judge(browser, 1)
    withdraw_consent(member=came())
    assert "You have withdrawn your consent" in text_of(browser.post(OWN, follow=True))
    assert RecruitSession.objects.get().outcome == ""
    assert browser.get("/c/paper/judge/")["Location"] == "/c/paper/consent/"
    browser.post("/c/paper/consent/confirm", {"version": "1"})
    judge(browser, 1)
    assert "DONE1" in text_of(browser.post(OWN, follow=True))


def test_who_withdraws_with_the_work_done_has_their_code(world: World) -> None:
    asked, browser = recruit(world["ada"]), Client()
    browser.post(entry(asked), {"consent": "1"})
    judge(browser, 2)
    withdraw_consent(member=came())
    assert "DONE1" in text_of(browser.post(OWN, follow=True))


@pytest.mark.parametrize("change", ["consent", "age"])
def test_what_is_to_be_confirmed_isn_t_work_that_lacks(world: World, change: str) -> None:
    asked, browser = recruit(world["ada"]), Client()
    browser.post(entry(asked), {"consent": "1"})
    if change == "consent":
        publish(world, "Other words.")
        said = "Read the consent text and confirm it first"
    else:
        Collection.objects.update(minimum_age=21)
        said = "for people of 21 and older"
    assert said in post(browser, "/c/paper/judge/next").json()["empty"]
    assert said in text_of(browser.post(OWN, follow=True)).replace("&#x27;", "'")
    assert RecruitSession.objects.get().outcome == ""


def test_who_avoids_all_that_is_left_is_done(world: World) -> None:
    asked, browser = recruit(world["ada"]), Client()
    browser.post(entry(asked), {"consent": "1"})
    for page in ("/c/paper/guideline/", "/c/paper/judge/content/"):
        assert "/c/paper/judge/content/" in text_of(browser.get(page)), "a way to the page Content"
    browser.post("/c/paper/judge/content/choose", {"avoids": "blood", "age": "18"})
    assert came().avoids == ["blood"]
    assert post(browser, "/c/paper/judge/next").json()["tasks"] == []
    browser.post(OWN)
    assert RecruitSession.objects.get().outcome == "short"
    row = session_rows(world.collection, list(sessions_of(asked)))[0]
    assert row.suggestion == "look", "nothing was judged"


@pytest.fixture
def golden(db: None, monkeypatch: pytest.MonkeyPatch) -> World:
    """Whoever sits down is given gold at once: three queries of six pairs to judge, and six pairs of gold."""
    monkeypatch.setattr("annotation.assignment.gold.due_in", lambda share, pairs, chance: 1)
    gold_world()
    Collection.objects.update(needs_exam=False)
    make_gold(find_world(), 0)
    return find_world()


def test_gold_is_work_in_every_figure_of_a_session(golden: World, client_of: Any) -> None:
    asked = recruit(golden["ada"], amount=8, paid_by="judgment", rate="0.50", most_judgments=8)
    browser = enter(asked)
    post(browser, "/c/paper/judge/next")
    assert Repeat.objects.filter(annotator=came()).count() == 6
    for done in range(1, 9):
        answer = judge(browser, 1)
        assert f"{done} of 8 clips" in text_of(browser.get(OWN)) or done == 8, "no clip stands still"
    assert answer["tasks"] == []
    browser.post(OWN)
    session = sessions_of(asked).get()
    row = session_rows(golden.collection, [session])[0]
    assert (session.outcome, row.judgments, session.ever, str(row.due)) == ("complete", 8, 8, "4.00")
    given = came().judgments.count()
    assert (row.gold, given) == (6, 2)
    errors = [3 - repeat.gold.grade for repeat in Repeat.objects.filter(annotator=came()) if repeat.gold]
    near = golden.collection.largest_difference
    assert row.gold_within == sum(abs(error) <= near for error in errors)
    headings, cells = file_of("sessions", "prolific", [row]).lines
    told = dict(zip(headings, cells, strict=True))
    assert (told["judgments"], told["gold"], told["gold_within"]) == (8, 6, row.gold_within)
    assert "gold" not in text_of(browser.get(OWN)).lower()
