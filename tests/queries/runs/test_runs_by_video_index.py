"""Runs that name videos by index, as TVR-Ranking's systems write them: taken with a file of the indices."""

import gzip
import json
import zipfile
from collections import Counter
from pathlib import Path
from typing import Any

import pytest
from django.core.files.storage import default_storage
from django.core.files.uploadedfile import SimpleUploadedFile
from django.core.management import call_command
from django.core.management.base import CommandError

from annotation.batches.pools import make_pool
from corpus.models import Video
from foundation.models import Collection
from queries.models import Candidate, PoolRun, PoolRunAddition, PoolRunAnswer, Query
from queries.runs.plans import set_plan
from queries.runs.run_jobs import add_pool_run
from tests.api.callers import Caller
from tests.api.test_pools import refusal_of
from tests.conftest import World, build_world
from tests.evaluation.files import real_files

VIDEO = "secret_video_name"
INDICES = json.dumps({"other": [3.5, 1], VIDEO: [1000, 7]})
BY_SPLIT = json.dumps({"train": {"other": [3.5, 1]}, "val": {VIDEO: [1000, 7]}})


def listed(*spans: list[float], video: int = 7) -> str:
    """A run of query 0."""
    predictions = [[video, *span, 9.5 - place] for place, span in enumerate(spans)]
    return json.dumps([{"query_id": 0, "desc": "A woman does thing 0.", "predictions": predictions}])


@pytest.fixture
def world(db: None) -> World:
    """Query 0, one video of 1000 seconds with the moments 0-1, 1-2 and 2-3."""
    return build_world(queries=1, candidates=3)


def written(folder: Path, content: str | bytes, name: str) -> Path:
    path = folder / name
    path.write_bytes(content if isinstance(content, bytes) else content.encode())
    return path


@pytest.mark.parametrize("indices", [INDICES, BY_SPLIT, json.dumps({VIDEO: 7})])
def test_the_command_takes_the_indices_beside_the_run(
    indices: str, world: World, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    run = written(tmp_path, gzip.compress(listed([5, 9], [0, 1]).encode()), "XML.json.gz")
    videos = written(tmp_path, indices, "videos.json")
    for said in ("paper XML was added: 2 predictions for 1 query.", "Nothing was changed."):
        call_command("add_pool_run", "paper", run, team="paper", system="XML", videos=videos)
        assert said in capsys.readouterr().out
    assert PoolRun.objects.get().file_name == "XML.json.gz"
    answer = PoolRunAnswer.objects.get()
    assert (answer.videos, answer.starts) == ([Video.objects.get().pk] * 2, [5, 0])


@pytest.mark.parametrize(
    ("run", "indices", "sentence"),
    [
        (listed([0, 1]), None, "run.json, line 1: found a run whose videos are indices, expected the videos' indices"),
        (listed([0, 1]), None, "--videos FILE"),
        (listed([0, 1], video=8), INDICES, "prediction 1: found video index 8, expected an index of a known video"),
        (listed([0, 1], video=1), INDICES, "run.json, line 1, record 1: found video_name 'other', expected one of"),
        (listed([0, 1100]), INDICES, "run.json, line 1, record 1: found timestamp [0, 1100], expected a span within"),
        (
            listed([0, 1]),
            '{"a": [1, 2], "b": [1, 2]}',
            "file of the videos' indices, line 1: found the index 2 for 'b'",
        ),
        (
            listed([0, 1]),
            '{"a": "x"}',
            "file of the videos' indices, line 1: found 'x' for the video 'a', expected an index",
        ),
        (listed([0, 1]), "video,index", "file of the videos' indices, line 1: found"),
        (listed([0, 1]), b"\x1f\x8bnothing", "begins like gzip and can't be unpacked"),
        (listed([0, 1]), "", "The videos' indices: The file is empty."),
        ("", INDICES, "The file is empty."),
    ],
)
def test_what_won_t_do_is_refused_in_a_sentence_and_nothing_is_kept(
    run: str, indices: str | bytes | None, sentence: str, world: World, tmp_path: Path
) -> None:
    path = written(tmp_path, run, "run.json")
    videos = None if indices is None else written(tmp_path, indices, "videos.json")
    with pytest.raises(CommandError) as refused:
        call_command("add_pool_run", "paper", path, team="paper", system="XML", videos=videos)
    assert sentence in str(refused.value)
    with pytest.raises(CommandError, match=r"nowhere: No such file"):
        call_command("add_pool_run", "paper", path, team="paper", system="XML", videos=tmp_path / "nowhere")
    assert not PoolRun.objects.exists()


def test_the_page_takes_a_second_file_and_keeps_both_as_one(world: World, client_of: Any) -> None:
    ada = client_of(world["ada"].account)
    sent = {"file": SimpleUploadedFile("XML.json", listed([0, 1]).encode()), "team": "paper", "system": "XML"}
    videos = SimpleUploadedFile("videos.json", INDICES.encode())
    assert ada.post("/c/paper/candidates/runs/add", {**sent, "videos": videos}).status_code == 302
    job = PoolRunAddition.objects.get()
    with default_storage.open(job.stored_file) as kept, zipfile.ZipFile(kept) as both:
        assert {name: both.read(name).decode() for name in both.namelist()} == {
            "run": listed([0, 1]),
            "videos": INDICES,
        }
    add_pool_run(job.pk)
    assert PoolRun.objects.get().file_name == "XML.json" and not default_storage.exists(job.stored_file)
    empty = {**sent, "file": SimpleUploadedFile("XML.json", b"[]"), "videos": SimpleUploadedFile("v.json", b"")}
    page = ada.post("/c/paper/candidates/runs/add", empty)
    assert page.status_code == 400
    assert "The file is empty." in page.content.decode().split('id="field-videos-wrong">')[1].split("</p>")[0]


def test_a_second_file_that_the_run_doesn_t_need_is_said_to_be_unused(world: World, client_of: Any) -> None:
    ada = client_of(world["ada"].account)
    name = Video.objects.get().name

    def page_after(run: Any) -> str:
        sent = {"file": SimpleUploadedFile("XML.json", json.dumps(run).encode()), "team": "paper", "system": "XML"}
        ada.post("/c/paper/candidates/runs/add", {**sent, "videos": SimpleUploadedFile("videos.json", b'{"a": 1}')})
        add_pool_run(PoolRunAddition.objects.latest("pk").pk)
        return str(ada.get("/c/paper/candidates/runs/").content.decode().replace("&#x27;", "'"))

    refused = page_after([{"query_id": 0, "predictions": [[7, 0, 1, 0.5]]}])
    assert "No run was added." in refused and 'value="paper"' in refused and 'value="XML"' in refused
    added = page_after({"query_id": "0", "predictions": [{"video_name": name, "timestamp": [0, 1]}]})
    assert "The file of the videos' indices wasn't used" in added and 'value="XML"' not in added
    PoolRun.objects.all().delete()
    answers = [{"desc_id": 0, "predictions": [[7, 0, 1, 0.5]]}]
    assert "wasn't used" in page_after({"video2idx": {name: 7}, "VCMR": answers})


def test_a_zip_file_of_somebody_s_own_is_no_run(world: World, tmp_path: Path) -> None:
    for names in (("run",), ("run", "videos", "more"), ("run", "../videos")):
        with zipfile.ZipFile(tmp_path / "run.zip", "w") as both:
            for name in names:
                both.writestr(name, listed([0, 1]))
        with pytest.raises(CommandError, match="found a zip archive"):
            call_command("add_pool_run", "paper", tmp_path / "run.zip", team="paper", system="XML")
    with zipfile.ZipFile(tmp_path / "run.zip", "w") as both:
        both.writestr("run", listed([0, 1]))
        both.writestr("videos", INDICES)
    content = (tmp_path / "run.zip").read_bytes()
    (tmp_path / "run.zip").write_bytes(content.replace(b'"desc": "A woman', b'"desc": "A human', 1))
    with pytest.raises(CommandError, match="The file is damaged"):
        call_command("add_pool_run", "paper", tmp_path / "run.zip", team="paper", system="XML")


def test_a_program_sends_two_files(world: World) -> None:
    ada = Caller(world["ada"])
    sent = {"team": "paper", "system": "XML"}
    videos = ada.send("/collections/paper", "videos.json", INDICES.encode())
    told = ada.post("/collections/paper/pool-runs", {**sent, "content": listed([0, 1]), "videos": "nobody's"})
    assert refusal_of(told)[0] == 422
    told = ada.post("/collections/paper/pool-runs", {**sent, "content": listed([0, 1]), "videos": videos})
    assert told.status_code == 202
    add_pool_run(PoolRunAddition.objects.get().pk)
    assert PoolRun.objects.get().predictions == 1


@pytest.mark.long
def test_published_runs_become_a_pool(db: None) -> None:
    folder = real_files("tvr_ranking")
    videos = folder / "video_name_duration_id.json"
    collection = Collection.objects.create(name="tvr", title="TVR")
    Video.objects.bulk_create(
        Video(collection=collection, name=name, duration=seconds)
        for name, (seconds, _index) in json.loads(videos.read_text()).items()
    )
    with gzip.open(folder / "val_runs" / "XML_top01.json.gz") as file:
        rows = json.load(file)
    Query.objects.bulk_create(
        Query(
            collection=collection,
            topic_id=str(row["query_id"]),
            split="val",
            text=row["desc"],
            normalised=row["desc"].lower(),
            position=position,
        )
        for position, row in enumerate(rows, start=1)
    )
    for system in ("CONQUER_top01", "XML_top01"):
        run = folder / "val_runs" / f"{system}.json.gz"
        call_command("add_pool_run", "tvr", run, team="TVR-Ranking", system=system, videos=videos)
    answered = dict(PoolRun.objects.values_list("system", "queries"))
    assert answered == {"CONQUER_top01": 497, "XML_top01": 500}, "CONQUER lacks three queries"
    set_plan(collection=collection, recipe="depth@1")
    make_pool(collection=collection)
    of_query = Counter(Candidate.objects.filter(query__collection=collection).values_list("query", flat=True))
    assert len(of_query) == 500 and set(of_query.values()) == {1, 2}
