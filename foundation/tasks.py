"""The room's Celery tasks, imported for autodiscovery; each is safe to repeat."""

from foundation.accounts.mails import mail_password_links
from foundation.deletion.services import delete_collection
from foundation.infra.parallel_tasks import piece_of_a_task
from foundation.mail.letters import send_letter
from foundation.webhooks.deliveries import deliver_webhook

__all__ = ["delete_collection", "deliver_webhook", "mail_password_links", "piece_of_a_task", "send_letter"]
