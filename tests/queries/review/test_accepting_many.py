"""Captions accepted together by similarity and taken back together; what is asked again, and what isn't offered."""

from datetime import timedelta
from typing import Any

import pytest
from django.test import Client
from django.urls import reverse
from django.utils import timezone

from config.celery import app
from corpus.models import Clip, Moment
from foundation.collections.members import add_member, set_cast
from foundation.models import Account, Collection
from queries.models import Attempt, Caption, Decision, Query
from queries.review.rewrite_again import rewrite_again, send_asked_again
from tests.queries.chat_server import well
from tests.queries.conftest import Begin, doors, make_collection

pytestmark = pytest.mark.django_db
SIMILARITIES = (0.95, 0.8, 0.79, 0.85, None)


@pytest.fixture
def collection() -> Collection:
    """Five captions that wait, by rules; the fourth names somebody, the last has no text."""
    collection = make_collection(doors(5), name="paper")
    add_member(collection=collection, account=Account.objects.create(username="ada"), role="lead")
    for place, description in enumerate(collection.descriptions.order_by("pk")):
        similarity = SIMILARITIES[place]
        attempt = Attempt.objects.create(
            description=description,
            number=1,
            rewriter="rules",
            model="rules-2",
            text="" if similarity is None else f"A woman opens door {place}.",
            similarity=similarity,
            similarity_passed=similarity is not None,
            names_passed=place != 3,
        )
        Caption.objects.create(
            description=description, attempt=attempt, text=attempt.text, normalised=attempt.text, status="review"
        )
    return collection


@pytest.fixture
def ada(collection: Collection, client: Client) -> Client:
    client.force_login(Account.objects.get(username="ada"))
    return client


def captions() -> list[Caption]:
    return list(Caption.objects.order_by("pk"))


def statuses() -> str:
    return "".join(caption.status[0] for caption in captions())


def post(client: Client, name: str, **fields: Any) -> str:
    text: str = client.post(reverse(name, args=["paper"]), fields, follow=True).content.decode()
    return text


def page(client: Client, **query: str) -> str:
    text: str = client.get(reverse("captions", args=["paper"]), query).content.decode()
    return text


def test_how_many_would_be_accepted_is_said_first(ada: Client) -> None:
    text = page(ada, at_least="0,8")
    assert "2 waiting captions have this similarity and pass every other check. 1 more fails another check" in text
    assert statuses() == "rrrrr"


@pytest.mark.parametrize("said", ["x", "1.5", "-1", "nan", "8e-1", "0x1"])
def test_what_is_no_similarity_is_said_beside_the_field(ada: Client, said: str) -> None:
    assert "Enter a similarity from 0 to 1, such as 0.8 or 0,8." in page(ada, at_least=said)
    assert "Enter a similarity from 0 to 1" in post(ada, "caption-accept-many", similarity=said)
    assert statuses() == "rrrrr"


def test_many_are_accepted_at_once_and_one_undo_takes_all_back(ada: Client) -> None:
    before = [(caption.text, caption.attempt_id) for caption in captions()]
    assert "2 captions accepted." in post(ada, "caption-accept-many", similarity="0.8")
    assert statuses() == "aarrr" and captions()[0].decided_by is not None
    assert Decision.objects.filter(taken_back_at=None).count() == 2
    assert "2 captions are back in review." in post(ada, "caption-undo")
    assert statuses() == "rrrrr" and captions()[0].decided_by is None
    assert [(caption.text, caption.attempt_id) for caption in captions()] == before
    assert "You have no decision to undo." in post(ada, "caption-undo")


def test_those_that_fail_another_check_only_where_the_lead_says_so(ada: Client) -> None:
    assert "3 captions accepted." in post(ada, "caption-accept-many", similarity="0.8", failing_too="on")
    assert statuses() == "aarar"


def test_what_a_query_was_drawn_from_stays_accepted(ada: Client, collection: Collection) -> None:
    post(ada, "caption-accept-many", similarity="0.8")
    drawn = captions()[0]
    Query.objects.create(
        collection=collection, description=drawn.description, split="val", text="x", normalised="x", position=1
    )
    text = post(ada, "caption-undo")
    assert "1 caption is back in review. 1 stay" in text and statuses() == "arrrr"
    # The next undo is of what stays, alone, and says why it can't be.
    assert "has become a query meanwhile" in post(ada, "caption-undo")


def test_rules_are_not_asked_again_until_they_could_write_something_else(ada: Client, collection: Collection) -> None:
    first = captions()[0]
    decide = reverse("caption-decide", args=["paper", first.pk])
    assert "Rewrite again" not in page(ada)
    assert "Rules would write the same again" in ada.post(decide, {"decision": "retry"}).content.decode()
    set_cast(collection=collection, cast="Rachel, f")
    assert "Rewrite again" in page(ada)
    Collection.objects.update(cast_set_at=None, rewriting_style="diverse")
    assert "Rewrite again" in page(ada)


def test_an_llm_is_asked_again_at_another_temperature(ada: Client, llm: Begin) -> None:
    with llm(well):
        assert "Rewrite again" in page(ada)


def test_what_is_asked_again_while_the_queue_is_away_is_kept_for_the_sweep(
    ada: Client, collection: Collection, settings: Any, monkeypatch: pytest.MonkeyPatch
) -> None:
    set_cast(collection=collection, cast="Rachel, f")
    first = captions()[0]
    reachable = app.conf.broker_url
    app.conf.broker_url = "redis://127.0.0.1:1/0"
    try:
        answer = ada.post(reverse("caption-decide", args=["paper", first.pk]), {"decision": "retry"}, follow=True)
        assert "Your request is kept" in answer.content.decode()
    finally:
        app.conf.broker_url = reachable
    first.refresh_from_db()
    assert first.asked_again_at is not None
    app.control.purge()
    send_asked_again()  # too young: its message might be on the way
    with app.connection_for_read() as broker:
        assert broker.default_channel.queue_declare("celery", passive=False).message_count == 0
        Caption.objects.filter(pk=first.pk).update(asked_again_at=timezone.now() - timedelta(minutes=1))
        send_asked_again()
        assert broker.default_channel.queue_declare("celery", passive=False).message_count == 1
    app.control.purge()
    assert rewrite_again(caption_id=first.pk) is not None
    send_asked_again()
    with app.connection_for_read() as broker:
        assert broker.default_channel.queue_declare("celery", passive=False).message_count == 0


def test_a_caption_stands_beside_its_clip(ada: Client, collection: Collection) -> None:
    assert "data-play" not in page(ada)
    moment = Moment.objects.filter(descriptions__caption=captions()[0]).get()
    clip = Clip.objects.create(moment=moment, video_file="clips/a.mp4", poster_file="clips/a.jpg")
    assert f'data-play="{reverse("clip", args=[clip.public_name, "mp4"])}"' in page(ada)
