"""`sampling.csv`: which queries or pairs could be drawn for people to judge, and with which probability."""

from pathlib import Path
from typing import Any

from annotation.models import SampledUnit, SamplingDesign
from datasets.content.splits import ROWS_AT_ONCE, SPLITS, Splits, public_query_id
from datasets.formats.further_files import FURTHER_TABLES
from datasets.formats.material import create_csv, to_json
from queries.pooling.query_columns import query_source_id

TABLE = FURTHER_TABLES["sampling"]


def write_sampling(splits: Splits, design: SamplingDesign, folder: Path) -> None:
    """Write a row for each unit of the frame, drawn or not, by query in the order of the draw, and rank.

    `drawn` of the `stratum_size` units of its stratum were drawn; strata of pairs are those of their query.
    """
    with create_csv(folder / TABLE.file, list(TABLE.columns)) as writer:
        for split in SPLITS:
            units = SampledUnit.objects.filter(design=design, query__split=split)
            columns = units.order_by("query__position", "candidate__rank", "pk").values_list(
                *(query_source_id("query__"), "candidate__pair__pk", "candidate__moment_id"),
                *("stratum__name", "stratum__size", "stratum__drawn"),
            )
            for source_id, pair, moment, name, size, drawn in columns.iterator(ROWS_AT_ONCE):
                place = splits.places[moment] if moment is not None else None
                about = ("", "") if place is None else (place.video_name, to_json(list(place.timestamp)))
                query, shown = public_query_id(source_id), "" if pair is None else pair
                writer.writerow((query, shown, name, size, drawn, drawn / size, *about))


def describe_sampling(design: SamplingDesign) -> dict[str, Any]:
    """The manifest's `sampling`: the file, the design as it was drawn and extended, and how many of the frame's units
    were drawn."""
    units = SampledUnit.objects.filter(design=design)
    return {
        "file": TABLE.file,
        "unit": design.unit,
        "strata": design.strata,
        "bands": design.bands,
        "judge": design.judge.name if design.judge else None,
        "seed": design.seed,
        "stages": list(design.stages.order_by("number").values("number", "asked")),
        "units": units.count(),
        "drawn": units.filter(stage__isnull=False).count(),
    }
