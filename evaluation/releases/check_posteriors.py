"""Check a release's `posteriors.csv`: each row a judged pair's, with what both models make of the raw judgments."""

from __future__ import annotations

from math import isclose, log2
from pathlib import Path

import numpy as np

from ..arrays import FloatArray
from ..errors import EvaluationError
from ..judgments.annotator_model import ROUNDS
from ..judgments.consensus import Rule
from ..judgments.posteriors import Posteriors, posteriors
from ..progress import Stage
from ..reading.judgments import read_judgments
from .checked_rows import Judged, Row, Rows, Stated, key_of

CHANCES = tuple(f"p{grade}" for grade in range(5))
POSTERIORS = ("query_id", "pair_id", "grade", *CHANCES, "expected", "entropy", "model")
"""Columns, said again, since the check takes nothing from what writes releases (nor Django)."""
MODELS = ("dawid-skene", "multinomial")
ROUNDING = 1e-5
"""Figures have six decimals, and five are added up."""
CLOSE = 2e-6
"""Of six decimals on another machine."""


def check_posteriors(rows: Rows, stated: Stated, judged: Judged) -> None:
    """Tell the problems of the file."""
    recomputed = _recomputed(rows.path.with_name("raw_annotations.csv"), judged.rule, judged.stage)
    place = {} if recomputed is None else {pair: at for at, pair in enumerate(recomputed.judgments.pair_ids)}
    for row in rows.each("pair_id", "model", again="pair {pair_id} is there twice by {model}"):
        _, grade = judged.graded.get(row["pair_id"], ("", ""))
        if judged.pair(row) is None:
            rows.wrong(f"query {row['query_id']} has no judged pair {row['pair_id']}")
        elif row["grade"] != str(grade):
            rows.wrong(f"found the grade {row['grade']!r}, expected {str(grade)!r}")
        else:
            rows.wrong(_problem(row) or _differing(row, recomputed, place.get(row["pair_id"])))
    for pair_id, _ in judged.pairs.items():
        for model in MODELS:
            if key_of(pair_id, model) not in rows.seen:
                rows.of_all(f"pair {pair_id} has no row by {model}")
    if len(rows.seen) != len(MODELS) * stated["pairs"]:
        rows.of_all(f"found {len(rows.seen)} rows, but the manifest says {stated['pairs']} pairs")
    if recomputed is not None and "changed_by_another" in stated:
        changed = round(float(np.nansum(recomputed.changed_by_another(judged.rule)[0])), 1)
        if not isclose(changed, stated["changed_by_another"], abs_tol=0.11):
            found = f"found that another person would change {changed} pairs"
            rows.of_all(f"{found}, but the manifest says {stated['changed_by_another']}")


def _recomputed(raw: Path, rule: Rule, stage: Stage) -> Posteriors | None:
    """What the raw judgments give; None where they can't be read, which is told elsewhere."""
    done = stage("Posteriors", ROUNDS, "steps")

    def told(rounds: int) -> None:
        done(1)

    try:
        judgments = read_judgments(raw, top_grade=rule.top_grade, step=rule.step)
        return posteriors(judgments, top_grade=rule.top_grade, progress=told)
    except EvaluationError:
        return None


def _differing(row: Row, found: Posteriors | None, at: int | None) -> str:
    """That its probabilities aren't those of the raw judgments; "" if they are, or these can't be read."""
    if found is None or at is None:
        return ""
    fit = found.fit
    own: FloatArray = (fit.posterior if row["model"] == MODELS[0] else fit.multinomial)[at]
    stated = [float(row[column]) for column in CHANCES]
    expected = [*own.tolist(), *[0.0] * (len(CHANCES) - len(own))]
    if all(isclose(one, other, abs_tol=CLOSE) for one, other in zip(stated, expected, strict=True)):
        return ""
    told = ", ".join(f"{chance:.6f}" for chance in expected)
    return f"found the probabilities {stated}, but the raw judgments give {told}"


def _problem(row: Row) -> str:
    """What is wrong with a row's figures; "" if nothing is."""
    if row["model"] not in MODELS:
        return f"found the model {row['model']!r}, expected {' or '.join(MODELS)}"
    try:
        chances = [float(row[column]) for column in CHANCES]
        expected, entropy = float(row["expected"]), float(row["entropy"])
    except ValueError:
        return "found a figure that is no number"
    if not all(0 <= chance <= 1 for chance in chances) or not isclose(sum(chances), 1, abs_tol=ROUNDING):
        return f"found the probabilities {chances}, expected five whose sum is 1"
    bits = -sum(chance * log2(chance) for chance in chances if chance)
    mean = sum(grade * chance for grade, chance in enumerate(chances))
    if not isclose(expected, mean, abs_tol=10 * ROUNDING) or not isclose(entropy, bits, abs_tol=20 * ROUNDING):
        return f"found the mean {expected} and entropy {entropy}, but the probabilities have {mean:.6f} and {bits:.6f}"
    return ""
