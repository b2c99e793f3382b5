"""A release's manifest: files, counts, settings, models, draw."""

import hashlib
import subprocess
import tomllib
from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import asdict
from datetime import date
from functools import lru_cache
from pathlib import Path
from typing import Any

from django.conf import settings
from django.db.models import Count, QuerySet
from django.utils import translation

from annotation.batches.transitions import rule_of
from annotation.consensus import Rule
from annotation.consensus_in_words import rule_in_words
from annotation.models import Guideline, Judgment, Pair
from annotation.people.timesheet import all_together, work_days
from annotation.scale import scale_of
from corpus.models import Video
from datasets.content.making import describe_making
from datasets.content.public_names import public_name
from datasets.content.split_counts import split_counts
from datasets.content.splits import DECIDED, SPLITS, Splits, adjudications
from datasets.content.statistics import describe_statistics
from datasets.content.training import Training
from datasets.releases.adjudicated_csv import ADJUDICATED_FILE
from evaluation.releases.manifest import VERSION, to_bytes
from foundation.infra.progress import Advance
from foundation.models import Collection
from foundation.models.collection_settings import GoldFeedback
from queries.checks.run_checks import limits_of
from queries.models import Attempt, CandidateSearch, Caption, Draw, RewriteJob
from queries.pooling.query_columns import query_language

__all__ = ["code_revision", "code_version", "describe", "to_bytes"]
SETTINGS = (
    "query_kinds",
    "pool_kinds",
    "end_slack",
    "rewriting_style",
    "similarity_threshold",
    "name_threshold",
    "discarded_names",
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


def describe(
    splits: Splits,
    training: Training,
    formats: list[str],
    depths: Sequence[int],
    progress: Advance,
    about: Mapping[str, str],
) -> dict[str, Any]:
    """The manifest's content that follows from the collection's state: all but name, time and files.

    It speaks of topics, of pairs without similarity and of an approximate search, where there are any.
    """
    collection = splits.collection
    content = {
        "manifest_version": VERSION,
        "collection": collection.name,
        "title": collection.title,
        "languages": _languages(collection),
        "code": {"name": "qreels", "version": code_version(), "revision": code_revision()},
        "formats": formats,
        "training_depths": list(depths),
        "about": about,
        "work": _work(collection),
        "adjudication": _adjudication(splits),
        "draw": _draw(collection),
        "settings": _settings(collection),
        "models": _models(collection) | {"rankers": _rankers(collection, training)},
        "guideline": _guideline(collection),
        "counts": {
            **{split: split_counts(splits, split) for split in SPLITS},
            "training": {"queries": len(training), "without_candidates": training.without_candidates},
            "moments": len(splits.places),
            "descriptions": collection.descriptions.count(),
            "captions": dict(
                Caption.objects.filter(description__collection=collection)
                .order_by()
                .values_list("status")
                .annotate(Count("pk"))
            ),
            "videos": {
                "all": len(splits.durations),
                "duration_estimated": splits.estimated,
            },
            "workers": Judgment.objects.filter(
                pair__batch__query__collection=collection, counted=True, pair__status__in=DECIDED
            ).aggregate(workers=Count("annotator", distinct=True))["workers"],
        },
        "statistics": describe_statistics(splits, training.descriptions, training.top_moments(), progress),
        "making": describe_making(collection),
    }
    searched = _approximate_search(collection, training)
    about_videos = _scale(collection) | _content(collection)
    return content | about_videos | _topics(collection) | _without_similarity(collection) | searched


def _scale(collection: Collection) -> dict[str, Any]:
    """`scale`: number, words, descriptions and colours of its grades, where they aren't the paper's."""
    scale = scale_of(collection)
    return {} if scale.is_paper else {"scale": scale.as_json()}


def _content(collection: Collection) -> dict[str, Any]:
    """`content`: how many videos have each mark of what somebody may not want to see, and the ages asked for; only
    where there is any."""
    videos = Video.objects.filter(collection=collection)
    marked = videos.exclude(content=[], minimum_age=0).values_list("content", "minimum_age")
    kinds: Counter[str] = Counter()
    ages: Counter[int] = Counter()
    for content, age in marked:
        kinds.update(content)
        ages.update([age] if age else [])
    found = {
        "minimum_age": collection.minimum_age,
        "kinds": dict(sorted(kinds.items())),
        "ages": {str(age): count for age, count in sorted(ages.items())},
        "hidden": videos.filter(hidden_regions__isnull=False).distinct().count(),
    }
    return {"content": found} if any(found.values()) else {}


def _draw(collection: Collection) -> dict[str, Any] | None:
    """The draw that stands; `each_caption` where equal captions had a chance each."""
    draw = Draw.objects.filter(collection=collection).first()
    if draw is None:
        return None
    facts = {name: getattr(draw, name) for name in ("val", "test", "seed", "stratify")}
    return facts | ({"each_caption": True} if draw.each_caption else {})


def _topics(collection: Collection) -> dict[str, Any]:
    """`topics`: how many queries of either split are topics, how many of all have a narrative, and who wrote them;
    `drawn`: how many other queries there are."""
    topics = collection.queries.filter(description__isnull=True)
    if not topics.exists():
        return {}
    authors = topics.exclude(written_by="").order_by().values_list("written_by", flat=True).distinct()
    counted = {split: topics.filter(split=split).count() for split in SPLITS}
    return {
        "topics": {
            **counted,
            "narratives": topics.exclude(narrative="").count(),
            "written_by": sorted(authors),
            "drawn": collection.queries.filter(description__isnull=False).count(),
        }
    }


def _without_similarity(collection: Collection) -> dict[str, Any]:
    """`pairs_without_similarity`: opened pairs whose moment was found without captions."""
    bare = Pair.objects.filter(batch__collection=collection, candidate__similarity__isnull=True).count()
    return {"pairs_without_similarity": bare} if bare else {}


def _approximate_search(collection: Collection, training: Training) -> dict[str, Any]:
    """`approximate_search`: the searches that found candidates of val and test queries, and of how many of these, or
    those of the pseudo-training queries, each with its recall; {} where all are exact."""
    counted = dict(
        collection.queries.filter(search__isnull=False).order_by().values_list("search").annotate(Count("pk"))
    )
    searches = CandidateSearch.objects.filter(pk__in=[*counted, training.search]).order_by("pk")
    facts = [
        {
            "recall": round(search.recall, 4),
            "least_recall": search.least_recall,
            "depth": search.depth,
            "sample": search.sample,
            "texts": search.texts,
            "probes": search.probes,
            "shortlist": search.shortlist,
            "queries": counted.get(search.pk, 0),
            "training": search.pk == training.search,
        }
        for search in searches
    ]
    return {"approximate_search": facts} if facts else {}


def _work(collection: Collection) -> dict[str, Any]:
    """What all judging of the collection so far took: people, paid hours, pay (None where a rate is missing), and the
    hours of these that were practice and exam, where they are paid."""
    every = all_together(work_days(collection, first=date(2000, 1, 1), last=date(9999, 12, 31)))
    judging = every.judging_hours if every else 0
    return {
        "people": collection.memberships.filter(judgments__isnull=False).distinct().count(),
        "hours": float(every.hours) if every else 0.0,
        "pay": float(every.pay) if every and every.pay is not None else None,
        "currency": collection.currency,
        "pay_per_hour": None if collection.pay_per_hour is None else float(collection.pay_per_hour),
        **({"training_hours": float(every.hours - judging)} if every and every.hours > judging else {}),
    }


@lru_cache(maxsize=1)
def code_revision() -> str | None:
    """The running commit, with "+" if files differ from it; None outside a git checkout."""
    try:
        outputs = [
            subprocess.run(
                ["git", *arguments], cwd=settings.BASE_DIR, capture_output=True, text=True, check=True, timeout=20
            ).stdout.strip()
            for arguments in (["rev-parse", "HEAD"], ["status", "--porcelain", "--untracked-files=no"])
        ]
    except (OSError, subprocess.SubprocessError):
        return None
    return outputs[0] + ("+" if outputs[1] else "")


@lru_cache(maxsize=1)
def code_version() -> str:
    """Qreels' version, from its pyproject.toml."""
    with (Path(settings.BASE_DIR) / "pyproject.toml").open("rb") as file:
        return str(tomllib.load(file)["project"]["version"])


def _settings(collection: Collection) -> dict[str, Any]:
    rule = rule_of(collection)
    told = (*SETTINGS, "evidence") if collection.more_than_pictures else SETTINGS
    if collection.has_clips and collection.compare_clips:
        told = (*told, "compare_clips")
    if collection.gold_feedback != GoldFeedback.NEVER:
        told = (*told, "gold_feedback")
    return {name: getattr(collection, name) for name in told} | {
        # What the collection leaves to the calibration is told as it holds.
        **asdict(limits_of(collection)),
        "consensus": {
            **rule.told(),
            "grade": _grade_in_words(rule),
        },
    }


def _grade_in_words(rule: Rule) -> str:
    """What a pair's grade is, by the rule."""
    if (rule.kind, rule.trimmed) == ("paper", 1):
        return "mean of the first round's grades (of both rounds': without one highest and one lowest), rounded"
    with translation.override("en"):
        return rule_in_words(rule)


def _models(collection: Collection) -> dict[str, Any]:
    """The models that rewrote and checked the accepted captions; local models by their folder's name."""
    captions = Caption.objects.filter(description__collection=collection, status=Caption.Status.ACCEPTED)
    attempts = Attempt.objects.filter(pk__in=captions.values("attempt_id"))
    rewriters = (
        attempts.order_by()
        .values("rewriter", "model", "prompt_version", "temperature", "seed")
        .annotate(captions=Count("pk"))
    )
    return {
        "rewriters": sorted(
            ({**rewriter, "model": public_name(rewriter["model"])} for rewriter in rewriters), key=repr
        ),
        "encoders": _names(attempts, "encoder"),
        "taggers": _names(attempts, "tagger"),
        "prompts": _prompts(attempts),
    }


def _languages(collection: Collection) -> list[str]:
    """The languages that descriptions and topics state (BCP 47); the collection's, of queries that state none."""
    stated = collection.descriptions.exclude(language="").order_by().values_list("language", flat=True).distinct()
    queries = collection.queries.order_by().values_list(query_language(), flat=True).distinct()
    return sorted({*stated, *(language or collection.language for language in queries)})


def _prompts(attempts: QuerySet[Attempt]) -> list[dict[str, str]]:
    """The prompts behind accepted captions: version, and SHA-256 of the prompt as sent, context included."""
    jobs = RewriteJob.objects.filter(pk__in=attempts.exclude(answer=None).values("answer__exchange__job"))
    sent = {(job.prompt_version, hashlib.sha256(job.instructions.encode()).hexdigest()) for job in jobs}
    return [{"version": version, "sha256": sha256} for version, sha256 in sorted(sent)]


def _rankers(collection: Collection, training: Training) -> dict[str, list[str]]:
    """The encoders that ranked candidates, name@fingerprint of the weights."""
    queries = collection.queries.exclude(ranked_by="").order_by().values_list("ranked_by", flat=True).distinct()
    return {
        "queries": sorted({public_name(name) for name in queries}),
        "training": [public_name(training.encoder)] if training.encoder else [],
    }


def _guideline(collection: Collection) -> dict[str, Any]:
    """The versions that were published, each with the SHA-256 of its text, and the judgments given under each."""
    judged = Judgment.objects.filter(pair__batch__query__collection=collection, counted=True, pair__status__in=DECIDED)
    return {
        "versions": [
            {
                "version": guideline.version,
                "published": guideline.published_at.date().isoformat(),
                "sha256": hashlib.sha256(guideline.source.encode()).hexdigest(),
            }
            for guideline in Guideline.objects.filter(collection=collection).order_by("version")
        ],
        "judgments_by_version": {
            str(version): count
            for version, count in judged.order_by("guideline").values_list("guideline").annotate(Count("pk"))
        },
    }


def _names(attempts: QuerySet[Attempt], field: str) -> list[str]:
    names = attempts.order_by().values_list(field, flat=True).distinct()
    return sorted({public_name(name) for name in names if name})


def _adjudication(splits: Splits) -> dict[str, Any]:
    """Whether the lead's grades of discarded pairs are included, and how many there are."""
    if not splits.adjudicated:
        return {"included": False}
    return {
        "included": True,
        "file": ADJUDICATED_FILE,
        "pairs": {split: adjudications(splits.collection, split).count() for split in SPLITS},
    }
