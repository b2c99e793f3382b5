"""The room's Celery tasks, imported for autodiscovery; each is safe to repeat."""

from corpus.clips.tasks import cut_collection, cut_video, help_cutting
from corpus.description_import.tasks import import_file, preview_import
from corpus.video_import.tasks import import_video_files

__all__ = ["cut_collection", "cut_video", "help_cutting", "import_file", "import_video_files", "preview_import"]
