"""Who gets in where: every address of the lead's, every request of the judging page, every clip."""

from typing import Any

import pytest
from django.core.files.base import ContentFile
from django.core.files.storage import default_storage
from django.test import Client

from corpus.models import Account, Clip
from tests.conftest import PASSWORD, World, build_world

pytestmark = pytest.mark.django_db

LEADS = [
    ("get", "/c/paper/"),
    ("get", "/c/paper/captions/"),
    ("get", "/c/paper/captions/queue"),
    ("post", "/c/paper/captions/1/decide"),
    ("get", "/c/paper/review/"),
    ("get", "/c/paper/review/queue"),
    ("get", "/c/paper/review/1/"),
    ("post", "/c/paper/review/1/decide"),
]


@pytest.mark.parametrize(("method", "path"), LEADS)
def test_the_leads_pages_are_the_leads(world: World, mal: Account, client_of: Any, method: str, path: str) -> None:
    assert getattr(client_of(world["bo"].account), method)(path).status_code == 403
    assert getattr(client_of(mal), method)(path).status_code == 404
    away = getattr(Client(), method)(path)
    assert away.status_code == 302 and away.url.startswith("/login/")


def test_the_list_of_the_leads_addresses_is_whole() -> None:
    from django.urls import get_resolver

    routes = {str(one.pattern) for part in get_resolver().url_patterns for one in part.url_patterns}
    mine = {route for route in routes if route.startswith("c/<slug:name>/") and "judge" not in route}
    listed = {path.replace("/c/paper/", "c/<slug:name>/").replace("/1/", "/#/") for _, path in LEADS}
    assert {"/".join("#" if "<int:" in part else part for part in route.split("/")) for route in mine} == listed


def test_everybody_is_led_to_the_first_page_of_the_role(world: World, mal: Account, client_of: Any) -> None:
    assert client_of(world["ada"].account).get("/").url == "/c/paper/"
    assert client_of(world["bo"].account).get("/").url == "/c/paper/judge/"
    assert "don't belong to a collection" in client_of(mal).get("/").content.decode()


def test_a_wrong_password_says_so_and_opens_nothing(mal: Account) -> None:
    client = Client()
    page = client.post("/login/", {"username": "mal", "password": "wrong"})
    assert "don't go together" in page.content.decode()
    assert client.post("/login/", {"username": "mal", "password": PASSWORD}).status_code == 302


def test_a_form_from_elsewhere_is_refused_with_what_to_do(world: World) -> None:
    client = Client(enforce_csrf_checks=True)
    client.force_login(world["ada"].account)
    answer = client.post(f"/c/paper/review/{world.batch.pk}/decide", {"decision": "finish"})
    assert answer.status_code == 403
    assert "reload it and try again" in answer.content.decode()


class TestClips:
    CONTENT = bytes(range(256)) * 8

    @pytest.fixture
    def clip(self, db: None) -> Clip:
        build_world(clips=True)
        clip = Clip.objects.order_by("pk").first()
        assert clip is not None
        clip.video_file = default_storage.save(f"clips/{clip.public_name}.mp4", ContentFile(self.CONTENT))
        clip.save()
        return clip

    @pytest.fixture
    def bo(self, clip: Clip, client_of: Any) -> Client:
        client: Client = client_of(Account.objects.get(username="bo"))
        return client

    @pytest.mark.parametrize(
        ("wanted", "status", "part", "said"),
        [
            (None, 200, slice(0, 2048), None),
            ("bytes=0-99", 206, slice(0, 100), "bytes 0-99/2048"),
            ("bytes=100-", 206, slice(100, 2048), "bytes 100-2047/2048"),
            ("bytes=-48", 206, slice(2000, 2048), "bytes 2000-2047/2048"),
            ("bytes=-9999", 206, slice(0, 2048), "bytes 0-2047/2048"),
            ("bytes=2000-9999", 206, slice(2000, 2048), "bytes 2000-2047/2048"),
            ("bytes=5-2", 200, slice(0, 2048), None),
            ("bytes=-", 200, slice(0, 2048), None),
            ("lines=1-2", 200, slice(0, 2048), None),
            ("bytes=0-1,5-6", 200, slice(0, 2048), None),
            ("bytes=2048-", 416, slice(0, 0), "bytes */2048"),
            ("bytes=-0", 416, slice(0, 0), "bytes */2048"),
        ],
        ids=str,
    )
    def test_a_range_is_served(
        self, clip: Clip, bo: Client, wanted: str | None, status: int, part: slice, said: str | None
    ) -> None:
        headers = {} if wanted is None else {"Range": wanted}
        answer = bo.get(f"/clips/{clip.public_name}.mp4", headers=headers)
        content = answer.getvalue() if answer.streaming else answer.content  # type: ignore[attr-defined]
        assert (answer.status_code, content, answer.get("Content-Range")) == (status, self.CONTENT[part], said)
        assert answer["Accept-Ranges"] == "bytes"
        assert answer["Cache-Control"] == "private, max-age=31536000, immutable"

    def test_what_the_browser_has_is_not_sent_again(self, clip: Clip, bo: Client) -> None:
        path = f"/clips/{clip.public_name}.mp4"
        etag = bo.get(path)["ETag"]
        assert bo.get(path, headers={"If-None-Match": etag}).status_code == 304
        assert bo.get(path, headers={"Range": "bytes=0-1", "If-Range": '"other"'}).status_code == 200

    def test_head_tells_the_size(self, clip: Clip, bo: Client) -> None:
        answer = bo.head(f"/clips/{clip.public_name}.mp4")
        assert (answer.status_code, answer["Content-Length"], answer.content) == (200, "2048", b"")

    def test_strangers_the_logged_out_and_path_tricks_get_404(self, clip: Clip, bo: Client, mal: Account) -> None:
        stranger = Client()
        stranger.force_login(mal)
        path = f"/clips/{clip.public_name}.mp4"
        for client, asked in [
            (stranger, path),
            (Client(), path),
            (bo, "/clips/nobody.mp4"),
            (bo, "/clips/../secret_key"),
            (bo, "/clips/%2e%2e%2fsecret_key.mp4"),
            (bo, f"/clips/{clip.public_name}.exe"),
        ]:
            assert client.get(asked).status_code == 404
        assert bo.post(path).status_code == 405
