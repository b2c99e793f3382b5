"""People from platforms: they enter, their sessions end, their ids are forgotten."""

import secrets
from contextlib import suppress

from django.db import transaction
from django.db.models import Q, QuerySet
from django.db.models.functions import Now
from django.utils import timezone
from django.utils.formats import date_format
from django.utils.translation import gettext as _
from django.utils.translation import ngettext

from annotation.assignment.next_tasks import leave_seats, next_tasks
from annotation.assignment.seat_sql import lock_member
from annotation.assignment.session_targets import Standing, live_session, standing_of, with_work
from annotation.consent.standing import confirm_consent, refuse_other_version
from annotation.judging.progress import why_held
from annotation.models import Recruit, Recruitment, RecruitSession
from annotation.recruiting.platforms import Ids
from annotation.recruiting.recruitments import digest_of_id
from foundation.access.guards import NO_WORK, PAUSED
from foundation.collections.members import add_member
from foundation.models import Account, Collection, Membership
from foundation.refused import LinkUnknown, Refused
from foundation.text import UNSTORABLE

Status, Outcome = Membership.Status, RecruitSession.Outcome


def find_recruitment(token: str) -> Recruitment:
    """The recruitment with this token, open or closed. Raises: LinkUnknown if there is none."""
    stored = Recruitment.objects.defer("known").select_related("collection")
    found = stored.filter(token=UNSTORABLE.sub("", token)).first()
    if found is None:
        raise LinkUnknown(_("This address is incomplete or unknown. Open it from the platform's page."))
    return found


def refuse_closed(recruitment: Recruitment) -> None:
    """Raises: Refused if nobody can begin a session by it now."""
    now = timezone.now()
    if recruitment.collection.archived_at is not None or recruitment.ended:
        raise Refused(_("This study is over: nobody can begin here any more."))
    if recruitment.opens_at is not None and recruitment.opens_at > now:
        day = date_format(recruitment.opens_at, "SHORT_DATE_FORMAT")
        raise Refused(_("This study begins on %(day)s. Come back then.") % {"day": day})


@transaction.atomic
def enter(*, recruitment: Recruitment, ids: Ids, consent: int | None = None) -> RecruitSession:
    """The session of a platform's person: the one that they are in, or a new one.

    Who was here before, also by another recruitment of the platform, is the same worker. A new person gets an account
    without name, mail address or password: nothing of them is stored but the platform's ids.

    Args: consent: the version of the consent text that they confirm, where one is to be: nothing is stored without it.
    Raises: Refused if the id isn't on the list, the session is somebody else's, or no new one may begin; of the field
        "consent" where that is to be confirmed first.
    """
    if not is_known(recruitment, ids.person):
        raise Refused(_("This study is for other participants: your id isn't on its list."))
    # One at a time in a collection, so that a place for one can't let two in, and nobody becomes two workers.
    collection = Collection.objects.select_for_update(no_key=True).get(pk=recruitment.collection_id)
    recruit = _recruit_of(recruitment, ids)
    if recruit is not None and (recruit.member.account is None or not recruit.member.account.is_active):
        raise Refused(_("Your access to this study has ended."))
    session = _session_before(recruitment, recruit, ids)
    if session is not None:
        return session
    refuse_closed(Recruitment.objects.defer("known").select_related("collection").get(pk=recruitment.pk))
    if recruit is None:
        _refuse_full(recruitment)
    else:
        _refuse_another(recruitment, recruit)
    text = None if recruit is not None and recruit.member.agrees else refuse_other_version(collection, consent)
    if recruit is None:
        recruit = _new_recruit(recruitment, ids.person)
    else:
        lock_member(recruit.member)
        _end(RecruitSession.objects.filter(recruit=recruit, ended_at=None), Outcome.LEFT)
    # The page says that whoever goes on is as old.
    Membership.objects.filter(pk=recruit.member_id, age__lt=collection.minimum_age).update(age=collection.minimum_age)
    if text is not None:
        confirm_consent(member=recruit.member, version=text.version)
    return RecruitSession.objects.create(
        recruitment=recruitment, recruit=recruit, session=ids.session, study=ids.study, submit_to=ids.submit_to
    )


def _recruit_of(recruitment: Recruitment, ids: Ids) -> Recruit | None:
    known = Recruit.objects.filter(collection=recruitment.collection, platform=recruitment.platform, person=ids.person)
    return known.select_related("member__account", "member__collection").first() if ids.person else None


def asks_consent(recruitment: Recruitment, ids: Ids) -> bool:
    """Whether the consent text is to be confirmed before these ids can go on; who has a session already goes back."""
    recruit = _recruit_of(recruitment, ids)
    if not recruitment.collection.consent_version or (recruit is not None and recruit.member.agrees):
        return False
    with suppress(Refused):
        return recruit is None or _session_before(recruitment, recruit, ids) is None
    return True


def is_known(recruitment: Recruitment, person: str) -> bool:
    """Whether the id may enter: all may where there is no list."""
    named = Q(known=None) | Q(known__contains=[digest_of_id(recruitment.token, person)])
    return Recruitment.objects.filter(named, pk=recruitment.pk).exists()


def _session_before(recruitment: Recruitment, recruit: Recruit | None, ids: Ids) -> RecruitSession | None:
    """The session that these ids mean, where it has begun: of the platform's id, else the newest that may go on."""
    sessions = recruitment.sessions.select_related("recruit__member__account", "recruit__member__collection")
    if ids.session:
        session = sessions.filter(session=ids.session).first()
        if session is not None and session.recruit != recruit:
            raise Refused(_("This session is another participant's. Open it from the platform's page."))
        return session
    session = sessions.filter(recruit=recruit).order_by("-pk").first() if recruit is not None else None
    if session is None or session.ended_at is None:
        return session
    # Without an id of its own a visit after the end is a new session only where another one may begin.
    return session if _sessions_had(recruitment, session.recruit) >= recruitment.most_sessions else None


def _sessions_had(recruitment: Recruitment, recruit: Recruit) -> int:
    """How many ended by themselves: one that goes on is left when another begins."""
    return recruitment.sessions.filter(recruit=recruit).exclude(outcome__in=["", Outcome.LEFT]).count()


def _refuse_full(recruitment: Recruitment) -> None:
    came = recruitment.sessions.values("recruit").distinct().count()
    if recruitment.people is not None and came >= recruitment.people:
        raise Refused(_("All places of this study are taken. Return it on the platform."))


def _new_recruit(recruitment: Recruitment, person: str) -> Recruit:
    account = Account(username=f"participant-{secrets.token_hex(6)}")
    account.set_unusable_password()
    account.save()
    member = add_member(
        collection=recruitment.collection,
        account=account,
        role=Membership.Role.ANNOTATOR,
        status=Status.APPLICANT if recruitment.collection.needs_exam else Status.ADMITTED,
        recruited=True,
    )
    # The platform pays: an hour on the sheets of time and pay costs nothing.
    member.languages, member.pay_per_hour = recruitment.languages, 0
    member.save(update_fields=["languages", "pay_per_hour"])
    return Recruit.objects.create(
        collection=recruitment.collection, platform=recruitment.platform, person=person, member=member
    )


def _refuse_another(recruitment: Recruitment, recruit: Recruit) -> None:
    member = recruit.member
    if member.status in (Status.DECLINED, Status.BARRED):
        raise Refused(str(NO_WORK[member.status]))
    last = with_work(RecruitSession.objects.filter(recruit=recruit)).first()
    judged_all = recruitment.most_judgments is not None and last is not None and last.ever >= recruitment.most_judgments
    if judged_all or _sessions_had(recruitment, recruit) >= recruitment.most_sessions:
        raise Refused(_("You have done all that one person can do in this study. Thank you."))
    if not recruitment.sessions.filter(recruit=recruit).exists():
        _refuse_full(recruitment)


@transaction.atomic
def finish_session(*, member: Membership) -> RecruitSession:
    """Complete the member's session: it has its code from now on, and their places at batches are free.

    One for which no work is left is complete as well. Repeating it changes nothing.

    Raises: Refused, saying what is missing.
    """
    lock_member(member)
    session: RecruitSession | None = live_session(member)
    if session is None:
        last = newest_session(member)
        if last is None:
            raise Refused(_("You have no session here. Open it from the platform's page."))
        return last
    standing = standing_of(session)
    # Who has something to confirm, or has withdrawn, has no work, which says nothing of how much is left.
    held = {Status.PAUSED: str(PAUSED), Status.ADMITTED: why_held(member)}.get(Status(member.status), "")
    if standing.complete:
        outcome = Outcome.COMPLETE
    elif member.status == Status.ADMITTED and not held and not next_tasks(member=member):
        outcome = Outcome.SHORT
    else:
        raise Refused(held or what_is_missing(standing))
    leave_seats(member=member)
    _end(RecruitSession.objects.filter(pk=session.pk), outcome)
    session.refresh_from_db()
    return session


def _end(sessions: QuerySet[RecruitSession], outcome: str) -> None:
    sessions.filter(ended_at=None).update(ended_at=Now(), outcome=outcome)


def what_is_missing(standing: Standing) -> str:
    """What is left to do for the code, in a sentence; "" when nothing is."""
    left = standing.left
    if not left:
        return ""
    if standing.until == Recruitment.Until.SCREENING:
        return _("Hand in the exam, and you get your code.")
    if standing.until == Recruitment.Until.MINUTES:
        sentence = ngettext(
            "%(left)s more minute of work, and you get your code.",
            "%(left)s more minutes of work, and you get your code.",
            left,
        )
    else:
        sentence = ngettext(
            "%(left)s more clip, and you get your code.", "%(left)s more clips, and you get your code.", left
        )
    return sentence % {"left": f"{left:,}"}


def newest_session(member: Membership) -> RecruitSession | None:
    """The member's session that began last, whether it goes on or not."""
    sessions = RecruitSession.objects.select_related("recruitment", "recruit")
    return sessions.filter(recruit__member=member).order_by("-pk").first()


def forget_ids(recruits: QuerySet[Recruit]) -> int:
    """Let the platforms' ids of these people go. What they did stays under their worker ids."""
    RecruitSession.objects.filter(recruit__in=recruits.values("pk")).update(session="", study="", submit_to="")
    return recruits.update(person="")


def forget_erased(account: int, member: int | None) -> None:
    """Step of an erasure (`foundation/accounts/erasure_hooks.py`)."""
    forget_ids(Recruit.objects.filter(Q(member__account=account) if member is None else Q(member=member)))


def forget_accounts(collections: list[int]) -> None:
    """Step of a collection's deletion: accounts that are there for these collections alone go with them."""
    elsewhere = Membership.objects.exclude(collection__in=collections).filter(account__isnull=False)
    came = Recruit.objects.filter(collection__in=collections).values("member__account")
    Account.objects.filter(pk__in=came).exclude(pk__in=elsewhere.values("account")).delete()
