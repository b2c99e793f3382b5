"""Runs that are broken, hostile, cut off or too much: each is told what is wrong with it, none holds up a worker."""

import io
import json
import re
from pathlib import Path
from typing import Any

import pytest
from django.core.files.base import ContentFile
from django.core.files.storage import default_storage
from django.db import connection
from django.test import Client
from django.urls import reverse

from datasets.leaderboard.runs import add_run, open_board
from datasets.leaderboard.scoring import score_stored_run
from datasets.models import Board, ReleaseJob, Run, RunAnswer
from datasets.releases.access import share_release
from datasets.releases.file_cache import stored_name
from datasets.releases.make_release import create_release
from datasets.urls import urlpatterns
from foundation.infra.jobs import MOST_BEGINNINGS
from tests.datasets.boards import ground_truth, lines, perfect, scored
from tests.datasets.conftest import World
from tests.workers import kill_group, one_worker, wait_until

pytestmark = pytest.mark.long


@pytest.fixture
def board(judged: World) -> Board:
    release = create_release(collection=judged.collection, name="v1", formats=["tvr-ranking", "trec", "parquet"])
    return open_board(release=release, split="test")


def one(**prediction: Any) -> bytes:
    given = {"video_name": "alpha", "timestamp": [0, 1], "score": 1} | prediction
    return json.dumps({"query_id": 103, "predictions": [given]}).encode() + b"\n"


def test_what_the_database_can_t_keep_is_scored_and_shown_without(board: Board, judged: World) -> None:
    odd = {
        "nul": one(video_name="al\0pha"),
        "half": one(video_name="al\ud800pha"),
        "long": one(video_name="a" * 100_000),
        "wide": one(timestamp=[-1e308, 1e308]),
        "endless": one(score=10**400),
    }
    client = Client()
    client.force_login(judged.members["ada"].account)  # type: ignore[arg-type]
    for name, content in odd.items():
        run = scored(board, name, content)
        assert (run.state, run.problem) == ("scored", ""), name
        answer = RunAnswer.objects.get(run=run, query__query_id="103")
        assert len(answer.predictions[0][0]) <= 200
        assert client.get(reverse("run-query", args=["tiny", run.pk, answer.pk])).status_code == 200
        told = client.get(f"/api/v1/collections/tiny/runs/{run.pk}/queries/{answer.pk}")
        assert told.status_code == 200
        json.loads(told.content, parse_constant=lambda constant: pytest.fail(constant))


def test_what_is_no_run_says_so_in_a_sentence(board: Board) -> None:
    said = {
        b"{}": "empty.jsonl has no query.",
        b"\n \n": "empty.jsonl has no query.",
        b'{"query_id": 101, "predictions": []}': "empty.jsonl: none of its 1 query ids is in",
        b'{"103": ' + b"[" * 100_000 + b"}": "nested too deep",
        one(score=float("nan")): "found score nan",
        b"1 Q0 a:5-5 1 1 x\n" * 12: "expected a moment with start < end.\nempty.jsonl, line 2: found 'a:5-5'",
        b"1 Q0 a:5-4 1 1 x\n" * 12: "\n... and 2 more.",
        bytes(range(256)): "found binary data, expected text in UTF-8",
    }
    for content, sentence in said.items():
        run = scored(board, "empty", content)
        assert run.state == "refused"
        assert sentence in run.problem
        assert not re.search(r"\?\.|\.\.$", run.problem)


def test_a_run_that_ends_its_workers_isn_t_begun_for_ever(board: Board) -> None:
    run = add_run(board=board, member=None, file=io.BytesIO(one()), file_name="heavy.jsonl")
    Run.objects.filter(pk=run.pk).update(begun=MOST_BEGINNINGS, state="scoring")
    score_stored_run(run_id=run.pk)
    run.refresh_from_db()
    assert (run.state, "broken off 3 times" in run.problem) == ("refused", True)
    assert not Run.to_do()
    again = scored(board, "heavy", one())
    assert (again.state, again.version) == ("scored", 2), "the same file is tried anew when it is uploaded anew"


def test_a_file_that_was_cut_off_in_the_storage_is_noticed_and_mended(board: Board) -> None:
    content = one()
    run = add_run(board=board, member=None, file=io.BytesIO(content), file_name="mine.jsonl")
    default_storage.delete(run.stored_file)
    default_storage.save(run.stored_file, ContentFile(content[:-20]))
    score_stored_run(run_id=run.pk)
    run.refresh_from_db()
    assert (run.state, run.problem) == ("refused", "The run's file in the storage is damaged: upload it again.")
    default_storage.save(run.stored_file, ContentFile(content[:-20]))
    assert scored(board, "mine", content).state == "scored"


def test_a_broken_ground_truth_is_no_matter_of_the_run_s(board: Board) -> None:
    sha256 = board.release.files["test.json"]
    default_storage.delete(stored_name(sha256))
    default_storage.delete(board.release.archive)
    run = scored(board, "mine", one())
    assert run.problem == "The release's ground truth can't be read: tell the lead."


def test_a_worker_killed_while_scoring_leaves_nothing_half_done_and_the_next_scores(
    board: Board, tmp_path: Path, settings: Any, monkeypatch: pytest.MonkeyPatch
) -> None:
    # The worker is another process: it finds the storage by the environment.
    monkeypatch.setenv("QREELS_VAR", str(settings.MEDIA_ROOT.parent))
    content = lines(perfect(ground_truth(board.release, tmp_path / "v1")))
    run = add_run(board=board, member=None, file=io.BytesIO(content), file_name="mine.jsonl")
    assert not ReleaseJob.to_do()
    holder = connection.copy()
    try:
        with holder.cursor() as cursor:
            cursor.execute("BEGIN")
            cursor.execute("LOCK TABLE datasets_runanswer")  # in the middle: the scores are there, not yet stored
            with one_worker(tmp_path / "first.log") as worker:
                wait_until(lambda: Run.objects.get(pk=run.pk).step == "Scoring.")
                kill_group(worker)
            cursor.execute("ROLLBACK")
    finally:
        holder.close()
    run.refresh_from_db()
    assert (run.state, run.values, RunAnswer.objects.count()) == ("scoring", {}, 0)
    with one_worker(tmp_path / "second.log"):
        wait_until(lambda: Run.objects.get(pk=run.pk).against_best is not None and Run.objects.get(pk=run.pk).finished)
    run.refresh_from_db()
    assert (run.state, run.values["NDCG@20,IoU>=0.5"], run.begun) == ("scored", 1.0, 2)


def test_what_isn_t_on_the_board_is_its_uploader_s_and_the_leads_alone(board: Board, judged: World) -> None:
    share_release(release=board.release, members=True, hide_test=True)
    refused = scored(board, "bad", b"nonsense of bo's", member=judged.members["bo"])
    shown = scored(board, "good", one(), member=judged.members["bo"])
    addresses = [reverse("run", args=["tiny", refused.pk]), reverse("job-progress", args=["tiny", "run", refused.pk])]
    for name, status in (("bo", 200), ("ada", 200), ("cy", 404)):
        client = Client()
        client.force_login(judged.members[name].account)  # type: ignore[arg-type]
        assert [client.get(address).status_code for address in addresses] == [status, status]
        file_name = client.get(reverse("run", args=["tiny", shown.pk])).context["run"]["file_name"]
        assert file_name == (None if name == "cy" else "good.jsonl")


def test_no_address_tells_an_annotator_the_hidden_ground_truth(board: Board, judged: World, tmp_path: Path) -> None:
    release = board.release
    share_release(release=release, members=True, hide_test=True)
    queries = ground_truth(release, tmp_path / "v1")
    run = scored(board, "mine", lines(perfect(queries)), member=judged.members["bo"])
    other = scored(board, "theirs", one(), member=judged.members["cy"])
    bo = Client()
    bo.force_login(judged.members["bo"].account)  # type: ignore[arg-type]
    graded = {moment["caption"] for query in queries for moment in query["relevant_moment"]}
    telling = graded | {"relevant_moment", "raw_annotations", "qrels"}
    numbers = {run.pk, other.pk, *RunAnswer.objects.values_list("pk", flat=True)}
    seen = 0
    for pattern in [one for included in urlpatterns for one in included.url_patterns]:
        keys = set(pattern.pattern.converters) - {"name", "path"}
        if "path" in pattern.pattern.converters or "name" not in pattern.pattern.converters:
            continue  # files have their own tests, and what is under no collection is somebody's own
        for number in numbers if keys & {"run_id", "answer_id", "job_id", "publication_id"} else {release.pk}:
            values = dict.fromkeys(keys, number) | {"release_id": release.pk, "split": "test"}
            if "answer_id" in keys:
                values["run_id"] = run.pk
            address = reverse(str(pattern.name), kwargs={"name": "tiny", **{key: values[key] for key in keys}})
            for asked in ("", "?order=worst&page=1&measure=NDCG@20,IoU>=0.5"):
                answer = bo.get(address + asked)
                if answer.status_code != 200:
                    continue
                seen += 1
                if pattern.name == "run-file":
                    assert number == run.pk, "one's own alone"
                else:
                    text = answer.content.decode()
                    assert [word for word in telling if word in text] == []
    assert seen >= 10
    allowed = {"val.json", "video_corpus.json", "trec/topics.val.tsv", "trec/topics.test.tsv", "trec/moments.tsv"}
    for path in [*release.files, "../manifest.json", "./test.json", "test.json/", "TEST.json", "test.json\0"]:
        answer = bo.get(reverse("release-file", args=["tiny", release.pk, path]))
        assert answer.status_code == (200 if path in allowed or path.startswith("train_top") else 404), path
        if answer.status_code == 200 and path != "val.json":
            assert b"relevance" not in b"".join(answer.streaming_content)  # type: ignore[arg-type]
