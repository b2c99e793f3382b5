"""A collection's settings: their meaning, limits and page."""
