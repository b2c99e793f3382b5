"""A campaign as pages and JSON have it."""

from typing import Any

from campaigns.models import Campaign
from campaigns.planning.phases import WORDS, phase_of
from foundation.access.arrival_time import database_now


def campaign_json(campaign: Campaign) -> dict[str, Any]:
    """A campaign as pages and JSON have it."""
    phase = phase_of(campaign, database_now())
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
        "topics": campaign.topics.count(),
        "teams": campaign.teams.count(),
    }
