"""Clips cut by a job: what waits, what failed tried again, stopped and gone on with, and helped by other workers."""

from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from django.test import Client
from django.urls import reverse

from config.celery import app
from corpus.clips import cutting_jobs
from corpus.clips.cutting_jobs import help_with_cutting, run_cutting
from corpus.clips.import_videos import import_videos
from corpus.models import Clip, ClipCutting, Moment, Video, clip_ready
from foundation.infra.job_control import resume_job, stop_job
from foundation.infra.jobs import JobProgress, JobStopped
from foundation.models import Account, Collection
from tests.api.callers import read
from tests.corpus.conftest import make_film

pytestmark = pytest.mark.long


@pytest.fixture(scope="module")
def films(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Two short films."""
    folder = tmp_path_factory.mktemp("films")
    for name in ("one", "two"):
        make_film(folder / f"{name}.mp4", seconds=2)
    return folder


@pytest.fixture
def moments(collection: Collection, media: Path, films: Path) -> list[Moment]:
    """Two moments of each film, and one of a video without a file."""
    moments = []
    for name in ("one", "two", "lost"):
        video = Video.objects.create(collection=collection, name=name)
        for start in (0.0, 1.0) if name != "lost" else (0.0,):
            moments.append(Moment.objects.create(video=video, start=start, end=start + 0.4))
    import_videos(collection=collection, folder=films)
    return moments


@pytest.fixture
def ada(collection: Collection) -> Iterator[Client]:
    app.control.purge()
    client = Client()
    client.force_login(Account.objects.get(username="ada"))
    yield client
    app.control.purge()


def ask(client: Client, **fields: Any) -> ClipCutting:
    client.post(reverse("clips-cut", args=["paper"]), fields)
    return ClipCutting.objects.latest("pk")


CLIPS = "collections/paper/clips"


def cut(client: Client, **fields: Any) -> ClipCutting:
    job = ask(client, **fields)
    run_cutting(job.pk)
    job.refresh_from_db()
    return job


def ready() -> int:
    return Clip.objects.filter(clip_ready()).count()


def test_what_waits_is_cut_and_what_failed_is_said(ada: Client, moments: list[Moment]) -> None:
    assert (read(ada, CLIPS)["waiting"], read(ada, CLIPS)["without_file"]) == (5, 1)
    assert "Cut 5 clips" in ada.get(reverse("clips", args=["paper"])).content.decode()
    job = cut(ada)
    assert (job.state, job.done, job.total) == ("done", 5, 5)
    assert job.said == "4 clips are there; 1 could not be cut"
    figures = read(ada, CLIPS)
    assert (figures["ready"], figures["failed"], figures["waiting"]) == (4, 1, 0)
    assert figures["failures"][0]["problem"] == "lost has no video file"
    page = ada.get(reverse("clips", args=["paper"])).content.decode()
    assert "lost has no video file" in page
    assert "Retry the failed clip" in page


def test_what_failed_is_tried_again_once(ada: Client, moments: list[Moment], films: Path) -> None:
    cut(ada)
    before = Clip.objects.get(moment=moments[-1]).made_at
    job = cut(ada)
    assert (job.total, Clip.objects.get(moment=moments[-1]).made_at) == (0, before)
    job = cut(ada, retry="1")
    assert (job.total, job.done, job.state) == (1, 1, "done")
    assert Clip.objects.get(moment=moments[-1]).made_at > before
    # Done twice, as by a worker that was killed at the very end, it tries nothing twice.
    tried = Clip.objects.get(moment=moments[-1]).made_at
    ClipCutting.objects.filter(pk=job.pk).update(state="queued", after=0)
    run_cutting(job.pk)
    assert Clip.objects.get(moment=moments[-1]).made_at == tried


def test_a_clip_whose_file_is_gone_is_cut_again_at_its_address(ada: Client, moments: list[Moment], media: Path) -> None:
    cut(ada)
    clip = Clip.objects.get(moment=moments[0])
    (media / clip.video_file).unlink()
    assert read(ada, CLIPS)["lost"] == {"looked": 4, "gone": 1}
    assert cut(ada).total == 1
    assert (media / Clip.objects.get(public_name=clip.public_name).video_file).exists()


def test_one_job_at_a_time(ada: Client, moments: list[Moment]) -> None:
    first = ask(ada)
    assert ask(ada, retry="1") == first
    assert first.plan["retry_before"] == ""


def test_a_stop_is_heard_between_two_clips_and_it_goes_on_from_there(
    ada: Client, moments: list[Moment], settings: Any, monkeypatch: pytest.MonkeyPatch, transactional_db: None
) -> None:
    monkeypatch.setattr(cutting_jobs, "COUNTED_EVERY", 0.0)
    job = ask(ada)
    # As when the lead presses Stop once the first clip is there.
    with JobProgress(job) as progress:
        count_now = cutting_jobs._counting(job, cutting_jobs.CuttingPlan(), progress)
        stop_job(job)
        with pytest.raises(JobStopped):
            cutting_jobs.cut_clips_of_video(video_id=moments[0].video_id, after_clip=count_now)
    assert ready() == 1
    job.refresh_from_db()
    assert resume_job(job)
    run_cutting(job.pk)
    job.refresh_from_db()
    assert (job.state, ready()) == ("done", 4)


def test_a_job_goes_on_in_slices(ada: Client, moments: list[Moment], monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(cutting_jobs, "SLICE", -1)
    job = ask(ada)
    for videos in (1, 2, 3):
        run_cutting(job.pk)
        job.refresh_from_db()
        assert (job.state, Moment.objects.filter(clip__isnull=False).values("video").distinct().count()) == (
            "running",
            videos,
        )
    run_cutting(job.pk)
    job.refresh_from_db()
    assert (job.state, ready()) == ("done", 4)


def test_helpers_begin_at_the_end_and_stop_with_the_job(ada: Client, moments: list[Moment]) -> None:
    job = ask(ada)
    ClipCutting.objects.update(after=moments[0].video_id)
    help_with_cutting(cutting_id=job.pk)
    assert list(Moment.objects.filter(clip=None).values_list("video__name", flat=True)) == ["one", "one"]
    stop_job(job)
    ClipCutting.objects.update(after=0)
    help_with_cutting(cutting_id=job.pk)
    assert ready() == 2


@pytest.mark.parametrize("said", ["many", "1.234,5", "0", "-1", "601", "nan", "inf"])
def test_seconds_of_context_that_are_none_are_told(ada: Client, moments: list[Moment], said: str) -> None:
    response = ada.post(reverse("clips-cut", args=["paper"]), {"context": said, "gif": "on"})
    wrong = response.content.decode().partition('id="field-context-wrong">')[2]
    assert response.status_code == 400 and wrong.startswith(f"Found “{said}”, expected seconds above 0 and up to 600")
    assert 'name="gif" checked' in response.content.decode(), "what was chosen stays"
    assert not ClipCutting.objects.exists()


def test_options_are_those_of_the_command(ada: Client, moments: list[Moment]) -> None:
    job = cut(ada, gif="on", context="0,5")
    assert (job.plan["gif"], job.plan["context"], job.state) == (True, 0.5, "done")
    clip = Clip.objects.get(moment=moments[0])
    assert (bool(clip.gif_file), bool(moments[0].context.video_file)) == (True, True)


def test_a_collection_without_videos_has_no_clips_to_cut(ada: Client, collection: Collection) -> None:
    Collection.objects.update(has_clips=False)
    response = ada.post(reverse("clips-cut", args=["paper"]), follow=True)
    assert "has descriptions without videos, so it has no clips" in response.content.decode()
