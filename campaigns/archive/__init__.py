"""A whole campaign as one archive."""
