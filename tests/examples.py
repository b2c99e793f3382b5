"""Profiles of Hypothesis: which examples of a property a run tries.

`ci`, which is Hypothesis' own, is that of every run (pyproject.toml): the same examples each time, so that what fails
on one commit fails for whoever looks at it. `script/test --explore` draws others each time.
"""

from hypothesis import settings

settings.register_profile("explore", settings.get_profile("ci"), derandomize=False, max_examples=1_000)
