"""What a lead says and sets: settings, answers to flags and questions, notices."""

from datetime import datetime
from typing import Annotated, Literal

from django.db.models import Count, QuerySet
from django.shortcuts import get_object_or_404
from pydantic import BaseModel, Field

from annotation.judging.flags import answer_flag, return_pair
from annotation.judging.notices import answer_question, post_notice, withdraw_notice
from annotation.models import Flag, Notice, Pair, Question
from annotation.scale import scale_of
from annotation.settings.grade_rows import COLUMNS, GradeRow, grade_row, rows_of
from annotation.settings.grade_words import is_fixed, set_grade_words
from annotation.settings.services import as_text, configure, settings_of
from api.frame.answers import From, Out
from api.frame.calls import Call, Scope
from api.frame.endpoints import Endpoints, Id, Storable, Text
from api.frame.lists import AskedPage, Page, page_of
from api.frame.problems import Problem
from corpus.description_formats import BadRow

endpoints = Endpoints("Leading")
Standing = Literal["open", "answered"]


class SettingOut(Out):
    """A setting of a collection; values as text, as commands take them."""

    name: str
    label: str
    value: str
    default: str
    meaning: str
    paper: str = Field(description="What the paper did.")
    frozen: bool = Field(description="Judgments rest on it: it stays.")
    choices: list[str] = Field(description="What it may be, where that is a list.")


class SettingChanges(BaseModel):
    """Settings to change, all of them or none: name and value as text; lists with commas, empty for none."""

    settings: dict[str, Annotated[Text, Field(max_length=4000)]] = Field(min_length=1, examples=[{"batch_size": "20"}])


class FlagOut(Out):
    """What an annotator raised about a pair."""

    flag: int = From("pk")
    pair: int = From("pair_id")
    query: str = From("pair.batch.query.text")
    kind: str
    note: str
    worker: str = From("annotator.worker")
    raised_at: datetime
    outcome: str = Field(description="returned or withdrawn; empty: it is open.")
    answer: str
    answered_by: str | None = From("answered_by.worker")
    answered_at: datetime | None


class FlagAnswer(BaseModel):
    """What becomes of a flagged pair."""

    outcome: Literal["returned", "withdrawn"]
    answer: Storable = Field("", max_length=2000, description="For the annotator to read: nothing of grades.")


class PairState(BaseModel):
    """A pair and its state."""

    pair: int
    status: str


class QuestionOut(Out):
    """What an annotator asked about a pair."""

    question: int = From("pk")
    pair: int = From("pair_id")
    query: str = From("pair.batch.query.text")
    worker: str = From("annotator.worker")
    text: str
    asked_at: datetime
    answer: str
    answered_by: str | None = From("answered_by.worker")
    answered_at: datetime | None


class Answer(BaseModel):
    """The answer to a question."""

    answer: Storable = Field(min_length=1, max_length=2000)


class NoticeOut(Out):
    """A notice to one annotator or to all."""

    notice: int = From("pk")
    text: str
    to: str | None = From("annotator.worker", description="A worker id; null: to all.")
    by: str | None = From("made_by.worker")
    made_at: datetime
    withdrawn_at: datetime | None
    read_by: int = Field(description="How many have dismissed it.")


class NewNotice(BaseModel):
    """A notice to be."""

    text: Storable = Field(min_length=1, max_length=2000)
    member: int | None = Field(None, ge=1, le=2**63 - 1, description="An annotator; null: all.")


class GradeWords(Out):
    """How a grade is called, explained and coloured, in one language."""

    grade: int = Field(ge=0, le=100)
    language: str = Field(max_length=35, description="BCP 47.")
    word: Storable = Field(min_length=1, max_length=40)
    shows: Storable = Field("", max_length=200, description="What a moment of the grade shows.")
    colour: str = Field("", max_length=7, description="#rrggbb; it may be in any of the grade's languages.")
    dark_colour: str = Field("", max_length=7, description="On dark pages; empty: the same.")


class ScaleOut(Out):
    """A collection's scale."""

    top: int
    step: int
    fixed: bool = Field(description="Whether something is judged: then only a language can be added.")
    grades: list[GradeWords] = Field(description="By language, the first for whoever reads no other.")


class NewGradeWords(BaseModel):
    """Words, descriptions and colours of all grades in all languages; none: the usual ones."""

    grades: list[GradeWords] = Field(max_length=200)


def _settings(call: Call) -> list[SettingOut]:
    call.collection.refresh_from_db()
    return [
        SettingOut.of(
            setting,
            value=as_text(setting.value),
            default=as_text(setting.default),
            choices=[value for value, _ in setting.choices],
        )
        for setting in settings_of(call.collection)
    ]


def _flags(call: Call) -> QuerySet[Flag]:
    rows = Flag.objects.filter(annotator__collection=call.collection)
    return rows.select_related("pair__batch__query", "annotator", "answered_by")


def _questions(call: Call) -> QuerySet[Question]:
    rows = Question.objects.filter(annotator__collection=call.collection)
    return rows.select_related("pair__batch__query", "annotator", "answered_by")


def _notices(call: Call) -> QuerySet[Notice]:
    return call.collection.notices.select_related("annotator", "made_by").annotate(read_by=Count("reads"))


@endpoints.read("/settings")
def list_settings(call: Call) -> list[SettingOut]:
    """A collection's settings with their meaning, their default and what the paper did."""
    return _settings(call)


@endpoints.change("/settings", scope=Scope.ADMIN)
def change_settings(call: Call, new: SettingChanges) -> list[SettingOut]:
    """Change settings. Those that judgments rest on stay."""
    configure(collection=call.collection, changes=new.settings)
    return _settings(call)


@endpoints.read("/scale")
def get_scale(call: Call) -> ScaleOut:
    """How many grades there are, and how they are called, explained and coloured."""
    here = call.collection
    here.refresh_from_db()
    scale = scale_of(here)
    return ScaleOut(
        top=scale.top,
        step=scale.step,
        fixed=is_fixed(here),
        grades=[GradeWords.of(row, **{name: getattr(row, name) for name in COLUMNS}) for row in rows_of(scale)],
    )


@endpoints.change("/scale", scope=Scope.ADMIN)
def change_scale(call: Call, new: NewGradeWords) -> ScaleOut:
    """Set words, descriptions and colours; the number of grades are settings. Once something is judged, only a language
    can be added."""
    rows: list[GradeRow] = []
    for place, sent in enumerate(new.grades):
        try:
            rows.append(grade_row(sent.model_dump(), place))
        except BadRow as bad:
            raise Problem(422, str(bad), field=f"body.grades.{place}.{bad.field}") from bad
    set_grade_words(collection=call.collection, rows=rows)
    return get_scale(call)


@endpoints.read("/flags")
def list_flags(call: Call, asked: AskedPage, standing: Standing = "open") -> Page[FlagOut]:
    """Flags of a collection's pairs, those that are open or those that were answered."""
    return page_of(_flags(call).filter(answered_at__isnull=standing == "open"), asked, FlagOut.of)


@endpoints.act("/flags/{int:flag_id}/answer", scope=Scope.REVIEW)
def answer_a_flag(call: Call, flag_id: Id, new: FlagAnswer) -> FlagOut:
    """Send a flagged pair back to judging, or withdraw it. The same answer again changes nothing."""
    get_object_or_404(_flags(call), pk=flag_id)
    answer_flag(member=call.member, flag_id=flag_id, outcome=new.outcome, answer=new.answer)
    return FlagOut.of(_flags(call).get(pk=flag_id))


@endpoints.act("/pairs/{int:pair_id}/bring-back", scope=Scope.REVIEW)
def bring_back_a_pair(call: Call, pair_id: Id) -> PairState:
    """Restore a withdrawn pair: its judgments decide its state again."""
    get_object_or_404(Pair, pk=pair_id, batch__collection=call.collection)
    pair = return_pair(member=call.member, pair_id=pair_id)
    return PairState(pair=pair.pk, status=pair.status)


@endpoints.read("/questions")
def list_questions(call: Call, asked: AskedPage, standing: Standing = "open") -> Page[QuestionOut]:
    """Questions of annotators, those that are open or those that were answered."""
    return page_of(_questions(call).filter(answered_at__isnull=standing == "open"), asked, QuestionOut.of)


@endpoints.act("/questions/{int:question_id}/answer", scope=Scope.REVIEW)
def answer_a_question(call: Call, question_id: Id, new: Answer) -> QuestionOut:
    """Answer a question; only who asked it sees the answer."""
    get_object_or_404(_questions(call), pk=question_id)
    answer_question(lead=call.member, question_id=question_id, answer=new.answer)
    return QuestionOut.of(_questions(call).get(pk=question_id))


@endpoints.read("/notices")
def list_notices(call: Call, asked: AskedPage) -> Page[NoticeOut]:
    """Notices to annotators, the newest first."""
    return page_of(_notices(call), asked, NoticeOut.of, newest_first=True)


@endpoints.make("/notices", scope=Scope.ADMIN)
def post_a_notice(call: Call, new: NewNotice) -> NoticeOut:
    """Post a notice to one annotator or to all. Say nothing of grades, captions or people in it."""
    notice = post_notice(lead=call.member, text=new.text, annotator_id=new.member)
    return NoticeOut.of(_notices(call).get(pk=notice.pk))


@endpoints.remove("/notices/{int:notice_id}", scope=Scope.ADMIN)
def withdraw_a_notice(call: Call, notice_id: Id) -> None:
    """Withdraw a notice."""
    get_object_or_404(_notices(call), pk=notice_id)
    withdraw_notice(lead=call.member, notice_id=notice_id)
