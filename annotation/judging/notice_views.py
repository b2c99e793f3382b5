"""Notices and questions: posted, answered, marked as read."""

from typing import Any

from django.contrib import messages
from django.http import HttpRequest, HttpResponse
from django.shortcuts import redirect
from django.utils.translation import gettext

from annotation.judging.guards import trainee_post
from annotation.judging.notices import (
    NoticeRefused,
    answer_question,
    notices_of,
    post_notice,
    questions_of,
    reachable,
    read_answer,
    read_notice,
    withdraw_notice,
)
from annotation.models import Question
from foundation.access.form_input import whole_number
from foundation.access.pages import PageFacts, lead_act, lead_page, lead_post, render_facts
from foundation.models import Membership

TEMPLATE = "annotation/notices.html"


@lead_page(TEMPLATE)
def notices(request: HttpRequest, member: Membership) -> PageFacts:
    """The page of notices: open questions, notices with their readers, answered questions."""
    return _facts(member)


def _facts(member: Membership, **sent: Any) -> PageFacts:
    """The page; `sent`: what its forms show of what was sent, and what is wrong with it."""
    people = list(reachable(member.collection))
    waiting = questions_of(member.collection, answered=False)
    answered = questions_of(member.collection, answered=True)
    rows = [
        {
            "notice": notice.pk,
            "text": notice.text,
            "to": notice.annotator.worker if notice.annotator else None,
            "made_at": notice.made_at,
            "withdrawn_at": notice.withdrawn_at,
            "read_by": sorted(read.annotator.worker for read in notice.reads.all()),
        }
        for notice in notices_of(member.collection)
    ]
    return {"rows": rows, "people": people, "waiting": waiting, "answered": answered, **sent}


@lead_post
def post(request: HttpRequest, member: Membership) -> HttpResponse:
    """Send a notice to one annotator or all."""
    to, text = request.POST.get("to", ""), request.POST.get("text", "")
    try:
        if to and whole_number(to) is None:
            sentence = gettext("Found the annotator %(found)s, expected a number or nothing for all.")
            raise NoticeRefused(sentence % {"found": repr(to[:20])})
        post_notice(lead=member, text=text, annotator_id=whole_number(to))
    except NoticeRefused as refusal:
        sent = {"text": text, "to": to, "text_wrong": str(refusal)}
        return render_facts(request, member, TEMPLATE, _facts(member, **sent), status=400)
    messages.info(request, gettext("The notice is sent. It is shown until it is dismissed."))
    return redirect("notices", member.collection.name)


@lead_act("notices")
def withdraw(request: HttpRequest, member: Membership, notice_id: int) -> None:
    """Withdraw a notice."""
    withdraw_notice(lead=member, notice_id=notice_id)


@lead_post
def answer(request: HttpRequest, member: Membership, question_id: int) -> HttpResponse:
    """Answer a question."""
    text = request.POST.get("answer", "")
    try:
        answer_question(lead=member, question_id=question_id, answer=text)
    except NoticeRefused as refusal:
        sent = {"answered_question": question_id, "answer": text, "answer_wrong": str(refusal)}
        if not Question.objects.filter(
            pk=question_id, answered_at=None, annotator__collection=member.collection
        ).exists():
            messages.error(request, str(refusal))
            return redirect("notices", member.collection.name)
        return render_facts(request, member, TEMPLATE, _facts(member, **sent), status=400)
    messages.info(request, gettext("The answer is sent."))
    return redirect("notices", member.collection.name)


@trainee_post
def notice_read(request: HttpRequest, member: Membership, notice_id: int) -> HttpResponse:
    """Mark a notice as read."""
    read_notice(member=member, notice_id=notice_id)
    return HttpResponse(status=204)


@trainee_post
def question_read(request: HttpRequest, member: Membership, question_id: int) -> HttpResponse:
    """Mark the answer to a question as read."""
    read_answer(member=member, question_id=question_id)
    return HttpResponse(status=204)
