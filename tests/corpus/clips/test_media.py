"""Clips over HTTP: byte ranges, caching, and nobody but members."""

import re
from pathlib import Path
from typing import Any

import pytest
from django.core.files.base import ContentFile
from django.core.files.storage import default_storage
from django.test import Client

from corpus.models import Clip, ContextClip, FormerClip, Moment, Video
from foundation.access.api_tokens import make_token
from foundation.collections.members import add_member, get_or_create_collection
from foundation.models import Account, ApiToken, Collection, Membership

CONTENT = bytes(range(256)) * 1000
SIZE = len(CONTENT)
"""More than one block."""


@pytest.fixture
def clip(collection: Collection, media: Path) -> Clip:
    moment = Moment.objects.create(video=Video.objects.create(collection=collection, name="film"), start=1, end=2)
    video = default_storage.save("clips/a.mp4", ContentFile(CONTENT))
    poster = default_storage.save("clips/a.jpg", ContentFile(b"a poster"))
    return Clip.objects.create(moment=moment, video_file=video, poster_file=poster, duration=1.0)


@pytest.fixture
def bo(clip: Clip, client: Client) -> Client:
    client.force_login(Account.objects.get(username="bo"))
    return client


def address(clip: Clip, suffix: str = "mp4") -> str:
    return f"/clips/{clip.public_name}.{suffix}"


def body(response: Any) -> bytes:
    return b"".join(response.streaming_content) if response.streaming else response.content


WHOLE = {
    "no range": "",
    "another unit": "frames=0-5",
    "no digits": "bytes=-",
    "letters": "bytes=a-b",
    "the end before the start": "bytes=9-3",
    "a negative start": "bytes=--5",
    "several ranges": "bytes=0-1,5-6",
    "a number of 5,000 digits": f"bytes={'9' * 5000}-",
    "a suffix of 5,000 digits": f"bytes=-{'9' * 5000}",
    "digits of another script": "bytes=\u00b2-\u00b3",
}


@pytest.mark.parametrize("header", WHOLE.values(), ids=WHOLE)
def test_the_whole_clip_is_sent(bo: Client, clip: Clip, header: str) -> None:
    response = bo.get(address(clip), **({"HTTP_RANGE": header} if header else {}))
    assert (response.status_code, body(response)) == (200, CONTENT)
    assert response["Content-Length"] == str(SIZE)
    assert "Content-Range" not in response


PARTS = {
    "the first bytes": ("bytes=0-1", 0, 1),
    "one byte": ("bytes=7-7", 7, 7),
    "the middle, across blocks": ("bytes=1000-200000", 1000, 200_000),
    "an open end": ("bytes=255990-", 255_990, SIZE - 1),
    "an end beyond the file": ("bytes=255990-999999999", 255_990, SIZE - 1),
    "a suffix": ("bytes=-10", SIZE - 10, SIZE - 1),
    "a suffix longer than the file": ("bytes=-999999999", 0, SIZE - 1),
    "everything": ("bytes=0-", 0, SIZE - 1),
}


@pytest.mark.parametrize(("header", "first", "last"), PARTS.values(), ids=PARTS)
def test_a_part_is_sent(bo: Client, clip: Clip, header: str, first: int, last: int) -> None:
    response = bo.get(address(clip), headers={"Range": header})
    assert (response.status_code, body(response)) == (206, CONTENT[first : last + 1])
    assert response["Content-Range"] == f"bytes {first}-{last}/{SIZE}"
    assert response["Content-Length"] == str(last - first + 1)


@pytest.mark.parametrize("header", [f"bytes={SIZE}-", "bytes=999999999-", "bytes=-0"])
def test_a_part_beyond_the_end_is_refused(bo: Client, clip: Clip, header: str) -> None:
    response = bo.get(address(clip), headers={"Range": header})
    assert (response.status_code, response.content) == (416, b"")
    assert response["Content-Range"] == f"bytes */{SIZE}"


def test_a_clip_is_cached_for_ever_and_by_its_viewer_alone(bo: Client, clip: Clip) -> None:
    for suffix, kind in (("mp4", "video/mp4"), ("jpg", "image/jpeg")):
        response = bo.get(address(clip, suffix))
        assert response["Content-Type"] == kind
        assert response["Cache-Control"] == "private, max-age=31536000, immutable"
        assert response["Accept-Ranges"] == "bytes"
        assert response["ETag"] == f'"{clip.public_name}.{suffix}"'
        assert response["X-Content-Type-Options"] == "nosniff"


@pytest.mark.parametrize("form", ["{}", "W/{}", '"other", {}', "*"], ids=["alone", "weak", "in a list", "any"])
def test_a_known_clip_is_not_sent_again(bo: Client, clip: Clip, form: str) -> None:
    tag = bo.get(address(clip))["ETag"]
    response = bo.get(address(clip), headers={"If-None-Match": form.format(tag), "Range": "bytes=0-1"})
    assert (response.status_code, body(response)) == (304, b"")
    assert response["ETag"] == tag


def test_another_clip_s_tag_does_not_count(bo: Client, clip: Clip) -> None:
    assert body(bo.get(address(clip), headers={"If-None-Match": '"other"'})) == CONTENT


def test_a_part_of_what_the_viewer_has_is_sent_and_else_the_whole(bo: Client, clip: Clip) -> None:
    tag = bo.get(address(clip))["ETag"]
    same = bo.get(address(clip), headers={"Range": "bytes=0-1", "If-Range": tag})
    assert (same.status_code, body(same)) == (206, CONTENT[:2])
    for stale in ('"other"', "Sat, 01 Jan 2022 00:00:00 GMT", f"W/{tag}"):
        response = bo.get(address(clip), headers={"Range": "bytes=0-1", "If-Range": stale})
        assert (response.status_code, body(response)) == (200, CONTENT)


def test_head_tells_the_whole_size_and_sends_nothing(bo: Client, clip: Clip) -> None:
    # A range has a meaning for GET only (RFC 9110, 14.2).
    for headers in ({}, {"Range": "bytes=0-1"}):
        response = bo.head(address(clip), headers=headers)
        assert (response.status_code, body(response)) == (200, b"")
        assert response["Content-Length"] == str(SIZE)


@pytest.mark.parametrize("who", ["mal", None], ids=["a stranger", "the logged-out"])
def test_others_get_the_same_404_as_for_a_clip_that_is_not_there(client: Client, clip: Clip, who: str | None) -> None:
    if who:
        client.force_login(Account.objects.get(username=who))
    tag = f'"{clip.public_name}.mp4"'
    pages = [
        client.get(address(clip)),
        client.get(address(clip, "jpg")),
        client.head(address(clip)),
        client.get(address(clip), headers={"Range": "bytes=0-1"}),
        client.get(address(clip), headers={"If-None-Match": tag}),
        client.get("/clips/nobody-knows-this.mp4"),
    ]
    assert [page.status_code for page in pages] == [404] * 6
    # The token in the form for logging out is another every time.
    token = rb'name="csrfmiddlewaretoken" value="\w+"'
    assert re.sub(token, b"", pages[0].content) == re.sub(token, b"", pages[-1].content)


def test_who_was_barred_or_removed_sees_no_more_clips(bo: Client, clip: Clip) -> None:
    assert bo.get(address(clip)).status_code == 200
    Membership.objects.filter(account__username="bo").update(status="barred")
    assert [bo.get(address(clip, suffix)).status_code for suffix in ("mp4", "jpg")] == [404, 404]


@pytest.mark.parametrize(
    "path",
    [
        "/clips/nobody-knows-this.mp4",
        "/clips/../secret_key.mp4",
        "/clips/..%2f..%2fsecret_key.mp4",
        "/clips/%2e%2e/secret_key",
        "/clips/a%00.mp4",
        "/clips/{}.mp4/",
        "/clips/{}.webm",
        "/clips/{}.mp4%0a",
        "/clips/{}",
        "/clips/",
        "/clips/" + "a" * 33 + ".mp4",
        "/media/clips/a.mp4",
    ],
)
def test_nothing_else_is_served(bo: Client, clip: Clip, path: str) -> None:
    assert bo.get(path.format(clip.public_name)).status_code == 404


def test_a_clip_that_failed_or_lost_its_file_is_a_404(bo: Client, clip: Clip) -> None:
    default_storage.delete(clip.video_file)
    assert bo.get(address(clip)).status_code == 404
    assert bo.get(address(clip, "jpg")).status_code == 200
    Clip.objects.update(video_file="", poster_file="", problem="broken")
    assert bo.get(address(clip, "jpg")).status_code == 404


@pytest.mark.parametrize("method", ["post", "put", "delete", "patch"])
def test_a_clip_can_only_be_read(bo: Client, clip: Clip, method: str) -> None:
    assert getattr(bo, method)(address(clip)).status_code == 405


@pytest.fixture
def ada(clip: Clip, client: Client) -> Client:
    client.force_login(Account.objects.get(username="ada"))
    return client


def test_a_gif_is_the_lead_s_to_download(clip: Clip, bo: Client) -> None:
    Clip.objects.update(gif_file=default_storage.save("clips/a.gif", ContentFile(b"GIF89a")))
    assert bo.get(address(clip, "gif")).status_code == 404
    lead = Client()
    lead.force_login(Account.objects.get(username="ada"))
    response = lead.get(address(clip, "gif"))
    assert (response.status_code, response["Content-Type"], body(response)) == (200, "image/gif", b"GIF89a")
    assert response["Content-Disposition"] == f'attachment; filename="{clip.public_name}.gif"'


@pytest.mark.parametrize(("who", "status"), [("ada", 200), ("bo", 404), ("mal", 404), (None, 404)])
def test_context_is_for_leads_alone(clip: Clip, client: Client, who: str | None, status: int) -> None:
    file = default_storage.save("clips/c.mp4", ContentFile(CONTENT))
    context = ContextClip.objects.create(moment=clip.moment, seconds=5, video_file=file)
    if who:
        client.force_login(Account.objects.get(username=who))
    assert client.get(f"/clips/context/{context.public_name}.mp4").status_code == status
    # Nor is it found among the clips, or a clip among the contexts.
    assert client.get(f"/clips/{context.public_name}.mp4").status_code == 404
    assert client.get(f"/clips/context/{clip.public_name}.mp4").status_code == 404


def test_a_lead_of_another_collection_sees_neither_gif_nor_context(clip: Clip, client: Client) -> None:
    other = get_or_create_collection(name="other", title="Other")
    mal = Account.objects.get(username="mal")
    add_member(collection=other, account=mal, role="lead")
    # An annotator here who leads elsewhere is an annotator here.
    add_member(collection=clip.moment.video.collection, account=mal, role="annotator")
    context = ContextClip.objects.create(
        moment=clip.moment, seconds=5, video_file=default_storage.save("clips/c.mp4", ContentFile(CONTENT))
    )
    Clip.objects.update(gif_file=default_storage.save("clips/a.gif", ContentFile(b"GIF89a")))
    client.force_login(mal)
    assert client.get(address(clip)).status_code == 200
    assert client.get(address(clip, "gif")).status_code == 404
    assert client.get(f"/clips/context/{context.public_name}.mp4").status_code == 404


def test_a_former_clip_stays_under_its_address(clip: Clip, bo: Client) -> None:
    old = address(clip)
    FormerClip.objects.create(
        moment=clip.moment, public_name=clip.public_name, video_file=clip.video_file, made_at=clip.made_at
    )
    Clip.objects.update(public_name="another", video_file=default_storage.save("clips/b.mp4", ContentFile(b"new")))
    assert body(bo.get(old)) == CONTENT
    assert body(bo.get("/clips/another.mp4")) == b"new"
    assert bo.get(old.replace("mp4", "jpg")).status_code == 404


def test_the_headers_of_a_clip_tell_nothing_of_its_video(clip: Clip, bo: Client) -> None:
    Video.objects.update(name="secret_video_name", path="/films/secret_video_name.mp4")
    response = bo.get(address(clip))
    assert set(response.headers) <= {
        "Accept-Ranges",
        "Cache-Control",
        "Content-Length",
        "Content-Security-Policy",
        "Content-Type",
        "Cross-Origin-Opener-Policy",
        "ETag",
        "Permissions-Policy",
        "Referrer-Policy",
        "Vary",
        "X-Content-Type-Options",
        "X-Frame-Options",
        "X-Request-ID",
    }, "no Last-Modified, no file name"
    assert response["ETag"] == f'"{clip.public_name}.mp4"'
    assert "secret" not in str(response.headers)


@pytest.fixture
def nginx(settings: Any) -> None:
    settings.CLIP_NGINX_PREFIX = "/qreels-media/"


@pytest.mark.parametrize("method", ["get", "head"])
def test_nginx_is_told_the_file_and_the_browser_is_not(nginx: None, clip: Clip, bo: Client, method: str) -> None:
    response = getattr(bo, method)(address(clip), headers={"Range": "bytes=0-1"})
    assert (response.status_code, response.content) == (200, b"")
    assert response["X-Accel-Redirect"] == f"/qreels-media/{clip.video_file}"
    assert response["Content-Type"] == "video/mp4"
    assert response["Cache-Control"] == "private, max-age=31536000, immutable"
    assert response["ETag"] == f'"{clip.public_name}.mp4"'


def test_what_nginx_is_told_is_escaped(nginx: None, clip: Clip, bo: Client) -> None:
    Clip.objects.update(video_file="clips/a b?c%2e.mp4")
    assert bo.get(address(clip))["X-Accel-Redirect"] == "/qreels-media/clips/a%20b%3Fc%252e.mp4"


def test_before_nginx_is_asked_the_browser_may_have_it(nginx: None, clip: Clip, bo: Client) -> None:
    response = bo.get(address(clip), headers={"If-None-Match": f'"{clip.public_name}.mp4"'})
    assert response.status_code == 304
    assert "X-Accel-Redirect" not in response


@pytest.mark.parametrize("who", ["mal", None])
def test_nginx_is_not_asked_for_strangers(nginx: None, clip: Clip, client: Client, who: str | None) -> None:
    if who:
        client.force_login(Account.objects.get(username=who))
    response = client.get(address(clip))
    assert response.status_code == 404
    assert "X-Accel-Redirect" not in response


def test_a_token_to_judge_or_to_read_gets_what_its_account_gets(clip: Clip, collection: Collection) -> None:
    bo = Account.objects.get(username="bo")

    def status(**options: Any) -> int:
        token = make_token(account=bo, name="a test", **options).token
        return Client(headers={"Authorization": f"Bearer {token}"}).get(address(clip)).status_code

    assert [status(scopes=[scope]) for scope in ApiToken.Scope.values] == [200, 200, 404, 404, 404, 404]
    assert status(scopes=["judge"], collection=collection.name) == 200
    elsewhere = Collection.objects.create(name="elsewhere", title="Elsewhere")
    add_member(collection=elsewhere, account=bo, role="annotator")
    assert status(scopes=["judge"], collection="elsewhere") == 404
    assert Client(headers={"Authorization": "Bearer nonsense"}).get(address(clip)).status_code == 404
    Membership.objects.filter(account=bo).update(status="barred")
    assert status(scopes=["judge"]) == 404
