"""Secret settings can lie in files, as containers mount them: NAME_FILE names the file whose content NAME gets.

`config/__init__.py` calls it before anything reads the environment.
"""

import os
from collections.abc import MutableMapping
from pathlib import Path

SECRETS = (
    "QREELS_SECRET_KEY",
    "DATABASE_URL",
    "REDIS_URL",
    "OPENAI_API_KEY",
    "QREELS_SMTP_URL",
    "QREELS_METRICS_TOKEN",
    "AWS_ACCESS_KEY_ID",
    "AWS_SECRET_ACCESS_KEY",
    "QREELS_DEPOSIT_TOKENS",
)


def read_secret_files(environ: MutableMapping[str, str] = os.environ) -> None:
    """Set each of SECRETS from its file, without white space at the ends.

    Raises: ValueError if a file can't be read or is empty, or if the variable itself is set to something else.
    """
    for name in SECRETS:
        file = environ.get(f"{name}_FILE", "")
        if not file:
            continue
        try:
            content = Path(file).read_text().strip()
        except (OSError, UnicodeDecodeError) as error:
            raise ValueError(f"{name}_FILE is {file}, which can't be read: {error}") from error
        if not content:
            raise ValueError(f"{name}_FILE is {file}, which is empty: expected the value of {name}")
        if environ.get(name, content) != content:
            raise ValueError(f"{name} and {name}_FILE are both set, and differ: unset one of them")
        environ[name] = content
