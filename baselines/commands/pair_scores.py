"""``pair-scores``: text-to-frame similarity of pairs, for a judge on similarity."""

from __future__ import annotations

from argparse import ArgumentParser, Namespace
from pathlib import Path

NAME = "pair-scores"
HELP = "Write the text-to-frame similarity of pairs, as CSV of pair_id and score."


def add_arguments(parser: ArgumentParser) -> None:
    """Declare the arguments of the command."""
    parser.add_argument(
        "pairs",
        type=Path,
        metavar="RELEASE|PAIRS.csv",
        help="a release's folder, or CSV of pair_id, query, video_name, start, end",
    )
    parser.add_argument("features", type=Path, metavar="FEATURES", help="what features made, or a JSON file")
    parser.add_argument("--out", type=Path, metavar="FILE", required=True, help="the CSV file to write")


def perform(options: Namespace) -> None:
    """Score and write, whole or not at all."""
    from baselines.features.opening import open_features
    from baselines.floors.text_to_frame import pair_similarities
    from baselines.reading.pairs import read_pairs
    from baselines.whole_files import whole_file
    from evaluation.formats.table import Table

    pairs = read_pairs(options.pairs)
    scores = pair_similarities(pairs, open_features(options.features))
    rows = [[pair.pair_id, f"{score:.6f}"] for pair, score in zip(pairs, scores.tolist(), strict=True)]
    with whole_file(options.out) as file:
        file.write(Table("", "", ["pair_id", "score"], rows).csv().encode())
    print(f"{options.out}: {len(pairs)} pairs of {len({pair.query for pair in pairs})} queries")
