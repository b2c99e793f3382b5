"""Django's configuration of this room: the home page of who has no collection offers the theatre."""

from django.apps import AppConfig


class TrialConfig(AppConfig):
    name = "demo.trial"
    label = "demo"

    def ready(self) -> None:
        from corpus.access.offers import register
        from demo.trial.offer import OFFER

        register(OFFER)
