"""The Celery application: settings from Django's, tasks from each room's `tasks.py`."""

import os
from typing import Any

from celery import Celery
from celery.signals import worker_init

from config.threads import set_threads, usable_cores
from config.worker import add_to

os.environ.setdefault("DJANGO_SETTINGS_MODULE", "config.settings")

app = Celery("qreels")
app.config_from_object("django.conf:settings", namespace="CELERY")
app.autodiscover_tasks()
add_to(app)


@worker_init.connect
def share_the_cores(sender: Any, **_: object) -> None:
    """Divide the cores among a worker's processes, which inherit what is set here."""
    # By its default, "auto" or nothing, a worker has a process a core.
    set_threads(processes=sender.concurrency if isinstance(sender.concurrency, int) else usable_cores())
