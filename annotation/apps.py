from datetime import timedelta

from django.apps import AppConfig


class AnnotationConfig(AppConfig):
    name = "annotation"

    def ready(self) -> None:
        from annotation import appendix_reading, computed, model_figures, people_figures
        from annotation.review_policy import ask_policies
        from annotation.seats import give_up_seats
        from annotation.selectors import judged_moments
        from corpus import leaving, sweep
        from corpus.interest import register

        register("judged", judged_moments)
        leaving.register(give_up_seats)
        sweep.register(ask_policies)
        computed.register(
            people_figures.NAME, people_figures.compute_people, at_once_below=people_figures.AT_ONCE_BELOW
        )
        computed.register(model_figures.NAME, model_figures.compute_model, stale_after=timedelta(hours=1))
        computed.register(
            appendix_reading.NAME,
            appendix_reading.appendix_of,
            stale_after=timedelta(minutes=30),
            at_once_below=2000,
        )
