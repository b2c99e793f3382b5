from django.apps import AppConfig


class AnnotationConfig(AppConfig):
    name = "annotation"

    def ready(self) -> None:
        from datetime import timedelta

        from annotation import appendix_reading, computed
        from annotation.selectors import judged_moments
        from corpus.interest import register

        register("judged", judged_moments)
        computed.register(
            appendix_reading.NAME,
            appendix_reading.appendix_of,
            stale_after=timedelta(minutes=30),
            at_once_below=2000,
        )
