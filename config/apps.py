"""The installation itself as a Django application: it has no tables, only its checks."""

from django.apps import AppConfig


class InstallationConfig(AppConfig):
    name = "config"
    label = "installation"

    def ready(self) -> None:
        from config import checks

        assert checks.check_variables
