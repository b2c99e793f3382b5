"""Validate a grade, also in practice and exam: on the scale, and given after the clip was watched."""

from django.utils.translation import gettext as _

from corpus.models import Collection


class JudgmentRefused(Exception):
    """The judgment or undo is refused; the message is for the annotator. Nothing was changed."""


class GradeRefused(JudgmentRefused):
    """The grade isn't on the collection's scale, or too little of the clip was watched."""


def refuse_bad_grade(collection: Collection, grade: int, played: float | None) -> None:
    """Raises: GradeRefused."""
    if not 0 <= grade <= collection.top_grade:
        raise GradeRefused(_("A grade is a number from 0 to %(most)s.") % {"most": collection.top_grade})
    if collection.has_clips and (played is None or played < collection.played_fraction):
        raise GradeRefused(
            _("Watch at least %(part)s%% of the clip first; nothing was saved for it.")
            % {"part": f"{100 * collection.played_fraction:.0f}"}
        )
