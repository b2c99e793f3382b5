"""The ASGI application."""

import os

from django.conf import settings
from django.core.asgi import get_asgi_application

from config.database import limit_web_statements

os.environ.setdefault("DJANGO_SETTINGS_MODULE", "config.settings")
limit_web_statements(settings.DATABASES["default"]["OPTIONS"])
application = get_asgi_application()
