"""View guards for trainees."""

from functools import wraps
from typing import Any

from django.core.exceptions import PermissionDenied
from django.http import HttpRequest
from django.http.response import HttpResponseBase
from django.shortcuts import redirect
from django.utils.translation import gettext_lazy
from django.views.decorators.http import require_POST

from foundation.access.guards import (
    CONSENT_FIRST,
    NO_JUDGING_IN_THE_ARCHIVE,
    WITHDREW,
    api_guard,
    consent_page,
    member_required,
    why_no_change,
)
from foundation.access.needs_login import View
from foundation.lazy import LazyStr
from foundation.models import Membership

LEADS_DO_NOT_TRAIN = gettext_lazy("You lead this collection: you prepare its training and exam, others take them.")
BARRED = gettext_lazy("The lead has ended your part in this collection.")


def why_no_training(member: Membership) -> LazyStr:
    """Why somebody has no training or exam to take here; "" where they have."""
    if member.leads:
        return LEADS_DO_NOT_TRAIN
    if member.collection.archived_at is not None:
        return NO_JUDGING_IN_THE_ARCHIVE
    if member.status == Membership.Status.BARRED:
        return BARRED
    return WITHDREW if member.consent_withdrawn_at is not None else "" if member.agrees else CONSENT_FIRST


def trainee_required(view: View) -> View:
    """`view(request, member, ...)` for annotators, admitted or not; 403 for leads and the barred.

    Who has a consent text to confirm is sent to it."""

    @member_required
    @wraps(view)
    def guarded(request: HttpRequest, member: Membership, *args: Any, **kwargs: Any) -> HttpResponseBase:
        refusal = why_no_training(member)
        if refusal in (WITHDREW, CONSENT_FIRST):
            return redirect(consent_page(member))
        if refusal:
            raise PermissionDenied(refusal)
        return view(request, member, *args, **kwargs)

    return guarded


_trainee_api = api_guard(lambda request, member: why_no_change(request, member) or why_no_training(member))


def trainee_post(view: View) -> View:
    """Like `trainee_required`, for a page's own requests that change something."""
    return require_POST(_trainee_api(view))
