"""The room's Celery tasks, imported for autodiscovery; each is safe to repeat."""

from annotation.batches.opening_jobs import open_batches
from annotation.batches.pool_jobs import make_asked_pool
from annotation.people.alert_webhooks import note_alerts
from annotation.precomputed import refresh
from annotation.review.tasks import apply_review_policy
from annotation.studies.tasks import begin_study

__all__ = ["apply_review_policy", "begin_study", "make_asked_pool", "note_alerts", "open_batches", "refresh"]
