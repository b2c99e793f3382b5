"""How long the audit of a file of judgments takes, and what memory, beside pandas reading and deciding the same file.

    .venv/bin/python benchmarks/audit.py [--file raw_annotation.csv]
    .venv/bin/python benchmarks/audit.py --pairs 833333 --workers 300    # 1.9 million judgments

The file is TVR-Ranking's 227,808 judgments where the development data is, else one drawn of its size, or of the size
that is asked for. The peer reads
it by ``pandas.read_csv``, collects each pair's grades and applies the rule to each distinct row of grades once. Ours is
the whole audit: four policies, and agreement of all, of rounds, of each worker and of each two, with intervals of a
thousand draws. What both decide is compared. The last line is one JSON object.
"""

from __future__ import annotations

import sys
import tempfile
from argparse import SUPPRESS
from pathlib import Path

import numpy as np
import pandas as pd

sys.path.insert(0, str(Path(__file__).resolve().parent.parent))

from benchmarks.harness.measuring import OURS, Turns, figure, parser, peak_memory, report
from evaluation.judgments.audit import audit
from evaluation.judgments.consensus import decide
from evaluation.reading.judgments import read_judgments

REAL = Path(__file__).resolve().parents[2] / "shared" / "data" / "tvr_ranking" / "raw_annotation.csv"
PAIRS, SMALL_PAIRS, ROUNDS = 96_483, 2_000, 3


def drawn(path: Path, pairs: int, workers: int) -> Path:
    """A file of so many pairs by so many workers, four judgments where the first two are far apart."""
    rng = np.random.default_rng(0)
    lines = ["pair_id,worker,relevance"]
    for pair, meant in enumerate(rng.integers(0, 5, pairs).tolist()):
        grades = np.clip(meant + rng.integers(-1, 2, 4), 0, 4).tolist()
        people = rng.choice(workers, 4, replace=False).tolist()
        judged = 4 if abs(grades[0] - grades[1]) > 1 else 2
        lines += [f"{pair},{person},{grade}" for person, grade in zip(people[:judged], grades[:judged], strict=True)]
    path.write_text("\n".join(lines) + "\n")
    return path


def by_pandas(path: Path) -> dict[int, int]:
    """Grade -> pairs."""
    rows = pd.read_csv(path)
    grades = rows.groupby("pair_id", sort=False)["relevance"].agg(tuple)
    known = {row: decide(row).grade if len(row) in (2, 4) else None for row in grades.unique()}
    counts = grades.map(known).dropna().astype(int).value_counts()
    return {int(grade): int(pairs) for grade, pairs in zip(counts.index, counts, strict=True)}


def main() -> None:
    arguments = parser(__doc__)
    arguments.add_argument("--file", type=Path, default=None, help="judgments, pair_id,worker,relevance")
    arguments.add_argument("--pairs", type=int, default=0, help="of a drawn file")
    arguments.add_argument("--workers", type=int, default=21, help="of a drawn file")
    arguments.add_argument("--rounds", type=int, default=ROUNDS, help=SUPPRESS)
    options = arguments.parse_args()
    with tempfile.TemporaryDirectory() as folder:
        path = options.file or (REAL if REAL.exists() and not options.small and not options.pairs else None)
        pairs = options.pairs or (SMALL_PAIRS if options.small else PAIRS)
        path = path or drawn(Path(folder) / "raw.csv", pairs, options.workers)
        turns = Turns()
        for _ in range(1 if options.small else options.rounds):
            found = turns.take(OURS, lambda: audit(read_judgments(path)))
            counts = turns.take("pandas", lambda: by_pandas(path))
            by_grade = found["by_grade"]
            assert by_grade == [counts.get(grade, 0) for grade in range(5)], (by_grade, counts)
        report(
            {
                "judgments": found["judgments"],
                "pairs": found["pairs"],
                "workers": found["workers"],
                "peak_mib": figure(peak_memory()),
                **turns.figures(),
            }
        )


if __name__ == "__main__":
    main()
