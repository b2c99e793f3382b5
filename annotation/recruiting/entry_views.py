"""The pages of people whom a platform sends: where they enter, how far they are, and the way back with their code."""

from typing import Any

from django.conf import settings
from django.contrib.auth import login
from django.core.exceptions import PermissionDenied
from django.http import Http404, HttpRequest, HttpResponse
from django.shortcuts import redirect, render
from django.urls import reverse
from django.utils.formats import number_format
from django.utils.translation import gettext as _
from django.views.decorators.cache import never_cache
from django.views.decorators.http import require_http_methods

from annotation.assignment.session_targets import live_session, standing_of
from annotation.consent.views import after_consent
from annotation.models import Recruitment, RecruitSession
from annotation.qualification.invitation_views import told_before_joining
from annotation.recruiting.entering import (
    asks_consent,
    enter,
    find_recruitment,
    finish_session,
    newest_session,
    refuse_closed,
    what_is_missing,
)
from annotation.recruiting.platforms import MTURK_HOSTS, MTURK_SUBMIT, Ids, filled_address, read_ids, refuse_unsigned
from annotation.recruiting.recruitments import names_of, secret_of
from annotation.recruiting.sessions import code_of
from foundation.access.error_pages import problem_page
from foundation.access.first_page import first_page
from foundation.access.form_input import whole_number
from foundation.access.guards import member_required
from foundation.access.pages import refusal_told, render_facts
from foundation.access.throttle import Limit
from foundation.accounts.joining import behind_link
from foundation.models import Membership
from foundation.models.sessions import TRACELESS
from foundation.refused import LinkUnknown, Refused

WRONG_ENTRIES = Limit("entries", 30, 10)
"""From one address."""
Outcome = RecruitSession.Outcome


@require_http_methods(["GET", "HEAD", "POST"])
@never_cache
def take_part(request: HttpRequest, token: str) -> HttpResponse:
    """The entry: says what the work is, and begins or goes on with a session by a form. Looking changes nothing.

    404 for an unknown address, 400 for ids that are none or a consent text to be confirmed first, 410 where no session
    can begin; all say why.
    """
    try:
        recruitment = behind_link(
            request, lambda: find_recruitment(token), unknown=LinkUnknown, wrong=WRONG_ENTRIES, called="entry"
        )
    except LinkUnknown as refusal:
        return _unlisted(problem_page(request, 404, _("This link doesn't work"), str(refusal)))
    mturk = recruitment.platform == Recruitment.Platform.MTURK
    try:
        ids = _ids(request, recruitment, mturk=mturk)
    except Refused as refusal:
        return _unlisted(problem_page(request, 400, _("This link doesn't work"), str(refusal)))
    unread = ""
    if request.method == "POST" and not ids.preview:
        consent = whole_number(request.POST.get("consent", ""))
        try:
            session = enter(recruitment=recruitment, ids=ids, consent=consent)
        except Refused as refusal:
            if refusal.field != "consent":
                return _unlisted(problem_page(request, 410, _("You can't begin here"), str(refusal)))
            unread = str(refusal)
        else:
            return redirect(_arrived(request, session, consents=consent is not None))
    # A browser sends no login along to a frame of another site.
    framed = mturk and request.headers.get("Sec-Fetch-Dest") in ("iframe", "frame")
    context = {"asked": recruitment, "ids": ids, "framed": framed, "closed": _why_closed(recruitment)}
    context |= _pay(recruitment) | told_before_joining(recruitment.collection) | {"unread": unread}
    if not asks_consent(recruitment, ids):
        context["consent"] = None
    response = _unlisted(render(request, "annotation/take_part.html", context, status=400 if unread else 200))
    if mturk:
        response.framed_by, response.xframe_options_exempt = sorted(MTURK_HOSTS), True  # type: ignore[attr-defined]
    return response


def _ids(request: HttpRequest, recruitment: Recruitment, *, mturk: bool) -> Ids:
    """The address's ids. Raises: Refused."""
    sent = dict(request.GET.lists())
    ids = read_ids(sent, names_of(recruitment), mturk=mturk)
    if recruitment.signed and not ids.preview:
        refuse_unsigned(sent, secret_of(recruitment), ids)
    return ids


def _why_closed(recruitment: Recruitment) -> str:
    """Why no new session can begin; who is in one goes on."""
    try:
        refuse_closed(recruitment)
    except Refused as refusal:
        return str(refusal)
    return ""


def _pay(recruitment: Recruitment) -> dict[str, str]:
    """What the entry tells of pay; empty where nothing is set."""

    def told(amount: Any) -> str:
        return f"{number_format(amount.normalize(), force_grouping=True)} {recruitment.currency}" if amount else ""

    return {"reward": told(recruitment.reward), "rate": told(recruitment.rate)}


def _arrived(request: HttpRequest, session: RecruitSession, *, consents: bool) -> str:
    """Log the person in, without a trace of device and address. Returns: where they go on."""
    member = session.recruit.member
    assert member.account is not None, "who enters has an account"
    if request.user.pk != member.account_id:
        login(request, member.account, backend=settings.AUTHENTICATION_BACKENDS[0])
        request.session[TRACELESS] = True
    if session.ended_at is not None:
        return reverse("own-session", args=[member.collection.name])
    return after_consent(member) if consents else first_page(member)


def _unlisted(response: HttpResponse) -> HttpResponse:
    """No search engine lists the page: its address has ids."""
    response["X-Robots-Tag"] = "noindex, nofollow"
    return response


@require_http_methods(["GET", "HEAD", "POST"])
@never_cache
@member_required
def own_session(request: HttpRequest, member: Membership) -> HttpResponse:
    """How far somebody is in their session and, once they have ended it by the form, the way back with their code."""
    if not member.recruited:
        raise PermissionDenied(_("This page is for people whom a platform has sent here."))
    if request.method == "POST":
        with refusal_told(request):
            finish_session(member=member)
        return redirect("own-session", member.collection.name)
    live = live_session(member)
    session = live or newest_session(member)
    if session is None:
        raise Http404("no session")
    standing = standing_of(live) if live else None
    facts = {
        "session": session,
        "standing": standing,
        "missing": what_is_missing(standing) if standing is not None else "",
        "on": first_page(member),
        "code": code_of(session),
        "barred": member.status == Membership.Status.BARRED,
        **_way_back(session),
    }
    response = _unlisted(render_facts(request, member, "annotation/own_session.html", facts))
    if facts["form_to"]:
        response.forms_to = [session.submit_to]  # type: ignore[attr-defined]
    return response


def _way_back(session: RecruitSession) -> dict[str, str]:
    """Where the end leads: `back`, an address of the recruitment's own, or `form_to`, MTurk's; "" each for none."""
    asked, code = session.recruitment, code_of(session)
    if session.outcome in ("", Outcome.LEFT):
        return {"back": "", "form_to": ""}
    if asked.platform == Recruitment.Platform.MTURK and session.submit_to in MTURK_HOSTS:
        return {"back": "", "form_to": session.submit_to + MTURK_SUBMIT}
    if session.outcome == Outcome.SCREENED and not code:
        return {"back": "", "form_to": ""}
    person = session.recruit.person
    back = filled_address(asked.return_address, code=code, person=person, session=session.session, study=session.study)
    return {"back": back if person else "", "form_to": ""}
