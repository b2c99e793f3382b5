"""Django's configuration of this room: what it registers with other rooms' hooks."""

from django.apps import AppConfig


class CorpusConfig(AppConfig):
    name = "corpus"

    def ready(self) -> None:
        from corpus.deletion_losses import material_lost, uploads_of
        from corpus.description_import.change_hooks import follow_imports
        from corpus.video_import.jobs import import_what_fits_now
        from foundation.deletion import hooks

        follow_imports(import_what_fits_now)
        hooks.register(hooks.Hooks(losses=material_lost, files=uploads_of))
