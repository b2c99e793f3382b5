"""The lead's review of captions."""
