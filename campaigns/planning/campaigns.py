"""Campaigns made, changed and deleted."""

from collections.abc import Mapping
from datetime import datetime
from typing import Any

from django.core.exceptions import ValidationError
from django.db import IntegrityError, transaction
from django.utils.translation import gettext as _

from campaigns.models import Campaign, Submission, SubmissionScore
from campaigns.topics.freeze import freeze
from datasets.content.splits import SPLITS
from datasets.models import Release
from foundation.models import Membership
from foundation.refused import FieldsRefused, Refused
from foundation.text import UNSTORABLE

FREE = (
    *("title", "rules", "contact", "opens_at", "closes_at", "results_at", "audience", "own_scores"),
    *("most_submissions", "most_a_day", "most_pooled", "most_predictions"),
)
"""Fields that can be changed at any time; the name, the split and what is judged stay."""
LONGEST_RULES = 20_000


@transaction.atomic
def make_campaign(
    *,
    member: Membership,
    name: str,
    title: str,
    split: str,
    opens_at: datetime,
    closes_at: datetime,
    results_at: datetime,
    release: Release | None = None,
    judged_later: bool = False,
    **more: Any,
) -> Campaign:
    """Make a campaign, with its topics and videos frozen.

    Args:
        release: whose split it is over; None where `judged_later`.
        more: others of `FREE`.
    Raises: Refused.
    """
    collection = member.collection
    if collection.is_study:
        raise Refused(_("A study has no campaigns: make it in its collection."))
    if collection.archived_at is not None:
        raise Refused(_("The collection is archived: restore it first."))
    if split not in SPLITS:
        raise Refused(_("Found %(found)s, expected val or test.") % {"found": repr(split[:20])}, "split")
    if judged_later == (release is not None):
        raise Refused(_("Choose a release, or that the topics are judged from the teams' runs."), "release")
    if release is not None and release.collection_id != collection.pk:
        raise Refused(_("This release is another collection's."), "release")
    campaign = Campaign(
        collection=collection, name=name.strip(), split=split, release=release, judged_later=judged_later
    )
    campaign.made_by = member
    _set(campaign, {"title": title, "opens_at": opens_at, "closes_at": closes_at, "results_at": results_at, **more})
    try:
        with transaction.atomic():
            campaign.save()
    except IntegrityError as error:
        raise Refused(_("There is a campaign at this address already."), "name") from error
    try:
        freeze(campaign)
    except Refused as error:
        raise Refused(str(error), "release" if release else "split") from error
    return campaign


@transaction.atomic
def change_campaign(*, campaign: Campaign, **changes: Any) -> Campaign:
    """Change fields of `FREE`; others stay as they are.

    Raises: Refused, also for a deadline or limit moved under what teams already did.
    """
    unknown = set(changes) - set(FREE)
    if unknown:
        raise FieldsRefused({name: _("This can't be changed any more.") for name in sorted(unknown)})
    locked = Campaign.objects.select_for_update(no_key=True).get(pk=campaign.pk)
    moved = "closes_at" in changes and changes["closes_at"] != locked.closes_at
    if moved and locked.results_opened_at is not None:
        raise Refused(_("The results are open, so the deadline stays."), "closes_at")
    sent = Submission.objects.filter(team__campaign=locked)
    if "opens_at" in changes and changes["opens_at"] != locked.opens_at and sent.exists():
        raise Refused(_("Teams have sent runs already, so this stays."), "opens_at")
    if moved and changes["closes_at"] > locked.closes_at:
        locked.reminded_at = None
    _set(locked, changes)
    locked.save()
    if moved:
        sent.filter(begun_at__lte=locked.closes_at).update(late=False)
        sent.filter(begun_at__gt=locked.closes_at).update(late=True)
    return locked


def _set(campaign: Campaign, values: Mapping[str, Any]) -> None:
    """Set fields and check them. Raises: Refused."""
    for name, value in values.items():
        setattr(campaign, name, UNSTORABLE.sub("", value).strip() if isinstance(value, str) else value)
    wrong: dict[str, str] = {}
    if campaign.closes_at <= campaign.opens_at:
        wrong["closes_at"] = _("Found a moment before the campaign opens, expected a later one.")
    if campaign.results_at < campaign.closes_at:
        wrong["results_at"] = _("Found a moment before submissions close, expected that one or a later one.")
    if len(campaign.rules) > LONGEST_RULES:
        wrong["rules"] = _("Found %(found)s characters, expected at most %(most)s.") % {
            "found": f"{len(campaign.rules):,}",
            "most": f"{LONGEST_RULES:,}",
        }
    if campaign.most_a_day > campaign.most_submissions:
        wrong["most_a_day"] = _("Found more for a day than in all, expected at most as many.")
    try:
        campaign.full_clean(exclude=["collection", "release", "made_by"], validate_constraints=False)
    except ValidationError as error:
        for name, messages in error.message_dict.items():
            wrong.setdefault("" if name == "__all__" else name, " ".join(messages))
    if wrong:
        raise FieldsRefused(wrong)


@transaction.atomic
def take_topics_anew(*, campaign: Campaign) -> int:
    """Freeze topics and videos once more, before a run was sent. Returns: how many topics.

    Raises: Refused once there is a run, or where there is no topic.
    """
    Campaign.objects.select_for_update(no_key=True).get(pk=campaign.pk)
    if Submission.objects.filter(team__campaign=campaign).exists():
        raise Refused(_("Teams have sent runs already, so the topics stay as they are."))
    try:
        return freeze(campaign)
    except Refused as error:
        raise Refused(str(error)) from error


@transaction.atomic
def choose_release(*, campaign: Campaign, release: Release) -> Campaign:
    """Name the release that a campaign judged later is scored against; scores against another one go.

    Raises: Refused for one of another collection, or where the campaign was over a release from the start.
    """
    locked = Campaign.objects.select_for_update(no_key=True).get(pk=campaign.pk)
    if not locked.judged_later:
        raise Refused(_("This campaign is over its release, which stays."), "release")
    if release.collection_id != locked.collection_id:
        raise Refused(_("This release is another collection's."), "release")
    if locked.results_opened_at is not None:
        raise Refused(_("The results are open, so the release stays."), "release")
    if release.pk != locked.release_id:
        SubmissionScore.objects.filter(submission__team__campaign=locked).delete()
        locked.release = release
        locked.save(update_fields=["release"])
    return locked


@transaction.atomic
def delete_campaign(*, campaign: Campaign) -> None:
    """Delete a campaign to which no run was sent, with its teams. Raises: Refused if one was."""
    Campaign.objects.select_for_update().get(pk=campaign.pk)
    if Submission.objects.filter(team__campaign=campaign).exists():
        raise Refused(_("Teams have sent runs, which are kept: the campaign stays."))
    campaign.delete()
