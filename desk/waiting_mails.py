"""What waits for a lead, by mail: once a day at most, and only when it isn't what the last one said."""

from datetime import timedelta

from celery import shared_task
from django.conf import settings
from django.urls import reverse
from django.utils import timezone
from django.utils.translation import ngettext

from annotation.models import Batch, Computed
from annotation.people.people_figures import NAME, alerts_by_person
from desk.attention import attention
from foundation.infra.advisory_lock import alone_at
from foundation.mail.kinds import Said, register
from foundation.mail.outbox import tell
from foundation.models import Account, Collection, MailItem, Membership

WAITING = "desk.waiting"
LOCK = ("desk.waiting_mails", 0)
AGAIN_AFTER = timedelta(hours=20)
"""From one to the next of a collection, so that one that is a little late doesn't move all that follow."""


def what_waits(collection: Collection) -> dict[str, int]:
    """Counts of what a lead has to decide: `reviews`, `flagged`, `questions`, `applicants`, `people` with an alert as
    last computed. Those that are 0 are left out."""
    now, _ = attention(collection)
    computed = Computed.objects.filter(collection=collection, name=NAME).first()
    counts = {
        "reviews": Batch.objects.filter(collection=collection, status=Batch.Status.DECIDED, postponed_at=None).count(),
        "flagged": now.flagged,
        "questions": now.questions,
        "applicants": now.applicants,
        "people": len(alerts_by_person(collection, computed.value if computed else None)),
    }
    return {name: count for name, count in counts.items() if count}


@shared_task(name="desk.tasks.tell_leads")
def tell_leads() -> int:
    """Have the leads of every collection told of what waits there. Returns how many mails were asked for."""
    if not settings.MAIL_IS_SET:
        return 0
    with alone_at(*LOCK, wait=False) as ours:
        return _tell_all() if ours else 0


def _tell_all() -> int:
    mails, since = 0, timezone.now() - AGAIN_AFTER
    lead = [Membership.Role.OWNER, Membership.Role.LEAD]
    people = Membership.objects.filter(role__in=lead, account__is_active=True).exclude(account__email="")
    collections = Collection.objects.filter(archived_at=None, study_of=None, memberships__in=people).distinct()
    for collection in collections.order_by("pk"):
        due = []
        for account in people.filter(collection=collection).values_list("account_id", flat=True):
            last = (
                MailItem.objects.filter(account=account, collection=collection, event=WAITING).order_by("-pk").first()
            )
            if last is None or last.made_at < since:
                due.append((account, last.facts if last else {}))
        counts = what_waits(collection) if due else {}
        if counts:
            mails += tell(
                WAITING, [account for account, before in due if before != counts], collection=collection, **counts
            )
    return mails


def says_waiting(item: MailItem) -> Said | None:
    """A line for each thing that waits, as it is now."""
    if item.collection is None or not _leads(item.account, item.collection):
        return None
    counts = what_waits(item.collection)
    if not counts:
        return None
    lines = [f"- {_line(name, count)}" for name, count in counts.items()]
    title = ngettext("%(count)s thing waits for you", "%(count)s things wait for you", sum(counts.values()))
    return Said(
        title % {"count": sum(counts.values())}, "\n".join(lines), reverse("overview", args=[item.collection.name])
    )


def _leads(account: Account, collection: Collection) -> bool:
    member = Membership.objects.filter(account=account, collection=collection).first()
    return member is not None and member.leads


def _line(name: str, count: int) -> str:
    words = {
        "reviews": ngettext("%(count)s batch to review", "%(count)s batches to review", count),
        "flagged": ngettext("%(count)s flagged clip", "%(count)s flagged clips", count),
        "questions": ngettext("%(count)s question to answer", "%(count)s questions to answer", count),
        "applicants": ngettext("%(count)s applicant to decide about", "%(count)s applicants to decide about", count),
        "people": ngettext(
            "%(count)s person whose work has an alert", "%(count)s people whose work has an alert", count
        ),
    }
    return words[name] % {"count": count}


def register_mails() -> None:
    """Called when Django starts."""
    register(WAITING, "waiting", says_waiting)
