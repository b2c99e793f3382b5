"""Depositing a release at an archive: a draft with a DOI, whole, found again, and published only when asked."""

import io
import json
import tarfile
from datetime import timedelta
from io import StringIO
from typing import Any

import pytest
from django.core.exceptions import ImproperlyConfigured
from django.core.management import CommandError, call_command
from django.test import Client
from django.urls import reverse

from config.variables import Files
from datasets.formats.datacite import datacite_of
from datasets.models import Publication, Release
from datasets.presentation.services import set_citation
from datasets.publishing.jobs import work_on_publication
from datasets.releases.make_release import create_release
from tests.api.callers import read
from tests.datasets.archive_server import TOKEN, Archive, archive  # noqa: F401 - a fixture
from tests.datasets.conftest import World

pytestmark = pytest.mark.long
ABOUT = {
    "authors": "Carberry, Josiah (0000-0002-1825-0097); The Tiny Team",
    "licence": "cc-by-4.0",
    "citation": "@misc{tiny, doi = {10.5555/12345678}}",
    "limitations": "Small & <tiny>",
}


@pytest.fixture
def release(judged: World) -> Release:
    return create_release(collection=judged.collection, name="v1", formats=["tvr-ranking", "parquet"], about=ABOUT)


def deposited(archive: Archive, *arguments: str) -> str:  # noqa: F811
    out = StringIO()
    call_command("publish_release", "tiny", "v1", f"invenio://{archive.host}", *arguments, stdout=out)
    return out.getvalue()


def test_a_draft_has_the_whole_release_its_metadata_and_a_doi(release: Release, archive: Archive) -> None:  # noqa: F811
    assert deposited(archive, "--dry-run").count("would be sent") == 4
    assert {method for method, _ in archive.asked} == {"GET"}, "looking changes nothing"
    said = deposited(archive)
    ((name, record),) = archive.records.items()
    assert said.splitlines() == [
        "Release v1: 4 files sent, 0 were there already.",
        f"http://{archive.host}/uploads/{name}: a draft, DOI 10.5072/test.{name}",
    ]
    assert record["is_published"] is False
    assert list(archive.files[name]) == ["tiny-v1.tar.gz", "CITATION.cff", "README.md", "manifest.json"]
    with tarfile.open(fileobj=io.BytesIO(archive.files[name]["tiny-v1.tar.gz"]["content"])) as tar:
        assert {entry.name for entry in tar} == {f"tiny-v1/{path}" for path in release.files}
    assert json.loads(archive.files[name]["manifest.json"]["content"]) == release.manifest
    metadata = record["metadata"]
    assert metadata["creators"] == [
        {
            "person_or_org": {
                "type": "personal",
                "family_name": "Carberry",
                "given_name": "Josiah",
                "identifiers": [{"scheme": "orcid", "identifier": "0000-0002-1825-0097"}],
            }
        },
        {"person_or_org": {"type": "organizational", "name": "The Tiny Team"}},
    ]
    assert (metadata["title"], metadata["version"]) == (release.manifest["title"], "v1")
    assert metadata["publication_date"] == release.manifest["created_at"][:10]
    assert metadata["rights"] == [{"id": "cc-by-4.0"}]
    assert metadata["related_identifiers"][0]["identifier"] == "10.5555/12345678"
    assert "Small &amp; &lt;tiny&gt;" in metadata["description"]


def test_what_was_cut_off_goes_on_in_the_same_draft_and_nothing_goes_twice(
    release: Release,
    archive: Archive,  # noqa: F811
) -> None:
    archive.broken = {"README.md/commit": 503}
    with pytest.raises(CommandError, match=r"answers 503: The archive is tired; metadata\.title: Not today\.\."):
        deposited(archive)
    assert deposited(archive).startswith("Release v1: 2 files sent, 2 were there already.")
    assert deposited(archive).startswith("Release v1: 0 files sent, 4 were there already.")
    assert len(archive.records) == 1
    sent = [path for method, path in archive.asked if method == "PUT" and path.endswith("tar.gz/content")]
    assert len(sent) == 1
    (files,) = archive.files.values()
    files["README.md"]["checksum"] = "md5:of-another"
    with pytest.raises(CommandError, match=r"README\.md is there and isn't release v1's"):
        deposited(archive)
    assert deposited(archive, "--replace").startswith("Release v1: 1 file sent")


def test_it_is_published_once_and_only_when_asked(release: Release, archive: Archive) -> None:  # noqa: F811
    deposited(archive)
    said = deposited(archive, "--final")
    ((name, record),) = archive.records.items()
    assert record["is_published"] is True
    assert said.splitlines()[1] == f"http://{archive.host}/records/{name}: published, DOI 10.5072/test.{name}"
    assert deposited(archive, "--final") == said
    assert sum(path.endswith("actions/publish") for _, path in archive.asked) == 1
    assert Publication.objects.filter(final=True, record__published=True).exists()


def test_a_lead_deposits_looks_and_publishes_in_the_browser(
    judged: World,
    release: Release,
    archive: Archive,  # noqa: F811
    settings: Any,
) -> None:
    root = f"invenio://{archive.host}"
    settings.PUBLISH_ROOTS = (root,)
    ada = Client()
    ada.force_login(judged.members["ada"].account)  # type: ignore[arg-type]

    def looked() -> Publication:
        ada.post(reverse("publish-look", args=["tiny", release.pk]), {"root": root})
        found = Publication.objects.order_by("-pk")[0]
        work_on_publication(publication_id=found.pk)
        return found

    def sent(publication: Publication, **said: str) -> str:
        ada.post(reverse("publication-send", args=["tiny", publication.pk]), said)
        work_on_publication(publication_id=publication.pk)
        return ada.get(reverse("publication", args=["tiny", publication.pk])).content.decode()

    first = looked()
    assert not archive.records
    page = sent(first)
    ((name, record),) = archive.records.items()
    assert f"/uploads/{name}" in page and f"10.5072/test.{name}" in page and "only its owner sees" in page
    assert record["is_published"] is False
    told = read(ada, f"collections/tiny/publications/{first.pk}")
    assert told["record"] == {"doi": f"10.5072/test.{name}", "address": record["links"]["self_html"]} | {
        "published": False
    }
    again = looked()
    assert "for good" in ada.get(reverse("publication", args=["tiny", again.pk])).content.decode()
    assert f"/records/{name}" in sent(again, final="on")
    assert record["is_published"] is True
    third = ada.get(reverse("publication", args=["tiny", looked().pk])).content.decode()
    assert "there is nothing to send" in third and "for good" not in third


def test_what_is_missing_is_said_before_anything_is_sent(
    judged: World,
    release: Release,
    archive: Archive,  # noqa: F811
    settings: Any,
) -> None:
    with pytest.raises(CommandError, match="holds all of a release"):
        deposited(archive, "--format", "parquet")
    settings.DEPOSIT_TOKENS = {archive.host: "an-old-token"}
    with pytest.raises(CommandError, match="answers 401: Unauthenticated"):
        deposited(archive)
    settings.DEPOSIT_TOKENS = {}
    with pytest.raises(CommandError, match=rf"set QREELS_DEPOSIT_TOKENS={archive.host}=TOKEN"):
        deposited(archive)
    settings.DEPOSIT_TOKENS = {archive.host: TOKEN}
    nobodys = create_release(collection=judged.collection, name="v2")
    arguments = ("publish_release", "tiny", "v2", f"invenio://{archive.host}")
    with pytest.raises(CommandError, match="wants authors"):
        call_command(*arguments, stdout=StringIO())
    assert not archive.records
    set_citation(release=nobodys, said={"authors": "Curie, Marie"})
    call_command(*arguments, stdout=StringIO())
    (record,) = archive.records.values()
    assert record["metadata"]["creators"][0]["person_or_org"]["family_name"] == "Curie"


def test_datacite_has_what_it_asks_for(release: Release) -> None:
    said = datacite_of(release.manifest)
    assert said["schemaVersion"] == "http://datacite.org/schema/kernel-4"
    assert said["types"]["resourceTypeGeneral"] == "Dataset"
    assert said["creators"][0]["nameIdentifiers"] == [
        {
            "nameIdentifier": "https://orcid.org/0000-0002-1825-0097",
            "nameIdentifierScheme": "ORCID",
            "schemeUri": "https://orcid.org",
        }
    ]
    assert said["publicationYear"] == release.manifest["created_at"][:4]
    assert said["rightsList"][0]["rightsIdentifier"] == "cc-by-4.0"
    assert said["relatedIdentifiers"] == [
        {"relatedIdentifier": "10.5555/12345678", "relatedIdentifierType": "DOI", "relationType": "IsDocumentedBy"}
    ]


def test_each_archive_has_a_token_of_its_own() -> None:
    text = "zenodo.org=abc, sandbox.zenodo.org=d=f"
    assert Files.read({"QREELS_DEPOSIT_TOKENS": text}).QREELS_DEPOSIT_TOKENS == {
        "zenodo.org": "abc",
        "sandbox.zenodo.org": "d=f",
    }
    for wrong in ("abc", "zenodo.org=", "https://zenodo.org=abc", "a.org=b,a.org=c"):
        with pytest.raises(ImproperlyConfigured, match="QREELS_DEPOSIT_TOKENS is something else"):
            Files.read({"QREELS_DEPOSIT_TOKENS": wrong})
    assert Files.read({"QREELS_PUBLISH_TO": "invenio://zenodo.org"}).QREELS_PUBLISH_TO == ("invenio://zenodo.org",)


def version(judged: World, name: str, *, days: int = 1) -> Release:
    """A later release of the same collection, by so many days."""
    made = create_release(collection=judged.collection, name=name, formats=["tvr-ranking", "beir"], about=ABOUT)
    Release.objects.filter(pk=made.pk).update(created_at=made.created_at + timedelta(days=days))
    return made


def send(archive: Archive, name: str, *arguments: str) -> list[str]:  # noqa: F811
    out = StringIO()
    call_command("publish_release", "tiny", name, f"invenio://{archive.host}", *arguments, stdout=out)
    return out.getvalue().splitlines()


def test_a_later_release_is_a_new_version_of_the_record_under_one_doi_of_all(
    judged: World,
    release: Release,
    archive: Archive,  # noqa: F811
) -> None:
    version(judged, "v2")
    draft = send(archive, "v1")
    assert not any("new version" in line for line in send(archive, "v2", "--dry-run")), "v1 isn't public"
    send(archive, "v1", "--final")
    (first,) = archive.records.values()
    before = json.dumps(first)
    looked = send(archive, "v2", "--dry-run")
    concept = first["parent"]["pids"]["doi"]["identifier"]
    told = f"A new version of {first['links']['self_html']}; DOI of all versions: {concept}"
    assert looked[-1] == told and json.dumps(first) == before, "looking makes no draft"
    archive.broken = {"/draft/files/manifest.json": 503}
    with pytest.raises(CommandError, match="answers 503"):
        send(archive, "v2")
    archive.broken = {}
    assert send(archive, "v2")[0] == "Release v2: 1 file sent, 3 were there already."
    assert send(archive, "v2", "--final")[1:] == [
        f"http://{archive.host}/records/abcd1-e1f23: published, DOI 10.5072/test.abcd1-e1f23",
        told,
    ]
    second = archive.records["abcd1-e1f23"]
    assert (second["parent"], second["versions"]["index"], len(archive.records)) == (first["parent"], 2, 2)
    assert {(one["relation_type"]["id"], one["identifier"]) for one in second["metadata"]["related_identifiers"]} == {
        ("isdocumentedby", "10.5555/12345678"),
        ("isnewversionof", first["pids"]["doi"]["identifier"]),
        ("isversionof", concept),
    }
    assert second["metadata"]["version"] == "v2"
    assert list(archive.files["abcd1-e1f23"]) == ["tiny-v2.tar.gz", "CITATION.cff", "README.md", "manifest.json"]
    assert draft[1].split(":")[-1].strip() not in looked, "each version has a DOI of its own"
    assert send(archive, "v1", "--final")[0] == "Release v1: 0 files sent, 4 were there already.", "found beside v2"
    version(judged, "v0", days=-1)
    send(archive, "v0")
    assert archive.records["abcd2-e1f23"]["versions"]["index"] == 1, "an earlier release is no new version"


def test_what_was_killed_before_the_draft_was_named_goes_on_in_it(
    judged: World,
    release: Release,
    archive: Archive,  # noqa: F811
) -> None:
    version(judged, "v2")
    send(archive, "v1", "--final")
    archive.broken = {"abcd1-e1f23/draft/files": 502}
    with pytest.raises(CommandError, match="answers 502"):
        send(archive, "v2")
    assert len(archive.records) == 2
    assert send(archive, "v2", "--final")[0].startswith("Release v2: 4 files sent")
    assert len(archive.records) == 2
    version(judged, "v3", days=2)
    assert "/records/abcd1-e1f23;" in send(archive, "v3")[2], "the newest is the one before"


@pytest.mark.parametrize("filled", ["described", "with files"])
def test_a_draft_of_somebodys_next_version_is_left_alone(
    filled: str,
    judged: World,
    release: Release,
    archive: Archive,  # noqa: F811
) -> None:
    version(judged, "v2")
    send(archive, "v1", "--final")
    (first,) = archive.records.values()
    theirs = archive.draft(first["parent"]["id"], dict(first["metadata"]))
    if filled == "described":
        theirs["metadata"]["description"] = "Mine."
    else:
        archive.files[theirs["id"]]["mine.txt"] = {"key": "mine.txt", "status": "completed"}
    kept = json.dumps([theirs, archive.files[theirs["id"]]])
    with pytest.raises(CommandError, match=f"{theirs['id']} is a draft of the next version already"):
        send(archive, "v2")
    assert json.dumps([theirs, archive.files[theirs["id"]]]) == kept
    assert "new version" not in "".join(send(archive, "v2", "--new-record"))
    assert archive.records["abcd2-e1f23"]["versions"]["index"] == 1


def test_a_record_that_is_gone_or_another_accounts_is_told_and_a_draft_that_is_a_version_too(
    judged: World,
    release: Release,
    archive: Archive,  # noqa: F811
) -> None:
    version(judged, "v2")
    send(archive, "v1", "--final")
    (name,) = archive.records
    archive.gone.add(name)
    with pytest.raises(CommandError, match=rf"/records/{name}, the record of release v1, isn't there any more"):
        send(archive, "v2", "--dry-run")
    archive.gone.clear()
    archive.of_others.add(name)
    with pytest.raises(CommandError, match="belongs to another account than the server's token"):
        send(archive, "v2")
    archive.of_others.clear()
    send(archive, "v2")
    with pytest.raises(CommandError, match="is a draft of this release as a new version of another: delete it"):
        send(archive, "v2", "--new-record")
    assert len(archive.records) == 2


def test_the_page_says_whose_new_version_it_becomes_and_takes_no_for_an_answer(
    judged: World,
    release: Release,
    archive: Archive,  # noqa: F811
    settings: Any,
) -> None:
    root = f"invenio://{archive.host}"
    settings.PUBLISH_ROOTS = (root,)
    later = version(judged, "v2")
    send(archive, "v1", "--final")
    (first,) = archive.records.values()
    ada = Client()
    ada.force_login(judged.members["ada"].account)  # type: ignore[arg-type]
    assert "a record of its own" in ada.get(reverse("publish", args=["tiny", later.pk])).content.decode()
    for new_record in (False, True):
        ada.post(
            reverse("publish-look", args=["tiny", later.pk]),
            {"root": root} | ({"new_record": "on"} if new_record else {}),
        )
        found = Publication.objects.order_by("-pk")[0]
        work_on_publication(publication_id=found.pk)
        told = read(ada, f"collections/tiny/publications/{found.pk}")
        page = ada.get(reverse("publication", args=["tiny", found.pk])).content.decode()
        assert told["new_record"] is new_record
        assert ("A new version of" in page) is not new_record
        if not new_record:
            concept = first["parent"]["pids"]["doi"]["identifier"]
            assert told["record"] == {"version_of": first["links"]["self_html"], "concept_doi": concept}
            assert concept in page and "only its owner sees" not in page
    ada.post(reverse("publication-send", args=["tiny", found.pk]), {})
    work_on_publication(publication_id=found.pk)
    assert len({one["parent"]["id"] for one in archive.records.values()}) == 2
