"""A release says why each judged pair was in its query's pool, where a recipe of runs chose them."""

import csv
import json
from pathlib import Path

from annotation.batches.opening import open_annotation
from annotation.batches.pools import make_pool
from annotation.models import Pair
from datasets.formats.datasheet import datasheet
from datasets.formats.procedure import procedure
from datasets.releases.make_release import create_release, write_release
from evaluation.releases.check_release import check_release
from queries.runs.add_run import add_run
from queries.runs.plans import set_plan
from tests.datasets.conftest import World


def add(world: World, folder: Path, system: str, **answers: list[tuple[str, float, float]]) -> None:
    path = folder / f"{system}.jsonl"
    path.write_text(
        "".join(
            json.dumps(
                {
                    "query_id": query.removeprefix("q"),
                    "predictions": [{"video_name": video, "timestamp": [start, end]} for video, start, end in spans],
                }
            )
            + "\n"
            for query, spans in answers.items()
        )
    )
    add_run(collection=world.collection, path=path, team="harbour", system=system)


def test_every_pair_has_its_run_and_rank_and_what_else_returned_it(judged: World, tmp_path: Path) -> None:
    judged.collection.max_batches = 4
    judged.collection.save()
    plain = create_release(collection=judged.collection, name="v1")
    assert "pool" not in plain.manifest and "pool.csv" not in plain.files
    add(judged, tmp_path, "boat", q102=[("beta", 40, 50), ("gamma", 1, 2)])
    add(judged, tmp_path, "kite", q102=[("gamma", 1, 2.1), ("beta", 41, 50)], q103=[("alpha", 50, 55)])
    set_plan(collection=judged.collection, recipe="depth@2")
    assert create_release(collection=judged.collection, name="v2").content_hash == plain.content_hash
    make_pool(collection=judged.collection)
    open_annotation(collection=judged.collection)
    judged.judge_all()
    release = create_release(collection=judged.collection, name="v3", formats=["parquet"])
    write_release(release=release, folder=tmp_path / "v3")
    assert check_release(tmp_path / "v3") == []
    said = release.manifest["pool"]
    assert [(one["recipe"], one["version"], one["iou"]) for one in said["recipes"]] == [("depth@2", 1, 0.5)]
    assert [(one["team"], one["system"], one["predictions"]) for one in said["runs"]] == [
        ("harbour", "boat", 2),
        ("harbour", "kite", 3),
    ]
    with (tmp_path / "v3" / "pool.csv").open(newline="") as file:
        rows = list(csv.DictReader(file))
    assert len(rows) == Pair.objects.filter(status__in=["consensus", "discarded"]).count()
    chosen = [row for row in rows if row["recipe"] == "depth@2"]
    assert sorted((row["query_id"], row["team"], row["system"], row["rank"]) for row in chosen) == [
        ("102", "harbour", "boat", "1"),
        ("102", "harbour", "kite", "1"),
        ("103", "harbour", "kite", "1"),
    ]
    (boat,) = [row for row in chosen if row["system"] == "boat"]
    assert json.loads(boat["returned_by"]) == [["harbour", "boat", 1], ["harbour", "kite", 2]]
    before = [row for row in rows if row["recipe"] == "paper"]
    assert before and {(row["recipe_version"], row["team"], row["returned_by"]) for row in before} == {("", "", "[]")}
    assert "The runs were those of harbour boat, harbour kite (pool.csv says" in datasheet(release.manifest)
    said = " ".join(str(step) for step in procedure(release.manifest))
    assert "rankings of 2 systems by the recipe depth@2" in said
    assert f"{Pair.objects.filter(candidate__source=None).count()} pairs are of before, by similarity." in said
