"""Mails to one person about their account, sent by a worker in the person's language."""

from smtplib import SMTPException
from typing import Any

from celery import shared_task
from django.conf import settings
from django.contrib.auth.forms import PasswordResetForm
from django.core.mail import EmailMessage
from django.utils import translation
from django.utils.translation import gettext as _

from corpus.accounts.password_links import MAILED_MINUTES, mailed_token
from corpus.models import Account

# A mail that the server doesn't take now is tried again within the hour for which its link works.
_AGAIN: dict[str, Any] = {
    "autoretry_for": (SMTPException, OSError),
    "retry_backoff": 10,
    "retry_jitter": False,
    "max_retries": 6,
}


@shared_task(name="corpus.tasks.mail_password_links", **_AGAIN)
def mail_password_links(address: str, origin: str, language: str) -> int:
    """Mail a link for a new password to whoever has this address. Returns how many mails were sent.

    Accounts that are disabled, or that have no password because they log in otherwise, get none.

    Args: origin: the site's scheme and host; language: for whoever has chosen none.
    """
    sent = 0
    for account in PasswordResetForm().get_users(address):
        with translation.override(account.language or language):
            link = f"{origin}/password/{mailed_token(account)}/"
            told = {"name": account.username, "site": origin, "link": link, "minutes": MAILED_MINUTES}
            text = _(
                "Somebody asked for a new password for your account %(name)s at %(site)s. If that was you, open"
                " this address within %(minutes)s minutes. It works once:\n\n%(link)s\n\nOtherwise do nothing: your"
                " password stays as it is."
            )
            mail(account, _("Qreels: a new password"), text % told)
        sent += 1
    return sent


def mail(account: Account, subject: str, text: str) -> None:
    """Send a mail to the account's address, if it has one and the site sends mail. Raises: SMTPException, OSError."""
    if account.email and settings.MAIL_IS_SET:
        EmailMessage(subject, text, to=[account.email]).send()
