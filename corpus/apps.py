"""Django's configuration of this room: what it registers with its own hooks."""

from django.apps import AppConfig


class CorpusConfig(AppConfig):
    name = "corpus"

    def ready(self) -> None:
        from django.db.backends.signals import connection_created

        from corpus.accounts import mails
        from corpus.audit.acting import say_process
        from corpus.deletion import hooks
        from corpus.deletion.material_losses import material_lost
        from corpus.description_import.change_hooks import follow_imports
        from corpus.mail import membership_mails
        from corpus.models import jobs
        from corpus.video_import.jobs import import_what_fits_now
        from corpus.webhooks.outbox import note_job

        jobs.ENDED.append(note_job)
        connection_created.connect(say_process)
        follow_imports(import_what_fits_now)
        membership_mails.register_mails()
        mails.register_mails()
        hooks.register(losses=material_lost)
