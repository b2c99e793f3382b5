from django.apps import AppConfig


class AnnotationConfig(AppConfig):
    name = "annotation"

    def ready(self) -> None:
        from annotation.selectors import judged_moments
        from corpus.interest import register

        register("judged", judged_moments)
