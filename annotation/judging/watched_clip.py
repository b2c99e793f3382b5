"""Validate a grade, also in practice and exam: on the scale, given after the clip was watched, and the first."""

from django.utils.translation import gettext as _

from annotation.scale import scale_of
from foundation.models import Collection
from foundation.refused import Refused


def refuse_bad_grade(collection: Collection, grade: int, played: float | None) -> None:
    """Raises: Refused."""
    refuse_no_grade(collection, grade)
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


def refuse_no_grade(collection: Collection, grade: int, field: str = "") -> None:
    """Raises: Refused for a number that is none of the scale's."""
    if grade not in scale_of(collection).grades:
        raise Refused(wrong_grade(collection), field)


def wrong_grade(collection: Collection) -> str:
    """Which grades there are."""
    if collection.grade_step > 1:
        words = _("A grade is a number from 0 to %(most)s in steps of %(step)s.")
    else:
        words = _("A grade is a number from 0 to %(most)s.")
    return words % {"most": collection.top_grade, "step": collection.grade_step}


def graded_before(collection: Collection, grade: int) -> str:
    """What somebody is told who grades a pair again: the grade that they gave first, and that it counts."""
    name = scale_of(collection).word(grade)
    words = (
        _("You had graded that clip already. Your grade %(grade)s (%(name)s) counts; undo takes it back.")
        if name
        else _("You had graded that clip already. Your grade %(grade)s counts; undo takes it back.")
    )
    return words % {"grade": grade, "name": name}
