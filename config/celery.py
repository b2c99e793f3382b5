"""The Celery application: settings from Django's, tasks from each room's `tasks.py`."""

import os

from celery import Celery

from config.worker import add_to

os.environ.setdefault("DJANGO_SETTINGS_MODULE", "config.settings")

app = Celery("qreels")
app.config_from_object("django.conf:settings", namespace="CELERY")
app.autodiscover_tasks()
add_to(app)
