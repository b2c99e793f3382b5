"""Recruitments: made, closed, opened again, limited to known ids."""

import hmac
import secrets
from dataclasses import asdict, dataclass
from datetime import datetime
from decimal import Decimal
from hashlib import sha256

from django.conf import settings
from django.db import transaction
from django.db.models import Count, Q, QuerySet
from django.urls import reverse
from django.utils import timezone
from django.utils.crypto import salted_hmac
from django.utils.translation import gettext as _

from annotation.models import Recruitment, RecruitSession
from annotation.recruiting.platforms import PRESETS, Names, entry_query, is_id
from annotation.recruiting.typed import read_names, read_return_address
from foundation.models import Collection, Membership
from foundation.refused import Refused

MOST_KNOWN = 20_000
"""Ids of one list, as long as the largest pools."""


@dataclass(frozen=True, slots=True)
class Terms:
    """What a lead says of a recruitment; each field as that of `Recruitment`, "" and None for what follows from the
    platform or isn't limited."""

    name: str
    platform: str
    until: str
    amount: int | None = None
    names: Names | None = None
    signed: bool = False
    known: str | None = None
    most_out: int | None = None
    code: str = ""
    screened_code: str = ""
    return_address: str | None = None
    people: int | None = None
    most_sessions: int = 1
    most_judgments: int | None = None
    languages: tuple[str, ...] = ()
    opens_at: datetime | None = None
    expires_at: datetime | None = None
    paid_by: str = Recruitment.PaidBy.SESSION
    rate: Decimal = Decimal(0)
    reward: Decimal = Decimal(0)
    currency: str = ""


@transaction.atomic
def make_recruitment(*, lead: Membership, terms: Terms) -> Recruitment:
    """Make a recruitment, open at once or from its first day on.

    Raises: Refused, with the field that is wrong; ValidationError for what no form sends.
    """
    collection, preset = lead.collection, PRESETS[terms.platform]
    _refuse_what_cannot_be(collection, terms)
    names = preset.names if terms.names is None else read_names(terms.names)
    if terms.platform == Recruitment.Platform.MTURK and not names.session:
        raise Refused(_("MTurk's assignment is needed: what is sent back at the end names it."), "session_parameter")
    address = preset.return_address if terms.return_address is None else terms.return_address
    token = secrets.token_urlsafe(32)
    said = asdict(terms)
    del said["names"]
    said |= {
        "collection": collection,
        "name": terms.name.strip(),
        "token": token,
        "person_parameter": names.person,
        "session_parameter": names.session,
        "study_parameter": names.study,
        "known": None if terms.known is None else _digests(token, terms.known),
        "amount": _amount(collection, terms),
        "code": terms.code or secrets.token_hex(4).upper(),
        "screened_code": terms.screened_code or (secrets.token_hex(4).upper() if collection.needs_exam else ""),
        "return_address": read_return_address(address, plain=settings.DEBUG),
        "languages": list(terms.languages),
        "currency": terms.currency.strip() or collection.currency,
        "made_by": lead,
    }
    recruitment = Recruitment(**said)
    if recruitment.code == recruitment.screened_code:
        raise Refused(_("Who is screened out needs another code: choose one that differs."), "screened_code")
    recruitment.full_clean()
    recruitment.save()
    return recruitment


def _amount(collection: Collection, terms: Terms) -> int | None:
    if terms.until == Recruitment.Until.SCREENING:
        if not collection.needs_exam:
            raise Refused(_("The exam is off in this collection, so it can't complete a session."), "until")
        return None
    if not terms.amount:
        raise Refused(_("Enter how many judgments or minutes complete a session."), "amount")
    return terms.amount


def _refuse_what_cannot_be(collection: Collection, terms: Terms) -> None:
    if terms.most_out is not None and not collection.needs_exam:
        raise Refused(_("The exam is off in this collection, so it can't screen anybody."), "most_out")
    begins = max(filter(None, (terms.opens_at, timezone.now())))
    if terms.expires_at is not None and terms.expires_at <= begins:
        raise Refused(_("The last day has to be today or later, and not before the first one."), "last_day")


@transaction.atomic
def change_recruitment(
    *, lead: Membership, recruitment_id: int, closed: bool | None = None, known: str | None = None
) -> None:
    """Close it to new people and sessions, or open it again; or say whose ids may enter ("": everybody's).

    Sessions that go on are completed. Repeating it changes nothing.

    Raises: Recruitment.DoesNotExist; Refused for ids that are none.
    """
    recruitment = lead.collection.recruitments.select_for_update().get(pk=recruitment_id)
    if closed is not None:
        recruitment.closed_at = (recruitment.closed_at or timezone.now()) if closed else None
    if known is not None:
        recruitment.known = _digests(recruitment.token, known) if known.strip() else None
    recruitment.save(update_fields=["closed_at", "known"])


def _digests(token: str, text: str) -> list[str]:
    """Digests of the ids in a list, one a line or the first cell of it; a heading isn't told from an id.

    Raises: Refused, with line, found and expected.
    """
    digests: dict[str, None] = {}
    for number, line in enumerate(text.splitlines(), start=1):
        # No id has a comma or a quotation mark: one that isn't closed takes no other line along.
        found = line.partition(",")[0].strip().strip('" ')
        if found and not is_id(found):
            raise Refused(
                _("Line %(line)s: found %(found)s, expected an id as the platform sends it.")
                % {"line": number, "found": repr(found[:40])},
                "known",
            )
        if found:
            digests[digest_of_id(token, found)] = None
    if not 1 <= len(digests) <= MOST_KNOWN:
        raise Refused(
            _("Found %(count)s ids, expected 1 to %(most)s.") % {"count": len(digests), "most": f"{MOST_KNOWN:,}"},
            "known",
        )
    return list(digests)


def digest_of_id(token: str, person: str) -> str:
    """What is kept of an id that may enter: of who never comes nothing else is stored."""
    return hmac.new(token.encode(), person.encode(), sha256).hexdigest()


def secret_of(recruitment: Recruitment) -> str:
    """With what the platform signs addresses, in hexadecimal; another one once the site's secret key is changed."""
    return salted_hmac("annotation.recruiting", recruitment.token, algorithm="sha256").hexdigest()


def entry_of(recruitment: Recruitment) -> str:
    """The path and query to paste into the platform."""
    return reverse("take-part", args=[recruitment.token]) + entry_query(recruitment.platform, names_of(recruitment))


def names_of(recruitment: Recruitment) -> Names:
    """The parameters that its addresses have."""
    return Names(recruitment.person_parameter, recruitment.session_parameter, recruitment.study_parameter)


def recruitments_of(collection: Collection) -> QuerySet[Recruitment]:
    """A collection's recruitments, newest first, each with `came` (people), `live` and `complete` (sessions)."""
    outcomes = RecruitSession.Outcome
    complete = Q(sessions__outcome__in=[outcomes.COMPLETE, outcomes.SHORT])
    return (
        collection.recruitments.defer("known")
        .select_related("made_by")
        .annotate(
            came=Count("sessions__recruit", distinct=True),
            live=Count("sessions", filter=Q(sessions__ended_at=None, sessions__isnull=False)),
            complete=Count("sessions", filter=complete),
            screened=Count("sessions", filter=Q(sessions__outcome=outcomes.SCREENED)),
        )
        .order_by("-pk")
    )


def known_number(recruitment: Recruitment) -> int | None:
    """How many ids may enter; None: everybody's."""
    number: int | None = Recruitment.objects.filter(pk=recruitment.pk).values_list("known__len", flat=True).get()
    return number
