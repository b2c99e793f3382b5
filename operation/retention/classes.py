"""Retention classes of data about people: which rows, when their days start, and how they are removed.

Of a collection nothing counts before it has ended, which is when it was archived. Judgments, grades and releases never
go: once somebody's place is parted from their account nobody can tell whose they were.
"""

from collections.abc import Callable
from dataclasses import dataclass
from datetime import datetime
from typing import Any

from django.db.models import Exists, F, Model, OuterRef, Q, QuerySet
from django.db.models.functions import Coalesce
from django.utils.translation import gettext_lazy as _

from annotation.models import (
    AlertDismissal,
    ExamAnswer,
    ExamSitting,
    Flag,
    Invitation,
    InvitationUse,
    Judgment,
    Notice,
    PracticeAnswer,
    Question,
    RateChange,
    Recruit,
    RecruitSession,
    RepeatAnswer,
    Seat,
    SetAside,
    StatusChange,
    TimeCorrection,
)
from annotation.people.erasure import erase_account, part_member
from annotation.recruiting.entering import forget_ids
from campaigns.models import Submission, Team, TeamLink, TeamMember
from datasets.judgment_audits.services import forget_audits
from datasets.models import JudgmentAudit
from foundation.audit.forgetting import forget_entries
from foundation.lazy import LazyStr
from foundation.models import (
    Account,
    ApiToken,
    AuditEntry,
    JobLine,
    Letter,
    Membership,
    OneTimeLink,
    Session,
    WebhookEvent,
)
from foundation.refused import Refused
from operation.models import Alert, WorkerHeartbeat

AT_ONCE = 2000
"""Rows of one statement, so that none is long and nobody waits for a lock."""


@dataclass(frozen=True, slots=True)
class Part:
    """A table's part of a class. `rows(before)`: those that may go; none of them again once `go` was there."""

    rows: Callable[[datetime], QuerySet[Any]]
    go: Callable[[QuerySet[Any]], int]


@dataclass(frozen=True, slots=True)
class KeptClass:
    """A class by its name in QREELS_KEEP_DAYS, what it is, and since when its days count."""

    name: str
    what: LazyStr
    since: LazyStr
    parts: tuple[Part, ...]

    def count(self, before: datetime) -> int:
        """How many rows would go."""
        return sum(part.rows(before).count() for part in self.parts)

    def forget(self, before: datetime) -> int:
        """Let them go. Returns how many went. Safe to repeat, and to break off anywhere."""
        return sum(part.go(part.rows(before)) for part in self.parts)


def delete(rows: QuerySet[Any]) -> int:
    """Delete the rows, and what hangs on them."""
    return _in_pieces(rows, lambda some: some.delete()[1].get(rows.model._meta.label, 0))


def _in_pieces(rows: QuerySet[Any], go: Callable[[QuerySet[Any]], int]) -> int:
    gone = 0
    while keys := list(rows.order_by("pk").values_list("pk", flat=True)[:AT_ONCE]):
        gone += go(rows.model._default_manager.filter(pk__in=keys))
    return gone


def _old(model: type[Model], moment: str) -> Part:
    """Rows go whose `moment` is long ago."""
    return Part(lambda before: model._default_manager.filter(**{f"{moment}__lt": before}), delete)


def _of_ended(model: type[Model], collection: str) -> Part:
    """Rows of collections that have ended go; the path `collection` leads to theirs."""
    return Part(lambda before: _in_ended(model, collection, before), delete)


def _emptied(model: type[Model], collection: str, **columns: Any) -> Part:
    """Rows of collections that have ended stay, with these values in place of what was there."""
    return Part(
        lambda before: _in_ended(model, collection, before).exclude(**columns),
        lambda rows: _in_pieces(rows, lambda some: some.update(**columns)),
    )


def _in_ended(model: type[Model], collection: str, before: datetime) -> QuerySet[Any]:
    return model._default_manager.filter(**{f"{collection}__archived_at__lt": before})


def _part_members(rows: QuerySet[Membership]) -> int:
    members = list(rows.select_related("account", "collection"))
    for member in members:
        part_member(member=member)
    return len(members)


def _erase_accounts(rows: QuerySet[Account]) -> int:
    gone = 0
    for account in list(rows):
        try:
            erase_account(account=account)
        except Refused:
            continue  # they have become an owner meanwhile
        gone += 1
    return gone


def _places(before: datetime) -> QuerySet[Membership]:
    places = _in_ended(Membership, "collection", before)
    return places.filter(role=Membership.Role.ANNOTATOR, account__isnull=False)


def _recruits(before: datetime) -> QuerySet[Recruit]:
    """Whose recruitments have all ended."""
    over = (
        Q(recruitment__closed_at__lt=before)
        | Q(recruitment__expires_at__lt=before)
        | Q(recruitment__collection__archived_at__lt=before)
    )
    goes_on = RecruitSession.objects.filter(recruit=OuterRef("pk")).exclude(over)
    return Recruit.objects.exclude(person="").filter(~Exists(goes_on))


def _unused_accounts(before: datetime) -> QuerySet[Account]:
    places = Membership.objects.filter(account=OuterRef("pk"))
    teams = TeamMember.objects.filter(account=OuterRef("pk"))
    unused = Account.objects.annotate(last=Coalesce(F("last_login"), F("date_joined")))
    # Nobody who runs the site or may begin collections, and nobody who is logged in still.
    here = Session.objects.filter(account=OuterRef("pk"), used_at__gte=before)
    rights = {"is_superuser": False, "is_staff": False, "may_create_collections": False}
    return unused.filter(~Exists(places), ~Exists(teams), ~Exists(here), last__lt=before, **rights)


_JUDGING, _MEMBER, _CAMPAIGN = "annotator__collection", "member__collection", "team__campaign__collection"
_EXAM = "sitting__applicant__collection"
_ARCHIVED = _("the collection was archived")

KEPT = {
    kept.name: kept
    for kept in (
        KeptClass(
            "logins",
            _("Logins that have ended, with device and network address; tokens that were revoked; old password links"),
            _("they ended"),
            (
                _old(Session, "expire_date"),
                _old(ApiToken, "revoked_at"),
                _old(ApiToken, "expires_at"),
                _old(OneTimeLink, "expires_at"),
            ),
        ),
        KeptClass(
            "mails",
            _("Which notices were mailed to whom"),
            _("the mail was sent or given up"),
            (_old(Letter, "ended_at"),),
        ),
        KeptClass(
            "jobs",
            _("Logs of jobs, alerts that have ended, workers' last signs of life, what webhooks were told"),
            _("they were written"),
            (
                _old(JobLine, "at"),
                _old(Alert, "ended_at"),
                _old(WebhookEvent, "ended_at"),
                _old(WorkerHeartbeat, "seen_at"),
            ),
        ),
        KeptClass(
            "audits",
            _("Audits of files of judgments that people uploaded, with these files' ids of workers"),
            _("they ended"),
            (
                Part(
                    lambda before: JudgmentAudit.objects.filter(finished_at__lt=before).defer("result"),
                    lambda rows: _in_pieces(rows, forget_audits),
                ),
            ),
        ),
        KeptClass(
            "words",
            _("What people wrote to each other and about each other: notices, questions, flags, reasons, labels"),
            _ARCHIVED,
            (
                _of_ended(Notice, "collection"),
                _of_ended(Question, _JUDGING),
                _emptied(Flag, _JUDGING, note="", answer=""),
                _of_ended(AlertDismissal, _MEMBER),
                _of_ended(StatusChange, _MEMBER),
                _emptied(SetAside, "member__collection", reason="(gone)"),
                _emptied(Invitation, "collection", label=""),
                _emptied(Team, "campaign__collection", contact="", disqualified_reason=""),
                _emptied(Submission, _CAMPAIGN, excluded_reason=""),
            ),
        ),
        KeptClass(
            "traces",
            _("Traces of the work: seats, and how much of each clip was seen"),
            _ARCHIVED,
            (
                _of_ended(Seat, _JUDGING),
                _emptied(Judgment, _JUDGING, played=None),
                _emptied(RepeatAnswer, _JUDGING, played=None),
                _emptied(ExamAnswer, _EXAM, played=None),
            ),
        ),
        KeptClass(
            "training",
            _("Grades given in practice and exam"),
            _ARCHIVED,
            (_of_ended(PracticeAnswer, _JUDGING), _of_ended(ExamSitting, "applicant__collection")),
        ),
        KeptClass(
            "recruits",
            _("Ids that platforms such as Prolific gave people"),
            _("the recruitment ended"),
            (Part(_recruits, lambda rows: _in_pieces(rows, forget_ids)),),
        ),
        KeptClass(
            "pay",
            _("Time and pay: seconds of work, corrections, rates"),
            _ARCHIVED,
            (
                _of_ended(TimeCorrection, _JUDGING),
                _of_ended(RateChange, _MEMBER),
                _emptied(Judgment, _JUDGING, active_seconds=None),
                _emptied(RepeatAnswer, _JUDGING, active_seconds=None),
                _emptied(PracticeAnswer, _JUDGING, active_seconds=None),
                _emptied(ExamAnswer, _EXAM, active_seconds=None),
                _emptied(Membership, "collection", pay_per_hour=None),
            ),
        ),
        KeptClass(
            "places",
            _("Which account judged as which worker, leads keep theirs; who was in which team of a campaign"),
            _ARCHIVED,
            (
                Part(_places, _part_members),
                _emptied(InvitationUse, "invitation__collection", annotator=None),
                _of_ended(TeamMember, "campaign__collection"),
                _emptied(TeamLink, _CAMPAIGN, made_by=None),
                _emptied(Submission, _CAMPAIGN, account=None),
            ),
        ),
        KeptClass(
            "accounts",
            _("Accounts that belong to no collection and no team, and may create none"),
            _("they last logged in"),
            (Part(_unused_accounts, _erase_accounts),),
        ),
        KeptClass(
            "changes",
            _("The trail of changes: who changed what, when, from where, before and after"),
            _("they were made"),
            (Part(lambda before: AuditEntry.objects.filter(at__lt=before), forget_entries),),
        ),
    )
}
"""By name, in the order in which they go: an account may go once its last place has."""
