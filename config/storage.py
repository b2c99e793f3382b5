"""Clip storage and delivery, read from the environment."""

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from django.core.exceptions import ImproperlyConfigured

from foundation.infra import s3


@dataclass(frozen=True, slots=True)
class ClipStorage:
    """Where clips are stored, and how they are sent: by Django, by nginx or by a redirect to the storage."""

    backend: dict[str, Any]
    redirect_seconds: int = 0
    """How long a presigned address is good for; 0: no redirects."""
    nginx_prefix: str = ""
    """The internal location that nginx serves the media folder under; empty: no nginx."""


LOCAL: dict[str, Any] = {"BACKEND": "django.core.files.storage.FileSystemStorage"}
SHORTEST, LONGEST = 60, 7 * 24 * 60 * 60
"""Seconds: S3 signs for a week at most."""


def clip_storage(environment: Mapping[str, str]) -> ClipStorage:
    """The storage configured by environment variables; by default the local media folder.

    Raises: ImproperlyConfigured if they don't fit together.
    """
    bucket = environment.get("QREELS_S3_BUCKET", "")
    prefix = environment.get("QREELS_NGINX_MEDIA", "")
    if not bucket:
        others = [name for name in environment if name.startswith("QREELS_S3_") and environment[name]]
        if others:
            raise ImproperlyConfigured(f"{others[0]} is set and QREELS_S3_BUCKET, the bucket's name, is not")
        if prefix and not (prefix.startswith("/") and prefix.endswith("/") and len(prefix) > 1):
            raise ImproperlyConfigured(f"QREELS_NGINX_MEDIA is {prefix!r}: expected a location such as /qreels-media/")
        return ClipStorage(LOCAL, nginx_prefix=prefix)
    if prefix:
        raise ImproperlyConfigured("QREELS_NGINX_MEDIA serves local files: it can't be set beside QREELS_S3_BUCKET")
    return ClipStorage(_s3(bucket, environment), redirect_seconds=_seconds(environment))


def _seconds(environment: Mapping[str, str]) -> int:
    text = environment.get("QREELS_S3_URL_SECONDS") or "3600"
    if not text.isdecimal() or not SHORTEST <= int(text) <= LONGEST:
        raise ImproperlyConfigured(f"QREELS_S3_URL_SECONDS is {text!r}: expected {SHORTEST} to {LONGEST} seconds")
    return int(text)


def _s3(bucket: str, environment: Mapping[str, str]) -> dict[str, Any]:
    from botocore.config import Config

    endpoint, region = s3.server_for("", environment)
    # Servers other than Amazon's seldom have a host name for each bucket.
    style = {"addressing_style": "path" if endpoint else None}
    options: dict[str, Any] = {
        "bucket_name": bucket,
        "location": environment.get("QREELS_S3_PREFIX", "").strip("/"),
        "querystring_auth": True,
        "querystring_expire": _seconds(environment),
        "default_acl": None,  # the bucket's own, which has to be private
        "file_overwrite": False,  # as in a local folder
        # A server that doesn't answer would hold a request's thread for five minutes by boto3's own patience.
        "client_config": Config(
            signature_version="s3v4", s3=style, connect_timeout=s3.CONNECT_SECONDS, read_timeout=s3.READ_SECONDS
        ),
        "object_parameters": {"CacheControl": "private, max-age=31536000, immutable"},
    }
    if endpoint:
        options |= {"endpoint_url": endpoint}
    if region:
        options["region_name"] = region
    return {"BACKEND": "storages.backends.s3.S3Storage", "OPTIONS": options}
