"""Retention classes of data about people: which rows, when their days start, and how they are removed.

Of a collection nothing counts before it has ended, which is when it was archived. Judgments, grades and releases never
go: once somebody's place is parted from their account nobody can tell whose they were.
"""

from collections.abc import Callable
from dataclasses import dataclass
from datetime import datetime
from typing import Any

from django.db.models import Exists, F, OuterRef, Q, QuerySet
from django.db.models.functions import Coalesce
from django.utils.functional import Promise
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
    RepeatAnswer,
    Seat,
    StatusChange,
    TimeCorrection,
)
from annotation.people.erasure import erase_account, part_member
from campaigns.models import Submission, Team, TeamLink, TeamMember
from foundation.audit.forgetting import forget_entries
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

Rows = Callable[[datetime], QuerySet[Any]]
Go = Callable[[QuerySet[Any]], int]


@dataclass(frozen=True, slots=True)
class Part:
    """A table's part of a class. `rows(before)`: those that may go; none of them again once `go` was there."""

    rows: Rows
    go: Go


@dataclass(frozen=True, slots=True)
class KeptClass:
    """A class by its name in QREELS_KEEP_DAYS, what it is, and since when its days count."""

    name: str
    what: Promise
    since: Promise
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


def blank(**columns: Any) -> Go:
    """Leave the rows without these."""
    return lambda rows: _in_pieces(rows, lambda some: some.update(**columns))


def _in_pieces(rows: QuerySet[Any], go: Callable[[QuerySet[Any]], int]) -> int:
    gone = 0
    while keys := list(rows.order_by("pk").values_list("pk", flat=True)[:AT_ONCE]):
        gone += go(rows.model._default_manager.filter(pk__in=keys))
    return gone


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


def _ended(path: str, before: datetime) -> Q:
    """Rows whose collection was archived before; `path` leads to it."""
    return Q(**{f"{path}__archived_at__lt": before})


def _places(before: datetime) -> QuerySet[Membership]:
    return Membership.objects.filter(
        _ended("collection", before), role=Membership.Role.ANNOTATOR, account__isnull=False
    )


def _unused_accounts(before: datetime) -> QuerySet[Account]:
    places = Membership.objects.filter(account=OuterRef("pk"))
    teams = TeamMember.objects.filter(account=OuterRef("pk"))
    unused = Account.objects.annotate(last=Coalesce(F("last_login"), F("date_joined")))
    # Nobody who runs the site or may begin collections, and nobody who is logged in still.
    here = Session.objects.filter(account=OuterRef("pk"), used_at__gte=before)
    rights = {"is_superuser": False, "is_staff": False, "may_create_collections": False}
    return unused.filter(~Exists(places), ~Exists(teams), ~Exists(here), last__lt=before, **rights)


JUDGED: tuple[tuple[type[Any], str], ...] = (
    (Judgment, "annotator__collection"),
    (RepeatAnswer, "annotator__collection"),
    (PracticeAnswer, "annotator__collection"),
    (ExamAnswer, "sitting__applicant__collection"),
)


def _without(column: str, *, of: tuple[type[Any], ...]) -> tuple[Part, ...]:
    """A part for each table of judged things, whose column becomes empty."""
    return tuple(
        Part(
            lambda before, model=model, path=path: model.objects.filter(  # type: ignore[misc]
                _ended(path, before), **{f"{column}__isnull": False}
            ),
            blank(**{column: None}),
        )
        for model, path in JUDGED
        if model in of
    )


_JUDGING = "annotator__collection"
_ARCHIVED = _("the collection was archived")

KEPT = {
    one.name: one
    for one in (
        KeptClass(
            "logins",
            _("Logins that have ended, with device and network address; tokens that were revoked; old password links"),
            _("they ended"),
            (
                Part(lambda before: Session.objects.filter(expire_date__lt=before), delete),
                Part(lambda before: ApiToken.objects.filter(revoked_at__lt=before), delete),
                Part(lambda before: ApiToken.objects.filter(expires_at__lt=before), delete),
                Part(lambda before: OneTimeLink.objects.filter(expires_at__lt=before), delete),
            ),
        ),
        KeptClass(
            "mails",
            _("Which notices were mailed to whom"),
            _("the mail was sent or given up"),
            (Part(lambda before: Letter.objects.filter(ended_at__lt=before), delete),),
        ),
        KeptClass(
            "jobs",
            _("Logs of jobs, alerts that have ended, workers' last signs of life, what webhooks were told"),
            _("they were written"),
            (
                Part(lambda before: JobLine.objects.filter(at__lt=before), delete),
                Part(lambda before: Alert.objects.filter(ended_at__lt=before), delete),
                Part(lambda before: WebhookEvent.objects.filter(ended_at__lt=before), delete),
                Part(lambda before: WorkerHeartbeat.objects.filter(seen_at__lt=before), delete),
            ),
        ),
        KeptClass(
            "words",
            _("What people wrote to each other and about each other: notices, questions, flags, reasons, labels"),
            _ARCHIVED,
            (
                Part(lambda before: Notice.objects.filter(_ended("collection", before)), delete),
                Part(lambda before: Question.objects.filter(_ended(_JUDGING, before)), delete),
                Part(
                    lambda before: Flag.objects.filter(_ended(_JUDGING, before)).exclude(note="", answer=""),
                    blank(note="", answer=""),
                ),
                Part(lambda before: AlertDismissal.objects.filter(_ended("member__collection", before)), delete),
                Part(lambda before: StatusChange.objects.filter(_ended("member__collection", before)), delete),
                Part(
                    lambda before: Invitation.objects.filter(_ended("collection", before)).exclude(label=""),
                    blank(label=""),
                ),
                Part(
                    lambda before: Team.objects.filter(_ended("campaign__collection", before)).exclude(
                        contact="", disqualified_reason=""
                    ),
                    blank(contact="", disqualified_reason=""),
                ),
                Part(
                    lambda before: Submission.objects.filter(_ended("team__campaign__collection", before)).exclude(
                        excluded_reason=""
                    ),
                    blank(excluded_reason=""),
                ),
            ),
        ),
        KeptClass(
            "traces",
            _("Traces of the work: seats, and how much of each clip was seen"),
            _ARCHIVED,
            (
                Part(lambda before: Seat.objects.filter(_ended(_JUDGING, before)), delete),
                *_without("played", of=(Judgment, RepeatAnswer, ExamAnswer)),
            ),
        ),
        KeptClass(
            "training",
            _("Grades given in practice and exam"),
            _ARCHIVED,
            (
                Part(lambda before: PracticeAnswer.objects.filter(_ended(_JUDGING, before)), delete),
                Part(lambda before: ExamSitting.objects.filter(_ended("applicant__collection", before)), delete),
            ),
        ),
        KeptClass(
            "pay",
            _("Time and pay: seconds of work, corrections, rates"),
            _ARCHIVED,
            (
                Part(lambda before: TimeCorrection.objects.filter(_ended(_JUDGING, before)), delete),
                Part(lambda before: RateChange.objects.filter(_ended("member__collection", before)), delete),
                *_without("active_seconds", of=(Judgment, RepeatAnswer, PracticeAnswer, ExamAnswer)),
                Part(
                    lambda before: Membership.objects.filter(_ended("collection", before), pay_per_hour__isnull=False),
                    blank(pay_per_hour=None),
                ),
            ),
        ),
        KeptClass(
            "places",
            _("Which account judged as which worker, leads keep theirs; who was in which team of a campaign"),
            _ARCHIVED,
            (
                Part(_places, _part_members),
                Part(
                    lambda before: InvitationUse.objects.filter(
                        _ended("invitation__collection", before), annotator__isnull=False
                    ),
                    blank(annotator=None),
                ),
                Part(lambda before: TeamMember.objects.filter(_ended("campaign__collection", before)), delete),
                Part(
                    lambda before: TeamLink.objects.filter(
                        _ended("team__campaign__collection", before), made_by__isnull=False
                    ),
                    blank(made_by=None),
                ),
                Part(
                    lambda before: Submission.objects.filter(
                        _ended("team__campaign__collection", before), account__isnull=False
                    ),
                    blank(account=None),
                ),
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
