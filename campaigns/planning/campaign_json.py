"""A campaign as pages and the API tell it."""

from collections.abc import Sequence
from datetime import datetime
from typing import Any

from django.db.models import Count

from campaigns.models import Campaign, Team, Topic
from campaigns.planning.phases import phase_of
from foundation.access.arrival_time import database_now


def campaign_json(campaign: Campaign) -> dict[str, Any]:
    """One campaign, as `campaigns_json`."""
    return campaigns_json([campaign])[0]


def campaigns_json(campaigns: Sequence[Campaign]) -> list[dict[str, Any]]:
    """Campaigns as pages and the API tell them. Three SQL queries, however many they are."""
    now, topics, teams = database_now(), number_of(Topic, campaigns), number_of(Team, campaigns)
    return [_json(campaign, now, topics.get(campaign.pk, 0), teams.get(campaign.pk, 0)) for campaign in campaigns]


def number_of(model: type[Topic] | type[Team], campaigns: Sequence[Campaign]) -> dict[int, int]:
    """How many each campaign has, by its primary key; those without any are left out. One SQL query."""
    rows = model._default_manager.filter(campaign__in=campaigns).order_by().values_list("campaign")
    return dict(rows.annotate(number=Count("pk")))


def _json(campaign: Campaign, now: datetime, topics: int, teams: int) -> dict[str, Any]:
    phase = phase_of(campaign, now)
    release = campaign.release
    return {
        "id": campaign.pk,
        "name": campaign.name,
        "title": campaign.title,
        "split": campaign.split,
        "judged_later": campaign.judged_later,
        "release": None if release is None else {"id": release.pk, "name": release.name},
        "phase": str(phase),
        "phase_in_words": str(phase.label),
        "opens_at": campaign.opens_at,
        "closes_at": campaign.closes_at,
        "results_at": campaign.results_at,
        "results_opened_at": campaign.results_opened_at,
        "audience": campaign.audience,
        "own_scores": campaign.own_scores,
        "most_submissions": campaign.most_submissions,
        "most_a_day": campaign.most_a_day,
        "most_pooled": campaign.most_pooled,
        "most_predictions": campaign.most_predictions,
        "topics": topics,
        "teams": teams,
    }
