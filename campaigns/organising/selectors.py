"""Data of the organiser's pages."""

from dataclasses import dataclass, fields
from datetime import datetime

from django.contrib.postgres.aggregates import ArrayAgg
from django.db.models import Count, Exists, OuterRef, Q, QuerySet
from django.db.models.functions import Now
from django.utils.translation import gettext as _

from campaigns.models import Campaign, Submission, TeamMember
from campaigns.teams.joining import conflicts
from datasets.content.splits import SPLITS
from datasets.models import Release
from foundation.models import Collection
from queries.models import Query

S = Submission.State


def choices_of(collection: Collection) -> list[tuple[str, str]]:
    """What a new campaign can be over: the form's value, and its words."""
    choices = [("", _("Choose"))]
    for release in Release.objects.filter(collection=collection).order_by("-pk"):
        counts = release.manifest.get("counts", {})
        for split in SPLITS:
            queries = counts.get(split, {}).get("queries", 0)
            if queries:
                words = _("%(split)s of release %(release)s, scored at once (queries: %(count)s)")
                choices.append(
                    (
                        f"{release.pk}:{split}",
                        words % {"split": split, "release": release.name, "count": f"{queries:,}"},
                    )
                )
    counted = Query.objects.filter(collection=collection, split__in=SPLITS).values("split").annotate(number=Count("pk"))
    numbers = {row["split"]: row["number"] for row in counted}
    for split in SPLITS:
        if numbers.get(split):
            words = _("%(split)s of the collection, judged later from the teams' runs (queries: %(count)s)")
            choices.append((f"later:{split}", words % {"split": split, "count": f"{numbers[split]:,}"}))
    return choices


def waiting_campaigns(collection: Collection) -> QuerySet[Campaign]:
    """Campaigns that wait for their organiser: results are due, or somebody in a team is a member of the collection."""
    torn = TeamMember.objects.filter(campaign=OuterRef("pk"), account__memberships__collection=collection)
    due = Q(results_opened_at=None, results_at__lt=Now())
    return Campaign.objects.filter(due | Exists(torn), collection=collection)


@dataclass(frozen=True, slots=True)
class TeamRow:
    """A team with its figures. `conflicts`: of its people that belong to the collection."""

    id: int
    number: int
    name: str
    affiliation: str
    contact: str
    anonymous: bool
    members: int
    accounts: list[str]
    conflicts: int
    accepted: int
    waiting: int
    refused: int
    withdrawn: int
    extended_until: datetime | None
    disqualified_at: datetime | None
    disqualified_reason: str


def team_rows(campaign: Campaign) -> list[TeamRow]:
    """The campaign's teams, by number."""
    torn: dict[int, int] = {}
    for place in conflicts(campaign):
        torn[place.team_id] = torn.get(place.team_id, 0) + 1
    runs = "submissions__state"
    out = Q(submissions__withdrawn_at__isnull=False) | Q(submissions__excluded_at__isnull=False)
    rows = campaign.teams.order_by("number").annotate(
        accounts=ArrayAgg("members__account__username", distinct=True, default=[], filter=Q(members__isnull=False)),
        accepted=Count("submissions", Q(**{runs: S.ACCEPTED}) & ~out, distinct=True),
        waiting=Count("submissions", Q(**{f"{runs}__in": [*Submission.TURN, S.STOPPED]}) & ~out, distinct=True),
        refused=Count("submissions", Q(**{runs: S.REFUSED}), distinct=True),
        withdrawn=Count("submissions", out & ~Q(**{runs: S.REFUSED}), distinct=True),
    )
    columns = [field.name for field in fields(TeamRow) if field.name not in ("members", "conflicts")]
    return [
        TeamRow(members=len(row["accounts"]), conflicts=torn.get(row["id"], 0), **row) for row in rows.values(*columns)
    ]


def runs_sent(campaign: Campaign) -> QuerySet[Submission]:
    """The runs sent to the campaign, by team and in the order of their arrival."""
    runs = Submission.objects.filter(team__campaign=campaign)
    return runs.select_related("team__campaign").order_by("team__number", "pk")
