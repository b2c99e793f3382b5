"""Browsing: coverage, the list of videos, one video's page."""

import csv
import html
import io
import re

import pytest
from django.db import connection
from django.test import Client
from django.test.utils import CaptureQueriesContext

from corpus.browse.selectors import Coverage, Spread, VideoFilter, all_rows, coverage, video_page, video_view
from corpus.models import Clip, Moment, Video
from foundation.collections.members import get_or_create_collection
from foundation.models import Collection
from tests.corpus.browse.conftest import fill, logged_in, moment, video

pytestmark = pytest.mark.django_db


def test_coverage_has_the_figures_of_table_4(shelf: Collection) -> None:
    figures = coverage(shelf)
    assert (figures.videos, figures.moments, figures.descriptions) == (4, 6, 7)
    assert figures.kinds == [("video", 5), ("subtitle", 2)]
    assert figures.video_seconds == Spread(30, 60, 100)
    assert figures.moment_seconds == Spread(2, 9, 30)
    # 0.1, 0.3, 0.06, 0.1, 0.04; the moment of the video of unknown duration has no ratio.
    assert figures.ratio.least == pytest.approx(0.04)
    assert figures.ratio.mean == pytest.approx(0.12)
    assert figures.ratio.most == pytest.approx(0.3)
    assert (figures.ready, figures.failed, figures.missing, figures.with_file) == (3, 1, 2, 3)
    assert figures.ready_share == 50
    assert figures.problems == {
        "no-file": 1,
        "no-duration": 1,
        "no-moments": 1,
        "failed": 1,
        "missing": 2,
        "past-end": 1,
        "short": 1,
    }
    assert [clip.problem for clip in figures.failures] == ["beta ends at 48.00 s"]


def test_coverage_of_nothing_is_nothing(collection: Collection) -> None:
    none = Spread(None, None, None)
    assert coverage(collection) == Coverage(0, 0, 0, [], none, none, none, 0, 0, 0, {}, [])


def test_without_clips_a_missing_clip_or_file_is_no_problem(shelf: Collection) -> None:
    shelf.has_clips = False
    assert not {"no-file", "missing"} & set(coverage(shelf).problems)


@pytest.mark.parametrize(
    "problem, names",
    [
        ("", ["alpha", "beta", "delta", "gamma_1"]),
        ("no-file", ["gamma_1"]),
        ("no-duration", ["gamma_1"]),
        ("no-moments", ["delta"]),
        ("failed", ["beta"]),
        ("missing", ["beta", "gamma_1"]),
        ("past-end", ["beta"]),
        ("short", ["beta"]),
    ],
)
def test_a_problem_lists_its_videos(shelf: Collection, problem: str, names: list[str]) -> None:
    page = video_page(shelf, VideoFilter.read({"problem": problem}), {})
    assert [row.video.name for row in page] == names


@pytest.mark.parametrize(
    "sort, names",
    [
        ("name", "alpha beta delta gamma_1"),
        ("-name", "gamma_1 delta beta alpha"),
        ("duration", "delta beta alpha gamma_1"),
        ("-duration", "alpha beta delta gamma_1"),
        ("-moments", "beta alpha gamma_1 delta"),
        ("-ready", "alpha beta delta gamma_1"),
        ("-missing", "beta gamma_1 alpha delta"),
        ("-failed", "beta alpha delta gamma_1"),
        ("path", "alpha beta delta gamma_1"),
        ("--name", "alpha beta delta gamma_1"),
        ("", "alpha beta delta gamma_1"),
    ],
)
def test_the_list_is_sorted_unknown_last(shelf: Collection, sort: str, names: str) -> None:
    assert " ".join(row.video.name for row in video_page(shelf, VideoFilter.read({"sort": sort}), {})) == names


def test_a_row_counts_its_clips_and_draws_its_moments(shelf: Collection) -> None:
    row = next(row for row in video_page(shelf, VideoFilter(), {}) if row.video.name == "beta")
    assert (row.moments, row.ready, row.missing, row.failed, row.lanes) == (3, 1, 1, 1, 1)
    assert [state for _, state in row.strip] == ["ready", "missing", "failed"]
    # The line reaches as far as the moment that passes the video.
    assert row.strip[2][0].left == pytest.approx(100 * 49 / 52)


def test_no_markup_of_a_description_or_a_name_reaches_the_page(collection: Collection) -> None:
    nasty = "Ada <script>alert(1)</script> waves & \ue001 a \ue000flag <b>high</b>."
    film = video(collection, "<img src=x onerror=alert(2)>")
    Clip.objects.create(moment=moment(film, 1, 2, nasty), problem="<i>broken</i>")
    for address in ("/c/paper/videos/?q=flag", "/c/paper/videos/?q=<script>", f"/c/paper/videos/{film.pk}/"):
        text = logged_in().get(address).content.decode()
        assert "<script>alert" not in text
        assert "<img src=x" not in text
        assert "<b>high" not in text
        assert "<i>broken" not in text
    page = logged_in().get("/c/paper/videos/?q=flag").content.decode()
    assert "<mark>flag</mark>" in page
    # All of its words are there, in order.
    shown = html.unescape(re.sub(r"</?mark>", "", re.findall(r"<li><a[^>]*>(.*?)</a>", page, re.DOTALL)[-1]))
    assert re.findall(r"\w+", shown) == re.findall(r"\w+", nasty)


@pytest.mark.parametrize("asked", [{"page": "99"}, {"page": "x"}, {"q": "a\0b"}, {"q": "x" * 5000}, {"problem": "?"}])
def test_a_strange_address_shows_a_page(shelf: Collection, asked: dict[str, str]) -> None:
    for path in ("/c/paper/videos/", "/c/paper/videos.csv"):
        response = logged_in().get(path, asked)
        assert response.status_code == 200
        if response.streaming:
            assert b"".join(response).startswith(b"video,")


def test_the_csv_is_the_list_with_all_its_pages(shelf: Collection) -> None:
    Video.objects.bulk_create(Video(collection=shelf, name=f"reel {n:03}", duration=10) for n in range(120))
    response = logged_in().get("/c/paper/videos.csv", {"sort": "-moments"})
    rows = list(csv.DictReader(io.StringIO(b"".join(response).decode())))
    assert len(rows) == 124
    assert rows[0] == {
        "video": "beta",
        "duration": "50",
        "moments": "3",
        "clips_ready": "1",
        "clips_missing": "1",
        "clips_failed": "1",
        "has_file": "yes",
    }
    narrowed = logged_in().get("/c/paper/videos.csv", {"q": "umbrella", "problem": "no-file"})
    assert [row["video"] for row in csv.DictReader(io.StringIO(b"".join(narrowed).decode()))] == ["gamma_1"]


@pytest.mark.parametrize(
    "path, most",
    [
        ("/c/paper/videos/", 11),
        ("/c/paper/videos/?q=takes&sort=-failed&problem=missing&page=2", 13),
        ("/c/paper/videos/?part=list&q=takes", 8),
        ("/c/paper/videos.csv?q=takes", 4),
    ],
)
def test_a_page_costs_the_same_few_queries_however_large(collection: Collection, path: str, most: int) -> None:
    fill(collection, videos=60, moments=2)
    client = logged_in()

    def cost() -> int:
        with CaptureQueriesContext(connection) as captured:
            response = client.get(path)
            assert response.status_code == 200
            if response.streaming:
                b"".join(response)
        return len(captured)

    few = cost()
    assert few <= most
    fill(collection, videos=400, moments=6, name="more")
    assert cost() == few


def test_a_video_page_costs_the_same_queries_however_many_moments(collection: Collection) -> None:
    fill(collection, videos=3, moments=2)
    few = Video.objects.get(name="v00001")
    many = video(collection, "v00001b")
    for number in range(40):
        moment(many, number, number + 5, f"Bo takes lamp {number}.", "And again.")
    client = logged_in()
    costs = []
    for film in (few, many):
        with CaptureQueriesContext(connection) as captured:
            assert client.get(f"/c/paper/videos/{film.pk}/").status_code == 200
        costs.append(len(captured))
    assert costs[0] == costs[1] <= 9


def test_a_video_s_page_has_its_moments_their_words_and_what_is_wrong(shelf: Collection) -> None:
    page = logged_in().get(f"/c/paper/videos/{Video.objects.get(name='beta').pk}/").content.decode()
    assert "The clip could not be cut: beta ends at 48.00 s." in page
    assert "The moment ends 2.00 s after the video, which lasts 50.00 s." in page
    assert "The clip plays 2.00 s of the moment&#x27;s 5.00 s." in page
    assert "no clip yet" in page
    good = Video.objects.get(name="alpha")
    page = logged_in().get(f"/c/paper/videos/{good.pk}/").content.decode()
    assert "“Who is there?”" in page
    clip = Clip.objects.get(video_file="b.mp4")
    assert f'data-clip="/clips/{clip.public_name}.mp4" data-poster="/clips/{clip.public_name}.jpg"' in page
    assert [row.bar.lane for row in video_view(good).rows] == [0, 1]
    lonely = logged_in().get(f"/c/paper/videos/{Video.objects.get(name='gamma_1').pk}/").content.decode()
    assert "The video has no file, so its clips can&#x27;t be cut." in lonely
    assert "The duration is not known" in lonely
    empty = logged_in().get(f"/c/paper/videos/{Video.objects.get(name='delta').pk}/").content.decode()
    assert "No description names this video, so it has no moments." in empty


def test_the_pages_say_what_fills_them(collection: Collection) -> None:
    assert "No videos yet." in logged_in().get("/c/paper/videos/").content.decode()
    film = video(collection, "alpha", path="")
    moment(film, 1, 2, "Ada waits.")
    page = logged_in().get("/c/paper/videos/").content.decode()
    assert 'href="/c/paper/videos/add/">Add videos</a>, then' in page
    film.path = "/films/alpha.mp4"
    film.save()
    assert "No clips are cut yet" in logged_in().get("/c/paper/videos/").content.decode()
    Collection.objects.update(has_clips=False)
    assert "This collection has no clips" in logged_in().get("/c/paper/videos/").content.decode()


def test_a_video_of_another_collection_is_not_there(shelf: Collection) -> None:
    other = Collection.objects.create(name="other", title="Other")
    foreign = video(other, "foreign")
    assert logged_in().get(f"/c/paper/videos/{foreign.pk}/").status_code == 404
    assert logged_in().get(f"/c/other/videos/{foreign.pk}/").status_code == 404


def test_videos_are_the_lead_s_alone(shelf: Collection) -> None:
    for path in ("/c/paper/videos/", "/c/paper/videos.csv", f"/c/paper/videos/{Video.objects.first().pk}/"):
        assert logged_in("ada").get(path).status_code == 200
        assert logged_in("bo").get(path).status_code == 403
        assert logged_in("mal").get(path).status_code == 404
        assert Client().get(path).status_code == 302
    assert 'href="/c/paper/videos/"' in logged_in("ada").get("/c/paper/").content.decode()


@pytest.mark.parametrize(
    ("stated", "real", "rate", "told"),
    [
        (10.0, 10.4, None, False),
        (10.0, 10.6, None, True),
        (10.0, 9.4, 3.0, False),
        (10.0, 9.2, 3.0, True),
        (None, 9.0, None, False),
    ],
)
def test_a_file_of_another_duration_than_stated_is_told(
    stated: float | None, real: float, rate: float | None, told: bool
) -> None:
    collection = get_or_create_collection(name="other", title="Other")
    film = Video.objects.create(
        collection=collection, name="one", path="one.mp4", duration=stated, file_duration=real, frame_rate=rate
    )
    Moment.objects.create(video=film, start=0, end=2)
    assert ("other-duration" in coverage(collection).problems) is told
    listed = [row[0] for row in all_rows(collection, VideoFilter(problem="other-duration"))]
    assert listed == (["one"] if told else [])
    assert any("The file lasts" in problem for problem in video_view(film).problems) is told
