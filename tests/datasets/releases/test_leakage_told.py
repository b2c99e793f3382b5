"""Leads read how near training captions come to queries on a page, by a command and the API; it is computed apart."""

import csv
import io
import json
import re
from pathlib import Path

import pytest
from django.core.management import CommandError, call_command
from django.test import Client

from annotation.models import Computed
from annotation.precomputed import refresh_computed
from datasets.models import Release, ReleaseJob
from datasets.releases.jobs import make_asked_release
from foundation.collections.members import get_or_create_collection
from foundation.models import Account
from queries.models import Draw
from tests.api.callers import read
from tests.datasets.conftest import World

PAGE = "/c/tiny/leakage/"


@pytest.fixture
def ada(judged: World) -> Client:
    client = Client()
    client.force_login(Account.objects.get(username="ada"))
    return client


def compute(world: World) -> None:
    refresh_computed(collection=world.collection, name=f"leakage:{Draw.objects.get().pk}")


def test_page_csv_and_api_say_the_same_once_a_worker_has_compared(judged: World, ada: Client) -> None:
    assert "Being computed" in ada.get(PAGE).content.decode()
    assert read(ada, "collections/tiny/leakage")["leakage"] is None
    compute(judged)
    page = ada.get(PAGE)
    found = page.context["leakage"]
    assert read(ada, "collections/tiny/leakage")["leakage"] == found
    assert [counts["compared"] for _, counts in page.context["parts"]] == [2, 2, 7]
    assert all(row["training_query"] in page.content.decode().replace("&quot;", '"') for row in found["worst"])
    rows = list(csv.DictReader(io.StringIO(ada.get(f"{PAGE}csv").content.decode(), newline="")))
    assert [float(row["cosine"]) for row in rows] == [row["cosine"] for row in found["worst"]]


def test_each_count_stands_below_its_level(judged: World, ada: Client) -> None:
    compute(judged)
    stored = Computed.objects.get(name=f"leakage:{Draw.objects.get().pk}")
    for number, level in enumerate(("0.85", "0.9", "0.95")):
        stored.value["val"]["from"][level] = {"queries": 123 - number, "share": None}
    stored.save()
    page = ada.get(PAGE).content.decode()
    heads = re.findall(r">(0\.\d+) or more<", page)
    row = page[page.index("Val queries with such") :].partition("</tr>")[0]
    counts = re.findall(r'<td class="number">(1\d\d)', row)
    assert dict(zip(heads, counts, strict=True)) == {"0.85": "123", "0.9": "122", "0.95": "121"}


def test_another_draw_has_a_report_of_its_own(judged: World, ada: Client) -> None:
    compute(judged)
    assert ada.get(PAGE).context["leakage"] is not None
    Draw.objects.all().delete()
    Draw.objects.create(collection=judged.collection, val=2, test=2, seed=8)
    assert ada.get(PAGE).context["leakage"] is None


def test_before_any_query_there_is_nothing_to_compare(judged: World, ada: Client) -> None:
    empty = get_or_create_collection(name="empty", title="Empty")
    empty.memberships.create(account=Account.objects.get(username="ada"), role="lead", worker="w1")
    assert "Once queries are drawn" in ada.get("/c/empty/leakage/").content.decode()
    with pytest.raises(CommandError, match="no queries are drawn yet"):
        call_command("measure_leakage", "empty")


def test_the_command_tells_and_writes(judged: World, tmp_path: Path) -> None:
    said = io.StringIO()
    call_command("measure_leakage", "tiny", csv=tmp_path / "all.csv", stdout=said)
    assert "val: 2 of 2 queries compared; " in said.getvalue()
    assert "training: 7 of 7 pseudo-training queries compared; " in said.getvalue()
    with (tmp_path / "all.csv").open(newline="") as file:
        rows = list(csv.DictReader(file))
    assert [row["query_id"] for row in rows] == ["102", "101", "103", "104"]
    said = io.StringIO()
    call_command("measure_leakage", "tiny", "--json", stdout=said)
    worst = json.loads(said.getvalue())["worst"]
    assert {(str(row["query_id"]), row["cosine"]) for row in worst} == {
        (row["query_id"], float(row["cosine"])) for row in rows
    }
    with pytest.raises(CommandError, match=r"nowhere/all\.csv can't be written: No such file"):
        call_command("measure_leakage", "tiny", csv=tmp_path / "nowhere" / "all.csv")


@pytest.mark.parametrize(
    ("typed", "problem"),
    [("0.4", "Found the cosine 0.4 for training, expected 0.5 to 1"), ("near", "Found “near”, expected a cosine")],
)
def test_a_limit_that_is_none_is_told_beside_its_field(judged: World, ada: Client, typed: str, problem: str) -> None:
    answer = ada.post("/c/tiny/releases/make", {"name": "v1", "format": "tvr-ranking", "train_below": typed})
    assert answer.status_code == 400 and problem in answer.content.decode()
    assert not ReleaseJob.objects.exists()


def test_a_limit_of_the_page_reaches_the_release_or_is_refused_with_what_to_do(judged: World, ada: Client) -> None:
    ada.post("/c/tiny/releases/make", {"name": "v1", "format": "tvr-ranking", "train_below": "0,9"})
    job = ReleaseJob.objects.get()
    assert job.train_below == 0.9
    make_asked_release(job.pk)
    job.refresh_from_db()
    assert not Release.objects.exists() and "fetch candidates again" in job.problem
