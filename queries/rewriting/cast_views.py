"""The page Cast: who occurs in the videos, what a rewriter should know besides, and names that the list lacks."""

from typing import Any

from django.contrib import messages
from django.http import HttpRequest, HttpResponse
from django.shortcuts import redirect
from django.utils.translation import gettext as _
from django.utils.translation import ngettext

from foundation.access.pages import PageFacts, lead_act, lead_page, lead_post, render_facts
from foundation.collections.cast import GENDERS, BadCast
from foundation.collections.members import LONGEST_CONTEXT, set_cast
from foundation.infra.job_pages import ask_on_page
from foundation.infra.job_progress import progress_told
from foundation.models import Membership
from queries.models import NameCount
from queries.rewriting.name_counts import ask_for_names, names_missing

SHOWN = 50


@lead_page("queries/cast.html")
def cast(request: HttpRequest, member: Membership) -> PageFacts:
    """The cast list and the context, and the names in the descriptions that it lacks, once they are counted."""
    return _facts(member)


def _facts(member: Membership, typed: dict[str, str] | None = None, faults: dict[str, Any] | None = None) -> PageFacts:
    collection = member.collection
    count = NameCount.objects.filter(collection=collection).first()
    missing = names_missing(collection, count if count is not None and count.finished else None)
    return {
        "missing": missing[:SHOWN],
        "fields": typed or {"cast": collection.cast, "context": collection.context},
        "faults": faults or {},
        "count": count,
        "archived": collection.archived_at is not None,
        "progress": count and progress_told(count),
        "more": max(0, len(missing) - SHOWN),
        "longest_context": LONGEST_CONTEXT,
    }


@lead_post
def change_cast(request: HttpRequest, member: Membership) -> HttpResponse:
    """Replace the cast list, with the proposed names that were ticked, and the context; owners and leads only."""
    typed = {"cast": request.POST.get("cast", ""), "context": request.POST.get("context", "")}
    added = [line for line in request.POST.getlist("add") if line.rpartition(", ")[2] in GENDERS]
    typed["cast"] = "\n".join([typed["cast"].replace("\r\n", "\n").rstrip("\n"), *added]).strip("\n")
    faults: dict[str, Any] = {}
    try:
        members = set_cast(collection=member.collection, cast=typed["cast"], context=typed["context"])
    except BadCast as bad:
        lines = [_("Line %(number)s: %(problem)s.") % {"number": line, "problem": why} for line, why in bad.lines]
        faults["cast"] = [_("Nothing was saved."), *lines]
    except ValueError as bad:
        faults["context"] = str(bad)
    else:
        sentence = ngettext(
            "Saved. The cast list has %(count)s name.", "Saved. The cast list has %(count)s names.", members
        )
        messages.info(request, sentence % {"count": f"{members:,}"})
        return redirect("cast", member.collection.name)
    return render_facts(request, member, "queries/cast.html", _facts(member, typed, faults), status=400)


@lead_act("cast")
def find_names(request: HttpRequest, member: Membership) -> str | None:
    """Have a worker count the names in the descriptions; owners and leads only."""
    count = ask_for_names(member=member)
    if count is None:
        return _("The names are already being counted.")
    ask_on_page(request, count)
    return None
