"""Django's configuration of this room: the home page of who has no collection offers the theatre."""

from django.apps import AppConfig


class TrialConfig(AppConfig):
    name = "demo.trial"
    label = "demo"

    def ready(self) -> None:
        from demo.trial.offer import OFFER
        from foundation.access.offers import register

        register(OFFER)
