"""Publish into an S3 bucket; each object's metadata holds its SHA-256.

QREELS_PUBLISH_S3_ENDPOINT names a server other than Amazon's, or else QREELS_S3_ENDPOINT, that of the clips.
"""

from collections.abc import Callable
from functools import cached_property
from pathlib import Path
from typing import Any

from datasets.models import Release
from datasets.publishing.targets import Item, Target
from foundation.infra import s3
from foundation.refused import Refused

HASH = "sha256"


class S3Target(Target):
    """A bucket that exists, and a prefix in it. What else lies there is left alone."""

    def __init__(self, bucket: str, prefix: str) -> None:
        self.bucket, self.prefix = bucket, prefix

    @cached_property
    def _client(self) -> Any:
        return s3.client_for("PUBLISH_")

    def _key(self, item: Item) -> str:
        return f"{self.prefix}/{item.goes_to}" if self.prefix else item.goes_to

    def address(self, item: Item) -> str:
        return f"s3://{self.bucket}/{self._key(item)}"

    def refuse_unready(self) -> None:
        import boto3

        if boto3.Session().get_credentials() is None:
            raise Refused(
                "The server has no account for S3: set AWS_ACCESS_KEY_ID and AWS_SECRET_ACCESS_KEY in its environment, "
                "that of the workers too."
            )

    def states(self, items: list[Item], release: Release) -> dict[str, str]:
        return {item.goes_to: self._state(item) for item in items}

    def _state(self, item: Item) -> str:
        from botocore.exceptions import BotoCoreError, ClientError

        try:
            head = self._client.head_object(Bucket=self.bucket, Key=self._key(item))
        except (BotoCoreError, ClientError) as error:
            if isinstance(error, ClientError) and s3.is_missing(error):
                return "new"
            raise Refused(f"{self.address(item)} can't be looked at: {error}.") from error
        return "same" if head["Metadata"].get(HASH) == item.sha256 else "differs"

    def send(self, items: list[Item], folder: Path, release: Release, arrived: Callable[[Item], None]) -> None:
        from boto3.exceptions import Boto3Error
        from botocore.exceptions import BotoCoreError, ClientError

        for item in items:
            try:
                # In parts, several at a time, where the file is large; an object is there whole or not at all.
                self._client.upload_file(
                    str(folder / item.path), self.bucket, self._key(item), ExtraArgs={"Metadata": {HASH: item.sha256}}
                )
            except (Boto3Error, BotoCoreError, ClientError) as error:
                raise Refused(f"{self.address(item)} can't be sent: {error}. What was sent stays.") from error
            arrived(item)
