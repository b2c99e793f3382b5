"""Pages of LLM settings: the servers that the installation allows, and a collection's choice. No key is ever shown."""

from typing import Any

from django.contrib import messages
from django.contrib.auth.decorators import login_required
from django.core.exceptions import PermissionDenied
from django.http import Http404, HttpRequest, HttpResponse, JsonResponse
from django.shortcuts import get_object_or_404, redirect, render
from django.utils.translation import gettext as _
from django.utils.translation import gettext_lazy
from django.views.decorators.http import require_http_methods

from foundation.access.form_input import whole_number
from foundation.access.needs_login import account_get, account_of, account_post
from foundation.access.pages import PageFacts, lead_act, lead_get, lead_page, lead_post, render_facts
from foundation.access.second_factor import require_second_factor
from foundation.infra.job_pages import ask_on_page
from foundation.infra.job_progress import progress_of
from foundation.models import Account, Membership
from foundation.refused import FieldsRefused, Refused
from queries.models import LlmChoice, LlmServer, LlmTrial
from queries.rewriting.llm_settings import llm_settings
from queries.rewriting.llm_terms import as_form, owns_installation, remove_server, save_choice, save_server
from queries.rewriting.llm_trial import ask_for_trial
from queries.rewriting.rewriters.llm import DEFAULT_MODEL

REFUSED = gettext_lazy("This page is for the owners of this site: they choose its LLM servers.")


def _owner(request: HttpRequest) -> Account:
    account = account_of(request)
    if not owns_installation(account):
        raise PermissionDenied(str(REFUSED))
    require_second_factor(request)
    return account


@require_http_methods(["GET", "HEAD", "POST"])
@login_required
def llm(request: HttpRequest) -> HttpResponse:
    """The servers that may be asked; for owners of the installation. POST saves or removes one."""
    account = _owner(request)
    faults: dict[str, str] = {}
    number = ""
    if request.method == "POST":
        number = request.POST.get("server", "")
        server_id = whole_number(number)
        try:
            if request.POST.get("do") == "remove":
                remove_server(account=account, server_id=server_id or 0)
                messages.info(request, _("Server removed."))
            else:
                saved = save_server(account=account, typed=request.POST.dict(), server_id=server_id)
                messages.info(request, _("%(name)s saved.") % {"name": saved.name})
            return redirect("llm")
        except Refused as bad:
            faults = bad.wrong
    servers = [
        _server_form(server, request.POST.dict() if faults and number == str(server.pk) else None, faults)
        for server in LlmServer.objects.select_related("trial").order_by("name")
    ]
    fresh = request.POST.dict() if faults and not number else {}
    context = {
        "servers": servers,
        "fresh": {"fields": fresh, "faults": faults if not number else {}},
        "usual": llm_settings().shown,
        "default_model": DEFAULT_MODEL,
    }
    return render(request, "queries/llm.html", context, status=400 if faults else 200)


def _server_form(server: LlmServer, typed: dict[str, str] | None, faults: dict[str, str]) -> dict[str, Any]:
    stored = {"name": server.name, "address": server.address, "is_default": server.is_default, **as_form(server)}
    return {
        "server": server,
        "prefix": f"server-{server.pk}",
        "fields": stored if typed is None else {**stored, **typed, "is_default": bool(typed.get("is_default"))},
        "faults": {} if typed is None else faults,
        "trial": _trial_told(getattr(server, "trial", None)),
    }


def _trial_told(trial: LlmTrial | None) -> dict[str, Any] | None:
    return None if trial is None else progress_of(trial, share=50, words=trial.said or _("Testing the server."))


@account_post
def try_server(request: HttpRequest, server_id: int) -> HttpResponse:
    """Have a worker make one small request of a server; for owners of the installation."""
    _owner(request)
    ask_on_page(request, ask_for_trial(server=get_object_or_404(LlmServer, pk=server_id)))
    return redirect("llm")


@account_get
def server_trial(request: HttpRequest, server_id: int) -> HttpResponse:
    """How far a server's trial is, for the page's script; for owners of the installation."""
    _owner(request)
    return JsonResponse(_trial_told(get_object_or_404(LlmTrial, server_id=server_id)))


@lead_page("queries/rewriting_llm.html")
def collection_llm(request: HttpRequest, member: Membership) -> PageFacts:
    """Which LLM rewrites this collection, and where each value comes from; its owners have the form."""
    return _collection_facts(member)


def _collection_facts(
    member: Membership, typed: dict[str, str] | None = None, faults: dict[str, str] | None = None
) -> PageFacts:
    settings = llm_settings(member.collection)
    choice = LlmChoice.objects.filter(collection=member.collection).first() or LlmChoice()
    stored = {"rewriter": choice.rewriter, "server": choice.server_id or "", **as_form(choice)}
    trial = LlmTrial.objects.filter(collection=member.collection).first()
    return {
        "llm": settings.shown,
        "by_rules": settings.by_rules,
        "problem": settings.problem,
        "owns": member.role == Membership.Role.OWNER,
        "installation": member.account is not None and owns_installation(member.account),
        "remote": settings.is_remote,
        "default_model": DEFAULT_MODEL,
        "fields": stored if typed is None else {**stored, **typed},
        "faults": faults or {},
        "servers": [
            ("", _("The site's default")),
            *((server.pk, server.name) for server in LlmServer.objects.order_by("name")),
        ],
        "rewriters": [
            (LlmChoice.Rewriter.USUAL, _("The LLM if one is set, otherwise rules")),
            (LlmChoice.Rewriter.RULES, _("Rules")),
        ],
        "trial": _trial_told(trial),
    }


@lead_post
def change_collection_llm(request: HttpRequest, member: Membership) -> HttpResponse:
    """Set the collection's own settings; for its owners."""
    try:
        save_choice(member=member, typed=request.POST.dict())
    except FieldsRefused as bad:
        facts = _collection_facts(member, request.POST.dict(), bad.wrong)
        return render_facts(request, member, "queries/rewriting_llm.html", facts, status=400)
    except Refused as refusal:
        messages.error(request, str(refusal))
    else:
        messages.info(request, _("Settings saved."))
    return redirect("rewriting-llm", member.collection.name)


@lead_act("rewriting-llm")
def try_collection_llm(request: HttpRequest, member: Membership) -> None:
    """Have a worker make one small request as the collection's settings have it."""
    ask_on_page(request, ask_for_trial(collection=member.collection))


@lead_get
def collection_trial(request: HttpRequest, member: Membership) -> HttpResponse:
    """How far the collection's trial is, for the page's script: {"state", "finished", "share", "words", "silent"}."""
    trial = LlmTrial.objects.filter(collection=member.collection).first()
    if trial is None:
        raise Http404("no trial")
    return JsonResponse(_trial_told(trial))
