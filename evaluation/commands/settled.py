"""``settled``: which orders are settled, asked as often as one likes while people go on judging."""

from __future__ import annotations

import json
from argparse import ArgumentParser, ArgumentTypeError, Namespace
from math import isclose
from pathlib import Path
from typing import Any

from ..arrays import json_ready
from ..commands.inputs import add_convention, add_run_format, measures_for, positive, read_runs, seed, share
from ..commands.outputs import note, print_json, writing
from ..errors import EvaluationError, InputError, shown
from ..formats.table import Cell, Interval, Table
from ..guarantees.board import LEVEL, places_judged, values_per_query
from ..guarantees.stopping import Look, as_data, goal_named, look, look_from, next_look, spent_by
from ..moments.ground_truth import GroundTruth
from ..moments.run import Run
from ..reading import read_ground_truth
from ..reading.json_stream import whole_text
from ..scores.conventions import convention_named
from ..texts import counted

NAME = "settled"
HELP = "Say which orders of systems are settled while people go on judging; looking again and again is allowed for."


def add_arguments(parser: ArgumentParser) -> None:
    """Declare the arguments of the command."""
    parser.add_argument("runs", type=Path, nargs="+", metavar="RUN", help="a system's ranked moments")
    add_run_format(parser)
    people = "judgments by people, of the first queries of a random order of those of --machine"
    parser.add_argument("--people", type=Path, required=True, metavar="TRUTH", help=people)
    parser.add_argument("--machine", type=Path, required=True, metavar="TRUTH", help="a machine's, of all queries")
    wanted = "first:5: the order of the first five, and who they are"
    parser.add_argument("--goal", type=_goal, required=True, metavar="first:K", help=wanted)
    parser.add_argument("--looks", type=Path, metavar="JSON", help="where the looks are kept; made by the first")
    parser.add_argument("--measure", dest="measures", nargs=1, metavar="M", help="one, as `score` has them")
    parser.add_argument("--level", type=share, default=LEVEL, metavar="P", help=f"of all that is said ({LEVEL:g})")
    alike = "systems whose scores differ by less are alike, A = B (default: no two are)"
    parser.add_argument("--margin", type=positive, metavar="D", help=alike)
    add_convention(parser)
    parser.add_argument("--seed", type=seed, default=0, help="seed of the random numbers (0)")
    parser.add_argument("--json", action="store_true", help="print one JSON object and nothing else")


def _goal(text: str) -> int:
    try:
        return goal_named(text)
    except EvaluationError as error:
        raise ArgumentTypeError(str(error)) from error


def perform(options: Namespace) -> None:
    """Read, look if it is time to, keep the look, print."""
    people, machine = read_ground_truth(options.people), read_ground_truth(options.machine)
    runs = read_runs(options, options.runs, people, machine)
    asked = {
        "goal": f"first:{options.goal}",
        "measure": measures_for(options, people)[0],
        "as": options.convention,
        "level": options.level,
        "margin": options.margin,
        "runs": sorted(run.name for run in runs),
        "queries": len(machine),
    }
    kept = _read(options.looks, asked, people) if options.looks and options.looks.exists() else []
    looks = [own for own, _ in kept]
    due = next_look(looks[-1].judged, len(machine)) if looks else 0
    if looks and (looks[-1].settled or len(people) < due):
        why = "the goal is reached" if looks[-1].settled else f"the next look is at {counted(due, 'query')}"
        note(f"no new look: {why}; this is the one at {counted(looks[-1].judged, 'query')}")
    else:
        looks.append(_look(people, machine, runs, asked, looks, options.seed))
        if options.looks:
            kept.append((looks[-1], list(people.query_ids)))
            _write(options.looks, asked, kept)
    if options.json:
        print_json({**asked, "looks": [as_data(own) for own in looks]})
        return
    _print(looks, asked)


def _look(
    people: GroundTruth, machine: GroundTruth, runs: list[Run], asked: dict[str, Any], looks: list[Look], seed: int
) -> Look:
    judged, convention = places_judged(people, machine), convention_named(asked["as"])
    by_people, by_machine = (
        values_per_query(truth, runs, [asked["measure"]], convention)[0] for truth in (people, machine)
    )
    return look(
        by_people,
        by_machine,
        judged,
        names=[run.name for run in runs],
        queries=len(machine),
        goal=goal_named(asked["goal"]),
        before=looks,
        level=asked["level"],
        margin=asked["margin"],
        seed=seed,
    )


def _read(path: Path, asked: dict[str, Any], people: GroundTruth) -> list[tuple[Look, list[str]]]:
    """The looks so far, each with its judged queries. Raises: InputError if the file is none of these looks."""
    text = whole_text(path)
    try:
        told = json.loads(text)
        looks = [(look_from(own), list(map(str, own["judged_queries"]))) for own in told["looks"]]
        found = {key: told[key] for key in asked}
    except (KeyError, TypeError, ValueError, RecursionError) as error:
        raise InputError(path, "", found="something else", expected="looks that `settled` wrote") from error
    for key, value in asked.items():
        if found[key] != value:
            expected = f"{shown(found[key])} as at its first look: another goal needs another file"
            raise InputError(path, key, found=shown(value), expected=expected)
    _refuse_edited(path, looks, asked)
    gone = sorted(set(looks[-1][1]) - set(people.query_ids))
    if gone:
        raise EvaluationError(
            f"{people.name}: {counted(len(gone), 'query')} of the last look in {path} missing, the first is "
            f"{gone[0]!r}; expected all of them and further ones"
        )
    return looks


def _refuse_edited(path: Path, looks: list[tuple[Look, list[str]]], asked: dict[str, Any]) -> None:
    """Raises: InputError for a look that doesn't follow from those before it: what they spent would count no more."""
    before, ids_before = 0, set[str]()
    for number, (own, ids) in enumerate(looks, start=1):
        spent = spent_by(own.judged, own.queries, asked["level"])
        due = next_look(before, asked["queries"])
        follows = {
            f"{len(set(ids)):,} judged_queries": len(set(ids)) == own.judged and ids_before <= set(ids),
            f"judged {own.judged:,}": own.judged >= due,
            f"spent {own.spent:g}": isclose(own.spent, spent, abs_tol=1e-12),
            f"critical {own.critical:g}": own.critical > 0 or own.judged == own.queries,
            f"goal {own.goal:,} of {own.queries:,} queries": (own.goal, own.queries)
            == (goal_named(asked["goal"]), asked["queries"]),
            f"order {shown(list(own.order))}": sorted(own.order) == asked["runs"],
        }
        for found, holds in follows.items():
            if not holds:
                raise InputError(
                    path, f"look {number}", found=found, expected="a look as `settled` wrote it, unchanged"
                )
        before, ids_before = own.judged, set(ids)
    if not looks:
        raise InputError(path, "looks", found="none", expected="at least the first, which made the file")


def _write(path: Path, asked: dict[str, Any], kept: list[tuple[Look, list[str]]]) -> None:
    told = {**asked, "looks": [as_data(own) | {"judged_queries": ids} for own, ids in kept]}
    beside = path.with_name(f".{path.name}.new")
    with writing(path):
        beside.write_text(json.dumps(json_ready(told), indent=1) + "\n", encoding="utf-8")
        beside.replace(path)


def _print(looks: list[Look], asked: dict[str, Any]) -> None:
    last = looks[-1]
    print(f"{asked['measure']}, goal {asked['goal']} at {100 * asked['level']:g} %, look {len(looks):,}")
    print(f"people judged {last.judged:,} of {counted(last.queries, 'query')}\n")
    rows: list[list[Cell]] = [
        [f"{own.first} - {own.second}", own.estimate, Interval(own.low, own.high), _said(own.at)] for own in last.pairs
    ]
    print(Table("", "", ["difference", "estimate", "interval", "settled at"], rows).columns())
    print(f"\n{last.in_words}")
    if last.next_at is not None:
        print(f"the next look is at {counted(last.next_at, 'query')}")


def _said(at: int | None) -> str:
    return "open" if at is None else counted(at, "query")
