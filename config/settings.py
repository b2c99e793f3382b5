"""Django's settings; what differs between installations comes from the environment (docs/settings.md)."""

import os
import secrets
from pathlib import Path

import dj_database_url
from django.core.exceptions import ImproperlyConfigured

from config.database import SESSION, session_options
from config.logins import login_settings
from config.logs import logging_settings
from config.mail import mail_settings
from config.storage import clip_storage
from config.variables import Backups, Clips, Files, Logins, Mail, Servers, Site, Watching, refuse_bad_values

refuse_bad_values(os.environ)
_site, _servers = Site.read(os.environ), Servers.read(os.environ)
_files, _watching = Files.read(os.environ), Watching.read(os.environ)

BASE_DIR = Path(__file__).resolve().parent.parent
# Everything that a running Qreels writes: the embedded servers, media, releases, logs.
VAR = Path(_site.QREELS_VAR or BASE_DIR / "var").resolve()

PRODUCTION = _site.QREELS_ENV == "production"
DEBUG = _site.QREELS_DEBUG and not PRODUCTION


def _refuse_half_set_production() -> None:
    needed = {
        "QREELS_SECRET_KEY": "a long random text that signs sessions and clip addresses",
        "QREELS_ALLOWED_HOSTS": "the host names served, separated by commas, e.g. qreels.example.org",
        "DATABASE_URL": "the PostgreSQL database, e.g. postgresql://user:password@host:5432/qreels",
    }
    missing = [f"  {name}: {meaning}" for name, meaning in needed.items() if not os.environ.get(name)]
    if missing:
        raise ImproperlyConfigured(
            "QREELS_ENV is production, and these environment variables are not set:\n" + "\n".join(missing)
        )

    key = _site.QREELS_SECRET_KEY
    if len(key) < 32 or len(set(key)) < 12 or key.startswith("django-insecure-"):
        raise ImproperlyConfigured(
            "QREELS_SECRET_KEY can be guessed, and whoever knows it can log in as anybody: at least 32 random"
            f" characters are needed, found {len(key)} with {len(set(key))} different ones. This prints a good one:\n"
            '  python3 -c "import secrets; print(secrets.token_urlsafe(50))"'
        )


if PRODUCTION:
    _refuse_half_set_production()


def _development_secret() -> str:
    """The secret key under var/, made at the first start and readable by its owner alone."""
    path = VAR / "secret_key"
    path.parent.mkdir(parents=True, exist_ok=True)
    try:
        descriptor = os.open(path, os.O_WRONLY | os.O_CREAT | os.O_EXCL, 0o600)
    except FileExistsError:
        key = path.read_text().strip()
        if key:
            return key
        raise ImproperlyConfigured(f"{path} is empty: remove it, and the next start makes a new key") from None
    key = secrets.token_urlsafe(50)
    with os.fdopen(descriptor, "w") as file:
        file.write(key)
    return key


SECRET_KEY = _site.QREELS_SECRET_KEY or _development_secret()
ALLOWED_HOSTS = list(_site.QREELS_ALLOWED_HOSTS)
CSRF_TRUSTED_ORIGINS = list(_site.QREELS_TRUSTED_ORIGINS)

INSTALLED_APPS = [
    "django.contrib.auth",
    "django.contrib.contenttypes",
    "django.contrib.humanize",
    "django.contrib.messages",
    "django.contrib.staticfiles",
    "allauth",
    "allauth.account",
    "allauth.mfa",
    "allauth.socialaccount",
    "allauth.socialaccount.providers.openid_connect",
    "config",
    "foundation",
    "corpus",
    "queries",
    "annotation",
    "datasets",
    "campaigns",
    "desk",
    "operation",
]
# The demo's room offers its theatre where it is there; the product runs without it.
if (BASE_DIR / "demo" / "trial" / "apps.py").exists():
    INSTALLED_APPS.append("demo.trial")

MIDDLEWARE = [
    "config.web.request_id.RequestId",
    "config.web.security_headers.SecurityHeaders",
    "operation.probes.Probes",
    "operation.metrics.requests.CountRequests",
    "config.web.request_log.RequestLog",
    "api.frame.problems.ProblemAnswers",
    "foundation.access.language.Language",
    "config.web.limits.BodyLimit",
    "config.web.content.OnlyUtf8",
    "django.middleware.security.SecurityMiddleware",
    "whitenoise.middleware.WhiteNoiseMiddleware",
    "foundation.access.being_upgraded.BeingUpgraded",
    "foundation.access.session_use.SessionUse",
    "django.contrib.sessions.middleware.SessionMiddleware",
    "django.middleware.common.CommonMiddleware",
    "django.middleware.csrf.CsrfViewMiddleware",
    "foundation.access.form_input.CleanInput",
    "foundation.access.session_store.LoggedIn",
    "django.contrib.messages.middleware.MessageMiddleware",
    "django.middleware.clickjacking.XFrameOptionsMiddleware",
    "allauth.account.middleware.AccountMiddleware",
    "foundation.audit.acting.Acting",
    "foundation.access.refusals.Refusals",
]

ROOT_URLCONF = "config.urls"
WSGI_APPLICATION = "config.wsgi.application"

TEMPLATES = [
    {
        "BACKEND": "django.template.backends.django.DjangoTemplates",
        "DIRS": [BASE_DIR / "templates"],
        "APP_DIRS": False,
        "OPTIONS": {
            "context_processors": [
                "django.template.context_processors.request",
                "django.contrib.auth.context_processors.auth",
                "django.contrib.messages.context_processors.messages",
                "config.building.for_templates",
            ],
            "builtins": [
                "django.templatetags.i18n",
                "django.templatetags.l10n",
                "django.templatetags.static",
                "django.contrib.humanize.templatetags.humanize",
                "heroicons.templatetags.heroicons",
                "foundation.templatetags.languages",
                "desk.templatetags.menu",
                "desk.templatetags.states",
                "foundation.templatetags.fields",
                "datasets.templatetags.measures",
                "annotation.templatetags.grades",
            ],
        },
    }
]

# Unset means the embedded PostgreSQL; whoever starts a process puts its address here (config/embedded.py).
DATABASES = {
    "default": dj_database_url.parse(
        _servers.DATABASE_URL or "postgresql://postgres@127.0.0.1:1/embedded-postgresql-is-not-started",
        conn_max_age=600,
        conn_health_checks=True,
    )
}
_connection = DATABASES["default"].setdefault("OPTIONS", {})
_connection["options"] = session_options(SESSION, own=_connection.get("options", ""))
# Seconds until a server that doesn't answer counts as away.
_connection.setdefault("connect_timeout", 5)
DEFAULT_AUTO_FIELD = "django.db.models.BigAutoField"

AUTH_USER_MODEL = "foundation.Account"
AUTH_PASSWORD_VALIDATORS = [
    {"NAME": "django.contrib.auth.password_validation.UserAttributeSimilarityValidator"},
    {"NAME": "django.contrib.auth.password_validation.MinimumLengthValidator", "OPTIONS": {"min_length": 12}},
    {"NAME": "django.contrib.auth.password_validation.CommonPasswordValidator"},
    {"NAME": "django.contrib.auth.password_validation.NumericPasswordValidator"},
    {"NAME": "foundation.access.password_change.EndsTokens"},
]
# The header in which the proxy before us says who asks; without one it is whoever connects.
ADDRESS_HEADER = _site.QREELS_ADDRESS_HEADER
# Of the web server on 127.0.0.1, where its arguments don't say otherwise (config/run.py).
PORT = _site.QREELS_PORT
# Seconds for which a mailed link for a new password works.
PASSWORD_RESET_TIMEOUT = 60 * 60
LOGIN_URL = "login"
LOGIN_REDIRECT_URL = "home"
SESSION_ENGINE = "foundation.access.session_store"
SESSION_COOKIE_AGE = 60 * 60 * 24 * 14

LANGUAGE_CODE = "en"
# Each by its own name, as the account page offers them (docs/translating.md).
LANGUAGES = [("de", "Deutsch"), ("en", "English"), ("es", "Español"), ("zh-hans", "简体中文")]
LOCALE_PATHS = [BASE_DIR / "locale"]
FORMAT_MODULE_PATH = "config.formats"
TIME_ZONE = "UTC"
USE_TZ = True
USE_I18N = True
USE_THOUSAND_SEPARATOR = False

STATIC_URL = "/static/"
# Collected by script/server; QREELS_STATIC names where they were collected before, as in an image.
STATIC_ROOT = Path(_site.QREELS_STATIC or VAR / "static").resolve()
STATICFILES_DIRS = [BASE_DIR / "static"]
MEDIA_ROOT = VAR / "media"
# What is in the making, such as a release's files before they are packed.
SCRATCH = VAR / "scratch"
_clips = Clips.read(os.environ)
# How long a signed address of a clip in S3 is good for (0: Django or nginx sends it), and nginx's internal location.
CLIP_REDIRECT_SECONDS = _clips.QREELS_S3_URL_SECONDS if _clips.QREELS_S3_BUCKET else 0
CLIP_NGINX_PREFIX = _clips.QREELS_NGINX_MEDIA
STORAGES = {
    "default": clip_storage(_clips),
    "staticfiles": {"BACKEND": "config.static_files.StaticFiles"},
}
# Pages still render before `collectstatic` has run (tests, a first manage.py call).
WHITENOISE_USE_FINDERS = True

# The most that a file may weigh that members upload: descriptions, runs.
LONGEST_UPLOAD = _files.QREELS_UPLOAD_MB << 20
# Videos that leads bring by the browser or from S3, the most that one may weigh, and what they leave free of the disk.
VIDEO_FOLDER = Path(_files.QREELS_VIDEOS or VAR / "videos").resolve()
LONGEST_VIDEO = _files.QREELS_VIDEO_MB << 20
FREE_SPACE = _files.QREELS_FREE_MB << 20
# The only places on the server, or in S3, that leads can import videos from in the browser.
VIDEO_SOURCES = _files.QREELS_VIDEO_SOURCES
# What is kept of the runs of a member who doesn't lead, and what scoring one may hold.
RUNS_PER_MEMBER = _files.QREELS_RUNS_PER_MEMBER
RUN_MB_PER_MEMBER = _files.QREELS_RUN_MB_PER_MEMBER
# Requests to /api/ that one token, or one person's login, may send in a minute.
API_PER_MINUTE = _files.QREELS_API_PER_MINUTE
RUN_MEMORY_MB = _files.QREELS_RUN_MEMORY_MB

FILE_UPLOAD_HANDLERS = [
    "django.core.files.uploadhandler.MemoryFileUploadHandler",
    "foundation.infra.uploads.UploadToDisk",
]

# The only places that a lead can publish a release to from the browser.
PUBLISH_ROOTS = _files.QREELS_PUBLISH_TO
# Host of an archive that runs InvenioRDM -> the token by which releases are deposited there.
DEPOSIT_TOKENS = _files.QREELS_DEPOSIT_TOKENS

# What the search for candidates may hold besides vectors and results; and with these and all else that its process has.
RANKING_MEMORY_MB = _servers.RANKING_MEMORY_MB
SEARCH_MEMORY_MB = _servers.QREELS_SEARCH_MEMORY_MB

REDIS_URL = _servers.REDIS_URL
CELERY_BROKER_URL = REDIS_URL or "redis://127.0.0.1:1/0"
CELERY_RESULT_BACKEND = CELERY_BROKER_URL
CELERY_RESULT_EXPIRES = 60 * 60 * 24
CELERY_BROKER_CONNECTION_RETRY_ON_STARTUP = True
# However long the broker is away.
CELERY_BROKER_CONNECTION_MAX_RETRIES = None
# A broker that answers with an error, as one does that can't write to its full disk, is asked again like one that is
# away.
CELERY_BROKER_CHANNEL_ERROR_RETRY = True
# A task lost with its worker is done by another: every task is idempotent.
CELERY_TASK_ACKS_LATE = True
CELERY_TASK_REJECT_ON_WORKER_LOST = True
CELERY_WORKER_PREFETCH_MULTIPLIER = 1
CELERY_BROKER_TRANSPORT_OPTIONS = {"visibility_timeout": 60 * 60}
CELERY_TASK_TIME_LIMIT = 60 * 60
# The modules whose tasks a worker does; whoever only sends them loads none.
CELERY_IMPORTS = [
    "foundation.accounts.mails",
    "foundation.deletion.services",
    "foundation.infra.parallel_tasks",
    "foundation.mail.letters",
    "foundation.webhooks.deliveries",
    "corpus.clips.cut_clips",
    "corpus.clips.cutting_jobs",
    "corpus.description_import.jobs",
    "corpus.description_import.previews",
    "corpus.video_import.jobs",
    "queries.calibration.jobs",
    "queries.caption_import.jobs",
    "queries.pooling.draw_jobs",
    "queries.pooling.fetch_jobs",
    "queries.retrieval.approximate_search",
    "queries.retrieval.distributed_search",
    "queries.retrieval.embedding_cache",
    "queries.retrieval.vector_indexes",
    "queries.review.tasks",
    "queries.rewriting.llm_trial",
    "queries.rewriting.name_counts",
    "queries.rewriting.preview",
    "queries.rewriting.tasks",
    "queries.runs.run_jobs",
    "queries.topics.jobs",
    "annotation.batches.opening_jobs",
    "annotation.batches.pool_jobs",
    "annotation.machine_judges.jobs",
    "annotation.people.alert_webhooks",
    "annotation.precomputed",
    "annotation.review.tasks",
    "annotation.studies.services",
    "datasets.certificates.jobs",
    "datasets.guarantees.estimate",
    "datasets.judgment_audits.jobs",
    "datasets.judgment_import.jobs",
    "datasets.leaderboard.scoring",
    "datasets.planning.jobs",
    "datasets.publishing.jobs",
    "datasets.releases.check_jobs",
    "datasets.releases.jobs",
    "datasets.stopping.jobs",
    "campaigns.archive.jobs",
    "campaigns.comparison.compare",
    "campaigns.pooled.put_in_pool",
    "campaigns.scoring.score",
    "campaigns.submissions.jobs",
    "desk.running.run",
    "desk.waiting_mails",
    "operation.backup.jobs",
    "operation.retention.forget",
]
if "demo.trial" in INSTALLED_APPS:
    CELERY_IMPORTS.append("demo.trial.tasks")
# What a process of the worker may hold; one that has held half of it is replaced after its task.
WORKER_MEMORY_MB = _servers.QREELS_WORKER_MEMORY_MB
CELERY_WORKER_MAX_MEMORY_PER_CHILD = WORKER_MEMORY_MB * 512

X_FRAME_OPTIONS = "DENY"
SECURE_CONTENT_TYPE_NOSNIFF = True
SECURE_REFERRER_POLICY = "same-origin"
SESSION_COOKIE_HTTPONLY = True
SESSION_COOKIE_SAMESITE = "Lax"
CSRF_FAILURE_VIEW = "foundation.access.error_pages.csrf_failure"
if PRODUCTION and not _site.QREELS_PLAIN_HTTP:
    SESSION_COOKIE_SECURE = True
    # With this prefix browsers take it from this host alone, and over https alone.
    SESSION_COOKIE_NAME = "__Host-sessionid"
    CSRF_COOKIE_SECURE = True
    SECURE_PROXY_SSL_HEADER = ("HTTP_X_FORWARDED_PROTO", "https")
    SECURE_SSL_REDIRECT = True
    # An hour, so that a mistake ends; a site that stays sets a year.
    SECURE_HSTS_SECONDS = _site.QREELS_HSTS_SECONDS
    # Other hosts of the domain, and lists in browsers, aren't ours to speak for.
    SILENCED_SYSTEM_CHECKS = ["security.W005", "security.W021"]

LOGGING = logging_settings(_watching)
globals().update(mail_settings(Mail.read(os.environ)))
globals().update(login_settings(Logins.read(os.environ), ALLOWED_HOSTS))

# Where backups go by themselves, how often in hours, how many days and weeks keep one, and for which age key.
BACKUPS = Backups.read(os.environ)

# For how many days each class of what is kept about people stays (docs/retention.md).
KEEP_DAYS = _watching.QREELS_KEEP_DAYS

# Who may read /metrics: whoever brings the token, and who asks from these addresses.
METRICS_TOKEN = _watching.QREELS_METRICS_TOKEN
METRICS_FROM = _watching.QREELS_METRICS_FROM

# Networks that aren't public and may be told by webhooks all the same.
WEBHOOK_NETWORKS = _watching.QREELS_WEBHOOK_NETWORKS
