"""The finished collection of the demo, without films and models: its captions are its descriptions, its candidates are
ranked by shared words."""

import io
import re
from datetime import UTC, datetime

import numpy as np
from django.core.files.base import ContentFile
from django.core.files.storage import default_storage

from corpus.models import Clip, Description
from demo.build import LEAD, describe
from demo.furnished.furnish import NAME, TITLE, live
from demo.plans import DemoPlan
from demo.truth import theatre_item_truth
from foundation.models import Account, Collection
from foundation.text import normalise
from queries.models import Attempt, Candidate, Caption
from queries.pooling.candidates import training_file
from queries.pooling.query_selection import select_queries

VIDEOS, VAL, TEST = 14, 6, 12


def furnished() -> Collection:
    """The collection after its whole story, as of now. Call it outside any transaction."""
    Account.objects.get_or_create(username=LEAD)
    collection = describe(DemoPlan(NAME, TITLE, val=VAL, test=TEST, seed=3, videos=VIDEOS))
    captions = _captions(collection)
    select_queries(collection=collection, val=VAL, test=TEST, seed=3)
    _candidates(collection, captions)
    live(collection, theatre_item_truth(), now=datetime.now(UTC))
    return Collection.objects.get(pk=collection.pk)


def _captions(collection: Collection) -> list[Caption]:
    descriptions = list(Description.objects.filter(collection=collection).select_related("moment").order_by("pk"))
    Clip.objects.bulk_create(
        Clip(
            moment_id=moment,
            video_file=f"clips/{moment}.mp4",
            poster_file=f"clips/{moment}.jpg",
            duration=4.5,
        )
        for moment in sorted({description.moment_id for description in descriptions})
    )
    attempts = Attempt.objects.bulk_create(
        Attempt(
            description=description,
            number=1,
            text=description.text,
            rewriter="rules",
            similarity_passed=True,
            names_passed=True,
        )
        for description in descriptions
    )
    return Caption.objects.bulk_create(
        Caption(
            description=attempt.description,
            attempt=attempt,
            text=attempt.text,
            normalised=normalise(attempt.text),
            status=Caption.Status.ACCEPTED,
        )
        for attempt in attempts
    )


def _candidates(collection: Collection, captions: list[Caption]) -> None:
    by_moment = {caption.description.moment_id: caption for caption in reversed(captions)}
    pool = list(by_moment.values())
    words = [set(re.findall(r"[a-z]+", caption.text.lower())) for caption in pool]

    def ranked(text: str) -> list[tuple[float, Caption]]:
        asked = set(re.findall(r"[a-z]+", text.lower()))
        scored = [(len(asked & own) / len(asked | own), caption) for own, caption in zip(words, pool, strict=True)]
        return sorted(scored, key=lambda row: (-row[0], row[1].pk))[: collection.depth]

    Candidate.objects.bulk_create(
        Candidate(
            query=query,
            moment_id=caption.description.moment_id,
            caption=caption,
            caption_text=caption.text,
            rank=rank,
            similarity=round(similarity, 6),
        )
        for query in collection.queries.order_by("pk")
        for rank, (similarity, caption) in enumerate(ranked(query.text), start=1)
    )
    ranking = [(caption.description_id, ranked(caption.text)) for caption in captions]
    buffer = io.BytesIO()
    np.savez(
        buffer,
        descriptions=np.array([description for description, _ in ranking], dtype=np.int64),
        moments=np.array(
            [[caption.description.moment_id for _, caption in best] for _, best in ranking], dtype=np.int64
        ),
        captions=np.array([[caption.pk for _, caption in best] for _, best in ranking], dtype=np.int64),
        similarities=np.array([[similarity for similarity, _ in best] for _, best in ranking], dtype=np.float32),
        encoder="",
        search=0,
    )
    default_storage.save(training_file(collection), ContentFile(buffer.getvalue()))
