"""Clip storage and delivery."""

from dataclasses import dataclass
from typing import Any

from config.variables import Clips
from corpus.infra import s3


@dataclass(frozen=True, slots=True)
class ClipStorage:
    """Where clips are stored, and how they are sent: by Django, by nginx or by a redirect to the storage."""

    backend: dict[str, Any]
    redirect_seconds: int = 0
    """How long a presigned address is good for; 0: no redirects."""
    nginx_prefix: str = ""
    """The internal location that nginx serves the media folder under; empty: no nginx."""


LOCAL: dict[str, Any] = {"BACKEND": "django.core.files.storage.FileSystemStorage"}


def clip_storage(clips: Clips) -> ClipStorage:
    """By default the local media folder."""
    if not clips.QREELS_S3_BUCKET:
        return ClipStorage(LOCAL, nginx_prefix=clips.QREELS_NGINX_MEDIA)
    return ClipStorage(_s3(clips), redirect_seconds=clips.QREELS_S3_URL_SECONDS)


def _s3(clips: Clips) -> dict[str, Any]:
    from botocore.config import Config

    endpoint, region = s3.server_for("", clips.model_dump())
    # Servers other than Amazon's seldom have a host name for each bucket.
    style = {"addressing_style": "path" if endpoint else None}
    options: dict[str, Any] = {
        "bucket_name": clips.QREELS_S3_BUCKET,
        "location": clips.QREELS_S3_PREFIX.strip("/"),
        "querystring_auth": True,
        "querystring_expire": clips.QREELS_S3_URL_SECONDS,
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
