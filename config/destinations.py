"""Places that leads may publish releases to from the browser, read from the environment."""

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
    named = [part.strip() for part in environment.get("QREELS_PUBLISH_TO", "").split(",")]
    return tuple(dict.fromkeys(_root(part) for part in named if part))


def _root(text: str) -> str:
    place = text.rstrip("/")
    if _S3.match(place) or _HUB.match(place):
        return place
    if "://" not in place and PurePosixPath(place).is_absolute() and ".." not in PurePosixPath(place).parts:
        return str(PurePosixPath(place))
    raise ImproperlyConfigured(
        f"QREELS_PUBLISH_TO has {text!r}: expected absolute folders, s3://BUCKET/PREFIX, hf://OWNER or "
        "hf://OWNER/NAME, separated by commas"
    )
