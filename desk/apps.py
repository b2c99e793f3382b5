from django.apps import AppConfig


class DeskConfig(AppConfig):
    name = "desk"

    def ready(self) -> None:
        from annotation import precomputed
        from desk import home_card, overview_figures, waiting_mails
        from foundation.access import collection_standing

        precomputed.register(
            overview_figures.NAME,
            overview_figures.count,
            stale_after=overview_figures.STALE_AFTER,
            at_once_below=overview_figures.AT_ONCE_BELOW,
        )
        collection_standing.register(home_card.standing)
        waiting_mails.register_mails()
