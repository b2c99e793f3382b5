"""The job that packs a campaign into an archive."""

from celery import shared_task
from django.core.files.storage import default_storage
from django.db import transaction
from django.http import FileResponse, Http404
from django.utils.translation import gettext as _

from campaigns.archive.layout import MANIFEST
from campaigns.archive.write import write_campaign
from campaigns.models import Campaign, CampaignExport, Submission
from datasets.releases.archive import files_in, keep, pack
from foundation.counted import counted
from foundation.infra.jobs import JobProgress, run_job
from foundation.infra.scratch import scratch_folder
from foundation.infra.storage import delete_file
from foundation.models import Membership, new_public_name
from foundation.refused import Refused

ENDING = ".tar.gz"


def archive_name(campaign: Campaign) -> str:
    """What its archive is called."""
    return f"{campaign.name}-campaign{ENDING}"


@transaction.atomic
def ask_for_export(*, campaign: Campaign, member: Membership | None) -> CampaignExport:
    """Record a job to export the campaign, or return the one that waits or runs; the caller sends the task.

    Raises: Refused before any team has sent a run.
    """
    Campaign.objects.select_for_update(no_key=True).get(pk=campaign.pk)
    if not Submission.objects.filter(team__campaign=campaign).exists():
        raise Refused(_("No team has sent a run yet, so there is nothing to export."))
    unfinished = campaign.campaignexports.filter(state__in=CampaignExport.TURN).first()
    return unfinished or CampaignExport.objects.create(campaign=campaign, member=member)


def newest_export(campaign: Campaign) -> CampaignExport | None:
    """The newest archive; None where there is none."""
    done = campaign.campaignexports.filter(state=CampaignExport.State.DONE).exclude(stored_file="")
    return done.order_by("-pk").first()


def archive_attached(campaign: Campaign) -> FileResponse:
    """The newest archive as an attachment. Raises: Http404 where there is none, or its file is gone."""
    archive = newest_export(campaign)
    if archive is None or not default_storage.exists(archive.stored_file):
        raise Http404("no archive (any more)")
    file, name = default_storage.open(archive.stored_file, "rb"), archive_name(campaign)
    sha256 = {"X-Checksum-SHA256": archive.sha256}
    return FileResponse(file, as_attachment=True, filename=name, content_type="application/gzip", headers=sha256)


@shared_task(name="campaigns.tasks.export_campaign")
def export_campaign(job_id: int) -> None:
    """Celery task: run the job (`run_job`)."""
    run_job(CampaignExport, job_id, _export)


def _export(job: CampaignExport, progress: JobProgress) -> None:
    campaign = job.campaign
    runs = Submission.objects.filter(team__campaign=campaign).count()
    progress.note(done=0, total=runs + 1, step="Writing the files")
    with scratch_folder("campaign-export") as scratch:
        folder, archive = scratch / "files", scratch / "archive.tar.gz"
        folder.mkdir()
        write_campaign(campaign, folder, progress.count)
        progress.note(step="Packing")
        job.sha256 = pack(folder, archive, archive_name(campaign).removesuffix(ENDING), lambda size: progress.count(0))
        job.size = archive.stat().st_size
        job.said = f"{counted(len(files_in(folder)), 'file')}, all in {MANIFEST} with their hashes."
        job.stored_file = keep(archive, f"campaign-exports/{new_public_name()}/{archive_name(campaign)}")
    try:
        with transaction.atomic():
            job.save(update_fields=["stored_file", "sha256", "size", "said"])
            job.end()
    except BaseException:
        delete_file(job.stored_file)
        raise
    _forget_older(job)


def _forget_older(job: CampaignExport) -> None:
    """One archive of a campaign is kept."""
    older = CampaignExport.objects.filter(campaign=job.campaign, pk__lt=job.pk).exclude(stored_file="")
    for export in older:
        delete_file(export.stored_file)
        CampaignExport.objects.filter(pk=export.pk).update(stored_file="")
