"""Releases compared, cited, made public, certified."""

from datetime import datetime
from itertools import islice
from typing import Any, Literal

from django.http import HttpResponse
from django.urls import reverse
from pydantic import BaseModel, Field

from api.frame.answers import Out
from api.frame.calls import Call, Scope, Who, found_or_404
from api.frame.endpoints import Endpoints, Id, Start, Storable
from api.frame.lists import MOST
from api.frame.problems import Problem
from api.v1.jobs import JobOut, begin
from api.v1.releases import ReleaseOut, release_out
from datasets.certificates.downloads import certificate_svg
from datasets.certificates.jobs import newest_done, record_certificate
from datasets.certificates.selectors import as_file
from datasets.certificates.systems import missing, systems_of
from datasets.content.still_judged import still_judged
from datasets.models import Release
from datasets.presentation.article import cited
from datasets.presentation.citation import bibtex, one_line
from datasets.presentation.digest import digest_or_ask
from datasets.presentation.services import make_public, page_of, set_citation, withdraw_page
from datasets.releases.precomputed_diff import differences_or_404
from datasets.releases.selectors import release_of
from datasets.releases.signing import LONGEST, Signed, sign_release, signature_of, withdraw_signature

endpoints = Endpoints("Releases")
HERE = "/releases/{int:release_id}"


class DifferenceOut(BaseModel):
    """Something that was added, removed or changed from one release to another."""

    split: str
    what: str = Field(description="query, pair or grade.")
    change: str = Field(description="added, changed or removed.")
    query_id: str
    query: str
    pair_id: str
    field: str = Field(description="What changed of a query or pair; else empty.")
    before: Any
    after: Any


class DifferencesOut(Out):
    """What differs between two releases."""

    first: ReleaseOut
    second: ReleaseOut
    counts: dict[str, dict[str, dict[str, int]]] | None = Field(
        description="By split, kind and change; null: large releases are being compared, ask again."
    )
    settings: list[dict[str, Any]]
    total: int
    running: bool
    problem: str
    differences: list[DifferenceOut] = Field(description="200 of them, from `start` on.")


class CitationFields(Out):
    """What a release's citation says; an empty field is the release's own."""

    title: Storable = Field("", max_length=300)
    authors: Storable = Field("", max_length=4000, examples=["Curie, Marie; Noether, Emmy"])
    year: str = Field("", pattern="^([0-9]{4})?$")
    address: Storable = Field("", max_length=500, description="A DOI, or https.")


class CitationOut(CitationFields):
    """A release's citation, as it was completed and as it reads."""

    line: str
    bibtex: str


class NewSignature(BaseModel):
    """A signature of a release's manifest.json, made by minisign."""

    signature: Storable = Field(max_length=LONGEST, description="All of the .minisig.")
    key: Storable = Field(max_length=200, description="The public key that made it.")


class SignatureOut(NewSignature):
    """A release's signature."""

    identity: str = Field(description="The key's id, as minisign shows it.")
    at: datetime = Field(description="By its trusted comment, or else when it was added.")


class PublicOut(Out):
    """What of a release anybody can read."""

    public_since: datetime | None = Field(description="Null: the page isn't public.")
    pictures: str
    files: str
    indexed: bool
    address: str
    still_judged: str = Field(description="What is judged still, and could learn of grades by it; or empty.")


class NewPublic(BaseModel):
    """What of a release anybody shall read."""

    pictures: Literal["none", "posters", "clips"] = "none"
    files: Literal["none", "without-test", "all"] = "none"
    indexed: bool = Field(False, description="Ask search engines to list it.")
    agreed: bool = Field(False, description="Agree that everybody can read it.")


class CertificateOut(BaseModel):
    """How far a release can be used for systems that had no part in its pool."""

    missing: str = Field(description="Why there can be none; empty: there can be one.")
    job: JobOut | None = Field(description="The newest computation; null: none was asked for.")
    as_of: datetime | None
    certificate: dict[str, Any] | None = Field(description="Null: none is computed yet.")


@endpoints.read(f"{HERE}/differences/{{int:other_id}}")
def compare_two_releases(call: Call, release_id: Id, other_id: Id, start: Start = 0) -> DifferencesOut:
    """What differs from one release to another: queries, pairs, grades, settings."""
    first, second = release_of(call.member, release_id), release_of(call.member, other_id)
    comparison = differences_or_404(first, second)
    rows = islice(comparison.all_rows(), start, start + MOST) if comparison.counts is not None else ()
    return DifferencesOut.of(
        comparison,
        first=release_out(first),
        second=release_out(second),
        differences=list(rows),
    )


def _citation(release: Release) -> CitationOut:
    page = page_of(release)
    citation = cited(release, page)
    return CitationOut.of(page, year=str(page.year or ""), line=one_line(citation), bibtex=bibtex(citation))


@endpoints.read(f"{HERE}/citation")
def get_citation(call: Call, release_id: Id) -> CitationOut:
    """How a release is cited."""
    return _citation(release_of(call.member, release_id))


@endpoints.act(f"{HERE}/citation", scope=Scope.RELEASE)
def set_a_citation(call: Call, release_id: Id, new: CitationFields) -> CitationOut:
    """Set title, authors, year and address of a release's citation."""
    release = release_of(call.member, release_id)
    set_citation(release=release, said=new.model_dump())
    return _citation(release)


def _signature(signed: Signed | None) -> SignatureOut:
    signed = found_or_404(signed)
    return SignatureOut(signature=signed.content.decode(), key=signed.key, identity=signed.identity, at=signed.at)


@endpoints.read(f"{HERE}/signature")
def get_release_signature(call: Call, release_id: Id) -> SignatureOut:
    """A release's signature; 404 if it has none."""
    return _signature(signature_of(release_of(call.member, release_id)))


@endpoints.act(f"{HERE}/signature", scope=Scope.RELEASE)
def sign_a_release(call: Call, release_id: Id, new: NewSignature) -> SignatureOut:
    """Keep the signature that the owner made elsewhere, in the place of an earlier one, if it is of this release."""
    release = release_of(call.member, release_id)
    return _signature(sign_release(release=release, signature=new.signature.encode(), key=new.key))


@endpoints.remove(f"{HERE}/signature", scope=Scope.RELEASE)
def withdraw_a_release_signature(call: Call, release_id: Id) -> None:
    """Give a release's signature out no more."""
    withdraw_signature(release=release_of(call.member, release_id))


def _public(call: Call, release: Release) -> PublicOut:
    page = page_of(release)
    path = reverse("published", args=[release.collection.name, release.name])
    return PublicOut.of(
        page, address=call.request.build_absolute_uri(path), still_judged=still_judged(release.collection)
    )


@endpoints.read(f"{HERE}/public")
def get_public_page(call: Call, release_id: Id) -> PublicOut:
    """What of a release anybody can read."""
    return _public(call, release_of(call.member, release_id))


@endpoints.act(f"{HERE}/public", scope=Scope.RELEASE, who=Who.OWNER)
def make_a_release_public(call: Call, release_id: Id, new: NewPublic) -> PublicOut:
    """Let anybody read a release's page, with these pictures and files; again with others changes these."""
    release = release_of(call.member, release_id)
    if not new.agreed:
        raise Problem(422, "Confirm this first.", field="body.agreed")
    digest_or_ask(release)
    values = new.model_dump(exclude={"agreed"})
    make_public(member=call.member, release=release, **values)
    return _public(call, release)


@endpoints.act(f"{HERE}/public/withdraw", scope=Scope.RELEASE, who=Who.OWNER, of_archived=True)
def withdraw_a_public_page(call: Call, release_id: Id) -> PublicOut:
    """Let nobody read a release's page without a login any more."""
    release = release_of(call.member, release_id)
    withdraw_page(member=call.member, release=release)
    return _public(call, release)


def _certificate(release: Release) -> CertificateOut:
    newest, done = release.certificates.order_by("-pk").first(), newest_done(release)
    return CertificateOut(
        missing=missing(systems_of(release)),
        job=JobOut.of_job(newest) if newest else None,
        as_of=done.finished_at if done else None,
        certificate=as_file(done, done.results) if done else None,
    )


@endpoints.read(f"{HERE}/certificate")
def get_certificate(call: Call, release_id: Id) -> CertificateOut:
    """A release's newest certificate of how far it can be reused."""
    return _certificate(release_of(call.member, release_id))


@endpoints.make(f"{HERE}/certificate", scope=Scope.RELEASE, status=202)
def certify_a_release(call: Call, release_id: Id) -> CertificateOut:
    """Have a worker compute the certificate over the runs that there are; over the same ones it stays."""
    release = release_of(call.member, release_id)
    job, is_new = record_certificate(release)
    if job is not None and is_new:
        begin(job)
    return _certificate(release)


@endpoints.read(f"{HERE}/certificate/{{slug:split}}", content="image/svg+xml")
def draw_a_certificate(call: Call, release_id: Id, split: Literal["val", "test"]) -> HttpResponse:
    """The newest certificate's figure of a split as SVG."""
    done = found_or_404(newest_done(release_of(call.member, release_id)))
    return certificate_svg(done, done.results, split)
