"""The room's Celery tasks, imported for autodiscovery; each is safe to repeat."""

from operation.backup.jobs import back_up
from operation.retention.forget import forget

__all__ = ["back_up", "forget"]
