"""A campaign as pages and JSON have it."""

from collections.abc import Sequence
from datetime import datetime
from typing import Any

from django.db.models import Count

from campaigns.models import Campaign, Team, Topic
from campaigns.planning.phases import WORDS, phase_of
from foundation.access.arrival_time import database_now


def campaign_json(campaign: Campaign) -> dict[str, Any]:
    """A campaign as pages and JSON have it."""
    return campaigns_json([campaign])[0]


def campaigns_json(campaigns: Sequence[Campaign]) -> list[dict[str, Any]]:
    """Campaigns as pages and JSON have them. Three SQL queries, however many they are."""
    now, topics, teams = database_now(), topics_of_each(campaigns), _number_of(Team, campaigns)
    return [_json(one, now, topics.get(one.pk, 0), teams.get(one.pk, 0)) for one in campaigns]


def topics_of_each(campaigns: Sequence[Campaign]) -> dict[int, int]:
    """How many topics campaigns have, by their primary keys; those without any are left out. One SQL query."""
    return _number_of(Topic, campaigns)


def _number_of(model: Any, campaigns: Sequence[Campaign]) -> dict[int, int]:
    rows = model.objects.filter(campaign__in=campaigns).order_by().values_list("campaign")
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
        "phase_in_words": str(WORDS[phase]),
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
