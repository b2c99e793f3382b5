"""S3 servers, as the environment names them; account and key are boto3's own business (AWS_ACCESS_KEY_ID and so on)."""

import os
from collections.abc import Mapping
from typing import Any

CONNECT_SECONDS, READ_SECONDS = 5, 20
"""How long one try waits for a server. boto3 waits for a minute, and makes up to five tries (AWS_MAX_ATTEMPTS)."""


def server_for(use: str, environment: Mapping[str, str] = os.environ) -> tuple[str, str]:
    """QREELS_{use}S3_ENDPOINT, or else QREELS_S3_ENDPOINT, that of the clips; the region likewise.

    Args: use: "" for the clips themselves, "BACKUP_", "PUBLISH_" or "VIDEO_".
    Returns: (endpoint, region); "" for Amazon's own, and for the region of the account's profile.
    """

    def setting(name: str) -> str:
        return environment.get(f"QREELS_{use}S3_{name}") or environment.get(f"QREELS_S3_{name}") or ""

    endpoint = setting("ENDPOINT")
    # A request is signed for a region, and servers other than Amazon's seldom mind which.
    return endpoint, setting("REGION") or ("us-east-1" if endpoint else "")


def client_for(use: str) -> Any:
    """A boto3 client of `server_for(use)`."""
    from botocore.config import Config

    return client_at(*server_for(use), Config(connect_timeout=CONNECT_SECONDS, read_timeout=READ_SECONDS))


def client_at(endpoint: str | None, region: str | None, settings: Any) -> Any:
    """A boto3 client of a server, with botocore's settings (how long it waits, how often it tries)."""
    import boto3

    return boto3.client("s3", endpoint_url=endpoint or None, region_name=region or None, config=settings)


def is_missing(error: Any) -> bool:
    """Whether a botocore ClientError says that there is no such object."""
    return error.response["Error"]["Code"] in ("404", "NoSuchKey", "NotFound")
