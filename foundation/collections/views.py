"""Pages of collections and members: create, archive, change roles."""

from collections.abc import Mapping

from django.contrib import messages
from django.core.exceptions import PermissionDenied, ValidationError
from django.http import Http404, HttpRequest, HttpResponse
from django.shortcuts import redirect, render
from django.utils import timezone
from django.utils.translation import gettext as _
from django.views.decorators.http import require_http_methods, require_POST

from foundation.access.guards import lead_of_archived
from foundation.access.needs_login import account_of, account_post, login_required
from foundation.access.offers import offer_called
from foundation.access.pages import PageFacts, lead_page, lead_post, refusal_told
from foundation.access.second_factor import require_second_factor
from foundation.collections.lifecycle import (
    archive_collection,
    change_role,
    create_collection,
    remove_member,
    unarchive_collection,
)
from foundation.models import Membership
from foundation.refused import Refused


@require_http_methods(["GET", "HEAD", "POST"])
@login_required
def new(request: HttpRequest) -> HttpResponse:
    """A form for a new collection; 403 for accounts that may not create any."""
    account = account_of(request)
    if not account.creates_collections:
        raise PermissionDenied(_("Your account may not create collections. Ask the person who runs this site."))
    require_second_factor(request)
    faults: dict[str, str] = {}
    problem = ""
    if request.method == "POST":
        try:
            collection = create_collection(
                account=account,
                name=request.POST.get("name", ""),
                title=request.POST.get("title", ""),
                has_clips=request.POST.get("has_clips", "yes") == "yes",
            )
        except ValidationError as error:
            faults, problem = _faults(error), ""
            if not faults:
                problem = " ".join(error.messages)
        else:
            messages.info(
                request,
                _(
                    "Collection created. Check the settings: some lock at the first judgment. "
                    "The overview shows what comes next."
                ),
            )
            return redirect("settings", collection.name)
    context = {
        "problem": problem,
        "faults": faults,
        "sent": request.POST,
        "fresh": not faults,
        "clip_choices": [("yes", _("Moments have clips to watch")), ("no", _("Moments have no clips"))],
    }
    return render(request, "foundation/collection_new.html", context, status=400 if faults or problem else 200)


def _faults(error: ValidationError) -> dict[str, str]:
    """What is wrong with the name and the title of a new collection, by field."""
    codes = {field: {fault.code for fault in errors} for field, errors in getattr(error, "error_dict", {}).items()}
    faults = {}
    if "title" in codes:
        faults["title"] = _("Enter a title of 1 to 200 characters.")
    if "unique" in codes.get("name", ()):
        faults["name"] = _("Another collection has this short name. Choose another.")
    elif "name" in codes:
        faults["name"] = _("Enter 1 to 60 lower-case letters, digits and hyphens.")
    return faults


@account_post
def begin_offer(request: HttpRequest, offer: str) -> HttpResponse:
    """Begin what the home page offers: its collection is made, and a job fills it."""
    account, offered = account_of(request), offer_called(offer)
    if offered is None:
        raise Http404("no such offer")
    if not account.creates_collections:
        raise PermissionDenied(_("Your account may not create collections. Ask the person who runs this site."))
    require_second_factor(request)
    return redirect(offered.begin(account))


@lead_page("foundation/members.html")
def members(request: HttpRequest, member: Membership) -> PageFacts:
    """Everybody with a place in the collection: owners, leads, then annotators by worker id."""
    return members_facts(member)


def members_facts(
    member: Membership, of: int = 0, wrong: Mapping[str, str] | None = None, sent: Mapping[str, str] | None = None
) -> PageFacts:
    """The page's facts.

    Args: of: the member whose form was refused, by primary key; wrong: by its field, why; sent: what was typed.
    """
    today = timezone.now().date()
    order = {role: place for place, role in enumerate(Membership.Role.values)}
    people = sorted(
        member.collection.memberships.select_related("account"), key=lambda person: (order[person.role], person.worker)
    )
    for person in people:
        refused = person.pk == of
        person.wrong = wrong if refused and wrong else {}  # type: ignore[attr-defined]
        person.typed = (  # type: ignore[attr-defined]
            {**sent, "sent": True}
            if refused and sent
            else {"languages": ", ".join(person.languages), "rate": person.pay_per_hour, "since": today.isoformat()}
        )
    owners = [person for person in people if person.role == Membership.Role.OWNER and person.account_id]
    return {
        "people": people,
        "owns": member.role == Membership.Role.OWNER,
        "one_owner": len(owners) < 2,
        "today": today,
    }


@lead_post
def change_member(request: HttpRequest, member: Membership, member_id: int) -> HttpResponse:
    """Change a member's role or remove them, as `change` says. (Pausing belongs to the people pages.)"""
    change = request.POST.get("change", "")
    with refusal_told(request, ValueError):
        if change == "remove":
            if "sure" not in request.POST:
                raise Refused(_("Nothing was changed. Tick the box to confirm the removal."))
            other = remove_member(member=member, other_id=member_id)
            sentence = _("%(worker)s no longer has access. Their judgments and decisions are kept.")
        else:
            other = change_role(member=member, other_id=member_id, role=change)
            sentence = _("%(worker)s is now %(role)s.")
        messages.info(request, sentence % {"worker": other.worker, "role": other.get_role_display()})
    member.refresh_from_db()
    # Whoever has just given up their own lead sees this page no longer.
    return redirect("members", member.collection.name) if member.leads else redirect("home")


@require_POST
@lead_of_archived
def archive(request: HttpRequest, member: Membership) -> HttpResponse:
    """Archive the collection, or restore it with `back`."""
    with refusal_told(request):
        if request.POST.get("back"):
            unarchive_collection(member=member)
            messages.info(request, _("The collection is restored."))
        else:
            archive_collection(member=member)
            messages.info(
                request,
                _("The collection is archived: you can read it, but not change it. Restore it below at any time."),
            )
    return redirect("settings", member.collection.name)
