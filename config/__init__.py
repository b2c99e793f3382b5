"""Settings, addresses, Celery, embedded servers, the web server."""

from .secret_files import read_secret_files
from .threads import set_threads

try:
    # Before anything else: the libraries look when they are imported.
    set_threads()
    read_secret_files()
except ValueError as error:
    raise SystemExit(str(error)) from error

from .celery import app as celery_app

__all__ = ["celery_app"]
