"""A lead draws queries from a page: what can't be drawn is said beside its field, as the command refuses it."""

from typing import Any

import pytest
from django.core.files.uploadedfile import SimpleUploadedFile
from django.core.management import call_command
from django.test import Client

from annotation.batches.opening import open_annotation
from foundation.collections.members import add_member
from foundation.infra.advisory_lock import hold_descriptions
from foundation.infra.job_control import stop_job
from foundation.models import Account, Collection
from queries.models import Candidate, Caption, Draw, Query, QueryDraw
from queries.pooling.draw_jobs import draw_queries
from tests.api.callers import read
from tests.queries.pooling.test_select_queries_command import shows  # noqa: F401 - a fixture

PAGE = "/c/shows/draw/"


@pytest.fixture
def ada(shows: Collection) -> Client:  # noqa: F811
    account = Account.objects.create(username="ada")
    add_member(collection=shows, account=account, role="lead")
    client = Client()
    client.force_login(account)
    return client


def asked(client: Client, **sent: Any) -> str:
    """Ask for a draw and have it made. Returns the page that follows."""
    answer = client.post(f"{PAGE}make", {"val": 4, "test": 8, "seed": 1, "stratify": "", **sent})
    if answer.status_code == 400:
        return answer.content.decode().replace("&#x27;", "'")
    assert answer["Location"] == PAGE
    draw_queries(QueryDraw.objects.latest("pk").pk)
    return client.get(PAGE).content.decode()


def drawn() -> list[tuple[str, str]]:
    return list(Query.objects.order_by("split", "position").values_list("split", "text"))


@pytest.mark.django_db
def test_the_page_draws_what_the_command_draws(ada: Client) -> None:
    before = read(ada, "collections/shows/draw")
    assert (before["captions"], before["draw"], before["fixed"]) == (48, None, "")
    assert list(before["shows"].items()) == [("castle", 24), ("", 12), ("friends", 12)]
    page = asked(ada, stratify="show")
    assert "4 val and 8 test queries drawn from 48 distinct captions" in page
    by_page = drawn()
    assert {sample["text"] for sample in ada.get(PAGE).context["samples"]} == {text for _, text in by_page}
    call_command("select_queries", "shows", val=4, test=8, seed=1, stratify="show", verbosity=0)
    assert drawn() == by_page, "it is the same draw, so the command changes nothing"


@pytest.mark.django_db
@pytest.mark.parametrize(
    ("sent", "field", "said"),
    [
        ({"val": 40, "test": 9}, "test", "Found 49 queries in all, expected at most 48"),
        ({"val": 0, "test": 0}, "test", "Found 0 queries in both splits, expected at least 1."),
        ({"val": -1}, "val", "Found “-1”, expected a whole number from 0"),
        ({"seed": "one"}, "seed", "Found “one”, expected a whole number"),
        ({"test": "1.234,5"}, "test", "Found “1.234,5”, expected a whole number from 0 to 1,000,000."),
        ({"val": ""}, "val", "Enter a whole number."),
        ({"stratify": "file"}, "table", "Choose a CSV file"),
        ({"stratify": "file", "table": SimpleUploadedFile("a.csv", b"video_name,b\n")}, "column", "Enter the column"),
        (
            {"stratify": "file", "column": "genre", "table": SimpleUploadedFile("a.csv", b"video_name,b\n")},
            "table",
            "a.csv: found the columns ['video_name', 'b'], expected video_name and genre",
        ),
    ],
)
def test_what_can_t_be_drawn_is_said_beside_its_field(ada: Client, sent: dict[str, Any], field: str, said: str) -> None:
    page = asked(ada, **sent)
    assert said in page.partition(f'id="field-{field}-wrong">')[2].partition("</p>")[0]
    assert not QueryDraw.objects.exists()


@pytest.mark.django_db
def test_a_file_s_groups_have_their_shares_and_a_video_without_one_is_named(ada: Client) -> None:
    names = Collection.objects.get().videos.values_list("name", flat=True)
    rows = "".join(f"{name},{'a' if number % 2 else 'b'}\n" for number, name in enumerate(sorted(names)))
    table = SimpleUploadedFile("groups.csv", f"video_name,group\n{rows}".encode())
    assert "4 val and 8 test queries drawn" in asked(ada, stratify="file", column="group", table=table)
    assert Draw.objects.get().stratify.startswith("group sha256:")
    short = SimpleUploadedFile("groups.csv", f"video_name,group\n{rows.partition(chr(10))[0]}\n".encode())
    page = asked(ada, stratify="file", column="group", table=short, redraw="on")
    assert "Nothing was drawn." in page and "videos with captions have no value of group" in page
    assert len(drawn()) == 12, "the draw that stood still stands"


@pytest.mark.django_db
def test_another_draw_needs_a_word_and_none_follows_once_judging_is_open(ada: Client) -> None:
    asked(ada)
    first = drawn()
    page = asked(ada, seed=2)
    assert "Queries are drawn already. Tick this box to replace them." in page and drawn() == first
    asked(ada, seed=2, redraw="on")
    assert drawn() != first and Draw.objects.get().seed == 2
    assert "were drawn already" in asked(ada, seed=2)
    caption = Caption.objects.first()
    for query in Query.objects.all():
        own = {"query": query, "caption": caption, "caption_text": "", "moment": caption.description.moment}
        Candidate.objects.create(**own, rank=1, similarity=1)
    open_annotation(collection=Collection.objects.get())
    page = ada.get(PAGE).content.decode()
    assert "Judging of these queries is open, so they can&#x27;t be drawn again." in page and "draw/make" not in page
    assert "they are fixed" in asked(ada, seed=3, redraw="on")
    assert Draw.objects.get().seed == 2


@pytest.mark.django_db(transaction=True)
def test_a_draw_waits_for_an_import_and_can_be_stopped_meanwhile(ada: Client) -> None:
    from django.db import connection, transaction

    ada.post(f"{PAGE}make", {"val": 4, "test": 8, "seed": 1})
    ada.post(f"{PAGE}make", {"val": 5, "test": 8, "seed": 1})
    job = QueryDraw.objects.get()
    other = connection.copy()
    try:
        with other.cursor() as cursor:
            cursor.execute(
                "SELECT pg_advisory_lock(hashtext('corpus.descriptions'), hashint8(%s))", [job.collection_id]
            )
        draw_queries(job.pk)
        job.refresh_from_db()
        assert (job.state, drawn()) == ("queued", [])
        assert stop_job(job)
        with other.cursor() as cursor:
            cursor.execute("SELECT pg_advisory_unlock_all()")  # closing lets go too, but some time later
    finally:
        other.close()
    draw_queries(job.pk)
    assert drawn() == []
    with transaction.atomic():
        hold_descriptions(job.collection)
    ada.post(f"/c/shows/jobs/draw/{job.pk}/resume")
    draw_queries(job.pk)
    assert len(drawn()) == 12


@pytest.mark.django_db
def test_the_page_draws_from_each_caption_but_not_by_groups_too(ada: Client) -> None:
    page = asked(ada, stratify="show", each_caption="on")
    assert "Groups get their share of distinct captions" in page and not QueryDraw.objects.exists()
    assert "Equal captions had a chance each." in asked(ada, each_caption="on")
    by_page = drawn()
    call_command("select_queries", "shows", val=4, test=8, seed=1, each_caption=True, verbosity=0)
    assert drawn() == by_page, "it is the same draw, so the command changes nothing"
    assert read(ada, "collections/shows/draw")["draw"]["each_caption"] is True
    assert "Tick this box to replace them" in asked(ada), "the other draw isn't the one that stands"
