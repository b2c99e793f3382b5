"""Receive a team's run within its deadline and limits, by the database's clock; a team's runs are taken one by one."""

from collections.abc import Iterable
from datetime import UTC, datetime, timedelta
from itertools import groupby
from typing import IO

from django.core.files import File
from django.db import transaction
from django.utils import timezone
from django.utils.translation import gettext as _
from django.utils.translation import ngettext

from campaigns.models import Campaign, Submission, Team
from campaigns.teams.joining import has_conflict
from foundation.infra.storage import StoringError, delete_file, keep_file
from foundation.models import Account, new_public_name
from foundation.refused import FileRefused, Refused
from foundation.text import UNSTORABLE
from queries.runs.received_run import clean_file_name, clean_run_name, sha256_and_size

LONGEST_DESCRIPTION = 4000
DAY = timedelta(days=1)
REFUSED_A_DAY = 20
"""Runs of a team that the check refuses in a day (UTC), since reading each takes a worker's time; no more are taken
then."""


def receive(
    *,
    team: Team,
    account: Account | None,
    file: IO[bytes],
    file_name: str,
    name: str,
    begun_at: datetime,
    description: str = "",
    priority: int = 1,
    replace: bool = False,
) -> Submission:
    """Store a run's file and record the job that checks it; the caller sends it (`foundation.infra.jobs.ask`).

    The same file under the same name again is the run that is there. A refused one counts against a
    limit of its own, REFUSED_A_DAY; one that was withdrawn or replaced counts against the campaign's.

    Args:
        begun_at: when the request began to arrive (`foundation.access.arrival_time.began_at`): the deadline is held
            against this, so an upload that began in time is in time if it comes at the least rate.
        replace: withdraw the team's standing run of this name in its favour.
    Raises: Refused.
    """
    name = clean_run_name(name)
    description = UNSTORABLE.sub("", description).strip()
    if len(description) > LONGEST_DESCRIPTION:
        raise Refused(
            _("Found %(found)s characters, expected at most %(most)s.")
            % {"found": f"{len(description):,}", "most": f"{LONGEST_DESCRIPTION:,}"},
            field="description",
        )
    refuse_priority(priority)
    _refuse_closed(team, account, begun_at)
    sha256, size = sha256_and_size(file)
    try:
        stored = keep_file(f"submissions/{new_public_name()}", File(file))
    except StoringError as fault:
        raise FileRefused(str(fault)) from fault
    recorded = None
    try:
        recorded = _record(
            team,
            Submission(
                team=team,
                account=account,
                name=name,
                description=description,
                priority=priority,
                file_name=clean_file_name(file_name),
                stored_file=stored,
                sha256=sha256,
                size=size,
                begun_at=begun_at,
            ),
            replace=replace,
        )
        return recorded
    finally:
        if recorded is None or recorded.stored_file != stored:
            delete_file(stored)


def refuse_priority(priority: int) -> None:
    """Raises: Refused for a number that isn't 1 to 99."""
    if not 1 <= priority <= 99:
        raise Refused(_("Found %(found)s, expected 1 to 99.") % {"found": priority}, field="priority")


@transaction.atomic
def _record(team: Team, new: Submission, *, replace: bool) -> Submission:
    # One at a time a team: of two that arrive at once at the limit exactly one passes.
    locked = Team.objects.select_for_update(no_key=True, of=("self",)).select_related("campaign__collection")
    team = locked.get(pk=team.pk)
    _refuse_closed(team, new.account, new.begun_at)
    standing = team.submissions.filter(withdrawn_at=None).exclude(state=Submission.State.REFUSED)
    same_file = standing.filter(sha256=new.sha256).first()
    if same_file is not None:
        if same_file.name == new.name:
            return same_file
        raise FileRefused(_("Your team has sent the same file already, as %(run)s.") % {"run": same_file.name})
    before = standing.filter(name=new.name).first()
    if before is not None and not replace:
        raise Refused(
            _("Your team has a run %(name)s already, from another file: replace it, or choose another name.")
            % {"name": new.name},
            field="replace",
        )
    _refuse_too_many(team, new.begun_at)
    if before is not None:
        Submission.objects.filter(pk=before.pk).update(withdrawn_at=timezone.now())
    new.late = new.begun_at > team.campaign.closes_at
    new.save()
    return new


def _refuse_closed(team: Team, account: Account | None, begun_at: datetime) -> None:
    campaign = team.campaign
    if campaign.collection.archived_at is not None:
        raise FileRefused(_("The campaign's collection is archived, so no run is taken any more."))
    if campaign.results_opened_at is not None:
        raise FileRefused(_("The results are open, so no run is taken any more."))
    if begun_at < campaign.opens_at:
        raise FileRefused(_("The campaign isn't open yet: it opens at %(at)s.") % {"at": utc(campaign.opens_at)})
    if begun_at > campaign.closes_for(team):
        raise FileRefused(
            _("Submissions closed at %(at)s, and this one began to arrive at %(begun)s.")
            % {"at": utc(campaign.closes_for(team)), "begun": utc(begun_at, seconds=True)}
        )
    if team.disqualified_at is not None:
        raise FileRefused(_("Your team was disqualified: ask the organiser."))
    if account is not None and has_conflict(campaign, account):
        raise FileRefused(_("You belong to the campaign's collection, so you can't send runs: ask the organiser."))


def _refuse_too_many(team: Team, begun_at: datetime) -> None:
    campaign = team.campaign
    in_all, of_day = counted(team.submissions.only("state", "begun_at"), begun_at)
    day = begun_at.astimezone(UTC).replace(hour=0, minute=0, second=0, microsecond=0)
    refused = team.submissions.filter(state=Submission.State.REFUSED, begun_at__gte=day, begun_at__lt=day + DAY).count()
    if refused >= REFUSED_A_DAY:
        raise FileRefused(
            _("The check refused %(count)s runs of your team today (UTC); no more are taken in a day.")
            % {"count": refused}
        )
    if in_all >= campaign.most_submissions:
        raise FileRefused(
            ngettext(
                "Your team has sent %(count)s run, and no more are taken. Refused ones don't count.",
                "Your team has sent %(count)s runs, and no more are taken. Refused ones don't count.",
                in_all,
            )
            % {"count": in_all}
        )
    if of_day >= campaign.most_a_day:
        raise FileRefused(
            ngettext(
                "Your team has sent %(count)s run today (UTC); no more are taken in a day. Refused ones don't count.",
                "Your team has sent %(count)s runs today (UTC); no more are taken in a day. Refused ones don't count.",
                of_day,
            )
            % {"count": of_day}
        )


def counted(runs: Iterable[Submission], at: datetime) -> tuple[int, int]:
    """How many of a team's runs count against its limits: in all, and of the day (UTC) of a moment. Refused ones
    don't."""
    moments = [run.begun_at for run in runs if run.state != Submission.State.REFUSED]
    return len(moments), sum(moment.astimezone(UTC).date() == at.astimezone(UTC).date() for moment in moments)


def utc(at: datetime, *, seconds: bool = False) -> str:
    """A moment in words, in UTC."""
    return f"{at.astimezone(UTC):%Y-%m-%d %H:%M{':%S' if seconds else ''}} UTC"


def standing(campaign: Campaign) -> list[Submission]:
    """The runs that count, by team and priority: of each team at most `most_pooled`. Those of disqualified teams, and
    withdrawn or excluded ones, don't."""
    runs = Submission.objects.that_stand(campaign).with_scores()
    by_team = [list(of_team) for _, of_team in groupby(runs, key=lambda run: run.team_id)]
    return [run for of_team in by_team for run in of_team[: campaign.most_pooled]]
