"""Invitations: the lead's list, and the public page behind a link (no login needed)."""

from datetime import datetime

from django import forms
from django.core.exceptions import ValidationError
from django.http import HttpRequest, HttpResponse
from django.shortcuts import redirect, render
from django.utils import timezone
from django.utils.formats import number_format
from django.utils.translation import gettext as _
from django.views.decorators.cache import never_cache
from django.views.decorators.http import require_http_methods

from annotation.consent.standing import refuse_other_version
from annotation.consent.texts import current_consent
from annotation.consent.views import after_consent
from annotation.models import Invitation, WorkedItem
from annotation.people.terms import read_languages
from annotation.qualification.exam_sampling import current_exam
from annotation.qualification.invitations import (
    accept_invitation,
    find_invitation,
    invitations_of,
    make_invitation,
    refuse_closed,
    withdraw_invitation,
)
from corpus.content.marks import kinds_of
from foundation.access.error_pages import problem_page
from foundation.access.first_page import first_page
from foundation.access.form_input import LastDayField, WholeNumberField, whole_number
from foundation.access.guards import lead_required
from foundation.access.pages import lead_act, render_facts
from foundation.access.throttle import Limit
from foundation.accounts.forms import NewAccount, password_rules
from foundation.accounts.joining import behind_link, join_with_account
from foundation.markdown import to_html
from foundation.models import Collection, Membership
from foundation.refused import LinkUnknown, Refused

WRONG_LINKS = Limit("invitations", 30, 10)
"""From one address."""


class InvitationForm(forms.Form):
    """The form for a new invitation link."""

    label = forms.CharField(max_length=100, required=False)
    places = WholeNumberField(min_value=1, max_value=10_000, required=False)
    last_day = LastDayField(required=False)
    languages = forms.CharField(max_length=400, required=False)

    def clean_last_day(self) -> datetime | None:
        """The end of the chosen day (UTC): the link is valid until then."""
        end: datetime | None = self.cleaned_data["last_day"]
        if end is not None and end <= timezone.now():
            raise ValidationError(_("Choose today or a later day."))
        return end

    def clean_languages(self) -> list[str]:
        try:
            return read_languages(self.cleaned_data["languages"])
        except Refused as refusal:
            raise ValidationError(str(refusal)) from refusal


@require_http_methods(["GET", "HEAD", "POST"])
@never_cache
@lead_required
def invitations(request: HttpRequest, member: Membership) -> HttpResponse:
    """All invitations, and a form for another. The new link is in the answer to the POST and nowhere else."""
    form = InvitationForm(request.POST or None, initial={"places": 1})
    link = ""
    if request.method == "POST" and form.is_valid():
        sent = form.cleaned_data
        try:
            invitation = make_invitation(
                lead=member,
                places=sent["places"],
                expires_at=sent["last_day"],
                languages=sent["languages"],
                label=sent["label"],
            )
        except ValidationError as error:
            form.add_error(None, error)
        else:
            link = request.build_absolute_uri(f"/join/{invitation.token}/")
            form = InvitationForm(initial={"places": 1})
    facts = {
        "form": form,
        "link": link,
        "invitations": invitations_of(member.collection),
        "now": timezone.now(),
    }
    return render_facts(request, member, "annotation/invitations.html", facts, status=400 if form.errors else 200)


@lead_act("invitations")
def withdraw(request: HttpRequest, member: Membership, invitation_id: int) -> str:
    """Withdraw an invitation."""
    withdraw_invitation(lead=member, invitation_id=invitation_id)
    return _("The link is withdrawn. People who have joined stay.")


@require_http_methods(["GET", "HEAD", "POST"])
@never_cache
def join(request: HttpRequest, token: str) -> HttpResponse:
    """The page behind an invitation link: sign up, or one button for accounts that are logged in.

    404 for an unknown link, 410 for one by which nobody can join any more; both say why. Members are redirected.
    """
    try:
        invitation = _invitation(request, token)
        account = request.user if request.user.is_authenticated else None
        if account is not None:
            member = invitation.collection.memberships.filter(account_id=account.pk).first()
            if member is not None:
                return redirect(first_page(member))
        refuse_closed(invitation)
        form = NewAccount(request.POST if request.method == "POST" and account is None else None)
        unread = ""
        if request.method == "POST":
            consent = whole_number(request.POST.get("consent", ""))
            try:
                refuse_other_version(invitation.collection, consent)
            except Refused as refusal:
                unread = str(refusal)
            else:
                member = join_with_account(
                    request, form, lambda account: accept_invitation(token=token, account=account, consent=consent)
                )
                if member is not None:
                    return redirect(after_consent(member))
    except Refused as refusal:
        status = 404 if isinstance(refusal, LinkUnknown) else 410
        return problem_page(request, status, _("This link doesn't work"), str(refusal))
    context = {
        **_what_to_expect(invitation.collection),
        "form": form,
        "password_help": password_rules(),
        "unread": unread,
    }
    return render(request, "annotation/join.html", context, status=400 if unread else 200)


def _what_to_expect(collection: Collection) -> dict[str, object]:
    """What the page tells of the work: the training's clips, and the pay (None where there is no rate)."""
    exam = current_exam(collection)
    rate = collection.pay_per_hour
    return told_before_joining(collection) | {
        "practice": collection.worked_items.filter(use=WorkedItem.Use.PRACTICE, grade__isnull=False).count(),
        "exam": exam.items.count() if exam is not None and exam.opened_at is not None else 0,
        "rate": None if rate is None else f"{number_format(rate, force_grouping=True)} {collection.currency}",
    }


def told_before_joining(collection: Collection) -> dict[str, object]:
    """What `annotation/before_joining.html` says: kinds of content, the minimum age, the consent text."""
    consent = current_consent(collection)
    return {
        "invited_to": collection,
        "kinds": kinds_of(collection) if collection.marks_content else [],
        "consent": consent,
        "consent_html": to_html(consent.source) if consent is not None else "",
    }


def _invitation(request: HttpRequest, token: str) -> Invitation:
    """The invitation behind a token. Raises: Refused if there is none; Throttled after too many tries."""
    return behind_link(request, lambda: find_invitation(token), unknown=Refused, wrong=WRONG_LINKS, called="invitation")
