"""Statistics as tables: cells for pages and commands, and Markdown."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

Cell = str


@dataclass(frozen=True, slots=True)
class Table:
    """A table with its title; the first cell of each row says what the others are."""

    title: str
    columns: tuple[str, ...]
    rows: tuple[tuple[Cell, ...], ...]
    note: str = ""


def statistics_tables(statistics: Mapping[str, Any]) -> list[Table]:
    """The tables of what `datasets.content.statistics.describe_statistics` returned."""
    return [
        _material(statistics["collection"], statistics["tagger"]),
        _queries(statistics["splits"]),
        _relevance(statistics["splits"]),
        _judging(statistics["judging"]),
    ]


def _material(found: Mapping[str, Any], tagger: str) -> Table:
    rows = [
        ("Videos", number(found["videos"])),
        ("Videos with moments", number(found["videos_with_moments"])),
        ("Hours of video", number(found["hours"])),
        ("Video duration, s", spread(found["video_seconds"])),
        ("Moments", number(found["moments"])),
        ("Moments per video that has any", spread(found["moments_per_video"])),
        ("Moment duration, s", spread(found["moment_seconds"])),
        ("Moment duration / video duration", spread(found["moment_video_ratio"])),
        ("Captions", number(found["captions"])),
        ("Caption length, words", spread(found["caption_words"])),
        ("Vocabulary of the captions, words", number(found["vocabulary"])),
        ("Verbs of the captions, lemmas", number(found["verbs"])),
    ]
    note = f"Spreads are mean (median; least to most). Verbs told by {tagger}."
    if found["captions_not_tagged"]:
        note += f" {found['captions_not_tagged']:,} captions aren't English: their verbs aren't counted."
    return Table("Material", ("", "All"), tuple(rows), note)


def _queries(splits: Mapping[str, Any]) -> Table:
    names = ("val", "test", "train", "all")
    rows = [
        ("Queries", *(number(splits[name]["queries"]) for name in names)),
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
    return Table("Queries", ("", *names), tuple(rows), note)


def _relevance(splits: Mapping[str, Any]) -> Table:
    rows = []
    for least in ("1", "2", "3", "4"):
        for split in ("val", "test"):
            found = splits[split]
            rows.append(
                (
                    f"{split}, grade {least} or more" if least != "4" else f"{split}, grade 4",
                    number(found["relevant_per_query"][least]),
                    number(found["queries_with"][least]),
                )
            )
    return Table("Relevant moments", ("", "Per query", "Queries with any"), tuple(rows))


def _judging(judging: Mapping[str, Any]) -> Table:
    names = ("val", "test", "both")
    rows = [
        ("Pairs decided", *(number(judging[name]["pairs_decided"]) for name in names)),
        ("Judgments", *(number(judging[name]["judgments"]) for name in names)),
        ("Consensus in the first round", *(percent(judging[name]["share_in_round_one"]) for name in names)),
        ("Consensus in the second round", *(percent(judging[name]["share_in_round_two"]) for name in names)),
        ("Consensus over all", *(percent(judging[name]["share_in_consensus"]) for name in names)),
        ("Discarded", *(percent(judging[name]["share_discarded"]) for name in names)),
    ]
    rows += [
        (f"Pairs of grade {grade}", *(number(judging[name]["pairs_by_grade"][grade]) for name in names))
        for grade in ("0", "1", "2", "3", "4")
    ]
    return Table("Judging", ("", *names), tuple(rows))


def number(value: float | None) -> Cell:
    """A number with thousands separators; integers without decimals, others with two; a dash for None.

    >>> number(69317), number(2.0), number(0.126), number(None)
    ('69,317', '2', '0.13', '–')
    """
    if value is None:
        return "–"
    return f"{value:,.0f}" if value == int(value) else f"{value:,.2f}"


def percent(share: float | None) -> Cell:
    """A share of 1 in percent.

    >>> percent(0.9786)
    '97.9 %'
    """
    return "–" if share is None else f"{100 * share:.1f} %"


def spread(found: Mapping[str, float] | None) -> Cell:
    """A spread in one cell.

    >>> spread({"mean": 3.5, "median": 3, "least": 1, "most": 1200})
    '3.50 (3; 1 to 1,200)'
    """
    if found is None:
        return "–"
    return f"{found['mean']:,.2f} ({number(found['median'])}; {number(found['least'])} to {number(found['most'])})"


def markdown(table: Table) -> str:
    """A table as Markdown, with its note under it."""
    lines = [_line(table.columns), "|" + " --- |" + " ---: |" * (len(table.columns) - 1), *map(_line, table.rows)]
    return "\n".join([*lines, "", table.note, ""] if table.note else [*lines, ""])


def _line(cells: Sequence[Cell]) -> str:
    return "| " + " | ".join(cell.replace("|", "\\|") for cell in cells) + " |"
