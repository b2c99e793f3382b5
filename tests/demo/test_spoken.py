"""The demo's spoken collection: built by the product's own services, and open for whoever hears and reads."""

from pathlib import Path
from typing import Any

import av
import numpy as np
import pytest
from django.core.files.storage import default_storage
from django.test import Client

from annotation.models import Batch, GoldPair, Judgment, Pair
from corpus.models import Clip, ContextClip
from demo import build
from demo.spoken.lines import TOP, grade
from demo.spoken.speak import GOLD_TOPICS, NAME, NEWCOMERS, Play, is_spoken, speak
from demo.spoken.voices import pitch_of, subtitles
from demo.theatre.cast import CAST
from foundation.models import Account
from tests.drawn import TwoFilms


@pytest.mark.long
def test_a_newcomer_hears_reads_and_judges_by_its_own_scale(
    transactional_db: None, two_films: TwoFilms, settings: Any, tmp_path: Path
) -> None:
    settings.MEDIA_ROOT = tmp_path / "media"
    Account.objects.create_user(build.LEAD)
    assert not is_spoken()
    collection = speak(two_films.folder, tmp_path / "spoken")
    assert is_spoken() and collection.counts_sound and collection.counts_subtitles
    _has_clips_with_sound()
    ended = Batch.objects.filter(status="finished").values_list("query__topic_id", flat=True)
    assert sorted(ended) == list(GOLD_TOPICS)
    left = Pair.objects.exclude(batch__query__topic_id__in=GOLD_TOPICS)
    assert not left.filter(judgments__isnull=False).exists(), "the rest is there for newcomers"
    gold = GoldPair.objects.all()
    assert set(gold.values_list("grade", flat=True)) == set(range(TOP + 1))
    _is_judged_at_once()
    before = Judgment.objects.count(), gold.count(), Clip.objects.count()
    speak(two_films.folder, tmp_path / "spoken")
    assert (Judgment.objects.count(), gold.count(), Clip.objects.count()) == before, "repeated, it adds nothing"


def _has_clips_with_sound() -> None:
    clips = Clip.objects.exclude(video_file="")
    assert clips.count() == Clip.objects.count() > 10
    with default_storage.open(clips.order_by("pk")[0].video_file) as file, av.open(file) as film:
        heard = np.concatenate([frame.to_ndarray() for frame in film.decode(audio=0)], axis=1)
    assert np.abs(heard).max() > 0.1
    assert ContextClip.objects.exists()


def _is_judged_at_once() -> None:
    tess = Client()
    tess.force_login(Account.objects.get(username=NEWCOMERS[0]))
    address = f"/c/{NAME}/judge"
    tess.get(f"{address}/guideline")
    tess.post(f"{address}/guideline/confirm", {"version": 1}, content_type="application/json")
    page = tess.get(f"{address}/", follow=True).content.decode()
    assert "said and done" in page and "one of the two" in page
    assert "gesagt und getan" in tess.get(f"{address}/", headers={"accept-language": "de"}).content.decode()
    tasks = tess.post(f"{address}/next", content_type="application/json").json()["tasks"]
    assert all(task["clip"] and task["context"] for task in tasks)
    said = [tess.get(task["subtitles"]).content.decode() for task in tasks]
    assert any("-->" in text for text in said), said
    marked = [task.get("content") for task in tasks]
    assert {None, "loud noises"} >= {content and content[0] for content in marked}


def test_each_person_has_a_pitch_and_the_script_s_own_scene_is_the_best(two_films: TwoFilms) -> None:
    assert len({round(pitch_of(name)) for name in CAST}) == len(CAST)
    play = Play.of(two_films.folder)
    assert [topic.key for topic in play.topics][-1] == "P1"
    for topic in play.topics:
        assert grade(topic, topic.scene, play.lines) == TOP
        assert {grade(topic, scene, play.lines) for scene in play.scenes} >= {0, 1, TOP}
    assert all(line.end > line.start + 1 for line in play.lines)
    assert subtitles(play.lines[:1], thunder=2.0).count("-->") == 2
