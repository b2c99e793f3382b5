from django.apps import AppConfig


class DeskConfig(AppConfig):
    name = "desk"

    def ready(self) -> None:
        from annotation import precomputed
        from desk import counted

        precomputed.register(
            counted.NAME, counted.count, stale_after=counted.STALE_AFTER, at_once_below=counted.AT_ONCE_BELOW
        )
