"""Releases with files and checks, and their publications."""

from datetime import datetime
from typing import Annotated, Any, Literal

from django.db.models import QuerySet
from django.http.response import HttpResponseBase
from django.shortcuts import get_object_or_404
from pydantic import BaseModel, Field

from api.frame.answers import From, Out
from api.frame.calls import Call, Scope, Who, found_or_404
from api.frame.endpoints import Endpoints, Id, Text
from api.frame.lists import AskedPage, Page, page_of
from api.frame.problems import Problem
from api.v1.jobs import JobOut, begin
from datasets.formats.about import FIELDS, LONGEST
from datasets.models import Publication, Release
from datasets.publishing.jobs import ask_for_publication, confirm_publication
from datasets.releases.access import files_for, share_release, sharing_of, takes_part
from datasets.releases.check_jobs import ask_for_check
from datasets.releases.downloads import archive_download, file_download
from datasets.releases.jobs import ask_for_release
from datasets.releases.manifest import to_bytes
from datasets.releases.selectors import facts_of, release_of

endpoints = Endpoints("Releases")
Split = Literal["val", "test"]
FileName = Annotated[str, Field(pattern="^[^\\x00]{1,300}$")]


class ReleaseFile(BaseModel):
    """A file of a release."""

    path: str
    size: int = Field(description="Bytes.")
    sha256: str


class SplitCounts(BaseModel):
    """How large a split is."""

    queries: int
    pairs: int


class ReleaseOut(BaseModel):
    """A release: frozen, the same bytes under the same name."""

    release: int
    name: str
    created_at: datetime
    formats: list[str]
    content_hash: str
    undecided: int = Field(description="Pairs that it leaves out.")
    size: int = Field(description="Bytes of all files.")
    splits: dict[str, SplitCounts]


class ReleaseWithFiles(ReleaseOut):
    """A release with the files that the caller may have."""

    files: list[ReleaseFile]


class NewRelease(BaseModel):
    """A release to be."""

    name: str = Field("", pattern="^[^\\x00]{0,60}$", description="Empty: a draft, named after its content.")
    formats: list[Annotated[Text, Field(max_length=30)]] = Field(["tvr-ranking"], min_length=1, max_length=30)
    adjudicated: bool = Field(False, description="With the grades of adjudications.")
    train_below: float | None = Field(
        None, ge=0.5, le=1, description="Leave training captions with this cosine to a query out; null: equal ones."
    )
    posteriors: bool = Field(False, description="With posteriors.csv: how likely each grade of a pair is.")
    provenance: bool = Field(
        False, description="With judgment_origins.csv and caption_origins.csv: what judgments and captions come from."
    )
    machine_judges: list[Annotated[Text, Field(max_length=60)]] = Field(
        [], max_length=100, description="Machine judges whose grades it has, in machine_judgments.csv alone."
    )
    without_undecided: bool = Field(False, description="Agree that it leaves out pairs that aren't decided.")
    about: dict[str, Annotated[Text, Field(max_length=LONGEST)]] = Field({}, description=", ".join(FIELDS))


class SharingOut(Out):
    """What members see of a release."""

    members: bool = Field(description="They see it and its boards, and upload runs.")
    hide_test: bool = Field(description="The truth of test stays with the leads.")


class CheckOut(JobOut):
    """A check of a release's files."""

    problems: list[str]
    claims: list[dict[str, Any]] = Field(
        description="Each claim: claim, holds (null: nothing of it can be recomputed), expected, problems (file, "
        "found), more_problems, notes. Empty in a check from before this was kept."
    )


class NewPublication(BaseModel):
    """Where a release is to go."""

    root: str = Field(pattern="^[^\\x00]{1,400}$", description="A place that the installation allows.")
    below: str = Field("", pattern="^[^\\x00]{0,200}$", description="The folder below it.")
    format: str = Field("", pattern="^[^\\x00]{0,30}$", description="Empty: all of the release.")
    new_record: bool = Field(
        False, description="At an archive: a record of its own, no new version of an earlier release's."
    )


class PublicationOut(JobOut):
    """A publication: looked at first, sent once it is confirmed."""

    release: int = From("release_id")
    place: str
    format: str = From("format_name")
    replace: bool
    final: bool
    new_record: bool
    record: dict[str, Any] = Field(
        description="What an archive says of its record: doi, address, published; concept_doi, which all versions "
        "share, and version_of, the address of the version before, where there are."
    )
    confirmed_at: datetime | None
    files: list[dict[str, Any]] = Field(
        description="path, goes_to, address, size, sha256, state, sent: whether it is there."
    )


class Confirmation(BaseModel):
    """That a planned publication is to be sent."""

    replace: bool = Field(False, description="Agree that files which differ are replaced.")
    final: bool = Field(False, description="Have an archive publish the record, too, which can't be undone.")


def release_out(release: Release) -> ReleaseOut:
    """The answer for a release, without its files."""
    return ReleaseOut(**_facts(release))


def _facts(release: Release) -> dict[str, Any]:
    facts = facts_of(release)
    return {**facts, "release": facts.pop("id")}


def _publication(publication: Publication) -> PublicationOut:
    sent = set(publication.sent)
    files = [{**file, "sent": file["goes_to"] in sent} for file in publication.plan]
    return PublicationOut.of_job(publication, files=files)


@endpoints.read("/releases", who=Who.MEMBER)
def list_releases(call: Call, asked: AskedPage) -> Page[ReleaseOut]:
    """Releases, the newest first: to leads all, to others those that are shared with them."""
    rows = call.collection.releases.all()
    if not call.member.leads:
        rows = rows.filter(sharing__members=True) if takes_part(call.member) else rows.none()
    return page_of(rows, asked, release_out, newest_first=True)


@endpoints.make("/releases", scope=Scope.RELEASE, status=202)
def make_a_release(call: Call, new: NewRelease) -> JobOut:
    """Have a worker make a release."""
    unknown = sorted(set(new.about) - set(FIELDS))
    if unknown:
        raise Problem(422, f"Found {unknown[0]!r:.80}, expected {', '.join(FIELDS)}.", field="body.about")
    return JobOut.begun(ask_for_release(member=call.member, **new.model_dump()))


@endpoints.read("/releases/{int:release_id}", who=Who.MEMBER)
def get_release(call: Call, release_id: Id) -> ReleaseWithFiles:
    """A release with the files that you may have."""
    release = release_of(call.member, release_id)
    sizes = {path: facts["size"] for path, facts in release.manifest["files"].items()}
    sizes["manifest.json"] = len(to_bytes(release.manifest))  # the one that it doesn't list
    files = [
        ReleaseFile(path=path, size=sizes[path], sha256=release.files[path]) for path in files_for(call.member, release)
    ]
    return ReleaseWithFiles(**_facts(release), files=files)


@endpoints.read("/releases/{int:release_id}/manifest")
def get_release_manifest(call: Call, release_id: Id) -> dict[str, Any]:
    """A release's manifest: settings, models, counts, hashes."""
    manifest: dict[str, Any] = release_of(call.member, release_id).manifest
    return manifest


@endpoints.read("/releases/{int:release_id}/file", who=Who.MEMBER, content="application/octet-stream")
def download_release_file(call: Call, release_id: Id, path: FileName) -> HttpResponseBase:
    """One file of a release, by its path in the release's list.

    Its ETag is its SHA-256. It can be asked for by range.
    """
    release = release_of(call.member, release_id)
    return file_download(call.request, release, path, allowed=files_for(call.member, release))


@endpoints.read("/releases/{int:release_id}/archive", content="application/gzip")
def download_release_archive(call: Call, release_id: Id) -> HttpResponseBase:
    """The whole release as .tar.gz, or a range of it; its ETag is its SHA-256."""
    return archive_download(call.request, release_of(call.member, release_id))


@endpoints.make("/releases/{int:release_id}/check", scope=Scope.RELEASE, status=202)
def check_a_release(call: Call, release_id: Id) -> CheckOut:
    """Have a worker check a release's files, grades, splits and formats."""
    job = ask_for_check(member=call.member, release=release_of(call.member, release_id))
    return CheckOut.begun(job)


@endpoints.read("/releases/{int:release_id}/check")
def get_release_check(call: Call, release_id: Id) -> CheckOut:
    """The newest check of a release; 404 if there was none."""
    job = found_or_404(release_of(call.member, release_id).checks.order_by("-pk").first())
    return CheckOut.of_job(job)


@endpoints.read("/releases/{int:release_id}/sharing")
def get_release_sharing(call: Call, release_id: Id) -> SharingOut:
    """What members see of a release."""
    return SharingOut.of(sharing_of(release_of(call.member, release_id)))


@endpoints.act("/releases/{int:release_id}/sharing", scope=Scope.RELEASE)
def share_a_release(call: Call, release_id: Id, new: SharingOut) -> SharingOut:
    """Set what members see of a release."""
    sharing = share_release(release=release_of(call.member, release_id), members=new.members, hide_test=new.hide_test)
    return SharingOut.of(sharing)


@endpoints.read("/publications")
def list_publications(call: Call, asked: AskedPage) -> Page[PublicationOut]:
    """Publications of a collection's releases, the newest first."""
    return page_of(_publications(call), asked, _publication, newest_first=True)


def _publications(call: Call) -> QuerySet[Publication]:
    rows = Publication.objects.select_related("release__collection", "member")
    return rows.filter(release__collection=call.collection)


@endpoints.read("/publications/{int:publication_id}")
def get_publication(call: Call, publication_id: Id) -> PublicationOut:
    """A publication with its files and how far they are."""
    return _publication(get_object_or_404(_publications(call), pk=publication_id))


@endpoints.make("/releases/{int:release_id}/publications", scope=Scope.RELEASE, status=202)
def plan_publication(call: Call, release_id: Id, new: NewPublication) -> PublicationOut:
    """Have a worker look what a publication would send. Nothing is sent until it is confirmed."""
    job = ask_for_publication(
        member=call.member,
        release=release_of(call.member, release_id),
        root=new.root,
        below=new.below,
        format_name=new.format,
        new_record=new.new_record,
    )
    begin(job)
    return _publication(job)


@endpoints.act("/publications/{int:publication_id}/confirm", scope=Scope.RELEASE)
def confirm_a_publication(call: Call, publication_id: Id, new: Confirmation) -> PublicationOut:
    """Have a worker send what was planned."""
    publication = get_object_or_404(_publications(call), pk=publication_id)
    if confirm_publication(publication=publication, member=call.member, **new.model_dump()):
        begin(publication)
    return _publication(_publications(call).get(pk=publication_id))
