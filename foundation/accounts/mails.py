"""What one person is mailed about their account, and nobody can refuse: at once, in a letter of its own."""

from datetime import timedelta

from celery import shared_task
from django.contrib.auth.forms import PasswordResetForm
from django.utils import timezone, translation
from django.utils.translation import gettext as _
from django.utils.translation import gettext_lazy

from foundation.access.site_address import usual_address
from foundation.accounts.password_links import MAILED_MINUTES, mailed_token
from foundation.mail.kinds import ACCOUNT, Said, register
from foundation.mail.outbox import tell_at_once
from foundation.models import Account, MailItem

LINK, CHANGED = "foundation.password-link", "foundation.account-changed"
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
"""What a person is told that changed, by its name in the notice."""


def tell(account: Account, change: str) -> None:
    """Have the account's person told by mail of one of CHANGES, which happens in the caller's transaction."""
    assert change in CHANGES, change
    tell_at_once(CHANGED, account, change=change)


def says_change(item: MailItem) -> Said:
    """That something about how the person logs in was changed."""
    text = _(
        "Your account %(name)s at %(site)s:\n\n%(change)s\n\nIf that wasn't you, change your password and ask"
        " the owner of the site."
    )
    named = {"name": item.account.username, "site": usual_address(), "change": CHANGES[item.facts["change"]]}
    return Said(_("Qreels: your account was changed"), text % named, "")


@shared_task(name="foundation.tasks.mail_password_links")
def mail_password_links(address: str, origin: str, language: str) -> int:
    """Have a link for a new password mailed to whoever has this address. Returns how many mails will go.

    Accounts that are disabled, or that have no password because they log in otherwise, get none.

    Args: origin: the site's scheme and host; language: for whoever has chosen none.
    """
    accounts = PasswordResetForm().get_users(address)
    return sum(tell_at_once(LINK, account, origin=origin, language=language) for account in accounts)


def says_link(item: MailItem) -> Said | None:
    """A link for a new password, made when it is sent; None when it was asked for longer ago than it would work."""
    if item.made_at < timezone.now() - timedelta(minutes=MAILED_MINUTES):
        return None
    account, origin = item.account, item.facts["origin"]
    with translation.override(account.language or item.facts["language"]):
        link = f"{origin}/password/{mailed_token(account)}/"
        named = {"name": account.username, "site": origin, "link": link, "minutes": MAILED_MINUTES}
        text = _(
            "Somebody asked for a new password for your account %(name)s at %(site)s. If that was you, open"
            " this address within %(minutes)s minutes. It works once:\n\n%(link)s\n\nOtherwise do nothing: your"
            " password stays as it is."
        )
        return Said(_("Qreels: a new password"), text % named, "")


def register_mails() -> None:
    """Called when Django starts."""
    register(CHANGED, ACCOUNT.name, says_change)
    register(LINK, ACCOUNT.name, says_link)
