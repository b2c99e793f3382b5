"""What the value of an environment variable has to be: each type reads a text, or says what it expected instead."""

import ipaddress
import re
from collections.abc import Callable
from pathlib import PurePosixPath
from typing import Annotated, Any
from urllib.parse import urlsplit

from pydantic import PlainValidator

from foundation.text import LANGUAGE_TAG

KEPT_CLASSES = (
    "logins",
    "mails",
    "jobs",
    "audits",
    "words",
    "traces",
    "training",
    "recruits",
    "pay",
    "places",
    "accounts",
    "changes",
)
"""What docs/retention.md calls each class of what is kept about people."""
_NAME = r"[A-Za-z0-9][A-Za-z0-9._-]*"
S3_ROOT = rf"s3://{_NAME}(/{_NAME})*"
HUB_ROOT = rf"hf://{_NAME}(/{_NAME})?"
ARCHIVE_ROOT = r"invenio://[a-z0-9][a-z0-9.-]*(:\d{1,5})?"


class Unfit(ValueError):
    """A value that can't be. Args: expected: what is said after that word; part: of a list, the one that is wrong."""

    def __init__(self, expected: str, part: str = "") -> None:
        super().__init__(expected)
        self.part = part


def fitting(fits: Callable[[str], object], expected: str, read: Callable[[str], Any] = str) -> PlainValidator:
    """A text for which `fits` neither is false nor raises ValueError, as `read` reads it."""

    def checked(text: str) -> Any:
        try:
            if fits(text):
                return read(text)
        except ValueError:
            pass
        raise Unfit(expected)

    return PlainValidator(checked)


def matching(pattern: str, expected: str) -> PlainValidator:
    """A text of this form."""
    return fitting(re.compile(pattern, re.ASCII).fullmatch, expected)


def whole(least: int, most: int | None = None) -> PlainValidator:
    """A whole number within these bounds."""

    def fits(text: str) -> bool:
        number = text.isascii() and text.isdecimal() and len(text) < 16
        return number and least <= int(text) and (most is None or int(text) <= most)

    return fitting(fits, f"a whole number from {least}" + ("" if most is None else f" to {most}"), int)


def address(*schemes: str) -> PlainValidator:
    """An address of one of these kinds."""

    def fits(text: str) -> bool:
        parts = urlsplit(text)
        return parts.port != 0 and parts.scheme in schemes and bool(text.partition("://")[2])

    return fitting(fits, " or ".join(f"{scheme}://..." for scheme in schemes))


def listed(read: Callable[[str], str], expected: str) -> PlainValidator:
    """Several, separated by commas, each once; `read` raises ValueError for one that can't be."""

    def checked(text: str) -> tuple[str, ...]:
        values = []
        for part in filter(None, map(str.strip, text.split(","))):
            try:
                values.append(read(part))
            except ValueError as error:
                why = f" ({error})" if str(error) else ""
                raise Unfit(f"{expected}, separated by commas{why}", part) from None
        if not values:
            raise Unfit(f"{expected}, separated by commas")
        return tuple(dict.fromkeys(values))

    return PlainValidator(checked)


def each_matching(pattern: str, expected: str) -> PlainValidator:
    """Several of this form, separated by commas."""

    def read(part: str) -> str:
        if not re.fullmatch(pattern, part, re.ASCII):
            raise ValueError
        return part

    return listed(read, expected)


def roots(pattern: str, others: str) -> PlainValidator:
    """Absolute folders, and places of the forms that the pattern matches and `others` names."""

    def read(text: str) -> str:
        place = text.rstrip("/")
        folder = PurePosixPath(place)
        if re.fullmatch(pattern, place, re.ASCII):
            return place
        if "://" in place or not folder.is_absolute() or ".." in folder.parts:
            raise ValueError
        return str(folder)

    return listed(read, f"absolute folders, {others}")


def _tokens(text: str) -> dict[str, str]:
    tokens = {}
    for part in filter(None, map(str.strip, text.split(","))):
        host, _, token = part.partition("=")
        if not token or not re.fullmatch(ARCHIVE_ROOT, f"invenio://{host}", re.ASCII) or host in tokens:
            raise Unfit("HOST=TOKEN, with commas between several, each host once")
        tokens[host] = token
    return tokens


Tokens = Annotated[dict[str, str], PlainValidator(_tokens)]


def _keep_days(text: str) -> dict[str, int]:
    days: dict[str, int] = {}
    for part in filter(None, map(str.strip, text.split(","))):
        match = re.fullmatch(r"([a-z]+)=([1-9]\d{0,4})", part, re.ASCII)
        if match is None or match[1] not in KEPT_CLASSES or match[1] in days:
            raise Unfit(
                "CLASS=DAYS separated by commas, days from 1 to 99999, each class once, of " + ", ".join(KEPT_CLASSES)
            )
        days[match[1]] = int(match[2])
    return days


def _is_mail_server(text: str) -> bool:
    parts = urlsplit(text)
    fits = parts.port != 0 and parts.scheme in ("smtp", "smtp+starttls", "smtps") and parts.hostname
    return bool(fits) and parts.path in ("", "/") and not parts.query


def _is_issuer(text: str) -> bool:
    parts = urlsplit(text)
    here = parts.scheme == "http" and parts.hostname in ("localhost", "127.0.0.1", "::1")
    return bool(parts.hostname) and (parts.scheme == "https" or here) and not parts.query


def _are_languages(text: str) -> bool:
    return all(tag == "*" or LANGUAGE_TAG.match(tag) for tag in text.replace(",", " ").split())


# PostgreSQL takes 0 as no limit at all.
Seconds = Annotated[
    float,
    fitting(lambda text: 0.001 <= float(text) <= 86_400, "a number of seconds above 0, at most a day", float),
]
Switch = Annotated[bool, fitting(("0", "1").__contains__, "'0' or '1'", "1".__eq__)]
Amount = Annotated[str, matching(r"\s*\d{1,12}(\.\d+)?\s*", "a number of at least 0, such as 0.15")]
Level = Annotated[
    str,
    fitting(
        lambda text: text.upper() in ("DEBUG", "INFO", "WARNING", "ERROR", "CRITICAL"),
        "DEBUG, INFO, WARNING, ERROR or CRITICAL",
        str.upper,
    ),
]
Http = Annotated[str, address("https", "http")]
Languages = Annotated[
    str, fitting(_are_languages, "language tags separated by commas, such as en,de, or * for every language")
]
Networks = Annotated[
    tuple[str, ...],
    listed(lambda part: str(ipaddress.ip_network(part)), "addresses or networks such as 10.0.0.0/8"),
]
Hosts = Annotated[
    tuple[str, ...],
    each_matching(
        r"\*|\.?[A-Za-z0-9._-]+|\[[0-9A-Fa-f:.]+\]", "host names such as qreels.example.org, without https:// and port"
    ),
]
Origins = Annotated[tuple[str, ...], each_matching(r"https?://[^/\s,]+", "origins such as https://qreels.example.org")]
KeepDays = Annotated[dict[str, int], PlainValidator(_keep_days)]
MailServer = Annotated[
    str, fitting(_is_mail_server, "smtp://, smtp+starttls:// or smtps://[USER:PASSWORD@]HOST[:PORT]")
]
Issuer = Annotated[
    str,
    fitting(_is_issuer, "the issuer's https address, below which /.well-known/openid-configuration is found"),
]
Token = Annotated[str, matching(r".{16,}", "at least 16 characters, since fewer can be guessed")]
