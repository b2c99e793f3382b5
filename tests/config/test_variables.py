"""Every variable of docs/settings.md is checked: a bad value is named, with what was found and what is expected."""

import os
import re
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest

from config.checks import check_variables
from config.logins import passkey_domain, passkey_problems
from config.variables import AT_START, WHEN_USED, Site, known, problems
from tests.paths import ROOT

BAD = {
    "QREELS_METRICS_TOKEN": "short",
    "QREELS_BACKUP_KEY": "AGE-SECRET-KEY-1ABC",
    "QREELS_SMTP_URL": "mail.example.org",
    "QREELS_LOG_FORMAT": "xml",
    "QREELS_BACKUP_TO": "ftp://host/backups",
}
NEEDED_BESIDE = {
    "QREELS_MAIL_FROM": {"QREELS_SMTP_URL": "smtp://h"},
    "QREELS_S3_URL_SECONDS": {"QREELS_S3_BUCKET": "b"},
    "QREELS_S3_ENDPOINT": {"QREELS_S3_BUCKET": "b"},
}
EVERY = (*AT_START, *WHEN_USED)
FIELDS = {name: field for group in EVERY for name, field in group.variables().items()}
CHECKED = sorted(name for name, field in FIELDS.items() if field.annotation is not str or field.metadata)


def documented() -> set[str]:
    rows = re.findall(r"^\| (`[^|]+`) \|", (ROOT / "docs" / "settings.md").read_text(), re.M)
    return {name for row in rows for name in re.findall(r"`([A-Z_0-9]+)`", row)}


def test_every_documented_variable_is_known_and_every_known_one_documented() -> None:
    assert known() == documented()


def test_what_the_manual_says_of_an_unset_number_is_what_is_declared() -> None:
    told = {}
    for row in re.findall(r"^\| (`.*) \|$", (ROOT / "docs" / "settings.md").read_text(), re.M):
        names, values = re.findall(r"`([A-Z_0-9]+)`", row.split(" | ")[0]), row.split(" | ")[-1].split(", ")
        told |= dict(zip(names, values, strict=False))
    # Those of backups, the last group, are told in docs/operating.md.
    declared = {name: field.default for group in AT_START[:-1] for name, field in group.variables().items()}
    numbers = {name: str(value) for name, value in declared.items() if type(value) is int and value > 1}
    assert len(numbers) > 12
    assert {name: told[name].strip("`") for name in numbers} == numbers


def test_a_secret_is_in_no_printed_group() -> None:
    name = "QREELS_SECRET_KEY"
    assert "a-paper-moon" not in repr(Site.read({name: "a-paper-moon"})) + str(Site.read({name: "a-paper-moon"}))


@pytest.mark.parametrize("name", CHECKED)
def test_a_bad_value_is_named_with_what_was_found_and_expected(name: str) -> None:
    value = BAD.get(name, "-1 !")
    environment = {**NEEDED_BESIDE.get(name, {}), name: value}
    (problem,) = problems(environment, EVERY)
    assert name in problem and ("expected" in problem or "at least" in problem), problem
    assert (value in problem) == FIELDS[name].repr


def test_no_value_and_good_values_are_no_problem() -> None:
    good = {
        "DATABASE_URL": "postgresql://user:pass@/qreels?host=/run/postgresql",
        "REDIS_URL": "rediss://:pass@host:6379/0",
        "QREELS_ENV": "production",
        "QREELS_ALLOWED_HOSTS": ".example.org, localhost,[::1],127.0.0.1,*",
        "QREELS_TRUSTED_ORIGINS": "https://a.example.org,https://b.example.org:8443,",
        "QREELS_PORT": "8443",
        "QREELS_FREE_MB": "0",
        "QREELS_WEB_LOCK_TIMEOUT": "0.5",
        "QREELS_BACKUP_TO": "backups",
        "REWRITER_PRICE_IN": "0.15",
        "OPENAI_BASE_URL": "http://127.0.0.1:8081/v1",
    }
    assert problems(good, EVERY) == []
    empty = dict.fromkeys(known(), "")
    assert problems(empty, EVERY) == []


def test_a_name_that_nobody_reads_is_a_warning_with_the_one_that_may_be_meant(monkeypatch: Any) -> None:
    monkeypatch.setenv("QREELS_UPLAOD_MB", "10")
    monkeypatch.setenv("REWRITER_TRIES", "none")
    messages = {message.id: message.msg for message in check_variables()}
    assert (
        messages["qreels.W001"]
        == "QREELS_UPLAOD_MB is set, and no setting has this name: QREELS_UPLOAD_MB may be meant"
    )
    assert messages["qreels.E001"] == "REWRITER_TRIES is 'none': expected a whole number from 1"


@pytest.mark.parametrize(
    ("hosts", "domain"),
    [
        ("qreels.example.org,localhost", "qreels.example.org"),
        (" .Example.org", "example.org"),
        ("localhost", "localhost"),
        ("*,example.org", ""),
        ("10.0.0.5", ""),
        ("[::1]", ""),
        ("intranet", ""),
        ("", "localhost"),
    ],
)
def test_passkeys_are_made_for_the_first_host_where_it_is_a_domain(hosts: str, domain: str) -> None:
    assert passkey_domain(Site.read({"QREELS_ALLOWED_HOSTS": hosts}).QREELS_ALLOWED_HOSTS) == domain


def test_passkeys_that_are_asked_for_and_can_t_work_are_a_warning(monkeypatch: Any) -> None:
    asked = {"QREELS_PASSKEYS": "login", "QREELS_ALLOWED_HOSTS": "qreels.example.org"}
    assert passkey_problems({}) == passkey_problems({"QREELS_ALLOWED_HOSTS": "*"}) == passkey_problems(asked) == []
    assert "QREELS_TWO_FACTORS=off" in passkey_problems({**asked, "QREELS_TWO_FACTORS": "off"})[0]
    plain = {**asked, "QREELS_PLAIN_HTTP": "1"}
    assert "QREELS_TRUSTED_ORIGINS=https://qreels.example.org" in passkey_problems(plain)[0]
    assert passkey_problems({**plain, "QREELS_TRUSTED_ORIGINS": "https://qreels.example.org"}) == []
    monkeypatch.setenv("QREELS_PASSKEYS", "factor")
    monkeypatch.setenv("QREELS_ALLOWED_HOSTS", "10.0.0.5,qreels.example.org")
    messages = {message.id: message.msg for message in check_variables()}
    assert "begins with '10.0.0.5': passkeys are made for a domain" in messages["qreels.W002"]
    assert "expected 'off', 'factor' or 'login'" in problems({"QREELS_PASSKEYS": "on"}, AT_START)[0]


def test_the_command_tells_all_at_once_and_nothing_starts(tmp_path: Path) -> None:
    bad = {"QREELS_UPLOAD_MB": "lots", "QREELS_ENV": "prod", "QREELS_LOG": "loud", "QREELS_VAR": str(tmp_path)}
    environment = {**os.environ, "DATABASE_URL": "postgresql://nobody@127.0.0.1:1/none", **bad}
    done = subprocess.run(
        [sys.executable, "manage.py", "check"], cwd=ROOT, env=environment, capture_output=True, text=True, check=False
    )
    assert done.returncode == 1 and "Traceback" not in done.stderr
    for sentence in (
        "QREELS_UPLOAD_MB is 'lots': expected a whole number from 1",
        "QREELS_ENV is 'prod': expected 'production' or 'development'",
        "QREELS_LOG is 'loud': expected DEBUG",
    ):
        assert sentence in done.stderr
    assert not (tmp_path / "secret_key").exists()
