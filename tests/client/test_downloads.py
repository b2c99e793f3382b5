"""Files fetched from a server that breaks off, gives no ranges, or has another file than it says."""

import hashlib
from pathlib import Path

import pytest
from qreels_client import Damaged, NotFound, NotReached, Qreels

from tests.client.conftest import AT_ONCE
from tests.client.faulty_server import Asked, FaultyServer, Reply

CONTENT = bytes(range(256)) * 40
SHA256 = hashlib.sha256(CONTENT).hexdigest()
FILES = "/api/v1/collections/a/releases/7/file?path="


class Site:
    """A release of some files. `cuts`: after how many bytes the next answers with a file break off."""

    def __init__(self, server: FaultyServer, files: dict[str, bytes]) -> None:
        self.server, self.files, self.told = server, files, dict(files)
        self.cuts: list[int] = []
        self.ranges = True
        server.script = self.answer

    def answer(self, asked: Asked) -> Reply:
        if asked.path.startswith("/api/v1/collections/a/releases?"):
            return Reply(200, {"items": [{"name": "1.0.0", "release": 7}], "next": None})
        if asked.path == "/api/v1/collections/a/releases/7":
            listed = [
                {"path": path, "size": len(content), "sha256": hashlib.sha256(content).hexdigest()}
                for path, content in self.told.items()
            ]
            return Reply(200, {"release": 7, "files": listed})
        content = self.files[asked.path.removeprefix(FILES).replace("%2F", "/")]
        tag = f'"{hashlib.sha256(content).hexdigest()}"'
        headers = {"ETag": tag, "Content-Type": "application/octet-stream"}
        cut = self.cuts.pop(0) if self.cuts else None
        wanted = asked.headers.get("Range")
        if wanted and self.ranges and asked.headers.get("If-Range") == tag:
            first = int(wanted.removeprefix("bytes=").rstrip("-"))
            if first >= len(content):
                return Reply(416, b"", headers)
            return Reply(206, content[first:], headers, cut)
        return Reply(200, content, headers, cut)

    def fetched(self) -> list[str | None]:
        """The ranges that were asked for, of files alone."""
        return [request.headers.get("Range") for request in self.server.asked if "/file" in request.path]


@pytest.fixture
def site(faulty: FaultyServer) -> Site:
    return Site(faulty, {"val.json": CONTENT})


def test_what_broke_off_goes_on_where_it_stopped(client: Qreels, site: Site, tmp_path: Path) -> None:
    # More often than a request is tried: each time something arrived.
    site.cuts = [1000] * (AT_ONCE.tries + 2)
    client.collection("a").download_release("1.0.0", tmp_path)
    assert (tmp_path / "val.json").read_bytes() == CONTENT
    assert site.fetched() == [None, *(f"bytes={1000 * part}-" for part in range(1, AT_ONCE.tries + 3))]
    assert [path.name for path in tmp_path.iterdir()] == ["val.json"]


def test_another_call_goes_on_too_and_whole_files_stay(client: Qreels, site: Site, tmp_path: Path) -> None:
    site.files = site.told = {"val.json": CONTENT, "raw/grades.csv": b"a,b\n"}
    site.cuts = [4000, *[0] * AT_ONCE.tries]
    with pytest.raises(NotReached, match="What arrived is kept"):
        client.collection("a").download_release("1.0.0", tmp_path)
    assert (tmp_path / "val.json.part").stat().st_size == 4000 and not (tmp_path / "val.json").exists()
    site.server.asked.clear()
    site.cuts = []
    client.collection("a").download_release("1.0.0", tmp_path)
    assert site.fetched() == ["bytes=4000-", None]
    assert (tmp_path / "raw" / "grades.csv").read_text() == "a,b\n"
    site.server.asked.clear()
    (tmp_path / "raw" / "grades.csv").write_text("c,d\n")
    client.collection("a").download_release("1.0.0", tmp_path)
    assert site.fetched() == [None] and (tmp_path / "raw" / "grades.csv").read_text() == "a,b\n"


@pytest.mark.parametrize("part", [b"something else entirely", CONTENT + b"more", CONTENT[:-1] + b"!"])
def test_a_part_of_something_else_does_no_harm(client: Qreels, site: Site, tmp_path: Path, part: bytes) -> None:
    (tmp_path / "val.json.part").write_bytes(part)
    client.collection("a").download_release("1.0.0", tmp_path)
    assert (tmp_path / "val.json").read_bytes() == CONTENT


def test_a_site_without_ranges_sends_it_whole_again(client: Qreels, site: Site, tmp_path: Path) -> None:
    site.ranges, site.cuts = False, [9000, 300]
    client.collection("a").download_release("1.0.0", tmp_path)
    assert (tmp_path / "val.json").read_bytes() == CONTENT


def test_what_isnt_what_the_site_says_isnt_kept(client: Qreels, site: Site, tmp_path: Path) -> None:
    (tmp_path / "val.json").write_text("of before")
    site.files = {"val.json": CONTENT[::-1]}
    with pytest.raises(Damaged, match=f"expected {SHA256}"):
        client.collection("a").download_release("1.0.0", tmp_path)
    assert [path.name for path in tmp_path.iterdir()] == ["val.json"]
    assert (tmp_path / "val.json").read_text() == "of before"


@pytest.mark.parametrize("path", ["../val.json", "/tmp/val.json", "raw/../../val.json", ".", "raw/.."])
def test_no_file_lands_outside_the_folder(client: Qreels, site: Site, tmp_path: Path, path: str) -> None:
    site.told = {path: CONTENT}
    with pytest.raises(Damaged, match="outside"):
        client.collection("a").download_release("1.0.0", tmp_path / "here")
    assert site.fetched() == []


def test_a_release_that_isnt_there_is_named(client: Qreels, site: Site, tmp_path: Path) -> None:
    with pytest.raises(LookupError, match=r"no release '2\.0\.0' in a"):
        client.collection("a").download_release("2.0.0", tmp_path / "here")
    assert not (tmp_path / "here").exists()


def test_a_single_file_replaces_what_was_there_when_whole(
    client: Qreels, site: Site, faulty: FaultyServer, tmp_path: Path
) -> None:
    place = tmp_path / "new" / "val.json"
    site.cuts = [5000, 300, 300]
    assert client.collection("a").download_release_file(7, place, path="val.json") == place
    assert place.read_bytes() == CONTENT and site.fetched()[1] == "bytes=5000-"
    faulty.script = lambda asked: Reply(404, {"detail": "No such file."})
    with pytest.raises(NotFound, match="No such file"):
        client.collection("a").download_release_file(7, place, path="test.json")
    assert place.read_bytes() == CONTENT and len(list(place.parent.iterdir())) == 1
