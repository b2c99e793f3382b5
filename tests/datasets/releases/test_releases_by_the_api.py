"""Releases compared, certified, published and made public by programs."""

from pathlib import Path
from typing import Any

import pytest
from django.test import Client

from annotation.models import Batch
from annotation.review.decisions import review_batch
from datasets.certificates.jobs import certify_release
from datasets.leaderboard.runs import open_board
from datasets.models import Certificate, Publication, Release
from datasets.publishing.jobs import work_on_publication
from datasets.releases.make_release import create_release
from foundation.models import Membership
from tests.api.callers import Caller
from tests.datasets.boards import ground_truth, lines, perfect, reversed_run, scored
from tests.datasets.conftest import World

HERE = "/collections/tiny"


@pytest.fixture
def release(judged: World) -> Release:
    return create_release(collection=judged.collection, name="v1", formats=["tvr-ranking", "parquet"])


@pytest.fixture
def ada(judged: World) -> Caller:
    return Caller(judged.members["ada"])


def there(release: Release) -> str:
    return f"{HERE}/releases/{release.pk}"


def test_what_a_second_release_has_more_is_counted_and_listed_from_any_place_on(unjudged: World) -> None:
    unjudged.judge(unjudged.pair("101", 1), ("bo", 3), ("cy", 4))
    first = create_release(collection=unjudged.collection, name="v1")
    unjudged.judge_all()
    second = create_release(collection=unjudged.collection, name="v2")
    ada = Caller(unjudged.members["ada"])
    on = ada.get(f"{there(first)}/differences/{second.pk}").json()
    assert (on["first"]["name"], on["second"]["name"], on["running"]) == ("v1", "v2", False)
    assert on["counts"]["val"]["grade"] == {"added": 4, "changed": 0, "removed": 0}
    assert len(on["differences"]) == on["total"] > 2
    rest = ada.get(f"{there(first)}/differences/{second.pk}?start=2").json()
    assert rest["differences"] == on["differences"][2:]
    back = ada.get(f"{there(second)}/differences/{first.pk}").json()
    assert back["counts"]["val"]["grade"] == {"added": 0, "changed": 0, "removed": 4}
    same = ada.get(f"{there(first)}/differences/{first.pk}").json()
    assert (same["total"], same["differences"]) == (0, [])


def test_a_certificate_says_what_is_missing_and_is_computed_once_for_the_same_runs(
    ada: Caller, release: Release, tmp_path: Path
) -> None:
    path = f"{there(release)}/certificate"
    none = ada.post(path)
    assert none.status_code == 202 and "needs the runs of 2 or more" in none.json()["missing"]
    assert none.json()["job"] is None and not Certificate.objects.exists()
    assert ada.get(f"{path}/test").status_code == 404
    queries = ground_truth(release, tmp_path / "files")
    for name, rows in (("one", perfect(queries)), ("two", reversed_run(queries))):
        scored(open_board(release=release, split="test"), name, lines(rows))
    asked = ada.post(path).json()
    assert (asked["missing"], asked["job"]["state"], asked["certificate"]) == ("", "queued", None)
    certify_release(asked["job"]["job"])
    found = ada.post(path).json()
    assert found["job"]["job"] == asked["job"]["job"], "the runs are the same"
    assert found["as_of"] and list(found["certificate"]["splits"]) == ["test"]
    assert ada.get(path).json()["certificate"] == found["certificate"]
    figure = ada.get(f"{path}/test")
    assert figure["Content-Type"].startswith("image/svg") and b"<svg" in figure.content
    assert ada.get(f"{path}/val").status_code == 404, "no run answers val"


def test_a_publication_is_looked_at_then_confirmed_and_sent_once(
    ada: Caller, release: Release, settings: Any, tmp_path: Path
) -> None:
    settings.PUBLISH_ROOTS = (str(tmp_path / "srv"),)
    (tmp_path / "srv").mkdir()
    refused = ada.post(f"{there(release)}/publications", {"root": str(tmp_path), "below": "v1"})
    assert refused.status_code in (409, 422) and not Publication.objects.exists(), "no place that the server allows"
    sent = ada.post(f"{there(release)}/publications", {"root": str(tmp_path / "srv"), "below": "v1"})
    assert (sent.status_code, sent.json()["release"], sent.json()["confirmed_at"]) == (202, release.pk, None)
    number = sent.json()["job"]
    work_on_publication(publication_id=number)
    planned = ada.get(f"{HERE}/publications/{number}").json()
    assert planned["state"] == "planned" and {one["path"] for one in planned["files"]} == set(release.files)
    assert list((tmp_path / "srv").iterdir()) == [], "looking sends nothing"
    confirmed = ada.post(f"{HERE}/publications/{number}/confirm", {}).json()
    assert confirmed["confirmed_at"] and not confirmed["replace"]
    work_on_publication(publication_id=number)
    done = ada.get(f"{HERE}/publications").json()["items"]
    assert [(one["job"], one["state"]) for one in done] == [(number, "done")]
    assert (tmp_path / "srv" / "v1" / "manifest.json").exists()
    again = ada.post(f"{HERE}/publications/{number}/confirm", {"replace": True})
    assert Publication.objects.get().finished_at and (again.status_code == 409 or not again.json()["replace"])


def test_a_page_is_public_once_its_owner_agrees_until_it_is_withdrawn(
    ada: Caller, judged: World, release: Release
) -> None:
    Membership.objects.filter(pk=judged.members["ada"].pk).update(role=Membership.Role.OWNER)
    path, page = f"{there(release)}/public", f"/published/tiny/{release.name}/"
    assert ada.get(path).json()["public_since"] is None and Client().get(page).status_code == 404
    refused = ada.post(path, {"files": "all"})
    assert (refused.status_code, refused.json()["errors"][0]["field"]) == (422, "body.agreed")
    assert Client().get(page).status_code == 404
    made = ada.post(path, {"files": "without-test", "agreed": True}).json()
    assert made["public_since"] and (made["files"], made["pictures"], made["indexed"]) == (
        "without-test",
        "none",
        False,
    )
    assert made["address"].endswith(page) and Client().get(page).status_code == 200
    assert made["still_judged"] and Client().get(f"{page}files/val.json").status_code == 404, "annotators could look"
    for batch in Batch.objects.filter(status=Batch.Status.DECIDED):
        review_batch(member=judged.members["ada"], batch_id=batch.pk, decision="finish")
    assert ada.get(path).json()["still_judged"] == ""
    assert Client().get(f"{page}files/val.json").status_code == 200
    assert Client().get(f"{page}files/test.json").status_code == 404
    withdrawn = ada.post(f"{path}/withdraw").json()
    assert withdrawn["public_since"] is None and Client().get(page).status_code == 404


def test_a_lead_who_owns_nothing_makes_no_page_public(judged: World, release: Release) -> None:
    Membership.objects.filter(pk=judged.members["bo"].pk).update(role=Membership.Role.LEAD, has_led=True)
    bo = Caller(Membership.objects.get(pk=judged.members["bo"].pk))
    assert bo.get(f"{there(release)}/public").status_code == 200
    for path, body in (("public", {"agreed": True}), ("public/withdraw", None)):
        assert bo.post(f"{there(release)}/{path}", body).status_code == 403


def test_a_citation_is_completed_field_by_field(ada: Caller, release: Release) -> None:
    said = {"title": "Tiny", "authors": "Noether, Emmy", "year": "2026", "address": "https://example.org/tiny"}
    made = ada.post(f"{there(release)}/citation", said).json()
    assert {field: made[field] for field in said} == said
    assert "Noether" in made["line"] and "2026" in made["line"] and "title = {{Tiny}}" in made["bibtex"]
    assert ada.get(f"{there(release)}/citation").json() == made
    wrong = ada.post(f"{there(release)}/citation", {**said, "address": "not an address"})
    assert (wrong.status_code, wrong.json()["errors"][0]["field"]) == (422, "body.address")
    assert ada.get(f"{there(release)}/citation").json() == made
