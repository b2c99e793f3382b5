"""Pages of lists that grow: by number as far as rows are counted, by cursors beyond."""

import re
from collections.abc import Callable, Iterator
from typing import Any

import pytest
from django.db import connection
from django.test import Client
from django.test.utils import CaptureQueriesContext

from corpus.browse.selectors import VideoFilter, all_rows, video_page
from corpus.models import Moment, Video
from foundation.collections.members import get_or_create_collection
from foundation.infra.list_pages import COUNTED, Link, ListPage
from foundation.models import Account, Collection

pytestmark = pytest.mark.django_db
SIZE = 50
VIDEOS = COUNTED + 3 * SIZE + 7


@pytest.fixture(scope="module")
def long_list(django_db_setup: None, django_db_blocker: Any) -> Iterator[None]:
    """`VIDEOS` videos: a tenth without a duration, the others with one of four, some with moments."""
    with django_db_blocker.unblock():
        collection, account = get_or_create_collection(name="long"), Account.objects.create_user("lena")
        collection.memberships.create(account=account, role="lead")
        Video.objects.bulk_create(
            Video(collection=collection, name=f"v{n * 7919 % VIDEOS:05}", duration=(n % 10 and 10.5 + n % 4) or None)
            for n in range(VIDEOS)
        )
        some = Video.objects.filter(collection=collection, name__lt="v00500").order_by("name")
        Moment.objects.bulk_create(
            Moment(video=video, start=m, end=m + 0.5) for n, video in enumerate(some) for m in range(1 + n % 3)
        )
        yield
        collection.delete()
        account.delete()


@pytest.fixture
def collection(long_list: None) -> Collection:
    return Collection.objects.get(name="long")


def asked_by(link: Link | None) -> dict[str, str]:
    assert link is not None
    parts = {"page": link.page, "after": link.after, "before": link.before}
    return {name: str(value) for name, value in parts.items() if value is not None}


def walk(page_of: Callable[[dict[str, str]], ListPage[Any]], sent: dict[str, str], way: str) -> list[ListPage[Any]]:
    pages = [page_of(sent)]
    while (link := getattr(pages[-1], way)) is not None:
        pages.append(page_of(asked_by(link)))
    return pages


@pytest.mark.parametrize("sort", ["name", "-name", "duration", "-duration", "moments", "-moments"])
def test_links_lead_through_all_rows_and_back(collection: Collection, sort: str) -> None:
    wanted = VideoFilter.read({"sort": sort})
    expected = [row[0] for row in all_rows(collection, wanted)]
    assert len(expected) == VIDEOS

    def page_of(sent: dict[str, str]) -> ListPage[Any]:
        return video_page(collection, wanted, sent)

    # The pages by number are those of any list: the last of them, and all beyond.
    last = COUNTED // SIZE
    pages = walk(page_of, {"page": str(last)}, "next")
    assert [page.number for page in pages] == [last, None, None, None, None]
    names = [row.video.name for page in pages for row in page]
    assert names == expected[(last - 1) * SIZE :]
    back = [[row.video.name for row in page] for page in walk(page_of, asked_by(pages[-1].previous), "previous")[:6]]
    assert back == [expected[begin - SIZE : begin] for begin in range(VIDEOS - 7, VIDEOS - 7 - 6 * SIZE, -SIZE)]


def test_where_the_list_begins_its_first_page_is_shown(collection: Collection) -> None:
    wanted = VideoFilter.read({})
    counted = video_page(collection, wanted, {"page": str(COUNTED // SIZE)})
    beyond = video_page(collection, wanted, asked_by(counted.next))
    third = beyond.rows[2].video
    Video.objects.filter(collection=collection, name__lt=third.name).delete()
    page = video_page(collection, wanted, asked_by(beyond.previous))
    assert (page.number, page.previous, page.rows[0].video) == (1, None, third)


@pytest.mark.parametrize("way", ["after", "before"])
def test_a_cursor_that_isn_t_the_list_s_own_shows_the_first_page(collection: Collection, way: str) -> None:
    by_name, by_duration = VideoFilter.read({}), VideoFilter.read({"sort": "duration"})
    far = video_page(collection, by_name, {"page": str(COUNTED // SIZE)})
    cursor = asked_by(far.next)["after"]
    forged = cursor[:-1] + ("A" if cursor[-1] != "A" else "B")
    for wanted, sent in ((by_name, forged), (by_name, "x"), (by_name, "\0"), (by_name, "é:1:2"), (by_duration, cursor)):
        page = video_page(collection, wanted, {way: sent})
        assert page.number == 1 and page.more and page.count == COUNTED


def test_the_page_beyond_the_counted_rows_has_no_number(collection: Collection) -> None:
    client = Client()
    client.force_login(Account.objects.get(username="lena"))
    text = client.get("/c/long/videos/?q=v&sort=-duration&page=200").content.decode()
    assert "Page 200 of more than 200" in text and "More than 10,000 videos" in text
    (to,) = re.findall(r'rel="next" href="([^"]*)"', text)
    assert "page=" not in to and "sort=-duration" in to
    with CaptureQueriesContext(connection) as captured:
        text = client.get(f"/c/long/videos/{to.replace('&amp;', '&')}").content.decode()
    assert not [query for query in captured if "OFFSET" in query["sql"]]
    assert "Page " not in text.split('class="pages"')[1] and ">First page<" in text
    (to,) = re.findall(r'rel="prev" href="([^"]*)"', text)
    again = client.get(f"/c/long/videos/{to.replace('&amp;', '&')}").content.decode()
    assert re.findall(r">v(\d{5})<", again) == re.findall(
        r">v(\d{5})<", client.get("/c/long/videos/?q=v&sort=-duration&page=200").content.decode()
    )


def test_links_of_the_list_alone_lead_to_the_whole_page(collection: Collection) -> None:
    client = Client()
    client.force_login(Account.objects.get(username="lena"))
    for page in ("1", "200"):
        text = client.get(f"/c/long/videos/?q=v&sort=name&page={page}&part=list").content.decode()
        (to,) = re.findall(r'rel="next" href="([^"]*)"', text)
        assert "part=" not in to and "q=v" in to and "sort=name" in to
