"""An import is taken back until something depends on it; so are single descriptions and videos."""

import json
from pathlib import Path
from typing import Any

import pytest
from django.core.files.uploadedfile import SimpleUploadedFile
from django.test import Client
from django.urls import reverse

from corpus.description_import.jobs import keep_upload, run_import
from corpus.description_import.removing import ask_to_take_back, removal_of_import
from corpus.models import Clip, Description, Import, Moment, Video
from foundation.models import Collection, Membership
from foundation.refused import Refused
from queries.models import Attempt, Caption, Query
from tests.conftest import World, build_world
from tests.corpus.conftest import row
from tests.corpus.description_import.test_corrections import CORRECTIONS


def imported(collection: Collection, *rows: dict[str, Any], lines: str = "") -> Import:
    content = lines or "".join(f"{json.dumps(record)}\n" for record in rows)
    lead = Membership.objects.filter(collection=collection).exclude(role="annotator")[0]
    job = keep_upload(member=lead, upload=SimpleUploadedFile("rows.jsonl", content.encode()))
    run_import(import_id=job.pk)
    job.refresh_from_db()
    assert job.state == "done", job.problems
    return job


def taken_back(job: Import) -> str:
    """Take an import back as a worker does. Returns: what came of it."""
    ask_to_take_back(job=job)
    run_import(import_id=job.pk)
    job.refresh_from_db()
    assert (job.state, job.taking_back) == ("done", False)
    return job.said


def state(collection: Collection) -> Any:
    about = ("pk", "source_id", "text", "normalised", "kind", "language")
    place = ("moment__video__name", "moment__start", "moment__end")
    return (
        sorted(collection.descriptions.values_list(*about, *place)),
        sorted(Moment.objects.filter(video__collection=collection).values_list("video__name", "start", "end")),
        sorted(collection.videos.values_list("name", "duration")),
    )


CHANGES: dict[str, list[dict[str, Any]]] = {
    **{name: [row(1, **change)] for name, change in CORRECTIONS.items()},
    "what is new": [row(8), row(9, vid_name="new", duration=50.0)],
    "a duration": [row(n, duration=64.0) for n in (1, 2)],
    "all at once": [
        row(1, desc="Bo sings.", ts=[7, 8], vid_name="new"),
        row(2, type="vt"),
        row(3),
        row(4, ts=[2, 4.5]),
    ],
}


@pytest.mark.parametrize("rows", CHANGES.values(), ids=CHANGES)
def test_an_import_that_is_taken_back_leaves_all_as_it_was(
    collection: Collection, media: Path, rows: list[dict[str, Any]]
) -> None:
    imported(collection, row(1), row(2))
    before = state(collection)
    job = imported(collection, *rows)
    assert state(collection) != before
    assert taken_back(job) == "It was taken back."
    assert state(collection) == before
    assert not job.can_be_taken_back
    assert imported(collection, *rows).counts == job.counts


def test_rows_without_ids_are_changed_back(collection: Collection, media: Path) -> None:
    imported(collection, lines="film 1 2##Ada waits.\nfilm 3 4##Bo sits.\n")
    before = state(collection)
    job = imported(collection, lines="film 1 2##Ada waited.\nfilm 3 4##Bo sits.\n")
    assert job.counts["changed"] == 1
    taken_back(job)
    assert state(collection) == before


def test_it_costs_captions_and_clips_and_says_so(collection: Collection, media: Path) -> None:
    job = imported(collection, row(1), row(2))
    description = Description.objects.get(source_id="1")
    attempt = Attempt.objects.create(
        description=description, number=1, text="x", rewriter="rules", similarity_passed=True, names_passed=True
    )
    Caption.objects.create(description=description, attempt=attempt, text="x", normalised="x", status="accepted")
    Clip.objects.create(moment=description.moment)
    assert removal_of_import(job).losses == ["2 descriptions", "1 caption"]
    taken_back(job)
    assert not any(model.objects.exists() for model in (Description, Moment, Video, Caption, Attempt, Clip))


def test_what_a_later_import_changed_is_taken_back_first(collection: Collection, media: Path) -> None:
    first = imported(collection, row(1), row(2))
    later = imported(collection, row(1, desc="Else."))
    with pytest.raises(Refused, match=r"A later import, rows\.jsonl, has changed some of it"):
        ask_to_take_back(job=first)
    imported(collection, row(5))
    taken_back(later)
    taken_back(first)
    assert list(Description.objects.values_list("source_id", flat=True)) == ["5"]


@pytest.fixture
def used(db: None, media: Path) -> World:
    """A world with an import, of whose descriptions one became a query."""
    world = build_world(queries=1, candidates=3)
    imported(world.collection, row(41), row(42))
    description = Description.objects.get(source_id="41")
    Query.objects.create(
        collection=world.collection, description=description, split="test", text="x", normalised="x", position=50
    )
    return world


def test_what_a_query_is_made_of_stays(used: World, client_of: Any) -> None:
    job, before = Import.objects.get(), state(used.collection)
    with pytest.raises(Refused, match="Description 41 is in use: it is test query 50"):
        ask_to_take_back(job=job)
    client: Client = client_of(used["ada"].account)
    description = Description.objects.get(source_id="41")
    for address in (
        reverse("import-take-back", args=["paper", job.pk]),
        reverse("description-remove", args=["paper", description.pk]),
        reverse("video-remove", args=["paper", description.moment.video_id]),
    ):
        page = client.get(address).content.decode()
        assert "it is test query 50" in page and '<button class="button danger">' not in page
        assert client.post(address).status_code == 409
    assert state(used.collection) == before


def test_what_came_to_depend_on_it_while_it_waited_is_said(used: World) -> None:
    Query.objects.filter(position=50).delete()
    job = Import.objects.get()
    ask_to_take_back(job=job)
    description = Description.objects.get(source_id="41")
    Query.objects.create(
        collection=used.collection, description=description, split="test", text="x", normalised="x", position=50
    )
    run_import(import_id=job.pk)
    job.refresh_from_db()
    assert job.said.startswith("It was not taken back. Description 41 is in use") and job.can_be_taken_back
    assert Description.objects.filter(source_id__in=("41", "42")).count() == 2


def test_a_lead_does_it_on_pages_that_say_first_what_it_costs(used: World, client_of: Any) -> None:
    Query.objects.filter(position=50).delete()
    client: Client = client_of(used["ada"].account)
    description, job = Description.objects.select_related("moment").get(source_id="41"), Import.objects.get()
    address = reverse("description-remove", args=["paper", description.pk])
    assert (
        "1 description" in client.get(address).content.decode()
        and Description.objects.filter(pk=description.pk).exists()
    )
    assert client.post(address)["Location"] == reverse("video", args=["paper", description.moment.video_id])
    assert (
        not Description.objects.filter(pk=description.pk).exists()
        and not Moment.objects.filter(pk=description.moment_id).exists()
    )
    assert reverse("import-take-back", args=["paper", job.pk]) in client.get(job.get_absolute_url()).content.decode()
    assert "<li>1 description</li>" in client.get(f"{job.get_absolute_url()}take-back").content.decode()
    assert client.post(f"{job.get_absolute_url()}take-back")["Location"] == job.get_absolute_url()
    run_import(import_id=job.pk)
    page = client.get(job.get_absolute_url()).content.decode()
    assert "It was taken back." in page and "take-back" not in page
    assert client.get(f"{job.get_absolute_url()}take-back").status_code == 302
    assert not Video.objects.filter(name="film").exists()


def test_a_video_goes_with_all_that_is_its_own(used: World, client_of: Any) -> None:
    Query.objects.filter(position=50).delete()
    client: Client = client_of(used["ada"].account)
    video = Video.objects.get(name="film")
    Clip.objects.create(moment=video.moments.all()[0])
    address = reverse("video-remove", args=["paper", video.pk])
    assert "<li>2 descriptions</li>" in client.get(address).content.decode()
    assert client.post(address)["Location"] == reverse("videos", args=["paper"])
    assert not Video.objects.filter(pk=video.pk).exists() and not Description.objects.filter(source_id="41").exists()
