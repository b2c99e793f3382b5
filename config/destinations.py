"""Places that leads may publish releases to, or import videos from, in the browser; read from the environment."""

import re
from collections.abc import Mapping
from pathlib import PurePosixPath

from django.core.exceptions import ImproperlyConfigured

NAME = r"[A-Za-z0-9][A-Za-z0-9._-]*"
_S3 = re.compile(rf"s3://{NAME}(/{NAME})*\Z")
_HUB = re.compile(rf"hf://{NAME}(/{NAME})?\Z")


def publish_roots(environment: Mapping[str, str]) -> tuple[str, ...]:
    """The roots listed in QREELS_PUBLISH_TO, separated by commas: folders, s3://BUCKET[/PREFIX], hf://OWNER[/NAME].

    Raises: ImproperlyConfigured for anything else.
    """
    return _roots(environment, "QREELS_PUBLISH_TO", (_S3, _HUB), "s3://BUCKET/PREFIX, hf://OWNER or hf://OWNER/NAME")


def video_sources(environment: Mapping[str, str]) -> tuple[str, ...]:
    """The roots listed in QREELS_VIDEO_SOURCES, separated by commas: folders, s3://BUCKET[/PREFIX].

    Raises: ImproperlyConfigured for anything else.
    """
    return _roots(environment, "QREELS_VIDEO_SOURCES", (_S3,), "s3://BUCKET/PREFIX")


def _roots(
    environment: Mapping[str, str], variable: str, kinds: tuple[re.Pattern[str], ...], others: str
) -> tuple[str, ...]:
    named = [part.strip() for part in environment.get(variable, "").split(",")]
    return tuple(dict.fromkeys(_root(part, variable, kinds, others) for part in named if part))


def _root(text: str, variable: str, kinds: tuple[re.Pattern[str], ...], others: str) -> str:
    place = text.rstrip("/")
    if any(kind.match(place) for kind in kinds):
        return place
    if "://" not in place and PurePosixPath(place).is_absolute() and ".." not in PurePosixPath(place).parts:
        return str(PurePosixPath(place))
    raise ImproperlyConfigured(f"{variable} has {text!r}: expected absolute folders, {others}, separated by commas")
