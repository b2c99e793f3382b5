"""What teams are told by mail: of a run that was refused, a deadline that is near, results that are open."""

from datetime import timedelta

from django.db import transaction
from django.db.models import F, Q
from django.urls import reverse
from django.utils.translation import gettext as _

from campaigns.models import Campaign, Submission, TeamMember
from campaigns.submissions.receive import utc
from foundation.access.arrival_time import database_now
from foundation.mail.kinds import Said, register
from foundation.mail.outbox import tell
from foundation.models import MailItem

REFUSED, DEADLINE, RESULTS = "campaigns.refused", "campaigns.deadline", "campaigns.results"
NEAR = timedelta(hours=24)


def tell_of_refusal(submission: Submission) -> None:
    """Tell the team's members that the check refused a run."""
    members = submission.team.members.values_list("account_id", flat=True)
    tell(REFUSED, members, collection=submission.team.campaign.collection, submission=submission.pk)


def tell_of_results(campaign: Campaign) -> None:
    """Tell all teams that results are open."""
    if campaign.audience == Campaign.Audience.LEADS:
        return
    members = TeamMember.objects.filter(campaign=campaign).values_list("account_id", flat=True)
    tell(RESULTS, members, collection=campaign.collection, campaign=campaign.pk)


def tell_of_deadlines() -> None:
    """Tell the teams of campaigns that close within a day, once each. A worker's sweep calls it."""
    now = database_now()
    near = Q(opens_at__lte=now, closes_at__gt=now, closes_at__lte=now + NEAR, reminded_at=None)
    near &= Q(closes_at__gt=F("opens_at") + NEAR)  # one of a day or less is near from its beginning
    for pk in Campaign.objects.filter(near, collection__archived_at=None).values_list("pk", flat=True):
        with transaction.atomic():
            # Of several workers that sweep at once, one tells.
            if Campaign.objects.filter(pk=pk, reminded_at=None).update(reminded_at=now):
                campaign = Campaign.objects.get(pk=pk)
                members = TeamMember.objects.filter(campaign=campaign, team__disqualified_at=None)
                tell(
                    DEADLINE,
                    members.values_list("account_id", flat=True),
                    collection=campaign.collection,
                    campaign=campaign.pk,
                )


def says_refused(item: MailItem) -> Said | None:
    """That a run was refused, and where its faults are."""
    places = {"team__members__account": item.account}
    runs = Submission.objects.filter(pk=item.facts["submission"], state=Submission.State.REFUSED, **places)
    submission = runs.select_related("team__campaign").first()
    if submission is None:
        return None
    campaign = submission.team.campaign
    text = _("Your team's run %(run)s for %(campaign)s was refused. Its page lists what is wrong, with lines.")
    return Said(
        _("A run was refused"),
        text % {"run": submission.name, "campaign": campaign.title},
        reverse("team-submission", args=[campaign.name, submission.pk]),
    )


def says_deadline(item: MailItem) -> Said | None:
    """Until when runs are taken, unless that is over."""
    place = _place(item)
    if place is None or database_now() > place.team.campaign.closes_for(place.team):
        return None
    campaign = place.team.campaign
    text = _("%(campaign)s takes runs until %(at)s.") % {
        "campaign": campaign.title,
        "at": utc(campaign.closes_for(place.team)),
    }
    return Said(_("Submissions close soon"), text, reverse("campaign-home", args=[campaign.name]))


def says_results(item: MailItem) -> Said | None:
    """That results are open, unless they were hidden again."""
    place = _place(item)
    if place is None or place.team.campaign.results_opened_at is None:
        return None
    campaign = place.team.campaign
    text = _("The results of %(campaign)s are open.") % {"campaign": campaign.title}
    return Said(_("Results are open"), text, reverse("campaign-home", args=[campaign.name]))


def _place(item: MailItem) -> TeamMember | None:
    places = TeamMember.objects.select_related("team__campaign")
    return places.filter(campaign=item.facts["campaign"], account=item.account).first()


def register_mails() -> None:
    """Called when Django starts."""
    register(REFUSED, "campaigns", says_refused)
    register(DEADLINE, "campaigns", says_deadline)
    register(RESULTS, "campaigns", says_results)
