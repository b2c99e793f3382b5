"""A collection at a glance, read across the rooms."""

from dataclasses import dataclass

from annotation.selectors import progress
from corpus.models import Clip, Collection, Moment
from queries.selectors import caption_counts, query_counts


@dataclass(frozen=True, slots=True)
class Stage:
    """One stage of the procedure: how far it is, what waits, and where one goes to act."""

    name: str
    done: int
    total: int
    waiting: str
    page: str = ""

    @property
    def share(self) -> float:
        """Done in percent, 0-100."""
        return 100 * self.done / self.total if self.total else 0


def stages(collection: Collection) -> list[Stage]:
    """Every stage from descriptions to finished queries, in order. A bounded number of SQL queries."""
    captions, queries, judging = caption_counts(collection), query_counts(collection), progress(collection)
    moments = Moment.objects.filter(video__collection=collection).count()
    descriptions = captions["pending"] + sum(count for status, count in captions.items() if status != "pending")
    accepted, review = captions.get("accepted", 0), captions.get("review", 0)
    drawn = queries.get("val", 0) + queries.get("test", 0)
    batches, pairs = judging["batches"], judging["pairs"]
    decided = pairs.get("consensus", 0) + pairs.get("discarded", 0)
    closed = batches.get("finished", 0) + batches.get("extended", 0)
    rows = []
    if collection.has_clips:
        clips = Clip.objects.filter(moment__video__collection=collection)
        ready, failed = clips.exclude(video_file="").count(), clips.filter(video_file="").count()
        rows.append(Stage("Clips", ready, moments, f"{failed:,} could not be cut" if failed else ""))
    rows += [
        Stage(
            "Captions",
            accepted,
            descriptions,
            f"{review:,} wait for your review" if review else "",
            "captions",
        ),
        Stage("Candidates", queries["ranked"], drawn, ""),
        Stage(
            "Pairs judged",
            decided,
            sum(pairs.values()),
            f"{judging['waiting_for_clip']:,} wait for their clip" if judging["waiting_for_clip"] else "",
        ),
        Stage(
            "Batches reviewed",
            closed,
            sum(batches.values()),
            f"{batches['decided']:,} wait for your review" if batches.get("decided") else "",
            "review",
        ),
    ]
    return rows
