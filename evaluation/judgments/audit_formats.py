"""An audit as text, Markdown, CSV and figures."""

from __future__ import annotations

import json
from collections.abc import Callable, Mapping, Sequence
from itertools import chain
from typing import Any

import numpy as np

from ..figures.bars import bars
from ..figures.heat_map import heat_map
from ..formats.table import TABLES_FORMATS, Table
from ..judgments.agreement import MOST_COMPARED
from ..judgments.audit import Told
from ..judgments.grade_classes import unit_of
from ..judgments.repeats import POLICIES

Rows = Sequence[Sequence[str]]
STATES = ("graded", "discarded", "open", "left-out")
KINDS = ("all", "first round", "second round", "between rounds", "repeats of one id")
FIGURES = ("kappa", "linear", "quadratic", "alpha")
MOST_NAMED = 20
"""Open pairs that the text names; JSON has more."""
MOST_DRAWN = 40
"""Workers, of whom each two have a cell."""
LONGEST_LABEL = 24


def grades_of(told: Told) -> list[int]:
    """The grades that an audit counts; on 0-100 those that its classes stand for."""
    unit = unit_of(told["rule"]["top_grade"]) if "rule" in told else 1  # an older audit has no rule
    return [place * unit for place in range(len(told["by_grade"]))]


def sections(told: Told) -> list[Table]:
    """The whole audit, in tables."""
    grades = [str(grade) for grade in grades_of(told)]
    found = [
        Table(told["file"], _open_pairs(told), ["what", "number"], _counts(told)),
        Table(
            "Agreement",
            _compared(told),
            _AGREEMENT,
            [[kind, *_agreement(told["agreement"][kind])] for kind in KINDS],
        ),
        Table(
            "Workers",
            f"Each with all others.{_left_out(told['workers_left_out'], 'workers with fewest judgments')}",
            ["worker", "judgments", *_AGREEMENT[1:]],
            [[worker, f"{own['judgments']:,}", *_agreement(own)] for worker, own in workers_of(told)],
        ),
        Table(
            "Two workers",
            "Of the pairs that both judged."
            + _left_out(told["two_workers_left_out"], "couples of workers with fewest such pairs"),
            _AGREEMENT,
            [[" and ".join(own["workers"]), *_agreement(own)] for own in told["of_two_workers"]],
        ),
        Table(
            "Lowest and highest grade",
            "Pairs by the lowest grade that they got (row) and the highest (column).",
            ["lowest", *grades],
            [
                [grade, *(f"{pairs:,}" for pairs in row)]
                for grade, row in zip(grades, told["lowest_highest"], strict=True)
            ],
        ),
        Table(
            "Along the file",
            "Shares of couples of different ids that gave equal grades, or two at most 1 apart.",
            ["judgments", "mean", *(f"grade {grade}" for grade in grades), "equal", "within 1"],
            [
                [
                    part_of(part),
                    f"{part['mean']:.3f}",
                    *(f"{number:,}" for number in part["by_grade"]),
                    *(_figure(part[share]) for share in ("exact", "within_one")),
                ]
                for part in told["drift"]
            ],
        ),
        Table(
            "Policies for repeated ids",
            "; ".join(f"{name}: {said}" for name, said in POLICIES.items()) + ".",
            ["policy", *STATES, "other grade", *(f"grade {grade}" for grade in grades)],
            [
                [
                    name,
                    *(
                        f"{number:,}"
                        for number in chain(map(policy.get, (*STATES, "changed_grades")), policy["by_grade"])
                    ),
                ]
                for name, policy in policies_of(told)
            ],
        ),
    ]
    if "measure" in told:
        found.append(
            Table(
                "Systems",
                f"{told['measure']}, and the rank, by each policy.",
                ["system", *POLICIES],
                [
                    [rows[0]["run"], *(f"{row['value']:.4f} ({row['rank']})" for row in rows)]
                    for rows in zip(*(policy["systems"] for _, policy in policies_of(told)), strict=True)
                ],
            )
        )
    return found


def workers_of(told: Told) -> list[tuple[str, Told]]:
    """The workers who have figures of their own, those with most judgments first. JSON may come back in any order."""
    return sorted(told["of_workers"].items(), key=lambda one: (-one[1]["judgments"], one[0]))


def policies_of(told: Told) -> list[tuple[str, Told]]:
    """The policies in their order."""
    return [(name, told["policies"][name]) for name in POLICIES]


def part_of(part: Mapping[str, Any]) -> str:
    """Which judgments a part of the file has."""
    return f"{part['first']:,}-{part['last']:,}"


def _counts(told: Told) -> Rows:
    by_judgments = sorted((int(number), pairs) for number, pairs in told["pairs_by_judgments"].items())
    counts = [
        *((name, told[name]) for name in ("judgments", "pairs", "workers")),
        *((f"pairs with {number} judgment{'' if number == 1 else 's'}", pairs) for number, pairs in by_judgments),
        *((f"pairs {state}", told[state]) for state in ("graded", "discarded", "open")),
        *((f"pairs of grade {grade}", pairs) for grade, pairs in zip(grades_of(told), told["by_grade"], strict=True)),
        ("pairs judged by both rounds though the first agreed", told["judged_by_both_rounds_though_the_first_agreed"]),
        ("pairs with one id twice or more", told["pairs_with_a_repeated_id"]),
        ("judgments beyond an id's first of a pair", told["repeated_judgments"]),
    ]
    return [(name, f"{number:,}") for name, number in counts]


def _compared(told: Told) -> str:
    """What is compared, and what the intervals are."""
    said = ["Of couples of judgments by different ids."]
    if told["pairs_compared_in_part"]:
        more = f"{told['pairs_compared_in_part']:,}"
        said.append(f"Of a pair's judgments the first {MOST_COMPARED} are compared; pairs with more: {more}.")
    if told.get("pairs_without_data"):
        lacking = f"{told['pairs_without_data']:,}"
        said.append(
            f"Pairs that the pairs' data lack, none with a grade: {lacking}. Each counts as a query of its own."
        )
    if told["resampled"]:
        said.append(f"In brackets the middle 95 % where {told['resampled']} are drawn anew, {told['draws']:,} times.")
    return " ".join(said)


def _left_out(number: int, what: str) -> str:
    return f" {number:,} {what} are left out." if number else ""


_AGREEMENT = ("of", "couples", *FIGURES)


def _agreement(found: Told) -> list[str]:
    return [f"{found['couples']:,}", *(estimate_of(found[name]) for name in FIGURES)]


def estimate_of(estimate: Told) -> str:
    """A figure with its interval, a dash for what is not defined.

    >>> estimate_of({"value": 0.5, "low": 0.4, "high": 0.6}), estimate_of({"value": None, "low": None, "high": None})
    ('0.500 [0.400, 0.600]', '-')
    """
    known = estimate["low"] is not None
    return _figure(estimate["value"]) + (f" [{estimate['low']:z.3f}, {estimate['high']:z.3f}]" if known else "")


def _figure(value: float | None) -> str:
    return "-" if value is None else f"{value:z.3f}"


def _open_pairs(told: Told) -> str:
    if not told["open"]:
        return ""
    more = told["open"] - MOST_NAMED
    named = ("pair " if told["open"] == 1 else "pairs ") + ", ".join(told["open_pairs"][:MOST_NAMED])
    named += f" and {more:,} more" if more > 0 else ""
    return f"Open, since they lack judgments: {named}."


def _in_tables(write: Callable[[Sequence[Table]], str]) -> Callable[[Told], str]:
    return lambda told: write(sections(told))


AUDIT_FORMATS: dict[str, Callable[[Told], str]] = {
    **{name: _in_tables(write) for name, write in TABLES_FORMATS.items()},
    "json": lambda told: json.dumps(told, indent=1),
}


def figures(told: Told, say: Callable[[str], str] = str) -> dict[str, str]:
    """SVG by file name. Args: say: what is written in them, in another language."""
    grades = [str(grade) for grade in grades_of(told)]
    pairs = np.array(told["lowest_highest"], dtype=np.float64)
    shares = np.where(np.tri(len(grades), k=-1, dtype=bool), np.nan, pairs / max(pairs.sum(), 1))
    title, note = say("Lowest and highest grade"), say("Shares of pairs: lowest by row, highest by column.")
    drawn = {
        "lowest_highest.svg": heat_map(shares, grades, title=title, note=note),
        "drift.svg": bars(
            {say("Mean grade"): [(part_of(part), part["mean"]) for part in told["drift"]]},
            title=say("Along the file"),
            x_label=say("mean grade"),
            note=say("In the file's order, in parts of equal length."),
        ),
    }
    if 1 < told["workers"] <= MOST_DRAWN:
        place = {worker: number for number, (worker, _) in enumerate(workers_of(told))}
        kappas = np.full((len(place), len(place)), np.nan)
        for own in told["of_two_workers"]:
            one, other = (place[worker] for worker in own["workers"])
            kappas[one, other] = kappas[other, one] = (
                np.nan if own["quadratic"]["value"] is None else own["quadratic"]["value"]
            )
        labels = [worker if len(worker) <= LONGEST_LABEL else f"{worker[: LONGEST_LABEL - 1]}…" for worker in place]
        title, note = say("Agreement of two workers"), say("Cohen's kappa with quadratic weights.")
        drawn["workers.svg"] = heat_map(kappas, labels, title=title, note=note)
    return drawn
