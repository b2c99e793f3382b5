"""Runs are added to a collection before judging, whole or not at all."""

import gzip
import json
from pathlib import Path
from typing import Any

import pytest
from django.core.management import call_command
from django.core.management.base import CommandError

from annotation.models import Batch, Pair
from corpus.models import Video
from foundation.models import Collection
from foundation.refused import FileRefused, Refused
from queries.models import Draw, PoolRun, PoolRunAnswer
from queries.pooling.drawable import why_fixed
from queries.pooling.query_selection import select_queries
from queries.runs.add_run import KEPT, AddedRun, add_run
from queries.runs.received_run import LONGEST_LINE
from tests.conftest import World, build_world

VIDEO = "secret_video_name"


@pytest.fixture
def two(db: None) -> World:
    """Queries 0 and 1, one video of 1000 seconds with the moments 0-1, 1-2 and 2-3."""
    return build_world(queries=2, candidates=3)


def line(query: object, *spans: Any, video: str = VIDEO) -> str:
    predictions = [
        {"video_name": video, "timestamp": span, "score": 1 - place / 2000} for place, span in enumerate(spans)
    ]
    return json.dumps({"query_id": query, "predictions": predictions}) + "\n"


def written(folder: Path, content: str | bytes, name: str = "run.jsonl") -> Path:
    path = folder / name
    path.write_bytes(content if isinstance(content, bytes) else content.encode())
    return path


def added(collection: Collection, path: Path, team: str = "paper", system: str = "boat") -> AddedRun:
    return add_run(collection=collection, path=path, team=team, system=system)


def test_a_run_is_stored_with_whose_it_is_its_checksum_and_its_figures(two: World, tmp_path: Path) -> None:
    path = written(tmp_path, line(0, [0, 1], [5, 9]) + line(1, [2, 3]))
    addition = add_run(
        collection=two.collection, path=path, team=" Paper  lab ", system="boat", member=two["ada"], file_name="b.jsonl"
    )
    run = PoolRun.objects.get()
    assert (addition.anew, run.team, run.system, run.member) == (True, "Paper lab", "boat", two["ada"])
    assert (run.queries, run.predictions, run.kept, run.videos, run.file_name) == (2, 3, 3, 1, "b.jsonl")
    assert len(run.sha256) == 64 and run.size == path.stat().st_size
    answer = PoolRunAnswer.objects.get(query=two.queries[0])
    assert (answer.starts, answer.ends) == ([0, 5], [1, 9])
    assert answer.moments == [None, None] and answer.videos == [Video.objects.get().pk] * 2


@pytest.mark.parametrize("form", ["tvr-ranking", "trec", "gzip"])
def test_the_field_s_forms_are_read(form: str, two: World, tmp_path: Path) -> None:
    contents: dict[str, str | bytes] = {
        "tvr-ranking": json.dumps({"0": [{"video_name": VIDEO, "timestamp": [0, 1], "model_scores": 0.5}]}),
        "trec": f"0 Q0 {VIDEO}:0-1 1 0.5 boat\n",
        "gzip": gzip.compress(line(0, [0, 1]).encode()),
    }
    assert added(two.collection, written(tmp_path, contents[form], "run")).run.predictions == 1


def test_names_in_two_unicode_forms_are_one(two: World, tmp_path: Path) -> None:
    Video.objects.update(name="café")
    path = written(tmp_path, line(0, [0, 1], video="cafe\u0301"))
    assert added(two.collection, path, team="Zoë").anew
    assert not added(two.collection, path, team="Zoe\u0308").anew
    with pytest.raises(FileRefused, match="expected a name"):
        added(two.collection, path, team="\u200b")


def test_the_same_file_again_changes_nothing_and_says_so(two: World, tmp_path: Path) -> None:
    path = written(tmp_path, line(0, [0, 1]))
    first = added(two.collection, path)
    again = added(two.collection, path)
    assert (again.anew, again.run) == (False, first.run) and "Nothing was changed" in again.in_words()
    with pytest.raises(FileRefused, match="in the collection already, as paper boat"):
        added(two.collection, path, system="kite")
    with pytest.raises(FileRefused, match=r"already, from another file \(run\.jsonl, SHA-256"):
        added(two.collection, written(tmp_path, line(1, [0, 1]), "other.jsonl"))
    assert PoolRun.objects.count() == 1 and PoolRunAnswer.objects.count() == 1


@pytest.mark.parametrize(
    ("content", "sentence"),
    [
        (line(0, [0, 1]) + line(7, [0, 1]) + line(8), "run.jsonl, line 2: found query_id '7' and 1 more unknown query"),
        (line(0, [0, 1]) + line(1, [3, 4], video="moon"), "run.jsonl, line 2, prediction 1: found video_name 'moon'"),
        (line(0, [0, 1], [-1, 4]), "run.jsonl, line 1, prediction 2: found timestamp [-1, 4], expected a span within"),
        (line(0, [0, 1]) + line(1, [0, 1002]), "found timestamp [0, 1002], expected a span within secret_video_name"),
        (line(0, [2000, 2001], [9, 9000]), "and 1 more outside their videos, expected"),
        (line(0, [0, float("nan")]), "run.jsonl, line 1, prediction 1: found timestamp [0, nan]"),
        (line(0, [4, 3]), "a reversed interval"),
        (line(0, [0, 1]).replace('"score": 1.0', '"score": NaN'), "line 1, prediction 1: found score nan"),
        (line(0, [0, 1]) * 2, "run.jsonl, line 2: found query_id '0' a second time"),
        (line(0), "found no prediction, expected at least one"),
        (f"0 Q0 {VIDEO}:0-1 1 0.5 b\n1 Q0 {VIDEO}:5-2000 1 0.5 b\n", "run.jsonl, line 2: found timestamp [5, 2000]"),
        (json.dumps({"9": [{"video_name": VIDEO, "timestamp": [0, 1]}]}), "run.jsonl, line 1, query_id 9: found query"),
        ("", "The file is empty"),
        (b"\x1f\x8bnothing", "begins like gzip and can't be unpacked"),
        ("[1, 2]", "expected a run: JSON Lines of queries"),
    ],
)
def test_what_won_t_do_is_refused_with_its_line_and_nothing_is_kept(
    content: str | bytes, sentence: str, two: World, tmp_path: Path
) -> None:
    with pytest.raises(FileRefused) as refused:
        added(two.collection, written(tmp_path, content))
    assert sentence in str(refused.value)
    assert not PoolRun.objects.exists() and not PoolRunAnswer.objects.exists()


def test_a_line_without_end_is_refused_before_it_is_read(two: World, tmp_path: Path) -> None:
    content = line(0, [0, 1]).rstrip("\n") + " " * LONGEST_LINE + "\n"
    with pytest.raises(FileRefused, match="more than 16 MiB"):
        added(two.collection, written(tmp_path, gzip.compress(content.encode())))


def test_of_a_thousand_spans_in_one_video_the_first_hundred_are_kept(two: World, tmp_path: Path) -> None:
    spans = [[place / 2, place / 2 + 1] for place in range(1000)]
    addition = added(two.collection, written(tmp_path, line(0, *spans)))
    assert (addition.run.predictions, addition.run.kept) == (1000, KEPT)
    assert addition.in_words().endswith("The first 100 of each query are kept, 100 in all.")
    assert PoolRunAnswer.objects.get().starts == [place / 2 for place in range(KEPT)]


@pytest.mark.parametrize("name", ["", "  ", "a/b", "a\\b", "x" * 81, "a\x07b"])
def test_a_name_that_won_t_do_is_said(name: str, two: World, tmp_path: Path) -> None:
    with pytest.raises(FileRefused, match="expected a name of 1 to 80 characters") as refused:
        added(two.collection, written(tmp_path, line(0, [0, 1])), team=name)
    assert refused.value.field == "team"


def test_the_commands_add_and_remove(two: World, tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    path = str(written(tmp_path, line(0, [0, 1])))
    call_command("add_pool_run", "paper", path, team="paper", system="boat")
    assert "paper boat was added: 1 prediction for 1 query." in capsys.readouterr().out
    with pytest.raises(CommandError, match=r"There is no run paper kite. Runs: paper boat\."):
        call_command("remove_pool_run", "paper", team="paper", system="kite")
    call_command("remove_pool_run", "paper", team="paper", system="boat")
    assert not PoolRun.objects.exists()
    with pytest.raises(CommandError, match="No such file"):
        call_command("add_pool_run", "paper", "/nowhere", team="paper", system="boat")


def test_the_queries_of_a_run_aren_t_drawn_again(two: World, tmp_path: Path) -> None:
    Pair.objects.all().delete()
    Batch.objects.all().delete()
    Draw.objects.create(collection=two.collection, val=0, test=2, seed=1)
    assert why_fixed(two.collection) == ""
    added(two.collection, written(tmp_path, line(0, [0, 1])))
    assert why_fixed(two.collection).startswith("Runs were added for these queries")
    with pytest.raises(Refused, match="runs were added for them: remove the runs first"):
        select_queries(collection=two.collection, val=1, test=1, seed=2, redraw=True)
    assert PoolRunAnswer.objects.count() == 1
