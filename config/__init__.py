"""Settings, addresses, Celery, embedded servers, the web server."""

from .garbage import collect_seldom
from .secret_files import read_secret_files
from .threads import set_threads

try:
    # Before anything else: the libraries look when they are imported, and garbage is looked for meanwhile.
    collect_seldom()
    set_threads()
    read_secret_files()
except ValueError as error:
    raise SystemExit(str(error)) from error

from .celery import app as celery_app

__all__ = ["celery_app"]
