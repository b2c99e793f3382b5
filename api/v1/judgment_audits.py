"""Audits of judgments: of a file that anybody with an account sends, and of a release."""

from contextlib import ExitStack
from datetime import datetime
from typing import Any

from django.db.models import QuerySet
from django.http import JsonResponse
from django.http.response import HttpResponseBase
from django.shortcuts import get_object_or_404
from pydantic import BaseModel, Field

from api.frame.answers import From, Out
from api.frame.calls import Call, Who, found_or_404, not_bound
from api.frame.endpoints import Endpoints, Id, Storable
from api.frame.lists import AskedPage, Page, page_of
from api.v1.jobs import JobOut, begin
from api.v1.uploads import EITHER, LONGEST_RUN, FileKey, file_or_text
from datasets.judgment_audits.of_releases import audit_of_release
from datasets.judgment_audits.services import ask_for_audit, forget_audits
from datasets.models import JudgmentAudit
from datasets.releases.selectors import release_of
from foundation.infra.job_control import resume_job, stop_job

endpoints = Endpoints("Audits")
ONE = "/judgment-audits/{int:audit_id}"


class NewAudit(BaseModel):
    """A file of judgments: itself, or one that was sent."""

    name: Storable = Field(min_length=1, max_length=200, examples=["raw_annotations.csv"])
    content: str = Field("", max_length=LONGEST_RUN, description="The file; longer ones are sent in pieces.")
    file: FileKey | None = Field(None, description="The key of a file of yours that has arrived; it is taken.")
    pairs: str = Field(
        "", max_length=LONGEST_RUN, description="What the pairs are about, if the file doesn't say it: JSON or CSV."
    )
    pairs_file: FileKey | None = Field(None, description="The same as a file of yours; it is taken.")
    ratings: str = Field(
        "1-5", pattern="^(1-5|0-4)$", description="Which of Label Studio's ratings stand for the grades 0-4."
    )


class AuditOut(JobOut):
    """An audit of a file of judgments; its result is asked for by itself."""

    audit: int = From("pk")
    file_name: str
    pairs_name: str
    size: int = Field(description="Bytes.")
    said: str = Field(description="What came of it; what is wrong with the file is in `progress`.")


class ReleaseAuditOut(Out):
    """The audit of a release, by its raw judgments alone."""

    as_of: datetime | None = Field(description="Null: it isn't computed yet.")
    running: bool
    problem: str = Field(description="Why it can't be computed.")
    audit: dict[str, Any] | None = From(
        "value", description="As `python -m evaluation audit FILE --json` prints it; null: not yet."
    )


def _own(call: Call) -> QuerySet[JudgmentAudit]:
    not_bound(call)
    return JudgmentAudit.objects.filter(account=call.account).defer("result")


def _one(call: Call, audit_id: int) -> JudgmentAudit:
    return get_object_or_404(_own(call), pk=audit_id)


@endpoints.make("/judgment-audits", scope=EITHER, who=Who.ACCOUNT, status=202, stores=True)
def audit_judgments(call: Call, new: NewAudit) -> AuditOut:
    """Have a worker audit a file of judgments: CSV, Label Studio's export, or qrels of several assessors.

    A longer file is sent in pieces to a collection of yours, and named by its key. What was sent goes when it is
    audited.
    """
    not_bound(call)
    with ExitStack() as used:
        sent = used.enter_context(file_or_text(call, file=new.file or "", content=new.content, name=new.name))
        pairs = None
        if new.pairs or new.pairs_file:
            pairs = file_or_text(call, file=new.pairs_file or "", content=new.pairs, name="pairs")
        job = ask_for_audit(
            account=call.account,
            file=sent,
            pairs=used.enter_context(pairs) if pairs is not None else None,
            ratings=new.ratings,
        )
        return AuditOut.begun(job)


@endpoints.read("/judgment-audits", who=Who.ACCOUNT)
def list_judgment_audits(call: Call, asked: AskedPage) -> Page[AuditOut]:
    """Your own audits, the newest first."""
    return page_of(_own(call), asked, AuditOut.of_job, newest_first=True)


@endpoints.read(ONE, who=Who.ACCOUNT)
def get_judgment_audit(call: Call, audit_id: Id) -> AuditOut:
    """An audit of yours: how far it is, or what is wrong with its file."""
    return AuditOut.of_job(_one(call, audit_id))


@endpoints.read(f"{ONE}/result", who=Who.ACCOUNT, content="application/json")
def get_result_of_audit(call: Call, audit_id: Id) -> HttpResponseBase:
    """What stands in the file, as `python -m evaluation audit FILE --json` prints it. 404 before it is done."""
    return JsonResponse(found_or_404(get_object_or_404(_own(call).defer(None), pk=audit_id).result))


@endpoints.act(f"{ONE}/stop", scope=EITHER, who=Who.ACCOUNT)
def stop_judgment_audit(call: Call, audit_id: Id) -> AuditOut:
    """Stop an audit of yours; its file is kept, and it can be resumed. One that has ended stays as it is."""
    stop_job(_one(call, audit_id))
    return AuditOut.of_job(_one(call, audit_id))


@endpoints.act(f"{ONE}/resume", scope=EITHER, who=Who.ACCOUNT)
def resume_judgment_audit(call: Call, audit_id: Id) -> AuditOut:
    """Have an audit of yours go on that was stopped, or that no worker is at."""
    job = _one(call, audit_id)
    if resume_job(job):
        begin(job)
    return AuditOut.of_job(_one(call, audit_id))


@endpoints.remove(ONE, scope=EITHER, who=Who.ACCOUNT)
def delete_judgment_audit(call: Call, audit_id: Id) -> None:
    """Remove an audit of yours, with its file."""
    forget_audits([_one(call, audit_id)])


@endpoints.read("/releases/{int:release_id}/audit")
def get_audit_of_release(call: Call, release_id: Id) -> ReleaseAuditOut:
    """What stands in a release's raw judgments; asked for anew while it is computed for the first time."""
    return ReleaseAuditOut.of(audit_of_release(release_of(call.member, release_id)))
