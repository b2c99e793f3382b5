"""TVR-Ranking's published judgments through the whole path: imported, decided, released, checked. As a command:

    script/test tests/datasets/judgment_import/test_published_judgments.py

What its pairs are about was published elsewhere, so they are attached to moments of TVR's descriptions. The file's pair
ids come in blocks of 20, one a batch: 4,825 blocks, as many as the batches of section 3.4's 1,737 queries of one batch
and 1,544 of two. Which block is which query's, and which split's, the file doesn't say: here the first 3,281 are first
batches, and the others second batches of the first queries.
"""

import csv
import json
import random
from collections import Counter, defaultdict
from collections.abc import Iterator
from itertools import islice
from pathlib import Path
from typing import Any

import pytest

from annotation.batches.transitions import rule_of
from annotation.models import Batch, Judgment, Pair
from annotation.review.consensus_replay import replay_collection
from benchmarks.worlds.releases import draw_training
from datasets.models import JudgmentImport
from datasets.releases.make_release import create_release, write_release
from evaluation.releases.check_release import check_release
from foundation.models import Collection
from tests.datasets.importing import run
from tests.evaluation.files import real_files

pytestmark = [pytest.mark.long, pytest.mark.django_db(transaction=True)]

QUERIES, OF_TWO_BATCHES, BATCH = 1_737 + 1_544, 1_544, 20


def by_hand(grades: list[int]) -> int | str:
    """A pair's grade by the paper's rule, or what it is without one."""
    kept = sorted(grades)[1:-1] if len(grades) == 4 else sorted(grades)
    if kept[-1] - kept[0] <= 1:
        return -(-sum(kept) // len(kept))
    return "discarded" if len(grades) == 4 else "disputed"


def published() -> dict[int, list[int]]:
    """The grades of each pair, in the file's order."""
    grades = defaultdict(list)
    with (real_files("tvr_ranking") / "raw_annotation.csv").open() as file:
        for row in csv.DictReader(file):
            grades[int(row["pair_id"])].append(int(row["relevance"]))
    return grades


def queries_of(pair_ids: list[int]) -> dict[int, list[int]]:
    """The pairs of each query, best first."""
    blocks = defaultdict(list)
    for pair_id in sorted(pair_ids):
        blocks[pair_id // BATCH].append(pair_id)
    batches = iter(blocks.values())
    queries = dict(enumerate(islice(batches, QUERIES)))
    full = (query for query, pairs in list(queries.items()) if len(pairs) == BATCH)
    for query, pairs in zip(full, batches, strict=False):
        queries[query] = queries[query] + pairs
    return queries


def moments() -> list[dict[str, Any]]:
    """Moments of TVR, each once, with a description of their own."""
    path = real_files("tvr") / "tvr_val_part.jsonl"
    known = {}
    for row in map(json.loads, path.read_text().splitlines()):
        known.setdefault((row["vid_name"], *row["ts"]), row)
    return list({row["desc"].casefold().strip(): row for row in known.values()}.values())


def rows_of_pairs(queries: dict[int, list[int]]) -> Iterator[list[Any]]:
    chance, places = random.Random(3), moments()
    for query, pairs in queries.items():
        others = [place for place in chance.sample(range(len(places)), len(pairs)) if place != query]
        for rank, (pair_id, place) in enumerate(zip(pairs, [query, *others], strict=False)):
            row = places[place]
            about = [row["vid_name"], json.dumps(row["ts"]), row["duration"], row["desc"]]
            yield [pair_id, places[query]["desc_id"], places[query]["desc"], *about, 1 - rank / 50]


def write_pairs(path: Path, queries: dict[int, list[int]]) -> Path:
    with path.open("w", newline="") as file:
        rows = csv.writer(file)
        rows.writerow("pair_id,query_id,query,video_name,timestamp,duration,caption,similarity".split(","))
        rows.writerows(rows_of_pairs(queries))
    return path


def test_the_published_file_gives_the_rules_grades_by_hand_for_all_pairs_and_a_release_that_holds(
    tmp_path: Path,
) -> None:
    grades = published()
    queries = queries_of(list(grades))
    expected = {pair_id: by_hand(own) for pair_id, own in grades.items()}
    assert Counter(map(len, queries.values()))[2 * BATCH] == OF_TWO_BATCHES
    pairs = write_pairs(tmp_path / "pairs.csv", queries)
    raw = real_files("tvr_ranking") / "raw_annotation.csv"
    said = run("published", raw, "--pairs", pairs, "--repeated-ids", "as-published")
    assert "227,808 judgments added, 0 unchanged; 3,281 new queries, 96,483 new pairs" in said
    assert "94,442 graded, 2,039 discarded, 2 in the second round, 0 in the first round." in said
    assert "2 pairs need more judgments: 166445, 166459." in said
    collection = Collection.objects.get(name="published")
    assert graded_in(collection, pairs) == expected
    assert Counter(map(type, expected.values()))[int] == 94_442
    replayed = replay_collection(collection=collection, rule=rule_of(collection))
    assert (replayed.pairs, replayed.judgments, replayed.changed) == (96_483, 227_808, 0)
    assert Batch.objects.count() == QUERIES + OF_TWO_BATCHES
    assert Judgment.objects.filter(annotator__worker__contains="+").count() == 16_418
    draw_training("published", queries=20)
    folder = tmp_path / "release"
    write_release(release=create_release(collection=collection, name="v1"), folder=folder)
    assert check_release(folder) == []
    manifest = json.loads((folder / "manifest.json").read_text())
    assert manifest["making"]["repeated_ids"] == {"as-published": {"imports": 1, "judgments": 16_418, "left_out": 0}}
    released = [
        moment["relevance"]
        for query in json.loads((folder / "test.json").read_text())
        for moment in query["relevant_moment"]
    ]
    assert Counter(released) == Counter(grade for grade in expected.values() if isinstance(grade, int))
    assert JudgmentImport.objects.get().repeated_ids == "as-published"


def graded_in(collection: Collection, pairs: Path) -> dict[int, int | str]:
    """The grade, or the state without one, of each pair of the file in the database."""
    about = ("query__description__source_id", "moment__video__name", "moment__start", "moment__end")
    stored = {
        tuple(place): status if grade is None else grade
        for *place, status, grade in Pair.objects.filter(batch__collection=collection).values_list(
            *(f"candidate__{name}" for name in about), "status", "grade"
        )
    }
    with pairs.open(newline="") as file:
        return {
            int(row["pair_id"]): stored[(row["query_id"], row["video_name"], *json.loads(row["timestamp"]))]
            for row in csv.DictReader(file)
        }
