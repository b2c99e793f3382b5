"""Clips that opened pairs lack are cut by a worker, and nobody is given a pair before its clip is there."""

from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from django.core.management import call_command
from django.db import connection
from django.test.utils import CaptureQueriesContext

from annotation.assignment.next_tasks import next_tasks
from annotation.batches.opening import open_annotation, open_batch
from annotation.batches.opening_jobs import ask_for_opening, open_batches
from annotation.judging.flags import return_pair, withdraw_without_clip
from annotation.models import Batch, Flag, Opening, Pair
from config.celery import app
from corpus.clips import cutting_jobs
from corpus.clips.cut_clips import cut_clips_of_video
from corpus.clips.cutting_jobs import ask_for_cutting, run_cutting
from corpus.models import Clip, ClipCutting, Moment, Video, clip_ready
from foundation.infra.storage import delete_file
from foundation.infra.sweep import sweep
from foundation.models import Collection
from foundation.refused import Refused
from tests.annotation.judging_steps import judge, sit
from tests.conftest import World, build_world
from tests.corpus.conftest import make_film
from tests.workers import kill_group, one_worker, queued_tasks, wait_until

pytestmark = [pytest.mark.long, pytest.mark.django_db]


@pytest.fixture(scope="module")
def film_file(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Three seconds with sound."""
    return make_film(tmp_path_factory.mktemp("film") / "film.mp4", seconds=3, sound=True)


@pytest.fixture
def spans(settings: Any, tmp_path: Path, film_file: Path) -> Iterator[World]:
    """A query with three candidates that have no clip yet, as moments of systems' runs: two of a film of three seconds,
    one beyond its end; nothing is open."""
    settings.MEDIA_ROOT = tmp_path / "media"
    app.control.purge()
    world = build_world(candidates=3, clips=True)
    Pair.objects.all().delete()
    Batch.objects.all().delete()
    Clip.objects.all().delete()
    Video.objects.update(path=str(film_file), duration=3)
    for number, (start, end) in enumerate([(0.5, 0.9), (1.2, 1.6), (9, 9.4)]):
        Moment.objects.filter(start=number).update(start=start, end=end)
    yield world
    app.control.purge()


def pairs() -> list[Pair]:
    return list(Pair.objects.order_by("candidate__rank"))


def given(world: World, who: str) -> set[str]:
    return {task.pair for task in next_tasks(member=world[who])}


def cut() -> ClipCutting:
    job = ClipCutting.objects.latest("pk")
    run_cutting(job.pk)
    job.refresh_from_db()
    return job


def test_opening_has_the_clips_cut_and_pairs_wait_for_theirs(spans: World) -> None:
    assert open_annotation(collection=spans.collection).clips_missing == 3
    assert given(spans, "bo") == set()
    job = cut()
    assert (job.state, job.plan["waiting"], job.said) == ("done", True, "2 clips are there; 1 could not be cut")
    first, second, beyond = pairs()
    assert given(spans, "bo") == {str(first.public_id), str(second.public_id)}
    sit(spans["cy"])
    for pair in (first, second):
        for who in ("bo", "cy"):
            judge(spans[who], pair, 3, played=1.0)
    assert beyond.batch.status == Batch.objects.get().status == "first", "it isn't decided without the one that failed"


def test_only_what_is_opened_is_cut_and_a_film_that_is_still_to_come_fails_nothing(
    spans: World, film_file: Path
) -> None:
    idle = Moment.objects.create(video=Video.objects.get(), start=2, end=2.4)
    Video.objects.update(path="")
    assert open_annotation(collection=spans.collection).clips_missing == 0
    assert not ClipCutting.objects.exists()
    there = Video.objects.create(collection=spans.collection, name="there", path=str(film_file))
    Moment.objects.filter(pk__in=[idle.pk, pairs()[0].candidate.moment_id]).update(video=there)
    assert open_annotation(collection=spans.collection).clips_missing == 1, "repeated, it asks for what can be cut now"
    cut()
    assert [clip.moment_id for clip in Clip.objects.all()] == [pairs()[0].candidate.moment_id]


def test_the_job_and_the_command_say_how_many_are_cut(spans: World, capsys: pytest.CaptureFixture[str]) -> None:
    open_batches(ask_for_opening(member=spans["ada"]).pk)
    words = "3 moments have no clip yet: a worker cuts them, and their pairs wait for it."
    assert Opening.objects.get().said.endswith(words)
    call_command("open_annotation", "paper")
    assert words in capsys.readouterr().out
    assert ClipCutting.objects.count() == 1


def test_a_next_batch_that_is_opened_while_clips_are_cut_is_cut_by_the_same_job(
    spans: World, monkeypatch: pytest.MonkeyPatch
) -> None:
    Collection.objects.update(batch_size=1)
    spans.collection.refresh_from_db()
    open_annotation(collection=spans.collection)
    first_pass = cutting_jobs._end

    def open_meanwhile(job: ClipCutting) -> bool:
        open_batch(query=spans.queries[0], number=2)
        return first_pass(job)

    monkeypatch.setattr(cutting_jobs, "_end", open_meanwhile)
    assert cut().state == "running"
    assert (ClipCutting.objects.count(), Clip.objects.filter(clip_ready()).count()) == (1, 1)
    assert cut().state == "done"
    assert Clip.objects.filter(clip_ready()).count() == 2


def test_a_job_of_its_own_has_the_next_batch_cut_with_sound_where_the_others_have_it(spans: World) -> None:
    Collection.objects.update(batch_size=1)
    spans.collection.refresh_from_db()
    open_annotation(collection=spans.collection)
    assert cut().plan["sound"] is False, "there is none to go by"
    clip = Clip.objects.get()
    for name in (clip.video_file, clip.poster_file):
        delete_file(name)
    Clip.objects.all().delete()
    job = ask_for_cutting(collection=spans.collection, member=spans["ada"], plan=cutting_jobs.CuttingPlan(sound=True))
    cut_clips_of_video(video_id=Video.objects.get().pk, plan=cutting_jobs.CuttingPlan(sound=True, waiting=True))
    ClipCutting.objects.filter(pk=job.pk).update(state="stopped")
    open_batch(query=spans.queries[0], number=2)
    assert cut().plan["sound"] is True
    assert ClipCutting.objects.count() == 3


def test_the_lead_tries_again_or_withdraws_what_cannot_be_cut(spans: World, client_of: Any) -> None:
    open_annotation(collection=spans.collection)
    cut()
    ada = client_of(spans["ada"].account)
    page = ada.get("/c/paper/flags/").content.decode()
    assert "1 opened pair waits for its clip" in page and "secret_video_name 9.0–9.4 s" in page
    beyond = pairs()[2]
    clip = beyond.candidate.moment.clip
    assert clip.problem and clip.problem[:40] in page
    ada.post("/c/paper/flags/cut-again")
    assert (cut().total, Clip.objects.get(pk=clip.pk).made_at > clip.made_at) == (1, True)
    for _ in range(2):
        ada.post(f"/c/paper/flags/pair/{beyond.pk}/withdraw")
    assert (Pair.objects.get(pk=beyond.pk).status, Flag.objects.count()) == ("withdrawn", 1)
    page = ada.get("/c/paper/flags/").content.decode()
    assert "opened pair waits" not in page and f"/c/paper/flags/pair/{beyond.pk}/bring-back" in page
    return_pair(member=spans["ada"], pair_id=beyond.pk)
    assert Pair.objects.get(pk=beyond.pk).status == "open"


def test_a_pair_that_can_be_judged_is_not_withdrawn_so(spans: World) -> None:
    open_annotation(collection=spans.collection)
    cut()
    with pytest.raises(Refused, match="clip is there now"):
        withdraw_without_clip(member=spans["ada"], pair_id=pairs()[0].pk)
    with pytest.raises(Refused, match="no such pair"):
        withdraw_without_clip(member=spans["ada"], pair_id=10**12)
    assert not Flag.objects.exists()


def test_a_study_has_the_clips_of_its_collection_cut(spans: World) -> None:
    open_annotation(collection=spans.collection)
    Collection.objects.create(name="other", title="Other")
    study = Collection.objects.create(name="pilot", title="Pilot", purpose="pilot", study_of=spans.collection)
    Batch.objects.update(collection=study)
    cut()
    assert Clip.objects.filter(clip_ready()).count() == 2


def test_opening_asks_with_a_bounded_number_of_statements(spans: World) -> None:
    Clip.objects.bulk_create(Clip(moment=moment, video_file="a.mp4") for moment in Moment.objects.all())
    with CaptureQueriesContext(connection) as asked:
        open_annotation(collection=spans.collection)
    assert sum("corpus_clip" in query["sql"] for query in asked.captured_queries) == 2
    assert not ClipCutting.objects.exists()


@pytest.mark.django_db(transaction=True)
def test_a_killed_worker_s_clips_are_cut_by_the_next(spans: World, tmp_path: Path) -> None:
    open_annotation(collection=spans.collection)
    job = ClipCutting.objects.get()
    assert ("corpus.tasks.cut_collection", [job.pk]) in queued_tasks()
    with one_worker(tmp_path / "first.log") as worker:
        wait_until(lambda: Clip.objects.exists())
        kill_group(worker)
    # As it is for a worker that died at it.
    ClipCutting.objects.update(state="running", after=0)
    app.control.purge()
    with one_worker(tmp_path / "second.log"):
        wait_until(lambda: sweep() >= 0 and ClipCutting.objects.get().finished)
    assert (ClipCutting.objects.get().state, Clip.objects.filter(clip_ready()).count()) == ("done", 2)
