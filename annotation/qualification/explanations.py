"""What a lead says of the items that teach: the true grade and the reason of worked ones, the reason of an exam's."""

from django.utils.translation import gettext

from annotation.models import ExamItem, WorkedItem
from foundation.models import Collection
from foundation.refused import Refused

LONGEST_WHY = 4000


def explain_item(*, item: WorkedItem, grade: int | None, why: str, use: str) -> None:
    """Set a worked item's grade and reason, and whether it is for practice or an example.

    Without a grade it is shown to nobody. Raises: Refused.
    """
    if grade is not None and not 0 <= grade <= item.collection.top_grade:
        raise Refused(wrong_grade(item.collection), "grade")
    item.grade, item.why, item.use = grade, why, use
    item.save(update_fields=["grade", "why", "use"])


def wrong_grade(collection: Collection) -> str:
    """Which grades there are."""
    return gettext("A grade is a number from 0 to %(top_grade)s.") % {"top_grade": collection.top_grade}


def drop_item(*, item: WorkedItem) -> None:
    """Throw a worked item away. Repeating it changes nothing."""
    WorkedItem.objects.filter(pk=item.pk).delete()


def explain_exam_item(*, item: ExamItem, why: str) -> None:
    """Set the reason that the feedback on an exam item gives."""
    item.why = why
    item.save(update_fields=["why"])
