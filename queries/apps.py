from django.apps import AppConfig


class QueriesConfig(AppConfig):
    name = "queries"

    def ready(self) -> None:
        from corpus.changing import register_keeper
        from corpus.interest import register
        from queries.keeping import CaptionKeeper
        from queries.selectors import candidate_moments

        register("candidates", candidate_moments)
        register_keeper(CaptionKeeper())
