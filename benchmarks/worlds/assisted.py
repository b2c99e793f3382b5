"""A collection some of whose queries people have judged, with what people would say of all, runs and machine judges."""

import io
import json
from dataclasses import dataclass
from typing import Any

import numpy as np

TOP = 4
SECONDS = 10


@dataclass(frozen=True)
class Assisted:
    """`grades`: shape (queries, pool), what people say of each pair; of the first `judged` queries they have said it.
    A query's pair of rank r is the moment r of the video that has the query's place in its name."""

    collection: Any
    grades: np.ndarray
    judged: int

    def row(self, query: int, score: np.ndarray) -> dict[str, Any]:
        """A run's answer to a query: its pool by falling score."""
        order = np.argsort(-score, kind="stable").tolist()
        return {
            "query_id": f"q{query}",
            "predictions": [
                {
                    "video_name": f"v{query}",
                    "timestamp": [SECONDS * place, SECONDS * place + 8],
                    "score": round(float(score[place]), 4),
                }
                for place in order
            ],
        }

    def run(self, noise: float, *, seed: int, queries: int | None = None) -> bytes:
        """A run that ranks by grade and noise, over all queries or the first ones."""
        score = self.grades + np.random.default_rng(seed).normal(0, noise, self.grades.shape)
        rows = (self.row(query, score[query]) for query in range(queries or len(score)))
        return "".join(json.dumps(row) + "\n" for row in rows).encode()


def build_assisted_world(name: str, *, queries: int, judged: int, pool: int, seed: int = 1) -> Assisted:
    """The collection, in whose split test all is, drawn in the order of the ids; its lead is `ada`."""
    from annotation.models import Batch, Pair
    from corpus.models import Description, Moment, Video
    from foundation.collections.members import add_member
    from foundation.models import Account, Collection
    from queries.models import Candidate, Draw, Query

    rng = np.random.default_rng(seed)
    richness = rng.beta(0.8, 1.4, queries)
    grades = rng.binomial(TOP, richness[:, None] * rng.beta(1, 1.5, (queries, pool)))
    collection = Collection.objects.create(name=name, title="Assisted", has_clips=False, batch_size=pool)
    account = Account.objects.filter(username="ada").first() or Account.objects.create_user("ada")
    add_member(collection=collection, account=account, role="lead")
    videos = Video.objects.bulk_create(
        Video(collection=collection, name=f"v{query}", duration=SECONDS * pool) for query in range(queries)
    )
    moments = Moment.objects.bulk_create(
        [
            Moment(video=video, start=SECONDS * place, end=SECONDS * place + 8)
            for video in videos
            for place in range(pool)
        ],
        batch_size=5_000,
    )
    described = Description.objects.bulk_create(
        Description(
            collection=collection,
            moment=moments[query * pool],
            source_id=f"q{query}",
            text=f"Rosa opens door {query}.",
            normalised=f"rosa opens door {query}.",
        )
        for query in range(queries)
    )
    asked = Query.objects.bulk_create(
        Query(
            collection=collection,
            description=description,
            split="test",
            text=f"A woman opens door {query}.",
            normalised=f"a woman opens door {query}.",
            position=query + 1,
        )
        for query, description in enumerate(described)
    )
    Draw.objects.create(collection=collection, val=0, test=queries, seed=seed)
    candidates = Candidate.objects.bulk_create(
        [
            Candidate(query=query, moment=moments[place], rank=place % pool + 1)
            for number, query in enumerate(asked)
            for place in range(number * pool, (number + 1) * pool)
        ],
        batch_size=5_000,
    )
    batches = Batch.objects.bulk_create(
        Batch(collection=collection, query=query, number=1, status=Batch.Status.FINISHED) for query in asked[:judged]
    )
    Pair.objects.bulk_create(
        [
            Pair(batch=batches[place // pool], candidate=candidate, status=Pair.Status.CONSENSUS, grade=grade)
            for place, (candidate, grade) in enumerate(zip(candidates, grades[:judged].ravel().tolist(), strict=False))
        ],
        batch_size=5_000,
    )
    _without_training(collection)
    return Assisted(collection, grades, judged)


def _without_training(collection: Any) -> None:
    """The arrays that `fetch_candidates` leaves where there is no pseudo-training query."""
    from django.core.files.base import ContentFile
    from django.core.files.storage import default_storage

    from queries.pooling.candidates import training_file

    none = np.empty((0, collection.depth), dtype=np.int64)
    buffer = io.BytesIO()
    similarities = none.astype(np.float32)
    np.savez(
        buffer,
        descriptions=none[:, 0],
        moments=none,
        captions=none,
        similarities=similarities,
        encoder="",
        search=0,
    )
    default_storage.save(training_file(collection), ContentFile(buffer.getvalue()))


def add_judge(world: Assisted, name: str, grades: np.ndarray, *, family: str = "CLIP") -> Any:
    """A machine judge that says these grades, shape (queries, pool); it abstains where they are negative."""
    from annotation.models import MachineJudge, MachineJudgment
    from queries.models import Candidate

    judge = MachineJudge.objects.create(
        collection=world.collection, name=name, kind="file", model=f"{name}-1", family=family
    )
    candidates = Candidate.objects.filter(query__collection=world.collection).order_by("query__position", "rank")
    said = zip(candidates.values_list("pk", flat=True), grades.ravel().tolist(), strict=True)
    MachineJudgment.objects.bulk_create(
        [
            MachineJudgment(
                judge=judge,
                candidate_id=candidate,
                grade=None if grade < 0 else grade,
                abstained="other" if grade < 0 else "",
            )
            for candidate, grade in said
        ],
        batch_size=5_000,
    )
    return judge


def add_board_run(release: Any, name: str, content: bytes, *, family: str = "", compared: bool = True) -> Any:
    """A run on the board of test, scored and compared with the others, or only said to be."""
    from datasets.leaderboard.runs import add_run, open_board
    from datasets.leaderboard.scoring import score_stored_run
    from datasets.models import Run

    board = open_board(release=release, split="test")
    run = add_run(board=board, member=None, file=io.BytesIO(content), file_name=f"{name}.jsonl", family=family)
    if compared:
        score_stored_run(run_id=run.pk)
    else:
        Run.objects.filter(pk=run.pk).update(state=Run.State.SCORED)
    return Run.objects.get(pk=run.pk)
