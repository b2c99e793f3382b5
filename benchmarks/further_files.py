"""What a release takes longer for machine_judgments.csv, sampling.csv and posteriors.csv, at the paper's size.

A collection of 96,000 judged pairs is generated; a machine judge graded all of its candidates, and a design drew the
pairs of each query. Releases with all three files and without any are made in turns. Prints one JSON object as its last
line; `ratios` holds the seconds with them over those without, `added_s` what they add.

    .venv/bin/python benchmarks/further_files.py [--rounds N]
"""

import argparse
import sys
import time
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parent.parent))

from benchmarks.harness.measuring import OURS, Turns, figure, parser, peak_memory, report, say, scratch_site

NAME, PLAIN = "further", "plain"
"""Two collections of one size: a design belongs to all releases of its own."""
PEER = "without"
TRAINING = 2_000
"""Pseudo-training queries: few, since no file of these three says anything of them."""

_JUDGED = """
INSERT INTO annotation_machinejudgment (judge_id, candidate_id, grade, distribution, abstained, made_at)
SELECT %(judge)s, k.id, k.id %% 5, ARRAY[0.1, 0.1, 0.2, 0.3, 0.3]::float8[], '', now()
  FROM queries_candidate k JOIN queries_query q ON q.id = k.query_id WHERE q.collection_id = %(collection)s"""
_STRATA = """
INSERT INTO annotation_samplingstratum (design_id, query_id, name, place, size, drawn)
SELECT %(design)s, k.query_id, 'all', 0, count(*), count(p.id)
  FROM queries_candidate k JOIN queries_query q ON q.id = k.query_id
  LEFT JOIN annotation_pair p ON p.candidate_id = k.id
 WHERE q.collection_id = %(collection)s GROUP BY k.query_id"""
_UNITS = """
INSERT INTO annotation_sampledunit (design_id, stratum_id, query_id, candidate_id, number, probability, stage, drawn_at)
SELECT s.design_id, s.id, k.query_id, k.id, (hashint8(k.id) & 1023) / 1024.0, s.drawn::float8 / s.size,
       CASE WHEN p.id IS NULL THEN NULL ELSE 1 END, CASE WHEN p.id IS NULL THEN NULL ELSE now() END
  FROM annotation_samplingstratum s JOIN queries_candidate k ON k.query_id = s.query_id
  LEFT JOIN annotation_pair p ON p.candidate_id = k.id WHERE s.design_id = %(design)s"""


def main() -> None:
    options = read_options()
    with scratch_site(options):
        began = time.perf_counter()
        build(small=options.small)
        say(f"a collection made in {time.perf_counter() - began:.0f} s")
        turns = Turns()
        rows = {}
        for number in range(options.rounds):
            for name in (OURS, PEER)[:: -1 if number % 2 else 1]:
                rows[name] = turns.take(name, lambda: release(f"{name}-{number}", further=name == OURS))  # noqa: B023
        report(
            {
                "rows": rows[OURS],
                "added_s": figure(turns.wall(OURS) - turns.wall(PEER)),
                "peak_memory_mib": round(peak_memory()),
                **turns.figures(),
            }
        )


def read_options() -> argparse.Namespace:
    arguments = parser(__doc__)
    arguments.add_argument("--rounds", type=int, default=3, metavar="N", help="turns of each")
    options = arguments.parse_args()
    if options.small:
        options.rounds = 1
    return options


def build(*, small: bool) -> None:
    """The desk's collection twice, one of them with a judge and a design."""
    from benchmarks.worlds.desk import PAPER, SMALL, build_desk_world
    from benchmarks.worlds.releases import draw_training

    for name in (NAME, PLAIN):
        build_desk_world(name, size=SMALL if small else PAPER)
        draw_training(name, queries=100 if small else TRAINING)
    plant()
    draw()


def plant() -> None:
    """A judge that graded every candidate."""
    from django.db import connection

    from annotation.models import MachineJudge
    from foundation.models import Collection

    collection = Collection.objects.get(name=NAME)
    judge = MachineJudge.objects.create(collection=collection, name="robot", kind="file", model="m", family="none")
    with connection.cursor() as cursor:
        cursor.execute(_JUDGED, {"judge": judge.pk, "collection": collection.pk})
        cursor.execute("ANALYZE annotation_machinejudgment")


def draw() -> None:
    """A design that drew the pairs that there are."""
    from django.db import connection

    from annotation.models import SamplingDesign, SamplingStage
    from foundation.models import Collection

    collection = Collection.objects.get(name=NAME)
    design = SamplingDesign.objects.create(collection=collection, unit="pair", seed=1)
    SamplingStage.objects.create(design=design, number=1, asked=[40])
    with connection.cursor() as cursor:
        for statement in (_STRATA, _UNITS):
            cursor.execute(statement, {"design": design.pk, "collection": collection.pk})
        cursor.execute("ANALYZE annotation_sampledunit")


def release(name: str, *, further: bool) -> dict[str, int]:
    """Make it. Returns: the rows of each of the three files."""
    from datasets.releases.make_release import create_release
    from foundation.models import Collection

    judges = ["robot"] if further else []
    collection = Collection.objects.get(name=NAME if further else PLAIN)
    made = create_release(collection=collection, name=name, depths=[1], posteriors=further, machine_judges=judges)
    manifest = made.manifest
    if not further:
        return {}
    (judge,) = manifest["machine_judgments"]["judges"]
    return {
        "machine_judgments": sum(judge["graded"].values()),
        "sampling": manifest["sampling"]["units"],
        "posteriors": 2 * manifest["posteriors"]["pairs"],
    }


if __name__ == "__main__":
    main()
