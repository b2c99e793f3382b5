"""A run's manifest is checked, kept with the run and shown; the table of systems is made of what runs say they are."""

import io
import json
from pathlib import Path
from typing import Any

import pytest
from django.core.files.uploadedfile import SimpleUploadedFile
from django.core.management import CommandError, call_command
from django.test import Client
from django.urls import reverse

from datasets.leaderboard.run_manifests import curve_of, family_of, read_manifest, summary_of
from datasets.leaderboard.runs import open_board
from datasets.leaderboard.systems_table import systems_table
from datasets.models import Board, Release, Run
from datasets.releases.make_release import create_release
from foundation.refused import FileRefused
from tests.datasets.boards import ground_truth, lines, perfect, reversed_run, scored
from tests.datasets.conftest import World

MADE: dict[str, Any] = {
    "format": "qreels run 1",
    "system": "XML",
    "split": "test",
    "seed": 1,
    "top": 20,
    "loss": "paper",
    "features": {"frames": {"name": "efficientnet-lite0"}, "clip_seconds": 1.5, "frames_per_second": 3.0},
    "code": {"name": "qreels", "version": "0.1.0", "revision": "abc"},
    "log": [
        {"epoch": 1, "losses": {"video": 2.0}, "validation": {"NDCG@20,IoU>=0.5": 0.1}},
        {"epoch": 2, "losses": {"video": 1.0}, "validation": {"NDCG@20,IoU>=0.5": 0.2}},
    ],
}


def told(**changed: Any) -> io.BytesIO:
    return io.BytesIO(json.dumps(MADE | changed).encode())


@pytest.fixture
def release(judged: World) -> Release:
    return create_release(collection=judged.collection, name="v1")


@pytest.fixture
def board(release: Release) -> Board:
    return open_board(release=release, split="test")


def logged_in(world: World, name: str = "ada") -> Client:
    client = Client()
    client.force_login(world.members[name].account)  # type: ignore[arg-type]
    return client


@pytest.mark.parametrize(
    ("content", "said"),
    [
        (b"no JSON", "The manifest is no JSON"),
        (b"[" * 100_000, "The manifest is no JSON"),
        (b'{"format": "qreels run 1", "seed": NaN}', "NaN is no number"),
        (b"[]", "Found the manifest's format"),
        (told(format="other").getvalue(), "Found the manifest's format 'other', expected 'qreels run 1'"),
        (told(seed=None).getvalue(), "Found seed 'None' in the manifest, expected a whole number"),
        (told(top=True).getvalue(), "Found top 'True' in the manifest"),
        (told(split="val").getvalue(), "is of a run on 'val', and this is the board of test"),
        (told(system="X" * 300_000).getvalue(), "larger than 256 KiB"),
    ],
)
def test_a_manifest_that_is_none_is_refused_with_what_was_found(content: bytes, said: str) -> None:
    with pytest.raises(FileRefused, match=said):
        read_manifest(io.BytesIO(content), split="test")


def test_what_the_database_cannot_store_is_replaced() -> None:
    stored = read_manifest(told(system="X\x00L", features={"na\x00me": ["\x00"]}), split="test")
    assert stored["system"] == "X\ufffdL"
    assert stored["features"] == {"na\ufffdme": ["\ufffd"]}


def test_a_page_says_what_is_known_and_no_more() -> None:
    assert summary_of({}) == []
    assert curve_of({}) is None
    shown = dict(summary_of(MADE))
    assert shown["System"] == "XML"
    assert shown["Moments a training query (N)"] == "20"
    assert shown["Frames"] == "efficientnet-lite0"
    assert "Release" not in shown
    odd = MADE | {"features": {"frames": "no object"}, "code": 7, "log": ["no object", {"epoch": "one"}]}
    assert curve_of(odd) is None
    assert "Code" not in dict(summary_of(odd))


def test_the_training_is_drawn_from_the_numbers_of_its_log() -> None:
    drawn = curve_of(MADE | {"system": "<script>"})
    assert drawn is not None
    assert "<script>" not in drawn
    assert drawn.count("NDCG@20") >= 1


@pytest.mark.django_db
def test_the_command_takes_the_manifest_beside_a_run(judged: World, board: Board, tmp_path: Path) -> None:
    rows = perfect(ground_truth(board.release, tmp_path / "v1"))
    run, manifest = tmp_path / "XML-top20-test-seed1.jsonl", tmp_path / "XML-top20-test-seed1.manifest.json"
    run.write_bytes(lines(rows))
    line = ("add_run", judged.collection.name, "v1", "test", str(run))
    call_command(*line)
    assert Run.objects.get().manifest == {}
    manifest.write_bytes(told().getvalue())
    call_command(*line)
    assert Run.objects.get().manifest == MADE, "the same run takes the manifest that it hadn't"
    manifest.write_bytes(told(split="val").getvalue())
    with pytest.raises(CommandError, match="is of a run on 'val'"):
        call_command(*line)
    assert Run.objects.get().manifest == MADE


@pytest.mark.django_db
def test_a_run_uploaded_with_its_manifest_shows_what_made_it(judged: World, board: Board, tmp_path: Path) -> None:
    rows = perfect(ground_truth(board.release, tmp_path / "v1"))
    ada = logged_in(judged)
    address = reverse("run-upload", args=[judged.collection.name, board.release_id, "test"])
    files = {"file": SimpleUploadedFile("mine.jsonl", lines(rows))}
    refused = ada.post(address, {**files, "manifest": SimpleUploadedFile("m.json", b"{}")}, follow=True)
    assert "expected &#x27;qreels run 1&#x27;" in refused.content.decode()
    assert not Run.objects.exists()
    run = scored(board, "mine", lines(rows), manifest=told())
    page = ada.get(run.get_absolute_url()).content.decode()
    assert "What made it" in page
    assert "efficientnet-lite0" in page
    assert "<svg" in page
    assert ada.get(run.get_absolute_url()).context["run"]["manifest"]["system"] == "XML"


@pytest.mark.django_db
def test_the_table_has_mean_and_deviation_over_the_seeds_of_a_system(
    judged: World, board: Board, tmp_path: Path
) -> None:
    queries = ground_truth(board.release, tmp_path / "v1")
    good, bad = lines(perfect(queries)), lines(reversed_run(queries))
    scored(board, "anything", good)
    assert systems_table(board.release) == [], "a run that doesn't say what it is of is in no table"
    scored(board, "one", good, manifest=told(seed=1))
    scored(board, "two", bad, manifest=told(seed=2))
    scored(board, "quad", good + b"\n", manifest=told(loss="quadlinear"))
    scored(board, "random-moments-test-seed1", bad + b"\n")
    blocks = systems_table(board.release)
    assert [block.heading for block in blocks] == ["NDCG@10", "NDCG@20", "NDCG@40"]
    assert blocks[1].columns == [("0.3", "test"), ("0.5", "test"), ("0.7", "test")]
    assert [(row.system, row.top) for row in blocks[1].rows] == [
        ("XML", "20"),
        ("XML, quadlinear", "20"),
        ("random-moments", ""),
    ]
    first = blocks[1].rows[0].cells[0]
    values = [run.values["NDCG@20,IoU>=0.3"] for run in Run.objects.filter(name__in=["one", "two"])]
    assert first is not None
    assert first.mean == pytest.approx(sum(values) / 2)
    assert len(first.values) == 2
    page = logged_in(judged).get(reverse("board", args=[judged.collection.name, board.release_id, "test"]))
    assert "XML, quadlinear" in page.content.decode()


def test_a_run_declares_a_family_with_or_without_a_manifest(judged: World, board: Board, tmp_path: Path) -> None:
    queries = ground_truth(board.release, tmp_path / "v1")
    rows = lines(perfect(queries))
    (tmp_path / "one.jsonl").write_bytes(rows)
    call_command("add_run", "tiny", "v1", "test", str(tmp_path / "one.jsonl"), "--family", " Two\x00 towers ")
    assert Run.objects.get().manifest == {"family": "Two towers"}
    again = scored(board, "one", rows, manifest=told(), family="CLIP")
    assert (again.manifest["family"], again.manifest["system"]) == ("Two towers", "XML"), "what it had stays"
    assert family_of(again.manifest) == "Two towers" and family_of(MADE) == "efficientnet-lite0"
    at = f"/c/tiny/releases/{board.release_id}/board/test/upload"
    file = io.BytesIO(lines(reversed_run(queries)))
    file.name = "two.jsonl"
    logged_in(judged).post(at, {"file": file, "family": "CLIP"})
    assert Run.objects.get(name="two").manifest == {"family": "CLIP"}
    page = logged_in(judged).get(f"/c/tiny/runs/{again.pk}/").content.decode()
    assert "Family" in page and "Two towers" in page
    with pytest.raises(FileRefused, match="Found family '3' in the manifest, expected text or null"):
        read_manifest(told(family=3), split="test")
