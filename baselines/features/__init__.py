"""Features of a collection's videos, subtitles and queries: extracted, stored, read."""
