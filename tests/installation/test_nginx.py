"""Debian's nginx before the web server in production, with the files that script/install writes."""

import json
import re
import socket
from collections.abc import Iterator
from contextlib import ExitStack
from pathlib import Path
from urllib.parse import urlencode

import pytest
from django.conf import settings
from django.core.files.base import ContentFile
from django.core.files.storage import default_storage
from django.urls import URLPattern, URLResolver, get_resolver, reverse

from config.web.limits import LONGEST_BODY
from corpus.models import Clip, Moment, Video
from tests.addresses import patterns
from tests.conftest import World, build_world
from tests.e2e.conftest import WebServer, session_of
from tests.installation import nginx as nginxes
from tests.installation.nginx import FILES, Nginx
from tests.paths import ROOT

pytestmark = pytest.mark.long

needs_nginx = pytest.mark.skipif(nginxes.PROGRAM is None, reason="nginx isn't installed: apt-get install nginx-light")

CONTENT = bytes(range(256)) * 80_000
"""20 MB: what a slow reader leaves doesn't fit between nginx and its connection."""


@pytest.fixture(scope="module")
def proxied(
    django_db_setup: None, collected_static_files: None, tmp_path_factory: pytest.TempPathFactory
) -> Iterator[Nginx]:
    folder = tmp_path_factory.mktemp("nginx")
    server = WebServer(
        QREELS_ENV="production",
        QREELS_SECRET_KEY=settings.SECRET_KEY,
        QREELS_ALLOWED_HOSTS="localhost",
        QREELS_ADDRESS_HEADER="X-Real-IP",
        QREELS_NGINX_MEDIA="/qreels-media/",
    )
    try:
        server.start()
        with nginxes.running(folder, upstream=server.port, media=Path(settings.MEDIA_ROOT)) as nginx:
            yield nginx
    finally:
        server.stop()


@pytest.fixture
def site(proxied: Nginx, transactional_db: None) -> Nginx:
    return proxied


@pytest.fixture
def world(site: Nginx) -> World:
    return build_world()


@pytest.fixture
def clip(world: World) -> Clip:
    moment = Moment.objects.create(video=Video.objects.get(), start=900, end=901)
    video = default_storage.save("clips/behind-nginx.mp4", ContentFile(CONTENT))
    poster = default_storage.save("clips/behind-nginx.jpg", ContentFile(b"a poster"))
    return Clip.objects.create(moment=moment, video_file=video, poster_file=poster, duration=1.0)


def cookies_of(username: str) -> str:
    return f"__Host-sessionid={session_of(username)}"  # its name in production


@needs_nginx
def test_plain_http_is_sent_to_https_which_says_what_it_must_and_no_more(site: Nginx, world: World) -> None:
    plain = site.ask_plainly("/c/paper/?page=2")
    assert (plain.status, plain["Location"]) == (301, f"https://localhost:{site.port}/c/paper/?page=2")

    page = site.ask("/login/", X_Request_ID="chosen-by-a-client")
    assert page.status == 200 and b"password" in page.body
    assert page["Strict-Transport-Security"] == "max-age=3600"
    assert "script-src 'self'" in page["Content-Security-Policy"]
    assert (page["X-Frame-Options"], page["X-Content-Type-Options"]) == ("DENY", "nosniff")
    assert page["Server"] == "nginx", "no version"
    assert "Secure" in page["Set-Cookie"]

    # The id is nginx's, and the same in its log. What opens doors isn't there.
    number = page["X-Request-ID"]
    assert re.fullmatch("[0-9a-f]{32}", number)
    site.ask("/welcome/s3cret-of-the-owner/?a=b", Referer="https://localhost/join/s3cret-of-a-class/")
    site.ask("/api/x?token=s3cret-in-a-query")
    back = "/login/oidc/callback/?state=s3cret&code=s3cret"
    site.ask(back)
    # The page of a login that failed asks for its style.
    site.ask("/static/x.css", Referer=f"https://localhost{back}")
    assert any(number in line and "GET /login/" in line for line in site.log.splitlines())
    assert "s3cret" not in site.log and "/welcome/[hidden]" in site.log and "/join/[hidden]" in site.log


@needs_nginx
def test_what_certbot_puts_into_its_folder_is_had_by_plain_http(site: Nginx) -> None:
    # As an ACME server asks for it (RFC 8555, 8.3): on port 80, before there is a certificate it trusts.
    challenge = "/.well-known/acme-challenge/evaGxfADs6pSRb2LAv9IZf17Dt3juxGJ-PCt92wr-oA"
    file = site.folder / "html" / challenge.lstrip("/")
    file.parent.mkdir(parents=True, exist_ok=True)
    file.write_text("the key's thumbprint")
    shown = site.ask_plainly(challenge)
    assert (shown.status, shown.body, shown["Location"]) == (200, b"the key's thumbprint", "")
    assert site.ask_plainly("/.well-known/acme-challenge/another").status == 404
    assert site.ask_plainly("/.well-known/security.txt").status == 301


@needs_nginx
def test_nothing_is_upgraded_to_a_web_socket(site: Nginx) -> None:
    answer = site.ask("/login/", Connection="Upgrade", Upgrade="websocket", Sec_WebSocket_Version="13")
    assert (answer.status, answer["Upgrade"]) == (200, "")


@needs_nginx
def test_clips_are_sent_by_nginx_in_parts_and_tell_nothing_of_their_file(site: Nginx, clip: Clip) -> None:
    address, bo = f"/clips/{clip.public_name}.mp4", cookies_of("bo")
    whole = site.ask(address, cookies=bo)
    assert (whole.status, whole.body) == (200, CONTENT)
    assert whole["ETag"] == f'"{clip.public_name}.mp4"'
    assert (whole["Content-Type"], whole["Accept-Ranges"]) == ("video/mp4", "bytes")
    assert whole["Cache-Control"] == "private, max-age=31536000, immutable"
    assert whole["Last-Modified"] == "" and "behind-nginx" not in str(whole.headers)
    for header in (
        *("Strict-Transport-Security", "Content-Security-Policy", "Permissions-Policy", "X-Content-Type-Options"),
        *("X-Frame-Options", "Referrer-Policy", "Cross-Origin-Opener-Policy", "X-Request-ID"),
    ):
        assert whole[header], f"{header} is missing"
    unknown = site.ask("/clips/unknown.mp4", cookies=bo)
    assert whole["Content-Security-Policy"] == unknown["Content-Security-Policy"]

    for header, first, last in (
        ("bytes=0-1", 0, 1),
        ("bytes=100000-3000000", 100_000, 3_000_000),
        ("bytes=20479990-", 20_479_990, len(CONTENT) - 1),
        ("bytes=-10", len(CONTENT) - 10, len(CONTENT) - 1),
    ):
        part = site.ask(address, cookies=bo, Range=header)
        assert (part.status, part.body) == (206, CONTENT[first : last + 1])
        assert part["Content-Range"] == f"bytes {first}-{last}/{len(CONTENT)}"
        assert part["ETag"] == whole["ETag"] and part["Last-Modified"] == ""
    beyond = site.ask(address, cookies=bo, Range="bytes=99999999-")
    assert beyond.status == 416 and beyond["Last-Modified"] == ""
    # A browser that knows a part asks for the rest of the same file, and gets either that or all of it.
    rest = site.ask(address, cookies=bo, Range="bytes=5-", If_Range=whole["ETag"])
    assert rest.body in (CONTENT[5:], CONTENT)
    other = site.ask(address, cookies=bo, Range="bytes=5-", If_Range='"another"')
    assert (other.status, other.body) == (200, CONTENT)
    known = site.ask(address, cookies=bo, If_None_Match=whole["ETag"])
    assert (known.status, known.body) == (304, b"")
    assert site.ask(address, "HEAD", cookies=bo)["Content-Length"] == str(len(CONTENT))

    for path in (f"/qreels-media/{clip.video_file}", "/qreels-media/", "/qreels-media/../qreels.log"):
        assert site.ask(path, cookies=bo).status == 404
    assert site.ask(address).status == 404, "nobody but members"


@needs_nginx
def test_a_large_upload_goes_on_where_it_was_broken_off_and_strangers_send_none(site: Nginx, world: World) -> None:
    ada, content = cookies_of("ada"), CONTENT[: 5 << 20]
    csrf = site.ask("/c/paper/videos/add/", cookies=ada)
    token = re.search(r"csrftoken=(\w+)", csrf["Set-Cookie"])
    assert token is not None
    ada += f"; csrftoken={token[1]}"
    sent = {"X_CSRFToken": token[1], "Origin": f"https://localhost:{site.port}"}
    file = {"name": "film.mp4", "size": len(content), "mark": "1"}
    announced = site.ask(
        "/c/paper/videos/uploads/",
        "POST",
        body=json.dumps({"files": [file]}).encode(),
        cookies=ada,
        Content_Type="application/json",
        **sent,
    )
    address = json.loads(announced.body)["files"][0]["address"]
    piece = {"Content_Type": "application/offset+octet-stream", **sent}
    first = site.ask(address, "PATCH", body=content[: 3 << 20], cookies=ada, Upload_Offset="0", **piece)
    assert (first.status, first["Upload-Offset"]) == (204, str(3 << 20)), first.body

    # The second piece stops half-way: its connection is cut.
    line = site.connect()
    line.putrequest("PATCH", address)
    for name, value in {**piece, "Upload_Offset": str(3 << 20), "Cookie": ada}.items():
        line.putheader(name.replace("_", "-"), value)
    line.putheader("Content-Length", str(2 << 20))
    line.endheaders(content[3 << 20 : 4 << 20])
    line.close()
    there = site.ask(address, "HEAD", cookies=ada)
    offset = int(there["Upload-Offset"])
    assert 3 << 20 <= offset <= 4 << 20
    last = site.ask(address, "PATCH", body=content[offset:], cookies=ada, Upload_Offset=str(offset), **piece)
    # The whole file is told; that it is no video is told, too.
    assert last["Upload-Offset"] == str(len(content)) or last.status == 400, last.body

    too_long = site.ask(address, "PATCH", body=bytes((8 << 20) + 1), cookies=ada, Upload_Offset="0", **piece)
    assert too_long.status == 413 and too_long["Server"] == "nginx"
    form = urlencode({"x": "y" * (LONGEST_BODY + 1)}).encode()
    assert site.ask("/login/", "POST", body=form, **sent).status == 413

    # Refused by Qreels, which has seen only the head of 3 MB.
    stranger = site.ask("/c/paper/imports/look", "POST", body=content[: 3 << 20], **sent)
    assert (stranger.status, b"Log in first" in stranger.body) == (401, True)


@needs_nginx
def test_wrong_passwords_are_counted_by_the_real_address_whatever_a_client_says(site: Nginx, world: World) -> None:
    page = site.ask("/login/")
    token = re.search(r"csrftoken=(\w+)", page["Set-Cookie"])
    assert token is not None
    form = urlencode({"username": "bo", "password": "not-the-moon", "csrfmiddlewaretoken": token[1]}).encode()

    def wrong(source: str, says: str) -> int:
        return site.ask(
            "/login/",
            "POST",
            body=form,
            cookies=f"csrftoken={token[1]}",
            source=source,
            Content_Type="application/x-www-form-urlencoded",
            Origin=f"https://localhost:{site.port}",
            X_Real_IP=says,
            X_Forwarded_For=says,
            X__Real__IP=says,
            X__Forwarded__For=says,
        ).status

    said = [wrong("127.0.0.1", f"10.0.0.{number}") for number in range(11)]
    assert said == [200] * 10 + [429]
    assert wrong("127.0.0.2", "127.0.0.1") == 200


@needs_nginx
def test_slow_senders_and_slow_readers_hold_up_nobody(site: Nginx, clip: Clip) -> None:
    address, bo = f"/clips/{clip.public_name}.mp4", cookies_of("bo")
    with ExitStack() as open_lines:
        for number in range(40):
            line = site.connect("127.0.0.3")
            open_lines.callback(line.close)
            if number % 2:
                line.connect()
                assert isinstance(line.sock, socket.socket)
                line.sock.sendall(b"POST /login/ HTTP/1.1\r\nHost: localhost\r\nContent-Length: 900\r\n\r\nusername=")
            else:
                line.request("GET", address, headers={"Cookie": bo})  # and nothing is read
        assert site.ask("/login/", source="127.0.0.4").status == 200
        part = site.ask(address, cookies=bo, source="127.0.0.4", Range="bytes=0-9")
        assert part.body == CONTENT[:10]
        # One address has so many lines and no more.
        refused = 0
        for _ in range(12):
            line = site.connect("127.0.0.3")
            open_lines.callback(line.close)
            line.request("GET", address, headers={"Cookie": bo})
            refused += line.getresponse().status == 503
        assert refused > 0


def uploads(resolver: URLResolver, before: str = "") -> Iterator[tuple[str, int]]:
    """Every address that takes uploads, with numbers and names filled in, and how long they may be."""
    for pattern in resolver.url_patterns:
        route = before + str(pattern.pattern)
        if isinstance(pattern, URLResolver):
            yield from uploads(pattern, route)
        elif isinstance(pattern, URLPattern) and getattr(pattern.callback, "uploaders", ""):
            longest = pattern.callback.longest_upload or settings.LONGEST_UPLOAD
            yield "/" + re.sub(r"<(\w+):\w+>", lambda kind: "7" if kind[1] == "int" else "paper", route), longest


def test_every_address_that_takes_uploads_may_do_so_in_nginx_too() -> None:
    text = (FILES / "qreels-site.conf").read_text()
    found = re.findall(r"location ~ (\S+) \{\s+client_max_body_size (\S+)m;[^}]*proxy_request_buffering off;", text)
    places = [(re.compile(pattern), size) for pattern, size in found]
    addresses = dict(uploads(get_resolver()))
    assert len(addresses) > 4
    for address, longest in addresses.items():
        sizes = [size for pattern, size in places if pattern.search(address)]
        assert sizes, f"{address} isn't in qreels-site.conf"
        assert sizes[0] == "@UPLOAD@" if longest == settings.LONGEST_UPLOAD else int(sizes[0]) << 20 == longest


def masks() -> dict[str, list[re.Pattern[str]]]:
    """By the variable that is logged, what of nginx's configuration hides of it."""
    text = (ROOT / "installation" / "nginx" / "qreels-http.conf").read_text()
    found = {}
    for name, body in re.findall(r"^map \$(\w+) \S+ \{(.*?)^\}", text, re.M | re.S):
        patterns = re.findall(r'"~(\*?)((?:\\.|[^"\\])*)"\s+"\$\{\w+\}\??\[hidden\]"', body)
        found[name] = [re.compile(one.replace("(?<", "(?P<"), re.I if star else 0) for star, one in patterns]
    return found


def test_no_address_with_a_token_is_logged() -> None:
    """Every address of ours whose path has a token, as the addresses say; and where it comes from."""
    hidden, secret = masks(), "s3cret-of-a-link"
    paths = {
        reverse(str(one.name), kwargs={key: secret if key == "token" else 1 for key in one.pattern.converters})
        for one in patterns()
        if "token" in one.pattern.converters
    }
    assert {"/join/", "/take-part/", "/teams/join/", "/password/", "/welcome/", "/unsubscribe/"} == {
        path.partition(secret)[0] for path in paths
    }
    for path in [*paths, "/login/oidc/callback/?state=x&code=s3cret-of-a-link"]:
        for variable, said in (("request_uri", path), ("http_referer", f"https://qreels.example.org{path}")):
            shown = [found[0] for one in hidden[variable] if (found := one.match(said))]
            assert shown and secret not in shown[0], (variable, said)
    assert not any(one.match("/c/paper/judge/") for one in hidden["request_uri"])
