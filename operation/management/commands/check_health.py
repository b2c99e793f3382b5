"""`manage.py check_health [--json]`."""

import json
import sys
from dataclasses import asdict
from typing import Any

from django.core.management.base import BaseCommand, CommandParser

from operation.health.checks import look


class Command(BaseCommand):
    help = "Print what the site needs, what was found, and what to do about it. The exit code is 1 if a check fails."
    requires_migrations_checks = False

    def add_arguments(self, parser: CommandParser) -> None:
        parser.add_argument("--json", action="store_true", help="print a JSON list")

    def handle(self, *args: Any, **options: Any) -> None:
        findings = look()
        if options["json"]:
            self.stdout.write(json.dumps([asdict(finding) for finding in findings], indent=2))
        else:
            for finding in findings:
                self.stdout.write(f"{finding.state:8} {finding.title}: {finding.found}")
                if finding.todo:
                    self.stdout.write(f"{'':8} {finding.todo}")
        if not all(finding.ok for finding in findings):
            sys.exit(1)
