"""The survey of annotators: questions that a lead asks, and answers that each person may give, change and delete."""

from collections.abc import Mapping
from dataclasses import dataclass

from django.conf.locale import LANG_INFO
from django.db import IntegrityError, transaction
from django.db.models import Q
from django.utils import timezone
from django.utils.translation import get_language_info
from django.utils.translation import gettext as _

from annotation.assignment.seat_sql import lock_member
from annotation.consent.survey_rule import bands_of
from annotation.models import SurveyAnswer, SurveyQuestion
from foundation.access.guards import CONSENT_FIRST
from foundation.models import Collection, Membership
from foundation.refused import Refused
from foundation.text import composed, is_seen

Kind = SurveyQuestion.Kind
MOST_QUESTIONS, MOST_OPTIONS = 20, 60
LONGEST_TEXT, LONGEST_OPTION = 300, 100
LANGUAGES = sorted(code for code in LANG_INFO if "-" not in code and "name_local" in LANG_INFO[code])
"""Those that can be chosen, as BCP 47 tags: regions and scripts are left out, since they would tell more."""


@dataclass(frozen=True, slots=True)
class Template:
    """A question ready to be asked, or changed before it is."""

    kind: str
    text: str
    options: str


TEMPLATES = {
    "age": Template(Kind.NUMBER, "How old are you?", "18\n25\n35\n45\n55\n65"),
    "origin": Template(
        Kind.CHOICE, "In which part of the world did you grow up?", "Africa\nAmericas\nAsia\nEurope\nOceania"
    ),
    "education": Template(
        Kind.CHOICE,
        "What is your highest degree?",
        "None\nSchool leaving certificate\nVocational training\nBachelor\nMaster\nDoctorate",
    ),
    "language": Template(Kind.LANGUAGE, "What is your native language?", ""),
}


def questions_of(collection: Collection) -> list[SurveyQuestion]:
    """What is asked, in the order in which it was added."""
    return list(collection.survey_questions.filter(retired_at=None).order_by("pk"))


def choices_of(question: SurveyQuestion) -> list[tuple[str, str]]:
    """What may be answered: value and words."""
    if question.kind == Kind.LANGUAGE:
        return [(code, get_language_info(code)["name_local"]) for code in LANGUAGES]
    return [(option, option) for option in question.options]


@transaction.atomic
def ask_question(*, lead: Membership, kind: str, text: str, options: list[str]) -> SurveyQuestion:
    """Ask another question.

    Args: options: of a choice; of a number the bounds at which bands begin; of a language none.
    Raises: Refused for a kind, text or options that won't do, too many questions, or a collection without a consent
        text, which is confirmed before anybody answers.
    """
    collection = Collection.objects.select_for_update(no_key=True).get(pk=lead.collection_id)
    if not collection.consent_version:
        raise Refused(_("Publish a consent text first: it is confirmed before anybody is asked."))
    if kind not in Kind.values:
        raise Refused(f"found the kind {kind[:20]!r}, expected one of {', '.join(Kind.values)}", "kind")
    text = " ".join(composed(text).split())
    if not is_seen(text) or len(text) > LONGEST_TEXT:
        raise Refused(_("Write a question of at most %(most)s characters.") % {"most": LONGEST_TEXT}, "text")
    if len(questions_of(collection)) >= MOST_QUESTIONS:
        raise Refused(_("At most %(most)s questions can be asked.") % {"most": MOST_QUESTIONS})
    try:
        with transaction.atomic():
            return SurveyQuestion.objects.create(
                collection=collection, kind=kind, text=text, options=_options(kind, options), made_by=lead
            )
    except IntegrityError as error:
        raise Refused(_("This question is asked already."), "text") from error


def _options(kind: str, given: list[str]) -> list[str]:
    """The options to store. Raises: Refused."""
    options = [option for option in (" ".join(composed(line).split()) for line in given) if option]
    if kind == Kind.LANGUAGE:
        return []
    if kind == Kind.NUMBER:
        try:
            options = bands_of([int(option) for option in options])
        except ValueError as error:
            fault = _("Write rising whole numbers, one a line: each begins a band.")
            raise Refused(fault, "options") from error
    if not 2 <= len(options) <= MOST_OPTIONS or len(set(options)) < len(options):
        raise Refused(_("Write 2 to %(most)s different answers, one a line.") % {"most": MOST_OPTIONS}, "options")
    if max(map(len, options)) > LONGEST_OPTION:
        raise Refused(_("An answer has at most %(most)s characters.") % {"most": LONGEST_OPTION}, "options")
    return options


@transaction.atomic
def retire_question(*, lead: Membership, question_id: int) -> None:
    """Ask a question no more: its answers go, its sums stay. Repeating it changes nothing."""
    asked = SurveyQuestion.objects.filter(pk=question_id, collection=lead.collection_id)
    asked.filter(retired_at=None).update(retired_at=timezone.now())
    SurveyAnswer.objects.filter(question__in=asked).delete()


def answers_of(member: Membership) -> dict[int, str]:
    """A person's own answers, by question."""
    return dict(member.survey_answers.values_list("question_id", "answer"))


@transaction.atomic
def answer_survey(*, member: Membership, answers: Mapping[int, str]) -> None:
    """Keep a person's answers, all of them or none; an empty one ("rather not say") is stored as nothing at all.

    Questions that `answers` doesn't name stay as they are answered.

    Raises: Refused for a lead, before the consent text is confirmed, or for a question or answer that there isn't.
    """
    lock_member(member)
    own = Membership.objects.select_related("collection").get(pk=member.pk)
    if own.leads:
        raise Refused(_("The questions are for annotators: you lead this collection."))
    if not own.agrees:
        raise Refused(CONSENT_FIRST)
    asked = {question.pk: question for question in questions_of(own.collection)}
    for number, answer in answers.items():
        if number not in asked:
            raise Refused(_("This question isn't asked any longer."), "answers")
        if answer and answer not in dict(choices_of(asked[number])):
            raise Refused(_("Choose one of the answers, or rather not say."), "answers")
    SurveyAnswer.objects.filter(annotator=own, question__in=answers).delete()
    SurveyAnswer.objects.bulk_create(
        SurveyAnswer(annotator=own, question_id=number, answer=answer) for number, answer in answers.items() if answer
    )


@transaction.atomic
def delete_answers(*, member: Membership) -> None:
    """Delete all that a person answered. What was summed up before stays told."""
    lock_member(member)
    SurveyAnswer.objects.filter(annotator=member).delete()


def forget_answers(account: int, member: int | None) -> None:
    """Delete the answers of somebody who is erased, or parted from a place."""
    whose = Q(annotator__account=account) if member is None else Q(annotator=member)
    SurveyAnswer.objects.filter(whose).delete()
