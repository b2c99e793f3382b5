"""Statistics as tables: the paper's two, and others of what it tells in its text."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from ..reading.grade_scale import bars_of
from ..texts import counted
from .paper_tables import paper_tables
from .tables import Cell, Table, number, percent, spread


def statistics_tables(statistics: Mapping[str, Any]) -> list[Table]:
    """What a manifest has under `statistics`, as the tables that people read."""
    return [
        *paper_tables(statistics["splits"]),
        _material(statistics["collection"], statistics["tagger"]),
        _queries(statistics["splits"]),
        _relevance(statistics["splits"]),
        _judging(statistics["judging"]),
    ]


def recounted_tables(statistics: Mapping[str, Any], figures: Mapping[str, Any]) -> list[Table]:
    """The tables with all that was counted from the files, and what a manifest states where they can't show it.

    Args: statistics: the manifest's; figures: of `Claims`.
    """
    return statistics_tables(_laid_over(statistics, figures))


def _laid_over(stated: Any, found: Any) -> Any:
    if not isinstance(stated, Mapping) or not isinstance(found, Mapping):
        return found
    return {**stated, **{name: _laid_over(stated.get(name), value) for name, value in found.items()}}


def _material(material: Mapping[str, Any], tagger: str) -> Table:
    rows = [
        ("Videos", number(material["videos"])),
        ("Videos with moments", number(material["videos_with_moments"])),
        ("Hours of video", number(material["hours"])),
        ("Video duration, s", spread(material["video_seconds"])),
        ("Moments", number(material["moments"])),
        ("Moments per video that has any", spread(material["moments_per_video"])),
        ("Moment duration, s", spread(material["moment_seconds"])),
        ("Moment duration / video duration", spread(material["moment_video_ratio"])),
        ("Captions", number(material["captions"])),
        ("Caption length, words", spread(material["caption_words"])),
        ("Vocabulary of the captions, words", number(material["vocabulary"])),
        ("Verbs of the captions, lemmas", number(material["verbs"])),
    ]
    note = f"Spreads are mean (median; least to most). Verbs told by {tagger}."
    if material["captions_not_tagged"]:
        captions = counted(material["captions_not_tagged"], "caption isn't", "captions aren't")
        note += f" {captions} English: verbs there aren't counted."
    return Table("Material", ("", "All"), tuple(rows), note, key="material")


def _queries(splits: Mapping[str, Any]) -> Table:
    names = ("val", "test", "train", "all")
    opened = [splits[name]["queries_by_batches"] for name in ("val", "test")]
    by_batches = [
        (
            f"Queries of {batches} batch" + ("" if batches == "1" else "es"),
            *(_counted(counts.get(batches, 0), sum(counts.values())) for counts in opened),
            "–",
            _counted(sum(counts.get(batches, 0) for counts in opened), sum(sum(counts.values()) for counts in opened)),
        )
        for batches in sorted({batches for counts in opened for batches in counts}, key=int)
    ]
    rows = [
        ("Queries", *(number(splits[name]["queries"]) for name in names)),
        *by_batches,
        ("Query length, words", *(spread(splits[name]["words"]) for name in names)),
        ("Vocabulary, words", *(number(splits[name]["vocabulary"]) for name in names)),
        ("Verbs, lemmas", *(number(splits[name]["verbs"]) for name in names)),
        ("Graded pairs", *(number(splits[name].get("pairs")) for name in names)),
        ("Graded pairs per query", *(spread(splits[name].get("pairs_per_query")) for name in names)),
        ("Moments", *(number(splits[name].get("moments")) for name in names)),
        ("Videos", *(number(splits[name].get("videos")) for name in names)),
    ]
    note = (
        "Queries of val and test have at least one graded pair; their moments are the graded ones. Those of train are "
        "pseudo-training queries; their moments are the ones that they were written about."
    )
    return Table("Queries", ("", *names), tuple(rows), note, key="queries")


def _relevance(splits: Mapping[str, Any]) -> Table:
    rows = []
    levels = sorted(splits["val"]["relevant_per_query"], key=int)
    for least in levels:
        for split in ("val", "test"):
            rows.append(
                (
                    f"{split}, grade {least} or more" if least != levels[-1] else f"{split}, grade {least}",
                    number(splits[split]["relevant_per_query"][least]),
                    number(splits[split]["queries_with"][least]),
                )
            )
    return Table("Relevant moments", ("", "Per query", "Queries with any"), tuple(rows), key="relevant-moments")


def _judging(judging: Mapping[str, Any]) -> Table:
    names = ("val", "test", "both")
    by_grade = [judging[name]["pairs_by_grade"] for name in names]
    rows = [
        ("Pairs decided", *(number(judging[name]["pairs_decided"]) for name in names)),
        ("Judgments", *(number(judging[name]["judgments"]) for name in names)),
        ("Consensus in the first round", *(percent(judging[name]["share_in_round_one"]) for name in names)),
        ("Consensus in the second round", *(percent(judging[name]["share_in_round_two"]) for name in names)),
        ("Consensus over all", *(percent(judging[name]["share_in_consensus"]) for name in names)),
        ("Discarded", *(percent(judging[name]["share_discarded"]) for name in names)),
    ]
    rows += [
        (
            f"Pairs of grade {bar}",
            *(number(sum(counts[str(grade)] for grade in grades if str(grade) in counts)) for counts in by_grade),
        )
        for bar, grades in bars_of(sorted(map(int, by_grade[0])))
    ]
    return Table("Judging", ("", *names), tuple(rows), key="judging")


def _counted(count: int, total: int) -> Cell:
    return f"{number(count)} ({percent(count / total)})" if total else "–"
