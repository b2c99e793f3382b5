"""Captions put through the checks: the models asked, the collection's thresholds applied."""

from dataclasses import dataclass
from functools import lru_cache

import numpy as np

from corpus.models import Collection, Description
from queries.checks import Lexicon, build_lexicon, leftover_names, names_pass, similarity_passes
from queries.embeddings import keep
from queries.encoder import load_encoder
from queries.models import Attempt
from queries.tagger import load_tagger


@dataclass(frozen=True, slots=True)
class Checked:
    """What the checks say of one caption."""

    similarity: float | None
    name_score: float
    names: list[str]
    similarity_passed: bool
    names_passed: bool


def check_captions(collection: Collection, lexicon: Lexicon, captions: dict[str, str]) -> dict[str, Checked]:
    """Both checks for each `description text -> caption text`, with the collection's thresholds."""
    if not captions:
        return {}
    before, after = list(captions), list(captions.values())
    vectors = load_encoder().encode([*before, *after])
    # Candidates are fetched by the captions' vectors later: nothing is encoded twice.
    keep(after, vectors[len(before) :])
    similarities = np.einsum("ij,ij->i", vectors[: len(before)], vectors[len(before) :])
    checked = {}
    for text, caption, similarity, spans in zip(
        before, after, similarities, load_tagger().find_names(after), strict=True
    ):
        left = leftover_names(caption, lexicon)
        found = [span.text for span in spans if span.score > collection.name_threshold]
        checked[text] = Checked(
            similarity=float(similarity),
            name_score=max((span.score for span in spans), default=0.0),
            names=list(dict.fromkeys([*found, *left])),
            similarity_passed=similarity_passes(float(similarity), collection.similarity_threshold),
            names_passed=names_pass(spans, collection.name_threshold) and not left,
        )
    return checked


def build_attempt(description: Description, number: int, checked: Checked) -> Attempt:
    """An attempt, not stored yet, with what the checks said; who made it is for the caller to fill in."""
    return Attempt(
        description=description,
        number=number,
        encoder=load_encoder().model_name,
        tagger=load_tagger().model_name,
        similarity=checked.similarity,
        name_score=checked.name_score,
        names=checked.names,
        similarity_passed=checked.similarity_passed,
        names_passed=checked.names_passed,
    )


def collection_lexicon(collection: Collection) -> Lexicon:
    """What the collection's descriptions betray about its cast; learned once a process and import."""
    newest = collection.descriptions.order_by("-pk").values_list("pk", flat=True).first() or 0
    return _lexicon(collection.pk, newest)


@lru_cache(maxsize=8)
def _lexicon(collection_id: int, newest: int) -> Lexicon:
    texts = Description.objects.filter(collection_id=collection_id, pk__lte=newest)
    return build_lexicon(texts.order_by("pk").values_list("text", flat=True))
