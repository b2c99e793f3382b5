"""Settings of logs, mail and figures: what is refused, what is hidden."""

import json
import logging
import logging.config
from typing import Any

import pytest
from django.core.exceptions import ImproperlyConfigured
from django.test import Client

from config.logs import json_lines, logging_settings, without_secrets
from config.mail import mail_settings
from config.variables import Mail, Watching
from config.web.request_id import current_request_id


@pytest.mark.parametrize(
    ("line", "shown"),
    [
        ("GET /password/dGhlIHRva2Vu/ 200", "GET /password/[hidden]/ 200"),
        ("/welcome/abc: used", "/welcome/[hidden] used"),
        ("GET /join/abc-def/?x=1", "GET /join/[hidden]/?x=1"),
        ("GET /take-part/abc/?PROLIFIC_PID=5f2a 400", "GET /take-part/[hidden] 400"),
        ("POST /unsubscribe/WzEs:ab-c/ 200", "POST /unsubscribe/[hidden]/ 200"),
        ("GET /back/?code=abc&state=def", "GET /back/?code=[hidden]&state=[hidden]"),
        ("postgresql://qreels:secret@db:5432/qreels is away", "postgresql://qreels:[hidden]@db:5432/qreels is away"),
        ("redis://:secret@queue:6379/0", "redis://:[hidden]@queue:6379/0"),
        ("/clips/1.mp4?signature=abc&width=2", "/clips/1.mp4?signature=[hidden]&width=2"),
        ("https://s3/x?X-Amz-Signature=0a1b", "https://s3/x?X-Amz-Signature=[hidden]"),
        ("Authorization: Bearer abcdefghijkl", "Authorization: Bearer [hidden]"),
        ("key sk-abcdefghijklmnop refused", "key [hidden] refused"),
        ("GET /c/paper/judge/ at 12:30: fine", "GET /c/paper/judge/ at 12:30: fine"),
    ],
)
def test_no_line_of_a_log_has_a_secret(line: str, shown: str) -> None:
    assert without_secrets(line) == shown


def test_a_json_line_says_when_who_what_and_for_which_request() -> None:
    record = logging.LogRecord("corpus", logging.WARNING, __file__, 1, "%s broke", ("/join/abc/",), None)
    record.request_id = "0123456789abcdef"
    line = json.loads(json_lines().format(record))
    assert line["message"] == "/join/[hidden]/ broke"
    assert (line["level"], line["logger"], line["request_id"]) == ("WARNING", "corpus", "0123456789abcdef")
    assert line["time"].startswith("20")


@pytest.mark.parametrize(
    ("environment", "problem"),
    [
        ({"QREELS_LOG": "LOUD"}, "QREELS_LOG is 'LOUD': expected DEBUG"),
        ({"QREELS_LOG_FORMAT": "xml"}, "QREELS_LOG_FORMAT is 'xml': expected 'text' or 'json'"),
    ],
)
def test_a_log_that_is_set_wrong_is_refused(environment: dict[str, str], problem: str) -> None:
    with pytest.raises(ImproperlyConfigured, match=problem):
        Watching.read(environment)


@pytest.mark.parametrize("environment", [{}, {"QREELS_LOG_FORMAT": "json"}, {"QREELS_LOG": "info"}])
def test_logging_takes_these_settings(environment: dict[str, str]) -> None:
    logging.config.DictConfigurator(logging_settings(Watching.read(environment)))  # type: ignore[attr-defined]


def test_mail_is_set_by_one_address_and_never_repeats_its_password() -> None:
    url = "smtp+starttls://qreels%40example.org:s3cret@mail.example.org"
    mail = mail_settings(Mail(QREELS_SMTP_URL=url, QREELS_MAIL_FROM="qreels@example.org"))
    assert (mail["EMAIL_HOST"], mail["EMAIL_PORT"], mail["EMAIL_USE_TLS"]) == ("mail.example.org", 587, True)
    assert (mail["EMAIL_HOST_USER"], mail["EMAIL_HOST_PASSWORD"]) == ("qreels@example.org", "s3cret")
    assert not mail_settings(Mail())["MAIL_IS_SET"]
    for wrong in ("mail.example.org", "http://a:s3cret@b", "smtp://", "smtp://h:99999", "smtp://a:s3cret@b/c"):
        with pytest.raises(ImproperlyConfigured) as refused:
            Mail.read({"QREELS_SMTP_URL": wrong, "QREELS_MAIL_FROM": "qreels@example.org"})
        assert "QREELS_SMTP_URL" in str(refused.value) and "s3cret" not in str(refused.value)
    with pytest.raises(ImproperlyConfigured, match="QREELS_MAIL_FROM is ''"):
        Mail.read({"QREELS_SMTP_URL": "smtp://mail"})


def test_who_may_read_figures_is_set_right_or_not_at_all() -> None:
    name = "QREELS_METRICS_FROM"
    assert Watching.read({name: "10.0.0.0/8, ::1"}).QREELS_METRICS_FROM == ("10.0.0.0/8", "::1/128")
    with pytest.raises(ImproperlyConfigured, match=rf"{name} has '10\.0\.0\.1/8'.*host bits set"):
        Watching.read({name: "10.0.0.1/8"})
    with pytest.raises(ImproperlyConfigured, match="at least 16 characters, since fewer can be guessed"):
        Watching.read({"QREELS_METRICS_TOKEN": "secret"})


@pytest.mark.parametrize(
    ("given", "kept"), [("abc-0123456789", True), ("short", False), ("two\nlines-of-it", False), ("x" * 65, False)]
)
def test_a_request_keeps_a_good_id_from_outside(client: Client, given: str, kept: bool) -> None:
    answer: Any = client.get("/healthz", headers={"X-Request-ID": given})
    assert (answer["X-Request-ID"] == given) is kept
    assert len(answer["X-Request-ID"]) >= 8 and current_request_id() == ""
