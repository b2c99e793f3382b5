"""Audits of files: asked for, removed, told to whom they belong."""

from collections.abc import Iterable
from typing import Any

from django.conf import settings
from django.core.files.uploadedfile import UploadedFile
from django.db import IntegrityError, transaction
from django.utils.translation import gettext as _

from corpus.description_import.jobs import name_of
from datasets.models import JudgmentAudit
from foundation.access.outside_roles import register as register_role
from foundation.accounts import erasure_hooks
from foundation.infra.storage import delete_file, keep_file
from foundation.models import Account, JobLine, new_public_name
from foundation.refused import FileRefused, Refused
from foundation.uploads.pieces import in_bytes

MOST = 20
"""Audits that one account may have."""


def ask_for_audit(
    *,
    account: Account,
    file: "UploadedFile[Any]",
    pairs: "UploadedFile[Any] | None" = None,
    ratings: str = JudgmentAudit.Ratings.STARS,
) -> JudgmentAudit:
    """Store a file of judgments, and what its pairs are about if that is given, and record a job to audit it; the
    caller sends the task.

    Raises: Refused for an empty or too large file, while another one is audited, and for one more than `MOST`.
    """
    for sent, field in ((file, "file"), (pairs, "pairs")):
        if sent is not None and sent.size == 0:
            raise Refused(_("The file is empty, expected one or more judgments or pairs."), field=field)
        if sent is not None and (sent.size or 0) > settings.LONGEST_UPLOAD:
            found, most = in_bytes(sent.size or 0), in_bytes(settings.LONGEST_UPLOAD)
            sentence = _("It is too large: found %(found)s, expected at most %(most)s.")
            raise Refused(sentence % {"found": found, "most": most}, field=field)
    if JudgmentAudit.objects.filter(account=account).count() >= MOST:
        raise FileRefused(_("You have %(most)s audits here. Delete one of them.") % {"most": MOST})
    folder = f"judgment-audits/{new_public_name()}"
    kept = {"stored_file": keep_file(f"{folder}/file", file)}
    try:
        if pairs is not None:
            kept["pairs_file"] = keep_file(f"{folder}/pairs", pairs)
        with transaction.atomic():
            return JudgmentAudit.objects.create(
                account=account,
                file_name=name_of(file),
                pairs_name=name_of(pairs) if pairs is not None else "",
                size=(file.size or 0) + (pairs.size or 0 if pairs is not None else 0),
                ratings=ratings,
                **kept,
            )
    except Exception as error:
        for stored in kept.values():
            delete_file(stored)
        if isinstance(error, IntegrityError):
            raise FileRefused(_("Another file of yours is being audited. Wait until it has ended.")) from error
        raise


def forget_files(audit: JudgmentAudit) -> None:
    """Remove what was uploaded, and keep the audit. Repeating it changes nothing. Raises: StoringError."""
    for stored in filter(None, (audit.stored_file, audit.pairs_file)):
        delete_file(stored)
    JudgmentAudit.objects.filter(pk=audit.pk).update(stored_file="", pairs_file="")


def forget_audits(audits: Iterable[JudgmentAudit]) -> int:
    """Remove audits with their files and logs. Returns how many. Raises: StoringError."""
    gone = 0
    for audit in audits:
        forget_files(audit)
        JobLine.objects.filter(kind=audit._meta.label_lower, job=audit.pk).delete()
        gone += bool(audit.delete()[0])
    return gone


def _forget_of(account: int, member: int | None) -> None:
    if member is None:
        forget_audits(JudgmentAudit.objects.filter(account=account).defer("result"))


def _told_of(account: Account) -> dict[str, Any]:
    columns = ("file_name", "pairs_name", "size", "asked_at", "finished_at", "state", "result")
    return {"judgment_audits": list(JudgmentAudit.objects.filter(account=account).order_by("pk").values(*columns))}


def register() -> None:
    """Called when Django starts: what is a person's own goes with them, and is told in their own data."""
    erasure_hooks.register(_forget_of)
    register_role(lambda account: [], _told_of)
