"""How people join a team: links, each good for one person, and who may not."""

import secrets
from dataclasses import dataclass
from datetime import timedelta

from django.db import IntegrityError, transaction
from django.db.models import QuerySet
from django.utils import timezone
from django.utils.translation import gettext as _

from campaigns.models import Campaign, Team, TeamLink, TeamMember
from foundation.access.api_tokens import digest_of
from foundation.models import Account, Membership
from foundation.refused import LinkUnknown, Refused

LINK_DAYS = 30
MOST_OF_A_TEAM = 50


@dataclass(frozen=True, slots=True)
class NewLink:
    """A new link and its token, which isn't stored."""

    link: TeamLink
    token: str


@transaction.atomic
def make_link(*, team: Team, by: Account | None) -> NewLink:
    """A link by which one person joins the team."""
    token = secrets.token_urlsafe(32)
    link = TeamLink.objects.create(
        team=team, digest=digest_of(token), made_by=by, expires_at=timezone.now() + timedelta(days=LINK_DAYS)
    )
    return NewLink(link, token)


def withdraw_link(*, link: TeamLink) -> None:
    """Withdraw a link that nobody used; who joined stays. Repeating it changes nothing."""
    TeamLink.objects.filter(pk=link.pk, used_at=None, withdrawn_at=None).update(withdrawn_at=timezone.now())


def find_link(token: str) -> TeamLink:
    """The link with this token, open or closed. Raises: LinkUnknown."""
    links = TeamLink.objects.select_related("team__campaign__collection")
    link = links.filter(digest=digest_of(token)).first()
    if link is None:
        raise LinkUnknown(_("This link is incomplete or unknown. Ask for a new one."))
    return link


def refuse_closed(link: TeamLink) -> None:
    """Raises: Refused if the link was used or withdrawn, has expired, or the collection is archived."""
    if link.team.campaign.collection.archived_at is not None:
        raise Refused(_("This campaign's collection is archived, so nobody can join any more."))
    if link.withdrawn_at is not None:
        raise Refused(_("This link was withdrawn. Ask whoever sent it for a new one."))
    if link.used_at is not None:
        raise Refused(_("Somebody has joined by this link already; each is good for one. Ask for a new one."))
    if link.expires_at <= timezone.now():
        raise Refused(_("This link has expired. Ask whoever sent it for a new one."))


@transaction.atomic
def join_team(*, token: str, account: Account) -> TeamMember:
    """Make the account a member of the link's team. Somebody of that team just stays one, and the link stays good.

    Raises: Refused for a link that is closed, a member of another team of the campaign, or of the collection.
    """
    link = (
        TeamLink.objects.select_for_update(of=("self",))
        .select_related("team__campaign__collection")
        .get(pk=find_link(token).pk)
    )
    team = link.team
    place = TeamMember.objects.filter(campaign=team.campaign, account=account).first()
    if place is not None and place.team_id == team.pk:
        return place
    refuse_closed(link)
    refuse_account(team, account)
    if team.members.count() >= MOST_OF_A_TEAM:
        raise Refused(_("This team has %(count)s members, and no more fit.") % {"count": MOST_OF_A_TEAM})
    try:
        with transaction.atomic():
            place = TeamMember.objects.create(team=team, campaign=team.campaign, account=account)
    except IntegrityError as error:  # joined another team this moment
        raise Refused(_("You have joined a team of this campaign already.")) from error
    TeamLink.objects.filter(pk=link.pk).update(used_at=timezone.now())
    return place


def refuse_account(team: Team, account: Account) -> None:
    """Raises: Refused where the account may not join the team: it has a place in another, or in the collection."""
    place = TeamMember.objects.filter(campaign=team.campaign, account=account).first()
    if place is not None:
        raise Refused(
            _("You are in the team %(team)s of this campaign, and nobody can be in two. Leave it first.")
            % {"team": place.team}
        )
    if has_conflict(team.campaign, account):
        raise Refused(
            _(
                "You belong to the collection that this campaign is judged in, so you can't take part: who prepares or "
                "judges it knows too much. Use another account only if you are another person."
            )
        )


@transaction.atomic
def remove_member(*, place: TeamMember) -> None:
    """End somebody's place in a team; what they sent stays the team's."""
    place.delete()


def has_conflict(campaign: Campaign, account: Account) -> bool:
    """Whether the account belongs to the campaign's collection, in whatever role and standing."""
    return Membership.objects.filter(collection=campaign.collection, account=account).exists()


def conflicts(campaign: Campaign) -> QuerySet[TeamMember]:
    """Places of people who became members of the collection after they had joined a team: theirs are closed."""
    members = Membership.objects.filter(collection=campaign.collection, account__isnull=False)
    return TeamMember.objects.filter(campaign=campaign, account__in=members.values("account")).select_related(
        "team", "account"
    )
