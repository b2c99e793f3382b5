"""Every environment variable of an installation, declared once with its type and what holds where it is unset.

An empty value is none. `config/settings.py` reads the groups of `AT_START` and refuses to start with a bad value;
`manage.py check` tells those of `WHEN_USED` as well, and names that nobody reads (`config/checks.py`). What each means
is in docs/settings.md; a test compares the two.
"""

import difflib
import re
from collections.abc import Iterator, Mapping
from typing import Annotated, Any, Literal, Self

from django.core.exceptions import ImproperlyConfigured
from pydantic import BaseModel, ConfigDict, Field, ValidationError, model_validator
from pydantic.fields import FieldInfo

from config.secret_files import SECRETS
from config.values import (
    ARCHIVE_ROOT,
    HUB_ROOT,
    S3_ROOT,
    Amount,
    Hosts,
    Http,
    Issuer,
    KeepDays,
    Languages,
    Level,
    MailServer,
    Networks,
    Origins,
    Seconds,
    Switch,
    Token,
    Tokens,
    address,
    matching,
    roots,
    whole,
)


class BadVariables(ImproperlyConfigured):
    """Variables whose values can't be; each problem says the name, what was found and what is expected."""

    def __init__(self, problems: list[str]) -> None:
        super().__init__(
            "These settings can't be (docs/settings.md):\n" + "\n".join(f"  {problem}" for problem in problems)
        )
        self.problems = problems


class Group(BaseModel):
    """Variables that belong together, a field each; a secret's value is never shown (`repr=False`)."""

    model_config = ConfigDict(frozen=True, validate_by_name=True)

    @classmethod
    def variables(cls) -> dict[str, FieldInfo]:
        """The fields by the variables' names: their own, if they don't say another."""
        return {str(field.validation_alias or name): field for name, field in cls.model_fields.items()}

    @classmethod
    def read(cls, environment: Mapping[str, str]) -> Self:
        """The group's values. Raises: BadVariables with a sentence for each that can't be."""
        try:
            return cls.model_validate({name: environment[name] for name in cls.variables() if environment.get(name)})
        except ValidationError as bad:
            raise BadVariables([cls._sentence(error) for error in bad.errors()]) from None

    @classmethod
    def _sentence(cls, error: Mapping[str, Any]) -> str:
        why = error["ctx"].get("error") or error["ctx"]["expected"]
        if not error["loc"]:
            return str(why)
        (name,), part = error["loc"], getattr(why, "part", "")
        value = f"has {part!r}" if part else f"is {error['input'][:200]!r}"
        return f"{name} {value if cls.variables()[name].repr else 'is something else'}: expected {why}"


class Site(Group):
    """The installation, its web server and how it is reached."""

    QREELS_ENV: Literal["production", "development"] = "development"
    QREELS_DEBUG: Switch = False
    QREELS_VAR: str = ""
    QREELS_STATIC: str = ""
    QREELS_PORT: Annotated[int, whole(1, 65535)] = 8000
    QREELS_WEB_WORKERS: Annotated[int, whole(1, 1000)] = 2
    QREELS_WEB_THREADS: Annotated[int, whole(1, 1000)] = 4
    # Read before all else (config/threads.py), as the next by script/environment.sh, and the last two by tests.
    QREELS_THREADS: Annotated[int, whole(1)] = 0
    QREELS_PYTHON: str = ""
    QREELS_DATA: str = ""
    QREELS_CHROMIUM: str = ""
    # Production has its own rule (config/settings.py).
    QREELS_SECRET_KEY: str = Field("", repr=False)
    QREELS_ALLOWED_HOSTS: Hosts = ("localhost", "127.0.0.1", "[::1]")
    QREELS_TRUSTED_ORIGINS: Origins = ()
    QREELS_ADDRESS_HEADER: Annotated[str, matching(r"[A-Za-z0-9-]+", "a header's name such as X-Real-IP")] = ""
    QREELS_PLAIN_HTTP: Switch = False
    QREELS_HSTS_SECONDS: Annotated[int, whole(0)] = 3600


class Servers(Group):
    """The database, the task queue, and what their clients may take."""

    DATABASE_URL: Annotated[str, address("postgresql", "postgres", "pgsql")] = Field("", repr=False)
    QREELS_WEB_LOCK_TIMEOUT: Seconds = 3
    QREELS_WEB_STATEMENT_TIMEOUT: Seconds = 15
    REDIS_URL: Annotated[str, address("redis", "rediss", "redis+socket", "unix", "sentinel")] = Field("", repr=False)
    QREELS_WORKER_MEMORY_MB: Annotated[int, whole(1)] = 6144
    RANKING_MEMORY_MB: Annotated[int, whole(1)] = 256
    QREELS_SEARCH_MEMORY_MB: Annotated[int, whole(1024)] = 2048


class Files(Group):
    """What people send, and places that leads may read or publish to."""

    QREELS_UPLOAD_MB: Annotated[int, whole(1)] = 512
    QREELS_API_PER_MINUTE: Annotated[int, whole(1)] = 600
    QREELS_RUNS_PER_MEMBER: Annotated[int, whole(0)] = 200
    QREELS_RUN_MB_PER_MEMBER: Annotated[int, whole(0)] = 4096
    QREELS_RUN_MEMORY_MB: Annotated[int, whole(1)] = 2048
    QREELS_VIDEOS: str = ""
    QREELS_VIDEO_MB: Annotated[int, whole(1)] = 20480
    QREELS_FREE_MB: Annotated[int, whole(0)] = 2048
    QREELS_VIDEO_SOURCES: Annotated[tuple[str, ...], roots(S3_ROOT, "s3://BUCKET/PREFIX")] = ()
    QREELS_VIDEO_S3_ENDPOINT: Http = ""  # servers and regions: foundation/infra/s3.py
    QREELS_VIDEO_S3_REGION: str = ""
    QREELS_PUBLISH_TO: Annotated[
        tuple[str, ...],
        roots(
            f"{S3_ROOT}|{HUB_ROOT}|{ARCHIVE_ROOT}",
            "s3://BUCKET/PREFIX, hf://OWNER, hf://OWNER/NAME or invenio://HOST",
        ),
    ] = ()
    QREELS_PUBLISH_S3_ENDPOINT: Http = ""
    QREELS_PUBLISH_S3_REGION: str = ""
    QREELS_DEPOSIT_TOKENS: Tokens = Field({}, repr=False)


class Clips(Group):
    """Where clips are stored, and how they are sent."""

    QREELS_S3_BUCKET: str = ""
    QREELS_S3_ENDPOINT: Http = ""
    QREELS_S3_REGION: str = ""
    QREELS_S3_PREFIX: str = ""
    # S3 signs for a week at most.
    QREELS_S3_URL_SECONDS: Annotated[int, whole(60, 7 * 24 * 60 * 60)] = 3600
    QREELS_NGINX_MEDIA: Annotated[str, matching(r"/.+/", "a location such as /qreels-media/")] = ""

    @model_validator(mode="after")
    def _fits_together(self) -> Self:
        others = [
            name for name in Clips.model_fields if name.startswith("QREELS_S3_") and name in self.model_fields_set
        ]
        if others and not self.QREELS_S3_BUCKET:
            raise ValueError(f"{others[0]} is set and QREELS_S3_BUCKET, the bucket's name, is not")
        if self.QREELS_S3_BUCKET and self.QREELS_NGINX_MEDIA:
            raise ValueError("QREELS_NGINX_MEDIA serves local files: it can't be set beside QREELS_S3_BUCKET")
        return self


class Logins(Group):
    """Second factors, passkeys and logins at an OpenID Connect server."""

    QREELS_TWO_FACTORS: Literal["off", "offered", "leads"] = "offered"
    QREELS_PASSKEYS: Literal["off", "factor", "login"] = "login"
    QREELS_OIDC_ISSUER: Issuer = ""
    QREELS_OIDC_CLIENT_ID: str = ""
    QREELS_OIDC_CLIENT_SECRET: str = Field("", repr=False)
    QREELS_OIDC_NAME: str = ""
    QREELS_OIDC_NEW_ACCOUNTS: Switch = False

    @model_validator(mode="after")
    def _fits_together(self) -> Self:
        needed = ("QREELS_OIDC_ISSUER", "QREELS_OIDC_CLIENT_ID", "QREELS_OIDC_CLIENT_SECRET")
        missing = [name for name in needed if not getattr(self, name)]
        if missing and len(missing) < len(needed):
            raise ValueError(f"Logins by OpenID Connect need {', '.join(needed)}; not set: {', '.join(missing)}")
        return self


class Mail(Group):
    """The server that mails go to."""

    QREELS_SMTP_URL: MailServer = Field("", repr=False)
    QREELS_MAIL_FROM: str = ""

    @model_validator(mode="after")
    def _fits_together(self) -> Self:
        if self.QREELS_SMTP_URL and "@" not in self.QREELS_MAIL_FROM:
            raise ValueError(
                f"QREELS_MAIL_FROM is {self.QREELS_MAIL_FROM!r}: expected the address that mails come from, since"
                " QREELS_SMTP_URL is set"
            )
        return self


class Watching(Group):
    """Logs, figures, and what may be told or kept."""

    QREELS_LOG: Level = "WARNING"
    QREELS_LOG_FORMAT: Literal["text", "json"] = "text"
    QREELS_METRICS_TOKEN: Token = Field("", repr=False)
    QREELS_METRICS_FROM: Networks = ()
    QREELS_WEBHOOK_NETWORKS: Networks = ()
    QREELS_KEEP_DAYS: KeepDays = {}


class Backups(Group):
    """Where backups go by themselves ("": none is made), how often, and which stay; `key` "": not encrypted."""

    place: Annotated[
        str, matching(r"(?!.*://).*|s3://[A-Za-z0-9][A-Za-z0-9._-]*(/.*)?", "a folder or s3://BUCKET/PREFIX")
    ] = Field("", validation_alias="QREELS_BACKUP_TO")
    hours: Annotated[int, whole(1)] = Field(24, validation_alias="QREELS_BACKUP_HOURS")
    days: Annotated[int, whole(1)] = Field(7, validation_alias="QREELS_BACKUP_DAYS")
    weeks: Annotated[int, whole(0)] = Field(4, validation_alias="QREELS_BACKUP_WEEKS")
    # Not shown: who gives the secret one by mistake shouldn't find it in a log.
    key: Annotated[str, matching("age1.*", "a public age key, which begins with age1")] = Field(
        "", validation_alias="QREELS_BACKUP_KEY", repr=False
    )
    QREELS_BACKUP_S3_ENDPOINT: Http = ""
    QREELS_BACKUP_S3_REGION: str = ""


Device = Literal["cpu", "cuda", "mps", "auto"]


class Models(Group):
    """Models, their languages and the LLM, read by jobs; `queries/` has what holds where they are unset."""

    OPENAI_API_KEY: str = Field("", repr=False)
    OPENAI_BASE_URL: Http = ""
    REWRITER_MODEL: str = ""
    REWRITER_PRICE_IN: Amount = ""
    REWRITER_PRICE_OUT: Amount = ""
    REWRITER_BATCH_SHARE: Amount = ""
    REWRITER_LIMIT: Amount = ""
    REWRITER_ANSWERS: Literal["json", "lines"] | None = None
    REWRITER_PER_REQUEST: Annotated[int, whole(1)] = 0
    REWRITER_CONCURRENCY: Annotated[int, whole(1)] = 0
    REWRITER_TRIES: Annotated[int, whole(1)] = 0
    REWRITER_FIRST_PAUSE: Amount = ""
    REWRITER_TIMEOUT: Amount = ""
    REWRITER_POLL: Amount = ""
    ENCODER_MODEL: str = ""
    ENCODER_PRECISION: Literal["float32", "bfloat16", "auto"] | None = None
    ENCODER_POOLING: Literal["mean", "cls", "pooler", "auto"] | None = None
    ENCODER_DEVICE: Device | None = None
    ENCODER_LANGUAGES: Languages = ""
    NER_MODEL: str = ""
    NER_DEVICE: Device | None = None
    NER_LANGUAGES: Languages = ""
    NER_PERSON_LABELS: str = ""
    HF_HUB_OFFLINE: Switch = True


AT_START: tuple[type[Group], ...] = (Site, Servers, Files, Clips, Logins, Mail, Watching, Backups)
WHEN_USED: tuple[type[Group], ...] = (Models,)


def problems(environment: Mapping[str, str], groups: tuple[type[Group], ...]) -> list[str]:
    """A sentence for each variable that is set to what it can't be."""
    sentences: list[str] = []
    for group in groups:
        try:
            group.read(environment)
        except BadVariables as bad:
            sentences += bad.problems
    return sentences


def known() -> set[str]:
    """The names of all variables."""
    return {name for group in (*AT_START, *WHEN_USED) for name in group.variables()}


def unknown(environment: Mapping[str, str]) -> Iterator[tuple[str, str]]:
    """Variables whose names are like ours and that nobody reads, each with the one that may be meant ("" for none)."""
    names = known() | {f"{name}_FILE" for name in SECRETS}
    for name in sorted(environment):
        if re.match(r"QREELS_(?!TEST_)", name) and name not in names:
            near = difflib.get_close_matches(name, names, n=1, cutoff=0.8)
            yield name, near[0] if near else ""


def refuse_bad_values(environment: Mapping[str, str]) -> None:
    """Raises: BadVariables with every problem that there is."""
    if bad := problems(environment, AT_START):
        raise BadVariables(bad)
