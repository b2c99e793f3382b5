"""The lead's pages of factors: declared and retired; and what they tell, with its files."""

import io
from dataclasses import asdict

from django import forms
from django.contrib import messages
from django.http import Http404, HttpRequest, HttpResponse, HttpResponseBase
from django.shortcuts import redirect
from django.utils.translation import gettext as _
from django.utils.translation import gettext_lazy

from annotation.factors.declared import (
    are_fixed,
    declare_factors,
    declared_in,
    factors_of,
    retire_factor,
    rows_of,
)
from annotation.factors.figures import NAME
from annotation.factors.tables import drawn, in_words, tables_of
from annotation.factors.texts import COLUMNS, MOST_FACTORS, DeclaredFactor, factor_row, paper_factors
from annotation.factors.whole_files import LARGEST, read_factors
from annotation.figure_tables import csv_rows, file_of_figures, on_page
from annotation.models.factors import MOST_ANSWERS
from annotation.precomputed import computed_or_ask
from corpus.description_formats import BadRow
from foundation.access.pages import PageFacts, lead_get, lead_page, lead_post, refusal_in, refusal_told, render_facts
from foundation.infra.csv_download import csv_download
from foundation.models import FactorsAsked, Membership

TEMPLATE = "annotation/factors.html"


class FactorForm(forms.Form):
    """A factor to be added, or to take the place of the one with its key."""

    key = forms.CharField(max_length=30)
    name = forms.CharField(max_length=60)
    question = forms.CharField(max_length=200)
    answers = forms.CharField(max_length=400, widget=forms.Textarea(attrs={"rows": MOST_ANSWERS}))
    may_skip = forms.BooleanField(required=False)


class FactorFileForm(forms.Form):
    """All factors, as a file."""

    file = forms.FileField(max_length=400, error_messages={"empty": gettext_lazy("The file is empty.")})


def _facts(member: Membership, form: forms.Form | None = None, file: forms.Form | None = None) -> PageFacts:
    collection = member.collection
    return {
        "factors": factors_of(collection),
        "fixed": are_fixed(collection),
        "asked": FactorsAsked(collection.factors_asked).label,
        "choices": FactorsAsked.choices,
        "form": form or FactorForm(),
        "file": file or FactorFileForm(),
        "most": MOST_FACTORS,
    }


@lead_page(TEMPLATE)
def page(request: HttpRequest, member: Membership) -> PageFacts:
    """The collection's factors, and the forms to declare or retire them; owners and leads only.

    `?change=KEY`: that one is in the form.
    """
    stand = {factor.key: factor for factor in declared_in(member.collection)}
    chosen = stand.get(request.GET.get("change", ""))
    if chosen is None:
        return _facts(member)
    typed = {**asdict(chosen.words), "answers": "\n".join(chosen.words.answers)}
    return _facts(member, FactorForm(initial={"key": chosen.key, "may_skip": chosen.may_skip, **typed}))


@lead_post
def add(request: HttpRequest, member: Membership) -> HttpResponse:
    """Add a factor, or change the one with its key; owners and leads only.

    Its words in other languages stay, unless it has another number of answers then.
    """
    form = FactorForm(request.POST)
    if form.is_valid():
        typed = form.cleaned_data
        with refusal_in(form):
            try:
                lines = [line for line in typed["answers"].splitlines() if line.strip()]
                row = factor_row({**typed, "answers": lines, "may_skip": "yes" if typed["may_skip"] else "no"})
                stand = {factor.key: factor for factor in declared_in(member.collection)}
                before = stand.get(row.key)
                alike = before is not None and len(before.words.answers) == len(row.words.answers)
                others = before.languages if before is not None and alike else {}
                stand[row.key] = DeclaredFactor(row.key, row.words, row.may_skip, others)
                if len(stand) > MOST_FACTORS:
                    raise BadRow.saying("key", _("another factor"), _("at most %(most)s") % {"most": MOST_FACTORS})
                declare_factors(collection=member.collection, factors=list(stand.values()))
            except BadRow as bad:
                raise bad.refusal() from bad
            return redirect("factors", member.collection.name)
    return render_facts(request, member, TEMPLATE, _facts(member, form), status=400)


@lead_post
def upload(request: HttpRequest, member: Membership) -> HttpResponse:
    """Declare the factors of a file in the place of those that there are; owners and leads only."""
    form = FactorFileForm(request.POST, request.FILES)
    if form.is_valid():
        sent = form.cleaned_data["file"]
        with refusal_in(form):
            read = read_factors(io.BytesIO(sent.read(LARGEST + 1)), sent.name)
            declare_factors(collection=member.collection, factors=read)
            return redirect("factors", member.collection.name)
    return render_facts(request, member, TEMPLATE, _facts(member, file=form), status=400)


@lead_post
def change(request: HttpRequest, member: Membership) -> HttpResponse:
    """Take the paper's factors, remove one, retire one, or say after which grades they are asked; owners and leads
    only."""
    here = member.collection
    with refusal_told(request):
        if key := request.POST.get("retire"):
            retire_factor(collection=here, key=key)
            messages.info(request, _("It isn't asked any more. What was answered stays."))
        elif request.POST.get("paper"):
            declare_factors(collection=here, factors=paper_factors())
        elif key := request.POST.get("remove"):
            declare_factors(collection=here, factors=[one for one in declared_in(here) if one.key != key])
        elif (asked := request.POST.get("asked")) in FactorsAsked.values:
            declare_factors(collection=here, factors=declared_in(here), asked=asked)
            messages.info(request, _("Saved."))
    return redirect("factors", here.name)


@lead_get
def declared_csv(request: HttpRequest, member: Membership) -> HttpResponseBase:
    """The factors as a file that the page takes again; owners and leads only."""
    return csv_download(f"{member.collection.name}-factors", COLUMNS, rows_of(declared_in(member.collection)))


@lead_page("annotation/factor_figures.html")
def figures(request: HttpRequest, member: Membership) -> PageFacts:
    """How far annotators agree on factors, and how factors explain grades; owners and leads only."""
    result = computed_or_ask(collection=member.collection, name=NAME)
    facts: PageFacts = {"result": result, "found": result.value}
    if result.value is None:
        return facts
    return facts | {
        "said": in_words(result.value),
        "drawn": on_page(drawn(result.value)),
        "tables": tables_of(result.value),
    }


@lead_get
def figures_file(request: HttpRequest, member: Membership, ending: str) -> HttpResponseBase:
    """The same as CSV, JSON or SVG, in English; owners and leads only."""
    found = computed_or_ask(collection=member.collection, name=NAME).value
    if found is None:
        raise Http404("The figures aren't computed yet.")
    return file_of_figures(
        f"{member.collection.name}-factor-figures",
        ending,
        rows=lambda: csv_rows(tables_of(found)),
        told=lambda: {"says": in_words(found), **found},
        drawings={"svg": lambda: drawn(found)},
    )
