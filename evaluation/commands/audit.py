"""``audit``: what stands in a file of judgments."""

from __future__ import annotations

from argparse import ArgumentParser, Namespace
from pathlib import Path

from ..commands.inputs import add_resampling, add_run_format, read_runs
from ..commands.outputs import note, write_files
from ..commands.rule_options import add_rule, add_scale, judgments_of, note_other_rule, rule_of
from ..judgments.agreement import DRAWS
from ..judgments.audit import MEASURE, audit
from ..judgments.audit_formats import AUDIT_FORMATS, figures
from ..reading.pairs import read_pairs

NAME = "audit"
HELP = "Say what stands in a file of judgments: counts, the rule's grades, agreement, repeated ids, drift."


def add_arguments(parser: ArgumentParser) -> None:
    """Declare the arguments of the command."""
    parser.add_argument("file", type=Path, metavar="FILE", help="judgments: CSV, Label Studio's export, or qrels")
    about = "what the pairs are about, if FILE doesn't say it: a release's val.json and test.json, or CSV"
    parser.add_argument("--pairs", type=Path, nargs="+", metavar="FILE", help=about)
    parser.add_argument(
        "--runs", type=Path, nargs="+", default=[], metavar="RUN", help="systems, scored by each policy"
    )
    parser.add_argument("--measure", metavar="M", default=MEASURE, help="by what (%(default)s)")
    add_scale(parser)
    add_rule(parser)
    add_run_format(parser)
    add_resampling(parser, draws=DRAWS)
    parser.add_argument("--output", choices=list(AUDIT_FORMATS), default="text", help="(text)")
    parser.add_argument("--figures", type=Path, metavar="FOLDER", help="write the figures there, as SVG")
    parser.add_argument("--json", action="store_true", help="print one JSON object and nothing else")


def perform(options: Namespace) -> None:
    """Read, count, print, draw."""
    rule = rule_of(options)
    note_other_rule(options, rule)
    judgments = judgments_of(options)
    moments = read_pairs(options.pairs) if options.pairs else None
    found = audit(
        judgments,
        moments=moments,
        moments_of=", ".join(path.name for path in options.pairs or []),
        runs=read_runs(options, options.runs),
        measure=options.measure,
        rule=rule,
        draws=options.draws,
        seed=options.seed,
    )
    if options.measure != MEASURE and not options.runs:
        note("--measure needs --runs, and was ignored")
    if options.figures:
        write_files(options.figures, figures(found))
    if found["open"]:
        note(f"{found['file']}: {found['open']:,} pairs lack judgments and stay open")
    if found["pairs_without_data"]:
        note(f"{found['file']}: {found['pairs_without_data']:,} pairs, none with a grade, aren't in the pairs' data")
    print(AUDIT_FORMATS["json" if options.json else options.output](found))
