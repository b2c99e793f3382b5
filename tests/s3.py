"""An S3 server for the tests: moto's, a process of its own that is asked over HTTP."""

import subprocess
import sys
import time
from collections.abc import Iterator
from typing import Any

import boto3
import pytest
import requests

from config.embedded import free_port
from config.storage import clip_storage
from config.variables import Clips
from demo.processes import stop

BUCKET = "clips-of-the-tests"


@pytest.fixture(scope="module")
def s3_server() -> Iterator[str]:
    """The address of an S3 server with one private bucket."""
    port = free_port()
    process = subprocess.Popen(
        [sys.executable, "-m", "moto.server", "-H", "127.0.0.1", "-p", str(port)],
        stdout=subprocess.DEVNULL,
        stderr=subprocess.DEVNULL,
    )
    address = f"http://127.0.0.1:{port}"
    try:
        deadline = time.monotonic() + 60
        while True:
            try:
                requests.get(address, timeout=5)
                break
            except requests.ConnectionError:
                assert process.poll() is None
                assert time.monotonic() < deadline, "the S3 server did not answer"
                time.sleep(0.05)
        yield address
    finally:
        stop(process)


@pytest.fixture
def s3(s3_server: str, settings: Any, monkeypatch: pytest.MonkeyPatch) -> Any:
    """An environment with S3, for this process and those that it starts; returns the bucket, for looking inside."""
    environment = {"QREELS_S3_BUCKET": BUCKET, "QREELS_S3_ENDPOINT": s3_server, "QREELS_S3_PREFIX": "qreels"}
    for name, value in (environment | {"AWS_ACCESS_KEY_ID": "an-id", "AWS_SECRET_ACCESS_KEY": "a-secret"}).items():
        monkeypatch.setenv(name, value)
    clips = Clips.read(environment)
    settings.STORAGES = {**settings.STORAGES, "default": clip_storage(clips)}
    settings.CLIP_REDIRECT_SECONDS = clips.QREELS_S3_URL_SECONDS
    bucket = boto3.resource("s3", endpoint_url=s3_server, region_name="us-east-1").Bucket(BUCKET)
    bucket.create()
    yield bucket
    bucket.objects.all().delete()
    bucket.delete()
