"""The content of a release's page: the same for the lead and the public, but for what isn't public."""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any

from django.utils.translation import gettext as _
from django.utils.translation import gettext_noop

from annotation.scale import Scale, scale_of_release
from corpus.models import Clip, clip_ready
from datasets.certificates.selectors import percent
from datasets.content.splits import SPLITS
from datasets.formats.about import authors_of
from datasets.formats.procedure import procedure, summary
from datasets.leaderboard.selectors import BoardRow, board_rows, sort_measure
from datasets.models import Board, Release, ReleasePage, Run
from datasets.presentation.citation import Citation, bibtex, one_line, software_bibtex
from datasets.releases.signing import signed_by
from evaluation.judgments.grade_classes import unit_of
from foundation.models import Collection

SAMPLES = 4
"""Sample queries on the page."""
BAR = 720
"""The width of the drawing of grades."""
CHANGES = (gettext_noop("queries"), gettext_noop("pairs"), gettext_noop("judgments"))


@dataclass(frozen=True, slots=True)
class SampleMoment:
    """A graded moment of a sample query. `place` counts the moments of all samples of the digest, from 0."""

    place: int
    video_name: str
    start: float
    end: float
    grade: int
    poster: str = ""
    clip: str = ""


@dataclass(frozen=True, slots=True)
class SampleQuery:
    """A sample query with some of its graded moments, the best first."""

    query_id: str
    query: str
    moments: list[SampleMoment]


@dataclass(frozen=True, slots=True)
class GradeShare:
    """How many pairs have a grade, and where its part of the drawing is, in units of BAR."""

    grade: str
    """Or grades, where they are many."""
    tone: int
    """Its step of the colour ramp."""
    name: str
    count: int
    percent: str
    x: float
    width: float


@dataclass(frozen=True, slots=True)
class BoardTable:
    """A leaderboard as the page shows it: `rows` with one value a measure, `best` of each column marked."""

    split: str
    queries: int
    measures: list[str]
    rows: list[dict[str, Any]]

    @property
    def heads(self) -> list[str]:
        """The measures as column heads, with a possible line break after the comma."""
        return [measure.replace(",", ", ") for measure in self.measures]


@dataclass(frozen=True, slots=True)
class ReleasedFile:
    """A file of the release; `address` is empty where it can't be downloaded from this page."""

    path: str
    size: int | None
    sha256: str
    address: str


def cited(release: Release, page: ReleasePage) -> Citation:
    """The release's citation, by the page's fields, and by the release where they are empty."""
    about = release.manifest["about"]
    return Citation(
        title=page.title or release.manifest["title"],
        authors=[(one.family, one.given) for one in authors_of({"authors": page.authors or about["authors"]})],
        year=page.year or release.created_at.year,
        version=release.name,
        address=page.address,
    )


def article_of(
    release: Release,
    page: ReleasePage,
    *,
    digest: Mapping[str, Any] | None,
    samples: Sequence[SampleQuery],
    files: Sequence[ReleasedFile],
    boards: Sequence[BoardTable],
    before: Release | None,
) -> dict[str, Any]:
    """The page's facts, of JSON's types, dates and dataclasses of these.

    Args:
        digest: what `compute_digest` returned; None while it is being computed.
        samples, files, boards: as far as whoever reads the page may see them.
        before: the release before this one, if it may be named.
    """
    manifest, citation = release.manifest, cited(release, page)
    counts, scale = manifest["counts"], scale_of_release(manifest)
    about = manifest["about"]
    return {
        "title": citation.title,
        "release": release.name,
        "made": release.created_at,
        "version": manifest["code"]["version"],
        "authors": [" ".join(filter(None, (given, family))) for family, given in citation.authors],
        "link": citation.link,
        "summary": summary(manifest),
        "figures": _figures(manifest),
        "scale": scale,
        "grades": _grades(manifest, scale),
        "splits": [{"split": split, **_split(counts[split])} for split in SPLITS if counts[split]["queries"]],
        "training": counts["training"]["queries"],
        "procedure": procedure(manifest),
        "agreement": digest["agreement"] if digest else None,
        "agreed": _agreed(
            manifest["statistics"]["judging"]["both"], digest["agreement"] if digest else None, scale.top
        ),
        "samples": list(samples),
        "files": list(files),
        "licence": about["licence"],
        "limitations": about["limitations"],
        "citation": {
            "bibtex": bibtex(citation),
            "plain": one_line(citation),
            "asked": about["citation"],
            "software": software_bibtex(manifest["code"]["version"]),
        },
        "boards": list(boards),
        "scoring": _scoring(release),
        "signed": signed_by(page),
        "changes": _changes(before, release) if before is not None else None,
    }


def _figures(manifest: Mapping[str, Any]) -> list[dict[str, Any]]:
    counts, material = manifest["counts"], manifest["statistics"]["collection"]
    both = manifest["statistics"]["judging"]["both"]
    return [
        {"name": _("queries"), "count": sum(counts[split]["queries"] for split in SPLITS)},
        {"name": _("graded pairs"), "count": sum(counts[split]["pairs"] for split in SPLITS)},
        {"name": _("judgments"), "count": both["judgments"]},
        {"name": _("moments"), "count": material["moments"]},
        {"name": _("videos"), "count": material["videos"]},
        {"name": _("annotators"), "count": counts["workers"]},
    ]


def _split(counts: Mapping[str, Any]) -> dict[str, Any]:
    names = ("queries_drawn", "queries", "pairs", "pairs_discarded", "pairs_undecided", "judgments")
    return {name: counts[name] for name in names}


def _grades(manifest: Mapping[str, Any], scale: Scale) -> list[GradeShare]:
    counts = [manifest["counts"][split]["pairs_by_grade"] for split in SPLITS]
    together = [sum(split.get(str(one), 0) for split in counts for one in grades) for _name, grades in scale.bars]
    total, x, shares = sum(together), 0.0, []
    for (name, grades), count in zip(scale.bars, together, strict=True):
        share, lowest = count / total if total else 0.0, grades[0]
        place = (round(x, 2), round(share * BAR, 2))
        shares.append(GradeShare(name, scale.tone(lowest), scale.word(lowest), count, percent(share), *place))
        x += share * BAR
    return shares


def _agreed(judging: Mapping[str, Any], agreement: Mapping[str, Any] | None, top: int) -> list[dict[str, str]]:
    """Shares of the decided pairs, in words."""
    unit = unit_of(top)
    near = _("at most 1 apart") if unit == 1 else _("at most %(count)s apart") % {"count": unit}
    shares = (
        (judging["share_in_round_one"], _("of the pairs graded in the first round")),
        (judging["share_in_round_two"], _("graded in the second")),
        (judging["share_discarded"], _("discarded")),
        (agreement["equal"] if agreement else None, _("first two grades equal")),
        (agreement["near"] if agreement else None, near),
    )
    return [{"percent": percent(share), "name": name} for share, name in shares if share is not None]


def _scoring(release: Release) -> dict[str, str] | None:
    """How a run is scored on the released files; None where there are none of that format."""
    split = next((split for split in SPLITS if release.manifest["counts"][split]["queries"]), "")
    if not split or f"{split}.json" not in release.files:
        return None
    run = "sample_run.jsonl" if "sample_run.jsonl" in release.files else "run.jsonl"
    return {"command": f"pip install ./evaluation\nqreels-eval score {split}.json {run}", "split": split, "run": run}


def _changes(before: Release, release: Release) -> dict[str, Any]:
    """Counts before and after, of both splits together."""

    def together(of: Release, name: str) -> int:
        return sum(of.manifest["counts"][split][name] for split in SPLITS)

    rows = [{"name": _(name), "before": together(before, name), "after": together(release, name)} for name in CHANGES]
    return {"from": before.name, "rows": rows}


def samples_of(
    digest: Mapping[str, Any] | None,
    allowed: Callable[[list[str]], set[str]],
    address: Callable[[str, SampleMoment], str],
    clips: Mapping[tuple[str, float, float], Any],
) -> list[SampleQuery]:
    """The first samples of the digest that may be shown.

    Args:
        allowed: of some query ids those whose grades may be shown.
        address: ("poster" or "clip", moment) -> where its picture is, "" for none.
        clips: by video's name, start and end, what there is a clip of.
    """
    chosen: list[SampleQuery] = []
    if not digest:
        return chosen
    may = allowed([str(sample["query_id"]) for sample in digest["samples"]])
    place = 0
    for sample in digest["samples"]:
        moments = [SampleMoment(place + number, **moment) for number, moment in enumerate(sample["moments"])]
        place += len(moments)
        if str(sample["query_id"]) not in may or len(chosen) == SAMPLES:
            continue
        shown = [
            replace(moment, poster=address("poster", moment), clip=address("clip", moment))
            if (moment.video_name, moment.start, moment.end) in clips
            else moment
            for moment in moments
        ]
        chosen.append(SampleQuery(str(sample["query_id"]), sample["query"], shown))
    return chosen


def without_places(sample: SampleQuery) -> SampleQuery:
    """The sample without saying of which video its moments are: they may be candidates of another query, too."""
    return replace(sample, moments=[replace(moment, video_name="", start=0.0, end=0.0) for moment in sample.moments])


def clips_of(collection: Collection, digest: Mapping[str, Any] | None) -> dict[tuple[str, float, float], Clip]:
    """The collection's clips of exactly the digest's moments, by video's name, start and end. One query."""
    places = {
        (moment["video_name"], moment["start"], moment["end"])
        for sample in (digest["samples"] if digest else [])
        for moment in sample["moments"]
    }
    rows = Clip.objects.filter(
        clip_ready(),
        moment__video__collection=collection,
        moment__video__name__in={name for name, _, _ in places},
        moment__start__in={start for _, start, _ in places},
    ).select_related("moment__video")
    clips = {(clip.moment.video.name, clip.moment.start, clip.moment.end): clip for clip in rows}
    return {place: clip for place, clip in clips.items() if place in places}


def standings_of(release: Release, *, public: bool) -> list[BoardTable]:
    """The release's boards with their scored runs, best first; for the public only runs that their owners show."""
    tables = []
    for board in Board.objects.filter(release=release).order_by("-split"):
        rows = board_rows(board, sort=sort_measure(board, ""))
        if public:
            shown = set(Run.objects.filter(board=board, public=True).values_list("pk", flat=True))
            rows = [row for row in rows if row.id in shown]
        if rows:
            queries = release.manifest["counts"][board.split]["queries"]
            tables.append(BoardTable(board.split, queries, board.measures, _marked(rows)))
    return tables


def _marked(rows: Sequence[BoardRow]) -> list[dict[str, Any]]:
    """Name and values of each, the best of those shown marked in each column."""
    columns = [[cell.value for cell in column] for column in zip(*(row.cells for row in rows), strict=True)]
    best = [max((value for value in column if value is not None), default=None) for column in columns]
    return [
        {
            "id": row.id,
            "name": row.name
            if row.version == 1
            else _("%(name)s (version %(version)s)") % {"name": row.name, "version": row.version},
            "values": [
                {"value": cell.value, "best": cell.value is not None and cell.value == most}
                for cell, most in zip(row.cells, best, strict=True)
            ],
        }
        for row in rows
    ]


def release_before(release: Release, *, public: bool) -> Release | None:
    """The named release before this one; for the public only where that one is public too."""
    earlier = Release.objects.filter(collection=release.collection_id, created_at__lt=release.created_at)
    if public:
        earlier = earlier.filter(page__public_since__isnull=False)
    return earlier.exclude(pk=release.pk).order_by("-created_at", "-pk").first()
