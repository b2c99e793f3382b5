"""The survey: one's own answers, the lead's questions, and their sums; nobody's answers but one's own."""

from typing import Annotated, Literal

from pydantic import BaseModel, Field

from annotation.consent.survey import (
    answer_survey,
    answers_of,
    ask_question,
    choices_of,
    delete_answers,
    questions_of,
    retire_question,
)
from annotation.consent.survey_sums import sum_up, sums_of
from annotation.models import SurveyQuestion
from api.frame.answers import From, Out
from api.frame.calls import Call, Scope, Who
from api.frame.endpoints import Endpoints, Id, Storable, Text

endpoints = Endpoints("Survey")
HERE = "/survey"
Answer = Annotated[Text, Field(max_length=100)]


class SurveyQuestionOut(Out):
    """A question, with what may be answered."""

    question: int = From("pk")
    kind: str
    text: str
    answers: list[str]


class OwnAnswer(SurveyQuestionOut):
    """A question with your own answer."""

    answer: str = Field(description="Empty: you would rather not say, or haven't answered.")


class SentAnswer(BaseModel):
    """Your answer to a question."""

    question: int = Field(ge=1, le=2**63 - 1)
    answer: Answer = Field(description="Empty: rather not say; nothing is stored.")


class SentAnswers(BaseModel):
    """Your answers; questions that aren't named stay as they are answered."""

    answers: list[SentAnswer] = Field(max_length=100)


class NewSurveyQuestion(BaseModel):
    """A question to ask. It is never changed: retire it, and ask another."""

    kind: Literal["choice", "number", "language"]
    text: Storable = Field(min_length=1, max_length=300)
    options: list[Answer] = Field(
        [], max_length=60, description="Answers of a choice; where bands of a number begin; of a language none."
    )


class SumsOut(Out):
    """What is told of a question."""

    question: int = From("question.pk")
    text: str = From("question.text")
    asked: bool = Field(description="False: it isn't asked any more.")
    told: dict[str, int] = Field(description="By answer, how many people gave it at least: fives.")
    rest: int = Field(description="People of another answer, or none.")
    people: int = Field(description="Of how many people that is told.")
    waiting: int = Field(description="Annotators who are in no sum yet.")


class Made(BaseModel):
    """How many questions were summed up."""

    made: int


def _question(question: SurveyQuestion) -> SurveyQuestionOut:
    return SurveyQuestionOut.of(question, answers=[value for value, _ in choices_of(question)])


def _own(call: Call) -> list[OwnAnswer]:
    own = answers_of(call.member)
    return [OwnAnswer.of(_question(each), answer=own.get(each.pk, "")) for each in questions_of(call.collection)]


@endpoints.read(HERE, who=Who.MEMBER)
def get_own_survey(call: Call) -> list[OwnAnswer]:
    """What is asked of annotators, with your own answers."""
    return _own(call)


@endpoints.change(HERE, scope=Scope.JUDGE, who=Who.MEMBER, of_archived=True)
def answer_the_survey(call: Call, sent: SentAnswers) -> list[OwnAnswer]:
    """Answer, or change what you answered. Refused before the consent text is confirmed."""
    answer_survey(member=call.member, answers={each.question: each.answer for each in sent.answers})
    return _own(call)


@endpoints.remove(HERE, scope=Scope.JUDGE, who=Who.MEMBER, of_archived=True)
def delete_own_answers(call: Call) -> None:
    """Delete all that you answered; what was summed up before stays told."""
    delete_answers(member=call.member)


@endpoints.make(f"{HERE}/questions", scope=Scope.PREPARE)
def ask_a_question(call: Call, new: NewSurveyQuestion) -> SurveyQuestionOut:
    """Ask another question."""
    return _question(ask_question(lead=call.member, kind=new.kind, text=new.text, options=new.options))


@endpoints.remove(f"{HERE}/questions/{{int:survey_question_id}}", scope=Scope.PREPARE)
def retire_a_question(call: Call, survey_question_id: Id) -> None:
    """Ask a question no more: its answers go, its sums stay."""
    retire_question(lead=call.member, question_id=survey_question_id)


@endpoints.read(f"{HERE}/sums")
def get_survey_sums(call: Call) -> list[SumsOut]:
    """What is told of each question: sums that were made once of each person, never anybody's answers."""
    return [SumsOut.of(each, asked=each.question.retired_at is None) for each in sums_of(call.collection)]


@endpoints.act(f"{HERE}/sums", scope=Scope.PREPARE)
def sum_up_the_survey(call: Call) -> Made:
    """Sum up the answers of those who are in no sum yet, where there are ten of them."""
    return Made(made=sum_up(collection=call.collection))
