"""The page that says what opening judging would open, and has a worker do it."""
