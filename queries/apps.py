from django.apps import AppConfig


class QueriesConfig(AppConfig):
    name = "queries"

    def ready(self) -> None:
        from corpus.interest import register
        from queries.selectors import candidate_moments

        register("candidates", candidate_moments)
