"""A clip's subtitles: its moment's alone, for whoever may see the clip, where the guideline asks for them."""

from pathlib import Path
from typing import Any

import pytest
from django.test import Client

from corpus.models import Clip, FormerClip, Moment, Subtitles, Video
from foundation.models import Account, Collection, Membership

CUES = [[0.0, 1.25, "before <i>"], [1.5, 2.75, "inside & out"], [2.75, 3.0, "after"]]


@pytest.fixture
def clip(collection: Collection, media: Path) -> Clip:
    Collection.objects.update(evidence=["picture", "subtitles"])
    video = Video.objects.create(collection=collection, name="film")
    Subtitles.objects.create(video=video, language="en", source="film.srt", cues=CUES)
    moment = Moment.objects.create(video=video, start=1, end=2.5)
    return Clip.objects.create(moment=moment, video_file="clips/a.mp4", poster_file="clips/a.jpg", duration=1.5)


def get(name: str, clip: Any) -> Any:
    client = Client()
    if name:
        client.force_login(Account.objects.get(username=name))
    return client.get(f"/clips/{clip.public_name}.vtt")


def test_cues_are_cut_at_the_moments_edges_and_their_text_stays_text(clip: Clip) -> None:
    response = get("bo", clip)
    assert response.content.decode() == (
        "WEBVTT\n\n00:00:00.000 --> 00:00:00.250\nbefore &lt;i&gt;\n\n00:00:00.500 --> 00:00:01.500\ninside &amp; out\n"
    )
    assert response["Content-Type"] == "text/vtt; charset=utf-8"
    assert response["Cache-Control"] == "private, no-cache"


def test_nobody_else_gets_them_and_a_replaced_clip_keeps_its_own(clip: Clip) -> None:
    assert [get(name, clip).status_code for name in ("ada", "bo", "mal", "")] == [200, 200, 404, 404]
    former = FormerClip.objects.create(
        moment=clip.moment, public_name="former", video_file="clips/f.mp4", made_at=clip.made_at
    )
    assert get("bo", former).content == get("bo", clip).content
    Membership.objects.filter(account__username="bo").update(status="barred")
    assert get("bo", clip).status_code == 404


def test_where_the_guideline_asks_for_none_there_are_none(clip: Clip) -> None:
    Collection.objects.update(evidence=["picture", "sound"])
    assert [get(name, clip).status_code for name in ("ada", "bo")] == [404, 404]


def test_all_read_the_same_language_the_collections_before_others(clip: Clip) -> None:
    for tag in ("de", "", "pt-BR"):
        Subtitles.objects.create(video=clip.moment.video, language=tag, source="x", cues=[[1, 2, f"in {tag}"]])
    said = {}
    for language in ("en-GB", "pt", "fr"):
        Collection.objects.update(language=language)
        said[language] = get("bo", clip).content.decode().splitlines()[-1]
    assert said == {"en-GB": "inside &amp; out", "pt": "in pt-BR", "fr": "in"}
    Subtitles.objects.all().delete()
    assert get("bo", clip).content == b"WEBVTT\n"
