"""Sums of the survey: made once of each person, then frozen; nothing else of the answers is shown to anybody.

A sum that was made anew while people come, go and change their answers would tell of a person by its difference from
the one before. So nobody is in two sums of a question: each is of those alone who are in none yet, at least
`FEWEST` of them, and what is told altogether is the sums added up. Who answers later, or changes an answer, changes
nothing that was told.
"""

from collections import Counter
from dataclasses import dataclass

from django.db import transaction
from django.db.models import Count, Exists, OuterRef, QuerySet

from annotation.consent.survey_rule import FEWEST, added_up, told_of
from annotation.models import Judgment, SurveyAnswer, SurveyCounted, SurveyQuestion, SurveySum
from foundation.models import Collection, Membership


@dataclass(frozen=True, slots=True)
class QuestionSums:
    """What is told of a question: by answer how many people gave it at least, in the order of the options; of how many
    people altogether. `waiting` are in no sum yet."""

    question: SurveyQuestion
    told: dict[str, int]
    people: int
    waiting: int

    @property
    def rest(self) -> int:
        """Those of whom nothing is told: other answers, or none."""
        return self.people - sum(self.told.values())


def sum_up(*, collection: Collection) -> int:
    """Sum up the answers of those who are in no sum yet, of each question of which there are enough.

    Whoever has a judgment that counts is an annotator here, whether they answered or not: who is there anybody can see
    in a release. Returns: how many sums were made. Repeating it makes none.
    """
    with transaction.atomic():
        Collection.objects.select_for_update(no_key=True).get(pk=collection.pk)
        return sum(_sum_up(question) for question in collection.survey_questions.filter(retired_at=None))


def _sum_up(question: SurveyQuestion) -> bool:
    counted = SurveyCounted.objects.filter(question=question)
    people = list(
        _annotators(question.collection_id).exclude(pk__in=counted.values("annotator")).values_list("pk", flat=True)
    )
    if len(people) < FEWEST:
        return False
    answers = SurveyAnswer.objects.filter(question=question, annotator__in=people).values_list("answer", flat=True)
    SurveySum.objects.create(question=question, people=len(people), told=told_of(Counter(answers), len(people)))
    SurveyCounted.objects.bulk_create(SurveyCounted(question=question, annotator_id=person) for person in people)
    return True


def _annotators(collection_id: int) -> QuerySet[Membership]:
    judged = Judgment.objects.filter(annotator=OuterRef("pk"), counted=True)
    return Membership.objects.filter(Exists(judged), collection=collection_id, role=Membership.Role.ANNOTATOR)


def sums_of(collection: Collection) -> list[QuestionSums]:
    """What is told of each question that is asked or has sums, as they were added. Four SQL queries."""
    annotators = _annotators(collection.pk)
    everybody = annotators.count()
    counted = SurveyCounted.objects.filter(question__collection=collection, annotator__in=annotators)
    in_sums = dict(counted.order_by().values_list("question").annotate(Count("pk")))
    questions = collection.survey_questions.prefetch_related("sums").order_by("pk")
    return [
        _sums(question, everybody - in_sums.get(question.pk, 0))
        for question in questions
        if question.retired_at is None or question.sums.all()
    ]


def _sums(question: SurveyQuestion, waiting: int) -> QuestionSums:
    sums = list(question.sums.all())
    total = added_up([made.told for made in sums])
    order = question.options or sorted(total)
    return QuestionSums(
        question=question,
        told={answer: total[answer] for answer in order if answer in total},
        people=sum(made.people for made in sums),
        waiting=0 if question.retired_at else waiting,
    )


def rows_of(sums: list[QuestionSums]) -> list[tuple[str, str, int]]:
    """The rows of a table: question, answer, people, each at least five; an empty answer: others, or none."""
    return [
        (each.question.text, answer, people)
        for each in sums
        if each.people
        for answer, people in [*each.told.items(), ("", each.rest)]
    ]
