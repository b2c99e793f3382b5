"""A lead publishes a release from the browser: only where the server allows it, after a look, and once."""

import os
from pathlib import Path
from typing import Any

import pytest
from django.core.exceptions import ImproperlyConfigured
from django.core.management import call_command
from django.test import Client
from django.urls import reverse

from config.celery import app
from config.variables import Files
from datasets.models import Publication, Release
from datasets.publishing.destinations import place_below
from datasets.publishing.jobs import (
    ask_for_publication,
    confirm_publication,
    work_on_publication,
)
from datasets.releases.make_release import create_release
from foundation.collections.members import add_member, get_or_create_collection
from foundation.infra.job_control import stop_job
from foundation.refused import Refused
from tests.api.callers import read
from tests.datasets.conftest import World
from tests.datasets.hub import Hub, hub  # noqa: F401 - a fixture
from tests.workers import kill_group, one_worker, wait_until

pytestmark = pytest.mark.long


@pytest.fixture
def release(judged: World) -> Release:
    return create_release(collection=judged.collection, name="v1", formats=["tvr-ranking", "parquet"])


@pytest.fixture
def folder(tmp_path: Path, settings: Any) -> Path:
    """The one place that the server allows."""
    made = tmp_path / "srv"
    made.mkdir()
    settings.PUBLISH_ROOTS = (str(made),)
    return made


@pytest.fixture
def empty_queue() -> Any:
    with app.connection_for_write() as broker:
        broker.default_channel.queue_declare("celery")
        broker.default_channel.queue_purge("celery")
    yield
    with app.connection_for_write() as broker:
        broker.default_channel.queue_purge("celery")


@pytest.fixture
def ada(judged: World, empty_queue: None) -> Client:
    client = Client()
    client.force_login(judged.members["ada"].account)  # type: ignore[arg-type]
    return client


def of(name: str, *args: Any) -> str:
    return reverse(name, args=["tiny", *args])


def asked(ada: Client, release: Release, root: object, below: str = "", **more: str) -> Publication:
    answer = ada.post(of("publish-look", release.pk), {"root": str(root), "below": below, **more})
    found = Publication.objects.get(pk=int(answer["Location"].rstrip("/").rsplit("/", 1)[-1]))
    assert answer["Location"] == of("publication", found.pk)
    return found


def worked(publication: Publication) -> Publication:
    work_on_publication(publication_id=publication.pk)
    publication.refresh_from_db()
    return publication


def test_a_release_is_looked_at_confirmed_sent_and_remembered(
    judged: World, release: Release, folder: Path, ada: Client
) -> None:
    assert "Not published yet." in ada.get(of("publish", release.pk)).content.decode()
    publication = asked(ada, release, folder)
    assert "No worker runs: start script/worker." in ada.get(of("publication", publication.pk)).content.decode()
    assert worked(publication).state == "planned"
    assert list(folder.iterdir()) == [], "looking sends nothing"
    page = ada.get(of("publication", publication.pk)).content.decode()
    assert f"{len(release.files)} files would be sent" in page
    assert str(folder / "tiny" / "v1" / "parquet" / "grades" / "test.parquet") in page
    ada.post(of("publication-send", publication.pk))
    assert [one.pk for one in Publication.to_do()] == [publication.pk]
    assert worked(publication).state == "done"
    assert {path.relative_to(folder / "tiny" / "v1").as_posix() for path in folder.rglob("*") if path.is_file()} == set(
        release.files
    )
    (row,) = ada.get(of("publish", release.pk)).context["publications"]
    assert (row["place"], row["by"]) == (f"{folder}/tiny/v1", judged.members["ada"].worker)
    assert row["counts"]["new"] == len(release.files)
    told = read(ada, f"collections/tiny/publications/{publication.pk}")
    assert {file["goes_to"] for file in told["files"] if file["sent"]} == set(release.files)
    again = worked(asked(ada, release, folder))
    assert "Everything is already there" in ada.get(of("publication", again.pk)).content.decode()


def test_nothing_is_sent_without_a_word_and_nothing_twice(release: Release, folder: Path, ada: Client) -> None:
    publication = asked(ada, release, folder)
    ada.post(of("publication-send", publication.pk))
    assert worked(publication).state == "planned", "not looked at yet, so there was nothing to say yes to"
    assert worked(publication).state == "planned"
    ada.post(of("publication-send", publication.pk))
    worked(publication)
    finished = publication.finished_at
    ada.post(of("publication-send", publication.pk))
    assert worked(publication).finished_at == finished


def test_what_is_in_the_way_is_replaced_only_where_the_lead_saw_it(release: Release, folder: Path, ada: Client) -> None:
    there = folder / "tiny" / "v1"
    there.mkdir(parents=True)
    (there / "val.json").write_text("[]")
    publication = worked(asked(ada, release, folder))
    page = ada.get(of("publication", publication.pk)).content.decode()
    assert "Replace 1 existing file of different content" in page
    refused = ada.post(of("publication-send", publication.pk), follow=True)
    assert "Other files are in the way" in refused.content.decode()
    (there / "test.json").write_text("[]")
    ada.post(of("publication-send", publication.pk), {"replace": "on"})
    assert worked(publication).state == "refused"
    assert "has changed since you looked" in publication.problem
    assert (there / "val.json").read_text() == "[]"
    publication = worked(asked(ada, release, folder))
    ada.post(of("publication-send", publication.pk), {"replace": "on"})
    assert worked(publication).state == "done"
    assert (there / "val.json").read_text() != "[]"


BAD = [
    "",
    "..",
    "../x",
    "a/../../x",
    "/etc",
    "a//b",
    "a/",
    ".hidden",
    "a\\b",
    "a/.ssh",
    "a b",
    "x" * 201,
    "a\n",
    "%2e%2e",
]


@pytest.mark.parametrize("below", BAD, ids=[f"path {number}" for number in range(len(BAD))])
def test_no_path_leaves_the_allowed_folder(folder: Path, below: str) -> None:
    with pytest.raises(Refused, match="Found "):
        place_below(str(folder), below)


def test_what_can_be_below_a_place_depends_on_it(settings: Any) -> None:
    settings.PUBLISH_ROOTS = ("s3://bucket/sets", "hf://lab", "hf://lab/set")
    assert place_below("s3://bucket/sets", "tiny/v1") == "s3://bucket/sets/tiny/v1"
    assert place_below("hf://lab", "tiny") == "hf://lab/tiny"
    assert place_below("hf://lab/set", "") == "hf://lab/set"
    for root, below in (("hf://lab", "a/b"), ("hf://lab/set", "x"), ("s3://bucket/sets", "../other")):
        with pytest.raises(Refused, match="Found "):
            place_below(root, below)


def test_links_lead_nowhere_else(release: Release, folder: Path, tmp_path: Path, ada: Client) -> None:
    outside = tmp_path / "outside"
    outside.mkdir()
    (folder / "door").symlink_to(outside)
    said = ada.post(of("publish-look", release.pk), {"root": str(folder), "below": "door/x"}, follow=True)
    assert "by a link" in said.content.decode()
    (folder / "tiny" / "v1").mkdir(parents=True)
    (folder / "tiny" / "v1" / "parquet").symlink_to(outside)
    publication = worked(asked(ada, release, folder))
    assert (publication.state, "by a link" in publication.problem) == ("refused", True)
    (folder / "tiny" / "v1" / "parquet").unlink()
    publication = worked(asked(ada, release, folder))
    # Where the file is written first, somebody has laid a link: it goes, and what it points at stays.
    (outside / "mine").write_text("mine")
    (folder / "tiny" / "v1" / ".val.json.partial").symlink_to(outside / "mine")
    ada.post(of("publication-send", publication.pk))
    assert worked(publication).state == "done"
    assert [path.name for path in outside.iterdir()] == ["mine"]
    assert (outside / "mine").read_text() == "mine"


def test_only_what_the_server_names_can_be_chosen(release: Release, folder: Path, ada: Client) -> None:
    for root in ("/etc", "", "s3://other", "hf://other", "http://127.0.0.1/x", f"{folder}/tiny"):
        sent = {"root": root, "below": "x"}
        said = ada.post(of("publish-look", release.pk), sent, follow=True).content.decode()
        assert "This server doesn&#x27;t publish there" in said
    said = ada.post(of("publish-look", release.pk), {"root": str(folder), "below": "../x"}, follow=True)
    assert "Found &#x27;../x&#x27; below" in said.content.decode()
    assert not Publication.objects.exists()


def test_a_place_that_is_no_longer_allowed_gets_nothing(
    release: Release, folder: Path, ada: Client, settings: Any
) -> None:
    publication = worked(asked(ada, release, folder))
    ada.post(of("publication-send", publication.pk))
    settings.PUBLISH_ROOTS = ()
    assert worked(publication).state == "refused"
    assert list(folder.iterdir()) == []
    assert "QREELS_PUBLISH_TO" in ada.get(of("publish", release.pk)).content.decode()


def test_another_collection_s_place_is_left_alone(judged: World, release: Release, folder: Path) -> None:
    other = get_or_create_collection(name="other", title="Other")
    member = add_member(collection=other, account=judged.members["ada"].account, role="lead")  # type: ignore[arg-type]
    theirs = Release.objects.create(
        collection=other, name="v1", created_at=release.created_at, formats=[], manifest=release.manifest
    )
    call_command("publish_release", "tiny", "v1", f"{folder}/tiny/v1")
    for below in ("tiny/v1", "tiny", "tiny/v1/x"):
        with pytest.raises(Refused, match="Another collection is published"):
            ask_for_publication(member=member, release=theirs, root=str(folder), below=below)
    assert ask_for_publication(member=member, release=theirs, root=str(folder), below="tiny/v10").state == "looking"


def test_two_at_once_at_one_place_are_one_after_the_other(judged: World, release: Release, folder: Path) -> None:
    ada = judged.members["ada"]
    later = create_release(collection=judged.collection, name="v2")
    first, second = (
        worked(ask_for_publication(member=ada, release=one, root=str(folder), below="x")) for one in (release, later)
    )
    assert confirm_publication(publication=first, member=ada) is True
    with pytest.raises(Refused, match="is being sent to"):
        confirm_publication(publication=second, member=ada)
    worked(first)
    assert confirm_publication(publication=second, member=ada) is True
    assert worked(second).state == "refused", "v1 is there now, which nobody has seen"


def test_what_was_stopped_goes_on(release: Release, folder: Path, ada: Client, monkeypatch: pytest.MonkeyPatch) -> None:
    from datasets.publishing.folder import FolderTarget

    publication = worked(asked(ada, release, folder))
    ada.post(of("publication-send", publication.pk))
    send = FolderTarget.send

    def stopped_at_the_second(self: Any, items: Any, source: Any, of_release: Any, told: Any) -> None:
        def tell(item: Any) -> None:
            if item == items[1]:
                ada.post(of("job-stop", "publication", publication.pk))
            told(item)

        send(self, items, source, of_release, tell)

    monkeypatch.setattr(FolderTarget, "send", stopped_at_the_second)
    assert worked(publication).state == "stopped"
    assert len(publication.sent) == 2
    monkeypatch.undo()
    assert stop_job(publication) is False
    ada.post(of("job-resume", "publication", publication.pk))
    assert worked(publication).state == "done"
    assert set(publication.sent) == set(release.files)


@pytest.mark.parametrize(
    ("root", "variable"), [("s3://some-bucket", "AWS_ACCESS_KEY_ID"), ("hf://ada", "HF_TOKEN")], ids=["s3", "hub"]
)
def test_without_an_account_the_page_says_which_variable_to_set(
    release: Release,
    ada: Client,
    settings: Any,
    root: str,
    variable: str,
    hub: Hub,  # noqa: F811
    monkeypatch: pytest.MonkeyPatch,
    tmp_path: Path,
) -> None:
    for name in [name for name in os.environ if name.startswith("AWS_")] + ["HF_TOKEN"]:
        monkeypatch.delenv(name, raising=False)
    monkeypatch.setenv("AWS_EC2_METADATA_DISABLED", "true")
    monkeypatch.setenv("AWS_SHARED_CREDENTIALS_FILE", str(tmp_path / "none"))
    monkeypatch.setattr("huggingface_hub.constants.HF_TOKEN_PATH", str(tmp_path / "none"))
    settings.PUBLISH_ROOTS = (root,)
    publication = worked(asked(ada, release, root))
    assert publication.state == "refused"
    assert f"set {variable}" in ada.get(of("publication", publication.pk)).content.decode()


def test_a_command_s_publication_is_in_the_history(release: Release, tmp_path: Path, ada: Client) -> None:
    call_command("publish_release", "tiny", "v1", str(tmp_path / "out"))
    page = ada.get(of("publish", release.pk)).content.decode()
    assert str(tmp_path / "out") in page
    assert "a command" in page


@pytest.mark.parametrize("text", ["srv/data", "/srv/../etc", "ftp://x", "s3://", "hf://a/b/c", "s3://b/../x", "~/x"])
def test_a_place_that_is_none_is_refused_at_the_start(text: str) -> None:
    with pytest.raises(ImproperlyConfigured, match="QREELS_PUBLISH_TO has"):
        Files.read({"QREELS_PUBLISH_TO": text})


def test_the_places_are_separated_by_commas_and_none_by_default() -> None:
    assert Files().QREELS_PUBLISH_TO == ()
    text = " /srv/data/ , s3://bucket/sets/,hf://lab, hf://lab/set,/srv/data"
    assert Files.read({"QREELS_PUBLISH_TO": text}).QREELS_PUBLISH_TO == (
        "/srv/data",
        "s3://bucket/sets",
        "hf://lab",
        "hf://lab/set",
    )


def test_a_real_worker_publishes_to_a_bucket_and_to_a_hub_and_goes_on_after_a_kill(
    s3: Any,  # first: the release is kept where the worker looks
    release: Release,
    ada: Client,
    hub: Hub,  # noqa: F811
    settings: Any,
    monkeypatch: pytest.MonkeyPatch,
    tmp_path: Path,
) -> None:
    roots = (f"s3://{s3.name}/sets", "hf://ada")
    settings.PUBLISH_ROOTS = roots
    monkeypatch.setenv("QREELS_PUBLISH_TO", ",".join(roots))
    monkeypatch.setenv("HF_ENDPOINT", hub.address)
    monkeypatch.setenv("HF_HUB_OFFLINE", "0")
    bucket, repository = asked(ada, release, roots[0]), asked(ada, release, roots[1], files="parquet")

    def reached(publication: Publication, state: str) -> bool:
        publication.refresh_from_db()
        assert state == "refused" or publication.state != "refused", publication.problem
        return publication.state == state

    with one_worker(tmp_path / "first.log", libraries_anew=True) as worker:
        for publication in (bucket, repository):
            wait_until(lambda publication=publication: reached(publication, "planned"))
        hub.hold.clear()  # the hub takes what it is sent, and doesn't answer
        ada.post(of("publication-send", repository.pk))
        wait_until(lambda: hub.held.is_set() or reached(repository, "done"))
        assert hub.held.is_set()
        assert ada.get(of("job-progress", "publication", repository.pk)).json()["state"] == "sending"
        kill_group(worker)
    hub.hold.set()
    ada.post(of("publication-send", bucket.pk))
    with one_worker(tmp_path / "second.log", libraries_anew=True):
        for publication in (bucket, repository):
            wait_until(lambda publication=publication: reached(publication, "done"))
    assert {one.key for one in s3.objects.filter(Prefix="sets/")} == {f"sets/tiny/v1/{path}" for path in release.files}
    assert "README.md" in hub.repositories["ada/tiny"]
    assert hub.tags == {"ada/tiny": ["v1"]}
    assert len(hub.uploads) == len(set(hub.uploads)), "no large file twice"
