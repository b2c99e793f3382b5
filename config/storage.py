"""Clip storage."""

from typing import Any

from config.variables import Clips
from foundation.infra import s3

LOCAL: dict[str, Any] = {"BACKEND": "django.core.files.storage.FileSystemStorage"}


def clip_storage(clips: Clips) -> dict[str, Any]:
    """Where clips are stored, for Django's STORAGES: by default the local media folder."""
    if not clips.QREELS_S3_BUCKET:
        return LOCAL
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
