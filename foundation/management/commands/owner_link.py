"""`manage.py owner_link [--address URL]`."""

from typing import Any

from django.core.management.base import CommandError, CommandParser
from django.db import ProgrammingError
from django.urls import reverse

from foundation.access.site_address import usual_address
from foundation.accounts.first_owner import make_owner_link
from foundation.collections.command import RefusingCommand
from foundation.refused import Refused


class Command(RefusingCommand):
    help = "Print the one-time address by which a site that has no owner gets one. Earlier addresses work no longer."

    def add_arguments(self, parser: CommandParser) -> None:
        parser.add_argument("--address", help="the site's address, e.g. https://qreels.example.org")
        parser.add_argument(
            "--at-start", action="store_true", help="print nothing where there is an owner, or no tables yet"
        )

    def handle(self, *args: Any, **options: Any) -> None:
        try:
            token = make_owner_link()
        except Refused as refusal:
            if options["at_start"]:
                return
            raise CommandError(
                f"{refusal} Owners make password links on the page Accounts, and manage.py password_link prints one."
            ) from refusal
        except ProgrammingError:
            if options["at_start"]:
                return
            raise
        address = (options["address"] or usual_address()).rstrip("/")
        self.stdout.write(
            "Nobody owns this site yet. Open this address once to become its owner"
            f" (a newer one replaces it):\n\n  {address}{reverse('welcome', args=[token])}\n"
        )
