"""Who may ask for which of an annotator's pages and requests: judging, training, the exam. Rules: test_access.py."""

# ruff: noqa: F811 - a parameter has the name of the fixture that is imported

import pytest
from django.test import Client

from foundation.models import Collection
from tests.addresses import (
    JUDGING_FIGURES,
    JUDGING_PAGES,
    JUDGING_REQUESTS,
    MEMBER_POSTS,
    TOLD_REQUESTS,
    TRAINING_PAGES,
    TRAINING_POSTS,
    TRAINING_REQUESTS,
    address,
)
from tests.test_access import (
    collection,  # noqa: F401 - a fixture
    founded,  # noqa: F401 - a fixture
    logged_in,
)

pytestmark = pytest.mark.usefixtures("founded")


@pytest.mark.parametrize("name", sorted(JUDGING_PAGES))
def test_the_judging_page_is_for_annotators_and_not_for_who_leads(collection: Collection, name: str) -> None:
    for who, status in (("bo", 200), ("cy", 200), ("ada", 403), ("olga", 403)):
        assert logged_in(who).get(address(name)).status_code == status
    assert logged_in("mal").get(address(name)).status_code == 404
    assert Client().get(address(name))["Location"] == f"/login/?next={address(name)}"


@pytest.mark.parametrize("name", sorted(JUDGING_REQUESTS))
def test_a_judging_request_tells_a_lost_login_from_a_stranger(collection: Collection, name: str) -> None:
    logged_out = Client().post(address(name), content_type="application/json")
    assert (logged_out.status_code, logged_out["Content-Type"]) == (401, "text/plain")
    assert logged_out.content.decode() == "Log in again to go on; nothing is lost."
    assert logged_in("mal").post(address(name), content_type="application/json").status_code == 404
    expected = {
        "judge-next": 200,
        "judge-undo": 409,
        "judge-alive": 204,
        "judge-leave": 204,
        "judge-answer-read": 204,
    }.get(name, 400)
    assert logged_in("bo").post(address(name), content_type="application/json").status_code == expected


@pytest.mark.parametrize("name", sorted(JUDGING_FIGURES))
def test_an_annotator_s_own_figures_are_for_annotators(collection: Collection, name: str) -> None:
    assert Client().get(address(name)).status_code == 401
    assert logged_in("mal").get(address(name)).status_code == 404
    assert logged_in("ada").get(address(name)).status_code == 403
    assert logged_in("bo").get(address(name)).status_code == 200


@pytest.mark.parametrize("status", ["applicant", "declined", "barred"])
def test_who_is_not_admitted_has_no_judging_page(collection: Collection, status: str) -> None:
    collection.memberships.filter(account__username="bo").update(status=status)
    for name in JUDGING_PAGES:
        answer = logged_in("bo").get(address(name))
        # Candidates are led to their training.
        assert answer.status_code == (302 if status == "applicant" else 403)
        if status == "applicant":
            assert answer["Location"] == address("qualification")
    for name in JUDGING_REQUESTS:
        assert logged_in("bo").post(address(name), content_type="application/json").status_code == 403


def test_who_is_paused_is_told_so_and_given_nothing(collection: Collection) -> None:
    collection.memberships.filter(account__username="bo").update(status="paused")
    assert logged_in("bo").get(address("judge")).status_code == 200
    answer = logged_in("bo").post(address("judge-next"), content_type="application/json").json()
    assert answer["tasks"] == []
    assert answer["empty"].startswith("The lead has paused your judging.")


@pytest.mark.parametrize(
    "body",
    [b"", b"[]", b"null", b"\xff", b"{", b"[" * 100_000, b'{"pair": 1, "key": 2, "grade": 3}', b"9" * 5000],
    ids=["nothing", "a list", "null", "no text", "half", "nested too deep", "numbers", "a number of 5,000 digits"],
)
def test_a_judgment_that_is_no_judgment_is_a_400_that_says_so(collection: Collection, body: bytes) -> None:
    response = logged_in("bo").post(address("judge-grade"), data=body, content_type="application/json")
    assert response.status_code == 400
    said = response.content.decode()
    assert said in ('expected JSON with "pair", "grade", "key"', "found the pair 1, expected a UUID")


def test_who_is_no_longer_a_member_sees_nothing_more(collection: Collection) -> None:
    bo = logged_in("bo")
    assert bo.get(address("judge")).status_code == 200
    collection.memberships.filter(account__username="bo").delete()
    assert bo.get(address("judge")).status_code == 404


@pytest.mark.parametrize("name", sorted(TRAINING_PAGES))
def test_training_is_for_annotators_admitted_or_not(collection: Collection, name: str) -> None:
    collection.memberships.filter(account__username="bo").update(status="applicant")
    expected = 200 if name in {"qualification", "training"} else 302
    for who in ("bo", "cy"):
        assert logged_in(who).get(address(name)).status_code == expected
    for who in ("ada", "olga"):
        assert logged_in(who).get(address(name)).status_code == 403
    assert logged_in("mal").get(address(name)).status_code == 404
    assert Client().get(address(name))["Location"] == f"/login/?next={address(name)}"


@pytest.mark.parametrize("name", sorted(TRAINING_REQUESTS))
def test_a_training_request_tells_a_lost_login_from_a_stranger(collection: Collection, name: str) -> None:
    def ask(client: Client) -> int:
        return int(client.post(address(name), content_type="application/json").status_code)

    assert ask(Client()) == 401
    assert ask(logged_in("mal")) == 404
    assert ask(logged_in("ada")) == 403
    assert ask(logged_in("bo")) == (200 if name.endswith("next") else 409 if name == "exam-undo" else 400)
    collection.memberships.filter(account__username="bo").update(status="barred")
    assert ask(logged_in("bo")) == 403


@pytest.mark.parametrize("name", sorted(TRAINING_POSTS))
def test_exam_steps_are_for_annotators(collection: Collection, name: str) -> None:
    assert logged_in("bo").post(address(name))["Location"] == address("qualification")
    assert logged_in("ada").post(address(name)).status_code == 403
    assert logged_in("mal").post(address(name)).status_code == 404
    assert logged_in("bo").get(address(name)).status_code == 405


@pytest.mark.parametrize("name", sorted(MEMBER_POSTS))
def test_what_members_say_of_themselves_is_for_members(collection: Collection, name: str) -> None:
    for who in ("bo", "ada"):
        assert logged_in(who).post(address(name)).status_code == 302
        assert logged_in(who).get(address(name)).status_code == 405
    assert logged_in("mal").post(address(name)).status_code == 404
    assert Client().post(address(name))["Location"] == f"/login/?next={address(name)}"


@pytest.mark.parametrize("name", sorted(TOLD_REQUESTS))
def test_what_the_lead_told_is_put_away_by_annotators(collection: Collection, name: str) -> None:
    def ask(client: Client) -> int:
        return int(client.post(address(name), content_type="application/json").status_code)

    assert (ask(Client()), ask(logged_in("mal")), ask(logged_in("ada")), ask(logged_in("bo"))) == (401, 404, 403, 204)
    assert logged_in("bo").get(address(name)).status_code == 405
