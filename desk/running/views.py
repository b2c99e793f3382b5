"""The button "Run to open" of the overview."""

from django import forms
from django.contrib import messages
from django.http import HttpRequest, HttpResponse
from django.shortcuts import redirect
from django.utils.translation import gettext
from django.views.decorators.http import require_POST

from corpus.access.guards import lead_required
from corpus.infra.job_pages import ask_on_page
from corpus.models import Membership
from desk.models import RunToOpen
from desk.running.run import ask_to_run

_WHOLE = {"invalid": "Enter a whole number."}
MOST = 1_000_000


class RunForm(forms.Form):
    """By what to rewrite, and how many queries to draw; empty numbers are those that the draw suggests."""

    rewriter = forms.ChoiceField(choices=RunToOpen.Rewriter.choices)
    val = forms.IntegerField(required=False, min_value=0, max_value=MOST, error_messages=_WHOLE)
    test = forms.IntegerField(required=False, min_value=0, max_value=MOST, error_messages=_WHOLE)
    seed = forms.IntegerField(required=False, min_value=0, max_value=2**62, error_messages=_WHOLE)


@require_POST
@lead_required
def run(request: HttpRequest, member: Membership) -> HttpResponse:
    """Have a worker do what remains until judging is open; owners and leads only. While it runs, that run goes on."""
    form = RunForm(request.POST)
    if not form.is_valid():
        for name, errors in form.errors.items():
            messages.error(
                request,
                gettext("Nothing was begun. %(name)s: %(errors)s")
                % {"name": LABELS.get(name, name), "errors": errors[0]},
            )
        return redirect("overview", member.collection.name)
    sent = form.cleaned_data
    job = ask_to_run(
        member=member,
        rewriter=sent["rewriter"],
        val=sent["val"],
        test=sent["test"],
        seed=1 if sent["seed"] is None else sent["seed"],
    )
    ask_on_page(request, job)
    return redirect("overview", member.collection.name)


LABELS = {"rewriter": "Rewritten by", "val": "Validation queries", "test": "Test queries", "seed": "Seed"}
