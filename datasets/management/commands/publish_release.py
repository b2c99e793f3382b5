"""`manage.py publish_release COLLECTION RELEASE TARGET [--format FMT] [--dry-run] [--replace] [--final]
[--new-record]`."""

from typing import Any

from django.core.management.base import CommandParser

from datasets.publishing.jobs import record_publication
from datasets.publishing.publish import TARGETS, items_of, plan, publish, target_of
from datasets.publishing.targets import Target
from datasets.releases.command import release_named
from foundation.collections.command import CollectionCommand
from foundation.counted import counted

WORDS = {"new": "would be sent", "same": "is there already", "differs": "is there with other content"}


class Command(CollectionCommand):
    help = (
        "Publish a release to a folder, an S3 bucket, a dataset repository of the Hugging Face Hub, or as a draft at "
        "an archive that runs InvenioRDM, such as Zenodo. Files already there aren't sent again, so an interrupted run "
        "resumes."
    )
    made_sentences = True

    def add_arguments(self, parser: CommandParser) -> None:
        super().add_arguments(parser)
        parser.add_argument("release", metavar="RELEASE", help="the release's name")
        parser.add_argument("target", metavar="TARGET", help=TARGETS)
        parser.add_argument(
            "--format",
            default="",
            dest="format_name",
            metavar="FMT",
            help="only this format, with its files at the top",
        )
        parser.add_argument("--dry-run", action="store_true", help="say what would go where, and send nothing")
        parser.add_argument("--replace", action="store_true", help="also replace files whose content differs")
        parser.add_argument("--final", action="store_true", help="an archive publishes the record: it can't be undone")
        own = "at an archive, a record of its own, not a new version of an earlier release's"
        parser.add_argument("--new-record", action="store_true", help=own)

    def handle(self, *args: Any, **options: Any) -> None:
        collection = self.collection(options["collection"])
        release = release_named(collection, options["release"])
        target = target_of(options["target"], final=options["final"], new_record=options["new_record"])
        items = items_of(release, options["format_name"], target)
        if options["dry_run"]:
            for file in plan(release, target, items):
                self.stdout.write(f"{file.address}: {WORDS[file.state]}")
            self._tell_version(target)
            return
        with self.bar(total=len(items), unit="files", title="Publishing") as bar:
            planned = publish(
                release=release,
                target=target,
                format_name=options["format_name"],
                replace={item.goes_to for item in items} if options["replace"] else (),
                arrived=lambda item: bar.update() and None,
            )
            bar.update(bar.total - bar.n)
        sent = sum(file.state != "same" for file in planned)
        if sent or (options["final"] and target.outcome):
            record_publication(
                release=release,
                place=options["target"],
                format_name=options["format_name"],
                planned=planned,
                record=target.outcome,
                new_record=options["new_record"],
            )
        there = counted(len(planned) - sent, "was", "were")
        self.stdout.write(f"Release {release.name}: {counted(sent, 'file')} sent, {there} there already.")
        if record := target.outcome:
            self.stdout.write(
                f"{record['address']}: {'published' if record['published'] else 'a draft'}, DOI {record['doi']}"
            )
            self._tell_version(target)

    def _tell_version(self, target: Target) -> None:
        """Which record's new version it is, where it is one."""
        if before := target.outcome.get("version_of"):
            of_all = target.outcome.get("concept_doi", "not there yet")
            self.stdout.write(f"A new version of {before}; DOI of all versions: {of_all}")
