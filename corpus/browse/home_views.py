"""The home page: an account's collections, with a poster of each."""

from typing import Any

from django.db.models import OuterRef, Subquery
from django.db.models.functions import Coalesce
from django.http import HttpRequest, HttpResponse
from django.shortcuts import redirect, render

from corpus.models import Clip
from foundation.access.collection_standing import standing_of
from foundation.access.first_page import first_page
from foundation.access.needs_login import account_of, login_required
from foundation.access.offers import offers
from foundation.access.outside_roles import outside_roles_of
from foundation.models import Collection, Membership


@login_required
def home(request: HttpRequest) -> HttpResponse:
    """The account's collections; an account with only one is redirected to its first page."""
    account = account_of(request)
    every = list(
        Membership.objects.filter(account=account).select_related("collection__study_of").order_by("collection__title")
    )
    asked = request.GET.get("archived") == "1"
    members = [member for member in every if _listed(member.collection, archived=asked)]
    # Whoever may create another one needs this page, which offers it.
    creates = account.creates_collections
    # A study is work for annotators, which they find here; leads find it in its collection.
    places = [member for member in every if not member.collection.is_study]
    places += [member for member in members if member.collection.is_study and not member.leads]
    outside = [] if asked else outside_roles_of(account)
    if len(places) + len(outside) == 1 and not creates and not asked:
        if outside:
            return redirect(outside[0].address)
        if places[0] in members:
            return redirect(first_page(places[0]))
    context = {
        "cards": _cards(_studies_below(members)),
        "outside": outside,
        "archived": asked,
        "in_archive": sum(_listed(member.collection, archived=True) for member in every),
        "creates": creates,
        "offers": offers() if creates else [],
    }
    return render(request, "corpus/home.html", context)


def _cards(members: list[Membership]) -> list[dict[str, Any]]:
    """What the page shows of each place: its address, a poster of the collection ("" without), and for leads how far
    it is."""
    of_it = Clip.objects.filter(moment__video__collection=Coalesce(OuterRef("study_of"), OuterRef("pk")))
    poster = Subquery(of_it.exclude(poster_file="").values("public_name")[:1])
    ids = [member.collection_id for member in members if member.status != Membership.Status.BARRED]
    posters = dict(Collection.objects.filter(pk__in=ids).values_list("pk", poster))
    return [
        {
            "member": member,
            "address": first_page(member),
            "poster": posters.get(member.collection_id) or "",
            "standing": standing_of(member.collection) if member.leads else None,
        }
        for member in members
    ]


def _listed(collection: Collection, *, archived: bool) -> bool:
    """Whether it is among those at work, or those archived; a study that was put away is on its collection's page."""
    if collection.study_of is not None and collection.archived_at is not None and not collection.study_of.archived_at:
        return False
    return (collection.archived_at is not None) == archived


def _studies_below(members: list[Membership]) -> list[Membership]:
    """Collections, each followed by its studies; studies whose collection isn't listed come last."""
    studies = [member for member in members if member.collection.is_study]
    ordered = []
    for member in members:
        if not member.collection.is_study:
            ordered += [member, *(study for study in studies if study.collection.study_of_id == member.collection_id)]
    return ordered + [study for study in studies if study not in ordered]
