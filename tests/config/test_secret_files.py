"""Secrets in files: NAME_FILE."""

from pathlib import Path

import pytest

from config.secret_files import read_secret_files


def test_a_secret_is_what_its_file_has(tmp_path: Path) -> None:
    (tmp_path / "key").write_text("a long secret\n")
    environment = {"QREELS_SECRET_KEY_FILE": str(tmp_path / "key"), "QREELS_PORT_FILE": "/nowhere", "REDIS_URL": "x"}
    read_secret_files(environment)
    assert environment["QREELS_SECRET_KEY"] == "a long secret"
    read_secret_files(environment)  # a process that another one started has both
    assert environment["REDIS_URL"] == "x" and "QREELS_PORT" not in environment


def test_what_cannot_be_read_is_named(tmp_path: Path) -> None:
    (tmp_path / "empty").write_text(" \n")
    (tmp_path / "key").write_text("one")
    with pytest.raises(ValueError, match=r"DATABASE_URL_FILE is /nowhere/url, which can't be read"):
        read_secret_files({"DATABASE_URL_FILE": "/nowhere/url"})
    with pytest.raises(ValueError, match="which is empty: expected the value of DATABASE_URL"):
        read_secret_files({"DATABASE_URL_FILE": str(tmp_path / "empty")})
    with pytest.raises(ValueError, match="DATABASE_URL and DATABASE_URL_FILE are both set, and differ"):
        read_secret_files({"DATABASE_URL_FILE": str(tmp_path / "key"), "DATABASE_URL": "two"})
