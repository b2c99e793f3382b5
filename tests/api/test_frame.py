"""What every endpoint does: who asks, refusals as problems, pages of lists, ETags, repeated requests, limits."""

import json
import re
from datetime import UTC, datetime, timedelta
from typing import Any
from urllib.parse import urlencode

import pytest
from django.core.exceptions import NON_FIELD_ERRORS, ValidationError
from django.db import connection, transaction
from django.http import HttpResponse
from django.test import Client, RequestFactory
from django.utils import timezone

from annotation.batches.opening_jobs import ask_for_opening
from annotation.models import Batch, Invitation
from api.frame.lists import Asked, Page, page_of_list
from api.frame.problems import Problem, ProblemAnswers, of_invalid, of_refused
from api.v1.api import description
from foundation.collections.members import add_member
from foundation.models import Account, ApiToken, Collection, KeptAnswer, Membership
from foundation.refused import FieldsRefused
from tests.api.callers import API, Caller
from tests.conftest import World, build_world

pytestmark = pytest.mark.django_db


@pytest.fixture
def ada(world: World) -> Caller:
    return Caller(world["ada"])


def assert_problem(response: Any, status: int, field: str, words: str = "") -> dict[str, Any]:
    """A refusal by RFC 9457 that says this field and these words."""
    assert (response.status_code, response["Content-Type"]) == (status, "application/problem+json")
    told: dict[str, Any] = response.json()
    assert told["status"] == status and told["type"] == "about:blank" and told["title"] and told["detail"]
    assert told["instance"].startswith(API)
    assert field in [error["field"] for error in told["errors"]]
    assert all(error["reason"] for error in told["errors"])
    assert words in response.content.decode()
    return told


def test_every_refusal_says_the_field_and_the_reason(ada: Caller, world: World) -> None:
    here = "/collections/paper"
    nobody = Client()
    assert_problem(nobody.get(f"{API}{here}"), 401, "header.Authorization", "Bearer TOKEN")
    wrong = Client(headers={"Authorization": "Bearer nonsense"})
    assert assert_problem(wrong.get(f"{API}{here}"), 401, "header.Authorization", "unknown")
    assert_problem(Caller(world["ada"], ("judge",)).get(here), 403, "header.Authorization", "lacks the scope “read”")
    assert_problem(Caller(world["bo"]).get(here), 403, "header.Authorization", "for the lead annotator")
    assert_problem(ada.get("/collections/no-such"), 404, "path")
    assert_problem(ada.get("/no-such"), 404, "path")
    assert_problem(ada.get(f"{here}/members/{10**30}"), 404, "path")
    refused = ada.delete(here)
    assert_problem(refused, 405, "method", "the header Allow says which it takes.")
    assert refused["Allow"] == "GET"
    assert_problem(ada.get(f"{here}/members?limit=0"), 422, "query.limit", "greater than or equal to 1")
    assert_problem(ada.get(f"{here}/members?cursor=WyJhIl0="), 422, "query.cursor")
    assert_problem(ada.post(f"{here}/invitations", {"places": "many"}), 422, "body.places", "many")
    assert_problem(ada.post(f"{here}/invitations", {"label": "\0"}), 422, "body.label")
    assert_problem(ada.post(f"{here}/invitations", {"label": "\ud800"}), 422, "body")
    assert_problem(ada.post(f"{here}/topics", {"text": "\u200b\u3164"}), 422, "body.text")
    past = (timezone.now() - timedelta(days=1)).isoformat()
    assert_problem(ada.post(f"{here}/invitations", {"expires_at": past}), 422, "body.expires_at", "is over")
    beyond = {"expires_at": "9999-12-31T23:59:59-23:59"}
    assert_problem(ada.post(f"{here}/invitations", beyond), 422, "body.expires_at", "outside the years 1 to 9999")
    deep = ada.client.generic("POST", f"{API}{here}/invitations", b"[" * 100_000, content_type="application/json")
    assert_problem(deep, 422, "body", "isn't JSON")
    unread = ada.client.generic("POST", f"{API}{here}/invitations", b"{", content_type="application/json")
    assert_problem(unread, 422, "body")
    other = ada.client.generic(
        "POST", f"{API}{here}/invitations", b"{}", content_type="application/json; charset=utf-16"
    )
    assert_problem(other, 415, "header.Content-Type")
    assert not Invitation.objects.exists()


def test_a_time_may_have_any_offset_that_iso_8601_knows(ada: Caller, world: World, client_of: Any) -> None:
    """PostgreSQL takes those below 16 hours alone."""
    made = ada.post("/collections/paper/invitations", {"expires_at": "2100-01-01T00:00:00-23:01"})
    assert made.status_code == 201
    assert Invitation.objects.get().expires_at == datetime(2100, 1, 1, 23, 1, tzinfo=UTC)
    bo = client_of(world["bo"].account)
    for said, status in (
        ("2026-11-22T09:00:00+23:01", 200),
        ("0001-01-01T00:00:00+23:59", 400),
        ("2026-11-22T09:00:00", 400),
        ("yesterday", 400),
    ):
        answer = bo.get("/c/paper/judge/session", {"since": said})
        assert answer.status_code == status, said
        assert status == 200 or f"found the time '{said}'" in answer.content.decode()


def test_what_a_service_refuses_is_a_409_with_its_words(world: World) -> None:
    Membership.objects.filter(pk=world["ada"].pk).update(role="owner")
    ada = Caller(world["ada"])
    refused = ada.delete(f"/collections/paper/members/{world['ada'].pk}")
    assert_problem(refused, 409, "", "is the only owner")


def test_a_fault_of_the_server_is_a_problem_too(ada: Caller) -> None:
    with connection.cursor() as cursor:
        cursor.execute("ALTER TABLE corpus_video RENAME TO lost")  # rolled back with the test
    assert ada.get("/collections/paper").status_code == 200
    with transaction.atomic():
        broken = ada.get("/collections/paper/videos")
        transaction.set_rollback(True)
    told = assert_problem(broken, 500, "")
    assert "corpus_video" not in broken.content.decode() and told["title"] == "Internal Server Error"


def test_a_token_goes_as_far_as_its_scopes_its_collection_and_its_last_day(world: World) -> None:
    other = build_world(name="other")
    Membership.objects.filter(pk__in=[world["ada"].pk, other["ada"].pk]).update(role="owner")
    everywhere, here = Caller(world["ada"]), Caller(world["ada"], collection="paper")
    assert [place["name"] for place in everywhere.get("/collections").json()["items"]] == ["paper", "other"]
    assert [place["name"] for place in here.get("/collections").json()["items"]] == ["paper"]
    assert here.get("/collections/paper").status_code == 200
    assert_problem(here.get("/collections/other"), 404, "path")
    assert_problem(here.post("/collections", {"name": "new", "title": "New"}), 403, "header.Authorization", "alone")
    read = Caller(world["ada"], ("read",))
    assert_problem(read.post("/collections/paper/archive"), 403, "header.Authorization", "admin")
    ApiToken.objects.filter(pk=read.made.row.pk).update(expires_at=timezone.now())
    assert_problem(read.get("/collections"), 401, "header.Authorization", "expired")
    page = Client(headers={"Authorization": f"Bearer {here.made.token}"}).get
    assert page("/c/paper/").status_code == 200
    assert page("/c/other/").status_code == 404
    judging = Caller(world["ada"], ("judge",))
    assert judging.client.get("/c/paper/").status_code == 403


def test_a_login_reads_and_changes_only_with_the_token_against_forgery(world: World) -> None:
    client = Client(enforce_csrf_checks=True)
    account = world["ada"].account
    assert account is not None
    client.force_login(account)
    assert client.get(f"{API}/collections/paper").status_code == 200
    path, kind = f"{API}/collections/paper/invitations", "application/json"
    assert_problem(client.post(path, {}, content_type=kind), 403, "header.X-CSRFToken")
    client.cookies["csrftoken"] = "a" * 32
    assert client.post(path, {}, content_type=kind, headers={"X-CSRFToken": "a" * 32}).status_code == 201


def test_lists_come_in_pages_that_stand_while_rows_come_and_go(ada: Caller, world: World) -> None:
    first = ada.get("/collections/paper/members?limit=4").json()
    assert [member["worker"] for member in first["items"]] == ["w01", "w02", "w03", "w04"]
    world["bo"].delete()
    rest = ada.get(f"/collections/paper/members?limit=4&cursor={first['next']}").json()
    assert [member["worker"] for member in rest["items"]] == ["w05", "w06"]
    assert rest["next"] is None
    forged = first["next"].replace(":", "A:")
    for other in (f"jobs?cursor={first['next']}", f"videos?cursor={first['next']}", f"members?cursor={forged}"):
        assert_problem(ada.get(f"/collections/paper/{other}"), 422, "query.cursor", "of no page")


def test_a_list_that_is_read_whole_goes_on_after_the_item_that_ended_a_page_unless_it_is_gone() -> None:
    def page(items: str, cursor: str = "") -> Page[str]:
        return page_of_list(list(items), Asked(limit=2, cursor=cursor), list, lambda item: (item,))

    first = page("abc")
    assert first.items == ["a", "b"] and first.next is not None
    assert page("xyabc", first.next) == Page(items=["c"], next=None)
    assert page("ab", first.next) == Page(items=[], next=None)
    assert page("ab").next is None
    with pytest.raises(Problem, match="gone from the list") as refused:
        page("acd", first.next)
    assert (refused.value.status, refused.value.field) == (422, "query.cursor")


def test_what_is_wrong_with_the_whole_of_a_body_stands_at_the_body(rf: RequestFactory) -> None:
    request = rf.post(f"{API}/collections")
    whole, title = {"field": "body", "reason": "It can't be."}, {"field": "body.title", "reason": "Too long."}
    for answer, errors in (
        (of_invalid(request, ValidationError("It can't be.")), [whole]),
        (
            of_invalid(request, ValidationError({NON_FIELD_ERRORS: ["It can't be."], "title": ["Too long."]})),
            [whole, title],
        ),
        (of_refused(request, FieldsRefused({"": "It can't be.", "title": "Too long."})), [whole, title]),
    ):
        assert answer.status_code == 422 and json.loads(answer.content)["errors"] == errors


def test_what_is_known_already_is_a_304_and_whatever_changes_is_not(ada: Caller, world: World) -> None:
    job = ask_for_opening(member=world["ada"])
    paths = {
        "/collections/paper": lambda: Collection.objects.update(title="Changed"),
        f"/collections/paper/jobs/opening/{job.pk}": lambda: type(job).objects.update(state="stopped"),
        "/collections/paper/jobs": lambda: type(job).objects.update(state="queued"),
        f"/collections/paper/batches/{world.batch.pk}": lambda: Batch.objects.update(status="decided"),
        "/collections/paper/batches": lambda: Batch.objects.update(status="second"),
        "/collections/paper/members": lambda: Membership.objects.filter(pk=world["bo"].pk).update(role="lead"),
    }
    for path, change in paths.items():
        first = ada.get(path)
        again = ada.get(path, **{"If-None-Match": first["ETag"]})
        assert (again.status_code, again.content, again["ETag"]) == (304, b"", first["ETag"])
        change()
        changed = ada.get(path, **{"If-None-Match": first["ETag"]})
        assert changed.status_code == 200 and changed.json() != first.json(), path
        assert changed["ETag"] != first["ETag"]


def test_the_same_request_with_the_same_key_makes_one_thing(ada: Caller, world: World) -> None:
    def send(key: str, label: str = "a class") -> Any:
        return ada.post("/collections/paper/invitations", {"label": label}, **{"Idempotency-Key": key})

    first, second = send("one"), send("one")
    assert (first.status_code, second.status_code) == (201, 201)
    assert first.json() == second.json() and second["Idempotent-Replayed"] == "true"
    assert Invitation.objects.count() == 1
    assert first.json()["link"] not in KeptAnswer.objects.get().content, "what is shown once isn't kept readable"
    assert_problem(send("one", "another"), 422, "header.Idempotency-Key", "another request")
    assert_problem(send("x" * 101), 422, "header.Idempotency-Key")
    assert_problem(
        ada.post("/collections/paper/invitations", {"places": 0}, **{"Idempotency-Key": "two"}), 422, "body.places"
    )
    assert send("two").status_code == 201, "a refusal uses no key up"
    KeptAnswer.objects.update(made_at=timezone.now() - timedelta(days=2))
    assert send("one", "another").status_code == 201
    assert Invitation.objects.count() == 3


def test_the_key_of_one_account_is_nothing_to_another(ada: Caller, world: World) -> None:
    add_member(collection=world.collection, account=Account.objects.create(username="gil"), role="lead")
    gil = Caller(Account.objects.get(username="gil"))
    links = []
    for caller in (ada, gil):
        made = caller.post("/collections/paper/invitations", {"label": "a class"}, **{"Idempotency-Key": "one"})
        assert made.status_code == 201 and "Idempotent-Replayed" not in made
        links.append(made.json()["link"])
    assert len(set(links)) == 2 and Invitation.objects.count() == 2
    assert ada.post("/collections/paper/invitations", {"label": "b"}, **{"Idempotency-Key": "one"}).status_code == 422


def test_too_many_requests_of_one_token_wait(world: World, settings: Any) -> None:
    settings.API_PER_MINUTE = 2
    one, two = Caller(world["ada"]), Caller(world["ada"])
    assert [one.get("/collections").status_code for _ in range(3)] == [200, 200, 429]
    refused = one.get("/collections")
    assert_problem(refused, 429, "header.Authorization", "Too many requests")
    assert 0 < int(refused["Retry-After"]) <= 60
    assert two.get("/collections").status_code == 200, "each token has a limit of its own"


def test_answers_are_english_whatever_the_browser_says(world: World) -> None:
    bo = Caller(world["bo"])
    told = bo.get("/collections/paper", **{"Accept-Language": "de"}).json()
    assert told["detail"] == "This page is for the lead annotator."
    assert json.dumps(told).isascii()


def test_a_number_in_a_query_or_header_is_digits_alone(ada: Caller, settings: Any) -> None:
    """Every whole number that the description has there: pydantic takes more for one."""
    settings.API_PER_MINUTE, asked = 100_000, 0
    for path, methods in description()["paths"].items():
        for method, operation in methods.items():
            for parameter in operation.get("parameters", []):
                if parameter["in"] not in ("query", "header") or "integer" not in json.dumps(parameter["schema"]):
                    continue
                here = re.sub(
                    r"\{\w+\}", "1", path.removeprefix("/api/v1").replace("{name}", "paper").replace("{split}", "val")
                )
                for number in ("+1", "1_0", " 1", "1.0", "\u0661", "0x1", "1e0", "9" * 5000):
                    asked += 1
                    where = f"{parameter['in']}.{parameter['name']}"
                    if parameter["in"] == "query":
                        query = urlencode({parameter["name"]: number})
                        answer = ada.ask(method.upper(), f"{here}?{query}")
                    elif number.isascii():
                        answer = ada.ask(method.upper(), here, **{parameter["name"].replace("-", "_"): number})
                    else:
                        continue
                    if answer.status_code == 403:  # for owners of the site alone
                        continue
                    problem = answer.json()
                    assert (answer.status_code, problem["errors"][0]["field"]) == (422, where), (path, number, problem)
    assert asked > 300


@pytest.mark.parametrize(
    ("status", "kind", "content", "said"),
    [
        (403, "text/html", "<h1>A page</h1>", "403 Forbidden"),
        (413, "text/plain", "The body is too long.", "The body is too long."),
        (503, "application/json", '{"error": "An upgrade is under way."}', "An upgrade is under way."),
        (404, "text/plain", "no such row in corpus_video", "404 Not Found"),
    ],
)
def test_what_answers_before_an_endpoint_does_is_a_problem_with_its_sentence_and_never_a_page(
    rf: RequestFactory, status: int, kind: str, content: str, said: str
) -> None:
    def answer(request: Any) -> HttpResponse:
        return HttpResponse(content, status=status, content_type=f"{kind}; charset=utf-8", headers={"Retry-After": "5"})

    made = ProblemAnswers(answer)(rf.get(f"{API}/collections"))
    told = json.loads(made.content)
    assert (made.status_code, made["Content-Type"], made["Retry-After"]) == (status, "application/problem+json", "5")
    assert content not in made.content.decode() or content == said
    assert said in (told["detail"], f"{status} {told['title']}")
    untouched = ProblemAnswers(answer)(rf.get("/c/paper/"))
    assert untouched.content.decode() == content, "pages answer as they are"
