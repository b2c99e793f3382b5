"""Run the checks on captions: models and the collection's thresholds applied."""

from collections import defaultdict
from collections.abc import Iterator, Mapping
from dataclasses import asdict, dataclass, field, replace
from functools import lru_cache
from itertools import repeat
from typing import Any

import numpy as np
from django.db.models import QuerySet

from corpus.models import Description
from foundation.collections.cast import parse_cast
from foundation.models import Collection, RewritingStyle
from queries.checks.faithfulness import Faithfulness, compare
from queries.checks.swaps import Swap
from queries.checks.thresholds import Limits, limits_for, names_pass, similarity_passes
from queries.checks.word_alignment import kept_passes
from queries.language.first_names import Gender
from queries.language.lexicon import Lexicon, build_lexicon, leftover_names
from queries.language.mentions import why_no_name
from queries.language.name_tagger import NameSpan, load_tagger
from queries.language.spoken import ENGLISH, knows
from queries.language.words import words
from queries.models import Attempt
from queries.retrieval.embedding_cache import keep
from queries.retrieval.encoder import Encoder, load_encoder

GENDERS: dict[str, Gender] = {"f": "woman", "m": "man"}
"""A cast list's genders, as the lexicon calls them; of the others nothing is known."""


@dataclass(frozen=True, slots=True)
class CheckedCaption:
    """The checks' results for one caption; one without a text fails."""

    similarity: float | None = None
    name_score: float = 0.0
    names: list[str] = field(default_factory=list)
    faithfulness: Faithfulness | None = None
    similarity_passed: bool = False
    names_passed: bool = True
    kept_passed: bool = True
    doubted_names: list[dict[str, Any]] = field(default_factory=list)
    """`Attempt.doubted_names`."""
    encoder: str = ""
    tagger: str = ""
    """The models that were asked; "" for one that doesn't know the language."""

    def as_json(self) -> dict[str, Any]:
        """The result as JSON for a task's return value; `from_json` reads it."""
        return asdict(self)

    @classmethod
    def from_json(cls, fields: dict[str, Any]) -> "CheckedCaption":
        """Read back what `as_json` wrote. Raises: TypeError if it isn't a `CheckedCaption`."""
        faithfulness = fields.get("faithfulness")
        if faithfulness is not None:
            tuples = {name: tuple(faithfulness[name]) for name in ("name_places", "replacements")}
            swaps = tuple(Swap(*swap) for swap in faithfulness.get("swaps", ()))
            faithfulness = Faithfulness(**{**faithfulness, **tuples, "swaps": swaps})
        return cls(**{**fields, "faithfulness": faithfulness})


def limits_of(collection: Collection) -> Limits:
    """The thresholds that a collection's captions have to reach with the encoder that the environment names."""
    return limits_for(collection, load_encoder().label)


def generalises(collection: Collection) -> bool:
    """Whether the collection's style lets persons without a name become more general, too."""
    return collection.rewriting_style == RewritingStyle.DIVERSE


def check_captions(
    collection: Collection,
    lexicon: Lexicon,
    captions: dict[str, str],
    languages: Mapping[str, str],
    *,
    remember: bool = True,
) -> dict[str, CheckedCaption]:
    """Every check for each `description text -> caption text`, with the collection's thresholds.

    Similarity is measured where the encoder knows the language and names are looked for where the tagger does; else
    that check fails, so that a person looks. Words and persons are compared in English alone.

    Args:
        languages: of the descriptions, by text (`languages_of`).
        remember: keep the captions' vectors, from which candidates are fetched later; not for half-typed ones.
    """
    encoder, tagger = load_encoder(), load_tagger()
    checked: dict[str, CheckedCaption] = {}
    by_known: dict[tuple[bool, ...], dict[str, str]] = defaultdict(dict)
    for text, caption in captions.items():
        by_whom = (encoder.languages, tagger.languages, ENGLISH)
        by_known[tuple(knows(known, languages[text]) for known in by_whom)][text] = caption
    for (by_encoder, by_tagger, english), own in by_known.items():
        similarities = _similarities(encoder, own, remember=remember) if by_encoder else [None] * len(own)
        named = (
            zip(*map(tagger.find_names, (list(own), list(own.values()))), strict=True) if by_tagger else repeat(None)
        )
        for (text, caption), similarity, spans in zip(own.items(), similarities, named, strict=False):
            checked[text] = replace(
                _check(collection, lexicon, text, caption, similarity, spans, english=english),
                encoder=encoder.label if by_encoder else "",
                tagger=tagger.model_name if by_tagger else "",
            )
    return checked


def _similarities(encoder: Encoder, captions: Mapping[str, str], *, remember: bool) -> list[float]:
    before, after = list(captions), list(captions.values())
    vectors = encoder.encode([*before, *after])
    if remember:
        # Candidates are fetched by the captions' vectors later: nothing is encoded twice.
        keep(after, vectors[len(before) :])
    similarities: list[float] = np.einsum("ij,ij->i", vectors[: len(before)], vectors[len(before) :]).tolist()
    return similarities


def _check(
    collection: Collection,
    lexicon: Lexicon,
    text: str,
    caption: str,
    similarity: float | None,
    named: tuple[list[NameSpan], list[NameSpan]] | None,
    *,
    english: bool,
) -> CheckedCaption:
    """Args: named: the names in text and caption; None, like `similarity`, where the model wasn't asked."""
    limits = limits_of(collection)
    before, spans = named or ([], [])
    left: list[str] = []
    doubted: list[dict[str, Any]] = []
    if english:
        doubted, spans = _doubted(collection, caption, spans, lexicon, limits)
        left = leftover_names(caption, lexicon)
    faithfulness = compare(text, caption, before, lexicon, generalises=generalises(collection)) if english else None
    tagged = [span.text for span in spans if span.score > limits.name_threshold]
    return CheckedCaption(
        similarity=similarity,
        name_score=max((span.score for span in spans), default=0.0),
        names=list(dict.fromkeys([*tagged, *left])),
        faithfulness=faithfulness,
        similarity_passed=similarity is not None and similarity_passes(similarity, limits.similarity_threshold),
        names_passed=named is not None and names_pass(spans, limits.name_threshold) and not left,
        kept_passed=faithfulness is None or kept_passes(faithfulness.ratio, limits.kept_threshold),
        doubted_names=doubted,
    )


def _doubted(
    collection: Collection, caption: str, spans: list[NameSpan], lexicon: Lexicon, limits: Limits
) -> tuple[list[dict[str, Any]], list[NameSpan]]:
    """The names above the threshold that may be none, and all spans but those that the collection discards for it."""
    parts = words(caption)
    doubted, counted = [], []
    for span in spans:
        reasons = why_no_name(parts, span, lexicon)
        discarded = bool(reasons) and reasons <= set(collection.discarded_names)
        if reasons and span.score > limits.name_threshold:
            told = {"text": span.text, "score": span.score, "reasons": sorted(reasons), "discarded": discarded}
            doubted.append(told)
        if not discarded:
            counted.append(span)
    return doubted, counted


def build_attempt(description: Description, number: int, checked: CheckedCaption) -> Attempt:
    """An unsaved attempt with its checks' results; the caller fills in what made it (`note_maker`)."""
    results = {name: getattr(checked, name) for name in checked.__slots__ if name != "faithfulness"}
    attempt = Attempt(description=description, number=number, **results)
    if checked.faithfulness is not None:
        _note_faithfulness(attempt, checked.faithfulness)
    return attempt


def _note_faithfulness(attempt: Attempt, faithfulness: Faithfulness) -> None:
    attempt.kept_ratio = faithfulness.ratio
    attempt.persons_before, attempt.persons_after = faithfulness.persons_before, faithfulness.persons_after
    attempt.persons_passed = faithfulness.persons_passed
    attempt.name_places = list(faithfulness.name_places)
    attempt.replacements = list(faithfulness.replacements)
    attempt.words_replaced = faithfulness.words_replaced
    attempt.swaps = [swap._asdict() for swap in faithfulness.swaps]
    attempt.gender_passed, attempt.roles_passed, attempt.words_passed = map(
        faithfulness.passes, ("gender", "roles", "words")
    )


def collection_lexicon(collection: Collection) -> Lexicon:
    """The collection's lexicon, learned from its descriptions and cast list once per process and import."""
    newest = collection.descriptions.order_by("-pk").values_list("pk", flat=True).first() or 0
    return _lexicon(collection.pk, newest, collection.cast)


@lru_cache(maxsize=8)
def _lexicon(collection_id: int, newest: int, cast: str) -> Lexicon:
    texts = Description.objects.filter(collection_id=collection_id, pk__lte=newest)
    members = parse_cast(cast)
    genders = {member.name: GENDERS[member.gender] for member in members if member.gender in GENDERS}
    names = [member.name for member in members]
    return build_lexicon(_Texts(texts), names, genders=genders)


class _Texts:
    """Descriptions' texts, read from the database whenever they are gone through."""

    def __init__(self, descriptions: QuerySet[Description]) -> None:
        self._texts = descriptions.order_by("pk").values_list("text", flat=True)

    def __iter__(self) -> Iterator[str]:
        return self._texts.iterator()
