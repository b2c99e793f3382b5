"""`manage.py configure COLLECTION [NAME=VALUE ...]`."""

from typing import Any

from django.core.management.base import CommandError, CommandParser

from annotation.settings.services import SettingsRefused, configure, settings_of
from foundation.collections.command import CollectionCommand


class Command(CollectionCommand):
    help = "Show a collection's settings with their meaning, or change some: NAME=VALUE, lists separated by commas."

    def own_arguments(self, parser: CommandParser) -> None:
        parser.add_argument("changes", nargs="*", metavar="NAME=VALUE")

    def handle(self, *args: Any, **options: Any) -> None:
        collection = self.collection(options["collection"])
        changes = {}
        for change in options["changes"]:
            name, equals, value = change.partition("=")
            if not equals:
                raise CommandError(f"found {change!r}, expected NAME=VALUE")
            changes[name] = value
        before = {setting.name: setting.value for setting in settings_of(collection)}
        if changes:
            try:
                collection = configure(collection=collection, changes=changes)
            except SettingsRefused as refusal:
                raise CommandError(f"Nothing was changed. {refusal}") from refusal
        for setting in settings_of(collection):
            if changes and setting.name not in changes and setting.value == before[setting.name]:
                continue
            notes = [f"default {setting.default}"] if setting.value != setting.default else []
            notes += ["fixed: existing judgments depend on it"] if setting.frozen else []
            remarks = f" ({'; '.join(notes)})" if notes else ""
            self.stdout.write(f"{setting.name} = {setting.value}{remarks}")
            if setting.meaning:
                self.stdout.write(f"    {setting.meaning}")
