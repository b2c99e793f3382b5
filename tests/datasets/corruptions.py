"""Ways to corrupt a release's folder, each with the problem that the check must tell."""

import csv
import json
from collections.abc import Callable
from pathlib import Path
from typing import Any

from evaluation.releases.untrusted_files import read_records


def edit(folder: Path, file: str, change: Callable[[Any], Any]) -> None:
    """Change a JSON file's value in place."""
    value = json.loads((folder / file).read_text())
    change(value)
    (folder / file).write_text(json.dumps(value))


def edit_raw(folder: Path, change: Callable[[list[dict[str, str]]], Any]) -> None:
    """Change the rows of raw_annotations.csv (in place, or into what `change` returns)."""
    path = folder / "raw_annotations.csv"
    with path.open(newline="") as file:
        rows = list(csv.DictReader(file))
    columns = list(rows[0])
    changed = change(rows)
    with path.open("w", newline="") as file:
        writer = csv.DictWriter(file, columns, lineterminator="\n")
        writer.writeheader()
        writer.writerows(rows if changed is None else changed)


def of_pair(rows: list[dict[str, str]], grades: list[int]) -> list[dict[str, str]]:
    """The rows of the first pair that has these grades in this order."""
    pairs: dict[str, list[dict[str, str]]] = {}
    for row in rows:
        pairs.setdefault(row["pair_id"], []).append(row)
    return next(own for own in pairs.values() if [int(row["relevance"]) for row in own] == grades)


def lower_a_grade(folder: Path) -> None:
    def change(queries: Any) -> None:
        moment = queries[1]["relevant_moment"][0]
        assert moment["relevance"] == 4
        moment["relevance"] = 3

    edit(folder, "val.json", change)


def make_a_grade_true(folder: Path) -> None:
    def change(queries: Any) -> None:
        moment = next(moment for moment in queries[0]["relevant_moment"] if moment["relevance"] == 1)
        moment["relevance"] = True

    edit(folder, "val.json", change)


def leave_a_graded_pair_out(folder: Path) -> None:
    edit(folder, "test.json", lambda queries: queries[0]["relevant_moment"].pop())


def put_a_discarded_pair_in(folder: Path) -> None:
    with (folder / "raw_annotations.csv").open(newline="") as file:
        row = of_pair(list(csv.DictReader(file)), [0, 4, 1, 3])[0]

    def change(queries: Any) -> None:
        moment = {
            "pair_id": int(row["pair_id"]),
            "video_name": row["video_name"],
            "timestamp": json.loads(row["timestamp"]),
            "duration": float(row["duration"]),
            "caption": row["caption"],
            "similarity": float(row["similarity"]),
            "relevance": 2,
        }
        queries[0]["relevant_moment"].insert(1, moment)

    edit(folder, "val.json", change)


def put_an_unjudged_pair_in(folder: Path) -> None:
    def change(queries: Any) -> None:
        own = queries[0]["relevant_moment"]
        own.append(own[-1] | {"pair_id": 999_999, "timestamp": [30.0, 31.0]})

    edit(folder, "val.json", change)


def judge_a_third_time(folder: Path) -> None:
    edit_raw(folder, lambda rows: [*rows, of_pair(rows, [4, 4])[0] | {"worker": "w09"}])


def judge_four_times_without_dispute(folder: Path) -> None:
    def change(rows: list[dict[str, str]]) -> list[dict[str, str]]:
        row = of_pair(rows, [4, 4])[0]
        return [*rows, row | {"worker": "w08"}, row | {"worker": "w09"}]

    edit_raw(folder, change)


def drop_the_second_round(folder: Path) -> None:
    def change(rows: list[dict[str, str]]) -> list[dict[str, str]]:
        gone = of_pair(rows, [0, 2, 1, 1])[2:]
        return [row for row in rows if row not in gone]

    edit_raw(folder, change)


def judge_twice_by_one_worker(folder: Path) -> None:
    def change(rows: list[dict[str, str]]) -> None:
        first, second = of_pair(rows, [4, 4])
        second["worker"] = first["worker"]

    edit_raw(folder, change)


def change_a_judgment(folder: Path) -> None:
    def change(rows: list[dict[str, str]]) -> None:
        for row in of_pair(rows, [4, 4]):
            row["relevance"] = "2"

    edit_raw(folder, change)


def grade_a_five(folder: Path) -> None:
    def change(rows: list[dict[str, str]]) -> None:
        rows[0]["relevance"] = "5"

    edit_raw(folder, change)


def set_in_raw(column: str, value: str) -> Callable[[Path], None]:
    def corrupt(folder: Path) -> None:
        def change(rows: list[dict[str, str]]) -> None:
            for row in of_pair(rows, [4, 4]):
                row[column] = value

        edit_raw(folder, change)

    return corrupt


def rename_a_discarded_pairs_query(folder: Path) -> None:
    def change(rows: list[dict[str, str]]) -> None:
        for row in of_pair(rows, [0, 4, 1, 3]):
            row["query"] = "Something else."

    edit_raw(folder, change)


def contradict_within_a_pair(folder: Path) -> None:
    def change(rows: list[dict[str, str]]) -> None:
        of_pair(rows, [4, 4])[1]["similarity"] = "0.123"

    edit_raw(folder, change)


def put_a_val_query_into_test(folder: Path) -> None:
    query = next(read_records(folder / "val.json"))
    edit(folder, "test.json", lambda queries: queries.append(query))


def give_a_val_caption_to_a_test_query(folder: Path) -> None:
    text = next(read_records(folder / "val.json"))["query"]

    def change(queries: Any) -> None:
        queries[0]["query"] = text.upper()

    edit(folder, "test.json", change)


def train_on_a_test_caption(folder: Path) -> None:
    text = next(read_records(folder / "test.json"))["query"]

    def change(queries: Any) -> None:
        queries[2]["query"] = "  ".join(text.upper().split())

    for depth in ("01", "20", "40"):
        edit(folder, f"train_top{depth}.json", change)


def train_on_a_val_query_id(folder: Path) -> None:
    def change(queries: Any) -> None:
        queries[2]["query_id"] = "101"  # the id as text is the same id

    for depth in ("01", "20", "40"):
        edit(folder, f"train_top{depth}.json", change)


def shorten_the_top_20(folder: Path) -> None:
    edit(folder, "train_top20.json", lambda queries: queries[0]["relevant_moment"].pop())


def lengthen_the_top_1(folder: Path) -> None:
    longer = next(read_records(folder / "train_top40.json"))

    def change(queries: Any) -> None:
        queries[0] = longer

    edit(folder, "train_top01.json", change)


def drop_a_training_query(folder: Path) -> None:
    edit(folder, "train_top40.json", lambda queries: queries.pop())


def grade_a_training_moment(folder: Path) -> None:
    def change(queries: Any) -> None:
        queries[0]["relevant_moment"][0]["relevance"] = 4

    for depth in ("01", "20", "40"):
        edit(folder, f"train_top{depth}.json", change)


def turn_the_training_order(folder: Path) -> None:
    def change(queries: Any) -> None:
        queries[0]["relevant_moment"][1:] = queries[0]["relevant_moment"][:0:-1]

    for depth in ("20", "40"):
        edit(folder, f"train_top{depth}.json", change)


def lengthen_a_video(folder: Path) -> None:
    edit(folder, "video_corpus.json", lambda videos: videos.update(alpha=99.0))


def forget_a_video(folder: Path) -> None:
    edit(folder, "video_corpus.json", lambda videos: videos.pop("gamma"))


def end_before_the_start(folder: Path) -> None:
    def change(queries: Any) -> None:
        queries[0]["relevant_moment"][0]["timestamp"].reverse()

    edit(folder, "test.json", change)


def repeat_a_moment(folder: Path) -> None:
    def change(queries: Any) -> None:
        own = queries[0]["relevant_moment"]
        own[2] |= {name: own[1][name] for name in ("video_name", "timestamp", "duration")}

    edit(folder, "test.json", change)


def forget_a_field(folder: Path) -> None:
    edit(folder, "test.json", lambda queries: queries[0]["relevant_moment"][0].pop("duration"))


def cut_a_list_off(folder: Path) -> None:
    path = folder / "test.json"
    path.write_text(path.read_text()[:-10])


def write_after_a_list(folder: Path) -> None:
    path = folder / "test.json"
    path.write_text(path.read_text() + "[]")


def write_no_number(folder: Path) -> None:
    path = folder / "train_top01.json"
    path.write_text(path.read_text().replace('"similarity": 1.0', '"similarity": NaN', 1))


def empty_a_query(folder: Path) -> None:
    edit(folder, "test.json", lambda queries: queries[0]["relevant_moment"].clear())


def miscount(folder: Path) -> None:
    def change(manifest: Any) -> None:
        manifest["counts"]["test"]["pairs"] += 1

    edit(folder, "manifest.json", change)


def uncount(folder: Path) -> None:
    edit(folder, "manifest.json", lambda manifest: manifest["counts"].pop("training"))


CORRUPTIONS: list[tuple[Callable[[Path], None], str]] = [
    (lower_a_grade, "has relevance 3, expected 4 by its judgments [4, 4]"),
    (make_a_grade_true, "has relevance True, expected 1"),
    (leave_a_graded_pair_out, "has the grade 1, but is in neither val.json nor test.json"),
    (put_a_discarded_pair_in, "is there, but its grades [0, 4, 1, 3] make it discarded"),
    (put_an_unjudged_pair_in, "pair 999999 has no judgments in raw_annotations.csv"),
    (judge_a_third_time, "has 3 judgments, expected 2 or 4"),
    (judge_four_times_without_dispute, "has 4 judgments, [4, 4, 4, 4], although the first 2 agree"),
    (drop_the_second_round, "has 2 judgments in dispute, [0, 2], and no second round"),
    (judge_twice_by_one_worker, "judges pair"),
    (change_a_judgment, "has relevance 4, expected 2 by its judgments [2, 2]"),
    (grade_a_five, "line 2: found relevance '5', expected 0, 1, 2, 3 or 4"),
    (set_in_raw("query_id", "77"), "has another query_id than in raw_annotations.csv"),
    (set_in_raw("query", "Another text."), "has another query than in raw_annotations.csv"),
    (set_in_raw("video_name", "beta"), "has another video_name than in raw_annotations.csv"),
    (set_in_raw("timestamp", "[0.0, 4.5]"), "has another timestamp than in raw_annotations.csv"),
    (set_in_raw("duration", "59.0"), "has another duration than in raw_annotations.csv"),
    (set_in_raw("caption", "Another caption."), "has another caption than in raw_annotations.csv"),
    (set_in_raw("similarity", "0.99"), "has another similarity than in raw_annotations.csv"),
    (set_in_raw("worker", ""), "found no worker"),
    (rename_a_discarded_pairs_query, "of query 102 has another text than that query"),
    (contradict_within_a_pair, "has another similarity than above"),
    (put_a_val_query_into_test, "test.json: query 102 is in val.json already"),
    (give_a_val_caption_to_a_test_query, "test.json: query 103 has the same caption as query 102"),
    (train_on_a_test_caption, "training query 107 has the same caption as query 103 of test.json"),
    (train_on_a_val_query_id, "training query 101 is in val.json too"),
    (shorten_the_top_20, "train_top20.json, query 105: not the top 20 of train_top40.json"),
    (lengthen_the_top_1, "train_top01.json, query 105: not the top 1 of train_top40.json"),
    (drop_a_training_query, "the training files don't hold equally many queries"),
    (grade_a_training_moment, "found a moment with the fields ['caption', 'duration', 'relevance'"),
    (turn_the_training_order, "query 105: its moments are not in the order of similarity"),
    (lengthen_a_video, "alpha lasts 60.5 s, but 99.0 s in video_corpus.json"),
    (forget_a_video, "gamma is not in video_corpus.json"),
    (end_before_the_start, "expected 0 <= start < end"),
    (repeat_a_moment, "alpha [0.0, 4.25] is there twice"),
    (forget_a_field, "found a moment with the fields ['caption', 'pair_id'"),
    (cut_a_list_off, "test.json is no JSON list"),
    (write_after_a_list, "found '[]', expected the end of the file"),
    (write_no_number, "train_top01.json is no JSON list: found NaN, which is no JSON"),
    (empty_a_query, "test.json, query 103: found no moments"),
    (miscount, "found 9 test pairs, but the manifest says 10"),
    (uncount, "manifest.json doesn't have the counts of val, test and training"),
]
