"""An owner deletes a collection: every row and file of it goes, and nothing of any other."""

import hashlib
from pathlib import Path
from typing import Any

import pytest
from django.apps import apps
from django.core.files.base import ContentFile
from django.core.files.storage import default_storage
from django.db import IntegrityError, connection
from django.test import Client

from annotation.models import Judgment
from benchmarks.desk import with_records
from benchmarks.worlds.desk import SMALL, build_desk_world
from benchmarks.worlds.releases import draw_training, hold_campaign, publish_first, release_twice, score_runs
from corpus.models import Clip, VideoUpload
from corpus.models.video_imports import folder_of_uploads
from datasets.models import Publication, Run
from foundation.collections.members import add_member
from foundation.deletion.rows import file_columns, tables
from foundation.deletion.services import delete_collection
from foundation.infra.advisory_lock import alone_at
from foundation.infra.job_log import log_line
from foundation.models import Account, Collection, CollectionDeletion, JobLine, Membership
from queries.models import Caption, Embedding
from tests.conftest import build_world


def owner_of(name: str) -> Client:
    account, _ = Account.objects.get_or_create(username="olga")
    add_member(collection=Collection.objects.get(name=name), account=account, role=Membership.Role.OWNER)
    client = Client()
    client.force_login(account)
    return client


def rows() -> dict[str, dict[str, int]]:
    """Table -> collection's name -> how many rows of it."""
    counted: dict[str, dict[str, int]] = {}
    for model, path in tables():
        key = "name" if path == "pk" else f"{path}__name"
        names = list(model._default_manager.order_by().values_list(key, flat=True))
        counted[model._meta.label] = {name: names.count(name) for name in set(names)}
    return counted


def files_below(folder: Path) -> set[str]:
    return {str(path.relative_to(folder)) for path in folder.rglob("*") if path.is_file()}


@pytest.mark.django_db(transaction=True)
def test_everything_of_it_goes_and_nothing_of_another(settings: Any, tmp_path: Path) -> None:
    settings.MEDIA_ROOT, settings.VIDEO_FOLDER = tmp_path / "media", tmp_path / "videos"
    for name in ("stays", "gone"):
        build_desk_world(name, size=SMALL)
        with_records(Collection.objects.get(name=name))
        draw_training(name)
        release_twice(name)
        score_runs(name)
        hold_campaign(name)
        collection = Collection.objects.get(name=name)
        clip = Clip.objects.filter(moment__video__collection=collection).exclude(video_file="").first()
        clip.video_file = default_storage.save(f"clips/{name}.mp4", ContentFile(b"a clip"))
        clip.save(update_fields=["video_file"])
        log_line(collection.imports.get(), "Begun.")
        upload = VideoUpload.objects.create(collection=collection, name="a.mp4", size=1, mark="m")
        for path in (upload.part, folder_of_uploads(collection) / "b.mp4"):
            path.parent.mkdir(parents=True, exist_ok=True)
            path.write_bytes(b"a film")
    text = Caption.objects.filter(description__collection__name="stays").first().text
    alone = Caption.objects.filter(description__collection__name="gone").first()
    Caption.objects.filter(pk=alone.pk).update(text="Only here.")
    for each in (text, "Only here."):
        Embedding.objects.create(encoder="e", digest=hashlib.sha256(each.encode()).digest(), vector=b"v")
    before, people = rows(), Account.objects.count()
    sent = before["annotation.Recruit"]["gone"]
    assert sent
    shared = set(Run.objects.filter(board__release__collection__name="stays").values_list("stored_file", flat=True))
    assert all("gone" in counts for counts in before.values() if "stays" in counts)
    client = owner_of("gone")

    page = client.get("/c/gone/delete/").content.decode()
    for loss in ("videos", "judgments", "2 releases", "runs", "queries"):
        assert loss in page, loss
    answer = client.post("/c/gone/delete/", {"typed": "gone", "agreed": "on"})
    deletion = CollectionDeletion.objects.get()
    assert answer["Location"] == f"/deletions/{deletion.pk}/"
    assert client.post("/c/gone/delete/", {"typed": "gone"})["Location"] == answer["Location"], "a second click"
    assert Collection.objects.get(name="gone").archived_at is not None
    delete_collection(deletion.pk)
    deletion.refresh_from_db()
    assert deletion.state == "done", deletion.problem

    left = rows()
    assert not [table for table, counts in left.items() if "gone" in counts]
    assert left == {
        table: {name: n for name, n in counts.items() if name != "gone"} for table, counts in before.items()
    }
    assert JobLine.objects.filter(kind="corpus.import").count() == 1
    assert Embedding.objects.count() == 1
    there = files_below(tmp_path)
    assert "media/clips/stays.mp4" in there and "videos/stays/b.mp4" in there
    assert "media/clips/gone.mp4" not in there and "videos/gone/b.mp4" not in there
    assert len([name for name in there if name.startswith("videos/.parts/")]) == 1
    assert all(default_storage.exists(name) for name in shared), "runs that both have uploaded share a file"
    named = {
        name
        for model, _ in tables()
        for column in file_columns(model)
        for name in model._default_manager.exclude(**{column: ""}).values_list(column, flat=True)
    }
    strays = {name.removeprefix("media/") for name in there if name.startswith("media/")} - named
    assert not {name for name in strays if name.startswith(("clips/", "runs/", "releases/"))}
    assert Account.objects.count() == people + 1 - sent, "whom a platform sent to it alone has no account any more"
    page = client.get(f"/deletions/{deletion.pk}/").content.decode()
    assert "is deleted:" in page and "2 releases" in page
    assert client.get("/c/gone/").status_code == 404 == client.post("/c/gone/delete/", {"typed": "gone"}).status_code
    delete_collection(deletion.pk)


@pytest.mark.django_db
def test_only_an_owner_who_types_the_name_deletes_and_no_published_release_goes() -> None:
    build_world(name="paper")
    ada = Client()
    ada.force_login(Account.objects.get(username="ada"))
    assert ada.post("/c/paper/delete/", {"typed": "paper"}).status_code == 403
    olga = owner_of("paper")
    for typed, wrong in (("", "expected the name paper"), ("Paper", "Found “Paper”")):
        answer = olga.post("/c/paper/delete/", {"typed": typed})
        assert answer.status_code == 400
        assert wrong in answer.content.decode().partition('id="field-typed-wrong">')[2].partition("</p>")[0]
    stranger = Client()
    stranger.force_login(Account.objects.create(username="mal"))
    olga.post("/c/paper/delete/", {"typed": "paper"})
    deletion = CollectionDeletion.objects.get()
    assert olga.get(f"/deletions/{deletion.pk}/").status_code == 200
    for address in (f"/deletions/{deletion.pk}/", f"/deletions/{deletion.pk}/progress", "/c/paper/delete/"):
        assert stranger.get(address).status_code == 404


@pytest.mark.django_db(transaction=True)
def test_it_waits_for_a_job_that_ends_and_what_is_published_or_paid_holds_it_up(settings: Any, tmp_path: Path) -> None:
    settings.MEDIA_ROOT = tmp_path
    build_desk_world("paper", size=SMALL)
    collection = Collection.objects.get(name="paper")
    draw_training("paper")
    release_twice("paper")
    publish_first("paper")
    olga = owner_of("paper")
    answer = olga.post("/c/paper/delete/", {"typed": "paper", "agreed": "on"})
    assert answer.status_code == 400 and "Archive the collection instead." in answer.content.decode()
    Publication.objects.all().delete()
    Collection.objects.update(pay_per_hour=15)
    answer = olga.post("/c/paper/delete/", {"typed": "paper"})
    assert answer.status_code == 400 and "hours of work for USD" in answer.content.decode()
    assert not CollectionDeletion.objects.exists()

    olga.post("/c/paper/delete/", {"typed": "paper", "agreed": "on"})
    deletion = CollectionDeletion.objects.get()
    job = collection.candidate_fetches.create(state="running")
    other = connection.copy()
    try:
        with other.cursor() as cursor:
            cursor.execute("SELECT pg_advisory_lock(hashtext(%s), hashint8(%s))", list(job.lock))
        delete_collection(deletion.pk)
    finally:
        other.close()
    job.refresh_from_db()
    assert (job.state, Collection.objects.count()) == ("stopped", 1)
    with alone_at(*job.lock, wait=True):
        pass
    delete_collection(deletion.pk)
    assert not Collection.objects.exists()


@pytest.mark.django_db
def test_judgments_stay_append_only_but_for_their_collection_s_deletion() -> None:
    build_desk_world("paper", size=SMALL)
    with pytest.raises(IntegrityError, match="append-only"):
        Judgment.objects.order_by("pk")[:1].get().delete()


def test_every_table_that_points_to_a_collection_is_found() -> None:
    belonging = {model for model, _ in tables()}
    pointing = {
        model
        for model in apps.get_models(include_auto_created=True)
        for field in model._meta.concrete_fields
        if field.is_relation and field.related_model in belonging
    }
    assert pointing <= belonging
