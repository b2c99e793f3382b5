"""The pages of topics: the list with its forms, and one topic."""

from typing import Any

from django import forms
from django.contrib import messages
from django.http import HttpRequest, HttpResponse
from django.shortcuts import get_object_or_404, redirect
from django.utils.translation import gettext as _
from django.utils.translation import gettext_lazy

from corpus.description_formats import CHARSETS, SEPARATORS
from corpus.description_import.jobs import refuse_larger
from foundation.access.guards import takes_uploads
from foundation.access.pages import PageFacts, lead_page, lead_post, refusal_in, refusal_told, render_facts
from foundation.infra.job_pages import ask_on_page
from foundation.infra.job_progress import progress_told
from foundation.infra.list_pages import list_page
from foundation.infra.storage import StoringError
from foundation.models import Membership
from foundation.refused import Refused
from foundation.text import UNSTORABLE, composed
from queries.models import Query
from queries.topics.edit_topics import add_topic, change_topic, delete_topic
from queries.topics.jobs import LARGEST, ask_for_topic_import
from queries.topics.media_files import LARGEST as LARGEST_MEDIUM
from queries.topics.query_media import put_medium, remove_medium
from queries.topics.readers import FORMATS, TopicFileChoices
from queries.topics.selectors import IN_ORDER_OF_DRAW, topic_counts, topics_of, with_state

LIST, ONE = "queries/topics.html", "queries/topic.html"
PAGE = 50
SPLIT_CHOICES = [("test", "test"), ("val", "val")]


def _file_of_at_most(largest: int) -> forms.FileField:
    def refuse(file: Any) -> None:
        try:
            refuse_larger(file.size, largest)
        except Refused as refusal:
            raise forms.ValidationError(str(refusal)) from refusal

    messages = {"required": gettext_lazy("Choose a file."), "empty": gettext_lazy("The file is empty.")}
    return forms.FileField(error_messages=messages, validators=[refuse])


class ImportForm(forms.Form):
    """A file of topics, and how to take it."""

    file = _file_of_at_most(LARGEST)
    into = forms.ChoiceField(choices=SPLIT_CHOICES)
    format = forms.ChoiceField(required=False, choices=[("", gettext_lazy("Detect format")), *FORMATS.items()])
    charset = forms.ChoiceField(required=False, choices=[("", gettext_lazy("Detect charset")), *CHARSETS.items()])
    separator = forms.ChoiceField(
        required=False, choices=[("", gettext_lazy("Detect separator")), *((name, name) for name in SEPARATORS)]
    )


class MediumForm(forms.Form):
    """A picture, clip or sound of a topic."""

    file = _file_of_at_most(LARGEST_MEDIUM)


class TopicForm(forms.Form):
    """A topic's fields as they are typed; what they may hold, the service says."""

    text = forms.CharField(required=False, strip=True)
    id = forms.CharField(required=False)
    split = forms.ChoiceField(choices=SPLIT_CHOICES)
    narrative = forms.CharField(required=False)
    language = forms.CharField(required=False)
    written_by = forms.CharField(required=False)


def _list(request: HttpRequest, member: Membership, typed: TopicForm, file: ImportForm) -> PageFacts:
    collection, asked = member.collection, UNSTORABLE.sub("", composed(request.GET.get("q", ""))).strip()[:200]
    page = list_page(topics_of(collection, asked=asked), request.GET, IN_ORDER_OF_DRAW, size=PAGE)
    job = collection.topic_imports.order_by("-pk").first()
    return {
        **topic_counts(collection),
        "asked": asked,
        "topics": with_state(page),
        "job": job and {"asked_at": job.asked_at, "file": job.file_name, **progress_told(job)},
        "typed": typed,
        "file_form": file,
        "page": page,
    }


@lead_page(LIST)
def topics(request: HttpRequest, member: Membership) -> PageFacts:
    """The collection's topics, 50 a page, how far an import is, and the forms for others; owners and leads only."""
    return _list(request, member, TopicForm(initial={"split": "test"}), ImportForm(initial={"into": "test"}))


@takes_uploads("leads")
@lead_post
def bring(request: HttpRequest, member: Membership) -> HttpResponse:
    """Keep a file and have a worker import its topics; while one is imported, that one goes on."""
    form = ImportForm(request.POST, request.FILES)
    if not form.is_valid():
        return render_facts(request, member, LIST, _list(request, member, TopicForm(), form), status=400)
    sent = form.cleaned_data
    choices = TopicFileChoices(sent["format"], sent["charset"], sent["separator"], sent["into"])
    try:
        job = ask_for_topic_import(member=member, upload=sent["file"], choices=choices)
    except StoringError as fault:
        messages.error(request, str(fault))
        return redirect("topics", member.collection.name)
    ask_on_page(request, job)
    return redirect("topics", member.collection.name)


@lead_post
def add(request: HttpRequest, member: Membership) -> HttpResponse:
    """Store a typed topic; owners and leads only."""
    form = TopicForm(request.POST)
    if form.is_valid():
        with refusal_in(form):
            topic = add_topic(collection=member.collection, typed=form.cleaned_data)
            messages.info(
                request, _("The topic %(id)s is in %(split)s.") % {"id": topic.topic_id, "split": topic.split}
            )
            return redirect("topics", member.collection.name)
    return render_facts(request, member, LIST, _list(request, member, form, ImportForm()), status=400)


def _topic_of(member: Membership, topic_id: int) -> Query:
    return get_object_or_404(topics_of(member.collection).select_related("collection", "medium"), pk=topic_id)


def _one(topic: Query, form: TopicForm, sent: MediumForm) -> PageFacts:
    (facts,) = with_state([topic])
    return {
        "topic": facts,
        "medium": getattr(topic, "medium", None),
        "typed": form,
        "sent": sent,
    }


@lead_page(ONE)
def topic(request: HttpRequest, member: Membership, topic_id: int) -> PageFacts:
    """One topic and the form to change it; once its judging is open, that it is fixed."""
    standing = _topic_of(member, topic_id)
    return _one(standing, _form_of(standing), MediumForm())


def _form_of(topic: Query) -> TopicForm:
    names = ("text", "split", "narrative", "language", "written_by")
    return TopicForm(initial={name: getattr(topic, name) for name in names})


@lead_post
def change(request: HttpRequest, member: Membership, topic_id: int) -> HttpResponse:
    """Change a topic whose judging isn't open; owners and leads only."""
    standing = _topic_of(member, topic_id)
    form = TopicForm(request.POST)
    if form.is_valid():
        with refusal_in(form):
            change_topic(topic=standing, typed=form.cleaned_data)
            messages.info(request, _("The topic %(id)s is stored.") % {"id": standing.topic_id})
            return redirect("topics", member.collection.name)
    return render_facts(request, member, ONE, _one(_topic_of(member, topic_id), form, MediumForm()), status=400)


@lead_post
def delete(request: HttpRequest, member: Membership, topic_id: int) -> HttpResponse:
    """Delete a topic whose judging isn't open; owners and leads only."""
    standing = _topic_of(member, topic_id)
    with refusal_told(request):
        delete_topic(topic=standing)
        messages.info(request, _("The topic %(id)s is deleted.") % {"id": standing.topic_id})
        return redirect("topics", member.collection.name)
    return redirect("topic", member.collection.name, topic_id)


@takes_uploads("leads")
@lead_post
def put(request: HttpRequest, member: Membership, topic_id: int) -> HttpResponse:
    """Give a topic whose judging isn't open a picture, clip or sound; owners and leads only."""
    standing = _topic_of(member, topic_id)
    form = MediumForm(request.POST, request.FILES)
    if form.is_valid():
        with refusal_in(form):
            put_medium(topic=standing, upload=form.cleaned_data["file"])
            messages.info(request, _("The topic %(id)s is stored.") % {"id": standing.topic_id})
            return redirect("topic", member.collection.name, topic_id)
    return render_facts(request, member, ONE, _one(standing, _form_of(standing), form), status=400)


@lead_post
def remove(request: HttpRequest, member: Membership, topic_id: int) -> HttpResponse:
    """Take a topic's picture, clip or sound away; owners and leads only."""
    standing = _topic_of(member, topic_id)
    with refusal_told(request):
        remove_medium(topic=standing)
        messages.info(request, _("The topic %(id)s is stored.") % {"id": standing.topic_id})
    return redirect("topic", member.collection.name, topic_id)
