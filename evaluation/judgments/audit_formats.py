"""An audit as text, Markdown, CSV and figures."""

from __future__ import annotations

import csv
import io
import math
from collections.abc import Callable, Sequence
from dataclasses import dataclass

import numpy as np

from evaluation.figures.bars import bars
from evaluation.figures.heat_map import heat_map
from evaluation.figures.text_table import figure, table
from evaluation.judgments.agreement import Agreement, Estimate
from evaluation.judgments.audit import Audit
from evaluation.judgments.repeats import POLICIES

Rows = Sequence[Sequence[str]]
STATES = ("graded", "discarded", "open", "left-out")
MOST_NAMED = 20
"""Open pairs that the text names; JSON has all."""
MOST_DRAWN = 40
"""Workers, of whom each two have a cell."""


@dataclass(frozen=True, slots=True)
class Section:
    """A heading, a sentence below it, and a table: its head, then its rows."""

    heading: str
    sentence: str
    head: Sequence[str]
    rows: Rows


def sections(audit: Audit) -> list[Section]:
    """The whole audit, in tables."""
    grades = [str(grade) for grade in range(audit.rule.top_grade + 1)]
    published = audit.policies["as-published"]
    intervals = f"In brackets the middle 95 % where {audit.resampled} are drawn anew." if audit.resampled else ""
    counts = [
        ("judgments", f"{audit.judgments:,}"),
        ("pairs", f"{audit.pairs:,}"),
        ("workers", f"{len(audit.workers):,}"),
        *(
            (f"pairs with {number} judgment{'' if number == 1 else 's'}", f"{pairs:,}")
            for number, pairs in audit.pairs_by_judgments.items()
        ),
        *((f"pairs {state}", f"{published.count(state):,}") for state in ("graded", "discarded", "open")),
        *(
            (f"pairs of grade {grade}", f"{pairs:,}")
            for grade, pairs in enumerate(published.by_grade(audit.rule.top_grade))
        ),
        ("pairs judged by both rounds though the first agreed", f"{audit.decided_by_more:,}"),
        ("pairs with one id twice or more", f"{audit.pairs_with_a_repeated_id:,}"),
        ("judgments beyond an id's first of a pair", f"{audit.repeated_judgments:,}"),
    ]
    found = [
        Section(audit.name, _open_pairs(audit), ["what", "number"], counts),
        Section(
            "Agreement",
            f"Of couples of judgments by different ids. {intervals}".strip(),
            _AGREEMENT,
            [
                [name, *_agreement(some)]
                for name, some in {**audit.agreement, "repeats of one id": audit.repeats}.items()
            ],
        ),
        Section(
            "Workers",
            "Each with all others.",
            ["worker", "judgments", *_AGREEMENT[1:]],
            [[worker, f"{number:,}", *_agreement(own)] for worker, (number, own) in audit.of_workers.items()],
        ),
        Section(
            "Two workers",
            "Of the pairs that both judged.",
            _AGREEMENT,
            [[" and ".join(two), *_agreement(own)] for two, own in audit.of_two.items()],
        ),
        Section(
            "Lowest and highest grade",
            "Pairs by the lowest grade that they got (row) and the highest (column).",
            ["lowest", *grades],
            [[str(grade), *(f"{pairs:,}" for pairs in row)] for grade, row in enumerate(audit.lowest_highest)],
        ),
        Section(
            "Along the file",
            "Shares of couples of different ids that gave equal grades, or two at most 1 apart.",
            ["judgments", "mean", *(f"grade {grade}" for grade in grades), "equal", "within 1"],
            [
                [
                    f"{part.first:,}-{part.last:,}",
                    f"{part.mean:.3f}",
                    *(f"{number:,}" for number in part.by_grade),
                    *("-" if share is None else f"{share:.3f}" for share in (part.exact, part.within_one)),
                ]
                for part in audit.drift
            ],
        ),
        Section(
            "Policies for repeated ids",
            "; ".join(f"{name}: {said}" for name, said in POLICIES.items()) + ".",
            [
                "policy",
                *STATES,
                "other grade",
                *(f"grade {grade}" for grade in grades),
            ],
            [
                [
                    name,
                    *(f"{policy.count(state):,}" for state in STATES),
                    f"{policy.differing(published):,}",
                    *(f"{pairs:,}" for pairs in policy.by_grade(audit.rule.top_grade)),
                ]
                for name, policy in audit.policies.items()
            ],
        ),
    ]
    if audit.standings:
        found.append(
            Section(
                "Systems",
                f"{audit.measure}, and the rank, by each policy.",
                ["system", *audit.standings],
                [
                    [rows[0].run, *(f"{row.value:.4f} ({row.rank})" for row in rows)]
                    for rows in zip(*audit.standings.values(), strict=True)
                ],
            )
        )
    return found


_AGREEMENT = ("of", "couples", "kappa", "linear", "quadratic", "alpha")


def _agreement(found: Agreement) -> list[str]:
    return [f"{found.couples:,}", *map(_estimate, (found.kappa, found.linear, found.quadratic, found.alpha))]


def _estimate(estimate: Estimate) -> str:
    interval = "" if math.isnan(estimate.low) else f" [{estimate.low:.3f}, {estimate.high:.3f}]"
    return figure(estimate.value, 3) + interval


def _open_pairs(audit: Audit) -> str:
    if not audit.open_pairs:
        return ""
    more = len(audit.open_pairs) - MOST_NAMED
    named = ", ".join(audit.open_pairs[:MOST_NAMED]) + (f" and {more:,} more" if more > 0 else "")
    return f"Open, since they lack judgments: {named}."


def as_text(audit: Audit) -> str:
    """Tables for a terminal."""
    return "\n\n".join(
        "\n".join(
            line for line in (part.heading, "-" * len(part.heading), part.sentence, table(part.head, part.rows)) if line
        )
        for part in sections(audit)
    )


def as_markdown(audit: Audit) -> str:
    """The same tables in Markdown."""

    def piped(cells: Sequence[str]) -> str:
        return "| " + " | ".join(cell.replace("|", "\\|") for cell in cells) + " |"

    blocks = []
    for part in sections(audit):
        rule = piped(["---", *["---:"] * (len(part.head) - 1)])
        lines = [f"## {part.heading}", *([part.sentence] if part.sentence else []), ""]
        blocks.append("\n".join([*lines, piped(part.head), rule, *map(piped, part.rows)]))
    return "\n\n".join(blocks)


def as_csv(audit: Audit) -> str:
    """One cell of one table a line: table, row, column, value."""
    out = io.StringIO()
    rows = csv.writer(out, lineterminator="\n")
    rows.writerow(["table", "row", "column", "value"])
    for part in sections(audit):
        for row in part.rows:
            rows.writerows((part.heading, row[0], *cell) for cell in zip(part.head[1:], row[1:], strict=True))
    return out.getvalue().rstrip("\n")


AUDIT_FORMATS: dict[str, Callable[[Audit], str]] = {"text": as_text, "markdown": as_markdown, "csv": as_csv}


def figures(audit: Audit) -> dict[str, str]:
    """SVG by file name."""
    grades = [str(grade) for grade in range(audit.rule.top_grade + 1)]
    pairs = np.array(audit.lowest_highest, dtype=np.float64)
    shares = np.where(np.tri(len(grades), k=-1, dtype=bool), np.nan, pairs / max(pairs.sum(), 1))
    drawn = {
        "lowest_highest.svg": heat_map(
            shares,
            grades,
            title="Lowest and highest grade",
            note="Shares of pairs: lowest by row, highest by column.",
        ),
        "drift.svg": bars(
            {"Mean grade": [(f"{part.first:,}-{part.last:,}", part.mean) for part in audit.drift]},
            title="Along the file",
            x_label="mean grade",
            note="In the file's order, in parts of equal length.",
        ),
    }
    if 1 < len(audit.workers) <= MOST_DRAWN:
        place = {worker: number for number, worker in enumerate(audit.workers)}
        kappas = np.full((len(place), len(place)), np.nan)
        for (one, other), own in audit.of_two.items():
            kappas[place[one], place[other]] = kappas[place[other], place[one]] = own.quadratic.value
        title, note = "Agreement of two workers", "Cohen's kappa with quadratic weights."
        drawn["workers.svg"] = heat_map(kappas, audit.workers, title=title, note=note)
    return drawn
