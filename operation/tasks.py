"""The room's Celery tasks, imported for autodiscovery; each is safe to repeat."""

from operation.backup.jobs import back_up

__all__ = ["back_up"]
