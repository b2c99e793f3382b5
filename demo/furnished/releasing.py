"""What comes of the judging: releases, and a board with three systems' runs."""

import json
import tempfile
from pathlib import Path

from datasets.leaderboard.runs import add_run, open_board
from datasets.leaderboard.scoring import score_stored_run
from datasets.models import Run
from datasets.releases.make_release import create_release, write_release
from demo.runs import write_overlap_run
from foundation.models import Collection
from queries.models import Candidate, Split

ABOUT = {
    "licence": "CC0-1.0",
    "authors": "Theatre, Ada",
    "limitations": "The videos are animated paper, and the people who judged them are simulated.",
}


def make_release(collection: Collection, name: str, *, adjudicated: bool = False) -> None:
    """A release of the present state, or the one of that name that is there."""
    create_release(collection=collection, name=name, adjudicated=adjudicated, about=ABOUT)


def score_runs(collection: Collection, name: str) -> None:
    """Three systems on the release's test split: shared words, similarity of captions, and that with loose times."""
    release = collection.releases.get(name=name)
    board = open_board(release=release, split=Split.TEST)
    lead = collection.memberships.order_by("pk")[0]
    with tempfile.TemporaryDirectory(prefix="qreels-runs-") as scratch:
        folder = Path(scratch)
        write_release(release=release, folder=folder / "release")
        truth = folder / "release" / "test.json"
        write_overlap_run(collection, truth, folder / "word-overlap.jsonl")
        _write_similarity_run(collection, truth, folder / "caption-similarity.jsonl", widened=0.0)
        _write_similarity_run(collection, truth, folder / "loose-windows.jsonl", widened=0.45)
        for path in sorted(folder.glob("*.jsonl")):
            with path.open("rb") as file:
                run = add_run(board=board, member=lead, file=file, file_name=path.name)
            if run.state != Run.State.SCORED:
                score_stored_run(run_id=run.pk)


def _write_similarity_run(collection: Collection, truth: Path, path: Path, *, widened: float) -> None:
    """The query's candidates by the similarity of their captions, each window `widened` by that part of its length."""
    rows = Candidate.objects.filter(query__collection=collection, query__split=Split.TEST).order_by("query", "rank")
    predictions: dict[str, list[dict[str, object]]] = {}
    for text, video, start, end, similarity in rows.values_list(
        "query__text", "moment__video__name", "moment__start", "moment__end", "similarity"
    ):
        more = widened * (end - start)
        window = [round(max(0.0, start - more), 3), round(end + more, 3)]
        score = round(similarity or 0.0, 6)
        predictions.setdefault(text, []).append({"video_name": video, "timestamp": window, "score": score})
    with path.open("w") as file:
        for query in json.loads(truth.read_text()):
            row = {"query_id": query["query_id"], "predictions": predictions.get(query["query"], [])}
            file.write(json.dumps(row) + "\n")
