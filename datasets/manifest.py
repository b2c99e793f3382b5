"""A release's manifest: which files, how many of what, made with which settings, models and draw."""

import hashlib
import json
import tomllib
from dataclasses import asdict
from functools import lru_cache
from pathlib import Path
from typing import Any

from django.conf import settings
from django.db.models import Count, QuerySet

from annotation.models import Batch, Judgment, Pair
from annotation.states import rule_of
from corpus.models import Collection
from datasets.adjudicated import ADJUDICATED_FILE
from datasets.splits import DECIDED, SPLITS, Splits, Training, adjudications, graded_pairs
from queries.models import Attempt, Caption, Draw

VERSION = 1
SETTINGS = (
    "query_kinds",
    "pool_kinds",
    "end_slack",
    "similarity_threshold",
    "name_threshold",
    "kept_threshold",
    "max_attempts",
    "review_policy",
    "batch_size",
    "max_batches",
    "extend_threshold",
    "auto_extend_from",
    "auto_finish_to",
    "played_fraction",
    "has_clips",
)


def describe(splits: Splits, training: Training, formats: list[str]) -> dict[str, Any]:
    """All of the manifest that follows from the collection's state: everything but name, time and files."""
    collection = splits.collection
    draw = Draw.objects.filter(collection=collection).first()
    return {
        "manifest_version": VERSION,
        "collection": collection.name,
        "title": collection.title,
        "code": {"name": "qreels", "version": code_version()},
        "formats": formats,
        "adjudication": _adjudication(splits),
        "draw": {"val": draw.val, "test": draw.test, "seed": draw.seed} if draw else None,
        "settings": _settings(collection),
        "models": _models(collection),
        "counts": {
            **{str(split): _split_counts(splits, split) for split in SPLITS},
            "training": {"queries": len(training), "without_candidates": training.without_candidates},
            "videos": {
                "all": len(splits.durations),
                "duration_estimated": splits.estimated,
            },
            "workers": Judgment.objects.filter(
                pair__batch__query__collection=collection, counted=True, pair__status__in=DECIDED
            ).aggregate(workers=Count("annotator", distinct=True))["workers"],
        },
    }


def to_bytes(manifest: dict[str, Any]) -> bytes:
    """The manifest as its file holds it: keys in order, so that equal manifests are equal bytes."""
    text = json.dumps(manifest, ensure_ascii=False, allow_nan=False, indent=2, sort_keys=True)
    return (text + "\n").encode()


def content_hash(manifest: dict[str, Any]) -> str:
    """SHA-256 of a manifest without name and time, and so of all that the release says."""
    return hashlib.sha256(to_bytes(manifest)).hexdigest()


@lru_cache(maxsize=1)
def code_version() -> str:
    """Qreels' version, from its pyproject.toml."""
    with (Path(settings.BASE_DIR) / "pyproject.toml").open("rb") as file:
        return str(tomllib.load(file)["project"]["version"])


def _settings(collection: Collection) -> dict[str, Any]:
    return {name: getattr(collection, name) for name in SETTINGS} | {
        "consensus": {
            **asdict(rule_of(collection)),
            "grade": "mean of the first round's grades (of both rounds': without one highest and one lowest), rounded",
        }
    }


def _models(collection: Collection) -> dict[str, Any]:
    """Who rewrote and checked the accepted captions; a model in a folder is known by the folder's name alone."""
    captions = Caption.objects.filter(description__collection=collection, status=Caption.Status.ACCEPTED)
    attempts = Attempt.objects.filter(pk__in=captions.values("attempt_id"))
    rewriters = (
        attempts.order_by()
        .values("rewriter", "model", "prompt_version", "temperature", "seed")
        .annotate(captions=Count("pk"))
    )
    return {
        "rewriters": sorted(
            ({**rewriter, "model": _public_name(rewriter["model"])} for rewriter in rewriters), key=repr
        ),
        "encoders": _names(attempts, "encoder"),
        "taggers": _names(attempts, "tagger"),
    }


def _names(attempts: QuerySet[Attempt], field: str) -> list[str]:
    names = attempts.order_by().values_list(field, flat=True).distinct()
    return sorted({_public_name(name) for name in names if name})


def _public_name(model: str) -> str:
    # A model may be configured as a folder of this machine, whose place is nobody's business.
    return Path(model).name if Path(model).is_absolute() or model.startswith((".", "~")) else model


def _adjudication(splits: Splits) -> dict[str, Any]:
    """Whether grades of the lead for discarded pairs are among the others, and how many."""
    if not splits.adjudicated:
        return {"included": False}
    return {
        "included": True,
        "file": ADJUDICATED_FILE,
        "pairs": {str(split): adjudications(splits.collection, split).count() for split in SPLITS},
    }


def _split_counts(splits: Splits, split: str) -> dict[str, Any]:
    collection = splits.collection
    pairs = Pair.objects.filter(batch__query__collection=collection, batch__query__split=split)
    by_status = _count(pairs, "status")
    graded_in_all = graded_pairs(collection, split, adjudicated=splits.adjudicated)
    grades = _count(graded_in_all, "final_grade")
    counted = Judgment.objects.filter(pair__in=pairs.filter(status__in=DECIDED), counted=True)
    late = counted.filter(pair__status=Pair.Status.CONSENSUS, round=2).aggregate(pairs=Count("pair", distinct=True))[
        "pairs"
    ]
    graded = by_status.get(Pair.Status.CONSENSUS, 0)
    batches = Batch.objects.filter(query__collection=collection, query__split=split)
    drawn = collection.queries.filter(split=split).count()
    queries = graded_in_all.aggregate(queries=Count("batch__query", distinct=True))["queries"]
    return {
        "queries_drawn": drawn,
        "queries": queries,
        "queries_without_grade": drawn - queries,
        "queries_finished": batches.filter(status=Batch.Status.FINISHED).count(),
        "queries_extended": batches.filter(number=2).count(),
        "pairs": sum(grades.values()),
        "pairs_by_grade": {str(grade): grades.get(grade, 0) for grade in range(5)},
        "pairs_graded_in_round_one": graded - late,
        "pairs_graded_in_round_two": late,
        "pairs_discarded": by_status.get(Pair.Status.DISCARDED, 0),
        "pairs_withdrawn": by_status.get(Pair.Status.WITHDRAWN, 0),
        "pairs_undecided": by_status.get(Pair.Status.OPEN, 0) + by_status.get(Pair.Status.DISPUTED, 0),
        "judgments": counted.count(),
    }


def _count(pairs: QuerySet[Pair], field: str) -> dict[Any, int]:
    return dict(pairs.order_by().values_list(field).annotate(Count("pk")))
