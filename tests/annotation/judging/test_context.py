"""The seconds around a clip, and one's own last clips of its query: for whoever has it at hand, where it is allowed."""

import json
import uuid
from pathlib import Path
from typing import Any

import pytest
from django.core.files.base import ContentFile
from django.core.files.storage import default_storage
from django.test import Client
from django.utils import timezone
from pytest_django import DjangoAssertNumQueries

from annotation.assignment.next_tasks import leave_seats
from annotation.assignment.slipped_in import slip_in
from annotation.judging import even_time
from annotation.judging.at_hand import has_at_hand
from annotation.judging.flags import raise_flag
from annotation.judging.progress import context_moments
from annotation.models import Batch, GoldPair, Pair, Repeat, RepeatAnswer
from annotation.settings.services import SettingsRefused, configure
from corpus.clips.cut_clips import WAITED_FOR, cut_clips_of_video, lacking
from corpus.clips.import_videos import import_videos
from corpus.models import Clip, ClipCutting, ContextClip, Moment, Video
from foundation.models import Account, Collection, Membership
from tests.annotation.judging_steps import judge, let_seats_expire
from tests.api.callers import Caller
from tests.conftest import World, build_world
from tests.corpus.conftest import make_film

pytestmark = pytest.mark.django_db


@pytest.fixture
def media(tmp_path: Path, settings: Any) -> Path:
    """An empty folder for the storage's files."""
    settings.MEDIA_ROOT = tmp_path / "media"
    return tmp_path / "media"


@pytest.fixture
def world(db: None, media: Path) -> World:
    """Two queries of four pairs; each moment has a clip and, of it, five seconds before and after."""
    world = build_world(queries=2, candidates=4, clips=True)
    Collection.objects.update(context_seconds=5.0, compare_clips=True)
    Video.objects.update(path="/nowhere/film.mp4")
    for moment in Moment.objects.all():
        file = default_storage.save("clips/c.mp4", ContentFile(b"a film"))
        before = min(5.0, moment.start)
        ContextClip.objects.create(
            moment=moment, seconds=5.0, before=before, duration=before + 6, video_file=file, cut_from=""
        )
    return world


@pytest.fixture
def bo(world: World, client_of: Any) -> Client:
    client: Client = client_of(world["bo"].account)
    return client


def tasks_of(client: Client) -> list[dict[str, Any]]:
    answer = client.post("/c/paper/judge/next", "{}", content_type="application/json")
    return list(answer.json()["tasks"])


def grade(client: Client, task: dict[str, Any], value: int) -> list[dict[str, Any]]:
    sent = {"pair": task["pair"], "grade": value, "key": str(uuid.uuid4()), "played": 1.0}
    answer = client.post("/c/paper/judge/grade", json.dumps(sent), content_type="application/json")
    assert answer.status_code == 200
    return list(answer.json()["tasks"])


def earlier(client: Client, pair: str) -> Any:
    return client.get("/c/paper/judge/earlier", {"pair": pair})


def name_of(address: str) -> str:
    return address.rsplit("/", 1)[1].removesuffix(".mp4")


def moment_of(task: dict[str, Any]) -> Moment:
    return Moment.objects.get(clip__public_name=name_of(task["clip"]))


def test_a_task_says_where_and_the_video_is_served_while_it_is_at_hand(
    bo: Client, client_of: Any, world: World
) -> None:
    # Both queries have the same moments: what is said of one query's clip holds while the other's is at hand.
    Pair.objects.filter(batch__query=world.queries[1]).delete()
    task = tasks_of(bo)[0]
    told = bo.get(task["context"]).json()
    moment = moment_of(task)
    before = min(5.0, moment.start)
    assert told == {
        "clip": f"/clips/context/{moment.context.public_name}.mp4",
        "start": before,
        "end": before + 1,
    }
    assert bo.get(told["clip"]).status_code == 200
    # Who has it not at hand: another annotator, a lead by the page's address, a stranger, nobody.
    leave_seats(member=world["cy"])
    cy, ada = client_of(world["cy"].account), client_of(world["ada"].account)
    mal = client_of(Account.objects.create(username="mal"))
    assert [client.get(task["context"]).status_code for client in (cy, ada, mal)] == [404, 403, 404]
    assert [client.get(told["clip"]).status_code for client in (cy, ada, mal, Client())] == [404, 200, 404, 404]
    grade(bo, task, 2)
    assert (bo.get(task["context"]).status_code, bo.get(told["clip"]).status_code) == (404, 404), "it was answered"
    bo.post("/c/paper/judge/undo", "{}", content_type="application/json")
    assert (bo.get(task["context"]).status_code, bo.get(told["clip"]).status_code) == (200, 200)
    let_seats_expire()
    assert (bo.get(task["context"]).status_code, bo.get(told["clip"]).status_code) == (404, 404), "the place lapsed"


@pytest.mark.parametrize("off", [{"context_seconds": 0}, {"has_clips": False}])
def test_where_the_lead_allows_none_nothing_tells_of_it(bo: Client, world: World, off: dict[str, Any]) -> None:
    task = tasks_of(bo)[0]
    Collection.objects.update(**off)
    assert "context" not in tasks_of(bo)[0]
    assert bo.get(task["context"]).status_code == 404
    page = bo.get("/c/paper/judge/").content.decode()
    assert 'data-act="context"' not in page and 'data-do="context"' not in page and "data-evidence" not in page
    if "context_seconds" in off:
        clip = moment_of(task).context.public_name
        assert bo.get(f"/clips/context/{clip}.mp4").status_code == 404


@pytest.mark.parametrize("pair", ["00000000-0000-0000-0000-000000000001", "x", ""])
def test_an_id_of_nothing_is_a_404(bo: Client, pair: str) -> None:
    tasks_of(bo)
    assert earlier(bo, pair).status_code == 404
    assert bo.get(f"/c/paper/judge/context/{pair}").status_code == 404


def test_what_is_lacking_is_asked_for_once_and_what_failed_or_is_all_of_the_video_is_nothing(
    bo: Client, world: World
) -> None:
    task = tasks_of(bo)[0]
    context = moment_of(task).context
    ContextClip.objects.filter(pk=context.pk).update(seconds=3.0)
    for _ in range(2):
        assert bo.get(task["context"]).json() == {
            "message": "What comes before and after is being cut. Try again in a moment."
        }
    assert ClipCutting.objects.get().plan["waiting"]
    nothing = {"message": "There is nothing before or after this clip to show."}
    ContextClip.objects.filter(pk=context.pk).update(seconds=5.0, video_file="", problem="the file is gone")
    assert bo.get(task["context"]).json() == nothing, "it failed with the file that there is"
    ContextClip.objects.filter(pk=context.pk).update(video_file=context.video_file, before=0.02, duration=1.03)
    assert bo.get(task["context"]).json() == nothing
    ContextClip.objects.filter(pk=context.pk).update(before=0.02, duration=6.0)
    assert bo.get(task["context"]).json()["start"] == 0, "what is no whole frame is nothing"


def test_a_program_gets_the_same_by_its_token(bo: Client, world: World) -> None:
    caller = Caller(world["bo"], ("judge",))
    task = caller.post("/collections/paper/judging/next", {}).json()["tasks"][0]
    told = caller.client.get(task["context"]).json()
    assert told == {**bo.get(tasks_of(bo)[0]["context"]).json(), "message": ""}
    assert caller.client.get(told["clip"]).status_code == 200
    assert caller.get(f"/collections/paper/judging/context?pair={uuid.uuid4()}").status_code == 404
    Collection.objects.update(context_seconds=0)
    assert caller.client.get(task["context"]).status_code == 404


def test_context_is_cut_with_the_clips_of_what_is_to_be_judged_and_of_nothing_else(
    db: None, media: Path, tmp_path: Path
) -> None:
    world = build_world(queries=1, candidates=3)
    collection = world.collection
    Collection.objects.update(has_clips=True)
    make_film(tmp_path / "secret_video_name.mp4", seconds=4)
    import_videos(collection=collection, folder=tmp_path)
    Moment.objects.create(video=Video.objects.get(), start=2.5, end=3)
    collection.refresh_from_db()
    configure(collection=collection, changes={"context_seconds": "1"})
    assert ClipCutting.objects.count() == 1, "what is open already is cut"
    collection.refresh_from_db()
    assert lacking(collection, WAITED_FOR).count() == 3
    cut_clips_of_video(video_id=Video.objects.get().pk)
    assert Clip.objects.count() == 4
    contexts = list(ContextClip.objects.order_by("moment__start").values_list("moment__start", "before", "duration"))
    assert contexts == [(0, 0, pytest.approx(2)), (1, pytest.approx(1), pytest.approx(3)), (2, 1, pytest.approx(3))]
    assert not lacking(collection, WAITED_FOR).exists()
    names = {
        *Clip.objects.values_list("public_name", flat=True),
        *ContextClip.objects.values_list("public_name", flat=True),
    }
    assert len(names) == 7


@pytest.mark.parametrize("value", ["-1", "61", "nan", "long"])
def test_seconds_that_are_none_are_refused(db: None, value: str) -> None:
    with pytest.raises(SettingsRefused, match="context_seconds"):
        configure(collection=build_world().collection, changes={"context_seconds": value})


def test_the_last_three_of_the_query_with_ones_own_grades_newest_first(bo: Client, world: World) -> None:
    first = tasks_of(bo)[0]
    assert earlier(bo, first["pair"]).json() == {"clips": []}
    given, tasks = [], [first]
    for value in (4, 1, 3):
        given.append({"clip": tasks[0]["clip"], "poster": tasks[0]["poster"], "grade": value})
        tasks = grade(bo, tasks[0], value)
    for member in ("cy", "di"):
        pair = Pair.objects.get(public_id=first["pair"])
        world[member].seats.create(batch=pair.batch, pairs=[pair.pk], expires_at=timezone.now().replace(year=2999))
        judge(world[member], pair, 0, played=1.0)
    assert earlier(bo, tasks[0]["pair"]).json() == {"clips": given[::-1]}
    bo.post("/c/paper/judge/undo", "{}", content_type="application/json")
    assert earlier(bo, tasks[0]["pair"]).json() == {"clips": given[1::-1]}, "what was taken back is no longer told"
    tasks = grade(bo, tasks_of(bo)[0], 2)
    other = grade(bo, tasks[0], 0)[0]
    assert other["query"] != first["query"]
    assert earlier(bo, other["pair"]).json() == {"clips": []}, "of another query, which has none yet"
    assert earlier(bo, first["pair"]).status_code == 404, "it was answered"
    Collection.objects.update(compare_clips=False)
    assert earlier(bo, other["pair"]).status_code == 404
    assert "data-earlier" not in bo.get("/c/paper/judge/").content.decode()


def test_a_hidden_repeat_is_told_of_like_any_other_pair(bo: Client, world: World) -> None:
    Collection.objects.update(repeat_share=0.1, repeat_days=0)
    batch = Batch.objects.order_by("pk")[0]
    world["bo"].seats.create(
        batch=batch,
        pairs=list(batch.pairs.values_list("pk", flat=True)),
        expires_at=timezone.now().replace(year=2999),
    )
    for pair in batch.pairs.order_by("pk"):
        judge(world["bo"], pair, 2, played=1.0)
    batch.pairs.update(status="consensus", grade=2)
    member = Membership.objects.select_related("collection").get(pk=world["bo"].pk)
    for _ in range(2):
        slip_in(member=member, taken=[(Batch.objects.order_by("pk")[1].pk, 10)], now=timezone.now())
    repeat = Repeat.objects.get()
    task = next(task for task in tasks_of(bo) if task["pair"] == str(repeat.public_id))
    assert bo.get(bo.get(task["context"]).json()["clip"]).status_code == 200
    clips = earlier(bo, task["pair"]).json()["clips"]
    assert len(clips) == 3 and task["clip"] not in [one["clip"] for one in clips], "its first grade would tell"
    grade(bo, task, 4)
    assert RepeatAnswer.objects.get().grade == 4
    # Another one of the query: of the clip judged twice, what was said last.
    again = Repeat.objects.create(pair=batch.pairs.exclude(pk=repeat.pair_id)[0], annotator=member, first=repeat.first)
    clips = earlier(bo, str(again.public_id)).json()["clips"]
    assert [one["grade"] for one in clips if one["clip"] == task["clip"]] == [4]
    assert clips[0]["clip"] == task["clip"]
    # Two that wait: neither is among the other's clips, or what comes would be known, and its first grade.
    third = Repeat.objects.create(
        pair=batch.pairs.exclude(pk__in=[repeat.pair_id, again.pair_id])[0], annotator=member, first=repeat.first
    )
    for one, other in ((again, third), (third, again)):
        clips = earlier(bo, str(one.public_id)).json()["clips"]
        assert len(clips) == 2
        assert other.pair.candidate.moment_id not in {moment_of(clip).pk for clip in clips}


@pytest.fixture
def slipped_in(world: World) -> list[Repeat]:
    """All of the first query is gold, which waits for bo beside real pairs of the second."""
    first = Batch.objects.order_by("pk")[0]
    first.pairs.update(status="consensus", grade=2)
    Batch.objects.filter(pk=first.pk).update(status="finished")
    Collection.objects.update(gold_share=0.2)
    Membership.objects.filter(pk=world["bo"].pk).update(repeat_waits=True)
    given = []
    for pair in first.pairs.order_by("pk"):
        gold = GoldPair.objects.create(
            collection=world.collection, pair=pair, grade=2, source="decided", added_by=world["ada"]
        )
        given.append(Repeat.objects.create(pair=pair, gold=gold, annotator=world["bo"]))
    return given


def test_within_a_sitting_of_gold_the_last_clips_are_told_as_of_any_query(bo: Client, slipped_in: list[Repeat]) -> None:
    tasks = tasks_of(bo)
    assert [task["pair"] for task in tasks] == [str(repeat.public_id) for repeat in slipped_in]
    given: list[dict[str, Any]] = []
    for value in (4, 1, 3):
        assert earlier(bo, tasks[0]["pair"]).json() == {"clips": given[::-1]}
        given.append({"clip": tasks[0]["clip"], "poster": tasks[0]["poster"], "grade": value})
        tasks = grade(bo, tasks[0], value)
    bo.post("/c/paper/judge/undo", "{}", content_type="application/json")
    assert earlier(bo, str(slipped_in[2].public_id)).json() == {"clips": given[1::-1]}


@pytest.mark.parametrize("leaves", [True, False], ids=["the place was left", "the place lapsed"])
def test_what_is_slipped_in_is_at_hand_as_long_as_pairs_are(
    bo: Client, world: World, slipped_in: list[Repeat], leaves: bool
) -> None:
    gold = {str(repeat.public_id) for repeat in slipped_in}
    every = bo.post("/c/paper/judge/next", '{"ahead": 26}', content_type="application/json").json()["tasks"]
    assert {task["pair"] in gold for task in every} == {True, False}
    assert {bo.get(task["context"]).status_code for task in every} == {200}
    if leaves:
        leave_seats(member=world["bo"])
    else:
        let_seats_expire()
    assert {bo.get(task["context"]).status_code for task in every} == {404}
    tasks = tasks_of(bo)
    assert {bo.get(task["context"]).status_code for task in tasks} == {200}
    film = bo.get(tasks[0]["context"]).json()["clip"]
    assert bo.get(film).status_code == 200
    leave_seats(member=world["bo"])
    assert bo.get(film).status_code == 404


def test_how_long_a_look_takes_tells_no_gold_and_grows_with_no_number_of_pairs(
    bo: Client,
    world: World,
    slipped_in: list[Repeat],
    monkeypatch: pytest.MonkeyPatch,
    django_assert_num_queries: DjangoAssertNumQueries,
) -> None:
    every = bo.post("/c/paper/judge/next", '{"ahead": 26}', content_type="application/json").json()["tasks"]
    clock, slept = iter(number / 100 for number in range(1000)), list[float]()
    monkeypatch.setattr(even_time.time, "monotonic", lambda: next(clock))
    monkeypatch.setattr(even_time.time, "sleep", slept.append)
    for task in (every[0], every[-1]):
        assert bo.get(bo.get(task["context"]).json()["clip"]).status_code == 200
        assert earlier(bo, task["pair"]).status_code == 200
    assert slept == [pytest.approx(even_time.BEAT - 0.01)] * 6
    cy = Membership.objects.select_related("collection").get(pk=world["cy"].pk)
    same = Pair.objects.filter(candidate__moment=slipped_in[0].pair.candidate.moment_id)
    for pairs in (2, 1):
        assert same.count() == pairs
        with django_assert_num_queries(2):
            assert not has_at_hand(cy, slipped_in[0].pair.candidate.moment_id)
        same.filter(batch__query=world.queries[1]).delete()


def test_what_was_flagged_is_at_hand_no_more_gold_or_not(bo: Client, world: World, slipped_in: list[Repeat]) -> None:
    every = bo.post("/c/paper/judge/next", '{"ahead": 26}', content_type="application/json").json()["tasks"]
    member = Membership.objects.select_related("collection").get(pk=world["bo"].pk)
    for task in (every[0], every[-1]):
        assert bo.get(task["context"]).status_code == 200
        raise_flag(member=member, pair_id=uuid.UUID(task["pair"]), kind="clip")
        assert bo.get(task["context"]).status_code == 404
        bo.post("/c/paper/judge/undo", "{}", content_type="application/json")
        assert bo.get(task["context"]).status_code == 200


def test_the_seconds_around_what_may_be_gold_are_cut_and_kept(world: World) -> None:
    Pair.objects.exclude(batch__query=world.queries[0]).delete()
    pair = Pair.objects.order_by("pk")[0]
    world["cy"].seats.create(batch=pair.batch, pairs=[pair.pk], expires_at=timezone.now().replace(year=2999))
    judge(world["cy"], pair, 2, played=1.0)
    Pair.objects.filter(pk=pair.pk).update(status="consensus", grade=2)
    collection = Collection.objects.get()
    assert not context_moments(collection).filter(pk=pair.candidate.moment_id).exists()
    collection.gold_share = 0.1
    assert context_moments(collection).filter(pk=pair.candidate.moment_id).exists(), "else it alone had none"
