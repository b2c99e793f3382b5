"""The room's Celery tasks, imported for autodiscovery; each is safe to repeat."""

from corpus.accounts.mails import mail_password_links
from corpus.clips.tasks import cut_collection, cut_video, help_cutting
from corpus.deletion.services import delete_collection
from corpus.description_import.tasks import import_file, preview_import
from corpus.infra.parallel_tasks import piece_of_a_task
from corpus.mail.letters import send_letter
from corpus.video_import.tasks import import_video_files
from corpus.webhooks.deliveries import deliver_webhook

__all__ = [
    "cut_collection",
    "cut_video",
    "delete_collection",
    "deliver_webhook",
    "help_cutting",
    "import_file",
    "import_video_files",
    "mail_password_links",
    "piece_of_a_task",
    "preview_import",
    "send_letter",
]
