"""Captions for the theatre's moments, made without a rewriter."""

from corpus.models import Moment
from foundation.text import normalise
from queries.models import Attempt, Caption


def have_caption(moment: Moment) -> Caption:
    """An accepted caption of the moment's first description."""
    description = moment.descriptions.order_by("pk")[0]
    text = f"Somebody does something, number {description.source_id}."
    attempt = Attempt.objects.create(
        description=description, number=1, text=text, rewriter="rules", similarity_passed=True, names_passed=True
    )
    return Caption.objects.create(
        description=description, attempt=attempt, text=text, normalised=normalise(text), status="accepted"
    )
