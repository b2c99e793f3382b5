"""Data of the overview, read across the rooms."""

from dataclasses import dataclass, replace
from datetime import datetime
from typing import Any

from annotation.studies.selectors import studies_of
from corpus.models import Collection, Purpose
from desk.attention import Need, needs
from desk.backlog import Backlog, batch_states
from desk.forecast import of_the_archive
from desk.overview_figures import MaterialCounts, overview_figures
from desk.pace import AtWork, Pace, at_work


@dataclass(frozen=True, slots=True)
class Stage:
    """One stage of the procedure: progress, backlog, and the page where to act."""

    name: str
    done: int
    total: int
    waiting: str
    page: str = ""

    @property
    def share(self) -> float:
        """Progress in percent, 0-100."""
        return 100 * self.done / self.total if self.total else 0


@dataclass(frozen=True, slots=True)
class Overview:
    """Everything on the overview page. Batches by state, needs and who is at work are of this moment; the rest was
    counted `as_of`, or is None (no stages) while a large collection is counted for the first time. `problem` says why
    no later count came ("" if none failed)."""

    batches: dict[str, int]
    needs: list[Need]
    at_work: list[AtWork]
    stages: list[Stage]
    backlog: Backlog | None
    pace: Pace | None
    as_of: datetime | None
    problem: str


def stages(collection: Collection) -> Overview:
    """The overview. A bounded number of SQL queries; in large collections the slow ones are precomputed."""
    found = overview_figures(collection)
    archived = collection.archived_at is not None
    batches, working = batch_states(collection), at_work(collection)
    figures = found.figures
    if figures is None:
        return Overview(
            batches, [] if archived else needs(collection, batches), working, [], None, None, None, found.problem
        )
    standing = replace(figures.backlog, batches=batches)
    urgent = (
        []
        if archived
        else needs(
            collection,
            batches,
            waiting_for_clip=standing.waiting_for_clip,
            captions_in_review=figures.material.captions.get("review", 0),
            failed_clips=figures.material.failed_clips,
            pool=figures.material.pool_change,
            next_step=_next_step(figures.material),
        )
    )
    rows = _stages(collection, figures.material, standing)
    pace = replace(figures.pace, forecast=of_the_archive(figures.pace.forecast)) if archived else figures.pace
    return Overview(batches, urgent, working, rows, standing, pace, figures.as_of, found.problem)


def study_at_hand(collection: Collection) -> dict[str, Any] | None:
    """A study's collection, kind, description and agreement so far; None for other collections."""
    if collection.study_of is None:
        return None
    row = next((one for one in studies_of(collection.study_of) if one.name == collection.name), None)
    if row is None:
        return None
    asked = f"{row.queries:,} queries, the top {row.depth} moments of each"
    asked += f" and {row.at_random} at random" if row.at_random else ""
    return {
        "of": collection.study_of.name,
        "kind": row.kind,
        "said": f"This is a {Purpose(collection.purpose).label}: {asked}.",
        "agreement": row.agreement,
    }


def _next_step(material: MaterialCounts) -> tuple[str, str]:
    """The next step towards the first judgment: in words, and the page for it."""
    if not material.descriptions:
        return "import descriptions", "imports"
    if material.captions.get("pending", 0):
        return f"{material.captions['pending']:,} descriptions are to be rewritten", "rewriting"
    if material.drawn == 0:
        return "draw its queries", "pool"
    if material.ranked < material.drawn:
        return "fetch the candidates of its queries", "pool"
    return "open the batches", "work"


def _stages(collection: Collection, material: MaterialCounts, standing: Backlog) -> list[Stage]:
    """All stages from descriptions to finished queries, in order."""
    captions, batches, pairs = material.captions, standing.batches, standing.pairs
    pending, review = captions.get("pending", 0), captions.get("review", 0)
    decided = pairs["consensus"] + pairs["discarded"]
    waiting_pairs = [f"{pairs['open']:,} in the first round"] if pairs["open"] else []
    waiting_pairs += [f"{pairs['disputed']:,} in the second"] if pairs["disputed"] else []
    judged = Stage("Pairs judged", decided, sum(pairs.values()) - pairs["withdrawn"], ", ".join(waiting_pairs), "work")
    if collection.is_study:
        return [judged]
    rows = []
    if collection.has_clips:
        failed = f"{material.failed_clips:,} could not be cut" if material.failed_clips else ""
        rows.append(Stage("Clips", material.clips, material.moments, failed, "videos"))
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
            "pool",
        ),
        Stage("Candidate pool", material.pool_fetched, material.pool, material.pool_change.words, "pool"),
        judged,
        Stage(
            "Batches reviewed",
            batches["finished"] + batches["extended"],
            sum(batches.values()),
            f"{batches['decided']:,} wait for your review" if batches["decided"] else "",
            "review",
        ),
    ]
