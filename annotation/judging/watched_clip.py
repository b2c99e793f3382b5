"""Validation of a grade, of practice and exam too: on the scale, and given after the clip was seen."""

from corpus.models import Collection


class JudgmentRefused(Exception):
    """The judgment or undo can't be taken; the message is for the annotator, nothing was changed."""


class NotWatched(JudgmentRefused):
    """The grade isn't on the collection's scale, or too little of the clip was seen."""


def refuse_unseen(collection: Collection, grade: int, played: float | None) -> None:
    """Raises: NotWatched."""
    if not 0 <= grade <= collection.top_grade:
        raise NotWatched(f"A grade is a number from 0 to {collection.top_grade}.")
    if collection.has_clips and (played is None or played < collection.played_fraction):
        raise NotWatched(
            f"Watch at least {collection.played_fraction:.0%} of the clip first; nothing was saved for it."
        )
