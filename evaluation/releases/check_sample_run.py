"""Score a release's sample run, and compare what its README says of it."""

from __future__ import annotations

import re
from pathlib import Path

from ..figures.text_table import figure
from ..reading import read_ground_truth, read_run
from ..scores.scoring import evaluate
from .claims import Claims

SAMPLE_RUN = "sample_run.jsonl"
TEXTS = ("README.md", "parquet/README.md")
_TOLD = re.compile(
    r"^ *qreels-eval score (?P<truth>\w+\.json) sample_run\.jsonl$(?s:.*?)"
    r"^\| measure \| sample_run \|\n\|.*\|\n(?P<rows>(?:\|.*\|\n)+)",
    re.MULTILINE,
)
_ROW = re.compile(r"^\| (\S+) \| (\S+) \|$", re.MULTILINE)


def check_sample_run(folder: Path, claims: Claims) -> None:
    """Score it by each measure of the tables that README and dataset card have of it."""
    if not (folder / SAMPLE_RUN).is_file():
        return
    texts = {name: path.read_text("utf-8", "replace") for name in TEXTS if (path := folder / name).is_file()}
    told = {name: match for name, text in texts.items() if (match := _TOLD.search(text))}
    if not told:
        claims.note("sample run", "not stated: no README.md says what it scores")
    for name, match in told.items():
        with claims.reading("sample run", name):
            truth, expected = match["truth"], dict(_ROW.findall(match["rows"]))
            judged, run = read_ground_truth(folder / truth), read_run(folder / SAMPLE_RUN)
            for record in evaluate(judged, [run], list(expected)):
                found, stated = figure(record.value), expected[record.measure]
                if found != stated:
                    problem = f"{name}: found {stated} as {record.measure} on {truth}, expected {found}"
                    claims.tell("sample run", problem)
