"""What a lead says of the items that teach: the true grade and the reason of worked ones, the reason of an exam's."""

from annotation.judging.watched_clip import refuse_no_grade
from annotation.models import ExamItem, WorkedItem

LONGEST_WHY = 4000


def explain_item(*, item: WorkedItem, grade: int | None, why: str, use: str) -> None:
    """Set a worked item's grade and reason, and whether it is for practice or an example.

    Without a grade it is shown to nobody. Raises: Refused.
    """
    if grade is not None:
        refuse_no_grade(item.collection, grade, "grade")
    item.grade, item.why, item.use = grade, why, use
    item.save(update_fields=["grade", "why", "use"])


def drop_item(*, item: WorkedItem) -> None:
    """Throw a worked item away. Repeating it changes nothing."""
    WorkedItem.objects.filter(pk=item.pk).delete()


def explain_exam_item(*, item: ExamItem, why: str) -> None:
    """Set the reason that the feedback on an exam item gives."""
    item.why = why
    item.save(update_fields=["why"])
