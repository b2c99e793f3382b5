"""Teams made and changed by the organiser."""

from collections.abc import Sequence
from dataclasses import dataclass
from datetime import datetime

from django.db import IntegrityError, transaction
from django.db.models import Max
from django.utils import timezone
from django.utils.translation import gettext as _

from campaigns.models import Campaign, Team
from foundation.refused import Refused
from foundation.text import UNSTORABLE, composed, is_seen

MOST_TEAMS = 500


@dataclass(frozen=True, slots=True)
class NewTeam:
    """What a line of the organiser's form says of a team."""

    name: str
    affiliation: str = ""
    contact: str = ""


def read_teams(text: str) -> list[NewTeam]:
    """Teams, one a line: "name; affiliation; contact", the last two optional.

    Raises: Refused naming the line.
    """
    teams: list[NewTeam] = []
    for number, line in enumerate(text.splitlines(), start=1):
        if not line.strip():
            continue
        parts = [" ".join(UNSTORABLE.sub("", part).split()) for part in composed(line).split(";")]
        if len(parts) > 3 or not is_seen(parts[0]) or len(parts[0]) > 80 or any(len(part) > 200 for part in parts):
            raise Refused(
                _("Line %(line)s: found %(found)s, expected “name; affiliation; contact”, 80 letters of name.")
                % {"line": number, "found": repr(line.strip()[:60])},
                field="teams",
            )
        if parts[0].casefold() in {team.name.casefold() for team in teams}:
            raise Refused(
                _("Line %(line)s: the name %(name)s comes twice.") % {"line": number, "name": parts[0]}, field="teams"
            )
        teams.append(NewTeam(*parts))
    if not teams:
        raise Refused(_("Write at least one team, a line each."), field="teams")
    return teams


@transaction.atomic
def make_teams(*, campaign: Campaign, teams: Sequence[NewTeam]) -> list[Team]:
    """Make teams, all or none. Raises: Refused for a name that is taken, or too many."""
    Campaign.objects.select_for_update(no_key=True).get(pk=campaign.pk)
    standing = campaign.teams.count()
    if standing + len(teams) > MOST_TEAMS:
        raise Refused(
            _("Found %(count)s teams, expected at most %(most)s.")
            % {"count": standing + len(teams), "most": MOST_TEAMS},
            field="teams",
        )
    taken = {name.casefold() for name in campaign.teams.values_list("name", flat=True)}
    for new in teams:
        if new.name.casefold() in taken:
            raise Refused(_("There is a team %(name)s already.") % {"name": new.name}, field="teams")
    last = campaign.teams.aggregate(last=Max("number"))["last"] or 0
    try:
        with transaction.atomic():
            return Team.objects.bulk_create(
                Team(campaign=campaign, number=number, name=new.name, affiliation=new.affiliation, contact=new.contact)
                for number, new in enumerate(teams, start=last + 1)
            )
    except IntegrityError as error:
        raise Refused(_("A team of one of these names is there already."), field="teams") from error


@transaction.atomic
def change_team(
    *,
    team: Team,
    name: str | None = None,
    affiliation: str | None = None,
    contact: str | None = None,
    anonymous: bool | None = None,
) -> Team:
    """Change what is given. Raises: Refused for a name that is empty, too long or taken."""
    locked = Team.objects.select_for_update(no_key=True).get(pk=team.pk)
    for field, given, most in (("name", name, 80), ("affiliation", affiliation, 200), ("contact", contact, 200)):
        if given is None:
            continue
        text = " ".join(UNSTORABLE.sub("", given).split())
        if len(text) > most or (field == "name" and not text):
            raise Refused(
                _("Found %(count)s characters, expected 1 to %(most)s.") % {"count": len(text), "most": most},
                field=field,
            )
        setattr(locked, field, text)
    locked.anonymous = locked.anonymous if anonymous is None else anonymous
    try:
        with transaction.atomic():
            locked.save()
    except IntegrityError as error:
        raise Refused(_("There is a team %(name)s already.") % {"name": locked.name}, field="name") from error
    return locked


def extend_team(*, team: Team, until: datetime | None) -> Team:
    """Give a team a later deadline of its own; None: the campaign's again. What comes after the campaign's is marked
    late. Raises: Refused for one that isn't later, or once results are open."""
    campaign = team.campaign
    if campaign.results_opened_at is not None:
        raise Refused(_("The results are open, so no deadline moves any more."), field="until")
    if until is not None and until <= campaign.closes_at:
        raise Refused(_("Found a moment before the campaign's deadline, expected a later one."), field="until")
    Team.objects.filter(pk=team.pk).update(extended_until=until)
    team.extended_until = until
    return team


def reason_told(reason: str) -> str:
    """A reason as the team reads it. Raises: Refused where there is none."""
    text = UNSTORABLE.sub("", reason).strip()[:1000]
    if not text:
        raise Refused(_("Write the reason: the team reads it."), field="reason")
    return text


def disqualify_team(*, team: Team, reason: str) -> None:
    """Have none of a team's runs count; it reads the reason. Raises: Refused without a reason."""
    Team.objects.filter(pk=team.pk, disqualified_at=None).update(
        disqualified_at=timezone.now(), disqualified_reason=reason_told(reason)
    )


def readmit_team(*, team: Team) -> None:
    """Have its runs count again. Repeating it changes nothing."""
    Team.objects.filter(pk=team.pk).update(disqualified_at=None, disqualified_reason="")


@transaction.atomic
def delete_team(*, team: Team) -> None:
    """Delete a team that has sent nothing. Raises: Refused if it has."""
    Team.objects.select_for_update().get(pk=team.pk)
    if team.submissions.exists():
        raise Refused(_("%(team)s has sent runs, which are kept: disqualify it instead.") % {"team": team})
    team.delete()
