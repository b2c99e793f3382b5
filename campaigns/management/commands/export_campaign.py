"""`manage.py export_campaign CAMPAIGN FILE`."""

import shutil
from pathlib import Path
from typing import Any

from django.core.files.storage import default_storage
from django.core.management.base import CommandError, CommandParser

from campaigns.archive.jobs import ask_for_export, export_campaign
from campaigns.models import Campaign, CampaignExport
from foundation.collections.command import RefusingCommand


class Command(RefusingCommand):
    help = (
        "Pack a whole campaign into one archive: rules, topics, teams, runs with their checks, scores, significance, "
        "judgments. The same campaign gives the same bytes."
    )

    def add_arguments(self, parser: CommandParser) -> None:
        parser.add_argument("campaign", metavar="CAMPAIGN", help="its name in addresses")
        parser.add_argument("file", metavar="FILE", type=Path, help="a .tar.gz that isn't there yet")

    def handle(self, *args: Any, **options: Any) -> None:
        campaign = Campaign.objects.select_related("collection").filter(name=options["campaign"]).first()
        if campaign is None:
            raise CommandError(f"There is no campaign {options['campaign']!r}.")
        target: Path = options["file"]
        if target.exists():
            raise CommandError(f"{target} exists already: name a new file.")
        job = ask_for_export(campaign=campaign, member=None)
        export_campaign(job.pk)
        job.refresh_from_db()
        if job.state == CampaignExport.State.REFUSED:
            raise CommandError(job.problem)
        if job.state != CampaignExport.State.DONE:
            raise CommandError("A worker is packing it this moment. Call this again.")
        try:
            with default_storage.open(job.stored_file, "rb") as stored, target.open("xb") as copy:
                shutil.copyfileobj(stored, copy, 1 << 20)
        except OSError as error:
            raise CommandError(f"{target} can't be written: {error.strerror}.") from error
        self.stdout.write(f"{target}: {job.said} SHA-256 {job.sha256}.")
