"""Take back the captions that an import brought, until something depends on them."""

from django.db import transaction
from django.db.models import F
from django.utils import timezone
from django.utils.translation import gettext as _
from django.utils.translation import ngettext

from corpus.description_import.removing import Removal
from corpus.models import Description
from foundation.counted import counted
from foundation.infra.advisory_lock import hold_descriptions
from foundation.refused import Refused
from foundation.text import normalise
from queries.caption_import.import_captions import AT_ONCE, with_dependence
from queries.models import Attempt, BroughtCaption, Caption, CaptionImport, Decision


def removal_of_captions(job: CaptionImport) -> Removal:
    """What taking an import back would do."""
    brought = job.brought.order_by("pk")
    count, since = brought.count(), brought.exclude(attempt__description__caption__attempt=F("attempt"))
    losses = [ngettext("%(count)s caption", "%(count)s captions", count) % {"count": f"{count:,}"}]
    held = [row.attempt.description.source_id for row in since.select_related("attempt__description")[:AT_ONCE]]
    for first in range(0, count, AT_ONCE):
        some = brought.values_list("attempt__description", flat=True)[first : first + AT_ONCE]
        rows = with_dependence(Description.objects.filter(pk__in=list(some)))
        held += [row["source_id"] for row in rows if row["fixed"]]
    if not held:
        return Removal(losses, [])
    sentence = ngettext(
        "The caption of description %(id)s was decided, changed or used since.",
        "%(count)s captions were decided, changed or used since, that of description %(id)s for instance.",
        len(set(held)),
    )
    return Removal(losses, [sentence % {"count": f"{len(set(held)):,}", "id": held[0]}])


def _refuse_dependent(job: CaptionImport) -> None:
    obstacles = removal_of_captions(job).obstacles
    if obstacles:
        raise Refused(" ".join([*obstacles, _("Nothing was taken back.")]))


def refuse_beside_another(job: CaptionImport) -> None:
    """Raises: Refused while another file of the collection waits or is under way: a worker does one at a time."""
    others = CaptionImport.to_do().filter(collection=job.collection_id)
    if others.exclude(pk=job.pk).exists():
        raise Refused(_("Another file of captions waits or is under way. Go on with this one when that has ended."))


@transaction.atomic
def ask_to_take_back(*, job: CaptionImport) -> None:
    """Have a worker take an import back; the caller sends it. Raises: Refused."""
    locked = CaptionImport.objects.select_for_update(no_key=True, of=("self",)).select_related("collection")
    standing = locked.get(pk=job.pk)
    if not standing.can_be_taken_back:
        raise Refused(_("This import can't be taken back: it brought nothing, or it was taken back already."))
    _refuse_dependent(standing)
    refuse_beside_another(standing)
    standing.turn_to(CaptionImport.Doing.BACK)
    job.refresh_from_db()


@transaction.atomic
def take_back(*, job: CaptionImport) -> None:
    """Put back what stood before, and end the job. Raises: Refused if something depends on it by now; Busy."""
    hold_descriptions(job.collection)
    captions = Caption.objects.filter(description__attempts__brought__brought_by=job)
    list(captions.select_for_update(of=("self",), no_key=True).order_by("pk").values_list("pk", flat=True))
    _refuse_dependent(job)
    rows = list(job.brought.select_related("before").order_by("pk"))
    for first in range(0, len(rows), AT_ONCE):
        _put_back(rows[first : first + AT_ONCE])
    job.taken_back_at, job.said = timezone.now(), f"{job.file_name} was taken back: {counted(len(rows), 'caption')}."
    job.save(update_fields=["taken_back_at", "said"])
    job.end()


def _put_back(rows: list[BroughtCaption]) -> None:
    ours = {row.attempt_id: row for row in rows}
    changed, gone = [], []
    for caption in Caption.objects.filter(attempt__in=list(ours)):
        row = ours[caption.attempt_id]
        if row.before is None:
            gone.append(caption.pk)
            continue
        caption.attempt, caption.text, caption.normalised = row.before, row.before.text, normalise(row.before.text)
        caption.status = row.before_status
        changed.append(caption)
    Caption.objects.bulk_update(changed, ["attempt", "text", "normalised", "status"])
    # Decisions that stand are obstacles: these were undone.
    Decision.objects.filter(attempt__in=list(ours)).delete()
    Decision.objects.filter(before__in=list(ours)).delete()
    Caption.objects.filter(pk__in=gone).delete()
    Attempt.objects.filter(pk__in=list(ours)).delete()
