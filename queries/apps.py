from django.apps import AppConfig


class QueriesConfig(AppConfig):
    name = "queries"

    def ready(self) -> None:
        from django.core.checks import Tags
        from django.core.checks import register as register_check

        from corpus.clips.moment_hooks import register
        from corpus.description_import.change_hooks import register_keeper
        from foundation.deletion import hooks
        from queries.calibration.system_check import check_calibrated
        from queries.pooling.deletion_losses import captions_lost, forget_vectors
        from queries.pooling.frozen_descriptions import CaptionKeeper
        from queries.pooling.selectors import candidate_moments

        register("candidates", candidate_moments)
        register_keeper(CaptionKeeper())
        register_check(check_calibrated, Tags.database)
        hooks.register(hooks.Hooks(losses=captions_lost, sweep=forget_vectors))
