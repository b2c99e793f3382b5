"""A pair as leads see it: its query, its moment, its clip."""

from dataclasses import dataclass
from typing import Any, Self

from annotation.models import Pair


@dataclass(frozen=True, slots=True, kw_only=True)
class ShownPair:
    """A pair's moment with its start and end in seconds, and its clip's public name."""

    pair: int
    batch: int
    query: str
    video: str
    start: float
    end: float
    clip: str | None

    @classmethod
    def of(cls, pair: Pair, **more: Any) -> Self:
        """A pair that comes with its batch's query, its candidate's moment, that one's video and clip; `more`: what
        else is told of it."""
        moment = pair.candidate.moment
        return cls(
            pair=pair.pk,
            batch=pair.batch_id,
            query=pair.batch.query.text,
            video=moment.video.name,
            start=moment.start,
            end=moment.end,
            clip=moment.clip_name,
            **more,
        )
