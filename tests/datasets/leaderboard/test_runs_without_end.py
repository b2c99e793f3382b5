"""Runs that unfold to more than a worker may hold, and members who upload without end."""

import gzip
import io
import resource
from pathlib import Path
from typing import Any

import pytest
from django.core.files.storage import default_storage

from datasets.leaderboard.runs import RunNameTaken, add_run, open_board
from datasets.models import Board, Run
from datasets.releases.make_release import create_release
from foundation.infra.jobs import NO_MEMORY
from foundation.refused import FileRefused
from queries.runs.received_run import LONGEST_LINE, MAX_UNPACKED, MOST_PREDICTIONS
from tests.datasets.boards import scored
from tests.datasets.conftest import World
from tests.datasets.leaderboard.test_runs_that_misbehave import one

pytestmark = pytest.mark.long

MEGABYTE = 1 << 20


@pytest.fixture
def board(judged: World) -> Board:
    return open_board(release=create_release(collection=judged.collection, name="v1"), split="test")


def packed(beginning: bytes, part: bytes, size: int, end: bytes = b"") -> bytes:
    """A gzip of `beginning`, so much of `part` again and again, and `end`, made without ever holding it."""
    held = io.BytesIO()
    block = part * (MEGABYTE // len(part))
    with gzip.GzipFile(fileobj=held, mode="wb", compresslevel=1) as file:
        file.write(beginning)
        for _ in range(-(-size // len(block))):
            file.write(block)
        file.write(end)
    return held.getvalue()


def test_what_unfolds_beyond_the_bounds_is_refused_with_them_and_its_file_goes(
    board: Board, settings: Any, media: Path
) -> None:
    settings.RUN_MEMORY_MB = 256
    prediction = b'{"timestamp": [0, 1]},'
    said = {
        "larger than 512 MiB unpacked": packed(b"", b" ", MAX_UNPACKED + 1),
        "more than 5,000,000 predictions": packed(b'{"103": [', prediction, len(prediction) * MOST_PREDICTIONS),
        "A line of the run has more than 16 MiB": packed(
            b'{"query_id": 103, "predictions": [', b"[],", LONGEST_LINE + 1, b"[]]}"
        ),
        # One query of a format that is one object: only its memory bounds it.
        NO_MEMORY: packed(b'{"103": [', b"[],", 64 * MEGABYTE, b"[]]}"),
    }
    limits = resource.getrlimit(resource.RLIMIT_DATA)
    for sentence, content in said.items():
        run = scored(board, "bomb", content)
        assert (run.state, sentence in run.problem) == ("refused", True), run.problem
        assert not default_storage.exists(run.stored_file)
    assert resource.getrlimit(resource.RLIMIT_DATA) == limits
    assert scored(board, "bomb", one()).state == "scored"
    assert len([path for path in (media / "runs").rglob("*") if path.is_file()]) == 1


def test_a_member_keeps_so_many_runs_and_bytes_and_a_lead_more(board: Board, judged: World, settings: Any) -> None:
    settings.RUNS_PER_MEMBER, settings.RUN_MB_PER_MEMBER = 2, 1
    bo, ada = judged.members["bo"], judged.members["ada"]

    def add(name: str, content: bytes, member: Any = bo) -> Run:
        return add_run(board=board, member=member, file=io.BytesIO(content), file_name=name)

    with pytest.raises(FileRefused, match="more than the 1 MiB that are kept for one member"):
        add("large", bytes(MEGABYTE + 1))
    assert scored(board, "refused", b"nonsense", member=bo).state == "refused", "it counts for nothing"
    first, _ = add("first", one()), add("second", one(score=2))
    with pytest.raises(FileRefused, match="You have 2 runs here"):
        add("third", one(score=3))
    with pytest.raises(RunNameTaken, match="There is a run first"):
        add("first", one(score=4), ada)
    names = {run.stored_file for run in Run.objects.exclude(state="refused")}
    folders, _ = default_storage.listdir("runs")
    kept = {f"runs/{folder}/{name}" for folder in folders for name in default_storage.listdir(f"runs/{folder}")[1]}
    assert kept == names, "what was refused at once left no file"
    assert add("third", one(score=3), ada).member == ada
    assert add("again", one(), ada).stored_file == first.stored_file
