"""The paper's Tables 1 and 4, with its rows, columns, units and decimals. Pure."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from .tables import Cell, Table, number

NONE = "N.A"
"""Of pseudo-training, where nobody judged."""


def paper_tables(splits: Mapping[str, Any]) -> list[Table]:
    """Both tables, of `splits` as a manifest's `statistics` have them."""
    return [_table_1(splits), _table_4(splits)]


def _table_1(splits: Mapping[str, Any]) -> Table:
    rows = []
    for name, row in (("Training", "train"), ("Validation", "val"), ("Test", "test")):
        split = splits[row]
        counts = (split["queries"], _of(split, "moments"), _of(split, "videos"), split["vocabulary"], split["verbs"])
        hours = (_decimals(_of(split, "moment_hours")), _decimals(_of(split, "video_hours")))
        rows.append((name, *map(number, counts), *hours))
    return Table(
        "Size of the splits",
        ("", "#Query", "#Moment", "#Video", "Vocab.", "#Verb", "M.Dur", "V.Dur"),
        tuple(rows),
        f"Table 1 of the TVR-Ranking paper. Moments and videos are distinct ones: in training those among the top "
        f"{splits['train']['top']} of a query, in validation and test the graded ones. M.Dur and V.Dur are their total "
        "durations in hours; vocabulary and verbs are those of the queries.",
        key="size-of-the-splits",
    )


def _table_4(splits: Mapping[str, Any]) -> Table:
    columns = [splits[name] for name in ("train", "val", "test")]
    kinds = (("Min", "least"), ("Avg.", "mean"), ("Max", "most"))

    def of_extent(field: str, kind: str) -> tuple[Cell, ...]:
        return tuple(_decimals((_of(split, field) or {}).get(kind)) for split in columns)

    rows: list[tuple[Cell, ...]] = []
    for word, kind in kinds:
        lengths = [(split["words"] or {}).get(kind) for split in columns]
        rows.append((f"{word} Query Length", *(map(_decimals, lengths) if kind == "mean" else map(number, lengths))))
    rows += [(f"{word} Moment Duration (s)", *of_extent("moment_seconds", kind)) for word, kind in kinds]
    rows += [(f"{word} Video Duration (s)", *of_extent("video_seconds", kind)) for word, kind in kinds]
    ratios = [_of(split, "moment_video_ratio") for split in columns]
    rows.append(("Avg. Moment-Video Duration Ratio", *map(_decimals, ratios)))
    levels = sorted(splits["val"]["relevant_per_query"], key=int)
    relevant = [splits[name]["relevant_per_query"][levels[0]] for name in ("val", "test")]
    rows.append(("Avg. Relevant Moments per Query", NONE, *(_decimals(mean, 1) for mean in relevant)))
    return Table(
        "Queries, moments and videos by split",
        ("", f"Pseudo training set, N={splits['train']['top']}", "Validation Set", "Test Set"),
        tuple(rows),
        "Table 4 of the TVR-Ranking paper. Query length is in words; durations are over a split's distinct moments and "
        "videos, the ratio is the mean over its moments; relevant "
        + (f"are grades {levels[0]} to {levels[-1]}." if len(levels) > 1 else f"is grade {levels[0]}."),
        key="queries-moments-videos",
    )


def _of(split: Mapping[str, Any], field: str) -> Any:
    return None if split["extent"] is None else split["extent"][field]


def _decimals(value: float | None, decimals: int = 2) -> Cell:
    return "–" if value is None else f"{value:,.{decimals}f}"
