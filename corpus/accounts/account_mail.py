"""Mails to one person about their account, sent by a worker in the person's language."""

import logging
from smtplib import SMTPException
from typing import Any

from celery import shared_task
from django.conf import settings
from django.contrib.auth.forms import PasswordResetForm
from django.core.mail import EmailMessage
from django.db import transaction
from django.utils import translation
from django.utils.translation import gettext as _
from django.utils.translation import gettext_lazy

from corpus.access.site_address import usual_address
from corpus.accounts.password_links import MAILED_MINUTES, mailed_token
from corpus.infra.task_queue import QueueAway, send
from corpus.models import Account

log = logging.getLogger("qreels.logins")

CHANGES = {
    "password": gettext_lazy("Your password was changed. All other logins and all tokens have ended."),
    "factor-on": gettext_lazy("A second factor was set up: logging in now asks for a code of your app."),
    "factor-off": gettext_lazy("Your second factor was turned off: the password alone logs in now."),
    "app-off": gettext_lazy("Your authenticator app was removed as a second factor; your passkeys stay."),
    "passkey-on": gettext_lazy("A passkey was added: it proves who you are when you log in."),
    "passkey-off": gettext_lazy("A passkey was removed: nobody can log in with it any longer."),
    "factor-codes": gettext_lazy("New recovery codes were made; the earlier ones work no longer."),
    "factor-taken": gettext_lazy(
        "An owner of the site took your second factor away: the password alone logs in now. All your logins have ended."
    ),
    "link-added": gettext_lazy("A login at an outside server was linked: it opens your account from now on."),
    "link-removed": gettext_lazy("A login at an outside server was unlinked: it opens your account no longer."),
}
"""What a person is told that changed, by its name in the task."""

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


def tell(account: Account, change: str) -> None:
    """Have the account's person told by mail of one of CHANGES, once it is stored."""
    if account.email and settings.MAIL_IS_SET:
        transaction.on_commit(lambda: _send(account, change))


def _send(account: Account, change: str) -> None:
    try:
        send("corpus.tasks.mail_account_change", account.pk, change)
    except QueueAway as away:
        log.warning("%r can't be told by mail of %s: %s", account.username, change, away)


@shared_task(name="corpus.tasks.mail_account_change", **_AGAIN)
def mail_account_change(account_id: int, change: str) -> None:
    """Tell a person that something about how they log in was changed."""
    account = Account.objects.filter(pk=account_id, is_active=True).first()
    if account is None:
        return
    with translation.override(account.language or settings.LANGUAGE_CODE):
        text = _(
            "Your account %(name)s at %(site)s:\n\n%(change)s\n\nIf that wasn't you, change your password and ask"
            " the owner of the site."
        )
        told = {"name": account.username, "site": usual_address(), "change": CHANGES[change]}
        mail(account, _("Qreels: your account was changed"), text % told)
