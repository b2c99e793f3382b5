"""Anybody may try judging on six decided clips of a collection that offers it; nothing is stored or shown besides."""

import uuid
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from django.core.files.base import ContentFile
from django.core.files.storage import default_storage
from django.db import connection
from django.test import Client
from django.test.utils import CaptureQueriesContext

from annotation.models import Batch, Judgment, PracticeAnswer, Seat
from annotation.settings.services import configure
from annotation.tryout.selectors import find_tryout
from corpus.clips.media_views import FROM_AN_ADDRESS
from corpus.models import Clip, Subtitles, Video
from foundation.access.throttle import take
from foundation.models import Account, Collection
from tests.annotation.reviewed_worlds import DISCARDED, grade_batch
from tests.conftest import World, build_world

ALLOWED = {"pair", "query", "clip", "poster"}


@pytest.fixture
def offered(db: None, settings: Any, tmp_path: Path) -> Iterator[World]:
    """Two queries of eight clips whose batches are finished, and a third that is being judged."""
    settings.MEDIA_ROOT = tmp_path
    world = build_world(queries=3, candidates=8, clips=True)
    for query in world.queries[:2]:
        batch = query.batches.get()
        grade_batch(world, batch, lambda rank: DISCARDED if rank == 8 else (rank % 5, rank % 5))
        assert Batch.objects.get(pk=batch.pk).status == Batch.Status.FINISHED
    for clip in Clip.objects.all():
        default_storage.save(clip.video_file, ContentFile(b"\0\0\0\x18ftypmp42"))
    configure(collection=world.collection, changes={"offers_tryout": "yes"})
    world.collection.refresh_from_db()
    yield world


def test_a_visitor_hears_and_reads_what_the_guideline_asks_for(offered: World) -> None:
    Collection.objects.update(evidence=["picture", "sound", "subtitles"])
    video = Video.objects.get()
    Subtitles.objects.create(video=video, language="en", source="a.srt", cues=[[0, 1000, "Tea?"]])
    visitor = Client()
    page = visitor.get("/try/").content.decode()
    assert 'data-evidence="picture sound subtitles"' in page and 'data-do="sound"' in page
    task = visitor.post("/try/next", {}, content_type="application/json").json()["tasks"][0]
    assert b"Tea?" in visitor.get(task["subtitles"]).content
    others = Clip.objects.exclude(public_name__in=[pair.clip for pair in find_tryout().pairs])  # type: ignore[union-attr]
    assert visitor.get(f"/clips/{others[0].public_name}.vtt").status_code == 404
    assert grade(visitor, task["pair"], 2, played=0.1).json()["message"].startswith("Listen to at least")


def grade(client: Client, pair: str, value: int, **more: Any) -> Any:
    sent = {"pair": pair, "grade": value, "key": str(uuid.uuid4()), "played": 1.0, **more}
    return client.post("/try/grade", sent, content_type="application/json")


def test_six_clips_are_judged_and_compared_without_an_account_and_nothing_is_stored(offered: World) -> None:
    before = Judgment.objects.count(), Seat.objects.count()
    visitor = Client()
    login = visitor.get("/login/").content.decode()
    assert 'href="/try/"' in login and "<video" in login
    page = visitor.get("/try/")
    assert page.status_code == 200 and 'data-grade="/try/grade"' in page.content.decode()
    answer = visitor.post("/try/next", {}, content_type="application/json").json()
    assert answer["total"] == 6 and answer["done"] == 0
    seen = set()
    with CaptureQueriesContext(connection) as asked:
        while answer["tasks"]:
            task = answer["tasks"][0]
            assert set(task) == ALLOWED
            assert visitor.get("/try/result/").status_code == 302, "first all six"
            answer = grade(visitor, task["pair"], 2).json()
            assert answer["saved"] and answer["message"] == ""
            seen.add(task["pair"])
    assert not [query["sql"] for query in asked if query["sql"].split()[0] in ("INSERT", "UPDATE", "DELETE")]
    assert len(seen) == 6 and answer["step"]["address"] == "/try/result/"
    result = visitor.get("/try/result/")
    rows = result.context["rows"]
    assert [row["off"] for row in rows] == [2 - row["pair"].grade for row in rows]
    assert {row["pair"].grade for row in rows} == {0, 1, 2, 3, 4}, "every grade occurs"
    assert result.context["exact"] == sum(row["pair"].grade == 2 for row in rows)
    assert (Judgment.objects.count(), Seat.objects.count()) == before and not PracticeAnswer.objects.exists()
    assert visitor.get("/try/").url == "/try/result/"
    visitor.post("/try/again")
    assert visitor.get("/try/").status_code == 200


def test_a_visitor_learns_nothing_of_sources_ranks_people_or_grades_before_the_end(offered: World) -> None:
    visitor = Client()
    tryout = find_tryout()
    assert tryout is not None
    seen = visitor.get("/login/").content + visitor.get("/try/").content
    answer = visitor.post("/try/next", {}, content_type="application/json")
    seen += answer.content + grade(visitor, answer.json()["tasks"][0]["pair"], 1).content
    seen += repr(visitor.cookies).encode()
    text = seen.decode()
    for secret in ("secret", "similarity", "rank", "consensus_grade", '"grade":', "w01", "w02", "w03"):
        assert secret not in text, secret
    public = {str(pair) for pair in Batch.objects.values_list("pairs__public_id", flat=True)}
    assert not any(public_id in text for public_id in public), "the ids that annotators know are others"


def test_only_the_six_clips_are_anybody_s_and_only_while_they_are_offered(offered: World) -> None:
    tryout = find_tryout()
    assert tryout is not None
    shown = {pair.clip for pair in tryout.pairs}
    every = set(Clip.objects.values_list("public_name", flat=True))
    assert len(shown) == 6 < len(every)
    visitor = Client()
    for name in every:
        status = visitor.get(f"/clips/{name}.mp4").status_code
        assert status == (200 if name in shown else 404)
        assert visitor.get(f"/clips/{name}.gif").status_code == 404
    configure(collection=offered.collection, changes={"offers_tryout": "no"})
    assert {visitor.get(f"/clips/{name}.mp4").status_code for name in every} == {404}
    for address in ("/try/", "/try/result/"):
        assert visitor.get(address).status_code == 404
    assert visitor.post("/try/next", {}, content_type="application/json").status_code == 404
    assert "/try/" not in visitor.get("/login/").content.decode()


def test_what_is_sent_wrongly_is_refused_with_a_sentence(offered: World) -> None:
    visitor = Client()
    first = visitor.post("/try/next", {}, content_type="application/json").json()["tasks"][0]["pair"]
    assert grade(visitor, first, 7).status_code == 400
    assert visitor.post("/try/grade", b"{", content_type="application/json").status_code == 400
    unseen = grade(visitor, first, 2, played=0.1)
    assert unseen.status_code == 409 and "Watch at least 80%" in unseen.json()["message"]
    assert grade(visitor, str(uuid.uuid4()), 2).status_code == 409
    assert grade(visitor, first, 3).json()["done"] == 1
    assert grade(visitor, first, 0).json()["done"] == 1
    back = visitor.post("/try/undo", {}, content_type="application/json").json()
    assert back["done"] == 0 and back["tasks"][0]["pair"] == first
    assert visitor.post("/try/undo", {}, content_type="application/json").status_code == 409
    visitor.cookies["qreels_tryout"] = "forged"
    assert visitor.post("/try/next", {}, content_type="application/json").json()["done"] == 0


def test_a_pair_that_may_still_be_judged_is_never_offered(offered: World) -> None:
    """Not those under way, held by a flag, or of a collection whose people are asked again."""
    tryout = find_tryout()
    assert tryout is not None
    assert {pair.query for pair in tryout.pairs} <= {query.text for query in offered.queries[:2]}
    Collection.objects.update(repeat_share=0.05)
    assert find_tryout() is None
    Collection.objects.update(repeat_share=0, archived_at="2026-01-01T00:00Z")
    assert find_tryout() is None


def test_who_judges_the_collection_is_not_told_what_others_said_of_it(offered: World) -> None:
    bo = Client()
    account = offered["bo"].account
    assert account is not None
    bo.force_login(account)
    assert bo.get("/try/").status_code == bo.get("/try/result/").status_code == 404
    assert bo.post("/try/next", {}, content_type="application/json").status_code == 404


def test_too_many_requests_from_one_address_are_refused(offered: World, monkeypatch: Any) -> None:
    from annotation.tryout import views
    from foundation.access.throttle import Limit

    monkeypatch.setattr(views, "FROM_AN_ADDRESS", Limit(f"tryout-{uuid.uuid4()}", 2, 10))
    visitor = Client()
    statuses = [visitor.post("/try/next", {}, content_type="application/json").status_code for _ in range(3)]
    assert statuses == [200, 200, 429]


def test_an_address_that_asks_for_its_clips_without_end_waits(offered: World) -> None:
    tryout = find_tryout()
    assert tryout is not None
    address = f"/clips/{tryout.pairs[0].clip}.mp4"
    for _ in range(FROM_AN_ADDRESS.attempts):
        take(FROM_AN_ADDRESS, "127.0.0.1", what="")
    answer = Client().get(address)
    assert answer.status_code == 429 and int(answer["Retry-After"]) > 0
    member = Client()
    member.force_login(Account.objects.get(username="bo"))
    assert member.get(address).status_code == 200, "who judges is never held up"
    assert Client().get("/clips/no-such.mp4").status_code == 404, "nor is it told what there is"
