"""Steps of the leaderboard's tests: runs written, boards made of files that nobody judged here."""

import gzip
import io
import json
from pathlib import Path
from typing import Any

from django.utils import timezone

from datasets.leaderboard.runs import add_run, open_board
from datasets.leaderboard.scoring import score_stored_run
from datasets.models import Board, Release, Run
from datasets.releases import archive
from foundation.models import Collection


def ground_truth(release: Release, folder: Path, split: str = "test") -> list[dict[str, Any]]:
    """A released split's queries, written out and read back."""
    from datasets.releases.make_release import write_release

    write_release(release=release, folder=folder)
    return json.loads((folder / f"{split}.json").read_text())  # type: ignore[no-any-return]


def perfect(queries: list[dict[str, Any]]) -> list[dict[str, Any]]:
    """A run that returns every judged moment, the highest grade first."""
    return [
        {
            "query_id": query["query_id"],
            "predictions": [
                {"video_name": moment["video_name"], "timestamp": moment["timestamp"], "score": moment["relevance"]}
                for moment in sorted(query["relevant_moment"], key=lambda moment: -moment["relevance"])
            ],
        }
        for query in queries
    ]


def reversed_run(queries: list[dict[str, Any]]) -> list[dict[str, Any]]:
    """The same, the lowest grade first, and the first moment a little off."""
    rows = perfect(queries)
    for row in rows:
        row["predictions"].reverse()
        for score, prediction in enumerate(row["predictions"]):
            prediction["score"] = -score
        start, end = row["predictions"][0]["timestamp"]
        row["predictions"][0]["timestamp"] = [start, end + 1.5]
    return rows


def lines(rows: list[dict[str, Any]], *, packed: bool = False) -> bytes:
    text = "".join(json.dumps(row) + "\n" for row in rows).encode()
    return gzip.compress(text, mtime=0) if packed else text


def scored(board: Board, name: str, content: bytes, **how: Any) -> Run:
    run = add_run(
        board=board, member=how.pop("member", None), file=io.BytesIO(content), file_name=f"{name}.jsonl", **how
    )
    score_stored_run(run_id=run.pk)
    return Run.objects.get(pk=run.pk)


def board_of_file(collection: Collection, path: Path, folder: Path) -> Board:
    """The board of a release that holds nothing but a ground truth made elsewhere."""
    files = folder / "files"
    files.mkdir()
    (files / "test.json").write_bytes(path.read_bytes())
    (files / "manifest.json").write_text("{}")
    hashes = {}
    for name in ("test.json", "manifest.json"):
        with (files / name).open("rb") as file:
            hashes[name] = archive.sha256_of(file)
    packed = folder / "archive.tar.gz"
    archive_sha256 = archive.pack(files, packed, "v1")
    release = Release.objects.create(
        collection=collection,
        name="elsewhere",
        created_at=timezone.now(),
        formats=["tvr-ranking"],
        content_hash="",
        manifest={"files": {"test.json": {"sha256": hashes["test.json"][0], "size": hashes["test.json"][1]}}},
        manifest_sha256=hashes["manifest.json"][0],
        archive=archive.keep(packed, "releases/elsewhere.tar.gz"),
        archive_sha256=archive_sha256,
    )
    return open_board(release=release, split="test")
