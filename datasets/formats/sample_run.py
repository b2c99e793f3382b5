"""A run that a release ships, and what its README says of scoring: install, score, and the figures to expect."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

from datasets.content.splits import SPLITS, JudgedQuery
from datasets.formats.card import CARD, hub_licence, licence_and_citation
from datasets.formats.further_files import further_files_section
from datasets.formats.material import Material, create, to_json
from datasets.formats.procedure import procedure_in_english, top_grade
from datasets.formats.scale_in_words import grades_section
from evaluation import evaluate
from evaluation.figures.text_table import figure
from evaluation.measures.usual import usual_measures
from evaluation.reading import read_ground_truth, read_run

SAMPLE_RUN = "sample_run.jsonl"
LEFT = (1.0, 0.8, 0.6, 0.4)
"""What is left of each moment's length, in turn by rank: so every IoU threshold has figures of its own."""
REPRODUCED = (
    "\n`sh capsule/reproduce.sh` prints the same figures and all tables of the release, counted anew, and what of its "
    "claims holds: in an environment that it makes of `capsule/requirements.txt`.\n"
)


def write_sample_run(material: Material) -> None:
    """Write the run beside val.json, which is there already, and a README unless the dataset card will be it.

    The run ranks the graded moments of each val query (test, where nothing of val is graded) as candidates were ranked;
    it knows no grade, and is no system. Where nothing is graded there is none.
    """
    split = _split_of(material.folder)
    if not split:
        return
    with create(material.folder / SAMPLE_RUN) as file:
        for query in material.splits.judged_queries(split):
            record = {"query_id": query.query_id, "predictions": list(_predictions(query))}
            file.write(to_json(record) + "\n")
    if "parquet" not in material.facts["formats"]:
        about = material.facts["about"]
        authors_say = f"\n## License and citation\n\n{licence_and_citation(about)}" if any(about.values()) else ""
        licence = "\n".join(hub_licence(about["licence"]))
        with create(material.folder / CARD) as file:
            # It names neither collection nor release, as no data file does: equal states stay equal under any name.
            file.write(
                f"---\n{licence}\n---\n\n"
                "# A test collection for ranked video moment retrieval\n\n"
                "In the files of TVR-Ranking: a system is given a query and ranks moments of videos, and "
                f"relevant ones have a grade up to {top_grade(material.facts)}. `manifest.json` has its name. A system "
                "under test must not read `caption` and `similarity`.\n\n"
                f"{grades_section(material.facts)}## How it was made\n\n"
                f"{procedure_in_english(material.facts)}{further_files_section(material.facts)}{scoring_section(material)}{authors_say}"
            )


def scoring_section(material: Material) -> str:
    """What a README says of scoring. Empty for a release without val.json and sample run.

    Args: material: of a release with both written.
    """
    folder = material.folder
    if not (folder / SAMPLE_RUN).exists():
        return ""
    truth = f"{_split_of(folder)}.json"
    judged, run = read_ground_truth(folder / truth), read_run(folder / SAMPLE_RUN)
    records = evaluate(judged, [run], usual_measures(judged))
    order = "in the order of the pool" if "pairs_without_similarity" in material.facts else "by similarity"
    return (
        "## Scoring a run\n\n"
        "The measures install alone from a checkout of Qreels (they need numpy and scipy), and score a run in the "
        "release's folder:\n\n"
        "    pip install ./evaluation\n"
        f"    qreels-eval score {truth} {SAMPLE_RUN}\n\n"
        f"`{SAMPLE_RUN}` is no system's: it ranks each query's graded moments {order} and leaves "
        f"{', '.join(f'{share:.0%}' for share in LEFT)} of their length in turn. Expect these figures:\n\n"
        f"| measure | {run.name} |\n| --- | ---: |\n"
        + "".join(f"| {record.measure} | {figure(record.value)} |\n" for record in records)
        + (REPRODUCED if "capsule" in material.facts["formats"] else "")
        + "\nYour own run is JSON Lines, one line per query, gzipped or not: "
        '`{"query_id": 1, "predictions": [{"video_name": "v", "timestamp": [1.5, 4.0], "score": 0.9}]}`.\n'
    )


def _split_of(folder: Path) -> str:
    """The first split with a graded pair, "" if there is none; its file is an empty list otherwise."""
    return next((split for split in SPLITS if (folder / f"{split}.json").stat().st_size > len("[]\n")), "")


def _predictions(query: JudgedQuery) -> Iterator[dict[str, object]]:
    for place, pair in enumerate(query.pairs):
        start, end = pair.place.timestamp
        cut = round(start + LEFT[place % len(LEFT)] * (end - start), 3)
        yield {
            "video_name": pair.place.video_name,
            "timestamp": [start, cut if cut > start else end],
            "score": round(1 / (place + 1), 6),
        }
