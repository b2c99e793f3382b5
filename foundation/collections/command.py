"""Shared parts of management commands: find the collection, show progress."""

from collections.abc import Iterator
from contextlib import contextmanager
from functools import partial
from typing import Any

from django.core.exceptions import ValidationError
from django.core.management.base import BaseCommand, CommandError, CommandParser

from foundation.collections.members import get_or_create_collection
from foundation.collections.studies import refuse_study
from foundation.infra.jobs import as_sentence
from foundation.infra.progress import progress_bar
from foundation.models import Collection
from foundation.refused import Refused


@contextmanager
def _files_told(what: str) -> Iterator[None]:
    try:
        yield
    except OSError as error:
        raise CommandError(f"{error.filename} can't be {what}: {error.strerror}.") from error


reading_files = partial(_files_told, "read")
"""Context in which a file that can't be read makes the command fail with a sentence."""
writing_files = partial(_files_told, "written")
"""Likewise where a file can't be written."""


def add_founding(parser: CommandParser, *, clips: bool) -> None:
    """Add what `founded` asks. Args: clips: whether it may also be a collection without clips."""
    parser.add_argument("--title", default="", help="the collection's title, when this import creates it")
    if clips:
        told = "when this import creates it: a collection whose moments have no clips to watch"
        parser.add_argument("--without-clips", action="store_true", help=told)


def founded(options: dict[str, Any]) -> Collection:
    """The collection that is named, founded if there is none. Raises: CommandError for a name that can't be one."""
    has_clips = not options.get("without_clips", True)
    try:
        return get_or_create_collection(name=options["collection"], title=options["title"], has_clips=has_clips)
    except ValidationError as error:
        raise CommandError(f"{options['collection']!r} can't name a collection: {error.messages[0]}") from error


class RefusingCommand(BaseCommand):
    """A command that says what a service refuses, and fails."""

    made_sentences = False
    """Whether clauses that services refuse with are made sentences; a file's name at the beginning would suffer."""

    def execute(self, *args: Any, **options: Any) -> Any:
        try:
            return super().execute(*args, **options)
        except Refused as refusal:
            raise CommandError(as_sentence(str(refusal)) if self.made_sentences else str(refusal)) from refusal


class CollectionCommand(RefusingCommand):
    """A command whose first argument is a collection's short name."""

    studies_too = False
    """Whether the command also takes a study: nothing of one is imported, drawn, configured or released."""

    def add_arguments(self, parser: CommandParser) -> None:
        parser.add_argument("collection", metavar="COLLECTION", help="the collection's short name")
        self.own_arguments(parser)

    def own_arguments(self, parser: CommandParser) -> None:
        """Add what the command takes after the collection."""

    def collection(self, name: str) -> Collection:
        """The collection. Raises: CommandError naming those that exist, or for a study."""
        collection = Collection.objects.filter(name=name).first()
        if collection is None:
            collections = Collection.objects.filter(study_of=None).order_by("name")
            names = ", ".join(collections.values_list("name", flat=True)) or "none yet"
            raise CommandError(f"There is no collection {name!r}. Collections: {names}.")
        if not self.studies_too:
            try:
                refuse_study(collection, "is not for this command")
            except Refused as refusal:
                raise CommandError(f"{refusal}.") from refusal
        return collection

    bar = staticmethod(progress_bar)
