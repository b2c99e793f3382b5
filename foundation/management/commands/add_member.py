"""`manage.py add_member COLLECTION USER --role ROLE`."""

import secrets
from typing import Any

from django.core.exceptions import ValidationError
from django.core.management.base import CommandError, CommandParser

from foundation.collections.command import CollectionCommand
from foundation.collections.members import add_member
from foundation.mail.membership_mails import place_changed
from foundation.models import Account, Membership


class Command(CollectionCommand):
    help = "Add an account to a collection. An account that doesn't exist is created, and its password shown once."

    def own_arguments(self, parser: CommandParser) -> None:
        parser.add_argument("user", metavar="USER", help="the user name")
        parser.add_argument("--role", choices=Membership.Role.values, default=Membership.Role.ANNOTATOR.value)

    def handle(self, *args: Any, **options: Any) -> None:
        collection = self.collection(options["collection"])
        username = options["user"]
        account = Account.objects.filter(username=username).first()
        if account is None:
            password = secrets.token_urlsafe(12)
            account = Account(username=username)
            account.set_password(password)
            try:
                account.full_clean()
            except ValidationError as error:
                raise CommandError(f"{username!r} can't name an account: {'; '.join(error.messages)}") from error
            account.save()
            self.stdout.write(f"The account {username} is new; its password, shown only now: {password}")
        try:
            member = add_member(collection=collection, account=account, role=options["role"])
            place_changed(member)
        except ValidationError as error:
            raise CommandError(" ".join(error.messages)) from error
        self.stdout.write(f"{username} is {member.get_role_display()} of {collection.title}, worker {member.worker}.")
