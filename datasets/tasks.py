"""The room's Celery tasks, imported for autodiscovery; each is safe to repeat."""

from datasets.certificates.jobs import certify_release
from datasets.judgment_import.jobs import import_judgments
from datasets.leaderboard.tasks import score_run
from datasets.publishing.tasks import publish_release
from datasets.releases.check_jobs import check_release
from datasets.releases.tasks import make_release

__all__ = ["certify_release", "check_release", "import_judgments", "make_release", "publish_release", "score_run"]
