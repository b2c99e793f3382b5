"""Cast, LLM, previews of rewriting, a person's captions, places and names of videos: as the pages have them."""

from pathlib import Path
from typing import Any

import pytest

from config.celery import app
from corpus.models import Video, VideoImport
from foundation.models import Collection, Membership
from queries.models import (
    Attempt,
    Caption,
    Decision,
    LlmChoice,
    LlmServer,
    LlmTrial,
    NameCount,
    QueryDraw,
    QueryMedium,
    RewritePreview,
)
from queries.rewriting.llm_terms import save_choice
from tests.api.callers import Caller
from tests.conftest import World
from tests.workers import nobody_listens

pytestmark = pytest.mark.django_db
HERE = "/collections/paper"


@pytest.fixture
def ada(world: World, folder: Path) -> Caller:
    app.control.purge()
    Membership.objects.filter(pk=world["ada"].pk).update(role="owner")
    return Caller(world["ada"])


@pytest.fixture
def caption(ada: Caller) -> Caption:
    """One that waits for a decision."""
    caption = Caption.objects.order_by("-pk")[0]
    Caption.objects.filter(pk=caption.pk).update(status="review")
    return caption


def fields_of(answer: Any) -> tuple[int, list[str]]:
    return answer.status_code, [error["field"] for error in answer.json()["errors"]]


def test_the_cast_and_its_missing_names(ada: Caller, world: World) -> None:
    names = [{"name": "Rachel", "gender": "f"}, {"name": "Joey", "gender": "?"}]
    assert ada.patch(f"{HERE}/cast", {"cast": names, "context": "Six friends."}).json()["cast"] == names
    assert ada.patch(f"{HERE}/cast", {"context": "Six  good friends."}).json()["context"] == "Six good friends."
    twice = ada.patch(f"{HERE}/cast", {"cast": [*names, {"name": "Rachel", "gender": "m"}]})
    assert fields_of(twice) == (422, ["body.cast"])
    assert fields_of(ada.patch(f"{HERE}/cast", {"context": "x" * 4001}))[0] == 422
    assert Collection.objects.get(name="paper").cast == "Rachel, f\nJoey, ?"
    first, second = (ada.post(f"{HERE}/cast/names") for _ in range(2))
    assert (first.status_code, first.json()["kind"], second.json()["job"]) == (202, "names", first.json()["job"])
    NameCount.objects.update(state="done", found=[{"name": "Ross Geller", "times": 3, "gender": "m"}])
    assert ada.get(f"{HERE}/cast").json()["missing"] == [{"name": "Ross Geller", "times": 3, "gender": "m"}]


def test_rewriting_is_tried_before_it_begins(ada: Caller) -> None:
    made = ada.post(f"{HERE}/rewriting/previews", {"rewriter": "rules", "seed": 7})
    assert (made.status_code, made.json()["rows"]) == (202, [])
    assert ada.post(f"{HERE}/rewriting/previews", {"rewriter": "rules"}).status_code == 409
    preview = {"rows": [{"caption": "A woman waves."}], "estimate": {"descriptions": 3, "seconds": 1.5}}
    RewritePreview.objects.update(state="done", found=preview)
    told = ada.get(f"{HERE}/rewriting/previews/{made.json()['preview']}").json()
    assert (told["estimate"]["descriptions"], told["seed"]) == (3, 7)
    figures = ada.get(f"{HERE}/rewriting").json()
    assert (figures["by"], figures["descriptions"]) == ("rules", figures["accepted"])
    # The limit of a job needs prices, as on the page.
    assert ada.post(f"{HERE}/rewriting", {"rewriter": "llm", "limit": "5"}).status_code in (409, 422)


def test_an_llm_is_chosen_without_its_key(ada: Caller, world: World) -> None:
    server = LlmServer.objects.create(name="Ours", address="http://llm:8000/v1")
    other = LlmServer.objects.create(name="Theirs", address="http://other:8000/v1", is_default=True)
    told = ada.patch(f"{HERE}/llm", {"server": server.pk, "model": "small", "price_in": "1", "price_out": "2,5"}).json()
    assert (told["own_server"], told["own"]["price_out"], told["holds"]["model"]["origin"]) == (
        server.pk,
        "2.5",
        "collection",
    )
    assert told["holds"]["address"]["value"] == "http://llm:8000/v1" and told["remote"]
    assert fields_of(ada.patch(f"{HERE}/llm", {"price_in": ""})) == (422, ["body.price_in"])
    assert fields_of(ada.patch(f"{HERE}/llm", {"server": 10**9})) == (422, ["body.server"])
    save_choice(member=Membership.objects.get(pk=world["ada"].pk), typed={"server": str(server.pk), "key": "sk-secret"})
    answer = ada.get(f"{HERE}/llm")
    assert (
        answer.json()["has_own_key"] and "sk-" not in answer.content.decode() and "cret" not in answer.content.decode()
    )
    assert fields_of(ada.patch(f"{HERE}/llm", {"server": other.pk})) == (422, ["body.key"]), (
        "a key stays with its server"
    )
    assert ada.patch(f"{HERE}/llm", {"server": 0, "forget_key": True}).json()["own_server"] is None
    assert LlmChoice.objects.get().key == ""
    assert ada.patch(f"{HERE}/llm", {"key": "sk-other"}).json()["has_own_key"] is False, "not a field"
    assert ada.post(f"{HERE}/llm/try").json()["trial"]["finished"] is False
    assert LlmTrial.objects.get().collection == world.collection
    Membership.objects.filter(pk=world["ada"].pk).update(role="lead")
    assert ada.patch(f"{HERE}/llm", {"model": "x"}).status_code == 403


def test_without_the_queue_a_caption_s_check_is_asked_for_again_later(ada: Caller, caption: Caption) -> None:
    with nobody_listens():
        answer = ada.post(f"{HERE}/captions/{caption.pk}/check", {"text": "A woman does a thing."})
    assert (answer.status_code, answer["Content-Type"]) == (503, "application/problem+json")
    assert 0 < int(answer["Retry-After"]) <= 60 and "127.0.0.1" not in answer.content.decode()


def test_a_person_s_caption_is_checked_and_rewritten_captions_wait(ada: Caller, caption: Caption) -> None:
    path = f"{HERE}/captions/{caption.pk}"
    check = ada.post(f"{path}/check", {"text": "Somebody  waves."})
    assert (check.status_code, check.json()["text"]) == (202, "Somebody waves.")
    assert ada.get(f"{HERE}/caption-checks/{check.json()['check']}").json()["state"] == "waiting"
    assert ada.post(f"{path}/check", {"text": " "}).status_code == 409
    written = ada.post(f"{path}/write", {"text": "Somebody waves."}).json()
    assert (written["accepted"], written["status"]) == (False, "review")
    assert ada.post(f"{path}/rewrite-again").json()["sent"] is True
    assert Caption.objects.get(pk=caption.pk).asked_again_at is not None
    assert ada.post(f"{path}/decide", {"decision": "accept"}).json()["status"] == "accepted"
    for step, body in (("write", {"text": "Another."}), ("rewrite-again", None)):
        assert ada.post(f"{path}/{step}", body).status_code == 409
    app.control.purge()


def test_what_was_accepted_at_once_is_taken_back_at_once(ada: Caller, caption: Caption) -> None:
    assert ada.post(f"{HERE}/captions/undo-many").status_code == 409
    Attempt.objects.filter(pk=caption.attempt_id).update(similarity=0.9)
    taken = ada.post(f"{HERE}/captions/accept-many", {"similarity": 0, "failing_too": True}).json()["accepted"]
    assert taken == Decision.objects.count() == 1
    told = ada.post(f"{HERE}/captions/undo-many").json()
    assert told["back"] + told["stay"] == 1


def test_videos_come_from_allowed_places_and_get_their_files(
    ada: Caller, world: World, settings: Any, tmp_path: Path
) -> None:
    place = tmp_path / "films"
    (place / "deep").mkdir(parents=True)
    (place / "a film.mp4").write_bytes(b"x")
    settings.VIDEO_SOURCES = (str(place),)
    sources = ada.get(f"{HERE}/video-sources").json()
    assert sources.pop("free_bytes") > 0 and sources.pop("longest_video") == settings.LONGEST_VIDEO
    assert sources == {"sources": [str(place)], "place": None}
    told = ada.get(f"{HERE}/video-sources?place={place}").json()["place"]
    assert (told["videos"], told["names"], told["below"]) == (1, ["a film.mp4"], [str(place / "deep")])
    assert fields_of(ada.get(f"{HERE}/video-sources?place=/etc")) == (422, ["query.place"])
    report = {"without_video": ["a film.mp4"]}
    VideoImport.objects.create(
        collection=world.collection, source=str(place), state="done", folder=str(place), report=report, frame_rate=3
    )
    names = ada.get(f"{HERE}/video-names").json()
    assert (names["strays"], names["without_file"]) == (["a film.mp4"], ["secret_video_name"])
    video = Video.objects.get().pk
    assert ada.post(f"{HERE}/video-names/settle", {"pairs": [{"video": video, "file": "b.mp4"}]}).status_code == 409
    job = ada.post(f"{HERE}/video-names/settle", {"pairs": [{"video": video, "file": "a film.mp4"}]})
    settled = VideoImport.objects.get(pk=job.json()["job"])
    assert (job.status_code, settled.chosen, settled.frame_rate) == (
        202,
        {"secret_video_name": str(place / "a film.mp4")},
        3,
    )


def test_marks_of_a_video_and_the_medium_of_a_topic_are_told_where_there_are_any(ada: Caller, world: World) -> None:
    (video,), (query, *_) = (ada.get(f"{HERE}/{kind}").json()["items"] for kind in ("videos", "queries"))
    assert not video.keys() & {"content", "minimum_age"} and "medium" not in query
    Video.objects.update(content=["blood", "violence"], minimum_age=18)
    medium = QueryMedium.objects.create(
        query_id=query["query"], kind="clip", alone=True, suffix="mp4", media_file="a", size=1, sha256="0" * 64
    )
    for one in (ada.get(f"{HERE}/videos").json()["items"][0], ada.get(f"{HERE}/videos/{video['video']}").json()):
        assert one == {**video, "content": ["blood", "violence"], "minimum_age": 18}
    told = {"kind": "clip", "address": f"/query-media/{medium.public_name}.mp4", "alone": True}
    for one in (ada.get(f"{HERE}/queries").json()["items"][0], ada.get(f"{HERE}/queries/{query['query']}").json()):
        assert one == {**query, "medium": told}


def test_queries_are_drawn_by_the_groups_of_a_table(ada: Caller) -> None:
    new = {"val": 1, "test": 1, "column": "genre"}
    bad = ada.send(HERE, "groups.csv", b"video_name,kind\nsecret_video_name,moon\n")
    assert fields_of(ada.post(f"{HERE}/draw", {**new, "table": bad})) == (422, ["body.table"])
    key = ada.send(HERE, "groups.csv", b"video_name,genre\nsecret_video_name,moon\n")
    assert fields_of(ada.post(f"{HERE}/draw", {**new, "table": key, "by_show": True})) == (422, ["body.table"])
    assert ada.post(f"{HERE}/draw", {**new, "table": key}).status_code == 202
    assert QueryDraw.objects.get().strata == {"secret_video_name": "moon"}
