"""`manage.py take_second_factor USER`."""

from typing import Any

from django.core.management.base import BaseCommand, CommandError, CommandParser

from foundation.accounts.second_factors import take_away
from foundation.models import Account


class Command(BaseCommand):
    help = "Take away the second factor of USER, whose device and recovery codes are lost; all their logins end."

    def add_arguments(self, parser: CommandParser) -> None:
        parser.add_argument("user", help="the account's name")

    def handle(self, *args: Any, **options: Any) -> None:
        account = Account.objects.filter(username=options["user"]).first()
        if account is None:
            raise CommandError(f"There is no account {options['user']!r}.")
        if not take_away(account=account, by="the server's shell"):
            raise CommandError(f"{account.username} has no second factor.")
        self.stdout.write(f"{account.username} logs in with the password alone now, and is logged out everywhere.\n")
