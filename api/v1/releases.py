"""Releases with files and checks, and their publications."""

from datetime import datetime
from typing import Annotated, Any, Literal

from django.db.models import QuerySet
from django.http.response import HttpResponseBase
from django.shortcuts import get_object_or_404
from ninja import Query
from pydantic import BaseModel, Field

from api.frame.answers import Out
from api.frame.calls import Call, Scope, Who, found_or_404
from api.frame.endpoints import Endpoints, Id, Text
from api.frame.lists import Asked, Page, page_of
from api.frame.problems import Problem
from api.v1.jobs import JobOut, begin, begun
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
HERE = "/collections/{slug:name}"
Split = Literal["val", "test"]
FileName = Annotated[str, Field(pattern="^[^\\x00]{1,300}$")]


class ReleaseFile(BaseModel):
    """A file of a release."""

    path: str
    size: Annotated[int, Field(description="Bytes.")]
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
    undecided: Annotated[int, Field(description="Pairs that it leaves out.")]
    size: Annotated[int, Field(description="Bytes of all files.")]
    splits: dict[str, SplitCounts]


class ReleaseWithFiles(ReleaseOut):
    """A release with the files that the caller may have."""

    files: list[ReleaseFile]


class NewRelease(BaseModel):
    """A release to be."""

    name: Annotated[str, Field(pattern="^[^\\x00]{0,60}$", description="Empty: a draft, named after its content.")] = ""
    formats: Annotated[list[Annotated[Text, Field(max_length=30)]], Field(min_length=1, max_length=30)] = [
        "tvr-ranking"
    ]
    adjudicated: Annotated[bool, Field(description="With the grades of adjudications.")] = False
    train_below: Annotated[
        float | None,
        Field(ge=0.5, le=1, description="Leave training captions with this cosine to a query out; null: equal ones."),
    ] = None
    posteriors: Annotated[bool, Field(description="With posteriors.csv: how likely each grade of a pair is.")] = False
    provenance: Annotated[
        bool,
        Field(description="With judgment_origins.csv and caption_origins.csv: what judgments and captions come from."),
    ] = False
    machine_judges: Annotated[
        list[Annotated[Text, Field(max_length=60)]],
        Field(max_length=100, description="Machine judges whose grades it has, in machine_judgments.csv alone."),
    ] = []
    without_undecided: Annotated[bool, Field(description="Agree that it leaves out pairs that aren't decided.")] = False
    about: Annotated[dict[str, Annotated[Text, Field(max_length=LONGEST)]], Field(description=", ".join(FIELDS))] = {}


class SharingOut(Out):
    """What members see of a release."""

    members: Annotated[bool, Field(description="They see it and its boards, and upload runs.")]
    hide_test: Annotated[bool, Field(description="The truth of test stays with the leads.")]


class CheckOut(JobOut):
    """A check of a release's files."""

    problems: list[str]
    claims: Annotated[
        list[dict[str, Any]],
        Field(
            description="Each claim: claim, holds (null: nothing of it can be recomputed), expected, problems (file, "
            "found), more_problems, notes. Empty in a check from before this was kept."
        ),
    ]


class NewPublication(BaseModel):
    """Where a release is to go."""

    root: Annotated[str, Field(pattern="^[^\\x00]{1,400}$", description="A place that the installation allows.")]
    below: Annotated[str, Field(pattern="^[^\\x00]{0,200}$", description="The folder below it.")] = ""
    format: Annotated[str, Field(pattern="^[^\\x00]{0,30}$", description="Empty: all of the release.")] = ""
    new_record: Annotated[
        bool, Field(description="At an archive: a record of its own, no new version of an earlier release's.")
    ] = False


class PublicationOut(JobOut):
    """A publication: looked at first, sent once it is confirmed."""

    release: int
    place: str
    format: str
    replace: bool
    final: bool
    new_record: bool
    record: Annotated[
        dict[str, Any],
        Field(
            description="What an archive says of its record: doi, address, published; concept_doi, which all versions "
            "share, and version_of, the address of the version before, where there are."
        ),
    ]
    confirmed_at: datetime | None
    files: Annotated[
        list[dict[str, Any]],
        Field(description="path, goes_to, address, size, sha256, state, sent: whether it is there."),
    ]


class Confirmation(BaseModel):
    """That a planned publication is to be sent."""

    replace: Annotated[bool, Field(description="Agree that files which differ are replaced.")] = False
    final: Annotated[bool, Field(description="Have an archive publish the record, too, which can't be undone.")] = False


def release_out(release: Release) -> ReleaseOut:
    """The answer for a release, without its files."""
    return ReleaseOut(**_facts(release))


def _facts(release: Release) -> dict[str, Any]:
    facts = facts_of(release)
    return {**facts, "release": facts.pop("id")}


def _publication(publication: Publication) -> PublicationOut:
    sent = set(publication.sent)
    return PublicationOut.of_job(
        publication,
        release=publication.release_id,
        format=publication.format_name,
        files=[{**file, "sent": file["goes_to"] in sent} for file in publication.plan],
    )


@endpoints.read(f"{HERE}/releases", Page[ReleaseOut], who=Who.MEMBER)
def list_releases(call: Call, asked: Query[Asked]) -> Page[ReleaseOut]:
    """Releases, the newest first: to leads all, to others those that are shared with them."""
    rows = call.member.collection.releases.all()
    if not call.member.leads:
        rows = rows.filter(sharing__members=True) if takes_part(call.member) else rows.none()
    return page_of(rows, asked, release_out, newest_first=True)


@endpoints.make(f"{HERE}/releases", JobOut, scope=Scope.RELEASE, status=202)
def make_a_release(call: Call, new: NewRelease) -> JobOut:
    """Have a worker make a release."""
    unknown = sorted(set(new.about) - set(FIELDS))
    if unknown:
        raise Problem(422, f"Found {unknown[0]!r:.80}, expected {', '.join(FIELDS)}.", field="body.about")
    job = ask_for_release(
        member=call.member,
        name=new.name,
        formats=new.formats,
        adjudicated=new.adjudicated,
        train_below=new.train_below,
        posteriors=new.posteriors,
        provenance=new.provenance,
        machine_judges=new.machine_judges,
        about=new.about,
        without_undecided=new.without_undecided,
    )
    return begun(job)


@endpoints.read(f"{HERE}/releases/{{int:release_id}}", ReleaseWithFiles, who=Who.MEMBER)
def get_release(call: Call, release_id: Id) -> ReleaseWithFiles:
    """A release with the files that you may have."""
    release = release_of(call.member, release_id)
    sizes = {path: facts["size"] for path, facts in release.manifest["files"].items()}
    sizes["manifest.json"] = len(to_bytes(release.manifest))  # the one that it doesn't list
    files = [
        ReleaseFile(path=path, size=sizes[path], sha256=release.files[path]) for path in files_for(call.member, release)
    ]
    return ReleaseWithFiles(**_facts(release), files=files)


@endpoints.read(f"{HERE}/releases/{{int:release_id}}/manifest", dict[str, Any])
def get_release_manifest(call: Call, release_id: Id) -> dict[str, Any]:
    """A release's manifest: settings, models, counts, hashes."""
    manifest: dict[str, Any] = release_of(call.member, release_id).manifest
    return manifest


@endpoints.read(f"{HERE}/releases/{{int:release_id}}/file", None, who=Who.MEMBER, content="application/octet-stream")
def download_release_file(call: Call, release_id: Id, path: FileName) -> HttpResponseBase:
    """One file of a release, by its path in the release's list.

    Its ETag is its SHA-256. It can be asked for by range.
    """
    release = release_of(call.member, release_id)
    return file_download(call.request, release, path, allowed=files_for(call.member, release))


@endpoints.read(f"{HERE}/releases/{{int:release_id}}/archive", None, content="application/gzip")
def download_release_archive(call: Call, release_id: Id) -> HttpResponseBase:
    """The whole release as .tar.gz, or a range of it; its ETag is its SHA-256."""
    return archive_download(call.request, release_of(call.member, release_id))


@endpoints.make(f"{HERE}/releases/{{int:release_id}}/check", CheckOut, scope=Scope.RELEASE, status=202)
def check_a_release(call: Call, release_id: Id) -> CheckOut:
    """Have a worker check a release's files, grades, splits and formats."""
    job = ask_for_check(member=call.member, release=release_of(call.member, release_id))
    begin(job)
    return CheckOut.of_job(job)


@endpoints.read(f"{HERE}/releases/{{int:release_id}}/check", CheckOut)
def get_release_check(call: Call, release_id: Id) -> CheckOut:
    """The newest check of a release; 404 if there was none."""
    job = found_or_404(release_of(call.member, release_id).checks.order_by("-pk").first())
    return CheckOut.of_job(job)


@endpoints.read(f"{HERE}/releases/{{int:release_id}}/sharing", SharingOut)
def get_release_sharing(call: Call, release_id: Id) -> SharingOut:
    """What members see of a release."""
    return SharingOut.of(sharing_of(release_of(call.member, release_id)))


@endpoints.act(f"{HERE}/releases/{{int:release_id}}/sharing", SharingOut, scope=Scope.RELEASE)
def share_a_release(call: Call, release_id: Id, new: SharingOut) -> SharingOut:
    """Set what members see of a release."""
    sharing = share_release(release=release_of(call.member, release_id), members=new.members, hide_test=new.hide_test)
    return SharingOut.of(sharing)


@endpoints.read(f"{HERE}/publications", Page[PublicationOut])
def list_publications(call: Call, asked: Query[Asked]) -> Page[PublicationOut]:
    """Publications of a collection's releases, the newest first."""
    return page_of(_publications(call), asked, _publication, newest_first=True)


def _publications(call: Call) -> QuerySet[Publication]:
    rows = Publication.objects.select_related("release__collection", "member")
    return rows.filter(release__collection=call.member.collection)


@endpoints.read(f"{HERE}/publications/{{int:publication_id}}", PublicationOut)
def get_publication(call: Call, publication_id: Id) -> PublicationOut:
    """A publication with its files and how far they are."""
    return _publication(get_object_or_404(_publications(call), pk=publication_id))


@endpoints.make(f"{HERE}/releases/{{int:release_id}}/publications", PublicationOut, scope=Scope.RELEASE, status=202)
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


@endpoints.act(f"{HERE}/publications/{{int:publication_id}}/confirm", PublicationOut, scope=Scope.RELEASE)
def confirm_a_publication(call: Call, publication_id: Id, new: Confirmation) -> PublicationOut:
    """Have a worker send what was planned."""
    publication = get_object_or_404(_publications(call), pk=publication_id)
    agreed = new.model_dump()
    if confirm_publication(publication=publication, member=call.member, **agreed):
        begin(publication)
    return _publication(_publications(call).get(pk=publication_id))
