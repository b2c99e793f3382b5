"""The known grades of gold, told to who has answered it where the collection tells them."""

from collections.abc import Sequence
from datetime import datetime

from django.utils.translation import gettext as _

from annotation.assignment.gold import sitting_of
from annotation.models import Repeat, RepeatAnswer
from foundation.models import Collection
from foundation.models.collection_settings import GoldFeedback


def tell_known(answer: RepeatAnswer, collection: Collection, now: datetime) -> str:
    """What is told with an answer: the known grades of its sitting, once nothing of it waits. "" for nothing.

    Not before: the rest of the sitting would be known for gold. What was told can't be taken back.
    """
    if answer.repeat.gold_id is None or collection.gold_feedback != GoldFeedback.AT_ONCE or answer.taken_back_at:
        return ""
    sitting = Repeat.objects.filter(**sitting_of(answer.repeat))
    if sitting.filter(closed_at=None).exists():
        return ""
    untold = RepeatAnswer.objects.filter(repeat__in=sitting, taken_back_at=None, told_at=None)
    untold.update(told_at=now)
    return told_with(answer, now)


def told_with(answer: RepeatAnswer, at: datetime) -> str:
    """What was told with an answer at that time; "" for nothing. One SQL query."""
    told = RepeatAnswer.objects.filter(annotator=answer.annotator_id, told_at=at, taken_back_at=None)
    return _sentences(list(told.select_related("repeat__gold", "repeat__pair__batch__query").order_by("given_at")))


def _sentences(told: Sequence[RepeatAnswer]) -> str:
    if not told:
        return ""
    query = told[0].repeat.pair.batch.query.text
    sentences = [_("The grades of your last clips for “%(query)s” were known.") % {"query": query}]
    for answer in told:
        gold = answer.repeat.gold
        assert gold is not None, "only gold is told"
        sentence = _("You: %(yours)s, known: %(known)s.") % {"yours": answer.grade, "known": gold.grade}
        sentences += [sentence, gold.explanation] if gold.explanation else [sentence]
    return " ".join(sentences)
