"""Runs on a leaderboard: the same scores as the command line, one file once, and words for what can't be scored."""

import gzip
import io
import json
import subprocess
import sys
from io import StringIO
from pathlib import Path

import pytest
from django.conf import settings
from django.core.files.storage import default_storage
from django.core.management import CommandError, call_command

from datasets.leaderboard.runs import RunNameTaken, add_run, open_board
from datasets.leaderboard.scoring import compare_board, score_stored_run, withdraw_run
from datasets.leaderboard.selectors import ANSWER_ORDERS, answers_of, board_rows, draw_query
from datasets.models import Board, Release, Run, RunAnswer
from datasets.releases.make_release import create_release, write_release
from evaluation import evaluate
from evaluation.reading import read_ground_truth, read_run
from evaluation.significance.comparison import compare
from foundation.collections.members import get_or_create_collection
from foundation.models import Webhook
from foundation.refused import FileRefused
from queries.runs import received_run
from tests.datasets.boards import board_of_file, ground_truth, lines, perfect, reversed_run, scored
from tests.datasets.conftest import World
from tests.paths import NO_DATA

CHARADES = settings.BASE_DIR.parent / "shared" / "data" / "charades_sta"


@pytest.fixture
def release(judged: World) -> Release:
    return create_release(collection=judged.collection, name="v1")


@pytest.fixture
def board(release: Release) -> Board:
    return open_board(release=release, split="test")


def test_scores_are_those_of_the_command_line_on_the_exported_files(board: Board, tmp_path: Path) -> None:
    queries = ground_truth(board.release, tmp_path / "v1")
    found = {}
    for name, rows in (("good", perfect(queries)), ("bad", reversed_run(queries)), ("half", perfect(queries)[:1])):
        (tmp_path / f"{name}.jsonl").write_bytes(lines(rows))
        found[name] = scored(board, name, lines(rows)).values
    files = [tmp_path / "v1" / "test.json", *(tmp_path / f"{name}.jsonl" for name in found)]
    line = [sys.executable, "-m", "evaluation", "score", *map(str, files), "--json", "--measures", *board.measures]
    done = subprocess.run(line, capture_output=True, check=True, cwd=settings.BASE_DIR)
    assert json.loads(done.stdout) == found
    assert found["good"]["NDCG@20,IoU>=0.5"] == 1
    assert found["half"]["NDCG@20,IoU>=0.5"] == 0.5


@pytest.mark.skipif(not CHARADES.is_dir(), reason=NO_DATA)
def test_real_runs_score_what_their_authors_code_says(transactional_db: None, tmp_path: Path) -> None:
    collection = get_or_create_collection(name="charades", title="Charades-STA", has_clips=False)
    board = board_of_file(collection, CHARADES / "test.json", tmp_path)
    expected = json.loads((CHARADES / "expected.json").read_text())
    assert (board.queries.count(), set(board.measures)) == (3720, set(expected["SCDM"]))
    for name in ("SCDM", "2D-TAN"):
        content = (CHARADES / "runs" / f"{name}.jsonl.gz").read_bytes()
        run = add_run(board=board, member=None, file=io.BytesIO(content), file_name=f"{name}.jsonl.gz")
        score_stored_run(run_id=run.pk)
        run.refresh_from_db()
        assert run.values == pytest.approx(expected[name], abs=1e-6)
        assert run.unanswered == (9 if name == "SCDM" else 0)
    best = {row.name: [cell.best for cell in row.cells] for row in board_rows(board, sort="R@1,IoU>0.5")}
    assert list(best) == ["SCDM", "2D-TAN"]
    assert all(one != other for one, other in zip(*best.values(), strict=True))


def test_significance_is_that_of_compare(board: Board, tmp_path: Path) -> None:
    queries = ground_truth(board.release, tmp_path / "v1")
    (tmp_path / "good.jsonl").write_bytes(lines(perfect(queries)))
    (tmp_path / "bad.jsonl").write_bytes(lines(reversed_run(queries)))
    scored(board, "good", lines(perfect(queries)))
    bad = scored(board, "bad", lines(reversed_run(queries)))
    truth = read_ground_truth(tmp_path / "v1" / "test.json")
    both = [read_run(tmp_path / f"{name}.jsonl") for name in ("good", "bad")]
    for measure in board.measures:
        (expected,) = compare(truth, both, [measure])
        against = bad.against_best[measure]
        assert against["p_value"] == expected.p_value == against["corrected"]
        assert against["difference"] == pytest.approx(-expected.difference)
    (good, *_) = board_rows(board, sort=board.measures[0])
    assert (good.name, all(cell.best for cell in good.cells)) == ("good", True)


def test_every_query_has_its_value_and_its_best_predictions(board: Board, tmp_path: Path) -> None:
    queries = ground_truth(board.release, tmp_path / "v1")
    (tmp_path / "bad.jsonl").write_bytes(lines(reversed_run(queries)))
    run = scored(board, "bad", lines(reversed_run(queries), packed=True))
    truth = read_ground_truth(tmp_path / "v1" / "test.json")
    (record,) = evaluate(truth, [read_run(tmp_path / "bad.jsonl")], ["NDCG@10,IoU>=0.7"])
    answers = answers_of(run, measure="NDCG@10,IoU>=0.7").order_by(*ANSWER_ORDERS["split"].expressions())
    assert record.per_query is not None
    assert [answer.value for answer in answers] == record.per_query.tolist()  # type: ignore[attr-defined]
    worst = answers_of(run, measure="NDCG@10,IoU>=0.7").order_by(*ANSWER_ORDERS["worst"].expressions())
    assert [answer.value for answer in worst] == sorted(record.per_query.tolist())  # type: ignore[attr-defined]


def test_a_drawing_matches_each_moment_once_and_the_overlap_counts(board: Board, tmp_path: Path) -> None:
    queries = ground_truth(board.release, tmp_path / "v1")
    run = scored(board, "bad", lines(reversed_run(queries)))
    answer = RunAnswer.objects.filter(run=run).order_by("query__position")[0]
    loose = draw_query(answer, board.release.collection, overlap="0.3")
    strict = draw_query(answer, board.release.collection, overlap="0.7")
    count = len(queries[0]["relevant_moment"])
    assert [len(drawing.lines) for drawing in (loose, strict)] == [count, count]
    assert [moment.grade for moment in loose.moments] == sorted((m.grade for m in loose.moments), reverse=True)
    assert sorted(line.moment for line in loose.lines) == list(range(count))
    assert strict.predictions[0].iou == pytest.approx(4.25 / 5.75)
    half = RunAnswer(query=answer.query, predictions=[["alpha", 900.0, 901.0, None]], values=[])
    assert [one.matched for one in draw_query(half, board.release.collection, overlap="0.5").predictions] == [False]


@pytest.mark.parametrize(
    ("content", "sentence"),
    [
        (b'{"query_id": 103, "predictions": [{"timestamp": [0, 1]}]}\n', "bad.jsonl, line 1, prediction 1: found"),
        (b'{"query_id": 103, "predictions": []}\n{"query_id"\n', "bad.jsonl, line 2"),
        (b'{"query_id": 5, "predictions": []}\n', "none of its 1 query ids"),
        (b"[1, 2]", "expected a run: JSON Lines of queries"),
        (b"\x1f\x8bnothing", "The file begins like gzip and can't be unpacked"),
        (gzip.compress(b"x" * 5000, mtime=0), "The run is larger than"),
    ],
)
def test_what_is_no_run_is_refused_with_its_place_and_what_was_expected(
    board: Board, content: bytes, sentence: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(received_run, "MAX_UNPACKED", 4000)
    run = scored(board, "bad", content)
    assert (run.state, run.values) == ("refused", {})
    assert sentence in run.problem
    assert "/" not in run.problem, "no path of the worker's machine"
    assert not RunAnswer.objects.exists()
    assert add_run(board=board, member=None, file=io.BytesIO(b"{}"), file_name="bad.jsonl").version == 2


def test_a_file_is_kept_once_and_the_same_run_again_is_the_one_that_is_there(board: Board, tmp_path: Path) -> None:
    content = lines(perfect(ground_truth(board.release, tmp_path / "v1")))
    run = scored(board, "good", content)
    assert scored(board, "good", content).pk == run.pk
    other = scored(board, "other", content)
    assert other.pk != run.pk
    assert other.stored_file == run.stored_file
    (folder,) = default_storage.listdir("runs")[0]
    assert len(default_storage.listdir(f"runs/{folder}")[1]) == 1


def test_another_file_under_a_taken_name_asks_first(board: Board, tmp_path: Path) -> None:
    queries = ground_truth(board.release, tmp_path / "v1")
    first = scored(board, "mine", lines(perfect(queries)))
    other = lines(reversed_run(queries))
    with pytest.raises(RunNameTaken, match="replace it, or keep both as versions"):
        scored(board, "mine", other)
    second = scored(board, "mine", other, same_name="version")
    assert [(row.name, row.version) for row in board_rows(board, sort=board.measures[0])] == [("mine", 1), ("mine", 2)]
    third = scored(board, "mine", lines(perfect(queries)[:1]), same_name="replace")
    assert [row.id for row in board_rows(board, sort=board.measures[0])] == [third.pk]
    assert Run.objects.filter(pk__in=[first.pk, second.pk], withdrawn_at=None).count() == 0


def test_nobody_replaces_what_somebody_else_uploaded(board: Board, judged: World) -> None:
    scored(board, "mine", b'{"query_id": 103, "predictions": []}\n', member=judged.members["bo"])
    other = b'{"query_id": 104, "predictions": []}\n'
    with pytest.raises(FileRefused, match="somebody else's"):
        scored(board, "mine", other, member=judged.members["cy"], same_name="replace")
    assert scored(board, "mine", other, member=judged.members["ada"], same_name="replace").version == 2


def test_scoring_twice_changes_nothing(board: Board, tmp_path: Path) -> None:
    run = scored(board, "good", lines(perfect(ground_truth(board.release, tmp_path / "v1"))))
    before = (run.values, run.finished_at, RunAnswer.objects.count())
    score_stored_run(run_id=run.pk)
    run.refresh_from_db()
    assert (run.values, run.finished_at, RunAnswer.objects.count()) == before


def test_webhooks_are_told_of_a_release_and_of_a_scored_run_once(judged: World) -> None:
    hook = Webhook.objects.create(
        collection=judged.collection, address="https://hooks.example.org/", kinds=["release.made", "run.scored"]
    )
    release = create_release(collection=judged.collection, name="v1")
    create_release(collection=judged.collection, name="v1")
    board = open_board(release=release, split="test")
    run = scored(board, "empty", b'{"query_id": 103, "predictions": []}\n')
    score_stored_run(run_id=run.pk)
    made, told = (json.loads(event.body) for event in hook.events.order_by("pk"))
    assert made["type"] == "release.made" and made["data"]["archive_sha256"] == release.archive_sha256
    assert told["type"] == "run.scored" and told["data"]["values"] == run.values


def test_a_withdrawn_run_is_compared_with_nobody(board: Board, tmp_path: Path) -> None:
    queries = ground_truth(board.release, tmp_path / "v1")
    good = scored(board, "good", lines(perfect(queries)))
    bad = scored(board, "bad", lines(reversed_run(queries)))
    withdraw_run(run=good)
    compare_board(board_id=board.pk)
    bad.refresh_from_db()
    assert bad.against_best == {}
    assert [cell.best for row in board_rows(board, sort=board.measures[0]) for cell in row.cells] == [True] * 9


def test_the_command_scores_runs_and_says_what_is_wrong(release: Release, tmp_path: Path) -> None:
    write_release(release=release, folder=tmp_path / "v1")
    queries = json.loads((tmp_path / "v1" / "test.json").read_text())
    (tmp_path / "good.jsonl.gz").write_bytes(lines(perfect(queries), packed=True))
    out = StringIO()
    call_command("add_run", "tiny", "v1", "test", str(tmp_path / "good.jsonl.gz"), stdout=out)
    assert out.getvalue().startswith("good:\n  NDCG@10,IoU>=0.3     1.0000\n")
    (tmp_path / "good.jsonl").write_bytes(b"nothing")
    with pytest.raises(CommandError, match="Say --same-name replace or --same-name version"):
        call_command("add_run", "tiny", "v1", "test", str(tmp_path / "good.jsonl"))
    error = StringIO()
    with pytest.raises(CommandError, match="Runs refused: 1 of 1"):
        call_command("add_run", "tiny", "v1", "test", str(tmp_path / "good.jsonl"), "--name", "bad", stderr=error)
    assert "good.jsonl, line 1: found" in error.getvalue()
    with pytest.raises(CommandError, match=r"There is no release 'v2' of tiny\. Releases: v1\."):
        call_command("add_run", "tiny", "v2", "test", str(tmp_path / "good.jsonl"))
