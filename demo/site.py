"""Prepare the demo site: Django, tables, static files."""

import os


def set_up_django() -> None:
    """Start or join the servers, then set up Django."""
    from config.embedded import ensure_broker, ensure_database

    ensure_database()
    ensure_broker()
    os.environ.setdefault("DJANGO_SETTINGS_MODULE", "config.settings")
    import django

    django.setup()


def database_is_empty() -> bool:
    """Whether nothing was ever made in the database: no table is there."""
    from django.db import connection

    return not connection.introspection.table_names()


def prepare_site() -> None:
    """Migrate the database and collect static files."""
    from django.core.management import call_command

    call_command("migrate", verbosity=0, interactive=False)
    call_command("collectstatic", verbosity=0, interactive=False)
