"""The checks that a caption must pass."""
