"""Write what follows from the API's code: its description `docs/openapi.json`, and the Python client's generated part.

`.venv/bin/python -m tests.openapi`
"""

import json
import os
from pathlib import Path

import django

if __name__ == "__main__":
    os.environ.setdefault("DJANGO_SETTINGS_MODULE", "config.settings")
    django.setup()
    from api.v1.schema_view import as_text
    from tests.client_code import write

    text = as_text()
    Path(__file__).resolve().parent.parent.joinpath("docs", "openapi.json").write_text(text)
    write(json.loads(text))
