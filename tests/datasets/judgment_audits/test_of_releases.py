"""The audit of a release: from its raw judgments, computed once, for its leads."""

import json
from typing import Any

import pytest
from django.test import Client

from annotation.models import Computed, Judgment
from annotation.precomputed import refresh
from datasets.judgment_audits import of_releases
from datasets.models import Release
from datasets.releases.make_release import create_release
from foundation.models import Account
from tests.api.callers import Caller
from tests.datasets.conftest import World


@pytest.fixture
def release(judged: World) -> Release:
    return create_release(collection=judged.collection, name="v1")


@pytest.fixture
def ada(judged: World) -> Client:
    client = Client()
    client.force_login(Account.objects.get(username="ada"))
    return client


def test_its_page_files_and_api_count_what_was_judged(ada: Client, release: Release) -> None:
    address = f"/c/tiny/releases/{release.pk}/audit/"
    assert f'href="{address}"' in ada.get(f"/c/tiny/releases/{release.pk}/").content.decode()
    page = ada.get(address)
    assert page.status_code == 200 and "Audit of v1" in page.content.decode()
    found = json.loads(ada.get(f"{address}audit.json").content)
    counts = release.manifest["counts"]
    assert found["judgments"] == Judgment.objects.filter(taken_back_at=None).count()
    assert found["graded"] == sum(counts[split]["pairs"] for split in ("val", "test"))
    assert found["resampled"] == "queries and workers" and found["open"] == 0
    assert ada.get(f"{address}lowest_highest.svg").status_code == 200
    assert Computed.objects.filter(name=f"release-audit:{release.pk}").count() == 1
    told = Caller(Account.objects.get(username="ada")).get(f"/collections/tiny/releases/{release.pk}/audit").json()
    assert told["audit"] == found and not told["problem"]


def test_grades_by_a_lead_are_said_to_be_missing(ada: Client, release: Release) -> None:
    address = f"/c/tiny/releases/{release.pk}/audit/"
    assert "that a lead gave" not in ada.get(address).content.decode()
    release.manifest["adjudication"] = {"included": True, "file": "adjudicated.csv", "pairs": {"val": 1, "test": 2}}
    release.save()
    assert "3 grades that a lead gave to discarded pairs aren’t in that file." in ada.get(address).content.decode()


def test_of_a_large_release_a_worker_computes_it(ada: Client, release: Release, monkeypatch: Any) -> None:
    monkeypatch.setattr(of_releases, "AT_ONCE_BELOW", 0)
    address = f"/c/tiny/releases/{release.pk}/audit/"
    assert "is being audited" in ada.get(address).content.decode()
    assert ada.get(f"{address}audit.json").status_code == 404
    refresh(release.collection_id, f"release-audit:{release.pk}")
    assert "audit.json" in ada.get(address).content.decode()


def test_without_raw_judgments_it_says_why(ada: Client, judged: World) -> None:
    bare = create_release(collection=judged.collection, name="v2", formats=["trec"])
    page = ada.get(f"/c/tiny/releases/{bare.pk}/audit/").content.decode()
    assert "has no file &#x27;raw_annotations.csv&#x27;" in page
