"""Django's configuration of this room: what it registers with its own hooks."""

from django.apps import AppConfig


class FoundationConfig(AppConfig):
    name = "foundation"

    def ready(self) -> None:
        from django.db.backends.signals import connection_created

        from foundation.accounts import mails
        from foundation.audit.acting import say_process
        from foundation.mail import membership_mails
        from foundation.models import jobs
        from foundation.webhooks.outbox import note_job

        jobs.ENDED.append(note_job)
        connection_created.connect(say_process)
        membership_mails.register_mails()
        mails.register_mails()
