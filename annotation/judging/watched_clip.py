"""Validate a grade, also in practice and exam: on the scale, given after the clip was watched, and the first."""

from django.utils.translation import gettext as _

from annotation.grades import names_up_to
from foundation.models import Collection
from foundation.refused import Refused


def refuse_bad_grade(collection: Collection, grade: int, played: float | None) -> None:
    """Raises: Refused."""
    if not 0 <= grade <= collection.top_grade:
        raise Refused(_("A grade is a number from 0 to %(most)s.") % {"most": collection.top_grade})
    if collection.has_clips and (played is None or played < collection.played_fraction):
        if collection.counts_sound:
            raise Refused(
                _("Listen to at least %(part)s%% of the clip first, with the sound on; nothing was saved for it.")
                % {"part": f"{100 * collection.played_fraction:.0f}"}
            )
        raise Refused(
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
