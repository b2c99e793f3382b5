"""Django's system checks of an installation's variables: `manage.py check`, and before every command."""

import os
from typing import Any

from django.core.checks import CheckMessage, Error, Warning, register

from config.logins import passkey_problems
from config.variables import AT_START, WHEN_USED, problems, unknown

HINT = "docs/settings.md has every variable with its meaning."


@register()
def check_variables(app_configs: Any = None, **options: Any) -> list[CheckMessage]:
    """An error for each value that can't be, a warning for each name like ours that nobody reads."""
    messages: list[CheckMessage] = [as_error(problem) for problem in problems(os.environ, (*AT_START, *WHEN_USED))]
    for name, near in unknown(os.environ):
        meant = f": {near} may be meant" if near else ""
        messages.append(Warning(f"{name} is set, and no setting has this name{meant}", hint=HINT, id="qreels.W001"))
    return messages + [Warning(problem, hint=HINT, id="qreels.W002") for problem in passkey_problems(os.environ)]


def as_error(problem: str) -> CheckMessage:
    """The check's message of a bad value."""
    return Error(problem, hint=HINT, id="qreels.E001")
