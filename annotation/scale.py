"""The scale of a collection's grades."""

from evaluation.reading.grade_scale import GradeScale
from foundation.models import Collection


def scale_of(collection: Collection) -> GradeScale:
    """Which grades there are."""
    return GradeScale(collection.top_grade, collection.grade_step)
