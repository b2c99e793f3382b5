"""Long work with a real Celery worker behind a real broker: done there, done here, and done though the worker dies."""

import signal
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from django.conf import settings
from django.core.management import call_command
from django.db import connection

from config.celery import app
from corpus.clips.cut_clips import cut_video, videos_to_cut
from corpus.models import Clip, Moment, Video
from foundation.collections.command import CollectionCommand
from foundation.infra.parallel_tasks import spread, workers_answer
from foundation.models import Collection
from tests.corpus.conftest import make_film
from tests.forked import ForkedProcess
from tests.workers import kill_group, one_worker, wait_until

VIDEOS, MOMENTS = 4, 2

pytestmark = [pytest.mark.long, pytest.mark.django_db(transaction=True)]


@pytest.fixture
def films(tmp_path: Path) -> Collection:
    """Videos with two moments each, none of them cut yet."""
    made = Collection.objects.create(name="paper", title="Paper")
    path = make_film(tmp_path / "film.mp4", seconds=2)
    for number in range(VIDEOS):
        video = Video.objects.create(collection=made, name=f"film-{number}", path=str(path))
        Moment.objects.bulk_create(Moment(video=video, start=start, end=start + 0.4) for start in range(MOMENTS))
    return made


@pytest.fixture
def empty_queue() -> Iterator[None]:
    app.control.purge()
    yield
    app.control.purge()


@pytest.fixture
def worker(films: Collection, empty_queue: None, tmp_path: Path) -> Iterator[ForkedProcess]:
    with one_worker(tmp_path / "worker.log") as process:
        yield process


@pytest.fixture(scope="class")
def lasting_worker(django_db_setup: None, tmp_path_factory: pytest.TempPathFactory) -> Iterator[ForkedProcess]:
    app.control.purge()
    with one_worker(tmp_path_factory.mktemp("lasting") / "worker.log") as process:
        yield process


def assert_every_clip_is_there_once() -> None:
    clips = list(Clip.objects.all())
    assert sorted(clip.moment_id for clip in clips) == sorted(Moment.objects.values_list("pk", flat=True))
    assert len(clips) == VIDEOS * MOMENTS
    for clip in clips:
        assert clip.ready, clip.problem
        assert (Path(settings.MEDIA_ROOT) / clip.video_file).stat().st_size > 0


def refuse(*args: Any, **kwargs: Any) -> None:
    raise AssertionError("this piece was done here")


@pytest.mark.usefixtures("lasting_worker")
class TestAWorkerThatLives:
    def test_pieces_are_done_by_it(self, films: Collection, monkeypatch: pytest.MonkeyPatch) -> None:
        monkeypatch.setattr("corpus.clips.cut_clips.cut_clips_of_video", refuse)
        call_command("cut_clips", "paper")
        assert_every_clip_is_there_once()

    def test_each_piece_reports_its_result_once(self, films: Collection) -> None:
        pieces = list(videos_to_cut(films).values_list("pk", flat=True))
        results: list[int] = []
        spread(cut_video, pieces, progress=results.append)
        assert results == [MOMENTS] * VIDEOS
        spread(cut_video, pieces, progress=results.append)
        assert results == [MOMENTS] * VIDEOS + [0] * VIDEOS

    def test_what_a_piece_raises_arrives_here(self, films: Collection) -> None:
        with pytest.raises(Video.DoesNotExist):
            spread(cut_video, [10**9], progress=refuse)


def test_without_a_worker_it_is_done_here(films: Collection, empty_queue: None) -> None:
    assert not workers_answer()
    call_command("cut_clips", "paper")
    assert_every_clip_is_there_once()
    with app.connection_for_read() as broker:
        assert broker.default_channel.queue_declare("celery", passive=False).message_count == 0


def test_without_anything_to_do_nobody_is_asked(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("foundation.infra.parallel_tasks.workers_answer", refuse)
    spread(cut_video, [], progress=refuse)


def test_a_worker_killed_half_way_costs_nothing(
    films: Collection, worker: ForkedProcess, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("foundation.infra.parallel_tasks.SILENCE_SECONDS", 0.5)
    # The last video is held, so that the worker is sure to die in the middle of it.
    last = films.videos.order_by("pk").last()
    holder = connection.copy()
    holder.set_autocommit(False)
    with holder.cursor() as cursor:
        cursor.execute("SELECT 1 FROM corpus_video WHERE id = %s FOR UPDATE", [last.pk])

    def worker_waits() -> bool:
        with connection.cursor() as cursor:
            cursor.execute(
                "SELECT count(*) FROM pg_stat_activity WHERE wait_event_type = 'Lock' AND datname = current_database()"
            )
            return bool(cursor.fetchone()[0])

    class Bar:
        done = 0

        def __enter__(self) -> "Bar":
            return self

        def __exit__(self, *error: object) -> None:
            pass

        def update(self, pieces: int) -> None:
            self.done += pieces
            if worker.poll() is None:
                wait_until(worker_waits)
                assert Clip.objects.count() == (VIDEOS - 1) * MOMENTS
                kill_group(worker)
                holder.rollback()

    bar = Bar()
    monkeypatch.setattr(CollectionCommand, "bar", lambda *args, **kwargs: bar)
    try:
        call_command("cut_clips", "paper")
    finally:
        holder.close()
    assert worker.returncode == -signal.SIGKILL
    assert bar.done == VIDEOS
    assert_every_clip_is_there_once()
