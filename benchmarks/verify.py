"""Verifying a release of the paper's size from its files alone: seconds and memory, beside sha256sum of the same files.

A release of the paper's size is written as files, without a database: 500 val and 2,781 test queries with 29 judged
pairs each, 69,317 pseudo-training queries with their top 1, 20 and 40, 19,614 videos. `python -m evaluation verify`
runs in a process of its own, in turns with sha256sum. Prints one JSON object as its last line; `ratios` holds our
seconds over the peer's, `peak_mib` the most memory that verifying had.

    .venv/bin/python benchmarks/verify.py [--rounds N]
"""

import argparse
import csv
import hashlib
import json
import resource
import subprocess
import sys
import tempfile
import time
from collections import Counter
from collections.abc import Iterator
from contextlib import ExitStack
from pathlib import Path
from typing import Any

sys.path.insert(0, str(Path(__file__).resolve().parent.parent))

from benchmarks.harness.measuring import OURS, Turns, figure, parser, report, say
from evaluation.judgments.consensus import PAPER, decide
from evaluation.reading.judgment_rows import COLUMNS
from evaluation.releases.manifest import DIGEST, VERSION, digest_of, to_bytes

ROOT = Path(__file__).resolve().parent.parent
PEER = "sha256sum"
VIDEOS, MOMENTS, TRAINING = 19_614, 97_442, 69_317
QUERIES = {"val": 500, "test": 2_781}
PAIRS, DEPTHS = 29, (1, 20, 40)
STRIDE = 1_009
"""A query's moments are so far apart: coprime to their number, so that none comes twice."""
JUDGED = ((3, 3), (2, 3), (0, 0), (4, 4), (1, 0), (0, 2, 1, 1))
DISCARDED = (0, 4, 1, 3)
WORKERS = 21


def main() -> None:
    options = read_options()
    with tempfile.TemporaryDirectory(prefix="qreels-bench-") as scratch:
        folder, began = Path(scratch) / "release", time.perf_counter()
        folder.mkdir()
        Written(folder, small=options.small).write()
        files = sorted(folder.iterdir())
        megabytes = sum(path.stat().st_size for path in files) / 1e6
        say(f"a release of {megabytes:,.0f} MB written in {time.perf_counter() - began:.0f} s")
        turns = Turns()
        for _ in range(1 if options.small else options.rounds):
            said = turns.take(OURS, lambda: run([sys.executable, "-m", "evaluation", "verify", str(folder)]))
            peak = resource.getrusage(resource.RUSAGE_CHILDREN).ru_maxrss / 1024
            hashes = turns.take(PEER, lambda: run(["sha256sum", *map(str, files)]))
        listed = json.loads((folder / "manifest.json").read_text())["files"]
        told = {Path(line[66:]).name: line[:64] for line in hashes.splitlines()}
        assert {name: told[name] for name in listed} == {name: facts["sha256"] for name, facts in listed.items()}
        assert "grades: holds" in said, said
        report({"megabytes": figure(megabytes), "peak_mib": figure(peak), **turns.figures()})


def read_options() -> argparse.Namespace:
    arguments = parser(__doc__)
    arguments.add_argument("--rounds", type=int, default=3, help=argparse.SUPPRESS)
    return arguments.parse_args()


def run(line: list[str]) -> str:
    return subprocess.run(line, cwd=ROOT, capture_output=True, text=True, check=True).stdout


class Written:
    """The release's files."""

    def __init__(self, folder: Path, *, small: bool) -> None:
        self.folder = folder
        self.moments, self.training = (2_000, 300) if small else (MOMENTS, TRAINING)
        self.queries = {split: count // 50 if small else count for split, count in QUERIES.items()}
        self.videos = min(VIDEOS, self.moments)
        self.counts: dict[str, Counter[str]] = {}

    def write(self) -> None:
        durations = {self.video(moment): self.duration(moment) for moment in range(self.videos)}
        (self.folder / "video_corpus.json").write_text(json.dumps(durations) + "\n")
        pairs = 0
        with (self.folder / "raw_annotations.csv").open("w", newline="") as file:
            raw = csv.writer(file, lineterminator="\n")
            raw.writerow(COLUMNS)
            for split, count in self.queries.items():
                counts = self.counts[split] = Counter(queries=count)
                first = 0 if split == "val" else self.queries["val"]
                with (self.folder / f"{split}.json").open("w") as out:
                    records = (self.judged(query, pairs + (query - first) * PAIRS, raw, counts)
                               for query in range(first, first + count))  # fmt: skip
                    out.write("[\n" + ",\n".join(records) + "\n]\n")
                pairs += count * PAIRS
        self.write_training()
        self.write_manifest()

    def video(self, moment: int) -> str:
        return f"castle_s{moment % self.videos:05d}"

    def duration(self, moment: int) -> float:
        return 60.5 + moment % self.videos % 40

    def caption(self, number: int) -> str:
        return f"Somebody of house {number} opens the door and looks at the letter that lies there."

    def moment(self, query: int, rank: int) -> dict[str, Any]:
        number = (query + rank * STRIDE) % self.moments
        start = round(2.5 * (number // self.videos), 2)
        place = {"video_name": self.video(number), "timestamp": [start, start + 4.25]}
        similarity = 1.0 if rank == 0 else round(0.9 - rank / 100, 6)
        caption = {"caption": self.caption(number), "similarity": similarity}
        return {**place, "duration": self.duration(number), **caption}

    def judged(self, query: int, first_pair: int, raw: Any, counts: Counter[str]) -> str:
        graded = []
        for rank in range(PAIRS):
            pair, moment = first_pair + rank, self.moment(query, rank)
            grades = DISCARDED if pair % 50 == 7 else JUDGED[pair % len(JUDGED)]
            about = {"pair_id": pair, "query_id": query, "query": self.caption(query), **moment}
            about["timestamp"] = json.dumps(moment["timestamp"])
            for number, grade in enumerate(grades):
                told = about | {"worker": f"w{(pair + number) % WORKERS:02d}", "relevance": grade}
                raw.writerow([told[column] for column in COLUMNS])
            counts["judgments"] += len(grades)
            decided = decide(grades).grade
            if decided is None:
                counts["pairs_discarded"] += 1
            else:
                graded.append({"pair_id": pair, **moment, "relevance": decided})
        counts["pairs"] += len(graded)
        return json.dumps({"query_id": query, "query": self.caption(query), "relevant_moment": graded})

    def write_training(self) -> None:
        drawn = sum(self.queries.values())
        with ExitStack() as stack:
            files = [stack.enter_context((self.folder / f"train_top{depth:02d}.json").open("w")) for depth in DEPTHS]
            before = "[\n"
            for query in range(drawn, drawn + self.training):
                head = (
                    f'{before}{{"query_id": {query}, "query": {json.dumps(self.caption(query))}, "relevant_moment": ['
                )
                moments = [json.dumps(self.moment(query, rank)) for rank in range(max(DEPTHS))]
                for file, depth in zip(files, DEPTHS, strict=True):
                    file.write(head + ", ".join(moments[:depth]) + "]}")
                before = ",\n"
            for file in files:
                file.write("\n]\n")

    def write_manifest(self) -> None:
        manifest = {
            "manifest_version": VERSION,
            "release": "v1",
            "formats": ["tvr-ranking"],
            "training_depths": list(DEPTHS),
            "settings": {"consensus": PAPER.told()},
            "counts": {**self.counts, "training": {"queries": self.training}},
            "files": dict(self.listed()),
        }
        (self.folder / "manifest.json").write_bytes(to_bytes(manifest | {DIGEST: digest_of(manifest)}))

    def listed(self) -> Iterator[tuple[str, dict[str, Any]]]:
        for path in sorted(self.folder.iterdir()):
            with path.open("rb") as file:
                yield path.name, {"sha256": hashlib.file_digest(file, "sha256").hexdigest(), "size": file.tell()}


if __name__ == "__main__":
    main()
