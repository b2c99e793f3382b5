"""`posteriors.csv`: how likely each grade of a decided pair is, from who judged it and how each of them judges."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any

from annotation.batches.transitions import rule_of
from datasets.content.splits import SPLITS, QueryId, Splits, graded_pairs
from datasets.formats.further_files import FURTHER_TABLES
from datasets.formats.material import create_csv
from foundation.infra.progress import Stage

if TYPE_CHECKING:
    from evaluation.judgments.posteriors import Posteriors

TABLE = FURTHER_TABLES["posteriors"]
MODELS = {"dawid-skene": "posterior", "multinomial": "multinomial"}
"""What a row is by -> the attribute of `Fit`."""
GRADES = 5


@dataclass(frozen=True, slots=True)
class ReleasedPosteriors:
    """The posteriors of the decided pairs, in the order of raw_annotations.csv.

    `queries` and `grades`: of each pair; a discarded one has no grade. `changed`: how many would end otherwise had
    another person given one of the judgments, to be expected.
    """

    found: Posteriors
    queries: list[QueryId]
    grades: list[int | None]
    changed: float


def posteriors_of(splits: Splits, stage: Stage) -> ReleasedPosteriors:
    """Estimate them, as `python -m evaluation posteriors` does from the release's raw_annotations.csv."""
    import numpy as np

    from evaluation.judgments.annotator_model import ROUNDS
    from evaluation.judgments.posteriors import posteriors
    from evaluation.reading.judgments import Judgments

    pairs: dict[int, int] = {}
    workers: dict[str, int] = {}
    queries: list[QueryId] = []
    rows: list[tuple[int, int, int]] = []
    for split in SPLITS:
        for row in splits.raw_judgments(split):
            if row.pair_id not in pairs:
                queries.append(row.query_id)
            pair = pairs.setdefault(row.pair_id, len(pairs))
            rows.append((pair, workers.setdefault(row.worker, len(workers)), row.grade))
    rule, done = rule_of(splits.collection), stage("Posteriors", ROUNDS, "steps")

    def told(rounds: int) -> None:
        done(1)

    judgments = Judgments("raw_annotations.csv", tuple(map(str, pairs)), tuple(workers), *np.array(rows, np.int64).T)
    found = posteriors(judgments, top_grade=rule.top_grade, progress=told)
    graded: dict[int, int] = {}
    for split in SPLITS:
        pairs_of = graded_pairs(splits.collection, split, adjudicated=splits.adjudicated)
        graded |= pairs_of.values_list("pk", "final_grade")
    changed, _ = found.changed_by_another(rule)
    return ReleasedPosteriors(found, queries, [graded.get(pair) for pair in pairs], float(np.nansum(changed)))


def write_posteriors(own: ReleasedPosteriors, folder: Path) -> None:
    """Write two rows a pair: by Dawid and Skene's model, and by the pair's own grades alone.

    `expected` is the mean grade, `entropy` in bits; a grade beyond the collection's highest has probability 0.
    """
    import numpy as np

    columns = []
    for attribute in MODELS.values():
        chances = getattr(own.found.fit, attribute)
        bits = (chances * -np.log2(np.maximum(chances, np.finfo(float).tiny))).sum(axis=1)
        beyond = np.zeros((len(chances), GRADES - chances.shape[1]))
        columns.append(np.column_stack([chances, beyond, chances @ np.arange(chances.shape[1]), bits]).tolist())
    pairs = zip(own.queries, own.found.judgments.pair_ids, own.grades, strict=True)
    with create_csv(folder / TABLE.file, list(TABLE.columns)) as writer:
        for (query, pair, grade), *both in zip(pairs, *columns, strict=True):
            for model, figures in zip(MODELS, both, strict=True):
                told = [f"{figure:.6f}" for figure in figures]
                writer.writerow([query, pair, "" if grade is None else grade, *told, model])


def describe_posteriors(own: ReleasedPosteriors) -> dict[str, Any]:
    """The manifest's `posteriors`: the file, how many pairs it has, how many of these another person's judgment in one
    place would change, to be expected, and of the model its steps and whether it stood still."""
    fit = own.found.fit
    return {
        "file": TABLE.file,
        "pairs": len(own.queries),
        "changed_by_another": round(own.changed, 1),
        "rounds": fit.rounds,
        "converged": fit.converged,
    }
