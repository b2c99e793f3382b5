"""What trained systems gain on the paper theatre, whose truth is known: the figures in docs/baselines.md.

    .venv/bin/python -m demo.baselines.evidence FOLDER [--seeds 1 2 3] [--models xml reloclnet conquer spr]

Draws the 40 films, makes a release whose grades are the script's own, extracts features, trains each model on N = 1 and
20 moments a query, and searches the test split; then prints the table, and NDCG@20,IoU>=0.3 of each system less each
floor's and of N = 20 less N = 1, with bootstrap intervals over the queries. What is in FOLDER already is left alone.
"""

import argparse
import re
import time
from collections import defaultdict
from pathlib import Path

import numpy as np

from demo.baselines.pipeline import FLOORS, MODELS, BaselinePlan, call, run_baselines
from demo.baselines.theatre_release import make_theatre_release
from demo.theatre import build_theatre
from evaluation import evaluate
from evaluation.arrays import FloatArray
from evaluation.formats.system_names import named_run
from evaluation.reading import read_ground_truth, read_run
from evaluation.significance import bootstrap_interval

MEASURE = "NDCG@20,IoU>=0.3"
HOW = ("--batch-size", "64", "--lr", "5e-4", "--device", "cpu")
HOW_BY_TOP = (
    (1, ("--epochs", "152", "--evaluate-every", "19")),
    (20, ("--epochs", "8", "--evaluate-every", "1")),
)
"""456 steps for either N, fewer than the paper's 4,000 and 200 epochs, at five times its rate: minutes on two cores."""


def main() -> None:
    options = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    options.add_argument("folder", type=Path)
    options.add_argument("--models", nargs="+", default=MODELS)
    options.add_argument("--tops", nargs="+", type=int, default=[1, 20])
    options.add_argument("--seeds", nargs="+", type=int, default=[1, 2, 3])
    options.add_argument("--tell", action="store_true", help="only tell what the runs that are there score")
    asked = options.parse_args()
    release = asked.folder / "release"
    if not asked.tell:
        build_theatre(asked.folder)
        if not (release / "train_top40.json").exists():
            make_theatre_release(release)
        began = time.monotonic()
        plan = BaselinePlan(tuple(asked.models), tuple(asked.tops), tuple(asked.seeds), HOW, HOW_BY_TOP)
        run_baselines(plan, release=release, videos=asked.folder / "videos", folder=asked.folder)
        print(f"All of it took {time.monotonic() - began:.0f} s.")
    runs = sorted((asked.folder / "runs").glob("*-test-seed*.jsonl"))
    call("table", release, *runs, "--output", "markdown")
    tell_differences(release / "test.json", runs)


def tell_differences(truth: Path, runs: list[Path]) -> None:
    """Print the differences with their intervals, as a table of Markdown."""
    judged = read_ground_truth(truth)
    values_of: dict[tuple[str, int | None], list[FloatArray]] = defaultdict(list)
    for path in runs:
        named = named_run(re.sub(r"\.jsonl\Z", "", path.name))
        (record,) = evaluate(judged, [read_run(path)], [MEASURE])
        assert record.per_query is not None
        values_of[named.system, named.top].append(record.per_query)
    means = {key: np.mean(values, axis=0) for key, values in values_of.items()}
    print(f"\n{MEASURE} on test, mean of the seeds; difference with its 95 % interval over {len(judged)} queries\n")
    print("| system | N | less | difference | 95 % interval |\n| --- | ---: | --- | ---: | ---: |")
    for (system, top), own in means.items():
        if system in FLOORS:
            continue
        others = [(floor, None) for floor in FLOORS] + ([(system, 1)] if top != 1 else [])
        for other in others:
            if other in means:
                difference = own - means[other]
                low, high = bootstrap_interval(difference[:, None], seed=1)
                name = other[0] if other[1] is None else f"N = {other[1]}"
                print(f"| {system} | {top} | {name} | {difference.mean():+.4f} | {low[0]:+.4f} to {high[0]:+.4f} |")


if __name__ == "__main__":
    main()
