"""Python's garbage collector runs seldom: by its defaults it takes an eighth of what starting a process takes.

`config/__init__.py` calls it, and so every way of starting does.
"""

import gc

COLLECTED_AT = 20_000
"""New objects until the next collection. Python's 700, or 2,000, have it look again and again through all that is being
imported."""


def collect_seldom() -> None:
    """Set it for this process."""
    gc.set_threshold(COLLECTED_AT)
