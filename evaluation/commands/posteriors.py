"""``posteriors``: what each pair's grade may truly be, and how much hangs on who judged it."""

from __future__ import annotations

import csv
from argparse import ArgumentParser, Namespace
from dataclasses import replace
from pathlib import Path

import numpy as np

from ..commands.outputs import note, print_json, show_progress, writing
from ..commands.rule_options import add_scale, judgments_of, note_other_rule
from ..figures.text_table import table
from ..judgments.annotator_model import ROUNDS
from ..judgments.consensus import PAPER
from ..judgments.posteriors import Posteriors, posteriors
from ..texts import counted

NAME = "posteriors"
HELP = (
    "Say what each pair's grade may be, from how each worker judges (Dawid and Skene), and what another would change."
)


def add_arguments(parser: ArgumentParser) -> None:
    """Declare the arguments of the command."""
    parser.add_argument("file", type=Path, metavar="FILE", help="judgments: CSV, Label Studio's export, or qrels")
    add_scale(parser, highest=PAPER.top_grade)
    parser.add_argument("--output", type=Path, metavar="CSV", help="write each pair's posteriors there")
    parser.add_argument("--json", action="store_true", help="print one JSON object and nothing else")


def perform(options: Namespace) -> None:
    """Read, estimate, write, print."""
    note_other_rule(options, replace(PAPER, top_grade=options.top_grade))
    found = posteriors(
        judgments_of(options),
        top_grade=options.top_grade,
        progress=lambda rounds: show_progress(rounds, ROUNDS, "steps"),
    )
    if not found.fit.converged:
        note(f"the posteriors still moved after {found.fit.rounds:,} steps")
    changed, states = found.changed_by_another(replace(PAPER, top_grade=options.top_grade))
    if options.output is not None:
        with writing(options.output), options.output.open("w", newline="", encoding="utf-8") as file:
            writer = csv.writer(file, lineterminator="\n")
            grades = range(PAPER.top_grade + 1)  # whatever the highest, as in a release: `score` reads both
            beyond = [0.0] * (PAPER.top_grade - options.top_grade)
            writer.writerow(
                ["pair_id", "state", *(f"p{g}" for g in grades), *(f"multinomial{g}" for g in grades), "changed"]
            )
            rows = zip(
                found.judgments.pair_ids,
                states,
                found.fit.posterior,
                found.fit.multinomial,
                changed.tolist(),
                strict=True,
            )
            for pair_id, state, own, alone, share in rows:
                figures = [f"{value:.6f}" for value in (*own, *beyond, *alone, *beyond)]
                writer.writerow([pair_id, state, *figures, "" if np.isnan(share) else f"{share:.6f}"])
    decided = ~np.isnan(changed)
    expected = float(changed[decided].sum()) if decided.any() else 0.0
    if options.json:
        print_json(_as_data(found, expected, int(decided.sum())))
        return
    judgments = found.judgments
    print(
        f"{judgments.name}: {counted(len(judgments), 'judgment')}, {counted(len(judgments.pair_ids), 'pair')}, "
        f"{counted(len(judgments.workers), 'worker')}; the model settled after {counted(found.fit.rounds, 'step')}"
    )
    print(f"with another judge in one place, about {expected:,.0f} of {decided.sum():,} pairs would end otherwise\n")
    head = ["worker", "judgments", "says the true grade", "within one", "mean above it"]
    by_number = sorted(_workers(found).items(), key=lambda item: -item[1][0])
    print(table(head, [[worker, f"{number:,}", *shares] for worker, (number, *shares) in by_number]))


def _workers(found: Posteriors) -> dict[str, tuple[int, str, str, str]]:
    """Judgments of each, and how they judge."""
    number = np.bincount(found.judgments.worker, minlength=len(found.fit.confusion))
    rows = {}
    for place, worker in enumerate(found.judgments.workers):
        exact, within_one, above = found.fit.habits(place)
        rows[worker] = (int(number[place]), f"{100 * exact:.1f} %", f"{100 * within_one:.1f} %", f"{above:+.2f}")
    return rows


def _as_data(found: Posteriors, expected: float, decided: int) -> dict[str, object]:
    return {
        "judgments": len(found.judgments),
        "pairs": len(found.judgments.pair_ids),
        "rounds": found.fit.rounds,
        "converged": found.fit.converged,
        "prior": found.fit.prior,
        "confusion": dict(zip(found.judgments.workers, found.fit.confusion, strict=True)),
        "decided": decided,
        "expected_changed_by_another": expected,
    }
