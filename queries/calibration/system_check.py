"""Django's check of collections whose thresholds nobody calibrated: `manage.py check --database default`."""

from collections.abc import Sequence
from typing import Any

from django.core.checks import CheckMessage, Warning
from django.db import DatabaseError

from foundation.models import Collection
from queries.calibration.calibrate import warn_uncalibrated


def check_calibrated(
    app_configs: Any = None, databases: Sequence[str] | None = None, **options: Any
) -> list[CheckMessage]:
    """A warning for each collection with captions whose thresholds aren't calibrated for the encoder in use."""
    if not databases:
        return []
    try:
        collections = list(
            Collection.objects.filter(archived_at=None, study_of=None, descriptions__caption__isnull=False)
            .order_by("name")
            .distinct()
        )
        told = {collection.name: warn_uncalibrated(collection) for collection in collections}
    except DatabaseError:
        return []  # the tables aren't there yet
    return [
        Warning(warning, hint=f"Calibrate {name}, or set an encoder that is calibrated.", id="qreels.W003")
        for name, warning in told.items()
        if warning
    ]
