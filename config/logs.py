"""Logging: lines for people or JSON for machines, each with its request's id, none with a secret."""

import logging
import re
from typing import Any

from config.variables import Watching

HIDDEN = "[hidden]"
# What opens a door: one-time links, signed addresses, keys and passwords in addresses of servers and headers.
_SECRETS = (
    (re.compile(r"(/(?:welcome|password|join|unsubscribe)/)[^/\s\"'?]+"), rf"\1{HIDDEN}"),
    # With the ids of whom a platform sends, too.
    (re.compile(r"(/take-part/)[^\s\"']+"), rf"\1{HIDDEN}"),
    (
        re.compile(r"([?&](?:token|key|code|state|signature|sig|X-Amz-[A-Za-z-]+)=)[^&\s\"']+", re.IGNORECASE),
        rf"\1{HIDDEN}",
    ),
    (re.compile(r"(\b[a-z][a-z0-9+.-]*://[^\s:/@\"']*:)[^\s@/\"']+(?=@)"), rf"\1{HIDDEN}"),
    (re.compile(r"(\b(?:Bearer|Token|Basic)\s+)[A-Za-z0-9._~+/=-]{8,}"), rf"\1{HIDDEN}"),
    (re.compile(r"\bsk-[A-Za-z0-9_-]{12,}"), HIDDEN),
)


def without_secrets(text: str) -> str:
    """The text with one-time links, signatures, passwords in addresses and keys replaced by "[hidden]"."""
    for pattern, instead in _SECRETS:
        text = pattern.sub(instead, text)
    return text


class WithRequestId(logging.Filter):
    """Gives each record `request_id`; "-" outside of a request."""

    def filter(self, record: logging.LogRecord) -> bool:
        # Celery and commands log as well: they need no Django middleware for it.
        from config.web.request_id import current_request_id

        record.request_id = current_request_id() or "-"
        return True


class TextFormatter(logging.Formatter):
    """Lines for people."""

    def format(self, record: logging.LogRecord) -> str:
        return without_secrets(super().format(record))


def json_lines() -> logging.Formatter:
    """One JSON object a line: time (UTC, ISO 8601), level, logger, message, request_id, process, and what else a record
    brings (`extra`)."""
    from pythonjsonlogger.json import JsonFormatter

    class JsonLines(JsonFormatter):
        def format(self, record: logging.LogRecord) -> str:
            return without_secrets(super().format(record))

    return JsonLines(
        ["asctime", "levelname", "name", "message", "request_id", "process"],
        rename_fields={"asctime": "time", "levelname": "level", "name": "logger"},
        datefmt="%Y-%m-%dT%H:%M:%S%z",
    )


def logging_settings(watching: Watching) -> dict[str, Any]:
    """Django's LOGGING; in JSON every request is a line of the logger `qreels.request` too
    (`config/web/request_log.py`)."""
    form = watching.QREELS_LOG_FORMAT
    line = {"()": "config.logs.TextFormatter", "format": "{asctime} {levelname} {name}: {message}", "style": "{"}
    return {
        "version": 1,
        "disable_existing_loggers": False,
        "filters": {"request_id": {"()": "config.logs.WithRequestId"}},
        "formatters": {"text": line, "json": {"()": "config.logs.json_lines"}},
        "handlers": {
            "stderr": {"class": "logging.StreamHandler", "formatter": form, "filters": ["request_id"]},
        },
        "root": {"handlers": ["stderr"], "level": watching.QREELS_LOG},
        "loggers": {"qreels.request": {"level": "INFO" if form == "json" else "CRITICAL"}},
    }
