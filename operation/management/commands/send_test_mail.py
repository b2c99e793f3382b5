"""`manage.py send_test_mail ADDRESS`."""

from smtplib import SMTPException
from typing import Any

from django.conf import settings
from django.core.mail import EmailMessage
from django.core.management.base import BaseCommand, CommandError, CommandParser


class Command(BaseCommand):
    help = "Send one mail to an address, to see whether QREELS_SMTP_URL and QREELS_MAIL_FROM are right."
    requires_migrations_checks = False

    def add_arguments(self, parser: CommandParser) -> None:
        parser.add_argument("address", help="who gets it")

    def handle(self, *args: Any, **options: Any) -> None:
        if not settings.MAIL_IS_SET:
            raise CommandError("No mail is sent: QREELS_SMTP_URL isn't set, e.g. smtp+starttls://user:password@host")
        server = f"{settings.EMAIL_HOST}:{settings.EMAIL_PORT}"
        try:
            EmailMessage(
                "Qreels: a test mail",
                "This site can send mail. Nobody has to answer.",
                to=[options["address"]],
            ).send()
        except (SMTPException, OSError) as fault:
            raise CommandError(f"{server} didn't take it: {fault}") from fault
        self.stdout.write(f"{server} took a mail from {settings.DEFAULT_FROM_EMAIL} to {options['address']}.")
