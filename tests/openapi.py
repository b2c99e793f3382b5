"""Write `docs/openapi.json`, the API's description, as the code has it now: `.venv/bin/python -m tests.openapi`."""

import os
from pathlib import Path

import django

if __name__ == "__main__":
    os.environ.setdefault("DJANGO_SETTINGS_MODULE", "config.settings")
    django.setup()
    from api.v1.schema_view import as_text

    Path(__file__).resolve().parent.parent.joinpath("docs", "openapi.json").write_text(as_text())
