"""An S3 server behind faults: short ones aren't noticed, long ones end with a sentence and leave nothing half done."""

from collections.abc import Iterator
from hashlib import sha256
from pathlib import Path
from typing import Any

import pytest
from django.core.files.base import ContentFile
from django.core.files.storage import default_storage
from django.core.management import CommandError, call_command

from config.storage import clip_storage
from config.variables import Clips
from corpus.clips.cut_clips import CuttingPlan, cut_clips_of_video
from corpus.models import Clip, Moment, UnfinishedFile, Video
from datasets.models import Release
from datasets.releases.make_release import create_release
from foundation.infra.storage import StoringError, store_file
from foundation.models import Collection
from operation.backup.make_backup import backups_of
from operation.backup.stores import open_store
from operation.health.checks import storage
from tests.conftest import build_world
from tests.corpus.conftest import make_film
from tests.datasets.conftest import judged, unjudged  # noqa: F401 - a collection whose pairs are decided
from tests.faulty_s3 import FaultyS3, faulty_s3
from tests.operation.sites import made
from tests.s3 import BUCKET

pytestmark = [pytest.mark.long, pytest.mark.django_db(transaction=True)]


@pytest.fixture
def server(s3: Any, s3_server: str, settings: Any, monkeypatch: pytest.MonkeyPatch) -> Iterator[FaultyS3]:
    """The storage's server, with three tries a request where boto3 makes five, which waits longer."""
    monkeypatch.setenv("AWS_MAX_ATTEMPTS", "3")
    with faulty_s3(s3_server) as proxy:
        environment = {"QREELS_S3_BUCKET": BUCKET, "QREELS_S3_ENDPOINT": proxy.address, "QREELS_S3_PREFIX": "qreels"}
        settings.STORAGES = {**settings.STORAGES, "default": clip_storage(Clips.read(environment))}
        monkeypatch.setenv("QREELS_BACKUP_S3_ENDPOINT", proxy.address)
        yield proxy


def test_clips_are_cut_past_short_faults_and_a_long_one_is_recorded_and_tried_again(
    server: FaultyS3, tmp_path: Path
) -> None:
    film = make_film(tmp_path / "film.mp4", seconds=2)
    collection = Collection.objects.create(name="paper", title="Paper")
    video = Video.objects.create(collection=collection, name="film", path=str(film))
    Moment.objects.bulk_create(Moment(video=video, start=start, end=start + 0.5) for start in (0.0, 1.0))
    server.only = "PUT"
    server.faults.extend(["slow down", "reset"])
    cut_clips_of_video(video_id=video.pk, plan=CuttingPlan())
    assert server.happened[:2] == ["PUT slow down", "PUT reset"]
    first = Clip.objects.order_by("moment__start")[0]
    assert default_storage.size(first.video_file) > 0
    Clip.objects.all().delete()
    server.always = "reset"
    cut_clips_of_video(video_id=video.pk, plan=CuttingPlan())
    assert all("can't be stored" in clip.problem and not clip.video_file for clip in Clip.objects.all())
    server.always = None
    call_command("cut_clips", "paper", "--retry")
    assert Clip.objects.exclude(video_file="").count() == 2 and not UnfinishedFile.objects.exists()
    for clip in Clip.objects.all():
        with default_storage.open(clip.video_file) as file:
            assert b"ftyp" in file.read()[:16]


def test_a_file_is_read_whole_past_a_cut_or_not_at_all(server: FaultyS3) -> None:
    content = bytes(range(256)) * 400
    name = store_file("runs/a-run", content)
    server.only = "GET"
    server.faults.append("cut")
    with default_storage.open(name) as file:
        assert file.read() == content
    assert server.happened == ["GET cut"]
    server.only, server.always = "PUT", "slow down"
    with pytest.raises(StoringError, match="SlowDown"):
        store_file("runs/another", content)


@pytest.mark.parametrize("address", ["/c/tiny/releases/{}/archive", "/api/v1/collections/tiny/releases/{}/archive"])
def test_a_release_is_stored_and_had_whole_or_a_503_says_that_the_storage_is_away(
    server: FaultyS3, client_of: Any, request: pytest.FixtureRequest, address: str
) -> None:
    collection = request.getfixturevalue("judged").collection
    server.only, server.always = "PUT", "reset"
    with pytest.raises(StoringError):
        create_release(collection=collection, name="v1")
    assert not Release.objects.exists()
    server.always = None
    server.faults.append("slow down")
    release = create_release(collection=collection, name="v1")
    client = client_of(collection.memberships.filter(role="lead")[0].account)
    server.only = ""
    for fault in ("slow down", "reset", "cut"):
        server.faults.append(fault)
        answer = client.get(address.format(release.pk))
        whole = b"".join(answer.streaming_content)
        assert sha256(whole).hexdigest() == release.archive_sha256 and server.happened[-1] == f"HEAD {fault}"
    for server.always in ("slow down", "reset"):
        answer = client.get(address.format(release.pk))
        assert (answer.status_code, answer["Retry-After"]) == (503, "5")
        assert "The storage that has the file can" in answer.content.decode()


def test_a_backup_to_a_server_with_faults_is_whole_or_none(server: FaultyS3, tmp_path: Path, settings: Any) -> None:
    settings.VIDEO_FOLDER = tmp_path / "videos"
    build_world(clips=True)
    for clip in Clip.objects.all():
        for name in (clip.video_file, clip.poster_file):
            default_storage.save(name, ContentFile(name.encode() * 100))
    target = f"s3://{BUCKET}/backups"
    server.only = "PUT"
    server.always = "slow down"
    with pytest.raises(CommandError, match="can't be written"):
        call_command("backup", target)
    assert backups_of(open_store(target)) == []
    server.only, server.always = "", None
    server.faults.extend(["slow down", "reset"])
    made(target)  # type: ignore[arg-type]
    assert len(backups_of(open_store(target))) == 1
    server.only, server.faults = "GET", type(server.faults)(["cut"])
    call_command("restore", target, "--verify")
    assert server.happened[-1] == "GET cut"
    server.always = "cut"
    with pytest.raises(CommandError, match=r"can.t be (read|listed)"):
        call_command("restore", target, "--verify")


def test_whoever_asks_whether_the_site_is_well_doesn_t_wait_for_a_server_that_hangs(server: FaultyS3) -> None:
    assert storage().ok
    server.always = "hang"
    finding = storage()
    assert finding.state == "failed" and "timeout" in finding.found.lower()
