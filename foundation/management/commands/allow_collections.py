"""`manage.py allow_collections USERNAME [--no]`."""

from typing import Any

from django.core.management.base import BaseCommand, CommandError, CommandParser

from foundation.accounts.site_accounts import allow_collections
from foundation.models import Account


class Command(BaseCommand):
    help = "Allow an account to create collections, or withdraw that. Staff and superusers always may."

    def add_arguments(self, parser: CommandParser) -> None:
        parser.add_argument("username")
        parser.add_argument("--no", action="store_true", help="withdraw it; the account keeps the collections it owns")

    def handle(self, *args: Any, **options: Any) -> None:
        allowed = not options["no"]
        account = Account.objects.filter(username=options["username"]).first()
        if account is None:
            raise CommandError(f"found no account {options['username']!r}, expected the name of one")
        allow_collections(account=account, allowed=allowed)
        self.stdout.write(f"{options['username']} {'may' if allowed else 'may no longer'} create collections.")
