"""Options that say by which rule judgments are decided, on which scale they are, and how their file writes grades."""

from __future__ import annotations

from argparse import ArgumentParser, Namespace
from pathlib import Path
from typing import get_args

from ..commands.outputs import note
from ..errors import EvaluationError
from ..judgments.consensus import PAPER, Kind, Rounding, Rule
from ..reading.grade_scale import GradeScale, read_table
from ..reading.judgments import Judgments, read_judgments
from ..releases.manifest import MANIFEST, read_manifest


def add_scale(parser: ArgumentParser, *, highest: int = 100) -> None:
    """--top-grade, --step, --map-grades and --ratings."""
    tops = [top for top in (1, 2, 3, 4, 100) if top <= highest]
    told = "grades go from 0 to this, a release's settings.consensus.top_grade (4)"
    parser.add_argument("--top-grade", type=int, choices=tops, default=PAPER.top_grade, help=told)
    if highest > PAPER.top_grade:
        parser.add_argument(
            "--step", type=int, metavar="N", default=PAPER.step, help="of which grades are multiples (1)"
        )
    table = "what the file's grades are on the scale: a file of lines WORD=GRADE, or the entries, such as 0=0,1=2,2=4"
    parser.add_argument("--map-grades", metavar="TABLE", help=table)
    parser.add_argument("--ratings", choices=["1-5", "0-4"], default="1-5", help="of Label Studio, as grades 0-4 (1-5)")


def add_rule(parser: ArgumentParser) -> None:
    """--rule and its numbers; the paper's by default."""
    parser.add_argument("--rule", choices=get_args(Kind), default=PAPER.kind, help="which kind decides (%(default)s)")
    for name, told in (
        ("first-round", "people who judge each pair"),
        ("second-round", "others who judge a pair in dispute; 0 for none"),
        ("largest-difference", "in units of the scale, by which grades that agree may differ"),
        ("trimmed", "grades that the paper's rule drops at each end"),
    ):
        default = getattr(PAPER, name.replace("-", "_"))
        parser.add_argument(f"--{name}", type=int, metavar="N", default=default, help=f"{told} (%(default)s)")
    parser.add_argument("--rounding", choices=get_args(Rounding), default=PAPER.rounding, help="of means (%(default)s)")


def rule_of(options: Namespace) -> Rule:
    """The rule of the command line. Raises: EvaluationError for one by which nothing could be decided."""
    numbers = ("top_grade", "step", "first_round", "second_round", "largest_difference", "trimmed", "rounding")
    try:
        return Rule(kind=options.rule, **{name: getattr(options, name) for name in numbers})
    except ValueError as fault:
        raise EvaluationError(str(fault)) from fault


def stated_rule(file: Path) -> Rule | None:
    """The rule of the release that a file lies in, by the manifest beside it; None where none says it."""
    try:
        return Rule.of(read_manifest(file.parent / MANIFEST)["settings"]["consensus"])
    except (ValueError, KeyError, TypeError):
        return None


def stated_scale(file: Path) -> GradeScale | None:
    """The scale of the release that a file lies in, by the manifest beside it; None where none says it."""
    rule = stated_rule(file)
    return None if rule is None else GradeScale(rule.top_grade, rule.step)


def note_other_rule(options: Namespace, used: Rule) -> None:
    """Note the options of the rule of the release that the file lies in, where others are given."""
    stated = stated_rule(options.file)
    if stated is None or stated == used:
        return
    flags = {name: f"--{name.replace('_', '-')}" for name in stated.told()} | {"kind": "--rule"}
    own = " ".join(
        f"{flags[name]} {value}"
        for name, value in stated.told().items()
        if value != getattr(used, name) and hasattr(options, "rule" if name == "kind" else name)
    )
    if own:
        note(f"{options.file.name}: the manifest beside it says another rule or scale: {own}")


def judgments_of(options: Namespace) -> Judgments:
    """The command line's file of judgments, on its scale. Raises: InputError."""
    top, step = options.top_grade, getattr(options, "step", PAPER.step)
    table = None if options.map_grades is None else read_table(options.map_grades, GradeScale(top, step))
    return read_judgments(options.file, top_grade=top, step=step, table=table, ratings=options.ratings)
