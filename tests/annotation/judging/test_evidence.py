"""What of a clip counts: a setting that judging fixes; addresses, words and refusals follow it, by default none."""

from typing import Any

import pytest

from annotation.models import ExamItem, Pair
from annotation.qualification.practice_page import task_json
from annotation.settings.services import SettingsRefused, configure, settings_of
from corpus.models import Clip, Subtitles, Video
from foundation.models import Collection
from tests.annotation.judging.test_judge_pages import judgment, post
from tests.annotation.judging_steps import judge, sit
from tests.api.callers import Caller
from tests.conftest import World, build_world

pytestmark = pytest.mark.django_db
BOTH = "picture,sound,subtitles"


@pytest.fixture
def world(db: None) -> World:
    return build_world(queries=2, candidates=6, clips=True)


def set_to(world: World, value: str) -> Collection:
    changed = configure(collection=world.collection, changes={"evidence": value})
    world.collection.refresh_from_db()
    return changed


def test_it_is_a_setting_that_the_first_judgment_fixes(world: World) -> None:
    assert set_to(world, BOTH).evidence == ["picture", "sound", "subtitles"]
    for bad in ("", "smell", "picture,smell"):
        with pytest.raises(SettingsRefused, match="evidence"):
            set_to(world, bad)
    sit(world["bo"])
    judge(world["bo"], Pair.objects.order_by("pk")[0], 2, played=1.0)
    with pytest.raises(SettingsRefused, match="for good"):
        set_to(world, "picture")
    assert next(setting for setting in settings_of(world.collection) if setting.name == "evidence").frozen


@pytest.mark.parametrize("evidence", ["picture", "picture,sound", "picture,subtitles", "sound", "subtitles"])
def test_a_task_has_the_address_of_its_subtitles_where_they_count_and_no_word_more(
    world: World, client_of: Any, evidence: str
) -> None:
    set_to(world, evidence)
    client = client_of(world["bo"].account)
    (task, *_others) = post(client, "next").json()["tasks"]
    expected = {"pair", "query", "clip", "poster"} | ({"subtitles"} if "subtitles" in evidence else set())
    assert set(task) == expected
    page = client.get("/c/paper/judge/").content.decode()
    assert ('data-do="sound"' in page, 'data-do="subtitles"' in page) == ("sound" in evidence, "subtitles" in evidence)
    assert ("What counts: " in page, "data-evidence" in page) == (evidence != "picture", evidence != "picture")
    if "subtitles" in evidence:
        assert task["subtitles"] == task["clip"].replace(".mp4", ".vtt")
        assert client.get(task["subtitles"]).content == b"WEBVTT\n"


def test_a_grade_that_came_before_enough_was_heard_is_refused_in_words_of_hearing(world: World, client_of: Any) -> None:
    set_to(world, "picture,sound")
    client = client_of(world["bo"].account)
    task = post(client, "next").json()["tasks"][0]
    refused = post(client, "grade", **judgment(task, played=0.5))
    assert (refused.status_code, refused.json()["message"][:28]) == (409, "Listen to at least 80% of th")
    assert post(client, "grade", **judgment(task, played=0.8)).status_code == 200


def test_programs_are_told_the_address_and_which_videos_have_subtitles(world: World) -> None:
    video = Video.objects.get()
    bo, ada = Caller(world["bo"]), Caller(world["ada"])
    asked = "/collections/paper/judging/next"
    assert "subtitles" not in bo.post(asked, {}).json()["tasks"][0]
    assert "subtitles" not in ada.get(f"/collections/paper/videos/{video.pk}").json()
    set_to(world, BOTH)
    Subtitles.objects.create(video=video, language="en", source="a.srt", cues=[[0, 1, "Tea?"]])
    assert bo.post(asked, {}).json()["tasks"][0]["subtitles"].endswith(".vtt")
    assert ada.get(f"/collections/paper/videos/{video.pk}").json()["subtitles"] == ["en"]
    assert [row["subtitles"] for row in ada.get("/collections/paper/videos").json()["items"]] == [["en"]]


def test_items_of_practice_and_exam_have_it_too(world: World) -> None:
    moment = Clip.objects.select_related("moment").first()
    assert moment is not None
    item = ExamItem(query="A cup.", moment=moment.moment)
    assert "subtitles" not in task_json(item, world.collection)
    set_to(world, "subtitles")
    assert task_json(item, world.collection)["subtitles"] == f"/clips/{moment.public_name}.vtt"
