"""The Celery application: settings, and which modules have tasks, from Django's settings."""

import os
from typing import Any

from celery import Celery, Task
from celery.signals import worker_init
from kombu.transport import TRANSPORT_ALIASES

from config.threads import set_threads, usable_cores
from config.worker import Clock
from foundation.infra.upgrade_state import is_held

os.environ.setdefault("DJANGO_SETTINGS_MODULE", "config.settings")
# Django's checks import every page and the whole API, half of what starting a worker takes, and whose findings Celery
# doesn't read. `manage.py check` and every command run them.
os.environ.setdefault("CELERY_SKIP_CHECKS", "1")

HELD_SECONDS = 3
"""For so long a task waits before it is looked at again while the site is being upgraded."""


class HeldTask(Task[Any, Any]):
    """A task that goes back to the queue while the site is being upgraded, or this worker is older than the tables."""

    def __call__(self, *arguments: Any, **options: Any) -> Any:
        if is_held() and not self.request.called_directly:
            raise self.retry(countdown=HELD_SECONDS, max_retries=None)
        return super().__call__(*arguments, **options)


TRANSPORT_ALIASES.update(dict.fromkeys(("redis", "rediss"), "config.redis_transport:Transport"))
app = Celery("qreels", task_cls=HeldTask)
app.config_from_object("django.conf:settings", namespace="CELERY")
app.steps["consumer"].add(Clock)


@worker_init.connect
def share_the_cores(sender: Any, **_: object) -> None:
    """Divide the cores among a worker's processes, which inherit what is set here."""
    # By its default, "auto" or nothing, a worker has a process a core.
    set_threads(processes=sender.concurrency if isinstance(sender.concurrency, int) else usable_cores())
