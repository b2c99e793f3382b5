"""The pages of judgments imported from elsewhere: upload, list, report by line."""

from typing import Any

from django import forms
from django.http import HttpRequest, HttpResponse
from django.shortcuts import get_object_or_404, redirect
from django.utils.translation import gettext_lazy

from datasets.content.splits import SPLITS
from datasets.judgment_import.jobs import LONGEST_MAP, keep_judgments, progress_of_judgments
from datasets.judgment_import.repeated_ids import REFUSE
from evaluation.reading.grade_scale import table_in_words
from evaluation.reading.judgment_rows import FORMATS
from evaluation.reading.label_studio import RATINGS
from foundation.access.guards import takes_uploads
from foundation.access.pages import PageFacts, lead_page, lead_post, refusal_in, render_facts
from foundation.infra.job_pages import ask_on_page
from foundation.infra.list_pages import numbered_page
from foundation.models import Membership

PAGE = 25
TEMPLATE = "datasets/judgment_imports.html"
TITLES = {
    "tvr-ranking": gettext_lazy("raw_annotations.csv (TVR-Ranking)"),
    "label-studio": gettext_lazy("Label Studio's export, JSON or CSV"),
    "trec": gettext_lazy("TREC qrels"),
}


REPEATED_IDS = {
    REFUSE: gettext_lazy("Refuse the file"),
    "as-published": gettext_lazy("Count every judgment, as if somebody else had given it"),
    "first": gettext_lazy("Count the id's first judgment of the pair"),
    "last": gettext_lazy("Count the id's last judgment of the pair"),
}


class FilesInput(forms.ClearableFileInput):
    """An input of any number of files."""

    allow_multiple_selected = True


class FilesField(forms.FileField):
    """Any number of files."""

    widget = FilesInput

    def clean(self, data: Any, initial: Any = None) -> list[Any]:
        """Each file, as `FileField` cleans one."""
        return [super(FilesField, self).clean(file, initial) for file in data or []]


class JudgmentsForm(forms.Form):
    """A file of judgments, and how to take it."""

    file = forms.FileField(
        label="File",
        max_length=400,
        error_messages={
            "required": gettext_lazy("Choose a file."),
            "empty": gettext_lazy("The file is empty, expected one or more judgments."),
        },
    )
    format = forms.ChoiceField(
        required=False,
        choices=[("", gettext_lazy("Detect format")), *((name, TITLES[name]) for name in sorted(FORMATS))],
    )
    split = forms.ChoiceField(
        choices=[(split, split) for split in SPLITS],
        initial="test",
        error_messages={
            "required": gettext_lazy("Choose val or test."),
            "invalid_choice": gettext_lazy("Choose val or test."),
        },
    )
    pairs = FilesField(
        label="Pairs",
        required=False,
        max_length=400,
        error_messages={"empty": gettext_lazy("A file of pairs is empty, expected val.json, test.json or CSV.")},
    )
    repeated_ids = forms.ChoiceField(required=False, choices=list(REPEATED_IDS.items()))
    ratings = forms.ChoiceField(required=False, choices=[(kind, kind) for kind in sorted(RATINGS, reverse=True)])
    map_grades = forms.CharField(required=False, max_length=LONGEST_MAP)


def _facts(request: HttpRequest, member: Membership, form: forms.Form) -> PageFacts:
    rows = member.collection.judgment_imports.select_related("member").order_by("-pk")
    page = numbered_page(rows, request.GET, size=PAGE)
    return {"page": page, "form": form}


@lead_page(TEMPLATE)
def judgment_imports(request: HttpRequest, member: Membership) -> PageFacts:
    """The form, and the collection's former imports of judgments, newest first."""
    return _facts(request, member, JudgmentsForm())


@takes_uploads("leads")
@lead_post
def upload(request: HttpRequest, member: Membership) -> HttpResponse:
    """Keep the file and have a worker import it; owners and leads only."""
    form = JudgmentsForm(request.POST, request.FILES)
    if form.is_valid():
        sent = form.cleaned_data
        with refusal_in(form):
            job = keep_judgments(
                member=member,
                upload=sent["file"],
                format_name=sent["format"],
                split=sent["split"],
                ratings=sent["ratings"] or "1-5",
                map_grades=sent["map_grades"],
                repeated_ids=sent["repeated_ids"] or REFUSE,
                pairs=sent["pairs"],
            )
            ask_on_page(request, job)
            return redirect("judgment-import", member.collection.name, job.pk)
    return render_facts(request, member, TEMPLATE, _facts(request, member, form), status=400)


@lead_page("datasets/judgment_import.html")
def judgment_import(request: HttpRequest, member: Membership, judgment_import_id: int) -> PageFacts:
    """One import: how far it is; once it has ended what it did, or the problems of its file by line."""
    rows = member.collection.judgment_imports.select_related("member")
    job = get_object_or_404(rows, pk=judgment_import_id)
    return {
        "progress": progress_of_judgments(job),
        "problems": job.problems,
        "repeated_ids": REPEATED_IDS[job.repeated_ids],
        "grades": table_in_words(job.grade_table or {}),
        "job": job,
    }
