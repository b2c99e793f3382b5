"""Clips in an S3 storage: a real server (moto's) on a real port, asked over HTTP."""

from pathlib import Path
from typing import Any
from urllib.parse import parse_qs, urlsplit

import pytest
import requests
from django.core.exceptions import ImproperlyConfigured
from django.core.files.storage import default_storage
from django.core.management import call_command
from django.test import Client

from config.storage import LOCAL, clip_storage
from config.variables import Clips
from corpus.clips.cut_clips import CuttingPlan, cut_clips_of_video
from corpus.clips.lost_files import let_go_of_lost, lost_in_sample
from corpus.models import Clip, ContextClip, Moment, Video
from foundation.models import Account, Collection
from tests.corpus.conftest import make_film
from tests.s3 import BUCKET


@pytest.fixture
def video(collection: Collection, s3: Any, tmp_path: Path) -> Video:
    """Three moments of which the last can't be cut."""
    film = make_film(tmp_path / "secret_video_name.mp4")
    video = Video.objects.create(collection=collection, name="secret_video_name", path=str(film))
    Moment.objects.bulk_create(Moment(video=video, start=start, end=start + 1) for start in (0.52, 2, 7))
    return video


@pytest.fixture
def clip(video: Video) -> Clip:
    cut_clips_of_video(video_id=video.pk, plan=CuttingPlan(gif=True, context=0.5))
    return Clip.objects.exclude(video_file="").earliest("pk")


def logged_in(name: str) -> Client:
    client = Client()
    client.force_login(Account.objects.get(username=name))
    return client


def test_clips_are_cut_into_the_bucket_under_names_that_tell_nothing(clip: Clip, s3: Any) -> None:
    ready = Clip.objects.exclude(video_file="")
    assert ready.count() == 2
    names = {name for row in ready for name in (row.video_file, row.poster_file, row.gif_file)}
    names |= set(ContextClip.objects.exclude(video_file="").values_list("video_file", flat=True))
    assert {entry.key for entry in s3.objects.all()} == {f"qreels/{name}" for name in names}
    for row in ready:
        assert row.video_file == f"clips/{row.public_name[:2]}/{row.public_name}.mp4"
    stored = s3.Object(f"qreels/{clip.video_file}").get()
    assert (stored["ContentType"], stored["CacheControl"]) == ("video/mp4", "private, max-age=31536000, immutable")
    assert stored["Metadata"] == {}


def test_a_member_is_sent_on_and_can_play_parts_of_the_clip(clip: Clip) -> None:
    response = logged_in("bo").get(f"/clips/{clip.public_name}.mp4")
    assert response.status_code == 302
    assert response["Cache-Control"] == "private, max-age=1800", "half as long as the address is good"
    assert parse_qs(urlsplit(response["Location"]).query)["X-Amz-Expires"] == ["3600"]
    whole = requests.get(response["Location"], timeout=10)
    assert (whole.status_code, whole.headers["Content-Type"]) == (200, "video/mp4")
    with default_storage.open(clip.video_file) as file:
        assert whole.content == file.read()
    assert whole.headers["Cache-Control"] == "private, max-age=31536000, immutable"
    part = requests.get(response["Location"], headers={"Range": "bytes=4-7"}, timeout=10)
    assert (part.status_code, part.content) == (206, b"ftyp")


def test_head_is_sent_to_an_address_that_is_signed_for_it(clip: Clip) -> None:
    addresses = {
        method: getattr(logged_in("bo"), method)(f"/clips/{clip.public_name}.mp4")["Location"]
        for method in ("get", "head")
    }
    signatures = {parse_qs(urlsplit(address).query)["X-Amz-Signature"][0] for address in addresses.values()}
    assert len(signatures) == 2
    assert requests.head(addresses["head"], timeout=10).status_code == 200


def test_where_the_browser_is_sent_tells_nothing_of_the_video(clip: Clip) -> None:
    response = logged_in("bo").get(f"/clips/{clip.public_name}.mp4")
    parts = urlsplit(response["Location"])
    assert parts.path == f"/{BUCKET}/qreels/clips/{clip.public_name[:2]}/{clip.public_name}.mp4"
    assert set(parse_qs(parts.query)) == {
        "X-Amz-Algorithm",
        "X-Amz-Credential",
        "X-Amz-Date",
        "X-Amz-Expires",
        "X-Amz-SignedHeaders",
        "X-Amz-Signature",
    }
    answer = requests.get(response["Location"], timeout=10)
    for text in (str(response.headers), str(answer.headers), answer.content.decode("latin-1")):
        assert "secret" not in text
        assert "0.52" not in text
    assert not [name for name in answer.headers if name.lower().startswith("x-amz-meta")]


@pytest.mark.parametrize("who", ["mal", None])
def test_strangers_are_sent_nowhere(clip: Clip, who: str | None) -> None:
    client = logged_in(who) if who else Client()
    context = ContextClip.objects.exclude(video_file="").first()
    assert context is not None
    for address in (f"{clip.public_name}.mp4", f"{clip.public_name}.gif", f"context/{context.public_name}.mp4"):
        response = client.get(f"/clips/{address}")
        assert response.status_code == 404
        assert "Location" not in response


def test_gif_and_context_send_only_the_lead_on(clip: Clip) -> None:
    context = ContextClip.objects.exclude(video_file="").first()
    assert context is not None
    for address in (f"{clip.public_name}.gif", f"context/{context.public_name}.mp4"):
        assert logged_in("bo").get(f"/clips/{address}").status_code == 404
        sent = logged_in("ada").get(f"/clips/{address}")
        assert requests.get(sent["Location"], timeout=10).status_code == 200


def test_a_bucket_that_is_gone_is_recorded_and_a_retry_goes_on(
    video: Video, s3: Any, capsys: pytest.CaptureFixture[str]
) -> None:
    s3.delete()
    call_command("cut_clips", "paper")
    printed = capsys.readouterr().out
    assert "0 clips are there, 3 failed." in printed
    assert "can't be stored: " in printed
    assert "NoSuchBucket" in Clip.objects.order_by("moment__start").first().problem
    s3.create()
    call_command("cut_clips", "paper", "--retry")
    assert "2 clips are there, 1 failed." in capsys.readouterr().out


WRONG = {
    "no bucket": ({"QREELS_S3_ENDPOINT": "http://x"}, "QREELS_S3_ENDPOINT is set and QREELS_S3_BUCKET"),
    "both ways": ({"QREELS_S3_BUCKET": "b", "QREELS_NGINX_MEDIA": "/m/"}, "can't be set beside QREELS_S3_BUCKET"),
    "no location": ({"QREELS_NGINX_MEDIA": "media"}, "expected a location such as /qreels-media/"),
    "only a slash": ({"QREELS_NGINX_MEDIA": "/"}, "expected a location such as /qreels-media/"),
    "no number": (
        {"QREELS_S3_BUCKET": "b", "QREELS_S3_URL_SECONDS": "1h"},
        "expected a whole number from 60 to 604800",
    ),
    "too short": ({"QREELS_S3_BUCKET": "b", "QREELS_S3_URL_SECONDS": "5"}, "expected a whole number from 60 to 604800"),
    "too long": (
        {"QREELS_S3_BUCKET": "b", "QREELS_S3_URL_SECONDS": "604801"},
        "expected a whole number from 60 to 604800",
    ),
}


@pytest.mark.parametrize(("environment", "said"), WRONG.values(), ids=WRONG)
def test_a_storage_that_is_half_set_up_is_refused(environment: dict[str, str], said: str) -> None:
    with pytest.raises(ImproperlyConfigured, match=said):
        Clips.read(environment)


def test_without_any_setting_clips_are_local() -> None:
    assert clip_storage(Clips.read({"QREELS_S3_BUCKET": "", "QREELS_NGINX_MEDIA": ""})) == LOCAL
    assert clip_storage(Clips.read({"QREELS_NGINX_MEDIA": "/media-files/"})) == LOCAL


def test_a_clip_whose_file_is_gone_from_the_bucket_is_noticed(clip: Clip, video: Video, s3: Any) -> None:
    assert let_go_of_lost(video.collection) == 0
    s3.Object(f"qreels/{clip.video_file}").delete()
    assert lost_in_sample(video.collection).gone == 1
    assert let_go_of_lost(video.collection) == 1
    cut_clips_of_video(video_id=video.pk)
    assert let_go_of_lost(video.collection) == 0
    clip.refresh_from_db()
    assert clip.ready
