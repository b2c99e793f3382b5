"""What a lead says to annotators, by mail: the same words as on their pages, unless they were read there by then."""

from django.urls import reverse
from django.utils.translation import gettext as _

from annotation.models import Flag, Notice, NoticeRead, Question
from foundation.mail.kinds import Said, register
from foundation.models import MailItem, Membership

NOTICE, ANSWER, FLAG_ANSWER = "annotation.notice", "annotation.answer", "annotation.flag-answer"


def says_notice(item: MailItem) -> Said | None:
    """A notice to one or to all, while it stands."""
    notice = Notice.objects.filter(pk=item.facts["notice"], withdrawn_at=None).first()
    if notice is None or NoticeRead.objects.filter(notice=notice, annotator__account=item.account).exists():
        return None
    return Said(_("A notice from the lead"), notice.text, _page(item))


def says_answer(item: MailItem) -> Said | None:
    """The answer to the person's question."""
    question = Question.objects.filter(pk=item.facts["question"], annotator__account=item.account, read_at=None).first()
    if question is None or question.answered_at is None:
        return None
    text = _("You asked: “%(question)s” The lead: %(answer)s") % {"question": question.text, "answer": question.answer}
    return Said(_("An answer to your question"), text, _page(item))


def says_flag_answer(item: MailItem) -> Said | None:
    """What the lead says about a clip that the person flagged."""
    flag = Flag.objects.filter(pk=item.facts["flag"], annotator__account=item.account, read_at=None).first()
    if flag is None or not flag.answer:
        return None
    text = _("About a clip that you flagged: %(answer)s") % {"answer": flag.answer}
    return Said(_("An answer about a clip"), text, _page(item))


def _page(item: MailItem) -> str:
    member = Membership.objects.filter(account=item.account, collection=item.collection).first()
    if member is None or item.collection is None or member.leads:
        return reverse("home")
    judges = member.status in (Membership.Status.ADMITTED, Membership.Status.PAUSED)
    return reverse("judge" if judges else "qualification", args=[item.collection.name])


def register_mails() -> None:
    """Called when Django starts."""
    register(NOTICE, "notices", says_notice)
    register(ANSWER, "notices", says_answer)
    register(FLAG_ANSWER, "notices", says_flag_answer)
