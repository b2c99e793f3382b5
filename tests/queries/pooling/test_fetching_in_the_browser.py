"""What changes in the candidate pool after candidates were fetched is said, and a worker fetches them for the lead."""

from pathlib import Path
from typing import Any

import pytest
from django.core.files.storage import default_storage
from django.test import Client

from datasets.content.splits import Splits
from datasets.content.training import Training
from foundation.collections.members import add_member
from foundation.models import Account, Collection, Membership
from foundation.refused import Refused
from foundation.text import normalise
from queries.models import Attempt, CandidateFetch, Caption
from queries.pooling.candidates import fetch_candidates, training_file
from queries.pooling.fetch_jobs import fetch_asked_candidates
from queries.pooling.query_selection import select_queries
from queries.pooling.selectors import PoolChange, pool_change
from queries.retrieval.embedding_cache import BLOCK
from queries.review.decisions import take_back
from tests.api.callers import read
from tests.queries.conftest import doors, make_collection
from tests.workers import one_worker, wait_until

SIZE = 12


def captioned(count: int = SIZE) -> Collection:
    """A collection whose captions are accepted, but for the last two: these wait for review."""
    collection = make_collection(doors(count))
    texts = [(row, row.text.replace("Rachel", "A woman")) for row in collection.descriptions.order_by("pk")]
    checked = {"number": 1, "rewriter": "rules", "similarity_passed": True, "names_passed": True}
    attempts = Attempt.objects.bulk_create(Attempt(description=row, text=text, **checked) for row, text in texts)
    Caption.objects.bulk_create(
        Caption(
            description=attempt.description,
            attempt=attempt,
            text=attempt.text,
            normalised=normalise(attempt.text),
            status="accepted",
        )
        for attempt in attempts
    )
    Caption.objects.filter(pk__in=Caption.objects.order_by("-pk").values("pk")[:2]).update(status="review")
    select_queries(collection=collection, val=1, test=2, seed=1)
    return collection


def lead_of(collection: Collection) -> tuple[Membership, Client]:
    account = Account.objects.create(username="ada")
    client = Client()
    client.force_login(account)
    return add_member(collection=collection, account=account, role="lead"), client


def told_stages(client: Client) -> tuple[dict[str, Any], dict[str, Any]]:
    """The overview's stages by name, and its needs by kind."""
    overview = read(client, "collections/friends/overview")
    return {row["name"]: row for row in overview["steps"]}, {row["kind"]: row for row in overview["needs"]}


@pytest.mark.django_db
def test_a_caption_accepted_after_the_fetch_is_told_where_it_is_caused_and_wherever_it_matters() -> None:
    collection = captioned()
    lead, ada = lead_of(collection)
    first, second = Caption.objects.filter(status="review").order_by("pk")
    card = {"HTTP_ACCEPT": "application/json"}
    before = ada.post(f"/c/friends/captions/{first.pk}/decide", {"decision": "accept"}, **card).json()
    assert before["pool"].strip() == "", "nothing was fetched that could be out of date"
    assert "Nothing is open for judging yet. Next: Fetch candidates" in str(told_stages(ada)[1]["nothing"]["words"])

    fetch_candidates(collection=collection)
    stages, needs = told_stages(ada)
    assert stages["Candidates"]["state"] == "done"
    assert "pool" not in needs
    Training(Splits(collection))

    after = ada.post(f"/c/friends/captions/{second.pk}/decide", {"decision": "accept"}, **card).json()
    sentence = "1 accepted caption isn't in the candidate pool"
    assert sentence in after["pool"].replace("&#x27;", "'") and 'action="/c/friends/candidates/fetch"' in after["pool"]
    for page in ("captions/", "releases/", "candidates/"):
        text = ada.get(f"/c/friends/{page}").content.decode().replace("&#x27;", "'")
        assert sentence in text and 'action="/c/friends/candidates/fetch"' in text, page
    stages, needs = told_stages(ada)
    assert (stages["Candidates"]["done"], stages["Candidates"]["total"]) == (3, 3)
    assert (stages["Candidates"]["state"], stages["Candidates"]["waiting"]) == (
        "out-of-date",
        f"{sentence}: fetch candidates",
    )
    assert needs["pool"]["count"] == 1 and sentence in needs["pool"]["words"]
    assert 'href="/c/friends/candidates/"' in ada.get("/c/friends/").content.decode()
    with pytest.raises(Refused, match="1 pseudo-training queries have no candidates yet"):
        Training(Splits(collection))

    # Taken back, it is as before; refused or reworded after a fetch, the pool has lost it.
    take_back(member=lead)
    assert pool_change(collection) == PoolChange()
    Caption.objects.filter(pk=first.pk).update(status="refused")
    assert pool_change(collection) == PoolChange(gone=1)
    assert "1 in the candidate pool is no longer accepted" in ada.get("/c/friends/captions/").content.decode()
    fetch_candidates(collection=collection)
    assert pool_change(collection) == PoolChange()


@pytest.mark.django_db
def test_the_lead_asks_once_and_sees_why_nothing_came_of_it() -> None:
    collection = captioned()
    _, ada = lead_of(collection)
    for _ in range(2):
        assert ada.post("/c/friends/candidates/fetch")["Location"] == "/c/friends/candidates/"
    job = CandidateFetch.objects.get()
    assert "No worker runs: start script/worker." in ada.get("/c/friends/candidates/").content.decode()
    Caption.objects.update(status="review")
    fetch_asked_candidates(job.pk)
    page = ada.get("/c/friends/candidates/").content.decode()
    assert "No candidates were fetched." in page and "No moment has an accepted caption" in page
    assert ada.get(f"/c/friends/jobs/candidates/{job.pk}/progress").json()["finished"]
    Caption.objects.update(status="accepted")
    ada.post("/c/friends/candidates/fetch")
    again = CandidateFetch.objects.latest("pk")
    for _ in range(2):
        fetch_asked_candidates(again.pk)
    said = ada.get(f"/c/friends/jobs/candidates/{again.pk}/progress").json()
    assert (said["state"], said["share"]) == ("done", 100.0)
    assert f"{SIZE} descriptions ranked for training" in said["words"] and "3 val and test queries" in said["words"]
    assert default_storage.exists(training_file(collection))


@pytest.mark.django_db(transaction=True)
def test_a_worker_fetches_for_the_lead_all_by_itself(tmp_path: Path) -> None:
    # More captions than a block of texts: waiting for others to encode them, the only worker would wait for itself.
    collection = captioned(BLOCK + 10)
    _, ada = lead_of(collection)
    ada.post("/c/friends/candidates/fetch")
    with one_worker(tmp_path / "worker.log"):
        wait_until(lambda: CandidateFetch.objects.get().finished)
    assert CandidateFetch.objects.get().problem == ""
    assert collection.queries.filter(candidates__rank=1).count() == 3
    assert pool_change(collection) == PoolChange()
