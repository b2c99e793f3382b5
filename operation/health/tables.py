"""Whether the database's tables are those of this code, older or newer."""

from pathlib import Path

from django.apps import apps
from django.conf import settings
from django.db import connection
from django.db.migrations.executor import MigrationExecutor


def waiting_migrations() -> list[str]:
    """Migrations of this code that the database hasn't, in their order, as "app.name". Raises: django.db.Error."""
    executor = MigrationExecutor(connection)
    return [
        f"{migration.app_label}.{migration.name}"
        for migration, _ in executor.migration_plan(executor.loader.graph.leaf_nodes())
    ]


def newer_migrations() -> list[str]:
    """Migrations of our apps that the database has and this code doesn't. Raises: django.db.Error."""
    loader = MigrationExecutor(connection).loader
    unknown = set(loader.applied_migrations) - set(loader.disk_migrations)
    ours = {app.label for app in apps.get_app_configs() if Path(app.path).is_relative_to(settings.BASE_DIR)}
    return sorted(f"{app}.{name}" for app, name in unknown if app in ours)
