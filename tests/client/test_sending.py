"""Requests to a server that refuses, breaks off or is another: what is sent again, and what is said."""

import json

import pytest
from qreels_client import (
    Conflict,
    Invalid,
    NotFound,
    NotKnown,
    NotReached,
    NotUnderstood,
    Patience,
    Qreels,
    Refused,
    TooMany,
    Unavailable,
)

from config.embedded import free_port
from tests.client.conftest import AT_ONCE
from tests.client.faulty_server import Asked, FaultyServer, Reply

ME = {"account": "ada"}
DROPPED = Reply(cut=-1)


def keys(faulty: FaultyServer) -> list[str | None]:
    return [request.headers.get("Idempotency-Key") for request in faulty.asked]


@pytest.mark.parametrize(
    "first",
    [
        Reply(429, {"detail": "Too many."}, {"Retry-After": "0"}),
        Reply(503, {"detail": "Busy."}, {"Retry-After": "0"}),
        Reply(503, b"<h1>Being upgraded</h1>", {"Content-Type": "text/html", "Retry-After": "0"}),
        Reply(502, b"Bad Gateway", {"Content-Type": "text/plain"}),
        DROPPED,
        Reply(200, ME, cut=3),
    ],
    ids=["too many", "busy", "a page", "no answer behind it", "reset", "broken off"],
)
def test_what_reads_is_asked_again(client: Qreels, faulty: FaultyServer, first: Reply) -> None:
    faulty.replies = [first, first, Reply(200, ME)]
    assert client.get_me() == ME  # type: ignore[comparison-overlap]
    assert len(faulty.asked) == 3


@pytest.mark.parametrize("first", [DROPPED, Reply(502, b"Bad Gateway", {"Content-Type": "text/plain"})])
def test_a_deletion_that_was_done_before_the_connection_broke_is_done(
    client: Qreels, faulty: FaultyServer, first: Reply
) -> None:
    faulty.replies = [first, Reply(404, {"detail": "There is none."})]
    assert client.collection("a").delete_a_topic(1) is None  # type: ignore[func-returns-value]
    faulty.replies = [Reply(404, {"detail": "There is none."})]
    with pytest.raises(NotFound):
        client.collection("a").delete_a_topic(1)


def test_what_makes_something_is_sent_again_with_the_same_key(client: Qreels, faulty: FaultyServer) -> None:
    faulty.replies = [DROPPED, Reply(429, {}, {"Retry-After": "0"}), Reply(201, {"name": "a"})]
    for _ in range(2):
        client.create_a_collection(name="a", title="A")
    first, *others = keys(faulty)
    assert first and others[:2] == [first, first] and others[2] != first
    client.create_a_collection(name="a", title="A", idempotency_key="mine")
    assert keys(faulty)[-1] == "mine"
    assert {request.body for request in faulty.asked} == {json.dumps({"name": "a", "title": "A"}).encode()}


def test_what_may_be_done_twice_isnt_sent_again_when_nobody_knows(client: Qreels, faulty: FaultyServer) -> None:
    faulty.replies = [DROPPED, Reply(200, {})]
    with pytest.raises(NotReached, match="It may have been done: look"):
        client.collection("a").undo_a_judgment()
    faulty.replies = [Reply(502, {}), Reply(200, {})]
    with pytest.raises(Unavailable):
        client.collection("a").undo_a_judgment()
    assert len(faulty.asked) == 2
    # But it is where the site says that nothing was done, and where a key of its own tells it.
    faulty.replies = [Reply(503, {}, {"Retry-After": "0"}), Reply(200, {})]
    client.collection("a").undo_a_judgment()
    faulty.replies = [DROPPED, Reply(200, {})]
    client.collection("a").grade_a_pair(pair="p", grade=1, key="k")
    assert len(faulty.asked) == 6


def test_patience_ends(client: Qreels, faulty: FaultyServer) -> None:
    faulty.replies = [Reply(503, {"detail": "Busy."}, {"Retry-After": "0"})]
    with pytest.raises(Unavailable, match="Busy"):
        client.get_me()
    assert len(faulty.asked) == AT_ONCE.tries
    # A site that asks for more than there is isn't waited for at all.
    faulty.replies = [Reply(429, {"detail": "Too many."}, {"Retry-After": "3600"})]
    with pytest.raises(TooMany) as refused:
        client.get_me()
    assert refused.value.retry_after == 3600 and len(faulty.asked) == AT_ONCE.tries + 1


def test_a_refusal_says_which_field_and_why(client: Qreels, faulty: FaultyServer) -> None:
    errors = [{"field": "body.places", "reason": "At least 1."}, {"field": "body.label", "reason": "Too long."}]
    faulty.replies = [Reply(422, {"title": "Unprocessable", "detail": "It can't be.", "errors": errors})]
    with pytest.raises(Invalid) as refused:
        client.collection("a").create_invitation(places=0)
    refusal = refused.value
    assert (refusal.status, refusal.field, refusal.reason, refusal.detail) == (
        422,
        "body.places",
        "At least 1.",
        "It can't be.",
    )
    assert [wrong.field for wrong in refusal.errors] == ["body.places", "body.label"]
    assert str(refusal) == "422 Unprocessable: It can't be. (body.places, body.label)"
    assert len(faulty.asked) == 1


@pytest.mark.parametrize(("status", "kind"), [(401, NotKnown), (409, Conflict), (500, Refused), (418, Refused)])
def test_whoever_answers_without_a_problem_is_told_of_too(
    client: Qreels, faulty: FaultyServer, status: int, kind: type[Refused]
) -> None:
    for body in (b"", b"<h1>No</h1>", b'["no"]', b'{"errors": "no"}'):
        faulty.replies = [Reply(status, body)]
        with pytest.raises(kind) as refused:
            client.get_me()
        assert refused.value.status == status and refused.value.errors == ()


def test_an_answer_of_another_site_is_no_answer(client: Qreels, faulty: FaultyServer) -> None:
    faulty.replies = [Reply(200, b"<h1>Log in to the hotel</h1>", {"Content-Type": "text/html"})]
    with pytest.raises(NotUnderstood, match="text/html, expected JSON"):
        client.get_me()
    faulty.replies = [Reply(301, b"", {"Location": "https://elsewhere.example/"})]
    with pytest.raises(NotUnderstood, match=r"https://elsewhere\.example/"):
        client.get_me()


def test_nobody_there_is_said() -> None:
    nobody = Qreels(f"http://127.0.0.1:{free_port()}", "a-token", patience=AT_ONCE)
    with nobody, pytest.raises(NotReached, match="can't be reached"):
        nobody.get_me()


def test_what_is_known_isnt_sent_again(client: Qreels, faulty: FaultyServer) -> None:
    def script(asked: Asked) -> Reply:
        known = asked.headers.get("If-None-Match") == '"one"'
        return Reply(304, headers={"ETag": '"one"'}) if known else Reply(200, ME, {"ETag": '"one"'})

    faulty.script = script
    first = client.get_me()
    first["account"] = "changed"
    assert client.get_me() == ME  # type: ignore[comparison-overlap]
    assert [request.headers.get("If-None-Match") for request in faulty.asked] == [None, '"one"']


def test_lists_are_asked_for_a_page_at_a_time(client: Qreels, faulty: FaultyServer) -> None:
    faulty.replies = [
        Reply(200, {"items": [{"name": "a"}], "next": "two"}),
        Reply(503, {}, {"Retry-After": "0"}),
        Reply(200, {"items": [{"name": "b"}], "next": None}),
    ]
    collections = client.list_collections()
    assert not faulty.asked
    assert next(collections)["name"] == "a" and len(faulty.asked) == 1
    assert [row["name"] for row in collections] == ["b"]
    assert [request.path.partition("?")[2] for request in faulty.asked] == [
        "limit=200&cursor=",
        *["limit=200&cursor=two"] * 2,
    ]


def test_a_site_and_a_token_are_needed(monkeypatch: pytest.MonkeyPatch, faulty: FaultyServer) -> None:
    monkeypatch.delenv("QREELS_SITE", raising=False)
    monkeypatch.delenv("QREELS_TOKEN", raising=False)
    for site in (None, "", "qreels.example"):
        with pytest.raises(ValueError, match=r"expected an address such as https://SITE"):
            Qreels(site, "a-token")
    with pytest.raises(NotKnown, match="QREELS_TOKEN"):
        Qreels("https://qreels.example")
    monkeypatch.setenv("QREELS_SITE", f"{faulty.address}/")
    monkeypatch.setenv("QREELS_TOKEN", "secret")
    faulty.replies = [Reply(200, ME)]
    with Qreels() as client:
        client.get_me()
        assert "secret" not in repr(client) and faulty.address in repr(client)
    assert (faulty.asked[0].path, faulty.asked[0].headers["Authorization"]) == ("/api/v1/me", "Bearer secret")


def test_pauses_grow_to_a_bound() -> None:
    patience = Patience(first_pause=1, longest_pause=8)
    for tried, most in ((1, 1), (2, 2), (3, 4), (4, 8), (9, 8)):
        assert most / 2 <= patience.pause(tried, None) <= most
    assert patience.pause(1, 20.0) == 20
