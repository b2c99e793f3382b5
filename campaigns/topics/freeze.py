"""The topics and videos of a campaign, taken once: what teams work on doesn't change under them."""

import json

from django.db import transaction
from django.db.models.functions import Now
from django.utils.translation import gettext as _

from campaigns.models import Campaign, CampaignCorpus, Topic
from datasets.leaderboard.runs import open_board
from datasets.releases.file_cache import open_file
from foundation.models import Collection
from foundation.refused import Refused
from queries.models import Query
from queries.pooling.query_columns import query_language, query_source_id

CORPUS = "video_corpus.json"


@transaction.atomic
def freeze(campaign: Campaign) -> int:
    """Take topics and videos from the campaign's release, or from the collection where it is judged later; what was
    taken before goes. Returns: how many topics.

    Raises: Refused; datasets' DamagedArchive.
    """
    campaign.topics.all().delete()
    rows = _released(campaign) if not campaign.judged_later else _standing(campaign)
    if not rows:
        raise Refused(
            _("The collection has no query in %(split)s: draw or import its topics first.") % {"split": campaign.split}
        )
    for position, row in enumerate(rows):
        row.position = position
    Topic.objects.bulk_create(rows, batch_size=1000)
    CampaignCorpus.objects.update_or_create(
        campaign=campaign, defaults={"videos": _videos(campaign), "end_slack": campaign.collection.end_slack}
    )
    return len(rows)


def _released(campaign: Campaign) -> list[Topic]:
    """The queries of the release's split; narrative and language are those of the collection's query of that id."""
    assert campaign.release is not None
    board = open_board(release=campaign.release, split=campaign.split)
    known = {topic.topic_id: topic for topic in _standing(campaign)}
    topics = []
    for query_id, text in board.queries.order_by("position").values_list("query_id", "text"):
        own = known.get(query_id)
        topics.append(
            Topic(
                campaign=campaign,
                topic_id=query_id,
                text=text,
                narrative=own.narrative if own else "",
                language=own.language if own else "",
            )
        )
    return topics


def _standing(campaign: Campaign) -> list[Topic]:
    queries = Query.objects.filter(collection=campaign.collection, split=campaign.split).order_by("position")
    rows = queries.values_list(query_source_id(), "text", "narrative", query_language())
    return [
        Topic(campaign=campaign, topic_id=str(topic_id), text=text, narrative=narrative, language=language or "")
        for topic_id, text, narrative, language in rows
    ]


def _videos(campaign: Campaign) -> dict[str, float | None]:
    release = campaign.release
    if release is not None and not campaign.judged_later and CORPUS in release.files:
        with open_file(release, CORPUS) as file:
            videos: dict[str, float | None] = json.load(file)
        return videos
    return dict(campaign.collection.videos.order_by("name").values_list("name", "duration"))


def topics_given(collection: Collection) -> str:
    """Why the collection's queries can't be drawn again, in a sentence: teams have them as topics, and their runs make
    the pool. Empty where no such campaign has begun."""
    waits = Campaign.objects.filter(collection=collection, judged_later=True, release=None, opens_at__lte=Now())
    first = waits.order_by("pk").first()
    if first is None:
        return ""
    words = _(
        "The campaign %(campaign)s has given these queries to its teams as topics, so they stay until it is judged."
    )
    return words % {"campaign": first.title}
