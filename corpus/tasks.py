"""The room's Celery tasks, imported for autodiscovery; each is safe to repeat."""

from corpus.clips.tasks import cut_video
from corpus.description_import.tasks import import_file, preview_import

__all__ = ["cut_video", "import_file", "preview_import"]
