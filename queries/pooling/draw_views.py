"""The page "Draw queries": what could be drawn, the form, what was drawn."""

from typing import Any

from django import forms
from django.http import HttpRequest, HttpResponse
from django.shortcuts import redirect
from django.utils.translation import gettext as _
from django.utils.translation import gettext_lazy

from foundation.access.form_input import WholeNumberField
from foundation.access.guards import takes_uploads
from foundation.access.pages import PageFacts, lead_page, lead_post, render_facts
from foundation.infra.figure_cache import kept
from foundation.infra.job_pages import ask_on_page
from foundation.infra.job_progress import progress_told
from foundation.models import Collection, Membership
from queries.pooling.draw_jobs import SHOW, ask_for_draw, groups_of
from queries.pooling.drawable import DrawableCaptions, drawable, sample_queries, standing_draw, why_fixed
from queries.pooling.strata import BadStrata

TEMPLATE = "queries/draw.html"


class QueryDrawForm(forms.Form):
    """How many queries to draw, and how."""

    val = WholeNumberField(max_value=1_000_000)
    test = WholeNumberField(max_value=1_000_000)
    seed = WholeNumberField(max_value=2**62)
    stratify = forms.ChoiceField(
        required=False,
        choices=[
            ("", gettext_lazy("No groups: every caption alike")),
            (SHOW, gettext_lazy("By show, from the videos' names")),
            ("file", gettext_lazy("By a CSV file")),
        ],
    )
    table = forms.FileField(required=False, max_length=400)
    column = forms.CharField(required=False, max_length=100)
    each_caption = forms.BooleanField(required=False)
    redraw = forms.BooleanField(required=False)

    def __init__(self, *args: Any, available: DrawableCaptions, standing: dict[str, Any] | None, **kwargs: Any) -> None:
        super().__init__(*args, **kwargs)
        self._available, self._standing = available, standing
        self.strata: dict[str, str] = {}
        """Video name -> stratum, where a file says it."""
        self.named = ""
        """What the draw goes by, as the draw names it."""

    def clean(self) -> dict[str, Any]:
        sent: dict[str, Any] = super().clean() or {}
        val, test = sent.get("val"), sent.get("test")
        if val is not None and test is not None:
            if val + test == 0:
                self.add_error("test", _("Found 0 queries in both splits, expected at least 1."))
            elif val + test > self._available.captions:
                self.add_error(
                    "test",
                    _("Found %(found)s queries in all, expected at most %(most)s: as many captions can be drawn.")
                    % {"found": f"{val + test:,}", "most": f"{self._available.captions:,}"},
                )
        self.named = sent.get("stratify") or ""
        if self.named == "file":
            self._read_table(sent)
        if self.named and sent.get("each_caption"):
            self.add_error(
                "each_caption", _("Groups get their share of distinct captions: choose no groups, or leave this off.")
            )
        if self._standing is not None and not sent.get("redraw") and not self._is_standing(sent):
            self.add_error("redraw", _("Queries are drawn already. Tick this box to replace them."))
        return sent

    def _read_table(self, sent: dict[str, Any]) -> None:
        table, column = sent.get("table"), sent.get("column", "").strip()
        if table is None:
            self.add_error("table", _("Choose a CSV file with a column video_name and a column with the groups."))
            return
        if not column:
            self.add_error("column", _("Enter the column's name, as in the first line of the file."))
            return
        try:
            self.strata, self.named = groups_of(table, column)
        except BadStrata as error:
            self.add_error("table", str(error))

    def _is_standing(self, sent: dict[str, Any]) -> bool:
        standing = self._standing or {}
        same = all(sent.get(name) == standing.get(name) for name in ("val", "test", "seed", "each_caption"))
        return same and self.named == standing.get("stratify")


def _form(collection: Collection, *sent: Any) -> QueryDrawForm:
    available, standing = kept("draw", collection, drawable), standing_draw(collection)
    val, test = available.suggestion
    initial = {"val": val, "test": test, "seed": 1, "stratify": ""}
    if standing is not None:
        initial |= {name: standing[name] for name in ("val", "test", "seed", "each_caption")}
        initial["stratify"] = standing["stratify"] if standing["stratify"] in ("", SHOW) else "file"
    return QueryDrawForm(*sent, initial=initial, available=available, standing=standing)


def _facts(collection: Collection, form: QueryDrawForm) -> PageFacts:
    available = kept("draw", collection, drawable)
    job = collection.query_draws.order_by("-pk").first()
    return {
        "captions": available.captions,
        "in_studies": available.in_studies,
        "shows": [{"show": show, "captions": count} for show, count in available.shows.items()],
        "draw": standing_draw(collection),
        "fixed": why_fixed(collection),
        "samples": sample_queries(collection),
        "job": job and {"asked_at": job.asked_at, **progress_told(job)},
        "form": form,
    }


@lead_page(TEMPLATE)
def draw(request: HttpRequest, member: Membership) -> PageFacts:
    """What could be drawn, the form, the draw that stands with some of its queries, and how far a worker is."""
    return _facts(member.collection, _form(member.collection))


@takes_uploads("leads")
@lead_post
def make(request: HttpRequest, member: Membership) -> HttpResponse:
    """Have a worker draw queries; owners and leads only. While one draws, that one goes on."""
    form = _form(member.collection, request.POST, request.FILES)
    if not form.is_valid():
        return render_facts(request, member, TEMPLATE, _facts(member.collection, form), status=400)
    sent = form.cleaned_data
    job = ask_for_draw(
        member=member,
        val=sent["val"],
        test=sent["test"],
        seed=sent["seed"],
        stratify=form.named,
        strata=form.strata,
        each_caption=sent["each_caption"],
        redraw=sent["redraw"],
    )
    ask_on_page(request, job)
    return redirect("draw", member.collection.name)
