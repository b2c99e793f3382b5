"""The installation itself as a Django application: it has no tables, only its checks and the list of periodic work."""

from django.apps import AppConfig


class InstallationConfig(AppConfig):
    name = "config"
    label = "installation"

    def ready(self) -> None:
        from config import checks
        from config.periodic import PERIODIC
        from foundation.infra import sweep

        assert checks.check_variables
        for periodic in PERIODIC:
            if periodic.where == "idle":
                sweep.register(periodic.run)
