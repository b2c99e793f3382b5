"""`manage.py password_link USER [--address URL]`."""

from typing import Any

from django.core.management.base import CommandError, CommandParser
from django.urls import reverse

from foundation.access.site_address import usual_address
from foundation.accounts.password_links import VALID_HOURS, make_password_link, who_may_for_anybody
from foundation.collections.command import RefusingCommand
from foundation.models import Account


class Command(RefusingCommand):
    help = (
        f"Print a one-time link by which USER sets a new password within {VALID_HOURS} hours. Earlier ones work no "
        "longer; the old password does until the link is used."
    )

    def add_arguments(self, parser: CommandParser) -> None:
        parser.add_argument("user", help="the account's name")
        parser.add_argument("--address", help="the site's address, e.g. https://qreels.example.org")

    def handle(self, *args: Any, **options: Any) -> None:
        account = Account.objects.filter(username=options["user"]).first()
        if account is None:
            raise CommandError(f"There is no account {options['user']!r}. An owner of the site makes one on Accounts.")
        link = make_password_link(maker=who_may_for_anybody(account), account=account)
        address = (options["address"] or usual_address()).rstrip("/")
        self.stdout.write(
            f"{account.username} sets a new password here, once, until {link.expires_at:%Y-%m-%d %H:%M} UTC:\n\n"
            f"  {address}{reverse('password-link', args=[link.token])}\n"
        )
