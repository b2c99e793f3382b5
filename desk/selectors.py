"""A collection at a glance, read across the rooms."""

from dataclasses import dataclass
from datetime import datetime

from corpus.models import Clip, Collection, Moment
from desk.attention import Need, needs
from desk.backlog import Backlog, backlog
from desk.keeping import kept
from desk.pace import AtWork, Pace, at_work, pace
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


@dataclass(frozen=True, slots=True)
class Material:
    """What judging is made from, counted: moments, their clips, captions by status, drawn queries."""

    moments: int
    clips: int
    failed_clips: int
    descriptions: int
    captions: dict[str, int]
    drawn: int
    ranked: int


@dataclass(frozen=True, slots=True)
class Overview:
    """Everything that the overview says. `as_of` is when the figures were counted; who is at work is of this moment."""

    stages: list[Stage]
    backlog: Backlog
    pace: Pace
    needs: list[Need]
    at_work: list[AtWork]
    as_of: datetime


def stages(collection: Collection) -> Overview:
    """The overview. A bounded number of SQL queries, whatever the size: see desk/keeping.py for large collections."""
    material = kept("material", collection.pk, lambda: _material(collection))
    found: Material = material.figures
    judging = kept("judging", collection.pk, lambda: _judging(collection, found.drawn))
    standing, speed = judging.figures
    return Overview(
        stages=_stages(collection, found, standing),
        backlog=standing,
        pace=speed,
        needs=needs(
            collection,
            standing,
            captions_in_review=found.captions.get("review", 0),
            failed_clips=found.failed_clips,
        ),
        at_work=at_work(collection),
        as_of=min(material.as_of, judging.as_of),
    )


def _judging(collection: Collection, drawn: int) -> tuple[Backlog, Pace]:
    standing = backlog(collection, drawn=drawn)
    return standing, pace(collection, standing)


def _material(collection: Collection) -> Material:
    captions, queries = caption_counts(collection), query_counts(collection)
    clips = {True: 0, False: 0}
    if collection.has_clips:
        found = Clip.objects.filter(moment__video__collection=collection)
        failed = found.filter(video_file="").count()
        clips = {True: found.count() - failed, False: failed}
    return Material(
        moments=Moment.objects.filter(video__collection=collection).count() if collection.has_clips else 0,
        clips=clips[True],
        failed_clips=clips[False],
        descriptions=sum(captions.values()),
        captions=captions,
        drawn=queries.get("val", 0) + queries.get("test", 0),
        ranked=queries["ranked"],
    )


def _stages(collection: Collection, material: Material, standing: Backlog) -> list[Stage]:
    """Every stage from descriptions to finished queries, in order."""
    captions, batches, pairs = material.captions, standing.batches, standing.pairs
    pending, review = captions.get("pending", 0), captions.get("review", 0)
    decided = pairs["consensus"] + pairs["discarded"]
    rows = []
    if collection.has_clips:
        failed = f"{material.failed_clips:,} could not be cut" if material.failed_clips else ""
        rows.append(Stage("Clips", material.clips, material.moments, failed, "videos"))
    waiting_pairs = [f"{pairs['open']:,} in the first round"] if pairs["open"] else []
    waiting_pairs += [f"{pairs['disputed']:,} in the second"] if pairs["disputed"] else []
    unranked = material.drawn - material.ranked
    return [
        *rows,
        Stage(
            "Rewriting",
            material.descriptions - pending,
            material.descriptions,
            f"{pending:,} to rewrite" if pending else "",
            "rewriting",
        ),
        Stage(
            "Captions",
            captions.get("accepted", 0),
            material.descriptions - pending,
            f"{review:,} wait for your review" if review else "",
            "captions",
        ),
        Stage(
            "Candidates",
            material.ranked,
            material.drawn,
            f"{unranked:,} queries have none yet" if unranked else "",
        ),
        Stage("Pairs judged", decided, sum(pairs.values()) - pairs["withdrawn"], ", ".join(waiting_pairs), "work"),
        Stage(
            "Batches reviewed",
            batches["finished"] + batches["extended"],
            sum(batches.values()),
            f"{batches['decided']:,} wait for your review" if batches["decided"] else "",
            "review",
        ),
    ]
