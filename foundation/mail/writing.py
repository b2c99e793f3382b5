"""A letter's words: plain text in its reader's language, with the ways to get no more of them."""

from email.utils import parseaddr

from django.conf import settings
from django.core.mail import EmailMessage
from django.urls import reverse
from django.utils import translation
from django.utils.translation import get_supported_language_variant, gettext, ngettext

from foundation.access.site_address import usual_address
from foundation.mail.choice import link_token
from foundation.mail.kinds import MailKind, Said, event_called
from foundation.models import Account, Letter, MailItem

LONGEST_SUBJECT = 150
MOST_ITEMS = 50
"""That are written out; of more the letter says how many."""


def write(letter: Letter) -> EmailMessage | None:
    """The letter as a mail; None where nothing is left to say: what it was about has become needless, or is no longer
    wanted. It has the same Message-ID each time, so that a mail program shows one that was sent twice once."""
    account = letter.account
    if not account.is_active or not account.email:
        return None
    refused = set(account.mail_refusals.values_list("kind", flat=True))
    with translation.override(_language(account)):
        notices: list[tuple[MailItem, MailKind, Said]] = []
        for item in letter.items.select_related("collection", "account").order_by("pk"):
            event = event_called(item.event)
            if event.kind.name in refused or not event.kind.of(account):
                continue
            words = event.says(item)
            # Two changes of one thing are told once, as it stands.
            if words is not None and all(
                (item.collection_id, words) != (noted.collection_id, other) for noted, _, other in notices
            ):
                notices.append((item, event.kind, words))
        return _mail(letter, notices) if notices else None


def _language(account: Account) -> str:
    try:
        return get_supported_language_variant(account.language)
    except LookupError:
        return settings.LANGUAGE_CODE


def _mail(letter: Letter, notices: list[tuple[MailItem, MailKind, Said]]) -> EmailMessage:
    if letter.alone:
        return _mail_alone(letter, notices[0][2])
    address = usual_address()
    token = link_token(letter.account, {kind.name for _, kind, _ in notices})
    stop = f"{address}{reverse('mail-stop', args=[token])}"
    parts, above = [], None
    for item, _, words in notices[:MOST_ITEMS]:
        title = item.collection.title if item.collection is not None else ""
        if title and title != above:
            parts.append(f"{title}\n{'=' * min(len(title), 60)}")
        above = title
        parts.append(f"{words.title}\n\n{words.text}\n\n{address}{words.path}")
    more = len(notices) - MOST_ITEMS
    if more > 0:
        parts.append(ngettext("And %(count)s more.", "And %(count)s more.", more) % {"count": more})
    why = gettext("You get this mail because you have an account at %(site)s.") % {"site": address}
    choose = gettext("Choose which mails you get: %(page)s") % {"page": f"{address}{reverse('account')}#mails"}
    end = gettext("Get no more mails like this, without logging in: %(page)s") % {"page": stop}
    parts.append(f"-- \n{why}\n{choose}\n{end}")
    return EmailMessage(
        _subject(notices),
        "\n\n".join(parts) + "\n",
        to=[letter.account.email],
        headers={
            **_headers(letter),
            "List-Unsubscribe": f"<{stop}>",
            "List-Unsubscribe-Post": "List-Unsubscribe=One-Click",
        },
    )


def _mail_alone(letter: Letter, words: Said) -> EmailMessage:
    return EmailMessage(words.title, words.text, to=[letter.account.email], headers=_headers(letter))


def _headers(letter: Letter) -> dict[str, str]:
    return {
        "Message-ID": f"<qreels-letter-{letter.pk}-{letter.made_at:%Y%m%d%H%M%S%f}@{_domain()}>",
        "Auto-Submitted": "auto-generated",
    }


def _subject(notices: list[tuple[MailItem, MailKind, Said]]) -> str:
    first, _, words = notices[0]
    of = first.collection.title if first.collection is not None else "Qreels"
    if len({item.collection_id for item, _, _ in notices}) > 1:
        of = "Qreels"
    if len(notices) == 1:
        subject = f"{of}: {words.title}"
    else:
        count = ngettext("%(count)s notice", "%(count)s notices", len(notices)) % {"count": len(notices)}
        subject = f"{of}: {count}"
    return " ".join(subject.split())[:LONGEST_SUBJECT]


def _domain() -> str:
    return parseaddr(settings.DEFAULT_FROM_EMAIL)[1].rpartition("@")[2] or "localhost"
