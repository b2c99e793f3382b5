"""Validate a grade, also in practice and exam: on the scale, given after the clip was watched, and the first."""

from django.utils.translation import gettext as _

from annotation.grades import names_up_to
from foundation.models import Collection


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


def graded_before(grade: int) -> str:
    """What somebody is told who grades a pair again: the grade that they gave first, and that it counts."""
    number, name = names_up_to(grade)[-1]
    return _("You had graded that clip already. Your grade %(grade)s (%(name)s) counts; undo takes it back.") % {
        "grade": number,
        "name": name,
    }
