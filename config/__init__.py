"""Settings, addresses, Celery and the embedded parts: the frame that holds the rooms together."""

from .celery import app as celery_app

__all__ = ["celery_app"]
