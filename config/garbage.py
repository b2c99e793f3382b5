"""How often Python looks for garbage: seldom enough that it is no eighth of what starting a process takes.

`config/__init__.py` calls it, and so every way of starting does.
"""

import gc

COLLECTED_AT = 20_000
"""After so many new objects the collector looks for garbage among them. By Python's 700, or 2,000, it looks through all
that is being imported again and again: an eighth of the processor time that a web server takes to start."""


def collect_seldom() -> None:
    """Set it for this process."""
    gc.set_threshold(COLLECTED_AT)
