from django.apps import AppConfig


class DeskConfig(AppConfig):
    name = "desk"

    def ready(self) -> None:
        from annotation import computed
        from desk import counted

        computed.register(
            counted.NAME, counted.count, stale_after=counted.STALE_AFTER, at_once_below=counted.AT_ONCE_BELOW
        )
