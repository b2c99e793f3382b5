"""The consent text of a collection, in versions."""

from pathlib import Path

from django.db import transaction

from annotation.consent.mails import consent_published
from annotation.models import ConsentDraft, ConsentText, OnWithdrawal
from annotation.versioned_texts import TextKind
from foundation.models import Collection, Membership
from foundation.refused import Refused

CONSENT = TextKind(ConsentText, ConsentDraft, "consent_version", Path(__file__).parent / "consent.md")


def current_consent(collection: Collection) -> ConsentText | None:
    """The newest published version."""
    return CONSENT.current(collection)


def consent_draft(collection: Collection) -> tuple[str, str]:
    """The text to edit and what it says of judgments after a withdrawal: the draft's, else the newest version's, else
    those shipped with Qreels."""
    standing = CONSENT.to_edit(collection)
    if standing is None:
        return CONSENT.first.read_text(), OnWithdrawal.KEPT
    return standing.source, standing.on_withdrawal


def save_consent_draft(*, lead: Membership, source: str, on_withdrawal: str) -> ConsentDraft:
    """Save the lead's draft. Raises: Refused for no such choice."""
    return CONSENT.save_draft(lead=lead, source=source, on_withdrawal=_checked(on_withdrawal))


@transaction.atomic
def publish_consent(*, lead: Membership, source: str, on_withdrawal: str, note: str = "") -> ConsentText:
    """Publish a text as the next version, which everybody has to confirm; studies follow. Raises: Refused."""
    published, new = CONSENT.publish(lead=lead, source=source, note=note, on_withdrawal=_checked(on_withdrawal))
    if new:
        published.collection.studies.update(consent_version=published.version)
        consent_published(published)
    return published


def _checked(on_withdrawal: str) -> str:
    if on_withdrawal not in OnWithdrawal.values:
        found = f"found {on_withdrawal[:40]!r}, expected {' or '.join(OnWithdrawal.values)}"
        raise Refused(found, "on_withdrawal")
    return on_withdrawal
