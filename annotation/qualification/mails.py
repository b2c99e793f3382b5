"""What applicants and annotators are told by mail of guideline and exam."""

from django.urls import reverse
from django.utils.translation import gettext as _

from annotation.consent.mails import who_confirms
from annotation.models import Exam, Guideline
from foundation.mail.kinds import Said, register
from foundation.mail.outbox import tell
from foundation.models import MailItem, Membership

GUIDELINE, EXAM_OPENED, EXAM_COMPARED = "annotation.guideline", "annotation.exam-opened", "annotation.exam-compared"
Status = Membership.Status


def guideline_published(published: Guideline) -> None:
    """Tell whoever judges or trains here."""
    tell(GUIDELINE, who_confirms(published.collection), collection=published.collection, version=published.version)


def exam_opened(exam: Exam) -> None:
    """Tell whoever is in training."""
    people = exam.collection.memberships.filter(role=Membership.Role.ANNOTATOR, status=Status.APPLICANT)
    tell(EXAM_OPENED, people.values_list("account_id", flat=True), collection=exam.collection)


def exam_compared(exam: Exam) -> None:
    """Tell the first cohort, which waited for it."""
    people = exam.sittings.filter(cohort=True, set_aside_at=None)
    tell(EXAM_COMPARED, people.values_list("applicant__account_id", flat=True), collection=exam.collection)


def says_guideline(item: MailItem) -> Said | None:
    """The newest version, unless the person has confirmed it."""
    member = _member(item)
    if member is None or item.collection is None or member.knows_guideline:
        return None
    published = item.collection.guidelines.order_by("-version").first()
    if published is None:
        return None
    text = _("Read and confirm it before you go on.")
    if published.note and published.version > 1:
        changed = _("What has changed: %(note)s") % {"note": published.note}
        text = f"{changed}\n\n{text}"
    return Said(_("There is a new version of the guideline"), text, reverse("guideline", args=[item.collection.name]))


def says_exam_opened(item: MailItem) -> Said | None:
    """That the exam can be sat, unless it was."""
    member = _member(item)
    if member is None or member.status != Status.APPLICANT or member.exam_sittings.filter(set_aside_at=None).exists():
        return None
    text = _("You can sit it once you have read the guideline and finished the practice.")
    return Said(_("The exam is open"), text, _way(member))


def says_exam_compared(item: MailItem) -> Said | None:
    """That there is feedback; what it says is for the page alone."""
    member = _member(item)
    if member is None or member.status != Status.APPLICANT:
        return None
    text = _("Your exam was compared with the others'. See its feedback, and judge again what is out.")
    return Said(_("There is feedback on your exam"), text, _way(member))


def _member(item: MailItem) -> Membership | None:
    """The annotator who is told; None also for who withdrew their consent: there is no more work for them."""
    members = Membership.objects.filter(
        account=item.account,
        collection=item.collection,
        role=Membership.Role.ANNOTATOR,
        consent_withdrawn_at=None,
    )
    return members.select_related("collection").first()


def _way(member: Membership) -> str:
    return reverse("qualification", args=[member.collection.name])


def register_mails() -> None:
    """Called when Django starts."""
    register(GUIDELINE, "guideline", says_guideline)
    register(EXAM_OPENED, "standing", says_exam_opened)
    register(EXAM_COMPARED, "standing", says_exam_compared)
