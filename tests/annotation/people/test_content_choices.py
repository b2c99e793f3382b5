"""Kinds of content and ages: who is given which clips, and what they are told before they see one."""

from pathlib import Path
from typing import Any

import pytest
from django.core.management import CommandError, call_command

from annotation.assignment.next_tasks import next_tasks
from annotation.assignment.staffing import staffing
from annotation.judging.progress import why_no_work
from annotation.models import Pair
from annotation.people.content_choices import choose_content
from annotation.people.erasure import erase_account
from corpus.content.marks import kinds_of, mark_videos
from corpus.models import Moment, Video
from foundation.collections.studies import place_in_study
from foundation.models import AuditEntry, Collection, Membership
from foundation.refused import Refused
from tests.conftest import World, build_world

pytestmark = pytest.mark.django_db


@pytest.fixture
def paper(db: None) -> World:
    """Four pairs, of which that of rank 1 is of a video with violence, and that of rank 2 for people of 18."""
    world = build_world(queries=1, candidates=4)
    for name, rank in (("violent", 1), ("adult", 2)):
        video = Video.objects.create(collection=world.collection, name=name, duration=1000)
        Moment.objects.filter(pk=Pair.objects.get(candidate__rank=rank).candidate.moment_id).update(video=video)
    return world


@pytest.fixture
def marked(paper: World, tmp_path: Path) -> World:
    mark(paper, tmp_path, "video,content,minimum_age\nviolent,Violence; blood,\nadult,,18\n")
    return again(paper)


def mark(world: World, folder: Path, text: str) -> int:
    path = folder / "content.csv"
    path.write_text(text)
    return mark_videos(collection=world.collection, path=path)


def again(world: World) -> World:
    """The world as it is in the database."""
    members = {
        name: Membership.objects.select_related("collection").get(pk=one.pk) for name, one in world.people.items()
    }
    return World(Collection.objects.get(pk=world.collection.pk), members, world.queries)


def ranks(member: Membership) -> set[int]:
    """Of the pairs that they are given."""
    tasks = [task.pair for task in next_tasks(member=Membership.objects.select_related("collection").get(pk=member.pk))]
    return set(Pair.objects.filter(public_id__in=tasks).values_list("candidate__rank", flat=True))


def test_who_says_nothing_is_given_all_but_what_is_for_an_age(marked: World) -> None:
    assert ranks(marked["bo"]) == {1, 3, 4}
    choose_content(member=marked["bo"], avoids=[], age=18)
    assert ranks(marked["bo"]) == {1, 2, 3, 4}


def test_who_avoids_a_kind_is_given_other_work_and_what_was_at_hand_goes(marked: World) -> None:
    assert 1 in ranks(marked["bo"])
    choose_content(member=marked["bo"], avoids=["violence"], age=0)
    assert ranks(marked["bo"]) == {3, 4}
    choose_content(member=marked["bo"], avoids=[], age=0)
    assert 1 in ranks(marked["bo"])


def test_the_trail_of_changes_keeps_nothing_of_it(marked: World) -> None:
    before = AuditEntry.objects.count()
    choose_content(member=marked["bo"], avoids=["violence"], age=21)
    assert AuditEntry.objects.count() == before, "who acts at which place would tell whose it is"
    member = Membership.objects.get(pk=marked["bo"].pk)
    member.status = "paused"
    member.avoids = []
    member.save()
    entry = AuditEntry.objects.order_by("-pk")[0]
    assert (entry.table, entry.after["status"]) == ("foundation_membership", "paused")
    assert "violence" not in str((entry.before, entry.after)) and "21" not in str((entry.before, entry.after))


def test_the_task_says_what_its_clip_has_and_others_say_nothing(marked: World) -> None:
    tasks = next_tasks(member=marked["bo"])
    violent = str(Pair.objects.get(candidate__rank=1).public_id)
    assert {task.pair: list(task.content) for task in tasks if task.content} == {violent: ["blood", "violence"]}


def test_people_who_may_not_see_a_pair_are_missing_there(marked: World) -> None:
    for name in ("bo", "cy", "di"):
        choose_content(member=marked[name], avoids=["blood"], age=18)
    found = staffing(marked.collection)
    assert (found.admitted, found.short, found.more) == (5, 0, 0)
    choose_content(member=marked["ed"], avoids=["blood"], age=18)
    assert (staffing(marked.collection).short, staffing(marked.collection).more) == (1, 1)


def test_a_collection_for_adults_gives_others_nothing_and_says_why(paper: World) -> None:
    Collection.objects.update(minimum_age=18)
    world = again(paper)
    assert next_tasks(member=world["bo"]) == [] and "18 and older" in why_no_work(world["bo"])
    choose_content(member=world["bo"], avoids=[], age=18)
    assert ranks(world["bo"]) == {1, 2, 3, 4}


@pytest.mark.parametrize(
    ("text", "words"),
    [
        ("video,content\nviolent,x\nviolent,y\n", "each video once; the first is in line 2"),
        ("video,content\nunknown,x\n", "the name of a video of this collection"),
        ("video,minimum_age\nviolent,old\n", "a number of years up to 99"),
        ("video,minimum_age\nviolent,100\n", "a number of years up to 99"),
        (f"video,content\nviolent,{'x' * 41}\n", "at most 40 characters"),
        (f"video,minimum_age\nviolent,{'9' * 5000}\n", "a number of years up to 99"),
        ('{"video": "violent", "content": ["blood"]}\n', "kinds separated by commas"),
        ('{"video": "violent", "content": "\\u0000"}\n', "kinds separated by commas"),
        ("", "expected videos with kinds of content"),
    ],
)
def test_a_file_is_taken_whole_or_not_at_all(paper: World, tmp_path: Path, text: str, words: str) -> None:
    with pytest.raises(Refused, match=r"content\.csv") as refusal:
        mark(paper, tmp_path, text)
    assert words in str(refusal.value)
    assert kinds_of(paper.collection) == []


def test_marking_again_changes_nothing_and_the_last_mark_taken_away_is_the_end_of_it(
    marked: World, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    path = tmp_path / "content.csv"
    call_command("set_content", "paper", str(path))
    assert capsys.readouterr().out == "0 of the collection's videos changed.\n"
    assert marked.collection.marks_content
    path.write_text("video\nviolent\nadult\n")
    call_command("set_content", "paper", str(path))
    assert not Collection.objects.get().marks_content
    with pytest.raises(CommandError, match="can't be read"):
        call_command("set_content", "paper", str(tmp_path / "none.csv"))


def test_an_annotator_chooses_on_a_page_of_their_own(marked: World, client_of: Any) -> None:
    bo = client_of(marked["bo"].account)
    page = "/c/paper/judge/content/"
    assert "violence" in bo.get(page).content.decode()
    for wrong, words in (({"age": "old"}, "number"), ({"age": "100"}, "99"), ({"avoids": "hats"}, "hats")):
        answer = bo.post(f"{page}choose", wrong)
        assert answer.status_code == 400 and words in answer.content.decode()
    mistyped = bo.post(f"{page}choose", {"avoids": ["blood"], "age": "old"}).content.decode()
    assert 'value="blood" checked' in mistyped and 'value="violence" checked' not in mistyped
    assert bo.post(f"{page}choose", {"avoids": ["blood"], "age": "21"}).status_code == 302
    member = Membership.objects.get(pk=marked["bo"].pk)
    assert (member.avoids, member.age) == (["blood"], 21)
    study = Collection.objects.create(
        name="pilot", title="Pilot", purpose="pilot", study_of=marked.collection, marks_content=True
    )
    place_in_study(member, study)
    assert bo.post("/c/pilot/judge/content/choose", {"avoids": ["violence"], "age": "22"}).status_code == 302
    both = Membership.objects.filter(account=member.account).values_list("avoids", "age")
    assert list(both) == [(["violence"], 22)] * 2, "a study's page is about the person, as the collection's"
    erase_account(account=member.account)
    member.refresh_from_db()
    assert (member.avoids, member.age) == ([], 0)


def test_a_lead_marks_a_video_on_its_page(paper: World, client_of: Any) -> None:
    video = Video.objects.get(name="violent")
    ada, page = client_of(paper["ada"].account), f"/c/paper/videos/{video.pk}/"
    assert (
        "expected a number of years" in ada.post(f"{page}content", {"minimum_age": "x"}, follow=True).content.decode()
    )
    ada.post(f"{page}content", {"content": "Flashing Lights", "minimum_age": "12"})
    video.refresh_from_db()
    assert (video.content, video.minimum_age) == (["flashing lights"], 12)
    assert "flashing lights" in ada.get(page).content.decode() and Collection.objects.get().marks_content
    assert client_of(paper["bo"].account).post(f"{page}content", {}).status_code in (403, 404)
