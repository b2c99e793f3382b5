"""An annotator's own page about content: what they don't want to see, and how old they are."""

from collections.abc import Collection

from django import forms
from django.contrib import messages
from django.http import HttpRequest, HttpResponse
from django.shortcuts import redirect
from django.utils.translation import gettext as _
from django.views.decorators.http import require_POST

from annotation.batches.missing_clips import home_of
from annotation.people.content_choices import choose_content
from corpus.content.marks import OLDEST, kinds_of
from foundation.access.form_input import WholeNumberField
from foundation.access.guards import member_required
from foundation.access.pages import PageFacts, member_page, refusal_in, render_facts
from foundation.models import Membership

PAGE = "annotation/own_content.html"


class ContentForm(forms.Form):
    """An age in years; kinds are boxes of the page's own."""

    age = WholeNumberField(required=False, min_value=0, max_value=OLDEST)


def _facts(member: Membership, form: ContentForm, chosen: Collection[str]) -> PageFacts:
    kinds = sorted({*kinds_of(home_of(member.collection)), *member.avoids})
    return {"kinds": [(kind, kind in chosen) for kind in kinds], "form": form}


@member_page(PAGE)
def own_content(request: HttpRequest, member: Membership) -> PageFacts:
    """The kinds of content here with what is chosen, and the age that was said."""
    return _facts(member, ContentForm(initial={"age": member.age or ""}), member.avoids)


@require_POST
@member_required
def choose(request: HttpRequest, member: Membership) -> HttpResponse:
    """Set both; the next work is given by them."""
    form, avoids = ContentForm(request.POST), set(request.POST.getlist("avoids"))
    if form.is_valid():
        with refusal_in(form):
            choose_content(member=member, avoids=avoids, age=form.cleaned_data["age"] or 0)
            messages.info(request, _("Saved. Your next clips are chosen by it."))
            return redirect("own-content", member.collection.name)
    return render_facts(request, member, PAGE, _facts(member, form, avoids), status=400)
