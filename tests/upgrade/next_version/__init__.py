"""A version after this one: some migrations of an app of its own, so that there is something to upgrade to."""
