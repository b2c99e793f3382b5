"""The WSGI application that script/server runs."""

import gc
import os

from django.conf import settings
from django.core.wsgi import get_wsgi_application
from django.urls import get_resolver

from config.database import limit_web_statements

os.environ.setdefault("DJANGO_SETTINGS_MODULE", "config.settings")
limit_web_statements(settings.DATABASES["default"]["OPTIONS"])
application = get_wsgi_application()

# Every view is imported now and not at the first request. What lives as long as the process is then no longer looked
# through for garbage: a full collection took 80 ms, in the middle of somebody's judgment.
assert get_resolver().url_patterns
gc.collect()
gc.freeze()
