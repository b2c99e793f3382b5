"""Every environment variable of an installation, and what its value has to be: the same for starting and checking.

Settings refuse to start with a bad value of one that they read; `manage.py check` tells the others as well, and names
that nobody reads (`config/checks.py`). What they mean is in docs/settings.md; a test compares the two.
"""

import difflib
import re
from collections.abc import Callable, Iterator, Mapping
from typing import Any
from urllib.parse import urlsplit

from django.core.exceptions import ImproperlyConfigured

from config.backups import backup_settings
from config.database import web_limits
from config.destinations import publish_roots, video_sources
from config.logins import login_settings
from config.logs import logging_settings
from config.mail import mail_settings
from config.monitoring import metrics_token, networks
from config.retention import keep_days
from config.secret_files import SECRETS
from config.storage import clip_storage
from config.threads import threads_for
from foundation.text import LANGUAGE_TAG

Expects = Callable[[str], str]
"""What is expected instead of a value, in words that follow "expected"; "" where it is good."""


class BadVariables(ImproperlyConfigured):
    """Variables whose values can't be; each problem says the name, what was found and what is expected."""

    def __init__(self, problems: list[str]) -> None:
        super().__init__("These settings can't be (docs/settings.md):\n" + "\n".join(f"  {one}" for one in problems))
        self.problems = problems


def whole(least: int, most: int | None = None) -> Expects:
    """A whole number within these bounds."""

    def expects(text: str) -> str:
        fits = text.isascii() and text.isdecimal() and len(text) < 16
        if fits and least <= int(text) and (most is None or int(text) <= most):
            return ""
        return f"a whole number from {least}" + ("" if most is None else f" to {most}")

    return expects


def amount(text: str) -> str:
    """A number of at least 0."""
    return "" if re.fullmatch(r"\d{1,12}(\.\d+)?", text.strip(), re.ASCII) else "a number of at least 0, such as 0.15"


def languages(text: str) -> str:
    """BCP 47 tags, or `*`."""
    fits = all(one == "*" or LANGUAGE_TAG.match(one) for one in text.replace(",", " ").split())
    return "" if fits else "language tags separated by commas, such as en,de, or * for every language"


def one_of(*values: str) -> Expects:
    """One of these words."""
    return lambda text: "" if text in values else " or ".join(repr(value) for value in values)


def address(*schemes: str) -> Expects:
    """An address of one of these kinds."""

    def expects(text: str) -> str:
        try:
            parts = urlsplit(text)
            parts.port  # noqa: B018 - read to have it checked
        except ValueError:
            parts = urlsplit("")
        return (
            ""
            if parts.scheme in schemes and text.partition("://")[2]
            else " or ".join(f"{one}://..." for one in schemes)
        )

    return expects


def origins(text: str) -> str:
    """Origins with commas."""
    every = [one for one in text.split(",") if one]
    good = all(re.fullmatch(r"https?://[^/\s,]+", one) for one in every)
    return "" if good else "origins such as https://qreels.example.org, separated by commas"


def hosts(text: str) -> str:
    """Host names with commas."""
    every = [one.strip() for one in text.split(",") if one.strip()]
    good = every and all(re.fullmatch(r"\*|\.?[A-Za-z0-9._-]+|\[[0-9A-Fa-f:.]+\]", one) for one in every)
    return "" if good else "host names such as qreels.example.org, separated by commas, without https:// and port"


def header(text: str) -> str:
    """A header's name."""
    return "" if re.fullmatch(r"[A-Za-z0-9-]+", text) else "a header's name such as X-Real-IP"


def place(text: str) -> str:
    """A folder or S3."""
    if re.match(r"s3://[A-Za-z0-9][A-Za-z0-9._-]*(/|\Z)", text) or "://" not in text:
        return ""
    return "a folder or s3://BUCKET/PREFIX"


def anything(text: str) -> str:
    """Whatever it is: the folder, name or program is looked for when it is used."""
    return ""


SWITCH = one_of("0", "1")
HTTP = address("https", "http")

AT_START: dict[str, Expects] = {
    "DATABASE_URL": address("postgresql", "postgres", "pgsql"),
    "REDIS_URL": address("redis", "rediss", "redis+socket", "unix", "sentinel"),
    "RANKING_MEMORY_MB": whole(1),
    "QREELS_SEARCH_MEMORY_MB": whole(1024),
    "QREELS_VAR": anything,
    "QREELS_STATIC": anything,
    "QREELS_PORT": whole(1, 65535),
    "QREELS_S3_BUCKET": anything,
    "QREELS_S3_ENDPOINT": HTTP,
    "QREELS_S3_REGION": anything,
    "QREELS_S3_PREFIX": anything,
    "QREELS_PUBLISH_S3_ENDPOINT": HTTP,
    "QREELS_PUBLISH_S3_REGION": anything,
    "QREELS_WORKER_MEMORY_MB": whole(1),
    "QREELS_API_PER_MINUTE": whole(1),
    "QREELS_RUNS_PER_MEMBER": whole(0),
    "QREELS_RUN_MB_PER_MEMBER": whole(0),
    "QREELS_RUN_MEMORY_MB": whole(1),
    "QREELS_WEB_WORKERS": whole(1, 1000),
    "QREELS_WEB_THREADS": whole(1, 1000),
    "QREELS_PYTHON": anything,
    "QREELS_ENV": one_of("production", "development"),
    "QREELS_UPLOAD_MB": whole(1),
    "QREELS_VIDEOS": anything,
    "QREELS_VIDEO_MB": whole(1),
    "QREELS_FREE_MB": whole(0),
    "QREELS_VIDEO_S3_ENDPOINT": HTTP,
    "QREELS_VIDEO_S3_REGION": anything,
    "QREELS_ADDRESS_HEADER": header,
    "QREELS_SECRET_KEY": anything,  # production has its own rule (settings.py)
    "QREELS_ALLOWED_HOSTS": hosts,
    "QREELS_TRUSTED_ORIGINS": origins,
    "QREELS_PLAIN_HTTP": SWITCH,
    "QREELS_HSTS_SECONDS": whole(0),
    "QREELS_DEBUG": SWITCH,
    "QREELS_OIDC_CLIENT_ID": anything,  # needed together (config/logins.py)
    "QREELS_OIDC_CLIENT_SECRET": anything,
    "QREELS_OIDC_NAME": anything,
    "QREELS_BACKUP_TO": place,
    "QREELS_BACKUP_S3_ENDPOINT": HTTP,
    "QREELS_BACKUP_S3_REGION": anything,
    "QREELS_DATA": anything,
    "QREELS_CHROMIUM": anything,
}
"""Of variables that are read at every start, what is expected of each by itself."""
WHEN_USED: dict[str, Expects] = {
    "OPENAI_API_KEY": anything,
    "OPENAI_BASE_URL": HTTP,
    "REWRITER_MODEL": anything,
    "REWRITER_PRICE_IN": amount,
    "REWRITER_PRICE_OUT": amount,
    "REWRITER_BATCH_SHARE": amount,
    "REWRITER_LIMIT": amount,
    "REWRITER_PER_REQUEST": whole(1),
    "REWRITER_CONCURRENCY": whole(1),
    "REWRITER_TRIES": whole(1),
    "REWRITER_FIRST_PAUSE": amount,
    "REWRITER_TIMEOUT": amount,
    "REWRITER_POLL": amount,
    "ENCODER_MODEL": anything,
    "ENCODER_PRECISION": one_of("float32", "bfloat16", "auto"),
    "ENCODER_DEVICE": one_of("cpu", "cuda", "mps", "auto"),
    "ENCODER_LANGUAGES": languages,
    "NER_MODEL": anything,
    "NER_DEVICE": one_of("cpu", "cuda", "mps", "auto"),
    "NER_LANGUAGES": languages,
    "HF_HUB_OFFLINE": SWITCH,
}
"""The same of those that a job reads; the site starts without them, and its checks tell."""
Reader = Callable[[Mapping[str, str]], Any]
READERS: tuple[tuple[Reader, tuple[str, ...]], ...] = (
    (backup_settings, ("QREELS_BACKUP_HOURS", "QREELS_BACKUP_DAYS", "QREELS_BACKUP_WEEKS", "QREELS_BACKUP_KEY")),
    (clip_storage, ("QREELS_S3_URL_SECONDS", "QREELS_NGINX_MEDIA")),
    (login_settings, ("QREELS_TWO_FACTORS", "QREELS_PASSKEYS", "QREELS_OIDC_ISSUER", "QREELS_OIDC_NEW_ACCOUNTS")),
    (logging_settings, ("QREELS_LOG", "QREELS_LOG_FORMAT")),
    (mail_settings, ("QREELS_SMTP_URL", "QREELS_MAIL_FROM")),
    (metrics_token, ("QREELS_METRICS_TOKEN",)),
    (lambda environment: networks(environment, "QREELS_METRICS_FROM"), ("QREELS_METRICS_FROM",)),
    (lambda environment: networks(environment, "QREELS_WEBHOOK_NETWORKS"), ("QREELS_WEBHOOK_NETWORKS",)),
    (publish_roots, ("QREELS_PUBLISH_TO",)),
    (video_sources, ("QREELS_VIDEO_SOURCES",)),
    (keep_days, ("QREELS_KEEP_DAYS",)),
    (web_limits, ("QREELS_WEB_LOCK_TIMEOUT", "QREELS_WEB_STATEMENT_TIMEOUT")),
    (lambda environment: threads_for(dict(environment), processes=1, cores=1), ("QREELS_THREADS",)),
)
"""What is read together, by functions that say what is wrong themselves, and the variables of each."""
SECRET = frozenset({"DATABASE_URL", "REDIS_URL"})
"""Of these a message never repeats the value: it may hold a password."""


def known() -> set[str]:
    """The names of all variables."""
    return {*AT_START, *WHEN_USED, *(name for _, names in READERS for name in names)}


def problems(environment: Mapping[str, str], expected: Mapping[str, Expects]) -> list[str]:
    """A sentence for each variable that is set to what it can't be. An empty value is none."""
    found = []
    for name, expects in expected.items():
        value = environment.get(name, "")
        wanted = expects(value) if value else ""
        if wanted:
            shown = "something else" if name in SECRET else repr(value[:100])
            found.append(f"{name} is {shown}: expected {wanted}")
    return found


def problems_at_start(environment: Mapping[str, str]) -> list[str]:
    """The same for all that settings read, one by one and together."""
    found = problems(environment, AT_START)
    for read, _ in READERS:
        try:
            read(environment)
        except (ImproperlyConfigured, ValueError) as error:
            found.append(str(error))
    return found


def unknown(environment: Mapping[str, str]) -> Iterator[tuple[str, str]]:
    """Variables whose names are like ours and that nobody reads, each with the one that may be meant ("" for none)."""
    names = known() | {f"{name}_FILE" for name in SECRETS}
    for name in sorted(environment):
        if re.match(r"QREELS_(?!TEST_)", name) and name not in names:
            near = difflib.get_close_matches(name, names, n=1, cutoff=0.8)
            yield name, near[0] if near else ""


def refuse_bad_values(environment: Mapping[str, str]) -> None:
    """Raises: BadVariables with every problem that there is."""
    found = problems_at_start(environment)
    if found:
        raise BadVariables(found)
