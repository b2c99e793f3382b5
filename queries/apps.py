from django.apps import AppConfig


class QueriesConfig(AppConfig):
    name = "queries"

    def ready(self) -> None:
        from corpus.changing import register_keeper
        from queries.keeping import CaptionKeeper

        register_keeper(CaptionKeeper())
