"""Exam results for the lead: progress, agreement, how often each applicant was out."""

import math
from dataclasses import dataclass

from django.utils.functional import Promise
from django.utils.translation import gettext_lazy

from annotation.agreement.kappa import Agreement, agreement, mean_kappa_of_each
from annotation.models import Exam, ExamAnswer, ExamSitting
from annotation.qualification.exam_rule import is_out, share_out
from annotation.qualification.exam_sampling import current_exam
from annotation.qualification.exams import FEWEST
from annotation.qualification.guidelines import practice_of
from evaluation.judgments.grade_classes import class_of, unit_of
from foundation.models import Collection, Membership

BAR_HEIGHT = 30


@dataclass(frozen=True, slots=True)
class DifferenceBar:
    """A bar of the small chart of differences, in a box of 90 x 32; `far` where grades are out."""

    x: float
    y: float
    height: float
    far: bool


def difference_bars(differences: list[int]) -> list[DifferenceBar]:
    """Nine bars for the differences -4 to 4, the tallest as high as the box."""
    highest = max(differences, default=0) or 1
    heights = [BAR_HEIGHT * count / highest for count in differences]
    return [
        DifferenceBar(1 + 10 * place, round(31 - height, 2), round(height, 2), far=abs(place - 4) > 1)
        for place, height in enumerate(heights)
    ]


STAGES = {
    "training": gettext_lazy("in training"),
    "ready for the exam": gettext_lazy("ready for the exam"),
    "exam": gettext_lazy("sitting the exam"),
    "handed in": gettext_lazy("handed in"),
    "judging again": gettext_lazy("judging again"),
    "in consensus": gettext_lazy("in consensus"),
}
"""What each stage is called on the page."""


@dataclass(frozen=True, slots=True)
class PersonResult:
    """One applicant: how far they are, and how their independent grades compare, None before that is known.

    `differences` counts grade minus truth in units of the scale, rounded away from 0, from -4 to 4, so that those
    beyond -1 and 1 are the ones that are out; `waiting` are items still out.
    """

    member: Membership
    stage: str
    answered: int
    handed_in: bool
    cohort: bool
    out: float | None
    kappa: float | None
    bias: float | None
    differences: list[int]
    waiting: int
    unit: int = 1

    @property
    def out_percent(self) -> float | None:
        return None if self.out is None else 100 * self.out

    @property
    def bars(self) -> list[DifferenceBar]:
        return difference_bars(self.differences)

    @property
    def spread_words(self) -> str:
        """The distribution for who can't see it: "-2: 1, 0: 8, 1: 1"."""
        return ", ".join(f"{(place - 4) * self.unit}: {count}" for place, count in enumerate(self.differences) if count)

    @property
    def in_consensus(self) -> bool:
        return self.out is not None and not self.waiting

    @property
    def stage_said(self) -> Promise:
        return STAGES[self.stage]


@dataclass(frozen=True, slots=True)
class ExamResults:
    """The exam as a whole: initially out of consensus (0-1; the paper: 0.1183), agreement, and each person.

    `agreement` is of everybody's first, independent grades; `relabelled` of the same people's grades as they stand
    after feedback (the paper's kappa of 0.49 is that of its final results).
    """

    exam: Exam | None
    items: int
    out: float | None
    agreement: Agreement
    relabelled: Agreement
    people: list[PersonResult]

    @property
    def out_percent(self) -> float | None:
        return None if self.out is None else 100 * self.out

    @property
    def state(self) -> str:
        """none, drawn, open (to applicants) or frozen (its first cohort is closed)."""
        if self.exam is None:
            return "none"
        return "frozen" if self.exam.frozen_at else "open" if self.exam.opened_at else "drawn"

    @property
    def handed_in(self) -> int:
        return sum(person.handed_in for person in self.people)

    @property
    def begun(self) -> int:
        return sum(person.stage == "exam" for person in self.people)

    @property
    def may_close(self) -> bool:
        """Whether the first cohort can be closed now."""
        return self.exam is not None and self.exam.frozen_at is None and self.handed_in >= FEWEST


def exam_results(collection: Collection) -> ExamResults:
    """Everybody who is in training, was decided about, or sat the newest exam."""
    exam = current_exam(collection)
    items = list(exam.items.order_by("pk")) if exam is not None else []
    all_sittings = list(exam.sittings.order_by("pk")) if exam is not None else []
    sittings = {sitting.applicant_id: sitting for sitting in all_sittings if sitting.set_aside_at is None}
    first: dict[int, dict[int, int]] = {}
    newest: dict[int, dict[int, int]] = {}
    answers = ExamAnswer.objects.filter(sitting__in=all_sittings, taken_back_at__isnull=True).order_by("turn")
    for sitting_id, item_id, turn, grade in answers.values_list("sitting_id", "item_id", "turn", "grade"):
        newest.setdefault(sitting_id, {})[item_id] = grade
        if turn == 1:
            first.setdefault(sitting_id, {})[item_id] = grade
    # Agreement is of people who sat it for the first time: who sits it once more has seen its feedback.
    handed_in = [sitting for sitting in all_sittings if sitting.handed_in_at is not None]
    done = list({sitting.applicant_id: sitting for sitting in reversed(handed_in)}.values())[::-1]
    top = collection.top_grade
    rows = [[class_of(first[sitting.pk][item.pk], top) for item in items] for sitting in done]
    standing = [[class_of(newest[sitting.pk][item.pk], top) for item in items] for sitting in done]
    kappas = dict(zip((sitting.pk for sitting in done), mean_kappa_of_each(rows), strict=True))
    truths = {item.pk: item.truth for item in items if item.truth is not None}
    people = [
        _person(member, sittings.get(member.pk), first, newest, kappas, truths)
        for member in collection.memberships.filter(role=Membership.Role.ANNOTATOR)
        .select_related("account", "collection")
        .order_by("pk")
        if member.pk in sittings or member.status in (Membership.Status.APPLICANT, Membership.Status.DECLINED)
    ]
    pairs = [(first[sitting.pk][item], truth) for sitting in done for item, truth in truths.items()]
    return ExamResults(exam, len(items), share_out(pairs, unit_of(top)), agreement(rows), agreement(standing), people)


def _person(
    member: Membership,
    sitting: ExamSitting | None,
    first: dict[int, dict[int, int]],
    newest: dict[int, dict[int, int]],
    kappas: dict[int, float | None],
    truths: dict[int, float],
) -> PersonResult:
    if sitting is None:
        ready = member.knows_guideline and not practice_of(member).left
        stage = "ready for the exam" if ready else "training"
        return PersonResult(member, stage, 0, False, False, None, None, None, [0] * 9, 0)
    mine = first.get(sitting.pk, {})
    handed_in = sitting.handed_in_at is not None
    if not handed_in or not truths:
        stage = "handed in" if handed_in else "exam"
        kappa = kappas.get(sitting.pk)
        return PersonResult(member, stage, len(mine), handed_in, sitting.cohort, None, kappa, None, [0] * 9, 0)
    unit = unit_of(member.collection.top_grade)
    gaps = [mine[item] - truth for item, truth in truths.items()]
    differences = [0] * 9
    for gap in gaps:
        differences[int(math.copysign(math.ceil(abs(gap) / unit), gap)) + 4] += 1
    waiting = sum(is_out(newest[sitting.pk][item], truth, unit) for item, truth in truths.items())
    return PersonResult(
        member=member,
        stage="judging again" if waiting else "in consensus",
        answered=len(mine),
        handed_in=True,
        cohort=sitting.cohort,
        out=share_out([(mine[item], truth) for item, truth in truths.items()], unit),
        kappa=kappas.get(sitting.pk),
        bias=sum(gaps) / len(gaps),
        differences=differences,
        waiting=waiting,
        unit=unit,
    )
