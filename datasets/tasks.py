"""The room's Celery tasks, imported for autodiscovery; each is safe to repeat."""

from datasets.leaderboard.tasks import score_run
from datasets.publishing.tasks import publish_release
from datasets.releases.tasks import make_release

__all__ = ["make_release", "publish_release", "score_run"]
